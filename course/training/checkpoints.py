"""What trainings from the command line share: checkpoints that survive a kill, and plain errors."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from course.display.progress_bar import CONSOLE

STATE = "state.json"


def fail(message: str) -> typer.Exit:
    """A sentence on standard error and exit status 2."""
    CONSOLE.print(Text(message, style="red"))
    return typer.Exit(2)


def cpu_seconds() -> float:
    """The processor time of this process, which other programs on the machine do not lengthen."""
    times = os.times()
    return times.user + times.system


class CheckpointError(Exception):
    """A checkpoint cannot be taken up or kept; the message says why."""


def save(folder: Path, number: int, state: dict[str, Any], write: Callable[[Path], None]) -> None:
    """Keep a checkpoint `<folder>/<number>`, whole or not at all, and drop the one before it.

    state: what JSON can hold; write: puts further files into the folder that it is given.
    """
    unfinished, finished = folder / f"{number}.part", folder / str(number)
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        write(unfinished)
        (unfinished / STATE).write_text(json.dumps(state, indent=1) + "\n")
        if finished.exists():
            shutil.rmtree(finished)
        unfinished.rename(finished)
        for other in _numbers(folder):
            if other < number:
                shutil.rmtree(folder / str(other))
    except OSError as error:
        raise CheckpointError(
            f"The checkpoint cannot be written to {folder}: {error.strerror or error}."
        ) from error


def newest(folder: Path) -> tuple[Path, dict[str, Any]] | None:
    """The last checkpoint of a folder and its state; None if there is none."""
    numbers = _numbers(folder)
    if not numbers:
        return None
    path = folder / str(numbers[-1])
    try:
        state = json.loads((path / STATE).read_text())
    except (OSError, ValueError) as error:
        raise damaged(path) from error
    if not isinstance(state, dict):
        raise damaged(path)
    return path, state


def damaged(path: Path) -> CheckpointError:
    """What to say of a checkpoint that cannot be read."""
    return CheckpointError(f"The checkpoint {path} is damaged; delete it to begin anew.")


def _numbers(folder: Path) -> list[int]:
    if not folder.is_dir():
        return []
    return sorted(int(path.name) for path in folder.iterdir() if path.name.isdigit())
