"""The code cells of a submission: what each defines, and for which framework. A notebook's are read with plain `json`."""

import ast
import io
import json
import re
import tokenize
import unicodedata
import warnings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from autograder.model.catalogue import all_exercises
from autograder.model.errors import Unreadable
from autograder.read.syntax import bound_names, imported_names, is_stub, lines_of, parse

TAG, ASKED = "framework-", "exercise:"
MAX_SOURCE = 256 << 10
TOO_LONG = f"holds more than {MAX_SOURCE >> 10} kB of code."
# Statements of a chapter's own cells that a submission may need.
NEEDED = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
# What a cell that is not Python was meant to define and to import.
DEFINITION = re.compile(r"^(?:def|class)\s+(\w+)", re.MULTILINE)
MAGIC = re.compile(r"^\s*[%!?]|\?\s*$|=\s*[%!]")
CELL_MAGIC = re.compile(r"\s*%%(\w+)[^\n]*(?:\n|$)")
# `%%writefile answers.py` too: what it holds is there to be imported, and no file can be written here.
RUNS_THE_CELL = ("time", "capture", "prun", "writefile")
MAX_MAGICS = 50
# Marks a broken version that an exercise asks to mend.
STARTER = "starter:"
# Characters of one cell that are parsed in all while its magics are looked for.
MAX_PARSED = 1 << 20


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
    def imports(self) -> list[tuple[str, str, int]]:
        """What it imports, wherever in it: the module, the name that is bound, and the line."""
        outer: list[ast.AST] = [s for s in self.statements if isinstance(s, ast.Import | ast.ImportFrom)]
        # The word stands there more often where some are inside of other statements.
        deep = len(re.findall(r"\bimport\b", self.source)) > len(outer)
        nodes = [n for s in self.statements for n in ast.walk(s)] if deep else outer
        return [(module, bound, n.lineno) for n in nodes for module, bound in imported_names(n)]  # type: ignore[attr-defined]

    @cached_property
    def code(self) -> str:
        """Its tokens with a space between two, without comments and texts of several lines; empty if it is not Python,
        and a backslash where they cannot be told."""
        lines = io.StringIO(self.source if self.is_python else "")
        try:
            tokens = [t for t in tokenize.generate_tokens(lines.readline) if t.type != tokenize.COMMENT]
        except (tokenize.TokenError, SyntaxError):  # it knows fewer indentations than the parser
            return "\\"
        kept = " ".join(t.string for t in tokens if not t.string.endswith(('"""', "'''")))
        # Python reads other forms of a letter in a name as the letter.
        return unicodedata.normalize("NFKC", kept)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the source."""
        return self.source.split("\n")

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


def cells_of(text: str, in_notebook: bool) -> tuple[Cell, ...]:
    """The code cells of a notebook's text; a Python file is one. Raises Unreadable before a long one is parsed."""
    code = code_cells(text, in_notebook)
    if sum(len(source) for _, _, source in code) > MAX_SOURCE:
        raise Unreadable(TOO_LONG)
    return tuple(_cell(number, cell, source) for number, cell, source in code)


def code_cells(text: str, in_notebook: bool = True) -> list[tuple[int, dict[str, Any], str]]:
    """The number, the JSON and the source of each code cell. Raises Unreadable for what is no notebook and must be one."""
    if not in_notebook:
        return [(1, {}, text)]
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError, MemoryError) as error:
        raise Unreadable(
            "is not a readable notebook: it is not valid JSON. Save it again in Jupyter."
        ) from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise Unreadable("is not a readable notebook: it has no list of cells (nbformat 4 is needed).")
    return [
        (number, cell, _source(number, cell))
        for number, cell in enumerate(cells, 1)
        if isinstance(cell, dict) and cell.get("cell_type") == "code"
    ]


def _source(number: int, cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise Unreadable(f"is not a readable notebook: the source of cell {number} is not text.")
    return source


def _cell(number: int, cell: dict[str, Any], source: str) -> Cell:
    metadata = cell.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    tags = metadata.get("tags")
    kept = frozenset(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else frozenset()
    course = metadata.get("course")
    given = isinstance(course, dict) and course.get("given") is True
    found = Cell(number, without_magics(one_newline(source)), kept, given)
    return replace(found, given=False) if given and _holds_an_answer(found) else found


def _holds_an_answer(cell: Cell) -> bool:
    """Whether a cell that says it is a chapter's binds what an exercise asks for, so that it is a learner's.

    Copies hold broken versions to mend, with a tag of their own, and stubs.
    """
    if any(tag.startswith(STARTER) for tag in cell.tags):
        return False
    bound = {name for s in cell.statements if not is_stub(s) for name in bound_names(s)}
    return bool(bound) and any(exercise.entry in bound for exercise in all_exercises().values())


def one_newline(source: str) -> str:
    """The source with one kind of line ending, as Python itself reads it."""
    return source.replace("\r\n", "\n").replace("\r", "\n")


def without_magics(source: str) -> str:
    """The source with IPython's magics, shell escapes and questions blanked, lines kept in place.

    So are texts at the top level that are no Python for their backslashes: exports write a notebook's prose so.
    """
    if cell_magic := CELL_MAGIC.match(source):
        if cell_magic[1] not in RUNS_THE_CELL:
            return ""
        source = "\n" * cell_magic[0].count("\n") + source[cell_magic.end() :]
    if parse(source) is not None:
        return source
    lines = without_lines(source, _unreadable_texts(source)).split("\n")
    for _ in range(min(MAX_MAGICS, MAX_PARSED // max(len(source), 1))):
        line = _complaint("\n".join(lines))
        if line is None or not MAGIC.search(lines[line - 1]):
            return "\n".join(lines)
        indentation = re.match(r"\s*", lines[line - 1])
        lines[line - 1] = f"{indentation[0] if indentation else ''}pass"
    return "\n".join("" if MAGIC.search(line) else line for line in lines)


def _unreadable_texts(source: str) -> list[tuple[int, int]]:
    """First and last lines of the statements at the top level that are a text alone, with a broken escape in it."""
    found, begins, text = [], True, None
    # The tokenizer takes a text as it is; where the rest of the source stops it, what it has found counts.
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(source).readline) if "\\" in source else ():
            if token.type == tokenize.NEWLINE and text and parse(text.string) is None:
                found.append((text.start[0], text.end[0]))
            is_text = token.type == tokenize.STRING and token.string.lstrip("bBrRuU")[0] in "'\""
            if token.type != tokenize.COMMENT:
                text = token if is_text and begins and not token.start[1] else None
            if token.type not in (tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT):
                begins = token.type in (tokenize.NEWLINE, tokenize.NL)
    return found


def _complaint(source: str) -> int | None:
    """The line in which a source stops to be Python, if it does."""
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(source)
    except SyntaxError as error:
        return min(error.lineno or 1, source.count("\n") + 1)
    except (ValueError, RecursionError, MemoryError):
        return None
    return None
