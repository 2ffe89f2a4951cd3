"""The command line: its commands are in the modules beside this one."""

import logging
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from autograder.cli.groups import CommandLine
from autograder.cli.output import stderr
from autograder.frameworks import graded_frameworks
from autograder.grade.log import to_standard_error
from autograder.marks.corrections import person_tables
from autograder.marks.gradebook import Gradebook
from autograder.marks.unfinished import line_of, nothing_in, unfinished
from autograder.model.assignment import Assignment
from autograder.model.catalogue import all_exercises, use_folder
from autograder.model.errors import AutograderError, Interrupted, UsageError
from autograder.model.exercise import Exercise
from autograder.model.learner_files import as_usage_error, take_notes
from autograder.model.paths import ROOT, checkout, other_checkout
from autograder.model.teachers_exercises import folders
from autograder.model.text import clean, clean_lines, did_you_mean, listed
from autograder.model.version import version_text
from autograder.read.assignments import changed_since, exercises_folder, read_assignment


class Commands(TyperGroup):
    """Tells errors as a sentence on standard error, with their exit status; keeps what was typed as `words`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta["words"] = [*ctx.command_path.split(), *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except AutograderError as error:
            stderr.print(clean_lines(error), style="red", soft_wrap=True)
            raise typer.Exit(error.exit_status) from error
        finally:
            warn(*take_notes())


app = CommandLine(
    cls=Commands, no_args_is_help=True, add_completion=False, help="Exercises on attention, and their grader."
)


def _say_version(requested: bool) -> None:
    if requested:
        # Which of several checkouts is imported: an editable install names one, wherever it is called.
        folder = f" in {ROOT}" if checkout() == ROOT else ""
        sys.stdout.write(f"attention {version_text()}{folder}\n")
        _say_which_checkout()
        raise typer.Exit


def _say_which_checkout() -> None:
    """Say in a line that another checkout is at work than the one in the current folder, as in a copy of a folder."""
    if here := other_checkout():
        warn(
            f"This is the course in {ROOT}, and not that in {here}: to set that up, type `make grade` there."
        )


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_say_version,
            is_eager=True,
            help="Show the version, the commit and the folder.",
        ),
    ] = False,
    verbose: Annotated[bool, "Write a log of what grading does to standard error."] = False,
) -> None:
    to_standard_error(logging.INFO if verbose else logging.NOTSET)
    _say_which_checkout()


ExerciseNames = Annotated[list[str] | None, "Only this exercise; may be repeated."]
AssignmentFile = Annotated[Path | None, "The assignment's file, as `attention assignment new` makes it."]
InFramework = Annotated[str | None, f"{' or '.join(graded_frameworks())}; detected from the code by default."]
# Where `grade` keeps the results of a folder.
GRADEBOOK = Path("gradebook.sqlite")
GONE_EXERCISES = (
    "{} was graded with your exercises in {}, and this folder is not there: name the folder in which they are now, "
    "with --exercises FOLDER. `grade` remembers it."
)
Practice = Annotated[bool, "Grade even if the full lock is not available; marks are then not official."]


def _use(folder: Path | None) -> Path | None:
    if folder is not None:
        use_folder(folder)
    return folder


# Exercises of a teacher's own; they are there as soon as the option is read, so that no command looks at it.
TeachersExercises = Annotated[
    Path | None,
    typer.Option(
        "--exercises",
        callback=_use,
        is_eager=True,
        help="A folder with exercises of your own, besides the course's; a gradebook remembers the one of its last `grade`.",
    ),
]


@dataclass(frozen=True)
class ExerciseOptions:
    """Options that say what is graded: exercises by name, or an assignment's file."""

    exercise: ExerciseNames = None
    assignment: AssignmentFile = None
    teachers_exercises: TeachersExercises = None

    def read(self, framework: str | None = None) -> Assignment:
        """Return the assignment of the file, or these exercises as one. Raises UsageError where both are said."""
        if self.assignment is None:
            return Assignment.of(e.name for e in selected_exercises(self.exercise, framework))
        if self.exercise or framework:
            raise UsageError(f"Leave out --exercise and --framework: {self.assignment} says them.")
        use_exercises_in(self.assignment)
        return read_assignment(self.assignment)


def use_exercises_in(file: Path | None) -> None:
    """Take in the folder of one's own exercises that an assignment's file names, unless one is named, and say so: its files run."""
    folder = exercises_folder(file) if file and not folders() else None
    if folder is not None:
        stderr.print(f"Your exercises are those in {folder.resolve()}, as {file} says.", soft_wrap=True)
        use_folder(folder)


def use_exercises_of(book: Gradebook) -> None:
    """Take in the folder of one's own exercises that a gradebook remembers, unless one is named, and say so: its files run.

    Raises UsageError if it has moved.
    """
    for folder in [] if folders() else book.own_exercises():
        if not folder.is_dir():
            raise UsageError(GONE_EXERCISES.format(book.path, folder))
        stderr.print(f"Your exercises are those in {folder}, as {book.path} remembers.", soft_wrap=True)
        use_folder(folder)


