"""Marks as plain CSV, one row for each learner, or everything as JSON."""

import json
from dataclasses import asdict
from typing import Any

from autograder.marks.exports.export import Export
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import standing_in
from autograder.marks.tables import csv_text


def plain_csv(book: Gradebook) -> Export:
    """One row for each learner: points for each exercise, and in all."""
    standing = standing_in(book)
    rows: list[list[Any]] = [
        ["learner", *standing.exercises, "points", "possible", "practice", "remarks", "graded", "checks"]
    ]
    for who in standing.learners:
        there = who.best.keys() | {c.exercise for c in who.corrections if c.points is not None}
        marks = [v.points if v.exercise in there else "" for v in who.marks]
        on = [f"{name}: {words}" for name in standing.exercises for words in who.words_on(name)]
        said = " ".join([*on, *who.remarks])
        practice = "practice" if standing.practice else ""
        rows.append([who.name, *marks, who.points, who.possible, practice, said, who.graded, who.checks])
    return Export(csv_text(rows), set_aside=standing.set_aside)


def plain_json(book: Gradebook) -> Export:
    """Everything that counts of what the gradebook holds."""
    standing = standing_in(book)
    found = [
        {
            "learner": who.name,
            "points": who.points,
            "possible": who.possible,
            "earned": who.earned,
            "late_days": who.late_days if who.is_timed else None,
            "remarks": who.remarks,
            "practice": standing.practice,
            "marks": [
                {"exercise": v.exercise, "points": v.points, "possible": v.max_points, "message": v.message}
                for v in who.marks
            ],
            "corrections": [asdict(c) for c in who.corrections],
            "missing": [v.exercise for v in who.marks if v.outcome == "missing"],
            "problems": who.problems,
            "results": [
                {
                    "submission": r.submission,
                    "practice": r.practice,
                    "graded": r.graded,
                    "check": r.version,
                    **r.verdict.as_dict(),
                }
                for r in who.results
            ],
        }
        for who in standing.learners
    ]
    return Export(json.dumps(found, indent=1) + "\n", set_aside=standing.set_aside)
