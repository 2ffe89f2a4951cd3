"""The code of the answers that count, and which of them are the same.

It is read again, never run, from where the last run found it; bytes that have changed since are not shown.
"""

import ast
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from autograder.frameworks import graded_frameworks
from autograder.marks.similar import RARE, NameNumbering, Statements, digest, similar_groups, statements_of
from autograder.marks.standing import Learner, Standing
from autograder.model.catalogue import all_exercises
from autograder.model.errors import Unreadable
from autograder.model.exercise import Exercise
from autograder.model.grouping import group_by
from autograder.model.paths import ROOT
from autograder.model.results import ExerciseResult
from autograder.model.text import clean
from autograder.model.verdict import Verdict
from autograder.read.bounded import ReaderKilled, read_bytes
from autograder.read.cells import Cell
from autograder.read.definitions import Definition, Definitions
from autograder.read.files import find
from autograder.read.submission import digest_of
from autograder.read.syntax import is_docstring, lines_of, parse

MAX_LINES, MAX_WIDTH = 60, 160
# Definitions that an answer may consist of: a stranger's file may hold tens of thousands.
MAX_PARTS = 100
# Shorter answers coincide by chance.
FEWEST = 4
NEAR = "much the same"
# What an answer is to be told from others by: its file, the exercise and the framework.
Key = tuple[str, str, str]
Member = tuple[Learner, Key]


@dataclass(frozen=True)
class AnswerCode:
    """The code of one answer: the definition that was asked for, and what it uses of the learner's own.

    tree: a digest of its syntax tree, without comments, layout and docstrings; renamed: the same with its own
    names numbered. statements: how many there are, none if the code is no Python. compared: what is
    looked at to find copies of it.
    """

    code: str
    tree: str
    renamed: str
    statements: int
    compared: Statements

    @property
    def lines(self) -> list[str]:
        """Return what a page shows of it."""
        lines = [clean(line.expandtabs(4), MAX_WIDTH) for line in self.code.split("\n")]
        return lines[:MAX_LINES] + ["…"] * (len(lines) > MAX_LINES)


@dataclass(frozen=True)
class SimilarAnswers:
    """Answers of several learners that are alike, and in what: their file, their code, all but names, or much.

    answers: of each learner. bits: how unlikely it is, as `similar` counts; 0 in a small class.
    """

    exercise: Exercise
    learners: tuple[Learner, ...]
    what: str
    answers: tuple[AnswerCode, ...]
    bits: float

    @property
    def examples(self) -> tuple[AnswerCode, ...]:
        """Return what is worth showing: where all are the same, the first."""
        return self.answers if self.what == NEAR else self.answers[:1]


class Answers:
    """The answers of a class, read from these places."""

    def __init__(self, standing: Standing, folders: Iterable[Path]) -> None:
        self.everyone = standing.learners
        keys = {_key(r) for who in self.everyone for r in who.results if r.verdict.outcome != "missing"}
        self.codes = _read(keys, folders, standing.assignment.megabytes)
        self.num_gone = len(keys - self.codes.keys())

    def of(self, who: Learner, verdict: Verdict) -> AnswerCode | None:
        """Return the answer that a verdict is on; None if it is no longer where it was graded."""
        result = who.result_behind(verdict)
        return self.codes.get(_key(result)) if result else None

    def shortest(self, answers: Iterable[tuple[Learner, Verdict]]) -> AnswerCode | None:
        """Return, of answers that compute the same, the one with the shortest code; None if none is where it was graded."""
        codes = filter(None, (self.of(*answer) for answer in answers))
        return min(codes, key=lambda answer: len(answer.code), default=None)

    def compared(self) -> dict[str, list[Member]]:
        """Return the answers that count and are long enough to be compared, by their exercises."""
        long_keys = {key for key, answer in self.codes.items() if answer.statements >= FEWEST}
        pairs = ((who, key) for who in self.everyone for key in map(_key, who.counting_results.values()))
        return group_by((pair for pair in pairs if pair[1] in long_keys), lambda pair: pair[1][1])

    def similar_answers(self) -> list[SimilarAnswers]:
        """Return answers that count of several learners and are alike: those first that are the least likely to be."""
        by_exercise, groups = self.compared(), []
        for name in (name for name in all_exercises() if name in by_exercise):
            members, solutions = by_exercise[name], _course_solutions(name)
            answers = [self.codes[key] for _, key in members]
            compared = [a.compared.without([s.compared for s in solutions]) for a in answers]
            groups += [
                self._similar_answers(all_exercises()[name], [members[i] for i in group], bits)
                for group, bits in similar_groups(compared, [a.renamed for a in answers])
            ]
        return sorted(groups, key=lambda g: (-g.bits, len(g.learners) > RARE, -g.answers[0].statements))

    def _similar_answers(self, exercise: Exercise, members: Sequence[Member], bits: float) -> SimilarAnswers:
        answers = [self.codes[key] for _, key in members]
        common = {
            "the same file": {key[0] for _, key in members},
            "the same code": {answer.tree for answer in answers},
            "the same but for names": {answer.renamed for answer in answers},
        }
        what = next((words for words, digests in common.items() if len(digests) == 1), NEAR)
        if answers[0].renamed in {answer.renamed for answer in _course_solutions(exercise.name)}:
            what += ", and the course's own solution"
        return SimilarAnswers(exercise, tuple(who for who, _ in members), what, tuple(answers), bits)

    def write_to(self, folder: Path) -> int:
        """Write the answers that count for JPlag, Dolos and others; gives how many.

        Each is `EXERCISE/LEARNER.py`; the course's own solutions lie in `given/EXERCISE`.
        """
        number = 0
        for who in self.everyone:
            name = f"{re.sub(r'[^A-Za-z0-9_-]+', '-', who.name).strip('-')}-{who.page[-13:-5]}.py"
            for mark in who.marks:
                if answer := self.of(who, mark):
                    _write(folder / mark.exercise / name, answer.code)
                    number += 1
        for exercise in {path.name for path in folder.iterdir() if path.name in all_exercises()}:
            for i, solution in enumerate(_course_solutions(exercise)):
                _write(folder / "given" / exercise / f"{i}.py", solution.code)
        return number


