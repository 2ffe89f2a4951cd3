"""Copies that were there before: how they differ from those that would be made now."""

import json
from collections.abc import Iterable
from pathlib import Path

from autograder.book.contents import Notebook, source
from autograder.frameworks import title_of
from autograder.model.errors import UsageError
from autograder.model.learner_files import read_bytes
from autograder.model.text import few

OTHER_ASSIGNMENT = "it names other exercises, points or dates"
CHECK = "check-"
MAX_NAMES = 3


def difference(path: Path, new: Notebook) -> str | None:
    """Return in which exercises a notebook that is there differs, and in its words if it has none; None if in nothing.

    new: the notebook that would be made in its place. What a learner has written does not count.
    """
    try:
        old = json.loads(read_bytes(path) or b"")
        old_points, new_points = _exercises(old), _exercises(new)
        if not old_points and not new_points:
            return None if _texts(new) == _texts(old) else OTHER_ASSIGNMENT
    except (UsageError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return "it cannot be read as a notebook"
    in_both = new_points.keys() & old_points.keys()
    differences = {
        "it has no cell for": new_points.keys() - old_points.keys(),
        "it has a cell for": old_points.keys() - new_points.keys(),
        "it has other points for": {name for name in in_both if new_points[name] != old_points[name]},
    }
    return "; ".join(f"{words} {_listed(names)}" for words, names in differences.items() if names) or None


def _exercises(notebook: Notebook) -> dict[str, float | None]:
    """Return the answers that a copy asks for, as exercise and framework, and the points that the check of each gives."""
    metadata = [cell["metadata"].get("nbgrader", {}) for cell in notebook["cells"]]
    points = {cell["grade_id"]: cell["points"] for cell in metadata if cell.get("points") is not None}
    names = [cell["grade_id"] for cell in metadata if cell.get("solution")]
    return {name: points.get(CHECK + name) for name in names}


def _texts(notebook: Notebook) -> list[str]:
    return [source(cell) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]


def _listed(names: Iterable[str]) -> str:
    split = [name.rpartition("-") for name in sorted(names)]
    words = [f"{exercise} ({title_of(framework)})" for exercise, _, framework in split]
    return few(words, MAX_NAMES)
