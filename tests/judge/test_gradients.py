"""Gradients of answers with a kink: what is right is right, however near a ReLU is to its corner."""

import numpy as np
import pytest

from autograder.checking.check import LocalTransport
from autograder.judge.trial import judge
from autograder.model.exercise import Argument, Case, Exercise, Output

torch = pytest.importorskip("torch", reason="PyTorch is not installed.")

# An offset of a ReLU from its corner, far above what single precision rounds off and still small.
NEAR = 1e-6


def relu(X):
    return np.maximum(X, 0)


def near_the_corner(rng):
    X = rng.choice([-NEAR, NEAR], size=(4, 5))
    return [Case("all of it near the corner", {"X": X}, gradient=True)]


EXERCISE = Exercise(
    name="relu",
    title="A corner",
    statement="Give what is above 0.",
    entry="relu",
    arguments=(Argument("X", "(rows, columns)"),),
    returns=(Output("Y", "(rows, columns)"),),
    reference=relu,
    misconceptions=(),
    cases=near_the_corner,
)


@pytest.mark.parametrize("answer, outcome", [(torch.relu, "accepted"), (torch.abs, "rejected")])
def test_the_slope_is_taken_on_one_side_of_a_corner(answer, outcome):
    """The values of both are right within the tolerance: the gradient alone tells them apart."""

    def entry(X):
        return answer(X)

    verdict = judge(EXERCISE, LocalTransport("torch", entry), "torch")
    assert verdict.outcome == outcome
    assert outcome == "accepted" or verdict.layer == "gradients"
