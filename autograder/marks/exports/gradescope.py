"""Gradescope's results.json of one learner, as its autograder documentation describes."""

import json
from dataclasses import replace
from typing import Any

from autograder.marks.exports.export import Export
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import PRACTICE, Learner, standing_in
from autograder.model.catalogue import all_exercises
from autograder.model.errors import UsageError
from autograder.model.results import identity
from autograder.model.text import clean
from autograder.model.verdict import Verdict

SAID = "Each exercise says what was right, or what is wrong first."


def of_one_learner(book: Gradebook, learner: str | None = None) -> Export:
    """results.json for a learner of a gradebook, who need not be named where there is one alone."""
    standing = standing_in(book)
    found = [w for w in standing.learners if learner is None or identity(learner) == identity(w.name)]
    if len(found) != 1:
        names = clean(", ".join(who.name for who in standing.learners)) or "nobody"
        raise UsageError(f"Say whose results: --learner NAME. The gradebook has {names}.")
    if found[0].is_open:
        raise UsageError(f"{clean(found[0].name)} has no mark yet: {clean(found[0].not_graded)}")
    made = gradescope(found[0], practice=standing.practice)
    return replace(made, set_aside=standing.set_aside, of_all=False)


def gradescope(who: Learner, problem: str = "", practice: bool = False) -> Export:
    """results.json for one learner. problem: what is said in place of everything else.

    practice: whether these are no official marks, which the learner is then told.
    """
    words = problem or " ".join([*who.problems, *who.remarks]) or SAID
    report = {
        "score": who.points,
        "output": clean(f"{PRACTICE} {words}" if practice else words),
        "output_format": "text",
        "test_output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "execution_time": round(who.seconds, 3),
        "extra_data": {"practice": practice, "graded": who.graded},
        "tests": [_test(i, verdict, who) for i, verdict in enumerate(who.marks, 1)],
    }
    return Export(json.dumps(report, indent=1) + "\n")


def _test(number: int, verdict: Verdict, who: Learner) -> dict[str, Any]:
    exercise = all_exercises()[verdict.exercise]
    given = who.given.get(verdict.exercise)
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
            "check": given.version if given else "",
        },
    }
