"""What a wrong answer without a name computes, in a few numbers: from the same inputs for all, so that equal ones are found.

They decide no mark: an answer that knows these inputs can only choose in which company it is shown.
"""

import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import chain, combinations
from typing import Any

import numpy as np

from autograder.diagnose.general_misconceptions import is_general
from autograder.judge.cases import draw_cases
from autograder.judge.trial import Trial
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import IDEA_ERRORS, Case, Function
from autograder.model.finding import Kind
from autograder.model.verdict import ATOL, Verdict

# What NaN counts as: no finite number and no infinity has this arc tangent.
NAN = 2.0
NEAR = 10 * ATOL["float32"]
Numbers = tuple[float, ...]


def is_unexplained(verdict: Verdict) -> bool:
    """Return whether no idea of its exercise explains a verdict, so that what the answer computes may be given a name."""
    return not verdict.misconception or is_general(verdict.misconception)


def with_fingerprint(trial: Trial, verdict: Verdict) -> Verdict:
    """Return a verdict that rejects values and is open, with what the answer computes; any other as it is."""
    if verdict.outcome != "rejected" or not is_unexplained(verdict) or verdict.failed_stage != "values":
        return verdict
    answers = trial.ask_all([(case, False, None) for case in _cases(trial.exercise.name)])
    if any(answer.failed for answer in answers):
        return verdict
    return replace(verdict, fingerprint=_numbers(answer.outputs for answer in answers))


@cache
def fingerprint_of(name: str, function: Function) -> Numbers | None:
    """Return what an idea of an exercise computes; None where it does not run."""
    computed = [_on_case(name, function, index) for index in range(len(_cases(name)))]
    return None if None in computed else tuple(chain.from_iterable(filter(None, computed)))


def differ(name: str, *functions: Function) -> bool:
    """Return whether each two of these functions compute something else on a case; the first such case decides."""
    indices = range(len(_cases(name)))
    return not any(
        all(equal(_on_case(name, one, i), _on_case(name, other, i)) for i in indices)
        for one, other in combinations(functions, 2)
    )


@cache
def _on_case(name: str, function: Function, index: int) -> Numbers | None:
    with suppress(*IDEA_ERRORS):
        return _numbers([all_exercises()[name].compute(function, _cases(name)[index])])
    return None


@cache
def _cases(name: str) -> list[Case]:
    return [case for case in draw_cases(all_exercises()[name], 0) if case.dtype == "float32"]


def equal(one: Sequence[float] | None, other: Sequence[float] | None) -> bool:
    """Return whether two compute the same, but for rounding."""
    if not one or not other or len(one) != len(other):
        return False
    return all(abs(a - b) <= NEAR for a, b in zip(one, other, strict=True))


def with_misconception(verdict: Verdict) -> Verdict:
    """Return a kept verdict with the idea that has been given a name since; its points stay."""
    name = verdict.exercise
    if not verdict.fingerprint or not is_unexplained(verdict) or name not in all_exercises():
        return verdict
    variants = [v for misconception in all_exercises()[name].misconceptions for v in misconception.variants]
    same = (v for v in variants if equal(verdict.fingerprint, fingerprint_of(name, v.function)))
    if (match := next(same, None)) is None:
        return verdict
    message = f"{verdict.message} {match.hint}"
    return replace(verdict, message=message, kind=Kind.IDEA, misconception=match.name, hint=match.hint)


def _numbers(results: Iterable[Sequence[Any]]) -> Numbers:
    """Return for each result its shape, and a sum over its bounded entries, each with another weight."""
    numbers: list[float] = []
    for value in (value for outputs in results for value in outputs):
        if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fiub":
            entries = np.nan_to_num(np.arctan(np.asarray(value, dtype=float)), nan=NAN).ravel()
            weights = np.cos(np.arange(entries.size))
            numbers += [*np.shape(value), round(float(weights @ entries) / max(entries.size, 1) ** 0.5, 6)]
        else:
            numbers.append(zlib.crc32(repr(value).encode()))
    return tuple(map(float, numbers))
