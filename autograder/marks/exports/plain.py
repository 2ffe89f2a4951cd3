"""Marks as plain CSV, one row for each learner, or everything as JSON."""

import json
from typing import Any

from autograder.marks.exports.table import Export, csv_text
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import counted, learners, possible


def plain_csv(book: Gradebook) -> Export:
    """One row for each learner: points for each exercise, and in all."""
    everyone = learners(book)
    names = counted(book, everyone)
    rows: list[list[Any]] = [["learner", *names, "points", "possible", "practice"]]
    for who in everyone:
        marks = [who.best[n].points if n in who.best else "" for n in names]
        rows.append([who.name, *marks, who.points, possible(names), "practice" if who.practice else ""])
    return Export(csv_text(rows))


def plain_json(book: Gradebook) -> Export:
    """Everything that the gradebook holds on the current submissions."""
    found = [
        {
            "learner": who.name,
            "points": who.points,
            "problems": who.problems,
            "results": [
                {"submission": r.submission, "practice": r.practice, **r.verdict.as_dict()}
                for r in who.results
            ],
        }
        for who in learners(book)
    ]
    return Export(json.dumps(found, indent=1) + "\n")
