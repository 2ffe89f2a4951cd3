"""Commands for teachers: `assignment new`, and `changes` since marks were written out."""

from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from autograder.cli.app import Asked, Kept, Own, app, chosen_exercises, warn, writing
from autograder.cli.groups import grouped
from autograder.cli.tables import console, name_column, safe
from autograder.marks.changes import changes as changes_since
from autograder.marks.standing import standing_in
from autograder.model.errors import UsageError
from autograder.model.text import counted
from autograder.read.assignments import new_assignment

assignments = typer.Typer(no_args_is_help=True, help="The file that says what an assignment is.")
app.add_typer(assignments, name="assignment")


@assignments.command()
def new(
    file: Annotated[Path, typer.Argument(help="The file to make, such as first.toml.")],
    exercise: Asked = None,
    own: Own = None,
) -> None:
    """Make a new assignment's file, in which every key is explained. One that is there is not overwritten."""
    text = new_assignment(file, chosen_exercises(exercise, None) if exercise else [])
    if file.exists():
        raise UsageError(f"{file} is there already: edit it, or name another.")
    with writing(file), file.open("x", encoding="utf-8") as opened:
        opened.write(text)
    console.print(Text(f"made {file}: choose its exercises, points and date there."))


@app.command()
@grouped
def changes(*, kept: Kept) -> None:
    """List every mark that is not what the last `export --to FILE` wrote: whose, from what to what, and why."""
    with kept.opened() as book:
        before, standing = book.written(), standing_in(book)
    warn(standing.unread)
    if not before:
        raise UsageError(
            f"No marks of {kept.gradebook} were written to a file yet: `attention export csv --to FILE` notes what it wrote."
        )
    found = changes_since(before, standing)
    since = f"since `export {before['form']}` of {before['time']}"
    if not found:
        console.print(Text(f"No mark has changed {since}."))
        return
    table = Table(
        name_column("learner"), name_column("exercise"), "before", "now", name_column("why"), box=SIMPLE
    )
    for c in found:
        table.add_row(safe(c.learner), c.exercise, _shown(c.before), _shown(c.now), safe(c.why))
    console.print(table)
    people = len({c.learner for c in found})
    console.print(Text(f"{counted(people, 'learner')} changed {since}."))


def _shown(points: float | None) -> str:
    return "" if points is None else f"{points:g}"
