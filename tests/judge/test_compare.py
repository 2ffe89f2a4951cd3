"""How equal is equal: infinities, and a check that contradicts itself."""

import numpy as np
import pytest

from autograder.judge import compare, trial
from autograder.judge.compare import same_output
from autograder.judge.functions import FunctionTransport
from autograder.judge.trial import judge
from autograder.model.catalogue import all_exercises
from autograder.model.errors import CheckAtFault
from autograder.model.exercise import Case, Output


@pytest.mark.parametrize(
    ("got", "wanted", "equal"),
    [
        (np.inf, np.inf, True),
        (-np.inf, -np.inf, True),
        (-1e31, -np.inf, True),
        (np.inf, -np.inf, False),
        (-np.inf, np.inf, False),
        (1.0, np.inf, False),
        (np.nan, np.inf, False),
    ],
)
def test_an_infinity_is_that_of_the_same_sign(got, wanted, equal):
    output, case = Output("scores", "(keys,)"), Case("", {})
    assert same_output(output, case, np.array([1.0, got]), np.array([1.0, wanted])) is equal


def test_a_check_that_finds_equal_numbers_wrong_accuses_nobody(monkeypatch):
    """A planted bug: nothing is equal to anything."""
    exercise = all_exercises()["layer_norm"]
    for module in (compare, trial):
        monkeypatch.setattr(module, "same_output", lambda *given: False)
    with pytest.raises(CheckAtFault, match="the check of the course is at fault, and not the answer"):
        judge(exercise, FunctionTransport(exercise, exercise.reference), "numpy")
