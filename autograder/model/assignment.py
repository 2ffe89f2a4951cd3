"""An assignment: its exercises and what each is worth, in which frameworks they count, and until when."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from autograder.model.catalogue import all_exercises

# How answers in several frameworks count: the better one, or each an equal share.
BETTER, BOTH = "better", "both"
COUNTS = (BETTER, BOTH)
DAY = timedelta(days=1)
# Points are kept to so many digits: a tenth of 7 points is no binary fraction.
DIGITS = 4


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
        """How many days late, each counted when it begins; 0 within the grace."""
        late = handed_in - self.due
        return 0 if late <= self.grace else math.ceil(late / DAY)

    def is_over(self, handed_in: datetime) -> bool:
        """Whether it came after the last moment at which anything counts."""
        return self.last is not None and handed_in > self.last

    def share(self, days: float) -> float:
        """What remains of the points after so many days, from 0 to 1."""
        return max(0.0, 1 - days * self.per_cent / 100)


@dataclass(frozen=True)
class Assignment:
    """What is graded, and how it counts.

    exercises: what each is worth. stated: whether they were named; all of the course is what a run grades where
    none is named. name: empty where there is no assignment's file. frameworks: those in which answers count;
    all if there is none. count: one of COUNTS. limits: seconds, and the megabytes of a file, by the names that the
    assignment's file gives them. file: where that file lies; empty if there is none.
    """

    exercises: Mapping[str, float]
    stated: bool = True
    name: str = ""
    frameworks: tuple[str, ...] = ()
    count: str = BETTER
    late: LateRule | None = None
    limits: Mapping[str, float] = field(default_factory=dict)
    file: str = ""

    @classmethod
    def of(cls, names: Iterable[str]) -> "Assignment":
        """These exercises with the course's own points, the better framework counting."""
        names, known = set(names), all_exercises()
        points = {name: float(e.points) for name, e in known.items() if name in names}
        return cls(points, stated=len(points) < len(known))

    def shares(self, exercise: str) -> tuple[str, ...]:
        """The frameworks that an exercise's points are shared among; none if the better one has them all.

        A shape or a count is the same in every framework, and counts once.
        """
        if self.count != BOTH or needs_no_framework(exercise):
            return ()
        return self.frameworks

    def counts(self, exercise: str, framework: str) -> bool:
        """Whether an answer in this framework counts. What needs none counts, whichever it was tried in."""
        return not self.frameworks or framework in self.frameworks or needs_no_framework(exercise)

    def as_dict(self) -> dict[str, Any]:
        """Plain values only, ready for JSON."""
        late = self.late
        return {
            "points": dict(self.exercises),
            "stated": self.stated,
            "name": self.name,
            "frameworks": list(self.frameworks),
            "count": self.count,
            "late": late
            and {
                "due": late.due.isoformat(),
                "grace": late.grace.total_seconds(),
                "per_cent": late.per_cent,
                "last": late.last and late.last.isoformat(),
            },
            "limits": dict(self.limits),
            "file": self.file,
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> "Assignment":
        """The assignment that `as_dict` made plain; what an older gradebook does not say is the default."""
        late = plain.get("late")
        rule = late and LateRule(
            datetime.fromisoformat(late["due"]),
            timedelta(seconds=late["grace"]),
            late["per_cent"],
            datetime.fromisoformat(late["last"]) if late["last"] else None,
        )
        return cls(
            plain["points"],
            plain["stated"],
            plain.get("name", ""),
            tuple(plain.get("frameworks", ())),
            plain.get("count", BETTER),
            rule or None,
            plain.get("limits", {}),
            plain.get("file", ""),
        )


def needs_no_framework(exercise: str) -> bool:
    """Whether an exercise asks for plain values alone, such as a shape or a count."""
    known = all_exercises().get(exercise)
    return known is not None and all(output.plain for output in known.returns)


def rounded(points: float) -> float:
    """Points without the dust of binary fractions."""
    return round(points, DIGITS)
