"""What has changed since marks were written out: whose, from what to what, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from autograder.marks.standing import Learner, Standing
from autograder.model.text import clean

# What a change of the whole is listed under, where no exercise explains it.
WHOLE = "(all)"


@dataclass(frozen=True)
class ChangedMark:
    """One learner's points on one exercise, or on the whole: before and now, None where there were or are none.

    why: in words.
    """

    learner: str
    exercise: str
    before: float | None
    now: float | None
    why: str


def written(stands: Standing, form: str, version: str) -> dict[str, Any]:
    """The marks that an export writes, as plain values for the gradebook.

    form: what they were written for. version: of the grader.
    """
    return {
        "form": form,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": version,
        "learners": {who.name: _plain(who) for who in stands.learners},
    }


def _plain(who: Learner) -> dict[str, Any]:
    return {
        "points": who.points,
        "exercises": {v.exercise: v.points for v in who.marks},
        "files": sorted({r.digest for r in who.results}),
    }


def changes(before: Mapping[str, Any], stands: Standing, version: str) -> list[ChangedMark]:
    """Every mark that is not what was written, by learners and in the order of the course."""
    found: list[ChangedMark] = []
    regraded = before["version"] != version
    old_learners = dict(before["learners"])
    for who in stands.learners:
        old = old_learners.pop(who.name, None)
        if old is None:
            found.append(ChangedMark(who.name, WHOLE, None, who.points, "was not among the learners before"))
            continue
        found += _of(who, old, regraded)
    gone = (
        ChangedMark(name, WHOLE, old["points"], None, "is no longer among the learners")
        for name, old in old_learners.items()
    )
    return [*found, *gone]


def _of(who: Learner, old: Mapping[str, Any], regraded: bool) -> list[ChangedMark]:
    now = {v.exercise: v.points for v in who.marks}
    names = [*now, *(name for name in old["exercises"] if name not in now)]
    files = sorted({r.digest for r in who.results}) != old["files"]
    found = []
    for name in names:
        if old["exercises"].get(name) != now.get(name):
            why = _why(who, name, files, regraded)
            found.append(ChangedMark(who.name, name, old["exercises"].get(name), now.get(name), why))
    if old["points"] != who.points:
        why = (
            "the exercises above"
            if found and not who.remarks
            else "lateness, or a person's word on the whole"
        )
        found.append(ChangedMark(who.name, WHOLE, old["points"], who.points, why))
    return found


def _why(who: Learner, exercise: str, files: bool, regraded: bool) -> str:
    """The likeliest reason why a mark has changed."""
    if who.corrections_of(exercise):
        return "a person's word"
    if files:
        return "other files were handed in"
    judged = who.best.get(exercise)
    if regraded and judged is not None:
        return f"graded again: {judged.outcome}. {clean(judged.message)}"
    return "the assignment's points, frameworks or corrections"
