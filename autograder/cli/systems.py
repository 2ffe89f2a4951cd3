"""Commands for systems that grade what comes in: `package`, and what runs there, `gradescope` and `classroom`."""

import json
import os
import sys
from collections.abc import Sequence
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli import package as packages
from autograder.cli.app import (
    GRADEBOOK,
    ExerciseOptions,
    Practice,
    app,
    refuse_handed_in,
    teachers_folder,
    write_text,
)
from autograder.cli.output import console, stderr
from autograder.grade.run import GradeOptions, run_all
from autograder.marks.exports import classroom as classroom_words
from autograder.marks.exports import gradescope as gradescope_json
from autograder.marks.exports import plain
from autograder.marks.gradebook import Gradebook
from autograder.marks.report import write_pages
from autograder.marks.standing import Learner, one_learner
from autograder.model.assignment import EVERY_ANSWER, TimeLimits
from autograder.model.errors import AutograderError, UsageError
from autograder.model.learner_files import as_usage_error
from autograder.model.results import SubmissionResult
from autograder.model.teachers_exercises import folders
from autograder.read.learners import Layout

NOTHING = "No notebook and no Python file was handed in."
COURSE = "OWNER/COURSE"
# Gradescope's own limits: what it allows if nobody says otherwise, and at most.
MINUTES, MOST_MINUTES = 10, 40
# The grader and both frameworks take 0.3 to 0.4 GB, measured; the rest is for what an answer needs.
MEMORY = "1.5 GB"
# GitHub's names for where a summary goes, and for the percentage of all points.
SUMMARY, FULL_MARKS = "GITHUB_STEP_SUMMARY", 100.0

System = StrEnum("System", ["gradescope", "classroom"])
NEXT = {
    System.gradescope: """\
Zip the contents of {folder} and upload the archive as the autograder.
In the assignment's settings at Gradescope choose Ubuntu 22.04, at least {memory} of memory, and a time limit of {minutes} \
minutes. Python 3.11 to 3.14 is brought along where the image has none.""",
    System.classroom: """\
What lies in {folder}/assignment goes into the assignment's template repository,
and what lies in {folder}/grader into {grader}, which learners cannot change.
The first lines of attention.yml say what private repositories need, and what this keeps.""",
}

PassesAt = Annotated[
    float,
    typer.Option(
        help="Percentage of the points below which GitHub Classroom's job fails; 0 for never.", min=0, max=100
    ),
]


@app.command()
def package(
    system: Annotated[System, "Where it will run."],
    folder: Annotated[Path, "Where the files go."],
    *,
    course: Annotated[str, "The course's repository (GitHub Classroom)."] = COURSE,
    grader: Annotated[
        str | None, "The repository of the workflow that grades; the course's (GitHub Classroom)."
    ] = None,
    passes_at: PassesAt = FULL_MARKS,
    minutes: Annotated[
        int, typer.Option(help="The assignment's time limit (Gradescope).", min=1, max=MOST_MINUTES)
    ] = MINUTES,
    selection: ExerciseOptions,
    practice: Practice = False,
) -> None:
    """Make a Gradescope autograder's folder, or the workflows for GitHub Classroom."""
    if not (selection.exercise or selection.assignment):
        raise UsageError(
            "Name the assignment with --exercise or --assignment: its points are the same for everybody."
        )
    exercises = selection.read().exercises
    words = [] if selection.assignment else [word for name in exercises for word in ("--exercise", name)]
    extra_paths = zip(packages.EXTRAS, (teachers_folder(), selection.assignment), strict=True)
    extras = {name: path for name, path in extra_paths if path}
    options = words + ["--practice"] * practice
    with as_usage_error(folder, "written"):
        if system is System.gradescope:
            is_used = folder.is_dir() and any(folder.iterdir()) and not (folder / "run_autograder").exists()
            if is_used:
                raise UsageError(
                    f"{folder} holds other files, which would be uploaded too: name a new folder."
                )
            files = packages.gradescope(folder, options, extras, minutes, MEMORY)
        else:
            options += ["--passes-at", f"{passes_at:g}"]
            files = packages.classroom(folder, options, extras, course, grader or course)
    for path in files:
        console.print(f"made {path}")
    console.print(NEXT[system].format(folder=folder, memory=MEMORY, minutes=minutes, grader=grader or course))
    if system is System.classroom and course == COURSE:
        console.print(f"Say --course OWNER/NAME, or put the course's repository there for {COURSE}.")


