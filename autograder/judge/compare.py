"""When two results count as equal: shapes, tolerances, exact zeros."""

import math
from collections.abc import Iterator
from typing import Any, TypeGuard

import numpy as np

from autograder.model.errors import CheckAtFault
from autograder.model.exercise import Case, Exercise, Output
from autograder.model.verdict import ATOL, RTOL, Difference

ZERO = 1e-9
# A misconception that runs into infinities is matched by where they are.
HUGE = 1e30


def same(
    exercise: Exercise, case: Case, got: tuple[Any, ...], expected: tuple[Any, ...], by_value: bool = False
) -> bool:
    """Return whether two results are equal within the tolerance of the case's precision.

    by_value: whether a plain float may stand for the int that it equals, and a tuple for the list, as they may in
    a wrong idea.
    """
    outputs = zip(exercise.returns, got, expected, strict=True)
    return all(same_output(output, case, g, e, by_value) for output, g, e in outputs)


def same_output(output: Output, case: Case, got: Any, expected: Any, by_value: bool = False) -> bool:
    """Return whether one output is equal within the tolerance, and exactly where a zero or a plain int is asked for."""
    if output.plain:
        return _same_plain(got, expected, by_value)
    if not isinstance(got, (np.ndarray, np.generic, float)) or np.shape(got) != np.shape(expected):
        return False
    got, expected = np.asarray(got), np.asarray(expected)
    floats = output.integers and not by_value and got.dtype.kind not in "iu"
    if floats or (got.dtype.kind != "f" and is_real(expected)):
        return False
    # The first entry nearly always shows already that two arrays differ.
    a, b = (float(array.flat[0]) if array.size else 0.0 for array in (got, expected))
    begins_wrong = abs(b) <= HUGE and abs(a - b) > ATOL[case.dtype] + RTOL[case.dtype] * abs(b)
    return not begins_wrong and bool(right_entries(output, case, got, expected).all())


def right_entries(output: Output, case: Case, got: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return which entries of an array are equal to those of another of its shape."""
    a, b = got.astype(np.float64), expected.astype(np.float64)
    with np.errstate(all="ignore"):
        size = np.abs(b)
        close = np.abs(a - b) <= ATOL[case.dtype] + RTOL[case.dtype] * size
        # Where all that is wanted is a number of usual size, which is nearly always, this is all.
        if not (size <= HUGE).all():
            close &= size <= HUGE
            close |= (size > HUGE) & (np.abs(a) > HUGE) & (a * b > 0)
            close |= np.isnan(a) & np.isnan(b)
        if output.exact_zeros:
            close &= (b != 0) | (np.abs(a) <= ZERO)
    return np.asarray(close)


def is_real(expected: Any) -> bool:
    """Return whether real numbers are asked for; masks and indices may come in any numeric type."""
    return np.asarray(expected).dtype.kind == "f"


def is_array_of_reals(value: Any) -> TypeGuard[np.ndarray]:
    """Return whether it is an array of real numbers."""
    return isinstance(value, np.ndarray) and is_real(value)


def _same_plain(got: Any, expected: Any, by_value: bool) -> bool:
    got, expected = _python(got), _python(expected)
    if isinstance(expected, (tuple, list)):
        return (
            (isinstance(got, list) or (isinstance(got, tuple) and (by_value or isinstance(expected, tuple))))
            and len(got) == len(expected)
            and all(_same_plain(g, e, by_value) for g, e in zip(got, expected, strict=True))
        )
    if type(expected) is int:
        return (type(got) is int or (by_value and type(got) is float)) and bool(got == expected)
    if isinstance(expected, float) and type(got) in (int, float):
        # An idea may give infinity, which nothing finite is near.
        tolerance = ATOL["plain"] + RTOL["plain"] * abs(expected)
        near = math.isfinite(expected) and abs(got - expected) <= tolerance
        return near or bool(got == expected) or (math.isnan(got) and math.isnan(expected))
    return type(got) is type(expected) and np.array_equal(got, expected)


def not_whole(got: Any, expected: Any) -> Iterator[float | bool]:
    """Yield what stands in a plain result in the place of an int, has its value, and is no int: 4.0, True."""
    got, expected = _python(got), _python(expected)
    if isinstance(expected, (tuple, list)) and isinstance(got, (tuple, list)):
        for mine, right in zip(got, expected, strict=False):
            yield from not_whole(mine, right)
    elif type(expected) is int and type(got) in (float, bool) and got == expected:
        yield got


def _python(value: Any) -> Any:
    """Return a number of NumPy as the one of Python that it is; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def difference(output: Output, case: Case, got: np.ndarray, expected: Any) -> Difference:
    """Return the place where an output of the right shape differs most, and the matrices around it.

    Raises CheckAtFault where it differs nowhere, by another rule than that of `same_output`.
    """
    a, b = got.astype(np.float64), np.asarray(expected, dtype=np.float64)
    with np.errstate(all="ignore"):
        gap = np.nan_to_num(np.abs(a - b), nan=np.inf)
        gap[(np.isnan(a) & np.isnan(b)) | (a == b)] = 0
        allowed = (ATOL[case.dtype] + RTOL[case.dtype] * np.abs(b)) / 10
    if output.exact_zeros:
        allowed[b == 0] = ZERO
    if got.dtype.kind == "f" and not output.integers and (gap <= allowed).all():
        raise CheckAtFault(
            f"The check calls {output.name} wrong in the case {case.note!r}, where each of its numbers is the "
            "expected one: the check of the course is at fault, and not the answer. Please tell its authors."
        )
    index = tuple(map(int, np.unravel_index(int(gap.argmax()), gap.shape)))
    got_map, expected_map = (a[index[:-2]], b[index[:-2]]) if output.map and a.ndim >= 2 else (None, None)
    return Difference(output.name, index, float(a[index]), float(b[index]), got_map, expected_map, case.dtype)
