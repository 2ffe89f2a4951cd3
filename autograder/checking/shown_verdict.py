"""A verdict as `check` gives it: it shows itself in a notebook, and knows the learner's progress."""

from collections import defaultdict
from dataclasses import dataclass, fields

from autograder.diagnose.counterexample import Example
from autograder.html.render import verdict_html
from autograder.model.catalogue import all_exercises
from autograder.model.verdict import Verdict

# By exercise and framework: which share of its points the newest check in this kernel has given.
_shares: dict[str, dict[str, float]] = defaultdict(dict)


def note(verdict: Verdict) -> None:
    """Remember a verdict for the marks of later cells."""
    _shares[verdict.exercise][verdict.framework] = _share(verdict)


def _share(verdict: Verdict) -> float:
    return verdict.points / verdict.max_points if verdict.max_points else 0.0


@dataclass(frozen=True, repr=False)
class ShownVerdict(Verdict):
    """A verdict for the learner.

    progress: how many exercises are passed of all, in words.
    example: the smallest input found on which the answer is wrong, where no misconception is known.
    """

    progress: str | None = None
    example: Example | None = None

    @classmethod
    def of(
        cls, verdict: Verdict, progress: str | None = None, example: Example | None = None
    ) -> "ShownVerdict":
        """Return the same verdict, ready to be shown."""
        values = {f.name: getattr(verdict, f.name) for f in fields(Verdict)}
        return cls(**values, progress=progress, example=example)

    @property
    def stuck(self) -> str | None:
        """Return how to ask for a hint, in a learner's folder, where an answer is wrong and there are hints."""
        exercise = all_exercises().get(self.exercise)
        wrong = self.outcome in ("rejected", "error")
        offers_hint = self.progress and wrong and exercise and exercise.hints
        return f'Stuck? hint("{self.exercise}")' if offers_hint else None

    def __str__(self) -> str:
        parts = [super().__str__(), str(self.example or ""), self.progress or "", self.stuck or ""]
        return "\n  ".join(part.replace("\n", "\n  ") if i else part for i, part in enumerate(parts) if part)

    def mark(self, points: float | None = None, better: bool = False) -> "Mark":
        """Return the points, shown as the verdict: nbgrader takes the number that ends a cell for the mark.

        points: what the exercise is worth; the course's own points if not given. better: whether an answer in
        another framework that was checked before, in this kernel, counts where it is the better one.
        """
        share = max(_shares[self.exercise].values()) if better else _share(self)
        return Mark.of(self, share * self.max_points if points is None else share * points)

    def _repr_html_(self) -> str:
        return verdict_html(self, self.progress, str(self.example or ""), self.stuck)


class Mark(float):
    """A number of points. A notebook shows the verdict in its place; its plain text is the number."""

    verdict: ShownVerdict

    @classmethod
    def of(cls, verdict: ShownVerdict, points: float) -> "Mark":
        """Return the points that are given for a verdict."""
        mark = cls(points)
        mark.verdict = verdict
        return mark

    def __repr__(self) -> str:
        return f"{float(self):g}"

    def _repr_html_(self) -> str:
        return self.verdict._repr_html_()
