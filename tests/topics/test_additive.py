"""Additive attention: what the d2l notebook prints, what its published form hides, and what the sum costs."""

import numpy as np
import pytest

from autograder import check
from autograder.model.catalogue import all_exercises
from solutions.additive.in_numpy import additive_attention, additive_scores, score_bytes
from solutions.masked_softmax.in_numpy import softmax
from tests.support import FRAMEWORKS, need, solution
from tools.wrong_versions import define, wrong_source, wrong_versions

# What the d2l notebook ("Attention Mechanism", after d2l.ai) prints for equal keys, lengths 2 and 6, and the values 0 to 39.
PRINTED = [[[2, 3, 4, 5]], [[10, 11, 12.000001, 13]]]

WRONG = wrong_versions()


def _arrays(framework, *arrays):
    """The same numbers as arrays of a framework."""
    need(framework)
    if framework == "mxnet":
        from mxnet import nd

        return [nd.array(a) for a in arrays]
    import torch

    # Integers stay integers.
    return [torch.tensor(a if a.dtype.kind == "i" else a.astype(np.float32)) for a in arrays]


def _numpy(array):
    return array.asnumpy() if hasattr(array, "asnumpy") else array.detach().numpy()


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
    values = np.repeat(np.arange(40.0).reshape(1, 10, 4), 2, axis=0)
    arrays = _arrays(framework, np.ones((2, 1, 2)), np.ones((2, 10, 2)), values, np.array([2, 6]))
    context = _attention(framework, units=8, dropout=0.1)(*arrays)
    np.testing.assert_array_equal(_numpy(context), np.array(PRINTED, dtype=np.float32))


def test_mxnet_prints_the_sources_output():
    values = np.repeat(np.arange(40.0).reshape(1, 10, 4), 2, axis=0)
    arrays = _arrays("mxnet", np.ones((2, 1, 2)), np.ones((2, 10, 2)), values, np.array([2, 6]))
    printed = str(_attention("mxnet", units=8, dropout=0.1)(*arrays))
    assert printed.split("<")[0].strip() == (
        "[[[ 2.        3.        4.        5.      ]]\n\n [[10.       11.       12.000001 13.      ]]]"
    )


def test_the_loop_over_pairs_gives_the_same_scores():
    queries, keys, W_q, W_k, w_v = _random_inputs(d_q=6, d_k=2)
    scores = additive_scores(queries, keys, W_q, W_k, w_v)
    for b, i, j in np.ndindex(scores.shape):
        one = w_v[0] @ np.tanh(W_q @ queries[b, i] + W_k @ keys[b, j])
        assert scores[b, i, j] == pytest.approx(one, abs=1e-12)


# Errata 1, 2 and 3: the published form


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_published_form_gives_every_query_the_same_weights(framework):
    """Erratum 1: with the tanh inside each Dense layer the softmax cancels the query's term."""
    exercise = all_exercises()["additive_scores"]
    source = wrong_source(exercise, framework, WRONG["additive_scores", "query_blind", framework])
    published, right = define(exercise, framework, source), solution("additive", framework).additive_scores
    weights = softmax(_numpy(published(*_arrays(framework, *_random_inputs()))).astype(np.float64))
    np.testing.assert_allclose(weights, np.repeat(weights[:, :1], 3, axis=1), atol=1e-6)
    weights = softmax(_numpy(right(*_arrays(framework, *_random_inputs()))).astype(np.float64))
    assert np.abs(weights - weights[:, :1]).max() > 0.1


def test_the_query_gets_no_gradient_through_the_published_form():
    import torch

    exercise = all_exercises()["additive_scores"]
    source = wrong_source(exercise, "torch", WRONG["additive_scores", "query_blind", "torch"])
    arriving = {}
    for name, scores in (
        ("published", define(exercise, "torch", source)),
        ("right", solution("additive", "torch").additive_scores),
    ):
        queries, keys, W_q, W_k, w_v = _arrays("torch", *_random_inputs())
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
    layer(*_arrays(framework, np.ones((2, 3, 6)), np.ones((2, 5, 4)), np.ones((2, 5, 7))))
    parameters = (
        layer._collect_params_with_prefix() if framework == "mxnet" else dict(layer.named_parameters())
    )
    shapes = {name: tuple(p.shape) for name, p in parameters.items()}
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
        wide = _arrays(
            framework, np.ones((2, 3, 6)), np.ones((2, 5, 2)), np.ones((2, 5, 4)), np.array([2, 4])
        )
        layer = entry(3, 0.0)
        if framework == "mxnet":
            layer.initialize()
        layer(*wide)
        # Each matrix has taken the width of the wrong side.
        parameters = (
            layer._collect_params_with_prefix() if framework == "mxnet" else dict(layer.named_parameters())
        )
        assert tuple(parameters["W_q.weight"].shape) == (3, 2)


# What it has in common with other ways to write it


def test_one_matrix_for_the_joined_vectors_is_the_same_score():
    """Luong et al. 2015 write W [q; k]: its two halves are W_q and W_k."""
    queries, keys, W_q, W_k, w_v = _random_inputs(d_q=6, d_k=2)
    W = np.concatenate([W_q, W_k], axis=1)
    pairs = np.concatenate(
        [np.repeat(queries[:, :, None], 5, axis=2), np.repeat(keys[:, None], 3, axis=1)], axis=-1
    )
    joined = (np.tanh(pairs @ W.T) @ w_v.T)[..., 0]
    np.testing.assert_allclose(joined, additive_scores(queries, keys, W_q, W_k, w_v), atol=1e-12)


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
    from_query, from_key = _arrays(
        framework,
        rng.normal(size=(batch, num_queries, 1, units)),
        rng.normal(size=(batch, 1, num_keys, units)),
    )
    features = _numpy(from_query + from_key)
    scores = _numpy((from_query + from_key).sum(-1))
    assert (features.nbytes, scores.nbytes) == score_bytes(batch, num_queries, num_keys, units)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_dense_flattens_unless_told_not_to_and_linear_does_not(framework):
    (queries,) = _arrays(framework, np.ones((2, 3, 4)))
    if framework == "mxnet":
        from mxnet import gluon

        flat, unflattened = gluon.nn.Dense(8), gluon.nn.Dense(8, flatten=False)
        flat.initialize()
        unflattened.initialize()
        assert (flat(queries).shape, unflattened(queries).shape) == ((2, 8), (2, 3, 8))
    else:
        import torch

        assert torch.nn.Linear(4, 8)(queries).shape == (2, 3, 8)
