"""Whether results have the form that an exercise asks for: their kinds, shapes and types, finite numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.frameworks import frameworks
from autograder.judge import sizes
from autograder.judge.compare import is_real
from autograder.judge.protocol import Foreign
from autograder.judge.words import not_finite, plain_problem, plain_words
from autograder.model.exercise import Case, Exercise, Output


def broken_contract(
    exercise: Exercise, framework: str, case: Case, outputs: Sequence[Any], expected: Sequence[Any]
) -> str | None:
    """The first way in which results are not what was asked for, whatever their values; None if there is none."""
    for output, got, wanted in zip(exercise.returns, outputs, expected, strict=True):
        if isinstance(got, Foreign):
            wanted_kind = "" if output.plain else f"{frameworks()[framework].array} "
            return f"{output.name} is {got.kind}; it must be {wanted_kind}{output.shape}."
        if output.plain:
            if isinstance(got, np.ndarray):
                return f"{output.name} is an array; it must be {output.shape}."
            if no_answer := plain_problem(output, got, wanted):
                return no_answer
            continue
        if got is None and not output.attribute:
            return f"It returns None for {output.name}: does the function end with a return?"
        if not isinstance(got, np.ndarray):
            return f"{output.name} is {plain_words(got)}; it must be an array {output.shape}."
        if got.dtype.kind not in "iu" and (output.integers or is_index(output, framework)):
            why = "since these are indices" if output.indices else "as that of the input is"
            return f"The type of `{output.name}` is {got.dtype}; it must be an integer type, {why}."
        which = sizes.swapped(exercise, case, got.shape, np.shape(wanted))
        if problem := _array_problem(output.name, output.shape, got, wanted, case.dtype, which):
            return problem
    return None


def is_index(output: Output, framework: str) -> bool:
    """Whether a result must be able to index arrays of the framework."""
    return output.indices and not frameworks()[framework].float_indices


def _array_problem(name: str, shape: str, got: np.ndarray, wanted: Any, dtype: str, which: str) -> str | None:
    """What is wrong with an array besides its values: its shape, its type, entries that are not finite.

    which: what a wrong length is the length of.
    """
    if got.shape != np.shape(wanted):
        words = "" if shape == str(np.shape(wanted)) else f", {shape}"
        return f"{name} has shape {got.shape}; it must have {np.shape(wanted)}{words}{which}."
    if got.dtype.kind != "f" and is_real(wanted):
        return f"{name} has type {got.dtype}; it must be {dtype}."
    if not np.isfinite(got).all() and np.isfinite(wanted).all():
        return not_finite(name, got)
    return None
