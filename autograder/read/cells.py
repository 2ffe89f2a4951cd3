"""One code cell: what it defines, and for which framework."""

import ast
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from autograder.read.syntax import bound_names, lines_of, open_names, parse

TAG, ASKED = "framework-", "exercise:"
MAX_SOURCE = 256 << 10
TOO_LONG = f"holds more than {MAX_SOURCE >> 10} kB of code."
# Statements of a chapter's own cells that a submission may need.
NEEDED = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
# What a cell that is not Python was meant to define and to import.
DEFINITION = re.compile(r"^(?:def|class)\s+(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """One code cell. `given` marks a cell of the chapter that a learner was not asked to write."""

    number: int
    source: str
    tags: frozenset[str] = frozenset()
    given: bool = False

    @property
    def framework(self) -> str | None:
        """The framework that the cell is tagged with, if any; one that is not graded counts too."""
        return next((t.removeprefix(TAG) for t in sorted(self.tags) if t.startswith(TAG)), None)

    @property
    def exercise(self) -> str | None:
        """The exercise whose answer a copy asks for here, if any."""
        return next((t.removeprefix(ASKED) for t in sorted(self.tags) if t.startswith(ASKED)), None)

    @cached_property
    def _parsed(self) -> list[ast.stmt] | None:
        return parse(self.source)

    @property
    def is_python(self) -> bool:
        """Whether the source can be parsed."""
        return self._parsed is not None

    @property
    def statements(self) -> list[ast.stmt]:
        """The statements of the cell; none if it is not Python."""
        return self._parsed or []

    @cached_property
    def defines(self) -> set[str]:
        """Names that the learner binds at the cell's top level, other than by taking a reference."""
        if self.given:
            return set()
        if not self.is_python:
            return set(DEFINITION.findall(self.source))
        return {name for s in self.statements for name in bound_names(s)}

    @cached_property
    def open_names(self) -> set[str]:
        """Names that it may bind or change in another way than by a definition at its top level."""
        return open_names(self.statements)

    def may_hold(self, names: set[str]) -> bool:
        """Whether one of these names may stand in the source, as it is or as an escape sequence."""
        return "\\" in self.source or not names.isdisjoint(self._words)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the source."""
        return self.source.split("\n")

    @cached_property
    def _words(self) -> set[str]:
        return set(re.findall(r"\w+", unicodedata.normalize("NFKC", self.source)))

    @cached_property
    def needed(self) -> str:
        """Its imports and definitions, with blank lines in place of the rest."""
        kept = [""] * len(self.lines)
        for first, last in (lines_of(s) for s in self.statements if isinstance(s, NEEDED)):
            kept[first - 1 : last] = self.lines[first - 1 : last]
        return "\n".join(kept)


def without_lines(source: str, lines: Iterable[tuple[int, int]]) -> str:
    """A source with blank lines in place of some: the first and the last, counted from 1."""
    kept = source.split("\n")
    for first, last in lines:
        kept[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(kept)
