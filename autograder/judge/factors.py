"""Factors that are sizes of the cases: the number of keys, its root, or 1 over one of these."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from autograder.judge.sizes import sizes
from autograder.model.exercise import Case, Exercise

RTOL = 2e-3


def sizes_and_sums(exercise: Exercise, case: Case) -> dict[str, int]:
    """The sizes of a case by the names of their axes, and the sums of two: "d_q + d_k"."""
    known = sizes(exercise, case)
    return {**known, **{f"{a} + {b}": known[a] + known[b] for a, b in combinations(known, 2)}}


def as_a_size(factors: Sequence[float], lengths: Sequence[Mapping[str, int]]) -> str | None:
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
