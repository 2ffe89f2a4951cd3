"""Files of the course among what is handed in: its solutions and its chapters are no answers of a learner."""

import ast
import zlib
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath

from autograder.frameworks import graded_frameworks, title_of
from autograder.model.paths import BOOK, FOLDERS, ROOT
from autograder.model.teachers_exercises import GIVEN_OUT, folders
from autograder.read.flags import with_what_a_chapter_shows
from autograder.read.submission import Submission
from autograder.read.syntax import dumped, is_stub, parse

# These are there to be graded.
SAMPLES = ROOT / "tests" / "sample_class"
IMPORTS = (ast.Import, ast.ImportFrom)
# Of nodes of syntax in all: so much is not the same by chance.
MIN_NODES = 125
NOT_AN_ANSWER = "is a file of the course, with its solutions: it does not count as an answer."


def course_files() -> frozenset[tuple[int, int]]:
    """Return size and CRC-32 of each file of the course and of exercises of one's own, with the line ends of each system."""
    return _files_with(tuple(folders()))


@cache
def _files_with(teachers_folders: tuple[Path, ...]) -> frozenset[tuple[int, int]]:
    paths = [p for name in FOLDERS for p in (ROOT / name).rglob("*.py") if SAMPLES not in p.parents]
    paths += [p for folder in teachers_folders for p in folder.glob("*.py")]
    checksums = set()
    for path in [*paths, *(BOOK / "chapters").glob("*.ipynb")]:
        data = path.read_bytes()
        for text in (data, data.replace(b"\n", b"\r\n")):
            checksums.add((len(text), zlib.crc32(text)))
    return frozenset(checksums - {(0, 0)})


def without_course_files(submission: Submission) -> Submission:
    """Return the submission, with a problem in place of its cells if it is a file of the course."""
    if not is_of_the_course(submission):
        return submission
    return replace(submission, cells=(), problem=f"{submission.name} {NOT_AN_ANSWER}")


def is_of_the_course(submission: Submission) -> bool:
    """Return whether a submission is a file of the course, if not to the letter.

    So is a chapter in which every answer is the course's, such as one that was run, and at its own place what is so
    for the most part, such as an older solution. A learner's copy, which `start` made, and a file that a learner has
    put together are the learner's own. What a chapter gives its readers is nobody's answer, and so is what `start`
    gives out of a class's own exercises, if the teacher has changed it since.
    """
    path = PurePosixPath(submission.name)
    if path.suffix.lower() == ".py" and GIVEN_OUT in path.parts[1:-1]:
        return True
    if any(cell.is_of_chapter for cell in submission.cells):
        return False
    at_its_place = submission.name.endswith(tuple(_course_paths()))
    if not at_its_place and not _may_be_a_chapter(submission):
        return False
    return _repeats_the_course(submission, at_its_place)


def _repeats_the_course(submission: Submission, at_its_place: bool) -> bool:
    """Return whether the answers are the course's: all of them, or at the place of a file of its own the most."""
    statements = [pair for cell in submission.cells for pair in with_what_a_chapter_shows(cell)]
    solution_names = {*_solution_definitions().values()}
    defined = [s for s, is_chapters in statements if not is_chapters and _name(s) in solution_names]
    same = [s for s in defined if dumped(s) in _solution_definitions()]
    if at_its_place:
        return 2 * len(same) > len(defined)
    of_chapter = [s for s, is_chapters in statements if is_chapters and not isinstance(s, IMPORTS)]
    is_all = len(same) == sum(not is_stub(s) for s in defined)
    return (
        len(of_chapter) > len(defined) and is_all and sum(1 for s in same for _ in ast.walk(s)) >= MIN_NODES
    )


def _may_be_a_chapter(submission: Submission) -> bool:
    """Return whether it is a notebook of which no cell begins with its framework's name, as in the copies that `start` makes."""
    titles = {f"# {title_of(name)}" for name in graded_frameworks()}
    has_title = any(titles & {*cell.lines[:2]} for cell in submission.cells)
    return submission.in_notebook and not has_title


@cache
def _course_paths() -> list[str]:
    """Return the ends of the paths at which the course has its solutions and chapters."""
    solutions = [f"solutions/{p.parent.name}/{p.name}" for p in (ROOT / "solutions").glob("*/*.py")]
    topics = {path.split("/")[1] for path in solutions}
    return [*solutions, *(f"chapters/{topic}.ipynb" for topic in topics)]


@cache
def _solution_definitions() -> dict[str, str]:
    """Return the name of each function and class of the solutions, by its syntax."""
    paths = [p for p in (ROOT / "solutions").glob("*/*.py") if p.name != "in_numpy.py"]
    statements = [s for p in paths for s in parse(p.read_text(encoding="utf-8")) or []]
    return {dumped(s): _name(s) for s in statements if _name(s)}


def _name(statement: ast.stmt) -> str:
    return statement.name if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) else ""
