"""Dot-product attention: what the d2l notebook prints, the frameworks' own layers, and why scores are scaled."""

import inspect
from math import sqrt

import numpy as np
import pytest

from autograder import check
from autograder.model.catalogue import all_exercises
from exercises.dot_product import CHANGES
from exercises.shared import DROPOUT_IDEAS
from solutions.dot_product.in_numpy import dot_product_attention, scaled_scores, score_spread, weights_after
from solutions.errata.in_numpy import claims_that_hold
from solutions.masked_softmax.in_numpy import softmax, valid_mask
from tests.support import FRAMEWORKS, solution
from tests.topics.arrays import arrays, numbers
from tests.topics.d2l import assert_printed
from tools.wrong_versions import define, wrong_source


def _attention(framework, dropout=0.0):
    """The solution's layer, ready to be called in evaluation mode."""
    layer = solution("dot_product", framework).DotProductAttention(dropout)
    if framework == "torch":
        layer.eval()
    return layer


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_sources_printed_output_comes_out_digit_for_digit(framework):
    assert_printed(framework, _attention(framework, dropout=0.5))


def _random_inputs(seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4)), rng.normal(size=(2, 5, 7))


@pytest.mark.parametrize("lengths", [[2, 5], [[1, 5, 2], [4, 3, 1]]], ids=["batch", "queries"])
def test_pytorchs_own_function_agrees_when_its_mask_is_true_where_keys_take_part(lengths):
    import torch

    queries, keys, values = _random_inputs()
    ours = _attention("torch")(*arrays("torch", queries, keys, values, np.array(lengths)))
    takes_part = torch.tensor(valid_mask(np.array(lengths), 3, 5))
    built_in = torch.nn.functional.scaled_dot_product_attention
    theirs = built_in(*arrays("torch", queries, keys, values), attn_mask=takes_part)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
    inverted = built_in(*arrays("torch", queries, keys, values), attn_mask=~takes_part)
    assert not np.allclose(ours, inverted, atol=0.1)


