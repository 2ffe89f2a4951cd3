"""Files of the course among what is handed in: its solutions and its chapters are no answers of a learner."""

import ast
import zlib
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath

from autograder.frameworks import graded, title_of
from autograder.model.own_exercises import GIVEN_OUT, folders
from autograder.read.flags import with_what_a_chapter_shows
from autograder.read.submission import Submission, is_notebook
from autograder.read.syntax import is_stub, parse
from course.paths import BOOK, ROOT

PACKAGES = ("autograder", "benchmarks", "course", "exercises", "solutions", "tests", "tools", "_ext")
# These are there to be graded.
SAMPLES = ROOT / "tests" / "sample_class"
# Of code in all, without signatures and docstrings: so much is not the same by chance.
MIN_CODE = 300
NOT_AN_ANSWER = "is a file of the course, with its solutions: it does not count as an answer."


def course_files() -> frozenset[tuple[int, int]]:
    """Size and CRC-32 of each file of the course and of exercises of one's own, with the line ends of each system."""
    return _files_with(tuple(folders()))


@cache
def _files_with(own: tuple[Path, ...]) -> frozenset[tuple[int, int]]:
    paths = [p for package in PACKAGES for p in (ROOT / package).rglob("*.py") if SAMPLES not in p.parents]
    paths += [p for folder in own for p in folder.glob("*.py")]
    found = set()
    for path in [*paths, *(BOOK / "chapters").glob("*.ipynb")]:
        data = path.read_bytes()
        for text in (data, data.replace(b"\n", b"\r\n")):
            found.add((len(text), zlib.crc32(text)))
    return frozenset(found - {(0, 0)})


def without_course_files(submission: Submission) -> Submission:
    """The submission, with a problem in place of its cells if it is a file of the course."""
    if not is_of_the_course(submission):
        return submission
    return replace(submission, cells=(), problem=f"{submission.name} {NOT_AN_ANSWER}")


def is_of_the_course(submission: Submission) -> bool:
    """Whether a submission is a file of the course, if not to the letter.

    So is a chapter in which every answer is the course's, such as one that was run, and at its own place what is so
    for the most part, such as an older solution. A learner's copy, which `start` made, and a file that a learner has
    put together are the learner's own. What a chapter gives its readers is nobody's answer, and so is what `start`
    gives out of a class's own exercises, if the teacher has changed it since.
    """
    place = PurePosixPath(submission.name)
    if place.suffix.lower() == ".py" and GIVEN_OUT in place.parts[1:-1]:
        return True
    if any(cell.given for cell in submission.cells):
        return False
    at_its_place = submission.name.endswith(tuple(_places()))
    if not at_its_place and not _may_be_a_chapter(submission):
        return False
    shown = [(s, given) for cell in submission.cells for s, given in with_what_a_chapter_shows(cell)]
    defined = [s for s, given in shown if not given and _name(s) in _solution_definitions()]
    same = [s for s in defined if ast.dump(s) in _solution_definitions()[_name(s)]]
    if at_its_place:
        return 2 * len(same) > len(defined)
    given = sum(given and not isinstance(s, ast.Import | ast.ImportFrom) for s, given in shown)
    is_all = len(same) == sum(not is_stub(s) for s in defined)
    return given > len(defined) and is_all and _characters(same) >= MIN_CODE


def _may_be_a_chapter(submission: Submission) -> bool:
    """Whether it is a notebook of which no cell begins with its framework's name, as in the copies that `start` makes."""
    titles = {f"# {title_of(name)}" for name in graded()}
    named = any(titles & {*cell.lines[:2]} for cell in submission.cells)
    return is_notebook(submission.name) and not named


@cache
def _places() -> list[str]:
    """The ends of the paths at which the course has its solutions and chapters."""
    solutions = [f"solutions/{p.parent.name}/{p.name}" for p in (ROOT / "solutions").glob("*/*.py")]
    topics = {place.split("/")[1] for place in solutions}
    return [*solutions, *(f"chapters/{topic}.ipynb" for topic in topics)]


@cache
def _solution_definitions() -> dict[str, set[str]]:
    """Each function and class of the solutions, by name, as syntax."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "solutions").glob("*/*.py"):
        if path.name != "in_numpy.py":
            for statement in parse(path.read_text(encoding="utf-8")) or []:
                if name := _name(statement):
                    found.setdefault(name, set()).add(ast.dump(statement))
    return found


def _name(statement: ast.stmt) -> str:
    return statement.name if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) else ""


def _characters(statements: Iterable[ast.stmt]) -> int:
    """How much code is below definitions, without signatures and docstrings."""
    return sum(len(ast.unparse(_code(statement))) for statement in statements)


def _code(statement: ast.stmt) -> ast.Module:
    """The statements below a definition, without signatures and docstrings."""
    body: list[ast.stmt] = []
    for inner in getattr(statement, "body", []):
        if isinstance(inner, ast.FunctionDef):
            body += _code(inner).body
        elif not (isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant)):
            body.append(inner)
    return ast.Module(body, [])
