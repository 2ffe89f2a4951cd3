"""The cases of an exercise as they are handed in."""

from typing import Any

import numpy as np

from autograder.model.exercise import Case, Exercise


def prepare(exercise: Exercise, seed: int) -> list[Case]:
    """The cases of an exercise, rounded to the precision in which they are handed in.

    Their order is drawn too, but not with seed 0, that of a learner's own check: there the plain cases come
    first, since the first wrong one is shown.
    """
    random = np.random.default_rng(seed)
    cases = exercise.cases(random)
    order = random.permutation(len(cases)) if seed else range(len(cases))
    return [rounded(cases[i]) for i in order]


def rounded(case: Case) -> Case:
    """The case in the precision in which its float arrays are handed in, kept as float64."""

    def in_precision(_: str, value: Any) -> Any:
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            return value.astype(case.dtype).astype(np.float64)
        return value

    return case.changed(in_precision)