def teachers_folder() -> Path | None:
    """Return the folder of one's own exercises. Raises UsageError if there are several."""
    if len(teachers_folders := folders()) > 1:
        raise UsageError(
            f"Put your exercises into one folder: they are in {' and in '.join(map(str, teachers_folders))}."
        )
    return teachers_folders[0] if teachers_folders else None


def selected_exercises(exercises: list[str] | None, framework: str | None = None) -> list[Exercise]:
    """Return the exercises of these names, all if there are none. Raises UsageError for an unknown name."""
    catalogue = all_exercises()
    for name in (name for name in exercises or [] if name not in catalogue):
        if of_topic := [e.name for e in catalogue.values() if e.topic == name]:
            raise UsageError(f"{name!r} is a topic; its exercises are {', '.join(of_topic)}.")
        nearest = did_you_mean(name, [*catalogue])
        raise UsageError(f"There is no exercise {name!r}.{nearest} `attention exercises` lists them.")
    if framework is not None and framework not in graded_frameworks():
        raise UsageError(f"There is no framework {framework!r}: use {listed(graded_frameworks(), 'or')}.")
    return [catalogue[name] for name in exercises or catalogue]


def refuse_handed_in(paths: Iterable[Path], *files: Path | None) -> None:
    """Refuse, with UsageError, what decides marks and lies below what is graded: a learner may have put it there.

    files: a gradebook, with what lies beside it, an assignment's file, or a folder of one's own exercises.
    """
    beside = [table for path in files if path for table in person_tables(path)]
    for folder in (path.resolve() for path in paths):
        for path in filter(None, (*files, *beside)):
            if folder in path.resolve().parents or folder in (path.parent.resolve() / path.name).parents:
                raise UsageError(
                    f"{path} {'lies' if path.exists() else 'would lie'} among what was handed in, below {folder}, where "
                    "a learner can put such a file too. Keep yours in another folder, and name it there (--gradebook, "
                    "--assignment or --exercises)."
                )


@dataclass(frozen=True)
class GradebookOptions:
    """What a command is told of the gradebook that it reads."""

    gradebook: Annotated[Path, typer.Argument(help="The file that `grade` wrote.")] = GRADEBOOK
    exercise: ExerciseNames = None
    teachers_exercises: TeachersExercises = None

    @contextmanager
    def opened(self) -> Iterator[Gradebook]:
        """Open the gradebook, which must be there, with these exercises; say if the assignment's file has changed since.

        If a run has not finished, says so at the end, and the exit status is 1: it may go on meanwhile, or begin.
        """
        if not self.gradebook.exists():
            raise UsageError(f"There is no gradebook {self.gradebook}: `attention grade FOLDER` makes one.")
        with closing(Gradebook(self.gradebook)) as book:
            refuse_handed_in(book.folders(), self.gradebook)
            use_exercises_of(book)
            if self.exercise:
                book.only = tuple(e.name for e in selected_exercises(self.exercise))
            else:
                assignment_in(book, self.gradebook)
            before = unfinished(book)
            try:
                yield book
            finally:
                sentences = nothing_in(book) or before or unfinished(book)
                warn(*sentences)
            if sentences:
                raise typer.Exit(1)


def assignment_in(book: Gradebook, gradebook: Path) -> Assignment:
    """Return what a gradebook was graded with; say on standard error if its file has changed since, and what to type.

    Raises UsageError for an exercise that is not known here.
    """
    assignment = book.assignment()
    gone = [name for name in assignment.exercises if name not in all_exercises()]
    if gone and assignment.is_selection:
        raise UsageError(
            f"{gradebook} was graded with the exercise {gone[0]!r}, which is not known here: name the folder that has it "
            "with --exercises, or grade again without it."
        )
    if changed := changed_since(assignment):
        folders = [*map(str, book.folders())] or ["FOLDER"]
        lines = [line_of(book, folder, assignment.file) for folder in folders]
        warn(
            f"{assignment.file} has changed since this was graded ({changed}), and what is new does not count yet. "
            f"Grade again: {'; '.join(lines)}"
        )
    return assignment


@contextmanager
def on_ctrl_c(act: Callable[[], object]) -> Iterator[None]:
    """Call `act` on Ctrl-C. A second one ends the process at once, whatever catches the first."""

    def stop(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        act()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is stop:
            signal.signal(signal.SIGINT, before)


class CtrlC(BaseException):
    """Ctrl-C. A KeyboardInterrupt would count as an error of a learner's statement, and the next one would run."""


@contextmanager
def interruptible(sentence: str) -> Iterator[None]:
    """Raise Interrupted with a sentence on Ctrl-C."""

    def stop() -> NoReturn:
        raise CtrlC

    try:
        with on_ctrl_c(stop):
            yield
    except CtrlC:
        raise Interrupted(sentence) from None


def write_text(text: str, to: Path | None) -> None:
    """Write to a file, or to standard output. Raises UsageError where that cannot be done."""
    if to is None:
        sys.stdout.write(text)
        return
    with as_usage_error(to, "written"):
        to.write_text(text, encoding="utf-8", newline="")


def warn(*sentences: str) -> None:
    """Say what a teacher should know besides, on standard error: in lines that can be copied as they are."""
    for words in sentences:
        stderr.print(clean(words), style="yellow", soft_wrap=True)
