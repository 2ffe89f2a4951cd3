"""Progress bars that disappear at the end: below the cell in a notebook, on standard error in a terminal."""

import time
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any, TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from course.display.terminal import CONSOLE

Item = TypeVar("Item")
SECONDS = 0.2  # between two updates in a notebook


def progress(items: Iterable[Item], total: int, what: str = "training") -> Iterator[Item]:
    """Pass on `items`, of which there are `total`, and show how many have passed."""
    draw = _notebook_display()
    if draw is None:
        with bar() as terminal:
            yield from terminal.track(items, total=total, description=what)
        return
    last_update = 0.0
    for count, item in enumerate(items):
        if (now := time.monotonic()) - last_update > SECONDS:
            label = f"{escape(what)}: {count} of {total}"
            draw(f'<label>{label} <progress value="{count}" max="{total}"></progress></label>')
            last_update = now
        yield item
    draw("")


def _notebook_display() -> Any:
    """Return what shows HTML below the running cell, in place of what it showed before; None outside notebooks."""
    try:
        from IPython import get_ipython
        from IPython.display import HTML, display
    except ImportError:
        return None
    if not hasattr(get_ipython(), "kernel"):
        return None
    handle = display(HTML(""), display_id=True)
    return lambda html: handle.update(HTML(html))


def bar() -> Progress:
    """Return a progress bar on standard error; it is drawn only where there is a terminal."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=CONSOLE,
    )
