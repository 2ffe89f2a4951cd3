"""The command `assignment new`: the file that says what an assignment is."""

from pathlib import Path
from typing import Annotated

from autograder.cli.app import Asked, Own, app, chosen_exercises, writing
from autograder.cli.groups import CommandLine
from autograder.cli.tables import console
from autograder.model.errors import UsageError
from autograder.read.assignments import new_assignment

assignments = CommandLine(no_args_is_help=True, help="The file that says what an assignment is.")
app.add_typer(assignments, name="assignment")


@assignments.command()
def new(
    file: Annotated[Path, "The file to make, such as first.toml."],
    exercise: Asked = None,
    own: Own = None,
) -> None:
    """Make a new assignment's file, in which every key is explained. One that is there is not overwritten."""
    text = new_assignment(file, chosen_exercises(exercise) if exercise else [])
    if file.exists():
        raise UsageError(f"{file} is there already: edit it, or name another.")
    with writing(file), file.open("x", encoding="utf-8") as opened:
        opened.write(text)
    console.print(f"made {file}: choose its exercises, points and date there.")