def test_pytorchs_multi_head_layer_agrees_when_its_mask_is_true_where_keys_are_ignored():
    import torch

    queries, keys, _ = _random_inputs()
    lengths = np.array([2, 5])
    layer = torch.nn.MultiheadAttention(4, 1, bias=False, batch_first=True)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(4).repeat(3, 1))
        layer.out_proj.weight.copy_(torch.eye(4))
    ignored = torch.tensor(~valid_mask(lengths, 1, 5)[:, 0])
    q, k = arrays("torch", queries, keys)
    theirs, weights = layer(q, k, k, key_padding_mask=ignored)
    attention = _attention("torch")
    ours = attention(q, k, k, torch.tensor(lengths))
    np.testing.assert_allclose(ours, theirs.detach(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(attention.attention_weights, weights.detach(), rtol=1e-5, atol=1e-6)


def test_a_mask_of_ones_and_zeros_is_added_to_pytorchs_scores_and_does_not_mask():
    import torch

    queries, keys, values = arrays("torch", *_random_inputs())
    numbers = torch.tensor(valid_mask(np.array([2, 3]), 3, 5).astype(np.float32))
    built_in = torch.nn.functional.scaled_dot_product_attention
    added = built_in(queries, keys, values, attn_mask=numbers)
    scores = scaled_scores(*_random_inputs()[:2])
    np.testing.assert_allclose(added, softmax(scores + numbers.numpy()) @ _random_inputs()[2], atol=1e-5)
    assert not np.allclose(added, built_in(queries, keys, values, attn_mask=numbers.bool()), atol=0.1)


def test_a_new_layer_drops_weights_in_pytorch_and_not_in_mxnet():
    import torch

    queries, keys, values = _random_inputs()
    plain = dot_product_attention(queries, keys, values)[0]
    torch.manual_seed(0)
    fresh = solution("dot_product", "torch").DotProductAttention(0.5)
    assert not np.allclose(fresh(*arrays("torch", queries, keys, values)), plain, atol=0.1)
    fresh = solution("dot_product", "mxnet").DotProductAttention(0.5)
    np.testing.assert_allclose(fresh(*arrays("mxnet", queries, keys, values)).asnumpy(), plain, atol=1e-5)


LEFT_OUT = ("self.dropout(weights)", "weights")
AFTER_THE_SOFTMAX = "self.attention_weights = "
MISPLACED = {
    "no_dropout": [LEFT_OUT],
    "dropout_before_softmax": [LEFT_OUT, ("masked_softmax(scores,", "masked_softmax(self.dropout(scores),")],
    "dropout_on_context": [
        ("return ", "return self.dropout("),
        ("self.dropout(weights), values)", "weights, values))"),
    ],
    "dropout_on_values": [("self.dropout(weights), values", "weights, self.dropout(values)")],
    "dropout_rate_turned_round": [("Dropout(dropout)", "Dropout(1 - dropout)")],
    "dropout_not_rescaled": [("self.dropout(weights)", "(self.dropout(weights) != 0) * weights")],
    "dropout_twice": [("self.dropout(weights)", "self.dropout(self.dropout(weights))")],
    "dropout_then_shared_anew": [
        ("self.dropout(weights)", "(lambda w: w / w.sum(-1).reshape((len(w), -1, 1)))(self.dropout(weights))")
    ],
    "weights_kept_after_dropout": [
        LEFT_OUT,
        (AFTER_THE_SOFTMAX, f"weights = self.dropout(weights)\n        {AFTER_THE_SOFTMAX}"),
    ],
}


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("idea", MISPLACED)
def test_dropout_in_the_wrong_place_is_named(framework, idea):
    exercise = all_exercises()["dot_product_attention"]
    entry = define(exercise, framework, wrong_source(exercise, framework, MISPLACED[idea]))
    verdict = check(entry, framework, exercise=exercise.name)
    assert (verdict.outcome, verdict.failed_stage) == ("rejected", "properties"), verdict
    assert (
        verdict.misconception == idea
        and verdict.hint == DROPOUT_IDEAS[idea]
        and verdict.hint in verdict.message
    )


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_weight_that_dropout_before_the_softmax_makes_tiny_is_not_taken_for_a_dropped_one(framework):
    """Which scores are dropped must not decide about the name: here each draw leaves weights near 1e-12."""
    exercise = all_exercises()["dot_product_attention"]
    lowered = ("masked_softmax(scores,", "masked_softmax(scores + self.dropout(0 * scores + 20),")
    entry = define(exercise, framework, wrong_source(exercise, framework, [LEFT_OUT, lowered]))
    assert check(entry, framework, exercise=exercise.name).misconception == "dropout_before_softmax"


def test_pytorchs_own_function_may_not_be_called():
    exercise = all_exercises()["dot_product_attention"]
    source = inspect.getsource(solution("dot_product", "torch").DotProductAttention).replace(
        "return torch.bmm(self.dropout(weights), values)",
        "return torch.nn.functional.scaled_dot_product_attention(queries, keys, values)",
    )
    verdict = check(define(exercise, "torch", source), "torch", exercise=exercise.name)
    assert verdict.outcome == "rejected" and "scaled_dot_product_attention" in verdict.message


# Why sqrt(d): erratum 3


@pytest.mark.parametrize("d", [4, 64, 512])
def test_a_dot_product_of_independent_features_spreads_like_the_square_root_of_d(d):
    rng = np.random.default_rng(0)
    products = (rng.normal(size=(20_000, d)) * rng.normal(size=(20_000, d))).sum(axis=1)
    assert products.std() == pytest.approx(score_spread(d, 1, 1, scaled=False), rel=0.02)
    assert (products / sqrt(d)).std() == pytest.approx(score_spread(d, 1, 1, scaled=True), rel=0.02)
    assert score_spread(d, 1, 1, scaled=False) == pytest.approx(sqrt(d))
    assert claims_that_hold(("variance",)) == (True,)


def test_the_norm_of_the_all_ones_vector_is_the_wrong_reason():
    """Erratum 5: its norm is sqrt(d) whatever the features are; the spread of a score depends on them."""
    rng = np.random.default_rng(0)
    d = 256
    ones = np.ones(d)
    assert np.linalg.norm(ones) == sqrt(d)
    # The dot product of two such vectors is d: sqrt(d) would not undo its growth.
    assert ones @ ones / sqrt(d) == sqrt(d)
    # Features that are all copies of one number: the spread grows like d.
    one_each = rng.normal(size=(20_000, 1)), rng.normal(size=(20_000, 1))
    copies = (one_each[0] * ones * one_each[1]).sum(axis=1)
    assert copies.std() == pytest.approx(d, rel=0.05)
    # Features of spread 1/16: it is 1 without any scaling.
    small = (rng.normal(size=(20_000, d)) * rng.normal(size=(20_000, d))).sum(axis=1) / 16
    assert small.std() == pytest.approx(1, rel=0.02)


def test_without_the_scale_the_softmax_saturates_and_its_gradient_vanishes():
    rng = np.random.default_rng(0)
    scores = scaled_scores(rng.normal(size=(1, 500, 512)), rng.normal(size=(1, 10, 512)))[0]
    largest, slope = {}, {}
    for name, rows in (("scaled", scores), ("unscaled", scores * sqrt(512))):
        weights = softmax(rows)
        largest[name] = np.median(weights.max(axis=-1))
        # d weight_i / d score_i of the winner; the other entries of that row are smaller.
        slope[name] = np.median((weights * (1 - weights)).max(axis=-1))
    assert largest["scaled"] < 0.5 and largest["unscaled"] > 0.999
    assert slope["scaled"] > 0.1 and slope["unscaled"] < 1e-3


def _changed(change, queries, keys, rng):
    """Queries and keys after a change, as the exercise `weights_after` names it."""
    shift, order = rng.normal(size=queries.shape[-1]), np.roll(np.arange(queries.shape[-1]), 1)
    nothing = [np.zeros((*array.shape[:2], 1)) for array in (queries, keys)]
    return {
        "a vector added to all keys": (queries, keys + shift),
        "a vector added to all queries": (queries + 3 * shift, keys),
        "queries doubled": (2 * queries, keys),
        "queries doubled, keys halved": (2 * queries, keys / 2),
        "a feature of 0 for both": [
            np.concatenate(pair, axis=-1) for pair in zip((queries, keys), nothing, strict=True)
        ],
        "every feature twice": (queries.repeat(2, axis=-1), keys.repeat(2, axis=-1)),
        "features of both in one new order": (queries[..., order], keys[..., order]),
        "features of the keys in a new order": (queries, keys[..., order]),
    }[change]


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("change", CHANGES)
def test_each_answer_about_a_change_holds_when_it_is_run(framework, change):
    rng = np.random.default_rng(0)
    queries, keys = rng.normal(size=(2, 6, 4)), rng.normal(size=(2, 5, 4))

    def weights(queries, keys):
        return softmax(
            numbers(solution("dot_product", framework).scaled_scores(*arrays(framework, queries, keys)))
        )

    before, after = weights(queries, keys), weights(*_changed(change, queries, keys, rng))
    ranked = (before.argsort(axis=-1) == after.argsort(axis=-1)).all()
    growth = after.max(axis=-1) - before.max(axis=-1)
    holds = {
        "same": np.allclose(before, after, atol=1e-6),
        "sharper": ranked and (growth > 1e-4).all(),
        "flatter": ranked and (growth < -1e-4).all(),
        "other": not ranked,
    }
    assert [effect for effect, true in holds.items() if true] == [weights_after(change)]