@app.command()
def gradescope(
    submission: Annotated[Path, "The folder that Gradescope puts the submission in."],
    results: Annotated[Path, "The results.json to write."],
    *,
    selection: ExerciseOptions,
    practice: Practice = False,
) -> None:
    """Grade one learner's folder and write results.json, on failure too."""
    assignment = selection.read()
    options = GradeOptions(assignment, None, TimeLimits.of(assignment.limits), practice, processes=1)
    try:
        graded = run_all(submission, None, options, lambda done, total: None)
        problem = "" if graded else NOTHING
        report = gradescope_json.gradescope(one_learner(graded, assignment), problem, practice)
    except Exception as error:  # without results.json a learner sees nothing at all
        problem = f"The submission could not be graded; this is not its fault. {error}"
        report = gradescope_json.gradescope(one_learner([], EVERY_ANSWER), problem, practice)
    write_text(report, results)


@app.command()
def classroom(
    submission: Annotated[Path, "The folder that holds the learner's repository."],
    folder: Annotated[Path, "Where the gradebook, the pages and marks.csv go."],
    *,
    passes_at: PassesAt = FULL_MARKS,
    selection: ExerciseOptions,
    practice: Practice = False,
) -> None:
    """Grade a learner's repository in a job of GitHub Actions, and report the points to GitHub Classroom.

    The exit status is 1 if there are fewer points than --passes-at asks for.
    """
    refuse_handed_in([submission], folder / GRADEBOOK, selection.assignment, *folders())
    assignment = selection.read()
    options = GradeOptions(assignment, None, TimeLimits.of(assignment.limits), practice, layout=Layout.github)
    try:
        with as_usage_error(folder, "written"):
            folder.mkdir(parents=True, exist_ok=True)
            results = run_all(submission, folder / GRADEBOOK, options, lambda done, total: None)
            with closing(Gradebook(folder / GRADEBOOK, assignment.exercises)) as book:
                # For whoever downloads what the job keeps.
                write_pages(book, folder / "reports")
                write_text(plain.plain_csv(book).text, folder / "marks.csv")
    except AutograderError as error:
        sys.stdout.write(f"{classroom_words.command('error', 'Not graded', str(error))}\n")
        raise
    who = one_learner(results, assignment)
    _tell(who, results)
    if who.points < who.possible * passes_at / 100:
        raise typer.Exit(1)


def _tell(who: Learner, results: Sequence[SubmissionResult]) -> None:
    """Write the points for GitHub Classroom, which reads these two notices, and a table for the job's page."""
    numbers = [int(n) if n == int(n) else n for n in (who.points, who.possible)]
    points = dict(zip(("totalPoints", "maxPoints"), numbers, strict=True))
    words = f"Points {who.points:g}/{who.possible:g}"
    sys.stdout.write(f"{classroom_words.command('notice', 'Autograding complete', words)}\n")
    sys.stdout.write(f"{classroom_words.command('notice', 'Autograding report', json.dumps(points))}\n")
    summary = classroom_words.summary(who, "" if results else NOTHING)
    if SUMMARY in os.environ:
        try:
            with Path(os.environ[SUMMARY]).open("a", encoding="utf-8") as file:
                file.write(summary)
        except (OSError, ValueError) as error:  # the points are said all the same
            stderr.print(f"The job's page cannot be written, at {SUMMARY}: {error}.")
    console.print(summary)
