"""Marks as plain CSV, one row for each learner, with the columns of `nbgrader export`, or everything as JSON."""

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from autograder.marks.exports.export import Export, official_standing
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import standing_in
from autograder.marks.tables import csv_text
from autograder.model.assignment import rounded
from autograder.model.results import ExerciseResult

NBGRADER = [
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
    "late_submission_penalty", "score", "max_score",
]  # fmt: skip


def plain_csv(book: Gradebook) -> Export:
    """Return one row for each learner: points for each exercise, and in all."""
    standing = standing_in(book)
    rows: list[list[Any]] = [
        ["learner", *standing.exercises, "points", "possible", "practice", "remarks", "graded", "checks"]
    ]
    for who in standing.learners:
        marks = ["" if who.is_waiting or not who.is_given(v) else v.points for v in who.marks]
        practice = "practice" if standing.practice else ""
        points = "" if who.is_waiting else who.points
        why = [who.explanation, who.graded_at, who.checks]
        rows.append([who.name, *marks, points, who.possible, practice, *why])
    return Export(csv_text(rows), set_aside=standing.set_aside)


def nbgrader(book: Gradebook, assignment: str, practice: bool = False) -> Export:
    """Return the columns that `nbgrader export` writes. practice: whether to write marks that are not official."""
    standing = official_standing(book, practice)
    if standing.practice:
        assignment = f"{assignment} (practice)"
    rows: list[list[Any]] = [NBGRADER]
    due = standing.assignment.late.due if standing.assignment.late else None
    for who in standing.learners:
        late = rounded(who.earned - who.after_lateness)
        earned = ["", "", ""] if who.is_waiting else [who.earned, late, who.points]
        times = [_time(due), _time(who.handed_in)]
        rows.append([assignment, *times, who.name, "", "", "", *earned, who.possible])
    return Export(csv_text(rows), set_aside=standing.set_aside)


def _time(when: datetime | None) -> str:
    """Return a time as nbgrader writes it, in UTC; empty if there is none."""
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}" if when else ""


def _result(r: ExerciseResult) -> dict[str, Any]:
    origin = {"submission": r.submission, "practice": r.practice, "graded": r.graded_at, "check": r.version}
    return origin | r.verdict.as_dict()


def plain_json(book: Gradebook) -> Export:
    """Return everything that counts of what the gradebook holds."""
    standing = standing_in(book)
    learners = [
        {
            "learner": who.name,
            "points": None if who.is_waiting else who.points,
            "possible": who.possible,
            "earned": None if who.is_waiting else who.earned,
            "late_days": who.late_days if who.is_timed else None,
            "remarks": who.remarks,
            "practice": standing.practice,
            "not_graded": who.waiting,
            "marks": [
                {
                    "exercise": v.exercise,
                    "points": None if who.is_waiting else v.points,
                    "possible": v.max_points,
                    "message": v.message,
                }
                for v in who.marks
            ],
            "corrections": [asdict(c) for c in who.corrections],
            "missing": [v.exercise for v in who.marks if v.outcome == "missing"],
            "problems": who.problems,
            "results": [_result(r) for r in who.results],
        }
        for who in standing.learners
    ]
    return Export(json.dumps(learners, indent=1) + "\n", set_aside=standing.set_aside)
