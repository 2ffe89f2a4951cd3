"""Marks as plain CSV, one row for each learner, or everything as JSON."""

import json
from typing import Any

from autograder.marks.exports.table import Export, csv_text
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import standing


def plain_csv(book: Gradebook) -> Export:
    """One row for each learner: points for each exercise, and in all."""
    stands = standing(book)
    rows: list[list[Any]] = [["learner", *stands.exercises, "points", "possible", "practice"]]
    for who in stands.learners:
        marks = [who.best[n].points if n in who.best else "" for n in stands.exercises]
        rows.append([who.name, *marks, who.points, who.possible, "practice" if stands.practice else ""])
    return Export(csv_text(rows), set_aside=stands.set_aside)


def plain_json(book: Gradebook) -> Export:
    """Everything that counts of what the gradebook holds."""
    stands = standing(book)
    found = [
        {
            "learner": who.name,
            "points": who.points,
            "possible": who.possible,
            "practice": stands.practice,
            "missing": [v.exercise for v in who.marks if v.outcome == "missing"],
            "problems": who.problems,
            "results": [
                {"submission": r.submission, "practice": r.practice, **r.verdict.as_dict()}
                for r in who.results
            ],
        }
        for who in stands.learners
    ]
    return Export(json.dumps(found, indent=1) + "\n", set_aside=stands.set_aside)
