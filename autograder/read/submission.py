"""Reads what a learner hands in: a notebook or a Python file, as data.

Nothing is run here. Notebooks are read with plain `json`, under a size cap and a small schema.
"""

import ast
import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from autograder.frameworks import graded_frameworks
from autograder.model.assignment import MEGABYTES
from autograder.model.catalogue import all_exercises
from autograder.model.errors import Unreadable
from autograder.model.exercise import Exercise
from autograder.read.cells import DEFINITION, Cell, Prose, cells_of, prose_of
from autograder.read.definitions import Definition, Definitions
from autograder.read.encodings import SUFFIXES, decoded, ending_of, is_notebook, is_submission
from autograder.read.magics import without_lines
from autograder.read.syntax import bound_names, changed_names, lines_of

TOO_LARGE = (
    "is larger than {:g} MB: clear its outputs and hand it in again, or raise the limit (`grade --megabytes`, or "
    "megabytes in the assignment's file)."
)
IS_GONE = "It is checked in {}: was the cell with {} deleted?"
IN_PROSE = "Cell {} holds {}, but is {}: make it a code cell."
MAX_NAMES = 3
# A statement: the name of its cell, and its first line.
StatementId = tuple[str, int]


@dataclass(frozen=True)
class Submission:
    """One file of a learner.

    problem: why it cannot be graded, as a sentence, or None. in_notebook: whether its cells are a notebook's. prose:
    cells that are no code, and hold definitions.
    """

    name: str
    digest: str
    cells: tuple[Cell, ...] = ()
    problem: str | None = None
    in_notebook: bool = False
    prose: tuple[Prose, ...] = ()

    def frameworks(self, entry: str) -> list[str]:
        """Return the frameworks in which the submission defines an entry: by tags, by its own text, or by the imports."""
        definitions = self.definitions.of(entry)
        tagged = [d for d in definitions if d.cell.framework]
        stubs = {d.cell.framework for d in tagged if d.is_stub}
        answered = {c.framework for c in self._misnamed(entry)} | {d.cell.framework for d in tagged} - stubs
        # A cell of the learner's own may stand in the place of one that a copy has tagged.
        untagged = [d for d in definitions if not d.cell.framework and not (tagged and d.is_stub)]
        frameworks = _frameworks_named_by(untagged)
        if untagged and not answered and not frameworks:
            # What it imports, where that is one alone.
            imported = self.definitions.imported & {*graded_frameworks()}
            frameworks = imported if len(imported) == 1 else {*graded_frameworks()} if tagged else set()
        return [f for f in graded_frameworks() if f in answered | frameworks | stubs]

    def is_unclear(self, entry: str) -> bool:
        """Return whether the submission defines an entry, and nothing tells in which framework."""
        cells = [definition.cell for definition in self.definitions.of(entry)]
        return bool(cells) and not any(c.framework for c in cells) and not self.frameworks(entry)

    def cells_for(self, framework: str) -> list[Cell]:
        """Return the cells that are tagged with no other framework."""
        return [cell for cell in self.cells if cell.framework in (None, framework)]

    def packages_of(self, entry: str) -> set[str]:
        """Return the packages whose names the definitions of an entry use."""
        packages = {bound: module.split(".")[0] for c in self.cells for module, bound, _ in c.imports}
        used = names_by_definition(c for c in self.cells if not c.is_of_chapter).get(entry, set())
        return {packages[name] for name in used & packages.keys()}

    def used_by(self, entry: str, framework: str) -> set[str]:
        """Return the names that an entry and its helpers use, without those that an import binds anywhere."""
        cells = self.cells_for(framework)
        imported = {bound for cell in cells for _, bound, _ in cell.imports}
        names = names_by_definition(cell for cell in cells if not cell.is_of_chapter)
        return reachable_names(entry, {name: used - imported for name, used in names.items()}) - {entry}

    def _misnamed(self, entry: str) -> list[Cell]:
        """Return the cells in which a copy asks for an entry, and which define something else."""
        exercises = {e.name for e in all_exercises().values() if e.entry == entry}
        here = [c for c in self.cells if c.exercise in exercises and entry not in c.defines]
        return [c for c in here if DEFINITION.search(c.all_text)]

    def not_defined(self, exercise: Exercise) -> str:
        """Say that no cell defines an exercise's entry, and what its own cells define instead, as a sentence."""
        entry = exercise.entry
        names = [name for cell in self._misnamed(entry) for name in DEFINITION.findall(cell.all_text)]
        instead = f"; its cell defines {', '.join(list(dict.fromkeys(names))[:MAX_NAMES])}" if names else ""
        what = "notebook" if self.in_notebook else "file"
        more = self.in_prose(entry) or self._is_gone(entry)
        return f"The {what} defines no {exercise.kind} named {entry}{instead}.{more}"

    def _is_gone(self, entry: str) -> str:
        """Say that a copy still checks an answer whose cell is not there, as a sentence to add; empty otherwise."""
        checks = re.compile(rf"\bcheck\(\s*{entry}\b")
        check_cell = next((cell for cell in self.cells if checks.search(cell.all_text)), None)
        return f" {IS_GONE.format(self.name_of(check_cell), entry)}" if check_cell else ""

    def in_prose(self, entry: str) -> str:
        """Say that a cell defines an entry and is no code, as a sentence to add; empty if none does."""
        prose_cell = next((cell for cell in self.prose if entry in cell.defines), None)
        return f" {IN_PROSE.format(prose_cell.number, entry, prose_cell.kind)}" if prose_cell else ""

    def sources(self, framework: str, stopped: Collection[StatementId] = ()) -> list[tuple[str, str]]:
        """Return what to run for a framework: names and sources of cells, in order. stopped: statements to leave out."""
        lines_of_cells, sources = self.definitions.lines_to_leave_out(framework), []
        for cell in self.cells_for(framework):
            name = self.name_of(cell)
            lines = lines_of_cells.get(cell.number, set())
            if stopped:
                lines |= {lines_of(s) for s in cell.statements if (name, lines_of(s)[0]) in stopped}
            source = without_lines(cell.needed if cell.is_of_chapter else cell.source, lines)
            if source.strip():
                sources.append((name, source))
        return sources

    @cached_property
    def statement_ids(self) -> set[StatementId]:
        """Return where the statements of all cells begin."""
        return {(self.name_of(cell), lines_of(s)[0]) for cell in self.cells for s in cell.statements}

    def name_of(self, cell: Cell) -> str:
        """Return what a cell is called in messages: they are kept with the bytes, which others may hand in under other names."""
        return f"cell {cell.number}" if self.in_notebook else "the file"

    @cached_property
    def definitions(self) -> Definitions:
        """Return all that the learner's cells define."""
        return Definitions(self.cells)


