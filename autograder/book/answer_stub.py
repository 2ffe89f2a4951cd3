"""What a reader of the page, or of a class's own notebook, begins with: an exercise's function or class without its body."""

import importlib
import re
import textwrap
from collections.abc import Iterator, Sequence

from autograder.frameworks import frameworks
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Argument, Exercise
from autograder.model.misconceptions import NUMPY

NOT_WRITTEN = "raise NotImplementedError"
WIDTH = 76  # characters that the page's editor shows


def answer_stub(exercise: Exercise, framework: str = NUMPY) -> str:
    """Return the source of an exercise's function or class in a framework, to be filled in; the shapes stand in its docstring."""
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
        yield f"class {name}({facts.layer_class}):" if facts.layer_class else f"class {name}:"
        is_layer = bool(facts.layer_class)
        yield from _init_in_numpy(exercise) if framework == NUMPY else _init(exercise, is_layer)
        yield ""
        name, arguments, indent = "forward" if facts.layer_class else "__call__", f"self, {arguments}", "    "
    yield f"{indent}def {name}({arguments}):"
    yield from docstring(exercise, f"{indent}    ")
    yield f"{indent}    {NOT_WRITTEN}"


def _solutions(exercise: Exercise, framework: str) -> Iterator[str]:
    """Yield imports of the solutions that the exercise builds on."""
    for topic, entries in helpers(exercise).items():
        names = [function if framework == NUMPY else entry for entry, function in entries.items()]
        yield f"from solutions.{topic}.in_{framework} import {', '.join(names)}"


def helpers(exercise: Exercise) -> dict[str, dict[str, str]]:
    """Return what a stub imports, by topic: each name, and that of the function in NumPy."""
    by_topic = {topic: _solutions_of(topic, exercise.helpers) for topic in exercise.builds_on}
    return {topic: entries for topic, entries in by_topic.items() if entries}


def _solutions_of(topic: str, names: Sequence[str]) -> dict[str, str]:
    """Return those of a topic's solutions that have these names; without names what its exercises ask for."""
    exercises = [e for e in all_exercises().values() if e.topic == topic]
    entries = {e.entry: e.reference.__name__ for e in exercises}
    names = names or [e.entry for e in exercises if not e.is_plain]
    functions = {name: entries.get(name, name) for name in names}
    begin = f"solutions.{topic}."
    solutions = vars(importlib.import_module(f"{begin}in_numpy"))
    of_topic = {f for f in functions.values() if f in solutions and solutions[f].__module__.startswith(begin)}
    return {name: function for name, function in functions.items() if function in of_topic}


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
    return ", ".join(a.name if a.default is None else f"{a.name}={a.default}" for a in arguments)


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
