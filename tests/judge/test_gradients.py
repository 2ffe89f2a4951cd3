"""Gradients against the slopes of the reference: which are right, how a wrong one is told, and what a corner is."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from autograder.checking.check import LocalTransport
from autograder.judge.gradients import ATOL, ROUNDING, RTOL, Differentiation
from autograder.judge.protocol import CallResult
from autograder.judge.trial import judge
from autograder.model.exercise import Argument, Case, Exercise, Output, Parameter
from autograder.model.finding import Kind
from tests.support import need

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


@pytest.mark.parametrize("name, outcome", [("relu", "accepted"), ("abs", "rejected")])
def test_the_slope_is_taken_on_one_side_of_a_corner(name, outcome):
    """The values of both are right within the tolerance: the gradient alone tells them apart."""
    need("torch")
    import torch

    def entry(X):
        return getattr(torch, name)(X)

    verdict = judge(EXERCISE, LocalTransport("torch", entry), "torch")
    assert verdict.outcome == outcome
    assert outcome == "accepted" or verdict.failed_stage == "gradients"


def product(X, W, length):
    return X @ W, np.array([length])


PRODUCT = Exercise(
    name="product",
    title="A product",
    statement="",
    entry="product",
    arguments=(Argument("X", "(3, 4)"), Argument("length", "(1,)")),
    returns=(Output("Y", "(3, 2)"), Output("lengths", "(1,)")),
    reference=product,
    cases=lambda rng: [],
    parameters={"W": Parameter("dense.weight", "(4, 2)")},
)
X, W = np.random.default_rng(1).normal(size=(3, 4)), np.random.default_rng(2).normal(size=(4, 2))
CASE = Case("", {"X": X, "length": np.array([2])}, parameters={"W": W}, gradient=True)


def differentiated(change=lambda gradients: None, exercise=PRODUCT, case=CASE):
    """A right answer to the product, with what is changed in its gradients."""
    one = Differentiation(exercise, case, exercise.compute(product, case), np.random.default_rng(3))
    (cotangent, other) = one.cotangents
    assert other is None and cotangent.dtype == np.float32 and cotangent.shape == (3, 2)
    gradients = {"X": cotangent @ W.T, "dense.weight": X.T @ cotangent}
    change(gradients)
    one.answer = CallResult(gradients=gradients)
    return one


def breach(change):
    finding = differentiated(change).wrong()
    return finding and (finding.kind, finding.words)


def test_right_gradients_are_right_and_of_what_has_none_none_is_asked():
    one = differentiated()
    assert one.wrong() is None
    assert set(one.gradients) == {"X", "W"}


def test_of_a_case_whose_gradients_are_not_judged_it_is_asked_that_they_are_finite():
    extreme = replace(CASE, gradient=False)
    assert differentiated(lambda g: g.update(X=2 * g["X"]), case=extreme).wrong() is None
    finding = differentiated(lambda g: g.update(X=np.full((3, 4), np.inf)), case=extreme).wrong()
    assert finding.kind == Kind.GRADIENT_NOT_FINITE
    assert finding.words.startswith("Its values are right, but the gradient of X is infinite.")


@pytest.mark.parametrize("name", ["X", "dense.weight"])
@pytest.mark.parametrize(
    ("factor", "right"), [(1 + 3e-5, True), (1 - 3e-5, True), (1.01, False), (0.99, False), (-1, False)]
)
def test_a_gradient_is_right_within_the_tolerance(name, factor, right):
    label = "W" if name == "dense.weight" else name

    def change(gradients):
        gradients[name] = gradients[name] * factor

    finding = differentiated(change).wrong()
    assert (finding is None) is right
    if finding is not None:
        assert finding.kind == Kind.GRADIENT
        assert finding.words.startswith(
            f"Its values are right, but the gradient of {label} is not: along a random direction it is "
        )


def test_what_it_is_along_a_direction_is_told_with_what_it_must_be():
    _, words = breach(lambda gradients: gradients.update(X=gradients["X"] * 2))
    got, expected = (
        float(word.rstrip(".")) for word in re.findall(r"it is (\S+) and must be (\S+)", words)[0]
    )
    assert got == pytest.approx(2 * expected, rel=1e-3)


@pytest.mark.parametrize("cut", [None, np.zeros((3, 4))])
def test_a_gradient_that_does_not_arrive_is_cut_off(cut):
    kind, words = breach(lambda gradients: gradients.update(X=cut))
    assert kind == Kind.GRADIENT_CUT
    assert words.startswith("Its values are right, but no gradient reaches X: something cuts it off")


def test_a_gradient_that_is_missing_from_the_reply_does_not_arrive():
    assert breach(lambda gradients: gradients.pop("dense.weight"))[0] == Kind.GRADIENT_CUT
    assert breach(lambda gradients: gradients.clear())[0] == Kind.GRADIENT_CUT


def test_a_gradient_of_another_shape_is_told_so():
    kind, words = breach(lambda gradients: gradients.update(X=gradients["X"].T))
    assert (kind, words) == (Kind.GRADIENT, "The gradient of X has shape (4, 3); it must have (3, 4).")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_gradient_that_is_not_finite_is_told_so(bad):
    def change(gradients):
        gradients["dense.weight"][0, 0] = bad

    kind, words = breach(change)
    what = "no number (NaN)" if np.isnan(bad) else "infinite"
    assert kind == Kind.GRADIENT_NOT_FINITE
    assert words.startswith(f"Its values are right, but the gradient of W is {what}. Something on the way")


def test_finite_entries_that_overflow_along_a_direction_are_wrong():
    kind, words = breach(lambda gradients: gradients.update(X=np.full((3, 4), 1e308)))
    assert kind == Kind.GRADIENT and "the gradient of X is not" in words


def test_where_no_gradient_is_due_none_need_come():
    """The slope along every direction is 0, so nothing is cut off."""
    exercise = replace(PRODUCT, gradient_reference=lambda X, W, length: (0 * (X @ W), np.array([length])))
    for arrived in (None, np.zeros((3, 4))):
        one = differentiated(lambda g, a=arrived: g.update({"X": a, "dense.weight": None}), exercise)
        assert one.wrong() is None
    assert differentiated(exercise=exercise).wrong() is not None


def test_slopes_of_another_function_may_be_asked_for():
    one = differentiated()
    assert one.matches_slopes_of(product)
    assert not one.matches_slopes_of(lambda X, W, length: (2 * (X @ W), np.array([length])))
    assert not one.matches_slopes_of(lambda X, W, length: (X @ W + 0.01 * X[:, :2], np.array([length])))


@pytest.mark.parametrize("bad", [np.full((4, 3), 1.0), np.full((3, 4), np.nan), np.full((3, 4), 1e308)])
def test_what_has_not_the_form_of_a_gradient_has_no_slopes(bad):
    assert not differentiated(lambda gradients: gradients.update(X=bad)).matches_slopes_of(product)


def test_errors_of_two_arrays_do_not_hide_each_other():
    def change(gradients):
        gradients["X"] = gradients["X"] * 1.01
        gradients["dense.weight"] = gradients["dense.weight"] * 0.99

    assert not differentiated(change).matches_slopes_of(product)


def along_ones(change=lambda gradients: None, exercise=PRODUCT):
    """The same, where every direction is 1 everywhere: a gradient along it is the sum of its entries."""
    one = differentiated(change, exercise)
    one.random = SimpleNamespace(normal=lambda size: np.ones(size))
    return one


def test_how_far_a_gradient_may_be_follows_from_the_slope_and_from_what_is_summed():
    gradient = differentiated().gradients["X"]
    slope, size = abs(gradient.sum()), np.abs(gradient).sum()
    edge = ATOL + RTOL * slope + ROUNDING * size
    assert size > 2 * slope
    for share, right in ((0.995, True), (1.005, False)):
        distance = np.zeros_like(gradient)
        distance[0, 0] = share * edge

        def change(gradients, distance=distance):
            gradients["X"] = gradients["X"] + distance

        assert (along_ones(change)._compared("X", change_of(change)) is None) is right
        assert (along_ones(change).wrong() is None) is right


def change_of(change):
    gradients = dict(differentiated().answer.gradients)
    change(gradients)
    return gradients["X"]


def test_what_does_not_arrive_may_be_as_small_as_what_is_told_apart_from_zero():
    whole = abs(differentiated().gradients["X"].sum())
    for share, right in ((0.8 * ATOL, True), (1.2 * ATOL, False)):
        factor = share / whole
        exercise = replace(
            PRODUCT, gradient_reference=lambda X, W, length, c=factor: (c * (X @ W), np.array([length]))
        )
        one = along_ones(exercise=exercise)
        assert (one._compared("X", None) is None) is right


def test_sums_that_overflow_are_no_slopes():
    large = {"X": np.full((3, 4), 1e308), "dense.weight": np.full((4, 2), 1e308)}
    assert not along_ones(lambda gradients: gradients.update(large)).matches_slopes_of(product)