def _frameworks_named_by(definitions: Sequence[Definition]) -> set[str]:
    """Return the frameworks that definitions use, each by itself; an untouched stub says nothing where there is an answer."""
    answers = [d for d in definitions if not d.is_stub] or definitions
    return {f for d in answers if len(d.frameworks) == 1 for f in d.frameworks}


def names_by_definition(cells: Iterable[Cell]) -> dict[str, set[str]]:
    """Return, by the names that cells bind or change, all names in the statements that do."""
    words_of: dict[str, set[str]] = {}
    for statement in (statement for cell in cells for statement in cell.statements):
        words = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}
        for name in bound_names(statement) | changed_names(statement):
            words_of.setdefault(name, set()).update(words)
    return words_of


def reachable_names(entry: str, refers: Mapping[str, set[str]]) -> set[str]:
    """Return a name, the names to which its definition refers, those to which theirs refer, and so on."""
    names: set[str] = set()
    waiting = [entry]
    while waiting:
        if (name := waiting.pop()) not in names:
            names.add(name)
            waiting += refers.get(name, ())
    return names


def digest_of(data: bytes, name: str) -> str:
    """Return the SHA-256 of a submission's bytes and of its name's ending, which says how they are read."""
    return hashlib.sha256(data + ending_of(name).encode("utf-8", "replace")).hexdigest()


def bytes_of(megabytes: float) -> int:
    """Return a limit as a number of bytes."""
    return int(megabytes * (1 << 20))


def read_bytes(data: bytes, name: str, megabytes: float = MEGABYTES) -> Submission:
    """Read a submission from a file's bytes. One that cannot be read, or is larger than it may be, has a problem."""
    digest = digest_of(data, name)
    try:
        text = text_of(data, name, megabytes)
        in_notebook = is_notebook(name, text)
        cells, prose = cells_of(text, in_notebook), prose_of(text, in_notebook)
        return Submission(name, digest, cells, in_notebook=in_notebook, prose=tuple(prose))
    except Unreadable as problem:
        return Submission(name, digest, problem=f"{name} {problem}")


def text_of(data: bytes, name: str, megabytes: float = MEGABYTES) -> str:
    """Return the text of a submission's bytes. Raises Unreadable, with a sentence."""
    if len(data) > bytes_of(megabytes):
        raise Unreadable(TOO_LARGE.format(megabytes))
    if not is_submission(name, data):
        raise Unreadable(f"is neither a notebook nor a Python file ({' or '.join(SUFFIXES)}).")
    text = decoded(data, name)
    if "\0" in text:
        raise Unreadable("holds null bytes, so it is not a text file.")
    return text
