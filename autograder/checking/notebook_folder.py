"""Find what lies beside a learner's copies: the exercises of a class's own, and what is kept there in files of JSON."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from autograder.model.catalogue import all_exercises, by_entry, use_folder
from autograder.model.exercise import Exercise
from autograder.model.learner_files import read_json, write_json
from autograder.model.teachers_exercises import GIVEN_OUT, folders

LISTED = (
    "`attention exercises` lists them; those of a class's own must lie beside the notebook, "
    f"in the folder {GIVEN_OUT}."
)


def kernel_folders() -> Iterator[Path]:
    """Yield the kernel's folder, and that of its notebook as Jupyter and VS Code tell it, where they are there."""
    for folder in _candidates():
        with suppress(OSError):  # its name is too long, say
            if folder.is_dir():
                yield folder


def _candidates() -> Iterator[Path]:
    with suppress(FileNotFoundError):  # somebody has removed it
        yield Path.cwd()
    if notebook := os.environ.get("JPY_SESSION_NAME"):
        yield Path(notebook).parent
    if (notebooks := shell()) is not None and (notebook := notebooks.user_ns.get("__vsc_ipynb_file__")):
        yield Path(notebook).parent


def shell() -> Any:
    """IPython, where a notebook's cells run; None elsewhere."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def load_exercises_beside(*nearer: Path) -> None:
    """Load the exercises that lie beside the copies at hand, unless others were named before.

    It imports what is there, so only what is on the learner's side calls it: `grade` knows what a teacher names.
    nearer: folders in which to look first. Raises UsageError, with a sentence, if they cannot be used.
    """
    if not folders():
        candidates = (parent / GIVEN_OUT for parent in (*nearer, *kernel_folders()))
        for folder in (f for f in candidates if f.is_dir()):
            return use_folder(folder)


def exercise_named(name: str) -> Exercise:
    """Return an exercise by its name, or by that of its function or class. Raises LookupError, with a sentence, for another one."""
    load_exercises_beside()
    exercises = [all_exercises()[name]] if name in all_exercises() else by_entry(name)
    if len(exercises) != 1:
        raise LookupError(f"There is no exercise {name!r}. {LISTED}")
    return exercises[0]


def forget(path: Path, name: str) -> bool:
    """Take what stands under a name out of a file; gives whether there was anything."""
    content = read_json(path)
    is_present = content.pop(name, None) is not None
    if is_present:
        write_json(path, content)
    return is_present
