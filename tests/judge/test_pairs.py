"""Two wrong ideas together are named, both of them, and only where they give every answer."""

import numpy as np
import pytest

from autograder.grade import cluster
from autograder.judge.functions import FunctionTransport
from autograder.judge.matching import is_known
from autograder.judge.pairs import JOINT
from autograder.judge.trial import judge
from autograder.model.catalogue import all_exercises
from solutions.dot_product.in_numpy import scaled_scores
from solutions.transformer.in_numpy import layer_norm
from solutions.translation.in_numpy import query_weights


def verdict_on(name, function, seed=0):
    exercise = all_exercises()[name]
    return judge(exercise, FunctionTransport(exercise, function), "numpy", seed)


def variance_and_no_bias(X, gain, bias):
    gaps = X - X.mean(-1, keepdims=True)
    return gain * gaps / ((gaps**2).mean(-1, keepdims=True) + 1e-5)


def no_gain_and_no_bias(X, gain, bias):
    return layer_norm(X, np.ones_like(gain), np.zeros_like(bias))


@pytest.mark.parametrize("seed", [0, 5])
def test_a_misconception_and_a_change_are_both_said(seed):
    verdict = verdict_on("layer_norm", variance_and_no_bias, seed)
    first, second = verdict.misconception.split(JOINT)
    exercise = all_exercises()["layer_norm"]
    known = {m.name: m.hint for m in exercise.misconceptions}
    assert known[first] in verdict.hint and "`bias`" in verdict.hint
    assert second.startswith("edit:") and verdict.hint in verdict.message
    assert is_known(exercise, verdict.misconception)


def test_a_single_change_of_an_argument_is_named():
    doubled = verdict_on("query_weights", lambda y, **rest: query_weights(2 * y, **rest))
    assert doubled.hint == "Your answer is what comes out when `y` is doubled."


@pytest.mark.parametrize(
    ("name", "function", "said"),
    [
        ("layer_norm", lambda **given: layer_norm(**given).sum(), "`normalised` is added up to one number"),
        (
            "layer_norm",
            lambda **given: layer_norm(**given).mean(-1),
            "`normalised` is averaged over its last axis",
        ),
        (
            "layer_norm",
            lambda **given: layer_norm(**given)[None],
            "`normalised` gets an axis of size 1 in front",
        ),
    ],
)
def test_a_result_of_another_shape_is_named(name, function, said):
    verdict = verdict_on(name, function)
    assert verdict.layer == "contract" and verdict.hint == f"Your answer is what comes out when {said}."
    assert is_known(all_exercises()[name], verdict.misconception)


def test_a_plain_result_of_another_form_is_rejected():
    verdict = verdict_on("predict_shapes", lambda **sizes: ((1, 2, 3), (4, (5, 6)), 7))
    assert verdict.outcome == "rejected", verdict


def test_two_changes_are_named():
    verdict = verdict_on("scaled_scores", lambda queries, keys: np.tanh(scaled_scores(queries / 2, keys)))
    assert JOINT in verdict.misconception and "tanh" in verdict.hint, verdict


def test_two_mistakes_on_the_same_step_are_told_apart_from_none():
    assert verdict_on("layer_norm", no_gain_and_no_bias).misconception


def test_a_pair_that_fails_on_a_right_case_is_not_named():
    exercise = all_exercises()["layer_norm"]
    calls = []

    def mixed(X, gain, bias):
        calls.append(X)
        right = len(calls) == 3
        return (layer_norm if right else variance_and_no_bias)(X, gain, bias)

    verdict = judge(exercise, FunctionTransport(exercise, mixed), "numpy")
    assert (verdict.outcome, verdict.misconception) == ("rejected", None)


@pytest.mark.parametrize("name", ["layer_norm", "cosine_score", "decoder_step"])
def test_noise_gets_no_name(name):
    exercise = all_exercises()[name]
    rng = np.random.default_rng(1)

    def noisy(**inputs):
        found = exercise.reference(**inputs)
        parts = found if isinstance(found, tuple) else (found,)
        other = tuple(part + rng.normal(size=part.shape) for part in parts)
        return other if isinstance(found, tuple) else other[0]

    assert verdict_on(name, noisy).misconception is None


def test_a_constant_answer_gets_no_name_by_chance():
    verdict = verdict_on("query_weights", lambda y, state, outputs, **rest: np.ones(outputs.shape[:2]) * 0.25)
    assert verdict.misconception is None or JOINT not in verdict.misconception


def test_a_cluster_may_send_the_names_of_pairs_and_of_dropout_and_no_other():
    exercise = all_exercises()["dot_product_attention"]
    known = exercise.misconceptions[0].name
    assert is_known(exercise, "no_dropout")
    assert is_known(exercise, f"{known}{JOINT}edit:queries:negative_first")
    for name in ("made_up", f"{known}{JOINT}made_up", JOINT.join([known] * 3), ""):
        assert not is_known(exercise, name)
    assert cluster.is_known is is_known
