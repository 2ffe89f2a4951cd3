"""The command `practise`: faults to be found in code."""

from typing import Annotated

import typer
from rich.markdown import Markdown

from autograder.checking.nearby import take_in
from autograder.cli.app import Own, app, chosen_exercises
from autograder.cli.tables import console
from autograder.model.errors import UsageError


@app.command()
def practise(
    exercise: Annotated[list[str] | None, typer.Argument(help="Of these exercises; of all, if none.")] = None,
    due: Annotated[bool, typer.Option("--due", help="What comes back today, five minutes at most.")] = False,
    hard: Annotated[bool, typer.Option("--hard", help="With two mistakes at once.")] = False,
    framework: Annotated[
        str | None, typer.Option(help="In which the code is written; the one that is installed, or PyTorch.")
    ] = None,
    own: Own = None,
) -> None:
    """Find faults in code: which line is wrong, which idea it is, what it gives.

    It keeps what you answered in the folder of your copies, in practice.json: what you missed comes back sooner.
    """
    # What schedules is loaded for this command alone.
    from autograder.checking.practise import ask_due, ask_new, in_framework

    take_in()

    def show(text: str) -> None:
        console.print(Markdown(text, code_theme="ansi_light" if console.no_color else "monokai"), "")

    chosen = chosen_exercises(exercise or [], None)
    try:
        shown_in = in_framework(framework)
    except LookupError as error:
        raise UsageError(str(error)) from error
    if due:
        return ask_due(shown_in, show)
    ask_new(chosen, shown_in, hard, show)
