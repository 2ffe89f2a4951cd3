"""The columns of `nbgrader export`."""

from datetime import UTC, datetime
from typing import Any

from autograder.marks.exports.export import Export, official
from autograder.marks.gradebook import Gradebook
from autograder.marks.tables import csv_text
from autograder.model.assignment import rounded

NBGRADER = [
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
]


def nbgrader(book: Gradebook, assignment: str, practice: bool = False) -> Export:
    """The columns that `nbgrader export` writes. practice: whether to write marks that are not official."""
    standing = official(book, practice)
    if standing.practice:
        assignment = f"{assignment} (practice)"
    rows: list[list[Any]] = [list(NBGRADER)]
    due = standing.rules.late.due if standing.rules.late else None
    for who in standing.learners:
        late = rounded(who.earned - who.after_lateness)
        marks = [who.earned, late, who.points, who.possible]
        rows.append([assignment, _time(due), _time(who.handed_in), who.name, "", "", "", *marks])
    return Export(csv_text(rows), set_aside=standing.set_aside)


def _time(when: datetime | None) -> str:
    """A time as nbgrader writes it, in UTC; empty if there is none."""
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}" if when else ""
