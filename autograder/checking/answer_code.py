"""Find what an answer's own code names that it should not, or must not.

Parts of the course that are not there where it is graded; what a cell of another framework has bound since; a setting
of the notebook's; a call that names no axis.
"""

import ast
import dis
import inspect
import linecache
from collections.abc import Iterator
from textwrap import dedent
from types import CodeType, FunctionType, ModuleType
from typing import Any

from autograder.frameworks import frameworks, graded_frameworks, title_of
from autograder.model.exercise import Exercise
from autograder.model.verdict import REFUSED_IMPORT

SOLUTIONS = "solutions."
# Of a name that is no function's own.
LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
ANSWER = (
    "{name} is now the {kind} of the {other} cell. Run the {framework} cell again, then this check. "
    "What was accepted before stays."
)
USED = (
    "{name}, which {entry} uses, is now that of a {other} cell. Run the {framework} cell that defines or imports it "
    "again, then this check. What was accepted before stays."
)
# In a copy the first line of a cell names its framework; a cell's magic may stand above it.
FIRST_LINES = 2
OUTER = (
    "In {method}, {name} is the notebook's variable and not this layer's: keep the layer's in __init__, "
    "self.{name} = {name}, and use self.{name}."
)
NO_AXIS = (
    "`{code}` names no axis, so it takes the whole array as one long row: with more than one axis, say which, by "
    "{keyword}=."
)


def refused_import(exercise: Exercise, answer: Any, framework: str | None) -> str | None:
    """Return a sentence that names the first of the course's solutions that an answer uses but may not import.

    framework: that of the answer, if it is known. None if it uses none but those that the exercise builds
    on, or where nothing is handed in in the framework.
    """
    if framework is not None and framework not in graded_frameworks():
        return None
    for name, _, module in outer_names(answer):
        if module.startswith(SOLUTIONS) and module.split(".")[1] not in exercise.builds_on:
            return REFUSED_IMPORT.format(name=name, module=module)
    return None


def other_frameworks_answer(answer: Any, framework: str | None) -> str | None:
    """Return a sentence if an answer to be judged in a framework is written in another framework's cell."""
    if (other := _other_framework(answer, framework)) is None:
        return None
    kind = "class" if isinstance(answer, type) else "function"
    return _sentence(ANSWER, other, framework, name=answer.__name__, kind=kind)


def other_frameworks_helper(answer: Any, framework: str | None) -> str | None:
    """Return a sentence if an answer uses a function or class of another framework's cell, or solution.

    It may be right all the same: what needs no framework is the same in both.
    """
    for name, value, _ in outer_names(answer):
        if other := _other_framework(value, framework):
            return _sentence(USED, other, framework, name=name, entry=answer.__name__)
    return None


def _sentence(words: str, other: str, framework: str | None, **names: str) -> str:
    return words.format(other=title_of(other), framework=title_of(framework or ""), **names)


def _other_framework(value: Any, framework: str | None) -> str | None:
    """Return the other framework whose solution a function or class is, or whose cell it is written in."""
    if framework not in graded_frameworks():
        return None
    # One that the book shows beside these, such as Keras, too; what is NumPy's may be meant.
    other_frameworks = [name for name in frameworks() if name not in (framework, "numpy")]
    module = str(getattr(value, "__module__", ""))
    if module.startswith(SOLUTIONS):
        return next((name for name in other_frameworks if module.endswith(f"in_{name}")), None)
    function = next(functions_of(value), None)
    file = inspect.unwrap(function).__code__.co_filename if function else ""
    first = [line.strip() for line in linecache.getlines(file)[:FIRST_LINES]]
    return next((name for name in other_frameworks if f"# {title_of(name)}" in first), None)


def outer_setting(exercise: Exercise, answer: Any) -> str | None:
    """Return a sentence if a method of a class reads one of the exercise's settings from the notebook."""
    if not isinstance(answer, type):
        return None
    settings = {argument.name for argument in exercise.settings}
    for method in functions_of(answer):
        for name, _ in loaded_names(method.__code__):
            if name in settings and name in method.__globals__:
                return OUTER.format(method=method.__name__, name=name)
    return None


def call_without_axis(answer: Any, framework: str) -> str | None:
    """Return a sentence on the first such call in a function or class; None if there is none, or no source."""
    try:
        tree = ast.parse(dedent(inspect.getsource(answer)))
    except (OSError, TypeError, SyntaxError):
        return None
    vocabulary = frameworks()[framework].vocabulary
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            keyword, num_arguments = vocabulary.without_axis.get(call.func.attr, ("", 0))
            of_module = getattr(call.func.value, "id", None) in (*vocabulary.modules, "np")
            names_axis = any(argument.arg in (keyword, None) for argument in call.keywords)
            if keyword and not names_axis and len(call.args) - of_module < num_arguments:
                return NO_AXIS.format(code=ast.unparse(call), keyword=keyword)
    return None


def functions_of(answer: Any) -> Iterator[FunctionType]:
    """Return a function, or the functions of a class, static ones too; nothing of any other object."""
    members = vars(answer).values() if isinstance(answer, type) else [answer]
    functions = (getattr(member, "__func__", member) for member in members)
    return (function for function in functions if isinstance(function, FunctionType))


def outer_names(answer: Any, visited: set[int] | None = None) -> Iterator[tuple[str, Any, str]]:
    """Yield the names that an answer, and helpers beside it, find outside of themselves: each with its value, and its module.

    visited: what has been looked at already. The value of what is imported inside of a function is None.
    """
    visited = set() if visited is None else visited
    visited.add(id(answer))
    for base in answer.__mro__[1:] if isinstance(answer, type) else ():
        yield base.__name__, base, base.__module__
    for function in functions_of(answer):
        for name, imported in loaded_names(function.__code__):
            value = None if imported else function.__globals__.get(name)
            named_by = "__name__" if isinstance(value, ModuleType) else "__module__"
            yield name, value, imported or str(getattr(value, named_by, ""))
            beside = getattr(value, "__module__", None) == getattr(answer, "__module__", "")
            if beside and callable(value) and id(value) not in visited:
                yield from outer_names(value, visited)


def loaded_names(code: CodeType) -> Iterator[tuple[str, str]]:
    """Yield the names that code loads from its module, and those that it imports itself, with what it imports."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in LOADS:
            yield str(instruction.argval), ""
        elif instruction.opname == "IMPORT_NAME":
            yield str(instruction.argval).rsplit(".", 1)[-1], str(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from loaded_names(constant)


def names_used(text: str) -> set[str]:
    """Return the names that code reads, but those that are local to its functions."""
    names = {name for name, imported in loaded_names(compile(text, "<text>", "exec")) if not imported}
    return names - {"__name__", "__annotations__"}  # a class reads them
