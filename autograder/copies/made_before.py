"""Copies that were there before: how they differ from those that would be made now."""

import json
from collections.abc import Iterable
from pathlib import Path

from autograder.book.contents import Notebook, source
from autograder.frameworks import title_of
from autograder.model.errors import UsageError
from autograder.model.learner_files import read_bytes
from autograder.model.text import few

OTHERS = "it names other exercises, points or dates"
CHECK = "check-"
MAX_SHOWN = 3


def difference(path: Path, made: Notebook) -> str | None:
    """In which exercises a notebook that is there differs, and in its words if it has none; None if in nothing.

    made: the notebook that would be made in its place. What a learner has written does not count.
    """
    try:
        kept = json.loads(read_bytes(path) or b"")
        there, now = _exercises(kept), _exercises(made)
        if not there and not now:
            return None if _texts(made) == _texts(kept) else OTHERS
    except (UsageError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return "it cannot be read as a notebook"
    said = {
        "it has no cell for": now.keys() - there.keys(),
        "it has a cell for": there.keys() - now.keys(),
        "it has other points for": {n for n in now.keys() & there.keys() if now[n] != there[n]},
    }
    return "; ".join(f"{words} {_listed(names)}" for words, names in said.items() if names) or None


def _exercises(notebook: Notebook) -> dict[str, float | None]:
    """The answers that a copy asks for, as exercise and framework, and the points that the check of each gives."""
    known = [cell["metadata"].get("nbgrader", {}) for cell in notebook["cells"]]
    points = {cell["grade_id"]: cell["points"] for cell in known if cell.get("points") is not None}
    return {cell["grade_id"]: points.get(CHECK + cell["grade_id"]) for cell in known if cell.get("solution")}


def _texts(notebook: Notebook) -> list[str]:
    return [source(cell) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]


def _listed(names: Iterable[str]) -> str:
    split = [name.rpartition("-") for name in sorted(names)]
    words = [f"{exercise} ({title_of(framework)})" for exercise, _, framework in split]
    return few(words, MAX_SHOWN)
