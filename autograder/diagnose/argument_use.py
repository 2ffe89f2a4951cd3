"""On which arguments an answer depends, entry by entry, beside what the reference depends on.

The answer is called again with one argument changed, on one small case.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from autograder.diagnose.relations import agreeing
from autograder.judge.cases import rounded
from autograder.judge.compare import is_array_of_reals
from autograder.judge.trial import Outputs
from autograder.model.exercise import Case, Exercise
from autograder.model.finding import Finding, Kind

Change = Callable[[np.ndarray], np.ndarray]
# What counts as a change of an output, in the answer's precision, and what as none.
CHANGE, SAME = 1e-4, 1e-6
# How the shape of an array begins that has a row for each batch element.
BATCH = "(batch,"
MIXED = (
    "Other numbers in one batch element change your {name} for another, and batch elements must not meet: look for a "
    "step over axis 0, one that takes the whole array since no axis is given (roll, sum, max), a reshape that joins "
    "batch elements, or a state that goes on from one to the next."
)
MOST_CALLS = 12


def argument_use(
    exercise: Exercise, case: Case, run: Callable[[Case], Outputs], right_cases: Sequence[Case]
) -> Finding | None:
    """Return a finding on the first argument that has no effect on the answer; or else that has one where it must have none.

    run: calls the answer. right_cases: other cases, on which the answer is right. Raises NoAnswer as run does.
    """
    before, more = run(case), None
    for words, other in islice(_changed(exercise, case), MOST_CALLS):
        rights = _right_gaps(exercise, case, other)
        if all(right is None for right in rights):
            continue
        mines = list(map(_gap, before, run(rounded(other))))
        is_without_effect = all(mine is None or (mine <= SAME).all() for mine in mines)
        for i, (output, mine, right) in enumerate(zip(exercise.returns, mines, rights, strict=True)):
            if mine is None or right is None or mine.shape != right.shape or not (right > CHANGE).any():
                continue
            if len(np.unique(before[i])) <= 2:
                continue  # of zeros and ones much changes or stays by chance
            name = output.name
            if (mine <= SAME).all():
                if _is_used(exercise, right_cases, words, i):
                    continue
                return Finding(
                    Kind.ARGUMENT_NOT_USED if is_without_effect else Kind.RELATED,
                    f"With other numbers in {words}, your {name} {agreeing(name, 'stays', 'stay')} the same, and the "
                    f"right {agreeing(name, 'one changes', 'ones change')}.",
                )
            extra = (mine > CHANGE) & (right <= SAME)
            if extra.any():
                extra &= ~_zero_by_chance(exercise, case, i)
            if extra.any() and more is None:
                index = list(map(int, np.argwhere(extra)[0]))
                more = Finding(
                    Kind.READS_TOO_MUCH,
                    f"With other numbers in {words}, your {name} {agreeing(name, 'changes', 'change')} at {index}, "
                    f"where the right {agreeing(name, 'one stays', 'ones stay')} the same.",
                )
    return more


def mixed_batch(exercise: Exercise, case: Case, run: Callable[[Case], Outputs]) -> Finding | None:
    """Return a finding if other numbers in the last batch element, or in the first, change an answer for the others; None if not.

    run: calls the answer, three times at most. Raises NoAnswer as run does.
    """
    of_batch = {a.name for a in exercise.arguments if BATCH in a.description}
    arrays = {name: value for name, value in _arrays(exercise, case) if name in of_batch}
    if not arrays or min(map(len, arrays.values())) < 2:
        return None
    before = run(case)
    for changed, rest in ((slice(-1, None), slice(-1)), (slice(1), slice(1, None))):
        inputs = {name: value.copy() for name, value in arrays.items()}
        for value in inputs.values():
            value[changed] = _other(value[changed])
        other = rounded(replace(case, inputs={**case.inputs, **inputs}))
        gaps = map(_gap, before, run(other)), _right_gaps(exercise, case, other)
        for output, mine, right in zip(exercise.returns, *gaps, strict=True):
            if not output.description.startswith(BATCH) or mine is None or right is None:
                continue
            if (mine[rest] > CHANGE).any() and (right[rest] <= SAME).all():
                return Finding(Kind.BATCH_MIXED, MIXED.format(name=output.name))
    return None


def _right_gaps(exercise: Exercise, case: Case, other: Case) -> list[np.ndarray | None]:
    """Return by how much each right output changes from one case to another; None where nothing tells."""
    changed = exercise.compute_or_none(exercise.reference, rounded(other)) or [None] * len(exercise.returns)
    return list(map(_gap, exercise.compute(exercise.reference, case), changed))


def _is_used(exercise: Exercise, cases: Sequence[Case], words: str, index: int) -> bool:
    """Return whether a result that the answer gives in other cases depends on what is changed: then it uses that."""
    for case in cases:
        if other := dict(_changed(exercise, case)).get(words):
            gap = _right_gaps(exercise, case, other)[index]
            if gap is not None and (gap > CHANGE).any():
                return True
    return False


def _zero_by_chance(exercise: Exercise, case: Case, index: int) -> np.ndarray:
    """Return where a right result is 0 and other numbers make it another: such a 0 may stay, and it says nothing."""
    right = exercise.compute(exercise.reference, case)[index]
    moves = np.zeros(right.shape, dtype=bool)
    longest = max((value.shape[-1] for _, value in _arrays(exercise, case) if value.ndim), default=0)
    shifts = range(1, min(longest, MOST_CALLS))
    rolled: list[Change] = [partial(np.roll, shift=shift, axis=-1) for shift in shifts]
    for change in (_other, *rolled):
        for _, other in _whole(exercise, case, change):
            gap = _right_gaps(exercise, case, other)[index]
            moves |= gap > SAME if gap is not None else False
    return np.asarray(moves & (right == 0))


def _gap(before: Any, after: Any) -> np.ndarray | None:
    """Return by how much each entry of an output changed; None for what is no array of real numbers, such as an index."""
    if not (isinstance(before, np.ndarray) and isinstance(after, np.ndarray)) or before.shape != after.shape:
        return None
    if before.dtype.kind != "f" or not (np.isfinite(before).all() and np.isfinite(after).all()):
        return None
    return np.asarray(np.abs(after.astype(float) - before))


def _changed(exercise: Exercise, case: Case) -> Iterator[tuple[str, Case]]:
    """Yield (what is changed, the case): each array of numbers, then its last row and its last batch element."""
    yield from _whole(exercise, case, _other)
    for axis in (1, 0):
        for name, value in _arrays(exercise, case):
            of_a_row = axis == value.ndim - 1 and _is_distribution(value)
            if value.ndim > axis and value.shape[axis] > 1 and value.ndim > 1 and not of_a_row:
                part = tuple([slice(None)] * axis + [slice(-1, None)])
                other = value.copy()
                other[part] = _other(value[part])
                words = f"the last entry of {name} along axis {axis}"
                yield words, replace(case, inputs={**case.inputs, name: other})


def _whole(exercise: Exercise, case: Case, change: Change) -> Iterator[tuple[str, Case]]:
    """Yield (what is changed, the case) for each array of numbers and each learned one."""
    for name, value in _arrays(exercise, case):
        yield name, replace(case, inputs={**case.inputs, name: change(value)})
    for name, value in case.parameters.items():
        path = exercise.parameters[name].path
        yield path, replace(case, parameters={**case.parameters, name: change(value)})


def _arrays(exercise: Exercise, case: Case) -> list[tuple[str, np.ndarray]]:
    """Return the arguments that are arrays of real numbers."""
    inputs = [(a.name, case.inputs.get(a.name)) for a in exercise.arguments]
    return [(name, value) for name, value in inputs if is_array_of_reals(value)]


def _other(value: np.ndarray) -> np.ndarray:
    """Return other numbers of about the same size and range, the same on every call. Rows of probabilities stay such rows."""
    steps = np.linspace(0.6, 1.4, value.size).reshape(value.shape)
    signs = np.where(np.arange(value.size) % 3, 1, -1).reshape(value.shape)
    numbers = np.asarray(value * steps + 0.3 * signs)
    if (value < 0).any():
        return numbers
    numbers = np.abs(numbers)
    if _is_distribution(value):
        return np.asarray(numbers / numbers.sum(axis=-1, keepdims=True))
    return 0.05 + 0.9 * (numbers % 1) if (value <= 1).all() else numbers


def _is_distribution(value: np.ndarray) -> bool:
    return bool((value >= 0).all() and np.allclose(value.sum(axis=-1), 1))
