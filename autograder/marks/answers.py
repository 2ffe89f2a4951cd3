"""The code of the answers that count, and which of them are the same.

It is read again, never run, from where the last run found it; bytes that have changed since are not shown.
"""

import ast
import copy
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from autograder.frameworks import graded
from autograder.marks.standing import Learner
from autograder.model.catalogue import all_exercises
from autograder.model.errors import Unreadable
from autograder.model.exercise import Exercise
from autograder.model.results import ExerciseResult
from autograder.model.text import clean
from autograder.model.verdict import Verdict
from autograder.read.bounded import ReaderKilled, read_bytes
from autograder.read.cells import Cell
from autograder.read.definitions import Definition, Definitions
from autograder.read.files import find
from autograder.read.submission import MEGABYTES, digest_of
from autograder.read.syntax import is_docstring, lines_of, parse
from course.paths import ROOT

MAX_LINES, MAX_WIDTH = 60, 160
# Definitions that an answer may consist of: a stranger's file may hold tens of thousands.
MAX_PARTS = 100
# Shorter answers coincide by chance.
FEWEST = 4
# What an answer is to be told from others by: its file, the exercise and the framework.
Key = tuple[str, str, str]


@dataclass(frozen=True)
class AnswerCode:
    """The code of one answer: the definition that was asked for, and what it uses of the learner's own.

    tree: a digest of its syntax tree, without comments, layout and docstrings; renamed: the same with its own
    names numbered. statements: how many there are, none if the code is no Python.
    """

    code: str
    tree: str
    renamed: str
    statements: int

    @property
    def lines(self) -> list[str]:
        """What a page shows of it."""
        found = [clean(line.expandtabs(4), MAX_WIDTH) for line in self.code.split("\n")]
        return found[:MAX_LINES] + ["…"] * (len(found) > MAX_LINES)


@dataclass(frozen=True)
class Alike:
    """Answers of several learners that are the same, and in what: their file, their code, or all but names."""

    exercise: Exercise
    learners: tuple[Learner, ...]
    what: str
    answer: AnswerCode


class Answers:
    """The answers of a class, read from these places. megabytes: what a file may hold."""

    def __init__(
        self, everyone: Iterable[Learner], places: Iterable[Path], megabytes: float = MEGABYTES
    ) -> None:
        keys = {_key(r) for who in everyone for r in who.results if r.verdict.outcome != "missing"}
        self.found = _read(keys, places, megabytes)
        self.gone = len(keys - self.found.keys())

    def of(self, who: Learner, verdict: Verdict) -> AnswerCode | None:
        """The answer that a verdict is on; None if it is no longer where it was graded."""
        result = who.source(verdict)
        return self.found.get(_key(result)) if result else None

    def alike(self, everyone: Iterable[Learner]) -> list[Alike]:
        """Answers that count of several learners and are the same: in the order of the course, the longest first."""
        groups: dict[tuple[str, str], list[tuple[Learner, Key]]] = {}
        for who in everyone:
            for key in [_key(result) for mark in who.marks if (result := who.source(mark))]:
                answer = self.found.get(key)
                if answer and answer.statements >= FEWEST:
                    groups.setdefault((key[1], answer.renamed), []).append((who, key))
        found = [self._alike(all_exercises()[name], them) for (name, _), them in groups.items()]
        order = list(all_exercises())
        kept = [group for group in found if len(group.learners) > 1]
        return sorted(kept, key=lambda g: (order.index(g.exercise.name), -g.answer.statements))

    def _alike(self, exercise: Exercise, them: Sequence[tuple[Learner, Key]]) -> Alike:
        answers = [self.found[key] for _, key in them]
        what = "the same but for names"
        if len({key[0] for _, key in them}) == 1:
            what = "the same file"
        elif len({answer.tree for answer in answers}) == 1:
            what = "the same code"
        if answers[0].renamed in _courses_own(exercise.name):
            what += ", and the course's own solution"
        return Alike(exercise, tuple(who for who, _ in them), what, answers[0])


def _key(result: ExerciseResult) -> Key:
    return result.digest, result.verdict.exercise, result.verdict.framework


@cache
def _courses_own(name: str) -> set[str]:
    """The trees of the course's own solutions to an exercise, with their names numbered."""
    exercise = all_exercises()[name]
    paths = {f: ROOT / "solutions" / exercise.topic / f"in_{f}.py" for f in graded()}
    read = {f: read_bytes(path.read_bytes(), path.name) for f, path in paths.items() if path.is_file()}
    found = [_answer(submission.definitions, exercise.entry, f) for f, submission in read.items()]
    return {answer.renamed for answer in found if answer}


