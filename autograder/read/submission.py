"""Reads what a learner hands in: a notebook or a Python file, as data.

Nothing is run here. Notebooks are read with plain `json`, under a size cap and a small schema.
"""

import ast
import hashlib
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from autograder.frameworks import framework_names, graded
from autograder.model.errors import Unreadable
from autograder.read.cells import MAX_SOURCE, TOO_LONG, Cell
from autograder.read.notebook import cells_of
from autograder.read.syntax import IMPORT, bound_names, imported_names, names_used_for, parse, referred_words

MAX_BYTES = 10 << 20
WORD = re.compile(r"\w+")
SUFFIXES = (".ipynb", ".py")


@dataclass(frozen=True)
class Submission:
    """One file of a learner. problem: why it cannot be graded, as a sentence, or None."""

    name: str
    digest: str
    cells: tuple[Cell, ...] = field(default=())
    problem: str | None = None

    def frameworks(self, entry: str) -> list[str]:
        """The frameworks in which the submission defines an entry, by tags or by what it imports."""
        cells = [cell for cell in self.cells if entry in cell.defines]
        tagged = {cell.framework for cell in cells if cell.framework}
        if tagged or not cells:
            return [f for f in graded() if f in tagged]
        imported = self._imports
        used = [f for f in graded() if imported.get(f, set()) & names_used_for(cells[-1].statements, entry)]
        found = used if len(used) == 1 else [f for f in graded() if imported.get(f)]
        return found if len(found) == 1 else []

    def is_unclear(self, entry: str) -> bool:
        """Whether the submission defines an entry, and nothing tells in which framework."""
        cells = [cell for cell in self.cells if entry in cell.defines]
        return bool(cells) and not any(cell.framework for cell in cells) and not self.frameworks(entry)

    def sources(self, framework: str) -> list[tuple[str, str]]:
        """What to run for a framework: names and sources of cells, in order."""
        kept = []
        for cell in self.cells:
            if cell.framework in (None, framework):
                source = cell.needed if cell.given else cell.source
                if source.strip():
                    kept.append(
                        (f"cell {cell.number}" if self.name.lower().endswith(".ipynb") else self.name, source)
                    )
        return kept

    def mentions(self, names: set[str], framework: str, elsewhere: set[str]) -> list[str]:
        """Which of these names the learner's source holds, as a name or a text.

        elsewhere: entries of other exercises; what defines them may hold the names.
        """
        cells = [c for c in self.cells if not c.given and c.framework in (None, framework)]
        cells = [c for c in cells if c.may_hold(names)]
        statements = [s for c in cells for s in c.statements if not bound_names(s) & elsewhere]
        held = {word for s in statements for node in ast.walk(s) for word in referred_words(node)}
        return sorted(names & held)

    @cached_property
    def _imports(self) -> dict[str, set[str]]:
        """For each framework, the names under which its parts were imported."""
        found: dict[str, set[str]] = {}
        for cell in self.cells:
            if parse(cell.source) is None:
                for name in {word for line in IMPORT.findall(cell.source) for word in WORD.findall(line)}:
                    if name in framework_names():
                        found.setdefault(framework_names()[name], set()).add(name)
            for statement in cell.statements:
                for node in ast.walk(statement):
                    for module, name in imported_names(node):
                        framework = framework_names().get(module.split(".")[0])
                        if framework is not None:
                            found.setdefault(framework, set()).add(name)
        return found


def digest_of(data: bytes, name: str) -> str:
    """The SHA-256 of a submission's bytes and of its name's ending, which says how they are read."""
    return hashlib.sha256(data + PurePosixPath(name).suffix.lower().encode("utf-8", "replace")).hexdigest()


def read_bytes(data: bytes, name: str) -> Submission:
    """A submission from a file's bytes. One that cannot be read has a problem."""
    digest = digest_of(data, name)
    try:
        return Submission(name, digest, _cells(data, name))
    except Unreadable as problem:
        return Submission(name, digest, problem=f"{name} {problem}")


def _cells(data: bytes, name: str) -> tuple[Cell, ...]:
    if len(data) > MAX_BYTES:
        raise Unreadable(f"is larger than {MAX_BYTES >> 20} MB; clear its outputs and hand it in again.")
    if not name.lower().endswith(SUFFIXES):
        raise Unreadable(f"is neither a notebook nor a Python file ({' or '.join(SUFFIXES)}).")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"is not UTF-8 text (byte {error.start}).") from error
    if "\0" in text:
        raise Unreadable("holds null bytes, so it is not a text file.")
    if name.lower().endswith(".ipynb"):
        return cells_of(text)
    if len(text) > MAX_SOURCE:
        raise Unreadable(TOO_LONG)
    return (Cell(1, text),)
