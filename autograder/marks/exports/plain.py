"""Marks as plain CSV, one row for each learner, or everything as JSON."""

import json
from dataclasses import asdict
from typing import Any

from autograder.marks.exports.table import Export, csv_text
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import standing


def plain_csv(book: Gradebook) -> Export:
    """One row for each learner: points for each exercise, and in all."""
    stands = standing(book)
    rows: list[list[Any]] = [
        ["learner", *stands.exercises, "points", "possible", "practice", "remarks", "graded", "checks"]
    ]
    for who in stands.learners:
        there = who.best.keys() | {c.exercise for c in who.corrections if c.points is not None}
        marks = [v.points if v.exercise in there else "" for v in who.marks]
        on = [f"{name}: {words}" for name in stands.exercises for words in who.words_on(name)]
        said = " ".join([*on, *who.remarks])
        practice = "practice" if stands.practice else ""
        rows.append([who.name, *marks, who.points, who.possible, practice, said, who.graded, who.checks])
    return Export(csv_text(rows), set_aside=stands.set_aside)


def plain_json(book: Gradebook) -> Export:
    """Everything that counts of what the gradebook holds."""
    stands = standing(book)
    found = [
        {
            "learner": who.name,
            "points": who.points,
            "possible": who.possible,
            "earned": who.earned,
            "late_days": who.late_days if who.is_timed else None,
            "remarks": who.remarks,
            "practice": stands.practice,
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
        for who in stands.learners
    ]
    return Export(json.dumps(found, indent=1) + "\n", set_aside=stands.set_aside)
