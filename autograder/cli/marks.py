"""Commands for teachers: `report` and `export`."""

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from autograder.cli.app import (
    GRADEBOOK,
    Counted,
    KeptIn,
    Own,
    app,
    opened_gradebook,
    warn,
    write_text,
    writing,
)
from autograder.cli.feedback import Columns, columns_named
from autograder.cli.groups import grouped
from autograder.cli.tables import console
from autograder.marks import changes
from autograder.marks import report as pages
from autograder.marks.exports import canvas, moodle, nbgrader, plain
from autograder.marks.exports import gradescope as gradescope_json
from autograder.marks.exports.filling import Written
from autograder.marks.exports.table import Export
from autograder.marks.gradebook import Gradebook
from autograder.marks.overview import joined
from autograder.marks.standing import standing
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
    gradebook: KeptIn = GRADEBOOK,
    to: Annotated[Path, typer.Option(help="The folder that the pages go to.")] = Path("reports"),
    submissions: Annotated[
        Path | None,
        typer.Option(help="Where the files lie now, for their code; where they were graded if none."),
    ] = None,
    exercise: Counted = None,
    own: Own = None,
) -> None:
    """Write a page for the class and one for each learner: static, and readable without a network."""

    with opened_gradebook(gradebook, exercise) as book, writing(to):
        page = pages.write(book, to, submissions)
        stands = standing(book)
        warn([*joined(stands.learners).values(), *stands.unread])
    console.print(Text(f"Open {page}"))


@dataclass(frozen=True)
class OtherTable:
    """Options that say how a table of another system is filled in."""

    roster: Annotated[Path | None, typer.Option(help="The CSV that Canvas or Moodle exported.")] = None
    practice: Annotated[
        bool,
        typer.Option("--practice", help="Write practice marks into Canvas's, Moodle's, nbgrader's columns."),
    ] = False
    keep: Annotated[
        bool, typer.Option("--keep", help="Leave marks and comments that are there and say something else.")
    ] = False
    replace: Annotated[bool, typer.Option("--replace", help="Write over them.")] = False
    unscaled: Annotated[
        bool,
        typer.Option("--unscaled", help="Write points as they are, whatever Canvas's or Moodle's maximum."),
    ] = False
    column: Columns = None

    def __post_init__(self) -> None:
        if self.keep and self.replace:
            raise UsageError("Say --keep or --replace, not both.")

    @property
    def written(self) -> Written:
        """What becomes of marks that are there and say something else."""
        return Written.kept if self.keep else Written.replaced if self.replace else Written.refused

    def of_system(self, form: Format) -> Path:
        """The CSV that a system exported. Raises ExportError if it was not said."""
        if self.roster is None:
            raise ExportError(f"{form.value} needs --roster FILE: the CSV that it exported.")
        return self.roster


@app.command()
@grouped
def export(
    form: Annotated[Format, typer.Argument(help="The system that reads it.")],
    gradebook: KeptIn = GRADEBOOK,
    *,
    to: Annotated[Path | None, typer.Option(help="The file to write; standard output if not given.")] = None,
    name: Annotated[
        str | None, typer.Option(help="The assignment's name in the other system; its own if none.")
    ] = None,
    learner: Annotated[str | None, typer.Option(help="Whose results.json (Gradescope).")] = None,
    table: OtherTable,
    exercise: Counted = None,
    own: Own = None,
) -> None:
    """Write marks for Gradescope, Canvas, Moodle or nbgrader, or as plain CSV or JSON.

    The exit status is 0 if what was written holds every learner's mark and every correction, 1 if some are not in it
    (each is named on standard error), and 2 if nothing was written.
    """

    with opened_gradebook(gradebook, exercise) as book:
        stands = standing(book)
        made = _export(form, book, name or _name_of(book), learner, table)
        write_text(made.text, to)
        if to is not None and form is not Format.gradescope:
            book.note_written(changes.written(stands, form.value))
    warn([*made.said, *made.unmatched, *made.set_aside, *joined(stands.learners).values()])
    if made.unmatched:
        warn(
            [
                f"{len(made.unmatched)} of {len(stands.learners)} learners are not in {to or 'what was written'}."
            ]
        )
    if made.unmatched or stands.unread:
        raise typer.Exit(1)


def _name_of(book: Gradebook) -> str:
    """What the assignment is called where its file says it."""
    kept = book.assignment()
    return (kept and kept.name) or "attention"


def _export(form: Format, book: Gradebook, assignment: str, learner: str | None, table: OtherTable) -> Export:
    scaled = not table.unscaled
    if form is Format.canvas:
        return canvas.canvas(book, table.of_system(form), assignment, table.practice, table.written, scaled)
    if form is Format.moodle:
        named = columns_named(table.column)
        return moodle.moodle(book, table.of_system(form), table.practice, table.written, scaled, named)
    if form is Format.nbgrader:
        return nbgrader.nbgrader(book, assignment, table.practice)
    if form is Format.gradescope:
        return _of_one_learner(book, learner)
    return plain.plain_csv(book) if form is Format.csv else plain.plain_json(book)


def _of_one_learner(book: Gradebook, learner: str | None) -> Export:
    stands = standing(book)
    found = [who for who in stands.learners if learner is None or identity(learner) == identity(who.name)]
    if len(found) != 1:
        names = clean(", ".join(who.name for who in stands.learners)) or "nobody"
        raise ExportError(f"Say whose results: --learner NAME. The gradebook has {names}.")
    made = gradescope_json.gradescope(found[0], practice=stands.practice)
    return replace(made, set_aside=stands.set_aside)
