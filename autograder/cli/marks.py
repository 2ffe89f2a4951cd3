"""Commands for teachers: `report` and `export`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from autograder.cli.app import Kept, app, warn, write_text, writing
from autograder.cli.feedback import Columns, columns_named
from autograder.cli.groups import grouped
from autograder.cli.tables import console
from autograder.marks import changes
from autograder.marks.exports import OWN, exported
from autograder.marks.exports.filling import Written
from autograder.marks.gradebook import Gradebook
from autograder.marks.overview import joined
from autograder.marks.report import write_pages
from autograder.marks.standing import standing_in
from autograder.model.errors import UsageError


@app.command()
@grouped
def report(
    *,
    kept: Kept,
    to: Annotated[Path, typer.Option(help="The folder that the pages go to.")] = Path("reports"),
    submissions: Annotated[
        Path | None,
        typer.Option(help="Where the files lie now, for their code; where they were graded if none."),
    ] = None,
) -> None:
    """Write a page for the class and one for each learner: static, and readable without a network."""

    with kept.opened() as book, writing(to):
        page = write_pages(book, to, submissions)
        standing = standing_in(book)
        warn([*joined(standing.learners).values(), *standing.unread])
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

    def given(self) -> dict[str, Any]:
        """What of it an export may ask for, by the names in `exports.GIVEN`."""
        return {
            "path": self.roster,
            "practice": self.practice,
            "written": self.written,
            "scaled": not self.unscaled,
            "named": columns_named(self.column),
        }


@app.command()
@grouped
def export(
    form: Annotated[str, typer.Argument(help=f"What reads it: {', '.join(OWN)}, or an installed package's.")],
    *,
    kept: Kept,
    to: Annotated[Path | None, typer.Option(help="The file to write; standard output if not given.")] = None,
    name: Annotated[
        str | None, typer.Option(help="The assignment's name in the other system; its own if none.")
    ] = None,
    learner: Annotated[str | None, typer.Option(help="Whose results.json (Gradescope).")] = None,
    table: OtherTable,
) -> None:
    """Write marks for Gradescope, Canvas, Moodle or nbgrader, or as plain CSV or JSON.

    The exit status is 0 if what was written holds every learner's mark and every correction, 1 if some are not in it
    (each is named on standard error), and 2 if nothing was written.
    """

    with kept.opened() as book:
        standing = standing_in(book)
        given = {"assignment": name or _name_of(book), "learner": learner, **table.given()}
        made = exported(form, book, given)
        write_text(made.text, to)
        if to is not None and made.of_all:
            book.note_written(changes.record(standing, form))
    warn([*made.said, *made.unmatched, *made.set_aside, *joined(standing.learners).values()])
    if made.unmatched:
        warn(
            [
                f"{len(made.unmatched)} of {len(standing.learners)} learners are not in {to or 'what was written'}."
            ]
        )
    if made.unmatched or standing.unread:
        raise typer.Exit(1)


def _name_of(book: Gradebook) -> str:
    """What the assignment is called where its file says it."""
    kept = book.assignment()
    return (kept and kept.name) or "attention"
