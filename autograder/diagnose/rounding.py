"""Whether rounding is what makes values wrong: the answer is called again in double precision.

An answer that is right there has the right formula, computed in a way that loses digits. One that is wrong there
too, and otherwise, shows its idea there more clearly.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from autograder.judge.compare import same
from autograder.judge.protocol import Answer
from autograder.model.exercise import Case, Exercise
from autograder.model.finding import Finding, Kind

IN_DOUBLE = "In double precision all its values are right: the formula is right, but"
LOST = (
    "rounding makes them wrong. Digits are lost where two numbers that are nearly equal are subtracted, and where numbers are far larger than "
    "what comes out."
)
NO_ROOM = "a number on the way is too large for {type}, as exp({large}) is, or so small that it becomes 0, as exp(−{small}) does."
# From where on the exponential is too large for a type; of which negative number it is 0.
LIMITS = {"float16": ("half precision", 12, 18), "float32": ("single precision", 89, 104)}


def double(case: Case) -> Case:
    """The case, with the same numbers, handed in in double precision."""
    return replace(case, dtype="float64")


def in_double(
    exercise: Exercise,
    cases: Sequence[Case],
    answers: Sequence[Answer],
    ask: Callable[[], list[Answer]],
) -> list[Answer] | None:
    """The answers in double precision; None where none differs, or where the answer does not run so.

    ask: calls the answer on all cases in double precision, up to the first call that fails.
    """
    exact = ask()
    if len(exact) < len(cases) or exact[-1].failed:
        return None
    alike = (
        same(exercise, case, mine.outputs, other.outputs)
        for case, mine, other in zip(cases, answers, exact, strict=True)
    )
    return None if all(alike) else exact


def rounded_away(problem: Finding, dtype: str) -> Finding:
    """What is said of values that are right in double precision alone. problem: what is wrong with them."""
    kind, large, small = LIMITS[dtype]
    finite = problem.kind != Kind.NOT_FINITE
    cause = LOST if finite else NO_ROOM.format(type=kind, large=large, small=small)
    return Finding(Kind.ROUNDING, f"{problem.words} {IN_DOUBLE} {cause}")
