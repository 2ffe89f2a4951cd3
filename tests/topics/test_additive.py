"""Additive attention: what the d2l notebook prints, what its published form hides, and what the sum costs."""

import numpy as np
import pytest

from autograder import check
from autograder.model.catalogue import all_exercises
from solutions.additive.in_numpy import additive_attention, additive_scores, score_bytes
from solutions.masked_softmax.in_numpy import softmax
from tests.support import FRAMEWORKS, need, solution
from tests.topics.arrays import arrays, learned, numbers
from tests.topics.d2l import assert_printed
from tools.wrong_versions import define, wrong_source, wrong_versions

WRONG = wrong_versions()


def _attention(framework, units, dropout=0.0):
    """The solution's layer with fresh weights, ready to be called in evaluation mode."""
    layer = solution("additive", framework).AdditiveAttention(units, dropout)
    if framework == "torch":
        return layer.eval()
    layer.initialize()
    return layer


def _random_inputs(d_q=4, d_k=4, units=8):
    rng = np.random.default_rng(0)
    queries, keys = rng.normal(size=(2, 3, d_q)), rng.normal(size=(2, 5, d_k))
    return (
        queries,
        keys,
        rng.normal(size=(units, d_q)),
        rng.normal(size=(units, d_k)),
        rng.normal(size=(1, units)),
    )


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_sources_printed_output_comes_out_digit_for_digit(framework):
    assert_printed(framework, _attention(framework, units=8, dropout=0.1))


def test_the_loop_over_pairs_gives_the_same_scores():
    queries, keys, W_q, W_k, w_v = _random_inputs(d_q=6, d_k=2)
    scores = additive_scores(queries, keys, W_q, W_k, w_v)
    for b, i, j in np.ndindex(scores.shape):
        one = w_v[0] @ np.tanh(W_q @ queries[b, i] + W_k @ keys[b, j])
        assert scores[b, i, j] == pytest.approx(one, abs=1e-12)


# Errata 1, 2 and 3: the published form


def test_the_query_gets_no_gradient_through_the_published_form():
    import torch

    exercise = all_exercises()["additive_scores"]
    source = wrong_source(exercise, "torch", WRONG["additive_scores", "query_blind", "torch"])
    arriving = {}
    for name, scores in (
        ("published", define(exercise, "torch", source)),
        ("right", solution("additive", "torch").additive_scores),
    ):
        queries, keys, W_q, W_k, w_v = arrays("torch", *_random_inputs())
        W_q.requires_grad_()
        (scores(queries, keys, W_q, W_k, w_v).softmax(dim=-1) * torch.arange(5.0)).sum().backward()
        arriving[name] = float(W_q.grad.abs().max())
    assert arriving["published"] < 1e-5 < 0.1 < arriving["right"]


def test_equal_keys_hide_the_mistake():
    """Why the d2l notebook's printed example cannot show it: equal scores share evenly, right or wrong."""
    queries, _, W_q, W_k, w_v = _random_inputs()
    keys = np.ones((2, 5, 4))
    np.testing.assert_allclose(softmax(additive_scores(queries, keys, W_q, W_k, w_v)), 1 / 5)


def test_swapped_names_do_no_harm_until_weights_are_loaded():
    """Erratum 2: W_k(query), W_q(key)."""
    queries, keys, W_q, W_k, w_v = _random_inputs()
    swapped = additive_scores(queries, keys, W_k, W_q, w_v)
    assert not np.allclose(swapped, additive_scores(queries, keys, W_q, W_k, w_v), atol=0.1)
    # Fresh weights are drawn alike, so that either name may stand for either.
    np.testing.assert_array_equal(swapped, additive_scores(queries, keys, W_q=W_k, W_k=W_q, w_v=w_v))


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_last_vector_has_one_entry_for_each_unit(framework):
    """Erratum 3: v is in R^h; there is no p."""
    layer = _attention(framework, units=8)
    layer(*arrays(framework, np.ones((2, 3, 6)), np.ones((2, 5, 4)), np.ones((2, 5, 7))))
    shapes = {name: tuple(p.shape) for name, p in learned(layer).items()}
    assert shapes == {"W_q.weight": (8, 6), "W_k.weight": (8, 4), "w_v.weight": (1, 8)}


def test_swapped_matrices_are_named_although_they_stop_where_the_widths_differ():
    exercise = all_exercises()["additive_attention"]
    need("mxnet")
    for framework in FRAMEWORKS:
        version = WRONG["additive_attention", "attention_with_weights_swapped", framework]
        entry = define(exercise, framework, wrong_source(exercise, framework, version))
        verdict = check(entry, framework, exercise=exercise.name)
        assert verdict.misconception == "attention_with_weights_swapped"
        assert verdict.case == "every key is valid"
        wide = arrays(framework, np.ones((2, 3, 6)), np.ones((2, 5, 2)), np.ones((2, 5, 4)), np.array([2, 4]))
        layer = entry(3, 0.0)
        if framework == "mxnet":
            layer.initialize()
        layer(*wide)
        # Each matrix has taken the width of the wrong side.
        assert tuple(learned(layer)["W_q.weight"].shape) == (3, 2)


# What it has in common with other ways to write it


def test_padding_does_not_matter():
    queries, keys, W_q, W_k, w_v = _random_inputs()
    values = np.random.default_rng(1).normal(size=(2, 5, 3))
    lengths = np.array([2, 4])
    context, weights = additive_attention(queries, keys, values, W_q, W_k, w_v, lengths)
    for b, length in enumerate(lengths):
        keys[b, length:], values[b, length:] = 100, -100
    again = additive_attention(queries, keys, values, W_q, W_k, w_v, lengths)
    np.testing.assert_array_equal(context, again[0])
    assert (weights[0, :, 2:] == 0).all() and (weights[1, :, 4:] == 0).all()


# Memory


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_broadcast_sum_takes_the_bytes_that_the_formula_says(framework):
    batch, num_queries, num_keys, units = 2, 7, 11, 13
    need(framework)
    rng = np.random.default_rng(0)
    from_query, from_key = arrays(
        framework,
        rng.normal(size=(batch, num_queries, 1, units)),
        rng.normal(size=(batch, 1, num_keys, units)),
    )
    features = numbers(from_query + from_key)
    scores = numbers((from_query + from_key).sum(-1))
    assert (features.nbytes, scores.nbytes) == score_bytes(batch, num_queries, num_keys, units)