def _read(keys: Iterable[Key], places: Iterable[Path], megabytes: float) -> dict[Key, AnswerCode]:
    """The answers with these keys, wherever below these places their files lie now."""
    wanted: dict[str, list[Key]] = defaultdict(list)
    for key in keys:
        wanted[key[0]].append(key)
    found: dict[Key, AnswerCode] = {}
    for source in [source for place in places if place.exists() for source in find(place)[0]]:
        try:
            data = source.read(megabytes)
            asked = wanted.pop(digest_of(data, source.name), [])
            definitions = read_bytes(data, source.name, megabytes).definitions if asked else None
        except (Unreadable, ReaderKilled):
            continue
        for key in asked:
            if definitions and (answer := _answer(definitions, all_exercises()[key[1]].entry, key[2])):
                found[key] = answer
    return found


def _answer(definitions: Definitions, entry: str, framework: str) -> AnswerCode | None:
    parts = list(dict.fromkeys(_source_of(d) for d in _needed(definitions, entry, framework)))
    try:
        tree, statements = _without_docstrings(parse("\n".join(parts)) or [])
        plain, renamed = _digest(tree), _digest(_Numbered(tree).visit(tree))
    except RecursionError:
        plain, renamed, statements = "", "", 0
    return AnswerCode("\n\n".join(parts), plain, renamed, statements) if parts else None


def _needed(definitions: Definitions, entry: str, framework: str) -> list[Definition]:
    """What an answer consists of, in order: its definition, and those of the names in it."""
    kept: dict[tuple[int, tuple[int, int] | None], Definition] = {}
    waiting, known = [entry], {entry}
    while waiting:
        for definition in definitions.written(waiting.pop(), framework):
            is_given = definition.cell.is_python and definition.lines is None
            place = (definition.cell.number, definition.lines)
            is_new = len(kept) < MAX_PARTS and place not in kept
            if is_new and (not is_given or entry in definition.names):
                kept[place] = definition
                names = _names(definition) - known
                known |= names
                waiting += sorted(names)
    return sorted(kept.values(), key=lambda d: (d.cell.number, d.lines or ()))


def _names(definition: Definition) -> set[str]:
    """All names in a definition, and in what else stands in its lines."""
    statements = _by_lines(definition.cell).get(definition.lines or (0, 0), [])
    return {n.id for s in statements for n in ast.walk(s) if isinstance(n, ast.Name)}


@lru_cache(maxsize=64)
def _by_lines(cell: Cell) -> dict[tuple[int, int], list[ast.stmt]]:
    """The statements of a cell by their first and last lines: a line may hold tens of thousands."""
    found: dict[tuple[int, int], list[ast.stmt]] = {}
    for statement in cell.statements:
        found.setdefault(lines_of(statement), []).append(statement)
    return found


def _source_of(definition: Definition) -> str:
    """Its source; that of its whole cell if it is no statement of its own."""
    if definition.lines is None:
        return definition.cell.source.strip("\n")
    first, last = definition.lines
    return "\n".join(definition.cell.lines[first - 1 : last])


def _digest(tree: ast.AST) -> str:
    return hashlib.sha256(ast.dump(tree).encode("utf-8", "replace")).hexdigest()


def _without_docstrings(statements: Sequence[ast.stmt]) -> tuple[ast.Module, int]:
    """A copy of the statements without docstrings, and how many statements it has."""
    module = ast.Module(copy.deepcopy(list(statements)), [])
    count = 0
    for node in ast.walk(module):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [s for s in body if not is_docstring(s)]  # type: ignore[attr-defined]
            count += len(node.body)  # type: ignore[attr-defined]
    return module, count


class _Numbered(ast.NodeTransformer):
    """Names that the code itself gives, in the order in which they appear; others stay."""

    def __init__(self, tree: ast.AST) -> None:
        nodes = list(ast.walk(tree))
        stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        arguments = {n.arg for n in nodes if isinstance(n, ast.arg)}
        defined = {n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        kept = {n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
        inner = [s for n in nodes if isinstance(n, ast.ClassDef) for s in n.body]
        self.methods = {id(s): s.name for s in inner if isinstance(s, ast.FunctionDef)}
        # Attributes are names of their own: an argument may be called as the attribute that it is kept in.
        self.own = stored | arguments | defined | {f".{name}" for name in kept | {*self.methods.values()}}
        self.numbers: dict[str, str] = {}

    def _number_of(self, name: str) -> str | None:
        return self.numbers.setdefault(name, f"name {len(self.numbers)}") if name in self.own else None

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._number_of(node.id) or node.id
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self._number_of(node.arg) or node.arg
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        node.attr = self._number_of(f".{node.attr}") or node.attr
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
        node.name = self._number_of(f".{node.name}" if id(node) in self.methods else node.name) or node.name
        return self.generic_visit(node)

    visit_ClassDef = visit_FunctionDef
