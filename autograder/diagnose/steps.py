"""How far the steps of a wrong answer are right: which of its variables hold what those of the reference hold.

A step that is right may come from one that is not, so nothing is said of what it is computed from. A variable of a name
may stand for something of its own, so it is only said that it is not what the reference calls so, and not even that
where the two differ by a factor or a function.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np

from autograder.judge.compare import is_array_of_reals
from autograder.judge.protocol import CallResult, Variable
from autograder.model.exercise import Case, Exercise
from autograder.sandbox.variables import Variables

Array = np.ndarray
RTOL, ATOL = 1e-3, 1e-4
# A step is compared if it holds so many different numbers.
FEWEST = 4
# So many axes are tried in every order.
MOST_AXES = 4
# Each large negative number hides a score.
HIDDEN = -1e4
RIGHT = "In this case your `{}` (line {}) is a right intermediate result{}: the mistake shows after it or beside it."
AT_FIRST = "In this case your `{}` (line {}) is a right intermediate result at first, and none later."
RETURNED = "In this case your `{}` (line {}) holds the right {}, and something else is returned."
OTHER = "Your `{0}` (line {1}) is not what the course's solution calls `{0}`{2}."


def compared_steps(exercise: Exercise, case: Case, answer: CallResult) -> str:
    """Return which variable of a wrong answer is right last, and which is not what the reference calls so; empty if none is.

    answer: what it gives on the case, and what its variables hold meanwhile.
    """
    inputs = [value for value in case.values.values() if isinstance(value, Array)]
    mine = [v for v in answer.variables if is_array_of_reals(v.array) and not _is_cut_from(v.array, inputs)]
    steps = [step for step in _steps(exercise, case) if not _is_cut_from(step.array, inputs)]
    right = list(_right(steps, mine))
    missed = [step for step in steps if step not in dict(right)]
    unlike = [v for v in mine if all(v is not held for _, held in right)]
    if not right:
        return " ".join(_first_other(exercise, missed, unlike, answer))
    step, last = right[-1]
    later = [v for v in unlike if mine.index(v) > mine.index(last)]
    # A loop may bind what is right and, in the same line, what is not.
    elsewhere = [v for v in unlike if (v.name, v.line) != (last.name, last.line)]
    return " ".join(
        [_words_of_right(step, last, later, answer), *_first_other(exercise, missed, elsewhere, answer)]
    )


def _steps(exercise: Exercise, case: Case) -> list[Variable]:
    """Return what the variables of the reference hold, and then its results, where these are several real numbers.

    A result has no line.
    """
    noted = Variables(exercise.reference, lambda value: np.array(value) if isinstance(value, Array) else None)
    with noted.noted():
        outputs = exercise.compute(exercise.reference, case)
    results = ((output.name, 0, value) for output, value in zip(exercise.returns, outputs, strict=True))
    steps = (Variable(*one) for one in (*noted.values, *results) if is_array_of_reals(one[-1]))
    return [step for step in steps if len(np.unique(step.array.round(4))) >= FEWEST]


def _right(steps: Sequence[Variable], mine: Sequence[Variable]) -> Iterator[tuple[Variable, Variable]]:
    """Yield each step that a variable holds, and that one. What a loop of the reference binds anew counts up to the first that is missed."""
    missed = set()
    for step in steps:
        equal = [v for v in mine if is_step(v.array, step.array)]
        if not equal or (step.name, step.line) in missed:
            missed.add((step.name, step.line))
        else:
            yield from ((step, v) for v in equal)


def _is_cut_from(array: Array, inputs: Sequence[Array]) -> bool:
    """Return whether all numbers of an array stand in one input."""
    return any(np.isin(array.astype(np.float32), value.astype(np.float32)).all() for value in inputs)


def is_step(array: Array, step: Array) -> bool:
    """Return whether an array is a step of the reference; in another shape, whether it is one with its axes in another order."""
    if array.size != step.size or not _close(*(np.sort(_hidden_alike(a), axis=None) for a in (array, step))):
        return False
    one, other = _hidden_alike(array), _hidden_alike(step)
    if one.shape == other.shape:
        return _close(one, other)
    orders = permutations(range(one.ndim)) if one.ndim <= MOST_AXES else ()
    return _close(one.ravel(), other.ravel()) or any(_close(one.transpose(o), other) for o in orders)


def _hidden_alike(array: Array) -> Array:
    """Return an array without axes of length 1, and with one number for all that is hidden."""
    return np.maximum(np.squeeze(array).astype(float), HIDDEN)


def _close(one: Array, other: Array) -> bool:
    return one.shape == other.shape and np.allclose(one, other, RTOL, ATOL, equal_nan=True)


def _words_of_right(step: Variable, last: Variable, later: Sequence[Variable], answer: CallResult) -> str:
    """Say of the last variable that is right that it is, and of a right result that is not returned that it is not.

    later: those after it that hold no step.
    """
    returned = [value for value in answer.outputs if isinstance(value, Array)]
    if not step.line and not any(is_step(value, step.array) for value in returned):
        return RETURNED.format(last.name, last.line, step.name)
    if any((v.name, v.line) == (last.name, last.line) for v in later):
        return AT_FIRST.format(last.name, last.line)
    is_turned = last.array.shape != step.array.shape
    return RIGHT.format(last.name, last.line, " apart from its shape" if is_turned else "")


def _first_other(
    exercise: Exercise, missed: Sequence[Variable], unlike: Sequence[Variable], answer: CallResult
) -> Iterator[str]:
    """Yield what is said of the first variable that has a step's name and shape and is another; of a result it is said already.

    A variable with a result's name that is not returned may be on the way to it, so nothing is said of that.
    """
    results = {output.name for output in exercise.returns}
    returned = [value for value in answer.outputs if isinstance(value, Array)]
    for step in missed:
        for v in unlike:
            if (v.name, v.array.shape) != (step.name, step.array.shape) or _is_related(v.array, step.array):
                continue
            if step.name in results and not any(is_step(value, v.array) for value in returned):
                continue
            how = _how(v.array, step.array)
            if how or step.name not in results:
                yield OTHER.format(v.name, v.line, how)
                return


def _how(array: Array, step: Array) -> str:
    """Return how an array differs from a step, where that can be said."""
    if array.ndim > 1 and _close(_hidden_alike(array.swapaxes(-1, -2)), _hidden_alike(step)):
        return ", but that with its last two axes swapped"
    sums = array.sum(axis=-1)
    far = sums.flat[np.abs(sums - 1).argmax()]
    is_sum = np.allclose(step.sum(axis=-1), 1, atol=RTOL) and abs(far - 1) > RTOL
    return f": a row of yours sums to {far:.3g}, and not to 1" if is_sum else ""


def _is_related(array: Array, step: Array) -> bool:
    """Return whether the numbers of each row stand in one order, as where a factor or a function makes the difference."""
    rows = zip(*(np.atleast_2d(a.reshape(-1, a.shape[-1])) for a in (array, step)), strict=True)
    return all(
        _is_monotonic(row[(row > HIDDEN) & (other > HIDDEN)], other[(row > HIDDEN) & (other > HIDDEN)])
        for row, other in rows
    )


def _is_monotonic(row: Array, other: Array) -> bool:
    steps = np.diff(row[np.argsort(other, kind="stable")])
    return bool((steps >= -ATOL).all() or (steps <= ATOL).all())
