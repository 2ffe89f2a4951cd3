"""Parts of the course that an answer uses and may not: where it is graded, they are not there."""

import dis
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from autograder.frameworks import graded
from autograder.model.exercise import Exercise
from autograder.model.verdict import REFUSED_IMPORT

SOLUTIONS = "solutions."
# Of a name that is no function's own.
LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")


def refused_import(exercise: Exercise, entry: Any, framework: str | None) -> str | None:
    """A sentence that names the first of the course's solutions that an answer uses but may not import.

    framework: that of the answer, if it is known. None if it uses none but those that the exercise builds
    on, or where nothing is handed in in the framework.
    """
    if framework is not None and framework not in graded():
        return None
    for name, _, module in used(entry):
        if module.startswith(SOLUTIONS) and module.split(".")[1] not in exercise.builds_on:
            return REFUSED_IMPORT.format(name=name, module=module)
    return None


def functions_of(entry: Any) -> Iterator[FunctionType]:
    """A function, or the functions of a class, static ones too; nothing of any other object."""
    members = vars(entry).values() if isinstance(entry, type) else [entry]
    functions = (getattr(member, "__func__", member) for member in members)
    return (function for function in functions if isinstance(function, FunctionType))


def used(entry: Any, seen: set[int] | None = None) -> Iterator[tuple[str, Any, str]]:
    """Names that an answer, and helpers beside it, find outside of themselves: each with its value, and its module.

    seen: what has been looked at already. The value of what is imported inside of a function is None.
    """
    seen = set() if seen is None else seen
    seen.add(id(entry))
    for base in entry.__mro__[1:] if isinstance(entry, type) else ():
        yield base.__name__, base, base.__module__
    methods = vars(entry).values() if isinstance(entry, type) else [entry]
    for method in methods:
        names = getattr(method, "__globals__", {})
        for name, imported in loaded(getattr(method, "__code__", None)):
            value = None if imported else names.get(name)
            named_by = "__name__" if isinstance(value, ModuleType) else "__module__"
            yield name, value, imported or str(getattr(value, named_by, ""))
            beside = getattr(value, "__module__", None) == getattr(entry, "__module__", "")
            if beside and callable(value) and id(value) not in seen:
                yield from used(value, seen)


def loaded(code: CodeType | None) -> Iterator[tuple[str, str]]:
    """Names that code loads from its module, and those that it imports itself, with what it imports."""
    if code is None:
        return
    for instruction in dis.get_instructions(code):
        if instruction.opname in LOADS:
            yield str(instruction.argval), ""
        elif instruction.opname == "IMPORT_NAME":
            yield str(instruction.argval).rsplit(".", 1)[-1], str(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from loaded(constant)


def names_used(text: str) -> set[str]:
    """The names that code reads, but those that are local to its functions."""
    of_python = {"__name__", "__annotations__"}  # a class reads them
    return {name for name, imported in loaded(compile(text, "<text>", "exec")) if not imported} - of_python
