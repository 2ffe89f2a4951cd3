"""An assignment: its exercises and what each is worth, in which frameworks they count, and until when."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from typing import Any

from autograder.model.catalogue import all_exercises

# How answers in several frameworks count: the better one, or each an equal share.
BETTER, BOTH = "better", "both"
COUNTS = (BETTER, BOTH)
DAY = timedelta(days=1)
# Points are kept to so many digits: a tenth of 7 points is no binary fraction.
DIGITS = 4
# Keys of an assignment in JSON that do not stand for a value of their name as it is.
NOT_PLAIN = ("points", "stated", "frameworks", "late")
# What a file may hold, where nobody says otherwise.
MEGABYTES = 10.0
# The names of exercises to find faults: older gradebooks hold such, which no longer count.
FAULTS = re.compile(r"_faults_\d+$")


@dataclass(frozen=True)
class TimeLimits:
    """Seconds that a submission may take, by the names of an assignment's file and of the options of `grade`.

    For each call, its source, each exercise, all exercises together, and all files of one learner, of whom an archive
    may bring hundreds. An honest file takes less than a second, and the slowest call of the course's own solutions a
    quarter of one. A training at a notebook's top level that takes longer than its source may is stopped, and what is
    defined is judged.
    """

    call_seconds: float = 1.0
    source_seconds: float = 2.5
    seconds: float = 60.0
    submission_seconds: float = 300.0
    learner_seconds: float = 600.0

    @classmethod
    def of(cls, limits: Mapping[str, float]) -> "TimeLimits":
        """Return the time limits that are stated, and the usual ones for the rest."""
        time_limits = replace(cls(), **{f.name: limits[f.name] for f in fields(cls) if f.name in limits})
        return replace(time_limits, source_seconds=min(time_limits.source_seconds, time_limits.seconds))


@dataclass(frozen=True)
class LateRule:
    """Until when an assignment is due, and what lateness costs.

    grace: so long after `due` nothing is late. per_cent: of what was earned, for each day that has begun.
    last: what comes later counts nothing; None if there is no such time.
    """

    due: datetime
    grace: timedelta = timedelta()
    per_cent: float = 0.0
    last: datetime | None = None

    def days(self, handed_in: datetime) -> int:
        """Return how many days late, each counted when it begins; 0 within the grace."""
        late = handed_in - self.due
        return 0 if late <= self.grace else math.ceil(late / DAY)

    def is_over(self, handed_in: datetime) -> bool:
        """Return whether it came after the last moment at which anything counts."""
        return self.last is not None and handed_in > self.last

    def moved_to(self, due: datetime) -> "LateRule":
        """Return the rule with another due date; the last moment moves by as much."""
        return replace(self, due=due, last=self.last and self.last + (due - self.due))

    def share_left(self, days: float) -> float:
        """Return what remains of the points after so many days, from 0 to 1."""
        return max(0.0, 1 - days * self.per_cent / 100)


@dataclass(frozen=True)
class Assignment:
    """What is graded, and how it counts.

    exercises: what each is worth. is_selection: whether they were named; all of the course is what a run grades
    where none is named. name: empty where there is no assignment's file. frameworks: those in which answers count;
    all if there is none. count: one of COUNTS. limits: of `TimeLimits`, and the megabytes of a file. file: where that
    file lies; empty if there is none. partial: shares of the points for what is nearly right, from 0 to 1, as
    `partial_share` reads them; `one_framework` is for what is right in one framework, where both are asked for.
    """

    exercises: Mapping[str, float]
    is_selection: bool = True
    name: str = ""
    frameworks: tuple[str, ...] = ()
    count: str = BETTER
    late: LateRule | None = None
    limits: Mapping[str, float] = field(default_factory=dict)
    file: str = ""
    partial: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, names: Iterable[str]) -> "Assignment":
        """Return an assignment of these exercises with the course's own points, the better framework counting."""
        names, exercises = set(names), all_exercises()
        points = {name: float(e.points) for name, e in exercises.items() if name in names}
        return cls(points, is_selection=len(points) < len(exercises))

    @property
    def megabytes(self) -> float:
        """Return what a submission may hold, in megabytes."""
        return self.limits.get("megabytes", MEGABYTES)

    def sharing_frameworks(self, exercise: str) -> tuple[str, ...]:
        """Return the frameworks that an exercise's points are shared among; none if the better one has them all.

        A shape or a count is the same in every framework, and counts once.
        """
        if self.count != BOTH or needs_no_framework(exercise):
            return ()
        return self.frameworks

    def counts(self, exercise: str, framework: str) -> bool:
        """Return whether an answer in this framework counts. What needs none counts, whichever it was tried in."""
        return not self.frameworks or framework in self.frameworks or needs_no_framework(exercise)

    def partial_share(self, failed_stage: str | None, misconception: str | None) -> float:
        """Return the share of the points for an answer that is wrong in its gradients alone, or by one idea alone."""
        by_idea: float = self.partial.get("ideas", {}).get(misconception, 0)
        return max(by_idea, self.partial.get("gradients", 0) if failed_stage == "gradients" else 0)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values only, ready for JSON."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        plain |= {"points": plain.pop("exercises"), "stated": plain.pop("is_selection")}
        late = self.late and {
            "due": self.late.due.isoformat(),
            "grace": self.late.grace.total_seconds(),
            "per_cent": self.late.per_cent,
            "last": self.late.last and self.late.last.isoformat(),
        }
        return {**plain, "frameworks": list(self.frameworks), "late": late}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> "Assignment":
        """Return the assignment that `as_dict` made plain."""
        points = {name: worth for name, worth in plain["points"].items() if not FAULTS.search(name)}
        rest = {name: value for name, value in plain.items() if name not in NOT_PLAIN}
        rule = None
        if late := plain["late"]:
            due, last = (moment and datetime.fromisoformat(moment) for moment in (late["due"], late["last"]))
            rule = LateRule(due, timedelta(seconds=late["grace"]), late["per_cent"], last)
        return cls(points, plain["stated"], frameworks=tuple(plain["frameworks"]), late=rule, **rest)


# Where nobody says how answers count.
EVERY_ANSWER = Assignment({}, is_selection=False)


def needs_no_framework(exercise: str) -> bool:
    """Return whether an exercise asks for plain values alone, such as a shape or a count."""
    target = all_exercises().get(exercise)
    return target is not None and target.is_plain


def rounded(points: float) -> float:
    """Return points without the dust of binary fractions."""
    return round(points, DIGITS)
