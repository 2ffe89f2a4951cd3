"""How wrong values relate to the right ones: a factor, another order, an argument as it came in.

What is said of an answer that nothing names. Every relation is computed on all cases in which the answer is
wrong, and none is said that does not hold on each of them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from autograder.judge.axis_lengths import axis_lengths
from autograder.judge.compare import right_entries, same_output
from autograder.judge.protocol import Outputs
from autograder.model.exercise import Case, Exercise
from autograder.model.finding import Finding, Kind
from autograder.model.text import few, listed

Array = np.ndarray
# How exactly a relation must hold, and for how many different numbers.
RTOL, ATOL, FEWEST = 2e-3, 2e-4, 4
# What share of the largest number counts as nearly nothing.
NEAR = 0.02
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


@dataclass(frozen=True)
class Compared:
    """All cases of an answer. wrong: which differ."""

    exercise: Exercise
    cases: Sequence[Case]
    answers: Sequence[Outputs]
    expected: Sequence[Outputs]
    wrong: Sequence[int]


@dataclass(frozen=True)
class WrongResult:
    """One output of one case on which an answer is wrong: what came out, and what is right."""

    case: Case
    got: Array
    right: Array


Relation = Callable[[str, list[WrongResult]], str | None]


def close(a: Array, b: Array) -> bool:
    """Return whether two arrays are equal, up to what a framework rounds."""
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=RTOL, atol=ATOL))


def agreeing(name: str, one: str, several: str) -> str:
    """Return the form of a verb that agrees with a result's name: "weights change", "context changes"."""
    plural = name.endswith("s") and not name.endswith(("ss", "us", "is"))
    return several if plural else one


# Arrays


def relation(compared: Compared) -> Finding | None:
    """Return the first relation of arrays that holds; None if none does."""
    for index, pairs in _outputs(compared):
        for kind, holds in _relations(compared.exercise, pairs):
            if words := holds(compared.exercise.returns[index].name, pairs):
                right, count = len(compared.cases) - len(pairs), len(compared.cases)
                also = f" ({right} of {count} cases {'is' if right == 1 else 'are'} right.)" if right else ""
                return Finding(kind, words + also)
    return None


def _outputs(compared: Compared) -> Iterator[tuple[int, list[WrongResult]]]:
    """Yield each output that is wrong somewhere, in the cases where it is, as real numbers that can be compared."""
    for index, output in enumerate(compared.exercise.returns):
        pairs = []
        for i in compared.wrong:
            got, right = compared.answers[i][index], compared.expected[i][index]
            if not isinstance(got, np.ndarray) or got.shape != np.shape(right) or got.size < 2:
                break
            got, right = got.astype(float), np.asarray(right, dtype=float)
            if not (np.isfinite(got).all() and np.isfinite(right).all()):
                break
            if not right_entries(output, compared.cases[i], got, right).all():
                pairs.append(WrongResult(compared.cases[i], got, right))
        else:
            if pairs and sum(len(np.unique(p.right)) for p in pairs) >= FEWEST:
                yield index, pairs


def _relations(exercise: Exercise, pairs: list[WrongResult]) -> Iterator[tuple[Kind, Relation]]:
    """Yield what may hold of results, in order. Of those that differ by little more than rounding, only that they do."""
    if not all(close(p.got, p.right) for p in pairs):
        yield Kind.RELATED, partial(_an_input, exercise)
        yield Kind.FACTOR, partial(_factor, exercise)
        yield Kind.ONE_STEP_MORE_OR_LESS, _function
        yield Kind.RELATED, _arrangement
        yield Kind.RELATED, _same_along
    yield Kind.RELATED, _nearly


def _an_input(exercise: Exercise, name: str, pairs: list[WrongResult]) -> str | None:
    """Say that the output is one of the arguments, or its mean or sum along an axis."""
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


def _fits(got: Array, pattern: Array) -> bool:
    try:
        return close(got, np.broadcast_to(pattern, got.shape))
    except ValueError:
        return got.size == pattern.size and close(got.ravel(), pattern.ravel())


