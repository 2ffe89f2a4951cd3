"""The columns of `nbgrader export`."""

from typing import Any

from autograder.marks.exports.table import Export, csv_text, refuse_practice
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import standing

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
    stands = standing(book)
    refuse_practice(stands, practice)
    if stands.practice:
        assignment = f"{assignment} (practice)"
    rows: list[list[Any]] = [list(NBGRADER)]
    for who in stands.learners:
        rows.append([assignment, "", "", who.name, "", "", "", who.points, 0.0, who.points, who.possible])
    return Export(csv_text(rows), set_aside=stands.set_aside)
