"""When two results count as equal: shapes, tolerances, exact zeros."""

from typing import Any

import numpy as np

from autograder.model.exercise import Case, Exercise, Output
from autograder.model.verdict import Difference

# By the precision of a case; plain numbers are computed in full precision.
RTOL = {"float32": 1e-4, "float16": 5e-3, "plain": 1e-4}
ATOL = {"float32": 1e-5, "float16": 2e-3, "plain": 1e-6}
ZERO = 1e-9
# A misconception that runs into infinities is matched by where they are.
HUGE = 1e30


def same(exercise: Exercise, case: Case, got: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    """Whether two results are equal within the tolerance of the case's precision."""
    return all(same_output(o, case, g, w) for o, g, w in zip(exercise.returns, got, wanted, strict=True))


def same_output(output: Output, case: Case, got: Any, wanted: Any) -> bool:
    """Whether one output is equal within the tolerance, and exactly zero where that is asked for."""
    if output.plain:
        return _same_plain(got, wanted)
    if not isinstance(got, (np.ndarray, np.generic, float)) or np.shape(got) != np.shape(wanted):
        return False
    got, wanted = np.asarray(got), np.asarray(wanted)
    if (got.dtype.kind != "f" and is_real(wanted)) or (output.integers and got.dtype.kind not in "iu"):
        return False
    a, b = got.astype(np.float64), wanted.astype(np.float64)
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
    return bool(close.all())


def is_real(wanted: Any) -> bool:
    """Whether real numbers are asked for; masks and indices may come in any numeric type."""
    return np.asarray(wanted).dtype.kind == "f"


def _same_plain(got: Any, wanted: Any) -> bool:
    if isinstance(wanted, (tuple, list)):
        return (
            isinstance(got, (tuple, list)) and len(got) == len(wanted) and all(map(_same_plain, got, wanted))
        )
    if isinstance(wanted, (int, float)) and not isinstance(wanted, bool):
        number = isinstance(got, (int, float)) and not isinstance(got, bool)
        return number and abs(got - wanted) <= ATOL["plain"] + RTOL["plain"] * abs(wanted)
    return type(got) is type(wanted) and bool(got == wanted)


def difference(output: Output, case: Case, got: np.ndarray, wanted: Any) -> Difference:
    """The place where an output of the right shape differs most, and the matrices around it."""
    a, b = got.astype(np.float64), np.asarray(wanted, dtype=np.float64)
    with np.errstate(all="ignore"):
        gap = np.nan_to_num(np.abs(a - b), nan=np.inf)
        gap[np.isnan(a) & np.isnan(b)] = 0
    place = tuple(map(int, np.unravel_index(int(gap.argmax()), gap.shape)))
    got_map, expected_map = (a[place[:-2]], b[place[:-2]]) if output.map and a.ndim >= 2 else (None, None)
    return Difference(output.name, place, float(a[place]), float(b[place]), got_map, expected_map, case.dtype)
