"""What a run has found and not finished: no mark that rests on it is a result.

A run may have been stopped, or may still be going on in another terminal.
"""

import shlex
from pathlib import Path

from autograder.marks.gradebook import Gradebook, Waiting
from autograder.model.grouping import group_by
from autograder.model.results import identity, learner_of
from autograder.model.text import counted

STOPPED = "the run was stopped, or is still going on"
TRIED = (
    "it was tried, and the learner's page says why it was not finished",
    "they were tried, and the learners' pages say why they were not finished",
)
NOTHING = "{} holds no result yet. To grade, type: attention grade FOLDER --gradebook {}"


def unfinished(book: Gradebook) -> tuple[str, ...]:
    """Return what a teacher must know of files that are not graded: how many, whose, and what to type, as sentences."""
    by_folder = group_by(book.waiting(), lambda file: (file.folder, file.is_tried))
    return tuple(_sentence(book, *key, files) for key, files in sorted(by_folder.items()))


def nothing_in(book: Gradebook) -> tuple[str, ...]:
    """Return that a gradebook holds nothing at all, as a sentence, if it does: a run was stopped before it found a file."""
    path = shlex.quote(str(book.path))
    return () if book.files() else (NOTHING.format(book.path, path),)


def _sentence(book: Gradebook, folder: str, tried: bool, files: list[Waiting]) -> str:
    learners = {identity(learner_of(file.name)) for file in files}
    many = f"{counted(len(files), 'file')} of {counted(len(learners), 'learner')}"
    are = "is" if len(files) == 1 else "are"
    why = TRIED[len(files) > 1] if tried else STOPPED
    return f"{many} {are} not graded yet: {why}. What was graded is kept. To go on, type: {line_of(book, folder)}"


def line_of(book: Gradebook, submissions: str, file: str = "") -> str:
    """Return the command that grades a folder of a gradebook again, as it was typed. file: the assignment's, to be named."""
    command = book.command(submissions)
    words = command.get("words") or ["attention", "grade", submissions, "--gradebook", str(book.path)]
    if file and not any(word.startswith("--assignment") for word in words):
        words += ["--assignment", file]
    folder = command.get("folder", "")
    prefix = f"cd {shlex.quote(folder)} && " if folder and Path(folder) != Path.cwd() else ""
    return prefix + shlex.join(words)
