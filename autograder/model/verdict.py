"""What the judge says of a submission."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from autograder.model.exercise import Exercise
from autograder.model.finding import Kind

OUTCOMES = ("accepted", "rejected", "error", "timeout", "tampering", "missing")
MAX_MAP = 400
# How near counts as equal, by the precision of a case; plain numbers are computed in full precision.
RTOL = {"float32": 1e-4, "float16": 5e-3, "plain": 1e-4}
ATOL = {"float32": 1e-5, "float16": 2e-3, "plain": 1e-6}
NOT_WRITTEN = "Not written yet: it still raises NotImplementedError."
REFUSED_IMPORT = (
    "Its import of {name} from {module} is refused: an answer may import only what its exercise names, so "
    "write {name} beside it."
)

WRONG_HELPERS = "It uses {}, which {} not accepted either."
# What gradebooks and JSON call these fields.
STORED = {"failed_stage": "layer", "is_settled": "final", "axis_lengths": "sizes", "fingerprint": "computed"}


@dataclass(frozen=True)
class Difference:
    """Where an array first differs most from the expected one.

    got and expected are the matrices around that place, for a picture; None where the
    shapes differ. dtype: the precision of the case, which decides how close is equal.
    """

    output: str
    where: tuple[int, ...]
    got: float
    expected: float
    got_map: np.ndarray | None = None
    expected_map: np.ndarray | None = None
    dtype: str = "float32"


@dataclass(frozen=True)
class Verdict:
    """One outcome for one exercise in one framework.

    failed_stage: the first stage of the judge that failed (contract, values, properties, gradients), "misconception" where a
    wrong idea has been found behind it, or None. message: one or two sentences for the learner. kind: of what they say first. flag: what a teacher
    should look at in the source, whatever the outcome. is_settled: whether another run would find the same; what is not
    is graded again.
    raised: the exception that the message explains. cause: what the message says of any answer that stops so.
    axis_lengths: of the case, by the names of the axes. fingerprint: what a wrong answer without a name computes, in numbers.
    """

    exercise: str
    framework: str
    outcome: str
    message: str
    points: float = 0
    max_points: float = 0
    failed_stage: str | None = None
    misconception: str | None = None
    hint: str | None = None
    case: str | None = None
    difference: Difference | None = None
    flag: str | None = None
    is_settled: bool = True
    raised: str | None = None
    axis_lengths: str | None = None
    kind: Kind | None = None
    cause: str | None = None
    fingerprint: tuple[float, ...] | None = None

    @property
    def case_and_sizes(self) -> str | None:
        """Return the case and its sizes, in one line."""
        return f"{self.case} ({self.axis_lengths})" if self.case and self.axis_lengths else self.case

    @property
    def details(self) -> list[str]:
        """Return what there is to say besides the message, in lines: the exception, the case, what came out there."""
        lines = [self.raised] if self.raised else []
        if self.case_and_sizes and self.outcome != "accepted":
            lines.append(f"case: {self.case_and_sizes}")
        if self.difference is not None:
            lines.append(describe(self.difference))
        return lines

    def as_dict(self) -> dict[str, Any]:
        """Return plain values only, ready for JSON."""
        names = [f.name for f in fields(Verdict) if f.name != "difference"]
        flat = {STORED.get(name, name): getattr(self, name) for name in names}
        if self.difference is not None:
            d = self.difference
            maps = {"got_map": _rounded(d.got_map), "expected_map": _rounded(d.expected_map)}
            numbers = {"got": str(d.got), "expected": str(d.expected), "where": list(d.where)}
            flat["difference"] = {**vars(d), **numbers, **maps}
        return flat

    @classmethod
    def from_dict(cls, flat: dict[str, Any]) -> "Verdict":
        """Return the verdict that `as_dict` made plain."""
        values = {f.name: flat[k] for f in fields(Verdict) if (k := STORED.get(f.name, f.name)) in flat}
        values["kind"] = next((kind for kind in Kind if kind == flat.get("kind")), None)
        if "kind" not in flat and flat["message"] == NOT_WRITTEN:  # no kind was kept yet
            values["kind"] = Kind.NOT_WRITTEN
        if values.get("fingerprint"):
            values["fingerprint"] = tuple(values["fingerprint"])
        if (d := flat.get("difference")) is not None:
            arrays = {name: d[name] for name in ("got_map", "expected_map") if d[name] is not None}
            maps = {name: np.array(rows, dtype=float) for name, rows in arrays.items()}
            numbers = {"got": float(d["got"]), "expected": float(d["expected"]), "where": tuple(d["where"])}
            values["difference"] = Difference(**{**d, **numbers, **maps})
        return cls(**values)

    def __str__(self) -> str:
        word = "passed" if self.outcome == "accepted" else self.outcome
        lines = [f"{self.exercise} ({self.framework}): {word}", self.message, *self.details]
        return "\n  ".join(lines)

    __repr__ = __str__


def unjudged(exercise: Exercise, framework: str, outcome: str, message: str, **more: Any) -> Verdict:
    """Return the verdict on an answer that the judge does not see: it is missing, or does not run. more: of its fields."""
    return Verdict(exercise.name, framework, outcome, message, max_points=exercise.points, **more)


def not_written(exercise: Exercise, framework: str) -> Verdict:
    """Return the verdict on a stub that is as it was handed out."""
    return unjudged(exercise, framework, "missing", NOT_WRITTEN, kind=Kind.NOT_WRITTEN)


def is_wrong(verdict: Verdict) -> bool:
    """Return whether an answer was written and is not right."""
    return verdict.outcome not in ("accepted", "missing")


def with_wrong_helpers(verdict: Verdict, helpers: Iterable[str]) -> Verdict:
    """Return the verdict on a wrong answer, and in a sentence which other wrong answers it uses: one mistake may show in both."""
    names = sorted(helpers)
    if not names or not is_wrong(verdict):
        return verdict
    sentence = WRONG_HELPERS.format(" and ".join(names), "is" if len(names) == 1 else "are")
    return replace(verdict, message=f"{verdict.message} {sentence}")


def most_telling(tried: Sequence[Verdict]) -> Verdict:
    """Return from verdicts on one answer in several frameworks the accepted one, or else one that names what is wrong.

    An answer that names no framework stops with an error in those that it was not written for.
    """
    return max(tried, key=lambda v: (v.points, v.outcome == "rejected", v.outcome != "missing"))


def _rounded(matrix: np.ndarray | None) -> list[list[str]] | None:
    """Return a small matrix as text, since JSON has no NaN and no infinity."""
    if matrix is None or matrix.size > MAX_MAP:
        return None
    return [[f"{value:.5g}" for value in row] for row in matrix]


def describe(difference: Difference) -> str:
    """Return the place, what was got and what was expected, in one line."""
    index = ", ".join(map(str, difference.where))
    return f"{difference.output}[{index}]: got {difference.got:.6g}, expected {difference.expected:.6g}"
