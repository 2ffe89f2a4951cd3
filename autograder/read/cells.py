"""The code cells of a submission: what each defines, and for which framework. A notebook's are read with plain `json`."""

import ast
import io
import json
import re
import tokenize
import unicodedata
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from autograder.model.catalogue import all_exercises
from autograder.model.errors import Unreadable
from autograder.read.magics import without_magics
from autograder.read.mistakes import SyntaxMistake, without_mistakes
from autograder.read.syntax import bound_names, imported_names, is_stub, lines_of, parse

TAG, EXERCISE = "framework-", "exercise:"
MAX_SOURCE = 256 << 10
TOO_LONG = f"holds more than {MAX_SOURCE >> 10} kB of code."
# Statements of a chapter's own cells that a submission may need.
NEEDED = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
# What a cell that is not Python was meant to define and to import.
DEFINITION = re.compile(r"^(?:def|class)\s+(\w+)", re.MULTILINE)
# The same with a line below it that is indented: a statement of an exercise shows the head alone.
DEFINITION_WITH_BODY = re.compile(r"^(?:def|class)\s+(\w+)[^\n]*\n(?:[ \t]*\n)*[ \t]+\S", re.MULTILINE)
CODE, PROSE = "code", {"markdown": "Markdown", "raw": "raw text"}
NO_CELLS = "is not a readable notebook: it has no list of cells. Save it again in Jupyter."
OLD = "is a notebook of an older format: open it in Jupyter and save it (nbformat 4 is needed)."
# Marks a broken version that an exercise asks to mend.
STARTER = "starter:"


@dataclass(frozen=True)
class Prose:
    """A cell that is no code, though it holds definitions. kind: what it is, as words."""

    number: int
    kind: str
    defines: frozenset[str]


@dataclass(frozen=True)
class Cell:
    """One code cell. is_of_chapter: it stands in the chapter, and no learner is asked to write it.

    source: what of it is Python; mistakes: what was left out of it.
    """

    number: int
    source: str
    tags: frozenset[str] = frozenset()
    is_of_chapter: bool = False
    mistakes: tuple[SyntaxMistake, ...] = ()

    @property
    def framework(self) -> str | None:
        """Return the framework that the cell is tagged with, if any; one that is not graded counts too."""
        return next((t.removeprefix(TAG) for t in sorted(self.tags) if t.startswith(TAG)), None)

    @property
    def exercise(self) -> str | None:
        """Return the exercise whose answer a copy asks for here, if any."""
        return next((t.removeprefix(EXERCISE) for t in sorted(self.tags) if t.startswith(EXERCISE)), None)

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """Return the statements of the cell, without its mistakes."""
        return parse(self.source) or []

    @property
    def all_text(self) -> str:
        """Return all of it, in whatever order: its source, and what was left out."""
        return "\n".join([self.source, *(mistake.text for mistake in self.mistakes)])

    @cached_property
    def defines(self) -> set[str]:
        """Return the names that the learner binds at the cell's top level, other than by taking a reference."""
        if self.is_of_chapter:
            return set()
        in_mistakes = {name for mistake in self.mistakes for name in DEFINITION.findall(mistake.text)}
        return in_mistakes | {name for s in self.statements for name in bound_names(s)}

    @cached_property
    def imports(self) -> list[tuple[str, str, int]]:
        """Return what it imports, wherever in it: the module, the name that is bound, and the line."""
        outer: list[ast.AST] = [s for s in self.statements if isinstance(s, ast.Import | ast.ImportFrom)]
        # The word stands there more often where some are inside of other statements.
        deep = len(re.findall(r"\bimport\b", self.source)) > len(outer)
        nodes = [n for s in self.statements for n in ast.walk(s)] if deep else outer
        return [(module, bound, n.lineno) for n in nodes for module, bound in imported_names(n)]  # type: ignore[attr-defined]

    @cached_property
    def code(self) -> str:
        """Return the tokens of its source with a space between two, without comments and texts of several lines; a backslash
        where they cannot be told."""
        lines = io.StringIO(self.source)
        try:
            tokens = [t for t in tokenize.generate_tokens(lines.readline) if t.type != tokenize.COMMENT]
        except (tokenize.TokenError, SyntaxError):  # it knows fewer indentations than the parser
            return "\\"
        code = " ".join(t.string for t in tokens if not t.string.endswith(('"""', "'''")))
        # Python reads other forms of a letter in a name as the letter.
        return unicodedata.normalize("NFKC", code)

    @cached_property
    def lines(self) -> list[str]:
        return self.source.split("\n")

    @cached_property
    def needed(self) -> str:
        """Return its imports and definitions, with blank lines in place of the rest."""
        lines = [""] * len(self.lines)
        for first, last in (lines_of(s) for s in self.statements if isinstance(s, NEEDED)):
            lines[first - 1 : last] = self.lines[first - 1 : last]
        return "\n".join(lines)