def _factor(exercise: Exercise, name: str, pairs: list[WrongResult]) -> str | None:
    """Say that one factor holds for all entries of a result: a size of each case, or the sum of two, its root, or 1 over one of these;
    or a number."""
    factors = _factors(pairs)
    if not factors:
        return None
    right = f"Your {name} {agreeing(name, 'is the right one', 'are the right ones')}"
    if np.ptp(factors) >= RTOL and (sizes_of_it := _of_sizes(exercise, factors, pairs)):
        return f"{right} {sizes_of_it}, in each case."
    if np.allclose(factors, factors[0], rtol=RTOL):
        return f"{right} times {factors[0]:.4g}, in each case."
    numbers = few(list(dict.fromkeys(f"{number:.4g}" for number in factors)), 4)
    return f"{right} times a number, {numbers}: a factor that depends on the case."


def _of_sizes(exercise: Exercise, factors: list[float], pairs: list[WrongResult]) -> str | None:
    """Return what is done with which sizes; None if they give other factors."""
    lengths = [axis_lengths(exercise, p.case) for p in pairs]
    for names in [(a,) for a in lengths[0]] + list(combinations(lengths[0], 2)):
        if not all(all(map(lengths_of.get, names)) for lengths_of in lengths):
            continue
        totals = np.array([sum(lengths_of[a] for a in names) for lengths_of in lengths], dtype=float)
        ways = {
            "multiplied by": totals,
            "divided by": 1 / totals,
            "multiplied by the square root of": np.sqrt(totals),
            "divided by the square root of": 1 / np.sqrt(totals),
        }
        for words, expected in ways.items():
            if np.allclose(factors, expected, rtol=RTOL):
                return f"{words} {' + '.join(names)}"
    return None


def _factors(pairs: list[WrongResult]) -> list[float]:
    """Return the factor of each result; none if one of them is no multiple of the right one."""
    factors = []
    for p in pairs:
        size = float((p.right**2).sum())
        factor = float((p.got * p.right).sum()) / size if size > ATOL else 0.0
        if not factor or np.ptp(p.right) <= ATOL or not close(p.got, factor * p.right):
            return []
        factors.append(factor)
    return factors


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "the square of": np.square,
    "the exponential of": np.exp,
    "the tanh of": np.tanh,
    "the sigmoid of": lambda x: np.asarray(1 / (1 + np.exp(-x))),
    "the ReLU of": lambda x: np.maximum(x, 0),
    "the absolute value of": np.abs,
    "one divided by": lambda x: np.asarray(1 / x),
    "one minus": lambda x: 1 - x,
}


def _function(name: str, pairs: list[WrongResult]) -> str | None:
    with np.errstate(all="ignore"):
        for words, function in FUNCTIONS.items():
            if all(close(p.got, function(p.right)) for p in pairs):
                return f"Your {name} {agreeing(name, 'is', 'are')} {words} what is right, entry by entry."
            if all(close(function(p.got), p.right) for p in pairs):
                return f"The right {name} {agreeing(name, 'is', 'are')} {words} yours, entry by entry."
    return None


def _arrangement(name: str, pairs: list[WrongResult]) -> str | None:
    """Say that the right numbers stand at other places. Of zeros and ones nearly any answer has the right ones somewhere."""
    if any(len(np.unique(p.right)) < 3 for p in pairs):
        return None
    if all(close(np.sort(p.got, axis=None), np.sort(p.right, axis=None)) for p in pairs):
        return f"The numbers in {name} are the right ones, but they stand at other places."
    return None


def _same_along(name: str, pairs: list[WrongResult]) -> str | None:
    """Say that entries are the same along an axis along which the right ones differ."""
    for axis in range(min(p.right.ndim for p in pairs)):
        # One entry is the same along its axis in any case.
        several = [p for p in pairs if p.right.shape[axis] > 1]
        ranges = [(np.ptp(p.got, axis=axis).max(), np.ptp(p.right, axis=axis).max()) for p in several]
        if several and all(mine < ATOL and right > 0.01 for mine, right in ranges):
            do, other = agreeing(name, "does", "do"), agreeing(name, "one does", "ones do")
            return f"Your {name} {do} not change along axis {axis}, and the right {other}."
    return None


def _nearly(name: str, pairs: list[WrongResult]) -> str | None:
    """Say that a result is nearly right: nowhere wrong by more than NEAR of its size."""
    far = max(float(np.abs(p.got - p.right).max() / np.abs(p.right).max(initial=ATOL)) for p in pairs)
    if far > NEAR:
        return None
    return (
        f"Your {name} {agreeing(name, 'is', 'are')} nearly right, within {100 * far:.2g} % everywhere: look for a small constant, such as an "
        "epsilon or 1e-6, for rounding, and for a type of few digits, such as half precision."
    )


