"""What a reader of the page, or of a class's own notebook, begins with: an exercise's function or class without its body."""

import importlib
import re
import textwrap
from collections.abc import Iterator
from types import FunctionType

from autograder.frameworks import frameworks
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Argument, Exercise
from autograder.model.misconceptions import NUMPY

NOT_WRITTEN = "raise NotImplementedError"
WIDTH = 76  # characters that the page's editor shows


def numpy_stub(exercise: Exercise) -> str:
    """Return the source of an exercise's function or class in NumPy, to be filled in; the shapes stand in its docstring."""
    return page_stub(exercise, NUMPY)


def page_stub(exercise: Exercise, framework: str) -> str:
    """Return the same in a framework."""
    return "\n".join([*imports(exercise, framework), "", "", *definition(exercise, framework), ""])


def imports(exercise: Exercise, framework: str) -> Iterator[str]:
    """Yield the lines that import what an answer in a framework needs."""
    facts = frameworks()[framework]
    first = facts.imports or f"import {facts.packages[0]}"
    yield "import numpy as np" if framework == NUMPY else first
    yield from _solutions(exercise, framework)


def definition(exercise: Exercise, framework: str) -> Iterator[str]:
    """Yield the lines of an exercise's function or class in a framework, without its body."""
    facts = frameworks()[framework]
    name, arguments, indent = exercise.entry, names(exercise.arguments), ""
    if exercise.is_class:
        yield f"class {name}({facts.layer}):" if facts.layer else f"class {name}:"
        yield from _init_in_numpy(exercise) if framework == NUMPY else _init(exercise, bool(facts.layer))
        yield ""
        name, arguments, indent = "forward" if facts.layer else "__call__", f"self, {arguments}", "    "
    yield f"{indent}def {name}({arguments}):"
    yield from docstring(exercise, f"{indent}    ")
    yield f"{indent}    {NOT_WRITTEN}"


def _solutions(exercise: Exercise, framework: str) -> Iterator[str]:
    """Yield imports of the solutions that the exercise builds on: of each topic the functions that its rules name.

    Where they name none: all of that topic, of its own topic those of functions, without its own.
    """
    for topic in exercise.builds_on:
        if named := _named_functions(exercise, topic):
            yield f"from solutions.{topic}.in_{framework} import {', '.join(named)}"
            continue
        exercises = [e for e in all_exercises().values() if e.topic == topic and e.name != exercise.name]
        if topic == exercise.topic:
            exercises = [e for e in exercises if not e.is_class]
        exercises = [e for e in exercises if not all(output.plain for output in e.returns)]
        entries = [e.reference.__name__ if framework == NUMPY else e.entry for e in exercises]
        if framework == NUMPY:
            solutions = vars(importlib.import_module(f"solutions.{topic}.in_numpy"))
            entries = [name for name in entries if name in solutions]
        if entries:
            yield f"from solutions.{topic}.in_{framework} import {', '.join(dict.fromkeys(entries))}"


def _named_functions(exercise: Exercise, topic: str) -> list[str]:
    """Return the functions of a topic's solutions that stand in backticks in the rules of an exercise."""
    solutions = vars(importlib.import_module(f"solutions.{topic}.in_numpy"))
    names = re.findall(r"`(\w+)`", "\n".join(exercise.rules))
    return [name for name in dict.fromkeys(names) if isinstance(solutions.get(name), FunctionType)]


def _init(exercise: Exercise, is_layer: bool) -> Iterator[str]:
    """Yield the lines of `__init__`; its docstring names the learned arrays that an object must hold."""
    if exercise.parameters:
        yield from ('    """It learns', "")
        yield from (f"    {p.path}: {p.description}" for p in exercise.parameters.values())
        yield from ('    """', "")
    yield f"    def __init__({', '.join(['self', *filter(None, [names(exercise.settings)])])}):"
    if is_layer:
        yield "        super().__init__()"
    yield f"        {NOT_WRITTEN}"


def _init_in_numpy(exercise: Exercise) -> Iterator[str]:
    settings = f"self, {names(exercise.settings)}"
    if len(settings) <= WIDTH - len("    def __init__():"):
        yield f"    def __init__({settings}):"
    else:
        lines = textwrap.wrap(settings, WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)
        yield from ("    def __init__(", *lines, "    ):")
    for setting in exercise.settings:
        yield f"        self.{setting.name} = {setting.name}"
    if exercise.parameters:
        yield "        # The learned arrays. Before each call the check replaces them."
        sizes = {setting.name for setting in exercise.settings}
        for name, parameter in exercise.parameters.items():
            yield from _learned(name, parameter.description, sizes)


def _learned(name: str, shape: str, settings: set[str]) -> Iterator[str]:
    """Yield the lines of a learned array; 0 for a size that follows from the inputs, with the shape as a remark."""
    sizes = [size.strip() for size in shape.strip("()").split(",") if size.strip()]
    sizes = [size if set(re.findall(r"[A-Za-z_]\w*", size)) <= settings else "0" for size in sizes]
    numbers = f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"
    line = f"        self.{name} = np.zeros({numbers})"
    note = "" if numbers == shape else f"  # {shape}"
    if len(line) > WIDTH:
        yield from (f"        self.{name} = np.zeros(", f"            {numbers}", "        )")
    elif len(line + note) > WIDTH:
        yield from (f"      {note}", line)
    else:
        yield line + note


def names(arguments: tuple[Argument, ...]) -> str:
    """Return the names of arguments with their defaults, as a signature has them."""
    return ", ".join(a.name if a.default is None else f"{a.name}={a.default:g}" for a in arguments)


def docstring(exercise: Exercise, indent: str) -> Iterator[str]:
    """Yield the shape of each argument and of each result, in words."""
    returned = [output for output in exercise.returns if not output.attribute]
    results = ", ".join(f"{output.name}: {output.description}" for output in returned)
    attributes = [output for output in exercise.returns if output.attribute]
    lines = [f'"""Return {results}.', ""]
    lines += [f"{argument.name}: {argument.description}" for argument in exercise.arguments]
    lines += [f"It keeps self.{output.name}: {output.description}." for output in attributes]
    wrapper = textwrap.TextWrapper(WIDTH, indent, f"{indent}    ", break_on_hyphens=False)
    for line in [*lines, '"""']:
        yield from wrapper.wrap(line) or [""]
