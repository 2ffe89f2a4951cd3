"""Checkpoints of a training: each is whole or not there, whenever the process is killed."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autograder.model.errors import AutograderError, UsageError
from autograder.model.learner_files import read_bytes

STATE = "state.json"


class CheckpointError(AutograderError):
    """A checkpoint cannot be read or written; the message says why."""


def save(folder: Path, number: int, state: dict[str, Any], write: Callable[[Path], None]) -> None:
    """Keep a checkpoint `<folder>/<number>`, whole or not at all, and drop the one before it.

    state: what JSON can hold; write: puts further files into the folder that it is given.
    """
    _refuse_link(folder)
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
    """Return the last checkpoint of a folder and its state; None if there is none."""
    _refuse_link(folder)
    numbers = _numbers(folder)
    if not numbers:
        return None
    path = folder / str(numbers[-1])
    try:
        state = json.loads(read_bytes(path / STATE, folder) or b"")
    except (UsageError, ValueError, RecursionError) as error:
        raise damaged(path) from error
    if not isinstance(state, dict):
        raise damaged(path)
    return path, state


def damaged(path: Path) -> CheckpointError:
    """Return what to say of a checkpoint that cannot be read."""
    return CheckpointError(f"The checkpoint {path} is damaged; delete it to begin anew.")


def _refuse_link(folder: Path) -> None:
    """Raise CheckpointError for a link: what is dropped through one may be somebody else's."""
    if folder.is_symlink():
        raise CheckpointError(f"{folder} is a link, and is not followed: put the folder itself there.")


def _numbers(folder: Path) -> list[int]:
    if not folder.is_dir():
        return []
    return sorted(int(path.name) for path in folder.iterdir() if path.name.isdigit())
