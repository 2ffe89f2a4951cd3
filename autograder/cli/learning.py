"""Commands for learners: `start` and `check`."""

from pathlib import Path
from typing import Annotated

import typer

from autograder.checking.notebook_folder import load_exercises_beside
from autograder.checking.whole_file import check_file
from autograder.cli.app import (
    AssignmentFile,
    ExerciseNames,
    ExerciseOptions,
    InFramework,
    TeachersExercises,
    app,
    interruptible,
    selected_exercises,
    teachers_folder,
    warn,
)
from autograder.cli.output import console
from autograder.copies.for_assignment import topics_of
from autograder.copies.start import start as start_copies
from autograder.frameworks import graded_frameworks, only_installed_framework, title_of
from autograder.marks.check_versions import teachers_files
from autograder.model.assignment import Assignment
from autograder.model.catalogue import teachers_topics
from autograder.model.errors import UsageError
from autograder.model.teachers_exercises import GIVEN_OUT

BOTH = "both"
NOT_HIDDEN = (
    "{folder} is what check needs for your own exercises: their references and wrong ideas are in it, and whoever "
    "opens it can read them. Without it check does not know these exercises; grade does."
)
# In which framework copies are made.
Only = Annotated[str | None, f"{', '.join(graded_frameworks())} or {BOTH}; {BOTH}, if all are installed."]


@app.command()
def start(
    folder: Annotated[Path, typer.Argument(help="Where the copies go.")] = Path("learn"),
    framework: Only = None,
    assignment: AssignmentFile = None,
    only_exercises: Annotated[bool, "The assignment's exercises, without the chapters' text."] = False,
    teachers_exercises: TeachersExercises = None,
) -> None:
    """Make a learner's copies of the chapters. Existing files are never overwritten.

    The exit status is 0 if all copies are as requested, 1 if some existed already and were made for other
    exercises, points or frameworks (each is named on standard error), and 2 if nothing was made.
    """
    if only_exercises and assignment is None:
        raise UsageError(
            "Say which exercises with --assignment FILE: --only-exercises leaves out the text around them."
        )
    rules = ExerciseOptions(assignment=assignment).read() if assignment else None
    if make_copies(folder, framework, rules, only_exercises):
        raise typer.Exit(1)


def make_copies(
    folder: Path,
    framework: str | None = None,
    assignment: Assignment | None = None,
    only_exercises: bool = False,
) -> list[str]:
    """Make the copies, and say which. Raises UsageError where they cannot be written.

    Gives for each that was there already, and was made for something else, how it differs.
    """
    if framework not in (*graded_frameworks(), BOTH, None):
        raise UsageError(
            f"There is no framework {framework!r}: use one of {', '.join((*graded_frameworks(), BOTH))}."
        )
    only = None if framework == BOTH else framework or only_installed_framework()
    if assignment is not None and len(assignment.frameworks) == 1:
        if framework not in (*assignment.frameworks, None):
            raise UsageError(
                f"The assignment is in {title_of(assignment.frameworks[0])}: leave out --framework."
            )
        only = framework = assignment.frameworks[0]
    teachers_folder()  # two may not hold files of one name
    topics = topics_of(assignment) if assignment else teachers_topics()
    files = teachers_files(topic for topic in teachers_topics() if topic in topics)
    try:
        copies, older = start_copies(folder, only, assignment, only_exercises, files)
    except OSError as error:
        raise UsageError(f"The copies cannot be written to {folder}: {error.strerror}.") from error
    if only and not framework:
        console.print(f"Only {title_of(only)} is installed here: the copies are for {title_of(only)}.")
    for path in copies:
        console.print(f"made {path}")
    if older:
        console.print(f"{len(older)} files were there already and stay as they are.")
    if files:
        warn(NOT_HIDDEN.format(folder=folder / GIVEN_OUT))
    differences = [f"{path.name} was made otherwise: {words}." for path, words in older.items() if words]
    if differences:
        them = "it" if len(differences) == 1 else "them"
        warn(*differences, f"Move {them} away, or name a new folder, and run the command again.")
    return differences


@app.command()
def check(
    file: Annotated[Path, "A notebook or a Python file."],
    exercise: ExerciseNames = None,
    framework: InFramework = None,
    teachers_exercises: TeachersExercises = None,
) -> None:
    """Check your own file, here and now: it runs as it is, without the lock.

    The exit status is 0 if every answer is accepted, and 1 if not.
    """
    load_exercises_beside(file.parent)
    exercises = selected_exercises(exercise, framework)
    with interruptible(f"Stopped before {file} was checked: is there a loop that never ends?"):
        verdicts = check_file(file, exercises, framework, by_name=bool(exercise))
    for verdict in verdicts:
        console.print(str(verdict), soft_wrap=True)
    if any(verdict.outcome != "accepted" for verdict in verdicts):
        raise typer.Exit(1)
