"""Commands for teachers: `report`, `export`, `package` and `gradescope`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from autograder.cli import package as packages
from autograder.cli.app import (
    Asked,
    AssignmentFile,
    Counted,
    app,
    chosen_assignment,
    open_gradebook,
    write_text,
)
from autograder.cli.feedback import Columns, columns_named
from autograder.cli.tables import console
from autograder.grade.run import GradeOptions, deadlines_of, run_all
from autograder.marks import changes
from autograder.marks import report as pages
from autograder.marks.exports import canvas, moodle, nbgrader, plain
from autograder.marks.exports import gradescope as gradescope_json
from autograder.marks.exports.filling import Written
from autograder.marks.exports.table import Export
from autograder.marks.gradebook import Gradebook, grader_version
from autograder.marks.standing import one_learner, standing
from autograder.model.errors import ExportError, UsageError
from autograder.model.results import identity
from autograder.model.text import clean


class Format(StrEnum):
    """What `export` can write."""

    csv = "csv"
    json = "json"
    gradescope = "gradescope"
    canvas = "canvas"
    moodle = "moodle"
    nbgrader = "nbgrader"


@app.command()
def report(
    gradebook: Annotated[Path, typer.Argument(help="What `grade` kept.")] = Path("gradebook.sqlite"),
    to: Annotated[Path, typer.Option(help="The folder that the pages go to.")] = Path("reports"),
    submissions: Annotated[
        Path | None,
        typer.Option(help="Where the files lie now, for their code; where they were graded if none."),
    ] = None,
    exercise: Counted = None,
) -> None:
    """Write a page for the class and one for each learner: static, and readable without a network."""

    book = open_gradebook(gradebook, exercise)
    try:
        page = pages.write(book, to, submissions)
    except OSError as error:
        raise UsageError(f"The pages cannot be written to {to}: {error.strerror}.") from error
    finally:
        book.close()
    console.print(Text(f"Open {page}"))


@app.command()
def export(
    form: Annotated[Format, typer.Argument(help="The system that reads it.")],
    gradebook: Annotated[Path, typer.Argument(help="What `grade` kept.")] = Path("gradebook.sqlite"),
    to: Annotated[Path | None, typer.Option(help="The file to write; standard output if not given.")] = None,
    roster: Annotated[Path | None, typer.Option(help="The CSV that Canvas or Moodle exported.")] = None,
    name: Annotated[
        str | None, typer.Option(help="The assignment's name in the other system; its own if none.")
    ] = None,
    learner: Annotated[str | None, typer.Option(help="Whose results.json (Gradescope).")] = None,
    practice: Annotated[
        bool,
        typer.Option("--practice", help="Write practice marks into Canvas's, Moodle's, nbgrader's columns."),
    ] = False,
    keep: Annotated[
        bool, typer.Option("--keep", help="Leave marks and comments that are there and say something else.")
    ] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Write over them.")] = False,
    unscaled: Annotated[
        bool,
        typer.Option("--unscaled", help="Write points as they are, whatever Canvas's or Moodle's maximum."),
    ] = False,
    column: Columns = None,
    exercise: Counted = None,
) -> None:
    """Write marks for Gradescope, Canvas, Moodle or nbgrader, or as plain CSV or JSON."""

    if keep and replace:
        raise UsageError("Say --keep or --replace, not both.")
    written = Written.kept if keep else Written.replaced if replace else Written.refused
    book = open_gradebook(gradebook, exercise)
    try:
        called = name or _name_of(book)
        if form is Format.canvas:
            made = canvas.canvas(book, _of_system(form, roster), called, practice, written, not unscaled)
        elif form is Format.moodle:
            made = moodle.moodle(
                book, _of_system(form, roster), practice, written, not unscaled, columns_named(column)
            )
        else:
            made = _export(form, book, called, learner, practice)
        write_text(made.text, to)
        if to is not None and form is not Format.gradescope:
            book.note_written(changes.written(standing(book), form.value, grader_version()))
    finally:
        book.close()
    for words in (*made.said, *made.unmatched, *made.set_aside):
        Console(stderr=True).print(Text(clean(words), style="yellow"))


def _name_of(book: Gradebook) -> str:
    """What the assignment is called where its file says it."""
    kept = book.assignment()
    return (kept and kept.name) or "attention"


def _of_system(form: Format, roster: Path | None) -> Path:
    if roster is None:
        raise ExportError(f"{form.value} needs --roster FILE: the CSV that it exported.")
    return roster


def _export(form: Format, book: Gradebook, assignment: str, learner: str | None, practice: bool) -> Export:
    if form is Format.nbgrader:
        return nbgrader.nbgrader(book, assignment, practice)
    if form is Format.gradescope:
        return _of_one_learner(book, learner)
    return plain.plain_csv(book) if form is Format.csv else plain.plain_json(book)


def _of_one_learner(book: Gradebook, learner: str | None) -> Export:
    stands = standing(book)
    found = [who for who in stands.learners if learner is None or identity(learner) == identity(who.name)]
    if len(found) != 1:
        names = clean(", ".join(who.name for who in stands.learners)) or "nobody"
        raise ExportError(f"Say whose results: --learner NAME. The gradebook has {names}.")
    return gradescope_json.gradescope(found[0], practice=stands.practice)


class System(StrEnum):
    """Where submissions can be graded as they come in."""

    gradescope = "gradescope"
    classroom = "classroom"


@app.command()
def package(
    system: Annotated[System, typer.Argument(help="Where it is to run.")],
    folder: Annotated[Path, typer.Argument(help="Where the files go.")],
    course: Annotated[str, typer.Option(help="The course's repository (GitHub Classroom).")] = "OWNER/COURSE",
    exercise: Asked = None,
    assignment: AssignmentFile = None,
    practice: Annotated[
        bool, typer.Option("--practice", help="Grade where the full lock cannot hold.")
    ] = False,
) -> None:
    """Make a Gradescope autograder's folder, or a GitHub Classroom workflow."""

    chosen = chosen_assignment(assignment, exercise) if assignment or exercise else None
    options = packages.options(system.value, chosen.exercises if chosen else (), assignment, practice)
    strange = folder.is_dir() and any(folder.iterdir()) and not (folder / "run_autograder").exists()
    if system is System.gradescope and chosen is None:
        raise UsageError(
            "Say the assignment with --exercise or --assignment: Gradescope's maximum is the same for everybody."
        )
    if system is System.gradescope and strange:
        raise UsageError(f"{folder} holds other files, which would be uploaded too: name a new folder.")
    try:
        made = packages.package(system.value, folder, course, " ".join(options), assignment)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}.") from error
    for path in made:
        console.print(Text(f"made {path}"))
    if system is System.classroom and course == "OWNER/COURSE":
        console.print("Say --course OWNER/NAME, or put the course's repository there for OWNER/COURSE.")
    if system is System.gradescope:
        console.print(Text(f"Zip the contents of {folder} and upload the archive as the autograder."))


@app.command()
def gradescope(
    submission: Annotated[Path, typer.Argument(help="The folder that Gradescope puts the submission in.")],
    results: Annotated[Path, typer.Argument(help="The results.json to write.")],
    exercise: Asked = None,
    assignment: AssignmentFile = None,
    practice: Annotated[bool, typer.Option("--practice", help="Grade without the full lock.")] = False,
) -> None:
    """Grade one learner's folder and write results.json, on failure too."""

    rules = chosen_assignment(assignment, exercise)
    asked = tuple(rules.exercises)
    options = GradeOptions(asked, None, deadlines_of(rules), practice, processes=1, rules=rules)
    try:
        graded = run_all(submission, None, options, lambda done, total: None)
        nothing = "" if graded else "No notebook and no Python file was handed in."
        made = gradescope_json.gradescope(one_learner(graded, rules), nothing, practice)
    except Exception as error:  # without results.json a learner sees nothing at all
        problem = f"The submission could not be graded; this is not its fault. {error}"
        made = gradescope_json.gradescope(None, problem, practice)
    write_text(made.text, results)
