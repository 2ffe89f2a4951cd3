"""How wrong values relate to the right ones: a factor, another order, the places where they agree.

What is said of an answer that nothing names. Every relation is computed on all cases in which the answer is
wrong, and none is said that does not hold on each of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from autograder.diagnose.phrases import agreeing
from autograder.diagnose.relations_of_cases import (
    ATOL,
    RTOL,
    Compared,
    close,
)
from autograder.diagnose.where_wrong import WrongResult, where_right
from autograder.judge.compare import right_entries
from autograder.judge.sizes import sizes
from autograder.model.exercise import Case, Exercise
from autograder.model.finding import Finding, Kind

Array = np.ndarray
# How many different numbers a relation must hold for.
FEWEST = 4
# What share of the largest number counts as nearly nothing.
NEAR = 0.02


Relation = Callable[[str, list[WrongResult]], str | None]


def relation(compared: Compared) -> Finding | None:
    """The first relation of arrays that holds; None if none does."""
    for index, pairs in _outputs(compared):
        if found := _of_output(compared.exercise, index, pairs):
            right, count = len(compared.cases) - len(pairs), len(compared.cases)
            also = f" ({right} of {count} cases {'is' if right == 1 else 'are'} right.)" if right else ""
            return replace(found, words=f"{found.words}{also}")
    return None


def _of_output(exercise: Exercise, index: int, pairs: list[WrongResult]) -> Finding | None:
    name = exercise.returns[index].name
    if all(close(p.got, p.right) for p in pairs):
        said = _nearly(name, pairs)
        return Finding(Kind.RELATED, said) if said else None
    if said := _an_input(exercise, name, pairs):
        return Finding(Kind.RELATED, said)
    if said := _factor_of_a_size(exercise, name, pairs):
        return Finding(Kind.FACTOR, said)
    for known in RELATIONS:
        if said := known(name, pairs):
            return Finding(KINDS.get(known, Kind.RELATED), said)
    said = where_right(exercise, index, pairs)
    return Finding(Kind.RELATED, said) if said else None


def _outputs(compared: Compared) -> Iterator[tuple[int, list[WrongResult]]]:
    """Each output that is wrong somewhere, in the cases where it is, as real numbers that can be compared."""
    for index, output in enumerate(compared.exercise.returns):
        pairs = []
        for i in compared.wrong:
            got, right = compared.answers[i][index], compared.expected[i][index]
            if not isinstance(got, np.ndarray) or got.shape != np.shape(right) or got.size < 2:
                break
            got, right = got.astype(float), np.asarray(right, dtype=float)
            if not (np.isfinite(got).all() and np.isfinite(right).all()):
                break
            if not (entries := right_entries(output, compared.cases[i], got, right)).all():
                pairs.append(WrongResult(compared.cases[i], got, right, ~entries))
        else:
            if pairs and sum(len(np.unique(p.right)) for p in pairs) >= FEWEST:
                yield index, pairs


# Relations of numbers: each takes an output's name and all pairs


def _one_number(name: str, pairs: list[WrongResult]) -> str | None:
    if all(np.ptp(p.got) < ATOL for p in pairs):
        found = {round(float(p.got.flat[0]), 3) for p in pairs}
        which = f"{found.pop():g}" if len(found) == 1 else "the same number within a case"
        return f"Every entry of {name} is {which}."
    return None


def _factor(name: str, pairs: list[WrongResult]) -> str | None:
    """One factor for all entries."""
    factors = [_ratio(p) for p in pairs]
    known = [f for f in factors if f is not None]
    if len(known) < len(pairs):
        return None
    if np.allclose(known, known[0], rtol=RTOL):
        return f"Your {name} {_is_right(name)} times {known[0]:.4g}, in each case."
    return (
        f"Your {name} {_is_right(name)} times a number, {_listed(known)}: a factor that depends on the case."
    )


def _factor_of_a_size(exercise: Exercise, name: str, pairs: list[WrongResult]) -> str | None:
    """A factor that is a size of each case, its root, or 1 over one of these."""
    factors = [f for f in map(_ratio, pairs) if f is not None]
    if len(factors) < len(pairs):
        return None
    words = _as_a_size(factors, [_sizes_and_sums(exercise, p.case) for p in pairs])
    return f"Your {name} {_is_right(name)} {words}, in each case." if words else None


def _sizes_and_sums(exercise: Exercise, case: Case) -> dict[str, int]:
    """The sizes of a case by the names of their axes, and the sums of two: "d_q + d_k"."""
    known = sizes(exercise, case)
    return {**known, **{f"{a} + {b}": known[a] + known[b] for a, b in combinations(known, 2)}}


def _as_a_size(factors: Sequence[float], lengths: Sequence[Mapping[str, int]]) -> str | None:
    """What the factors are in words, "divided by num_keys"; None if they are all the same, or no size.

    factors, lengths: of each case, in which the sizes stand by their names.
    """
    if np.ptp(factors) < RTOL:
        return None
    for name in lengths[0]:
        found = np.array([known.get(name, 0) for known in lengths], dtype=float)
        if not found.all():
            continue
        ways = {
            "multiplied by": found,
            "divided by": 1 / found,
            "multiplied by the square root of": np.sqrt(found),
            "divided by the square root of": 1 / np.sqrt(found),
        }
        for words, expected in ways.items():
            if np.allclose(factors, expected, rtol=RTOL):
                return f"{words} {name}"
    return None


def _ratio(p: WrongResult) -> float | None:
    size = float((p.right**2).sum())
    factor = float((p.got * p.right).sum()) / size if size > ATOL else 0.0
    return factor if factor and np.ptp(p.right) > ATOL and close(p.got, factor * p.right) else None


def _shift(name: str, pairs: list[WrongResult]) -> str | None:
    """One number added to all entries, or one to each row."""
    if all(np.ptp(p.got - p.right) < 10 * ATOL and np.ptp(p.right) > 0.01 for p in pairs):
        added = [float((p.got - p.right).mean()) for p in pairs]
        return f"Your {name} {agreeing(name, 'differs', 'differ')} from what is right by the same number at every entry: {_listed(added)}."
    rows = [p for p in pairs if p.right.ndim > 1 and p.right.shape[-1] > 2]
    if len(rows) == len(pairs) and all((np.ptp(p.got - p.right, axis=-1) < 10 * ATOL).all() for p in rows):
        return (
            f"In each row of {name} all entries differ from the right ones by the same number: something is "
            "added to, or missing in, the whole row."
        )
    return None


def _linear(name: str, pairs: list[WrongResult]) -> str | None:
    """A factor and a number added, the same in all cases."""
    a = np.concatenate([p.right.ravel() for p in pairs])
    b = np.concatenate([p.got.ravel() for p in pairs])
    if np.ptp(a) < 0.01 or len(a) < 2 * FEWEST:
        return None
    factor, added = np.polyfit(a, b, 1)
    if abs(factor) > ATOL and close(b, factor * a + added):
        right = agreeing(name, "is {} times the right one", "are {} times the right ones").format(
            f"{factor:.4g}"
        )
        return f"Your {name} {right} {_signed(added)}, in each case."
    return None


def _row_factors(name: str, pairs: list[WrongResult]) -> str | None:
    """One factor for each row: the direction is right and the length is not."""
    for p in pairs:
        if p.right.ndim < 2 or p.right.shape[-1] < 3:
            return None
        size = (p.right**2).sum(axis=-1, keepdims=True)
        factors = (p.got * p.right).sum(axis=-1, keepdims=True) / np.maximum(size, 1e-12)
        if not close(p.got, factors * p.right) or (factors == 0).all():
            return None
    if not any(_rows_of_several_numbers(p).any() for p in pairs):
        return None
    p = pairs[0]
    sums = p.got.sum(axis=-1).ravel()[:2], p.right.sum(axis=-1).ravel()[:2]
    return (
        f"Each row of {name} is the right row times a number of its own: its proportions are right and its size "
        f"is not (the first rows sum to {_listed(sums[0])}, and must sum to {_listed(sums[1])})."
    )


def _rows_of_several_numbers(p: WrongResult) -> Array:
    """Which rows are wrong and hold more than a large number or two: any row of nearly one number is a multiple."""
    numbers = np.abs(p.right) > NEAR * np.abs(p.right).max(axis=-1, keepdims=True)
    return np.asarray(p.wrong.any(axis=-1) & (numbers.sum(axis=-1) >= 3))


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "the square of": np.square,
    "the square root of": np.sqrt,
    "the exponential of": np.exp,
    "the logarithm of": np.log,
    "the tanh of": np.tanh,
    "the sigmoid of": lambda x: np.asarray(1 / (1 + np.exp(-x))),
    "the ReLU of": lambda x: np.maximum(x, 0),
    "the absolute value of": np.abs,
    "one divided by": lambda x: np.asarray(1 / x),
    "one minus": lambda x: 1 - x,
    "the rounded value of": np.round,
}


def _function(name: str, pairs: list[WrongResult]) -> str | None:
    """A function of each entry."""
    with np.errstate(all="ignore"):
        for words, function in FUNCTIONS.items():
            if all(close(p.got, function(p.right)) for p in pairs):
                return f"Your {name} {agreeing(name, 'is', 'are')} {words} what is right, entry by entry."
            if all(close(function(p.got), p.right) for p in pairs) and words != "the rounded value of":
                return f"The right {name} {agreeing(name, 'is', 'are')} {words} yours, entry by entry."
    return None


def _temperature(name: str, pairs: list[WrongResult]) -> str | None:
    """Weights of scores that are larger or smaller by a factor."""
    found = []
    for p in pairs:
        if p.right.ndim < 2 or not _is_one(p.right.sum(axis=-1)):
            return None
        inside = (p.right > 1e-6) & (p.got > 1e-6)
        if ((p.got > 1e-6) != (p.right > 1e-6)).any():
            return None
        a, b = (np.where(inside, np.log(np.where(inside, x, 1)), 0) for x in (p.right, p.got))
        count = np.maximum(inside.sum(axis=-1, keepdims=True), 1)
        a, b = (np.where(inside, x - x.sum(axis=-1, keepdims=True) / count, 0) for x in (a, b))
        if (a**2).sum() < ATOL:
            return None
        factor = float((a * b).sum() / (a**2).sum())
        if abs(factor) < 0.01 or not np.allclose(b, factor * a, rtol=0.02, atol=0.02):
            return None
        found.append(factor)
    return (
        f"Your {name} {agreeing(name, 'comes', 'come')} out as if the scores were the right ones times "
        f"{_listed(found)}: look at the scale of what goes into the softmax."
    )


def _arrangement(name: str, pairs: list[WrongResult]) -> str | None:
    """The right numbers at other places."""
    dimensions = {p.right.ndim for p in pairs}
    if len(dimensions) > 1 or not _all(pairs, _sorted, _sorted):
        return None
    # Of one number, and of zeros and ones, nearly any answer has the right ones somewhere.
    if any(len(np.unique(p.right)) < 3 for p in pairs):
        return None
    axes = range(dimensions.pop())
    for words, moved in _moves(axes):
        if _all(pairs, np.asarray, moved):
            return f"Your {name} {_is_right(name)}{words}."
    for axis in axes:
        if _all(pairs, in_order := partial(_sorted, axis=axis), in_order):
            return f"Along axis {axis} of {name} the numbers are right, but they stand in another order."
    return f"The numbers in {name} are the right ones, but they stand at other places."


def _all(
    pairs: list[WrongResult], of_mine: Callable[[Array], Array], of_right: Callable[[Array], Array]
) -> bool:
    """Whether a function of each result is another function of the right one."""
    return all(close(of_mine(p.got), of_right(p.right)) for p in pairs)


def _moves(axes: Sequence[int]) -> Iterator[tuple[str, Callable[[Array], Array]]]:
    """Ways to put the numbers of an array at other places, in words."""
    for axis in axes:
        yield f", reversed along axis {axis}", partial(np.flip, axis=axis)
        for step in (1, -1):
            yield f", moved by {step} along axis {axis}", partial(np.roll, shift=step, axis=axis)
    for a, b in combinations(axes, 2):
        yield f" with axes {a} and {b} interchanged", partial(np.swapaxes, axis1=a, axis2=b)


def _sorted(x: Array, axis: int | None = None) -> Array:
    return np.sort(x, axis=axis)


def _sums(name: str, pairs: list[WrongResult]) -> str | None:
    """Weights whose rows do not sum to one, though the right ones do."""
    if not all(_is_one(p.right.sum(axis=-1)) for p in pairs):
        return None
    wrong = [p.got.sum(axis=-1) for p in pairs if not _is_one(p.got.sum(axis=-1))]
    if not wrong:
        return None
    across = all(p.got.ndim > 1 and _is_one(p.got.sum(axis=-2)) for p in pairs)
    also = "; they sum to 1 along the axis before" if across else ""
    return f"Each row of {name} must sum to 1, but yours sum to {_listed(wrong[0].ravel()[:3])}{also}."


def _is_one(sums: Array) -> bool:
    return close(sums, np.ones_like(sums))


def _means(name: str, pairs: list[WrongResult]) -> str | None:
    """Right on average along an axis, and not entry by entry."""
    for axis in range(min(p.right.ndim for p in pairs)):
        if all(p.right.shape[axis] > 1 for p in pairs) and all(
            close(p.got.mean(axis=axis), p.right.mean(axis=axis)) and np.ptp(p.right.mean(axis=axis)) > 0.01
            for p in pairs
        ):
            return f"The means of {name} along axis {axis} are right, but the single entries are not."
    return None


def _same_along(name: str, pairs: list[WrongResult]) -> str | None:
    """Entries that are the same along an axis along which the right ones differ."""
    for axis in range(min(p.right.ndim for p in pairs)):
        # One entry is the same along its axis in any case.
        several = [p for p in pairs if p.right.shape[axis] > 1]
        if several and all(
            np.ptp(p.got, axis=axis).max() < ATOL and np.ptp(p.right, axis=axis).max() > 0.01 for p in several
        ):
            do, other = agreeing(name, "does", "do"), agreeing(name, "one does", "ones do")
            return f"Your {name} {do} not change along axis {axis}, and the right {other}."
    return None


def _rounded(name: str, pairs: list[WrongResult]) -> str | None:
    """Whole numbers where real ones are right."""
    if all(close(p.got, np.round(p.got)) and not close(p.right, np.round(p.right)) for p in pairs):
        return f"All entries of {name} are whole numbers, and the right ones are not."
    return None


def _nearly(name: str, pairs: list[WrongResult]) -> str | None:
    """Everywhere close to the right ones, and nowhere by more than NEAR of their size."""
    far = max(float(np.abs(p.got - p.right).max() / np.abs(p.right).max(initial=ATOL)) for p in pairs)
    if far > NEAR:
        return None
    return (
        f"Your {name} {agreeing(name, 'is', 'are')} nearly right, within {100 * far:.2g} % everywhere: look for a small constant, such as an "
        "epsilon or 1e-6, for rounding, and for a type of few digits, such as half precision."
    )


RELATIONS: tuple[Relation, ...] = (
    _one_number, _factor, _shift, _linear, _function, _temperature, _arrangement, _row_factors, _sums, _same_along,
    _means, _rounded, _nearly,
)  # fmt: skip
KINDS: dict[Relation, Kind] = {_factor: Kind.FACTOR, _function: Kind.ONE_STEP_MORE_OR_LESS}


# Relations to what went in


def _an_input(exercise: Exercise, name: str, pairs: list[WrongResult]) -> str | None:
    """The output is one of the arguments, or its mean or sum along an axis."""
    for argument in exercise.arguments:
        arrays = [p.case.inputs.get(argument.name) for p in pairs]
        if not all(isinstance(a, np.ndarray) and a.dtype.kind == "f" for a in arrays):
            continue
        both = [(p.got, np.asarray(a, dtype=float)) for p, a in zip(pairs, arrays, strict=True)]
        if all(close(got, a) for got, a in both):
            return f"Your {name} {agreeing(name, 'is', 'are')} the argument {argument.name} as it came in."
        for axis in range(min(a.ndim for _, a in both)):
            for what, function in (("mean", np.mean), ("sum", np.sum), ("maximum", np.max)):
                if all(_fits(got, function(a, axis=axis, keepdims=True)) for got, a in both):
                    return f"Your {name} {agreeing(name, 'is', 'are')} the plain {what} of {argument.name} along axis {axis}."
    return None


def _fits(got: Array, wanted: Array) -> bool:
    try:
        return got.size >= 2 and close(got, np.broadcast_to(wanted, got.shape))
    except ValueError:
        return got.size == wanted.size and close(got.ravel(), wanted.ravel())


# Words


def _is_right(name: str) -> str:
    return agreeing(name, "is the right one", "are the right ones")


def _listed(numbers: Any) -> str:
    """Up to four numbers, each once."""
    shown = list(dict.fromkeys(f"{number:.4g}" for number in numbers))
    return ", ".join(shown[:4]) + (", …" if len(shown) > 4 else "")


def _signed(number: float) -> str:
    return f"{'plus' if number > 0 else 'minus'} {abs(number):.4g}"
