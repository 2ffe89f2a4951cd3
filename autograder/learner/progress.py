"""What a learner has passed so far, kept in the learner's own folder.

`start` puts the file there; where there is none (in the book's own chapters, for one)
nothing is kept.
"""

import json
from pathlib import Path

from autograder.model.catalogue import all_exercises
from autograder.model.verdict import Verdict

FILE = "progress.json"


def find(folder: Path) -> Path | None:
    """The progress file of this folder or of the nearest one above it."""
    for place in (folder, *folder.parents):
        if (place / FILE).is_file():
            return place / FILE
    return None


def create(folder: Path) -> None:
    """An empty record, unless there is one already."""
    if not (folder / FILE).exists():
        write(folder / FILE, {})


def is_kept() -> bool:
    """Whether this is a learner's folder."""
    return find(Path.cwd()) is not None


def keep(verdict: Verdict) -> str | None:
    """Record a passed exercise; says how many are passed of all, where progress is kept."""
    path = find(Path.cwd())
    if path is None:
        return None
    passed = read(path)
    if verdict.outcome == "accepted":
        frameworks = set(passed.get(verdict.exercise, [])) | {verdict.framework}
        passed[verdict.exercise] = sorted(frameworks)
        write(path, passed)
    known = all_exercises()
    count = sum(name in known for name in passed)
    return f"{count} of {len(known)} exercises passed"


def read(path: Path) -> dict[str, list[str]]:
    """Exercise names and the frameworks they were passed in; empty if the file is damaged."""
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write(path: Path, passed: dict[str, list[str]]) -> None:
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(passed, indent=1) + "\n")
    temporary.replace(path)