# Plain numbers, and one result beside another


def relation_of_cases(compared: Compared) -> Finding | None:
    """Return a finding on which plain numbers or results are wrong where others are right; None if nothing can be said."""
    words = _which_call(compared) or _plain_numbers(compared) or _which_outputs(compared)
    return Finding(Kind.RELATED, words) if words else None


def _which_call(compared: Compared) -> str | None:
    """Name the first of several calls with one state that is wrong in the first wrong case, with both numbers."""
    i, output = compared.wrong[0], compared.exercise.returns[0]
    got, right = compared.answers[i][0], compared.expected[i][0]
    is_stateful = any(argument.stored for argument in compared.exercise.arguments)
    if not is_stateful or not isinstance(right, tuple):
        return None
    until = range(1, len(right) + 1)
    first = next(n for n in until if not same_output(output, compared.cases[i], got[:n], right[:n]))
    before = ("", "; the one before it is right", "; those before it are right")[min(first - 1, 2)]
    return f"Call {first} of {len(right)} gives {got[first - 1]:.6g} and must give {right[first - 1]:.6g}{before}."


def _plain_numbers(compared: Compared) -> str | None:
    """Say which of some plain numbers are wrong, and whether they are all too large, or too small."""
    mine, right = (_table(compared, results) for results in (compared.answers, compared.expected))
    if mine is None or right is None or mine.shape != right.shape or not np.isfinite(mine).all():
        return None
    whole = all(isinstance(n, int) for outputs in compared.expected for n in _flat(outputs[0]))
    differs = ~np.isclose(mine, right, rtol=0 if whole else 1e-4)
    wrong = differs.any(axis=0)
    index, count = int(wrong.argmax()), int((~wrong).sum())
    if not wrong.any() or index >= len(ORDINALS):
        return None
    which = "number" if len(wrong) == 1 else f"{ORDINALS[index]} number"
    how = _how_wrong(mine[:, index], right[:, index], differs[:, index])
    rest = f" {count} of the {len(wrong)} numbers {'is' if count == 1 else 'are'} right in all cases."
    return f"Your {which} is {how or 'wrong'}.{rest if count else ''}" if how or count else None


def _how_wrong(mine: Array, right: Array, differs: Array) -> str | None:
    """Say what holds of one number in all cases: it is 0, a factor, a difference, too large, or too small."""
    if not mine.any():
        return "0, in every case"
    gaps = mine - right
    with np.errstate(all="ignore"):
        factors = mine / right
    one = np.isfinite(factors).all() and np.allclose(factors, factors[0], rtol=1e-4)
    if one and not np.isclose(factors[0], 1, rtol=1e-3):
        return f"the right one times {factors[0]:.4g}, in every case"
    if np.allclose(gaps, gaps[0]):
        return f"{'above' if gaps[0] > 0 else 'below'} the right one by {abs(gaps[0]):.4g}, in every case"
    for how, sign in (("too large", 1), ("too small", -1)):
        if (sign * gaps[differs] > 0).all():
            return f"{how} in {int(differs.sum())} of {len(mine)} cases"
    return None


def _table(compared: Compared, results: Sequence[Outputs]) -> Array | None:
    """Return the plain numbers of a single result, (cases, numbers); None if there is anything else, or not as many in each."""
    if len(compared.exercise.returns) > 1 or not compared.exercise.returns[0].plain:
        return None
    try:
        rows = [list(_flat(outputs[0])) for outputs in results]
    except TypeError:
        return None
    return np.array(rows, dtype=float) if len(set(map(len, rows))) == 1 else None


def _flat(value: Any) -> Iterator[float]:
    """Yield the numbers of a plain result, through nested tuples. Raises TypeError if there is anything else."""
    if isinstance(value, list | tuple):
        for part in value:
            yield from _flat(part)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value
    else:
        raise TypeError


def _which_outputs(compared: Compared) -> str | None:
    """Say which results are right in all cases, where others are not."""
    wrong = [(compared.cases[i], compared.answers[i], compared.expected[i]) for i in compared.wrong]
    right = [
        output.name
        for i, output in enumerate(compared.exercise.returns)
        if all(same_output(output, case, got[i], expected[i]) for case, got, expected in wrong)
    ]
    if not right or len(right) == len(compared.exercise.returns):
        return None
    are = "are" if len(right) > 1 else agreeing(right[0], "is", "are")
    return f"{listed(right)} {are} right in all cases."
