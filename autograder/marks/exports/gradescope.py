"""Gradescope's results.json of one learner, as its autograder documentation describes."""

import json
from collections.abc import Sequence
from typing import Any

from autograder.marks.exports.table import Export
from autograder.marks.standing import Learner
from autograder.model.catalogue import all_exercises
from autograder.model.text import clean
from autograder.model.verdict import Verdict


def gradescope(who: Learner | None, exercises: Sequence[str], problem: str = "") -> Export:
    """results.json for one learner; with a problem in place of results if there are none."""
    best = who.best if who is not None else {}
    tests = [_test(i, name, best.get(name)) for i, name in enumerate(exercises, 1)]
    words = problem or " ".join(who.problems if who is not None else [])
    report = {
        "score": sum(test["score"] for test in tests),
        "output": clean(words) or "Each exercise says what was right, or what is wrong first.",
        "output_format": "text",
        "test_output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "execution_time": round(who.seconds, 3) if who is not None else 0,
        "tests": tests,
    }
    return Export(json.dumps(report, indent=1) + "\n")


def _test(number: int, name: str, verdict: Verdict | None) -> dict[str, Any]:
    exercise = all_exercises()[name]
    verdict = verdict or Verdict(name, "", "missing", "Nothing that was handed in defines it.")
    return {
        "name": exercise.title,
        "number": str(number),
        "score": float(verdict.points),
        "max_score": float(exercise.points),
        "status": "passed" if verdict.outcome == "accepted" else "failed",
        "output": clean(verdict.message),
        "output_format": "text",
        "visibility": "visible",
        "tags": [exercise.topic],
        "extra_data": {"outcome": verdict.outcome, "misconception": verdict.misconception},
    }
