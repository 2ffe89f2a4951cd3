"""What has changed since marks were written out: whose, from what to what, and why.

What a mark follows from is kept with it: a reason is given only where that has changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from autograder.marks.standing import Learner, Standing
from autograder.model.text import clean
from autograder.model.verdict import Verdict

# What a change of the whole is listed under.
WHOLE = "(all)"
FRAMEWORKS = "the assignment's frameworks, how they count, or partial credit"


@dataclass(frozen=True)
class ChangedMark:
    """One learner's points on one exercise, or on the whole: before and now, None where there were or are none.

    why: in words. explanation: what the points of the whole follow from now, in one line.
    """

    learner: str
    exercise: str
    before: float | None
    now: float | None
    why: str
    explanation: str = ""


def record(standing: Standing, export_format: str) -> dict[str, Any]:
    """Return the marks that an export writes and what they follow from, as plain values for the gradebook.

    export_format: what they were recorded for.
    """
    return {
        "form": export_format,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "learners": {who.name: _recorded(who) for who in standing.learners},
    }


def _recorded(who: Learner) -> dict[str, Any]:
    return {
        "points": who.points,
        "marks": {v.exercise: _mark(who, v) for v in who.marks},
        "rules": [list(who.assignment.frameworks), who.assignment.count],
        "late": [who.late_days, who.share_left],
        "said": [[c.points, c.late_days] for c in who.corrections_of("")],
    }


def _mark(who: Learner, mark: Verdict) -> dict[str, Any]:
    """Return points, the exercise's worth, a person's points, and of each framework the file and if it is right."""
    frameworks = who.assignment.sharing_frameworks(mark.exercise) or (mark.framework,)
    results = {f: who.result_behind(replace(mark, framework=f)) for f in frameworks}
    return {
        "points": mark.points,
        "worth": mark.max_points,
        "said": who.corrected_points(mark.exercise),
        "answers": {f: [r.digest, r.verdict.outcome == "accepted"] for f, r in results.items() if r},
    }


def changes(before: Mapping[str, Any], standing: Standing) -> list[ChangedMark]:
    """Return every mark that is not what was recorded, by learners and in the order of the course."""
    old_learners = dict(before["learners"])
    marks: list[ChangedMark] = []
    for who in standing.learners:
        old = old_learners.pop(who.name, None)
        if who.is_waiting:
            continue  # what is not graded yet has not changed
        new = ChangedMark(who.name, WHOLE, None, who.points, "was not among the learners before")
        marks += _of_one(who, old) if old else [new]
    why = "is no longer among the learners"
    return marks + [ChangedMark(name, WHOLE, old["points"], None, why) for name, old in old_learners.items()]


def _of_one(who: Learner, old: Mapping[str, Any]) -> list[ChangedMark]:
    plain = _recorded(who)
    marks, old_marks = plain["marks"], old["marks"]
    changed_marks = []
    for name in {**marks, **old_marks}:
        was, now = old_marks.get(name), marks.get(name)
        before, after = was and was["points"], now and now["points"]
        if before != after:
            why = "it does not count any more" if was else "it did not count before"
            if was and now:
                why = _why(who, name, was, now, plain["rules"] != old["rules"])
            changed_marks.append(ChangedMark(who.name, name, before, after, why))
    if old["points"] != who.points:
        why = _why_in_all(old, plain, bool(changed_marks))
        changed_marks.append(ChangedMark(who.name, WHOLE, old["points"], who.points, why, who.explanation))
    return changed_marks


def _why(who: Learner, name: str, was: Mapping[str, Any], now: Mapping[str, Any], other_rules: bool) -> str:
    if was["said"] != now["said"]:
        return "the correction was taken back" if now["said"] is None else "corrected by a person"
    why = []
    if was["worth"] != now["worth"]:
        why.append(f"it is worth {now['worth']:g} points, and was worth {was['worth']:g}")
    old, new = was["answers"], now["answers"]
    if other_rules and old.keys() != new.keys():
        why.append(FRAMEWORKS)
        both = old.keys() & new.keys()
        old, new = ({f: answers[f] for f in both} for answers in (old, new))
    if old != new:
        why.append(_why_judged(who.best.get(name), old, new))
    return "; ".join(filter(None, why)) or FRAMEWORKS


def _why_judged(mark: Verdict | None, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Return why what was handed in is more or less right than before; empty where it is not.

    old, new: by frameworks the digest of the file that counts, and if its answer is right.
    """
    if sorted(right for _, right in old.values()) == sorted(right for _, right in new.values()):
        return ""
    if not old or not new:
        return "there is an answer now, and was none" if new else "there is no answer any more"
    if {digest for digest, _ in old.values()} != {digest for digest, _ in new.values()}:
        return "another file counts"
    return f"graded again: {mark.outcome}. {clean(mark.message)}" if mark else ""


def _why_in_all(was: Mapping[str, Any], now: Mapping[str, Any], by_exercises: bool) -> str:
    """Return why the points of the whole have changed. by_exercises: whether those of an exercise have."""
    why = ["the exercises above"] * by_exercises
    (old_days, old_share), (days, share) = was["late"], now["late"]
    if was["said"] != now["said"]:
        why.append("the whole was corrected by a person")
    elif share != old_share:
        late = f"days late: {days:g}, and before {old_days:g}"
        why.append(late if days != old_days else "what the assignment says of lateness")
    return "; ".join(why)
