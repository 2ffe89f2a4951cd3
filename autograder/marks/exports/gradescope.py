"""Gradescope's results.json of one learner, as its autograder documentation describes."""

import json
from typing import Any

from autograder.marks.standing import PRACTICE, Learner
from autograder.model.catalogue import all_exercises
from autograder.model.text import clean
from autograder.model.verdict import Verdict

DEFAULT_OUTPUT = "Each exercise says what was right, or what is wrong first."


def gradescope(who: Learner, problem: str = "", practice: bool = False) -> str:
    """Return results.json for one learner. problem: what is said in place of everything else.

    practice: whether these are no official marks, which the learner is then told.
    """
    words = problem or " ".join([*who.problems, *who.remarks]) or DEFAULT_OUTPUT
    report = {
        "score": who.points,
        "output": clean(f"{PRACTICE} {words}" if practice else words),
        "output_format": "text",
        "test_output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "execution_time": round(who.seconds, 3),
        "extra_data": {"practice": practice, "graded": who.graded_at},
        "tests": [_test(i, verdict, who) for i, verdict in enumerate(who.marks, 1)],
    }
    return json.dumps(report, indent=1) + "\n"


def _test(number: int, verdict: Verdict, who: Learner) -> dict[str, Any]:
    exercise = all_exercises()[verdict.exercise]
    result = who.counting_results.get(verdict.exercise)
    return {
        "name": exercise.title,
        "number": str(number),
        "score": float(verdict.points),
        "max_score": float(who.exercises[verdict.exercise]),
        "status": "passed" if verdict.outcome == "accepted" else "failed",
        "output": "\n".join(clean(line) for line in [verdict.message, *verdict.details]),
        "output_format": "text",
        "visibility": "visible",
        "tags": [exercise.topic],
        "extra_data": {
            "outcome": verdict.outcome,
            "misconception": verdict.misconception,
            "check": result.version if result else "",
        },
    }
