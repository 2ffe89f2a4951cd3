"""The command `feedback`: each learner's page, on its way back."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from autograder.cli.app import Kept, app, warn, writing
from autograder.cli.groups import grouped
from autograder.cli.tables import console
from autograder.marks import feedback as pages
from autograder.marks.standing import standing_in
from autograder.model.errors import UsageError

Columns = Annotated[
    list[str] | None,
    typer.Option(
        help="A column of Moodle's worksheet that is not recognised, as in grade=Note; may be said several times."
    ),
]


def columns_named(words: list[str] | None) -> dict[str, str]:
    """`--column WHAT=NAME` as a table. Raises UsageError for one without `=`."""
    for word in words or []:
        if "=" not in word:
            raise UsageError(f"--column {word} says no name: write WHAT=NAME, as in --column grade=Note.")
    return {what: name for what, _, name in (word.partition("=") for word in words or [])}


class Destination(StrEnum):
    """Where learners find their pages."""

    moodle = "moodle"
    canvas = "canvas"
    web = "web"


@app.command()
@grouped
def feedback(
    system: Annotated[Destination, typer.Argument(help="Where learners are to find their pages.")],
    *,
    kept: Kept,
    to: Annotated[
        Path | None, typer.Option(help="The archive for Moodle or Canvas, or the folder to publish.")
    ] = None,
    roster: Annotated[
        Path | None,
        typer.Option(help="Moodle's grading worksheet, where names tell no participant's number."),
    ] = None,
    column: Columns = None,
) -> None:
    """Pack each learner's page for Moodle's or Canvas's upload, or for the web under names that nobody can guess.

    The exit status is 0 if every learner's page is in it, with every correction, 1 if some are not (each is named on
    standard error), and 2 if nothing was packed.
    """

    to = to or Path("feedback" if system is Destination.web else f"feedback_{system.value}.zip")
    with kept.opened() as book, writing(to):
        if system is Destination.moodle:
            made = pages.for_moodle(book, to, roster, columns_named(column))
        elif system is Destination.canvas:
            made = pages.for_canvas(book, to)
        else:
            made = pages.for_publishing(book, to)
        unread = standing_in(book).unread
    console.print(Text(f"Pages of {made.pages} learners are in {to}. {NEXT[system].format(to=to)}"))
    warn([*made.unmatched, *unread])
    if made.unmatched or unread:
        raise typer.Exit(1)


NEXT = {
    Destination.moodle: "In Moodle's assignment: Upload multiple feedback files in a zip.",
    Destination.canvas: "In Canvas's assignment: Upload Submissions (the archive becomes comments).",
    Destination.web: "Publish the folder; {to}.csv says whose page is whose, and is for you alone.",
}