def cells_of(text: str, in_notebook: bool) -> tuple[Cell, ...]:
    """Return the code cells of a notebook's text; a Python file is one. Raises Unreadable before a long one is parsed."""
    code = code_cells(text, in_notebook)
    if sum(len(source) for _, _, source in code) > MAX_SOURCE:
        raise Unreadable(TOO_LONG)
    return tuple(_cell(number, cell, source, in_notebook) for number, cell, source in code)


def code_cells(text: str, in_notebook: bool = True) -> list[tuple[int, dict[str, Any], str]]:
    """Return the number, the JSON and the source of each code cell. Raises Unreadable for what is no notebook and must be one."""
    if not in_notebook:
        return [(1, {}, text)]
    return [(number, cell, _source(number, cell)) for number, cell in _all_cells(text) if _kind(cell) == CODE]


def prose_of(text: str, in_notebook: bool) -> list[Prose]:
    """Return the cells of a notebook that are no code and hold a function or a class of a learner's all the same."""
    prose = []
    for number, cell in _all_cells(text) if in_notebook else ():
        if _kind(cell) != CODE and not _is_marked_as_chapter(cell):
            names = DEFINITION_WITH_BODY.findall(one_newline(_source(number, cell)))
            prose += [Prose(number, PROSE.get(_kind(cell), "not code"), frozenset(names))] if names else []
    return prose


def _kind(cell: dict[str, Any]) -> str:
    return str(cell.get("cell_type"))


def _all_cells(text: str) -> list[tuple[int, dict[str, Any]]]:
    """Return the number and the JSON of each cell. Raises Unreadable for what is no notebook."""
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError, MemoryError) as error:
        raise Unreadable(
            "is not a readable notebook: it is not valid JSON. Save it again in Jupyter."
        ) from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise Unreadable(OLD if isinstance(notebook, dict) and "worksheets" in notebook else NO_CELLS)
    return [(number, cell) for number, cell in enumerate(cells, 1) if isinstance(cell, dict)]


def _source(number: int, cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise Unreadable(f"is not a readable notebook: the source of cell {number} is not text.")
    return source


def _cell(number: int, cell: dict[str, Any], source: str, in_notebook: bool) -> Cell:
    metadata = cell.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    tags = metadata.get("tags")
    names = frozenset(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else frozenset()
    read, mistakes = without_mistakes(without_magics(one_newline(source)), in_notebook)
    code_cell = Cell(number, read, names, _is_marked_as_chapter(cell), mistakes)
    if code_cell.is_of_chapter and _holds_an_answer(code_cell):
        return replace(code_cell, is_of_chapter=False)
    return code_cell


def _is_marked_as_chapter(cell: dict[str, Any]) -> bool:
    """Return whether a cell says that it is a chapter's."""
    metadata = cell.get("metadata")
    course = metadata.get("course") if isinstance(metadata, dict) else None
    return isinstance(course, dict) and course.get("given") is True


def _holds_an_answer(cell: Cell) -> bool:
    """Return whether a cell that says it is a chapter's binds what an exercise asks for, so that it is a learner's.

    Copies hold broken versions to mend, with a tag of their own, and stubs.
    """
    if any(tag.startswith(STARTER) for tag in cell.tags):
        return False
    bound = {name for s in cell.statements if not is_stub(s) for name in bound_names(s)}
    return bool(bound) and any(exercise.entry in bound for exercise in all_exercises().values())


def one_newline(source: str) -> str:
    """Return the source with one kind of line ending, as Python itself reads it."""
    return source.replace("\r\n", "\n").replace("\r", "\n")
