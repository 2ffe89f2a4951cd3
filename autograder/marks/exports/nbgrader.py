"""The columns of `nbgrader export`."""

from typing import Any

from autograder.marks.exports.table import Export, csv_text
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import counted, learners, possible

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


def nbgrader(book: Gradebook, assignment: str) -> Export:
    """The columns that `nbgrader export` writes."""
    everyone = learners(book)
    most = possible(counted(book, everyone))
    rows: list[list[Any]] = [list(NBGRADER)]
    for who in everyone:
        rows.append([assignment, "", "", who.name, "", "", "", who.points, 0.0, who.points, most])
    return Export(csv_text(rows))