def _write(path: Path, code: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{code}\n", encoding="utf-8", errors="replace")


def _key(result: ExerciseResult) -> Key:
    return result.digest, result.verdict.exercise, result.verdict.framework


@cache
def _course_solutions(name: str) -> list[AnswerCode]:
    exercise = all_exercises()[name]
    paths = {f: ROOT / "solutions" / exercise.topic / f"in_{f}.py" for f in graded_frameworks()}
    read = {f: read_bytes(path.read_bytes(), path.name) for f, path in paths.items() if path.is_file()}
    answers = [_answer(submission.definitions, exercise.entry, f) for f, submission in read.items()]
    return [answer for answer in answers if answer]


def _read(keys: Iterable[Key], folders: Iterable[Path], megabytes: float) -> dict[Key, AnswerCode]:
    """Return the answers with these keys, wherever below these places their files lie now."""
    keys_by_digest = group_by(keys, lambda key: key[0])
    codes: dict[Key, AnswerCode] = {}
    for file in [file for folder in folders if folder.exists() for file in find(folder)[0]]:
        try:
            data = file.read(megabytes)
            file_keys = keys_by_digest.pop(digest_of(data, file.name), [])
            definitions = read_bytes(data, file.name, megabytes).definitions if file_keys else None
        except (Unreadable, ReaderKilled):
            continue
        for key in file_keys:
            if definitions and (answer := _answer(definitions, all_exercises()[key[1]].entry, key[2])):
                codes[key] = answer
    return codes


def _answer(definitions: Definitions, entry: str, framework: str) -> AnswerCode | None:
    parts = list(dict.fromkeys(_source_of(d) for d in _needed(definitions, entry, framework)))
    return _answer_of("\n\n".join(parts)) if parts else None


# Of a class, many answers are the same.
@lru_cache(maxsize=4096)
def _answer_of(code: str) -> AnswerCode:
    try:
        tree, statements = _without_docstrings(code)
        plain, renamed = digest(tree), digest(NameNumbering(tree).visit(tree))
        compared = statements_of(_without_docstrings(code)[0])
    except RecursionError:
        plain, renamed, statements, compared = "", "", 0, Statements()
    return AnswerCode(code, plain, renamed, statements, compared)


def _needed(definitions: Definitions, entry: str, framework: str) -> list[Definition]:
    """Return what an answer consists of, in order: its definition, and those of the names in it."""
    parts: dict[tuple[int, tuple[int, int] | None, str], Definition] = {}
    waiting, reached = [entry], {entry}
    while waiting:
        for definition in definitions.for_framework(waiting.pop(), framework):
            is_given = not definition.mistake and definition.lines is None
            key = (definition.cell.number, definition.lines, definition.mistake)
            is_new = len(parts) < MAX_PARTS and key not in parts
            if is_new and (not is_given or entry in definition.names):
                parts[key] = definition
                # All names in it, and in what else stands in its lines.
                statements = _by_lines(definition.cell).get(definition.lines or (0, 0), [])
                names = {n.id for s in statements for n in ast.walk(s) if isinstance(n, ast.Name)} - reached
                reached |= names
                waiting += sorted(names)
    return sorted(parts.values(), key=lambda d: (d.cell.number, d.lines or ()))


@lru_cache(maxsize=64)
def _by_lines(cell: Cell) -> dict[tuple[int, int], list[ast.stmt]]:
    """Return the statements of a cell by their first and last lines: a line may hold tens of thousands."""
    return group_by(cell.statements, lines_of)


def _source_of(definition: Definition) -> str:
    """Return its source; that of its whole cell if it is no statement of its own."""
    if definition.lines is None:
        return (definition.mistake or definition.cell.source).strip("\n")
    first, last = definition.lines
    return "\n".join(definition.cell.lines[first - 1 : last])


def _without_docstrings(code: str) -> tuple[ast.Module, int]:
    """Return the syntax tree of a source without docstrings, and how many statements it has."""
    with warnings.catch_warnings(action="ignore"):  # Python's, on the teacher's terminal
        # What `parse` gives is remembered, and this is changed.
        module = ast.parse(code if parse(code) else "")
    count = 0
    for node in ast.walk(module):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [s for s in body if not is_docstring(s)]  # type: ignore[attr-defined]
            count += len(node.body)  # type: ignore[attr-defined]
    return module, count
