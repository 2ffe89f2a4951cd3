"""Whether results have the form that an exercise asks for: their kinds, shapes and types, finite numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.frameworks import frameworks
from autograder.judge import axis_lengths
from autograder.judge.compare import is_real
from autograder.judge.protocol import Foreign
from autograder.judge.words import not_finite, nothing_returned, plain_problem, plain_words
from autograder.model.exercise import Case, Exercise, Output
from autograder.model.finding import Finding, Kind


def broken_contract(
    exercise: Exercise, framework: str, case: Case, outputs: Sequence[Any], expected: Sequence[Any]
) -> Finding | None:
    """Return the first way in which results are not what was asked for, whatever their values; None if there is none."""
    for output, got, right in zip(exercise.returns, outputs, expected, strict=True):
        if isinstance(got, Foreign):
            return _foreign(output, got, framework)
        if output.plain:
            problem = (
                Finding(Kind.TYPE, f"{output.name} is an array; it must be {output.description}.")
                if isinstance(got, np.ndarray)
                else plain_problem(output, got, right)
            )
        else:
            problem = _array_problem(exercise, framework, case, output, got, right)
        if problem:
            return problem
    return None


def is_index(output: Output, framework: str) -> bool:
    """Return whether a result must be able to index arrays of the framework."""
    return output.indices and not frameworks()[framework].float_indices


def _foreign(output: Output, got: Foreign, framework: str) -> Finding:
    kinds = {"a list": Kind.LIST_FOR_AN_ARRAY, "a tuple": Kind.SEVERAL_RESULTS} if not output.plain else {}
    array = "" if output.plain else f"{frameworks()[framework].array} "
    words = f"{output.name} is {got.kind}; it must be {array}{output.description}."
    return Finding(kinds.get(got.kind, Kind.TYPE), words)


def _array_problem(
    exercise: Exercise, framework: str, case: Case, output: Output, got: Any, expected: Any
) -> Finding | None:
    """Return what is wrong with an array besides its values: its shape, its type, entries that are not finite."""
    name, shape = output.name, np.shape(expected)
    if got is None and not output.attribute:
        return nothing_returned(name)
    if not isinstance(got, np.ndarray):
        return Finding(Kind.TYPE, f"{name} is {plain_words(got)}; it must be an array {output.description}.")
    if got.dtype.kind not in "iu" and (output.integers or is_index(output, framework)):
        why = ", since these are indices" if output.indices else ""
        kind = Kind.REAL_NUMBERS_FOR_WHOLE_ONES if got.dtype.kind == "f" else Kind.TYPE
        return Finding(kind, f"The type of `{name}` is {got.dtype}; it must be an integer type{why}.")
    if got.shape != shape:
        words = "" if output.description == str(shape) else f", {output.description}"
        which = axis_lengths.likely_axis(exercise, case, got.shape, shape)
        return Finding(Kind.SHAPE, f"{name} has shape {got.shape}; it must have {shape}{words}{which}.")
    if got.dtype.kind != "f" and is_real(expected):
        return Finding(Kind.TYPE, f"{name} has type {got.dtype}; it must be {case.dtype}.")
    if not np.isfinite(got).all() and np.isfinite(expected).all():
        return not_finite(name, got)
    return None
