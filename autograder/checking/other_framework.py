"""Names that a cell of another framework has bound since: where an answer, or what it uses, is not the one meant."""

import inspect
import linecache
from typing import Any

from autograder.checking.imports import SOLUTIONS, functions_of, used
from autograder.frameworks import frameworks, graded, title_of

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


def is_anothers(entry: Any, framework: str | None) -> str | None:
    """A sentence, if an answer to be judged in a framework is written in another framework's cell."""
    if (other := _other_framework(entry, framework)) is None:
        return None
    kind = "class" if isinstance(entry, type) else "function"
    return _said(ANSWER, other, framework, name=entry.__name__, kind=kind)


def uses_anothers(entry: Any, framework: str | None) -> str | None:
    """A sentence, if an answer uses a function or class of another framework's cell, or solution.

    It may be right all the same: what needs no framework is the same in both.
    """
    for name, value, _ in used(entry):
        if other := _other_framework(value, framework):
            return _said(USED, other, framework, name=name, entry=entry.__name__)
    return None


def _said(words: str, other: str, framework: str | None, **names: str) -> str:
    return words.format(other=title_of(other), framework=title_of(framework or ""), **names)


def _other_framework(value: Any, framework: str | None) -> str | None:
    """The other framework whose solution a function or class is, or whose cell it is written in."""
    if framework not in graded():
        return None
    # One that the book shows beside these, such as Keras, too; what is NumPy's may be meant.
    others = [name for name in frameworks() if name not in (framework, "numpy")]
    module = str(getattr(value, "__module__", ""))
    if module.startswith(SOLUTIONS):
        return next((name for name in others if module.endswith(f"in_{name}")), None)
    written = next(functions_of(value), None)
    file = inspect.unwrap(written).__code__.co_filename if written else ""
    first = [line.strip() for line in linecache.getlines(file)[:FIRST_LINES]]
    return next((name for name in others if f"# {title_of(name)}" in first), None)
