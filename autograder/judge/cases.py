"""The cases of an exercise as they are handed in."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from autograder.judge.compare import is_array_of_reals, same
from autograder.judge.protocol import Outputs
from autograder.model.exercise import Case, Exercise

# So many times as large, or as small, are numbers that are called extreme.
FAR = 4


def draw_cases(exercise: Exercise, seed: int) -> list[Case]:
    """Return the cases of an exercise, rounded to the precision in which they are handed in.

    Their order is drawn too, but not with seed 0, that of a learner's own check: there the plain cases come
    first, since the first wrong one is shown.
    """
    random = np.random.default_rng(seed)
    cases = exercise.cases(random)
    order = random.permutation(len(cases)) if seed else range(len(cases))
    return [rounded(cases[i]) for i in order]


def extremes(cases: Sequence[Case]) -> list[Case]:
    """Return cases whose gradients are not judged, of those that are, and that go far beyond these.

    They hold numbers that are far larger or smaller, or rows of zeros: there a right result may have a gradient that is no
    number.
    """
    judged: defaultdict[str, list[_Magnitudes]] = defaultdict(list)
    for name, magnitudes in (pair for case in cases if case.gradient for pair in _magnitudes(case)):
        judged[name].append(magnitudes)
    return [
        case
        for case in cases
        if not case.gradient
        if any(_is_beyond(magnitudes, judged[name]) for name, magnitudes in _magnitudes(case))
    ]


class _Magnitudes(NamedTuple):
    """How large the numbers of an array are, and whether a row of it holds nothing but zeros."""

    largest: float
    mean: float
    has_zero_row: bool


def _magnitudes(case: Case) -> Iterator[tuple[str, _Magnitudes]]:
    for name, value in case.values.items():
        if is_array_of_reals(value) and value.size:
            sizes = np.abs(value)
            has_zero_row = not np.atleast_1d(sizes).any(axis=-1).all()
            yield name, _Magnitudes(sizes.max(), sizes.mean(), has_zero_row)


def _is_beyond(one: _Magnitudes, judged: Sequence[_Magnitudes]) -> bool:
    if not judged:
        return False
    is_large = one.largest > FAR * max(other.largest for other in judged)
    is_small = one.mean < min(other.mean for other in judged) / FAR
    has_zeros = one.has_zero_row and not any(other.has_zero_row for other in judged)
    return bool(is_large or is_small or has_zeros)


def other_inputs(
    exercise: Exercise, case: Case, cases: Sequence[Case], expected: Outputs
) -> tuple[Case, Outputs] | None:
    """Return the case with other inputs of the same sizes, and what is right then; None where none gives another result.

    Arrays have their entries in another order along an axis, which keeps what must hold of them: lengths, sums of 1.
    Without arrays one of several texts and lists is that of another case. expected: what is right in the case itself.
    """
    for inputs in (*_in_other_order(case), *_mixed(case, cases)):
        other = replace(case, inputs={**case.inputs, **inputs})
        result = exercise.compute_or_none(exercise.reference, other)
        if result is not None and not same(exercise, case, result, expected, by_value=True):
            return other, result
    return None


def shorter_inputs(exercise: Exercise, case: Case) -> tuple[int, Case] | None:
    """Return how many arrays have more than one step on axis 1, and the case with half of these; None where none has.

    None too where the reference does not take that. A whole number may be a length, so none is above the axis.
    """
    steps = {name: a.shape[1] for name, a in _arrays(case).items() if a.ndim > 1}
    num_shorter = sum(length > 1 for length in steps.values())
    if not num_shorter:
        return None
    most = -(-min(steps.values()) // 2)
    inputs = {name: np.minimum(a, most) if a.dtype.kind in "iu" else a for name, a in _arrays(case).items()}
    halves = {name: inputs[name][:, : -(-length // 2)] for name, length in steps.items()}
    shorter = replace(case, inputs={**case.inputs, **inputs, **halves})
    is_taken = exercise.compute_or_none(exercise.reference, shorter) is not None
    return (num_shorter, shorter) if is_taken else None


def interleaved_by_form(cases: Sequence[Case]) -> list[int]:
    """Return the places of the cases: the smallest of each form of inputs, then the next of each, and so on."""
    by_form: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    for i in sorted(range(len(cases)), key=lambda i: sum(np.size(a) for a in _arrays(cases[i]).values())):
        form = ((type(value), getattr(value, "ndim", 0)) for value in cases[i].inputs.values())
        by_form[tuple(form)].append(i)
    return [i for turn in zip_longest(*by_form.values()) for i in turn if i is not None]


def _arrays(case: Case) -> dict[str, np.ndarray]:
    return {name: value for name, value in case.inputs.items() if isinstance(value, np.ndarray)}


def _in_other_order(case: Case) -> Iterator[dict[str, Any]]:
    arrays = _arrays(case)
    for axis in (0, 1) if arrays else ():
        yield {name: np.roll(a, 1, axis) if a.ndim > axis else a for name, a in arrays.items()}


def _mixed(case: Case, cases: Sequence[Case]) -> Iterator[dict[str, Any]]:
    names = [name for name, value in case.inputs.items() if isinstance(value, str | tuple | list)]
    if len(names) < 2 or _arrays(case):
        return
    yield from ({name: other.inputs[name]} for other in cases for name in reversed(names))


def rounded(case: Case) -> Case:
    """Return the case in the precision in which its float arrays are handed in, kept as float64."""

    def in_precision(_: str, value: Any) -> Any:
        return value.astype(case.dtype).astype(np.float64) if is_array_of_reals(value) else value

    return case.changed(in_precision)
