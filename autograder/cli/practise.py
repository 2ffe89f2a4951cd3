"""The command `practise`: faults to be found in code."""

from pathlib import Path
from typing import Annotated

import typer

from autograder.checking.nearby import take_in
from autograder.cli.app import Own, app, chosen_exercises, write_text
from autograder.html.render import filled
from autograder.model.errors import UsageError


@app.command()
def practise(
    exercise: Annotated[list[str] | None, typer.Argument(help="Of these exercises; of all, if none.")] = None,
    due: Annotated[bool, "What comes back today, five minutes at most."] = False,
    hard: Annotated[bool, "With two mistakes at once."] = False,
    framework: Annotated[
        str | None, "In which the code is written; the one that is installed, or PyTorch."
    ] = None,
    graded: Annotated[int, "As many as an assignment asks for; it ends with the line that answers it."] = 0,
    sheet: Annotated[
        Path | None, "Write five as a page to print, with the answers on the next, and ask nothing."
    ] = None,
    seed: Annotated[int, "Another number gives other questions on the sheet."] = 1,
    own: Own = None,
) -> None:
    """Find faults in code: which line is wrong, which idea it is, what it gives.

    It keeps what you answered in the folder of your copies, in practice.json: what you missed comes back sooner.
    """
    # What schedules is loaded for this command alone.
    from autograder.checking.practise import AT_ONCE, ask, drawn, in_framework

    take_in()
    chosen = chosen_exercises(exercise)
    try:
        shown_in = in_framework(framework)
    except LookupError as error:
        raise UsageError(str(error)) from error
    if sheet:
        items = drawn(chosen, graded or AT_ONCE, shown_in, seed)
        write_text(filled("sheet.html", items=items, seed=seed), sheet)
    else:
        ask(chosen, shown_in, due=due, hard=hard, graded=graded)
