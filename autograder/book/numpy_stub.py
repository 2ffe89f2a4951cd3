"""What a reader of the page begins with: an exercise as a function or a class in NumPy, without its body."""

import importlib
import re
import textwrap
from collections.abc import Iterator

from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Argument, Exercise, Parameter

NOT_WRITTEN = "raise NotImplementedError"
WIDTH = 76  # characters that the page's editor shows


def numpy_stub(exercise: Exercise) -> str:
    """The source of an exercise's function or class, to be filled in; the shapes stand in its docstring."""
    head = f"def {exercise.entry}({names(exercise.arguments)}):"
    function = [head, *docstring(exercise, 1), f"    {NOT_WRITTEN}"]
    lines = _of_class(exercise) if exercise.is_class else function
    return "\n".join(["import numpy as np", *_imports(exercise), "", "", *lines, ""])


def _imports(exercise: Exercise) -> Iterator[str]:
    """The references that the exercise builds on; of its own topic those of functions, without its own."""
    for topic in exercise.builds_on:
        module = f"solutions.{topic}.in_numpy"
        there = vars(importlib.import_module(module))
        others = [e for e in all_exercises().values() if e.topic == topic and e.name != exercise.name]
        if topic == exercise.topic:
            others = [e for e in others if not e.is_class]
        names = [e.reference.__name__ for e in others if not all(output.plain for output in e.returns)]
        if names := [name for name in dict.fromkeys(names) if name in there]:
            yield f"from {module} import {', '.join(names)}"


def _of_class(exercise: Exercise) -> Iterator[str]:
    settings = f"self, {names(exercise.settings)}"
    yield f"class {exercise.entry}:"
    if len(settings) <= WIDTH - len("    def __init__():"):
        yield f"    def __init__({settings}):"
    else:
        yield from ("    def __init__(", f"        {settings}", "    ):")
    for setting in exercise.settings:
        yield f"        self.{setting.name} = {setting.name}"
    if exercise.parameters:
        yield "        # The learned arrays. Before each call the check replaces them."
        known = {setting.name for setting in exercise.settings}
        for name, parameter in exercise.parameters.items():
            yield from _learned(name, parameter.shape, _shape(parameter, known))
    yield ""
    yield f"    def __call__(self, {names(exercise.arguments)}):"
    yield from docstring(exercise, 2)
    yield f"        {NOT_WRITTEN}"


def _learned(name: str, shape: str, written: str) -> Iterator[str]:
    """A learned array, with its shape as a remark where not all of it can be written."""
    line = f"        self.{name} = np.zeros({written})"
    note = "" if written == shape else f"  # {shape}"
    if len(line) > WIDTH:
        yield from (f"        self.{name} = np.zeros(", f"            {written}", "        )")
    elif len(line + note) > WIDTH:
        yield from (f"      {note}", line)
    else:
        yield line + note


def names(arguments: tuple[Argument, ...]) -> str:
    """The names of arguments, as a signature has them."""
    return ", ".join(argument.name for argument in arguments)


def _shape(parameter: Parameter, known: set[str]) -> str:
    """The shape as an expression; 0 for a size that follows from the inputs."""
    sizes = [size.strip() for size in parameter.shape.strip("()").split(",") if size.strip()]
    written = [size if set(re.findall(r"[A-Za-z_]\w*", size)) <= known else "0" for size in sizes]
    return f"({', '.join(written)}{',' if len(written) == 1 else ''})"


def docstring(exercise: Exercise, depth: int) -> Iterator[str]:
    """The shape of each argument and of each result, in words."""
    indent = "    " * depth
    returned = [output for output in exercise.returns if not output.attribute]
    results = ", ".join(f"{output.name}: {output.shape}" for output in returned)
    kept = [output for output in exercise.returns if output.attribute]
    lines = [f'"""Return {results}.', ""]
    lines += [f"{argument.name}: {argument.shape}" for argument in exercise.arguments]
    lines += [f"It keeps self.{output.name}: {output.shape}." for output in kept]
    wrapper = textwrap.TextWrapper(WIDTH, indent, f"{indent}    ", break_on_hyphens=False)
    for line in [*lines, '"""']:
        yield from wrapper.wrap(line) or [""]
