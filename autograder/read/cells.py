"""One code cell: what it defines, and for which framework."""

import ast
import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

from autograder.read.syntax import bound_names, parse

TAG = "framework-"
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

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """The statements of the cell; none if it is not Python."""
        return parse(self.source) or []

    @cached_property
    def defines(self) -> set[str]:
        """Names that the learner binds at the cell's top level, other than by taking a reference."""
        if self.given:
            return set()
        if parse(self.source) is None:
            return set(DEFINITION.findall(self.source))
        return {name for s in self.statements for name in bound_names(s)}

    def may_hold(self, names: set[str]) -> bool:
        """Whether one of these names may stand in the source, as it is or as an escape sequence."""
        text = unicodedata.normalize("NFKC", self.source)
        return "\\" in text or not names.isdisjoint(re.findall(r"\w+", text))

    @cached_property
    def needed(self) -> str:
        """Its imports and definitions, with blank lines in place of the rest."""
        lines = self.source.split("\n")
        kept = [""] * len(lines)
        for statement in self.statements:
            if isinstance(statement, NEEDED):
                decorators = getattr(statement, "decorator_list", [])
                first = min(node.lineno for node in (statement, *decorators))
                last = statement.end_lineno or statement.lineno
                kept[first - 1 : last] = lines[first - 1 : last]
        return "\n".join(kept)
