"""Self-attention, the causal mask and positions: wrong versions, properties and errata."""

import json
import math

import numpy as np
import pytest

from autograder.frameworks.libraries import mx, torch
from autograder.model.paths import ROOT
from solutions.self_attention import in_numpy
from tests.support import solution
from tests.topics.arrays import array, arrays, computed, numbers

CELLS = json.loads((ROOT / "chapters" / "self_attention.ipynb").read_text())["cells"]
both_frameworks = pytest.mark.parametrize("framework", ["mxnet", "torch"])


def embedded(seed=0, shape=(2, 6, 8, 4, 5)):
    """X, W_q, W_k, W_v with scores neither flat nor saturated."""
    rng = np.random.default_rng(seed)
    batch, num_tokens, d_model, d_k, d_v = shape
    sizes = [(batch, num_tokens, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v)]
    return [rng.normal(size=size) / (1 if i == 0 else math.sqrt(d_model)) for i, size in enumerate(sizes)]


def attend(framework, values):
    return list(
        map(numbers, solution("self_attention", framework).self_attention(*arrays(framework, *values)))
    )


def attend_causally(framework, values, valid_length=None):
    lengths = None if valid_length is None else array(framework, valid_length)
    function = solution("self_attention", framework).causal_self_attention
    return list(map(numbers, function(*arrays(framework, *values), lengths)))


# --- The mechanism ---------------------------------------------------------------------------------


def test_the_chasing_example_comes_out_as_worked_by_hand():
    # d_k = 4, so that √d_k = 2: the scores 2, 6, 4 become 1, 3, 2.
    scores = np.array([2.0, 6.0, 4.0]) / math.sqrt(4)
    weights = in_numpy.softmax(scores)
    np.testing.assert_allclose(weights, np.exp([1, 3, 2]) / (math.e + math.e**3 + math.e**2))
    np.testing.assert_allclose(weights, [0.090, 0.665, 0.245], atol=5e-4)


def test_what_the_source_calls_alignment_scores_sum_to_one_as_weights_do():
    """Erratum 9: scores are what stands before the softmax, and any constant may be added to them."""
    weights = np.array([0.2, 0.5, 0.3])
    assert weights.sum() == pytest.approx(1)
    for constant in (0.0, 3.0):
        np.testing.assert_allclose(in_numpy.softmax(np.log(weights) + constant), weights)
    assert np.abs(in_numpy.softmax(weights) - weights).max() > 0.1


def test_pytorchs_own_attention_gives_the_same():
    arrays = embedded()
    X, W_q, W_k, W_v = (array("torch", a) for a in arrays)
    for causal, results in ((False, attend("torch", arrays)), (True, attend_causally("torch", arrays))):
        expected = torch.nn.functional.scaled_dot_product_attention(
            X @ W_q, X @ W_k, X @ W_v, is_causal=causal
        )
        np.testing.assert_allclose(results[0], numbers(expected), rtol=1e-4, atol=1e-5)


def test_mxnets_own_attention_gives_the_same():
    arrays = embedded(shape=(2, 6, 8, 4, 4))
    weights = attend("mxnet", arrays)[1]
    X, W_q, W_k, W_v = (array("mxnet", a) for a in arrays)
    # (num_tokens, batch, 3 · d_k): queries, keys and values of one head next to each other.
    joined = mx.nd.concat(*(mx.nd.dot(X, W) for W in (W_q, W_k, W_v)), dim=2).swapaxes(0, 1)
    scores = mx.nd.contrib.interleaved_matmul_selfatt_qk(joined, heads=1)
    np.testing.assert_allclose(numbers(scores.softmax(axis=-1)), weights, rtol=1e-4, atol=1e-5)
    context = mx.nd.contrib.interleaved_matmul_selfatt_valatt(joined, scores.softmax(axis=-1), heads=1)
    np.testing.assert_allclose(
        numbers(context.swapaxes(0, 1)), attend("mxnet", arrays)[0], rtol=1e-4, atol=1e-5
    )


def test_dividing_by_the_embedding_width_flattens_the_weights():
    """Erratum 7: d = 512 and 32 keys."""
    rng = np.random.default_rng(0)
    queries, keys = rng.normal(size=(4000, 512)), rng.normal(size=(32, 512))
    scores = queries @ keys.T
    by_width, by_root = (in_numpy.softmax(scores / size).max(axis=1).mean() for size in (512, math.sqrt(512)))
    assert round(1 / 32, 3) == 0.031
    assert round(by_width, 3) == 0.034
    assert by_root == pytest.approx(0.165, abs=0.01)


@both_frameworks
def test_tokens_in_another_order_give_the_same_contexts_in_that_order(framework):
    arrays = embedded()
    context, weights = attend(framework, arrays)
    order = np.random.default_rng(1).permutation(6)
    X, *matrices = arrays
    shuffled, moved = attend(framework, [X[:, order], *matrices])
    np.testing.assert_allclose(shuffled, context[:, order], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(moved, weights[:, order][:, :, order], rtol=1e-4, atol=1e-5)
    assert np.abs(shuffled - context).max() > 0.1


# --- The causal mask -------------------------------------------------------------------------------


@both_frameworks
def test_the_causal_mask_is_one_length_for_each_query(framework):
    arrays, lengths = embedded(3), np.array([4, 6])
    X, W_q, W_k, _ = arrays
    scores = (X @ W_q) @ (X @ W_k).swapaxes(1, 2) / math.sqrt(W_k.shape[-1])
    each = np.minimum(np.arange(1, 7), lengths[:, None])
    masked_softmax = solution("masked_softmax", framework).masked_softmax
    expected = computed(framework, masked_softmax, (scores, each))
    np.testing.assert_allclose(attend_causally(framework, arrays, lengths)[1], expected, rtol=1e-4, atol=1e-6)


@both_frameworks
def test_the_last_token_sees_the_same_with_and_without_the_causal_mask(framework):
    arrays = embedded(4)
    np.testing.assert_allclose(
        attend_causally(framework, arrays)[0][:, -1],
        attend(framework, arrays)[0][:, -1],
        rtol=1e-4,
        atol=1e-5,
    )


@both_frameworks
def test_the_causal_mask_breaks_permutation_equivariance(framework):
    X, *matrices = embedded(5)
    order = np.array([5, 0, 3, 1, 4, 2])
    context = attend_causally(framework, [X, *matrices])[0]
    assert np.abs(attend_causally(framework, [X[:, order], *matrices])[0] - context[:, order]).max() > 0.1


def models(framework):
    """Models by name, and whether they leak: several wrong masks, written on the weights."""
    arrays = embedded(6)[1:]
    W_q, W_k, W_v = (array(framework, a) for a in arrays)
    module = solution("self_attention", framework)
    triangle = array(framework, np.tril(np.ones((6, 6))))
    further = array(framework, np.tril(np.ones((6, 6)), 1))
    strict = array(framework, np.tril(np.ones((6, 6)), -1))

    def weighted(mask, renormalised):
        def model(X):
            weights = module.self_attention(X, W_q, W_k, W_v)[1]
            weights = weights * (mask.expand_dims(0) if framework == "mxnet" else mask)
            values = mx.nd.dot(X, W_v) if framework == "mxnet" else X @ W_v
            if renormalised:
                total = (
                    weights.sum(axis=-1, keepdims=True)
                    if framework == "mxnet"
                    else weights.sum(-1, keepdim=True)
                )
                weights = weights / (total + 1e-12)
            return mx.nd.batch_dot(weights, values) if framework == "mxnet" else weights @ values

        return model

    return {
        "causal": (lambda X: module.causal_self_attention(X, W_q, W_k, W_v, None)[0], False),
        "no mask": (lambda X: module.self_attention(X, W_q, W_k, W_v)[0], True),
        "masked after the softmax": (weighted(triangle, False), True),
        "masked after the softmax, then renormalised": (weighted(triangle, True), False),
        "one step too far": (weighted(further, True), True),
        "strictly before": (weighted(strict, True), False),
        "token by token": (lambda X: X * 2, False),
    }


@both_frameworks
@pytest.mark.parametrize(
    "name",
    [
        "causal",
        "no mask",
        "masked after the softmax",
        "masked after the softmax, then renormalised",
        "one step too far",
        "strictly before",
        "token by token",
    ],
)
def test_the_leak_detector_is_right_about_every_mask(framework, name):
    model, leaking = models(framework)[name]
    X = array(framework, embedded(6)[0])
    before = numbers(X).copy()
    assert solution("self_attention", framework).leaks(model, X) is leaking
    np.testing.assert_array_equal(numbers(X), before)


def test_the_leak_detector_in_numpy_agrees():
    X, *matrices = embedded(6)
    assert in_numpy.leaks(lambda X: in_numpy.self_attention(X, *matrices)[0], X)
    assert not in_numpy.leaks(lambda X: in_numpy.causal_self_attention(X, *matrices, None)[0], X)


# --- Positional encoding ---------------------------------------------------------------------------


@both_frameworks
@pytest.mark.parametrize(("num_positions", "d"), [(1, 2), (5, 3), (40, 7), (60, 16), (100, 512)])
def test_encodings_of_any_length_and_width_agree_with_the_formula(framework, num_positions, d):
    encodings = numbers(solution("self_attention", framework).positional_encoding(num_positions, d))
    expected = np.empty((num_positions, d))
    for position in range(num_positions):
        for column in range(d):
            angle = position / 10000 ** (2 * (column // 2) / d)
            expected[position, column] = math.cos(angle) if column % 2 else math.sin(angle)
    np.testing.assert_allclose(encodings, expected, rtol=1e-4, atol=2e-5)
    np.testing.assert_allclose(in_numpy.positional_encoding(num_positions, d), expected, atol=1e-12)


@pytest.mark.parametrize("offset", [1, 5, -3, 40])
def test_a_step_along_the_sequence_is_the_same_rotation_everywhere(offset):
    encoding = in_numpy.positional_encoding(120, 10)
    R = in_numpy.rotation(offset, 10)
    np.testing.assert_allclose(R @ R.T, np.eye(10), atol=1e-12)
    assert np.linalg.det(R) == pytest.approx(1)
    places = np.arange(max(0, -offset), 120 - max(0, offset))
    np.testing.assert_allclose(encoding[places] @ R.T, encoding[places + offset], atol=1e-12)


def test_rotations_add_their_offsets_and_refuse_an_odd_width():
    product = in_numpy.rotation(2, 6) @ in_numpy.rotation(5, 6)
    np.testing.assert_allclose(product, in_numpy.rotation(7, 6), atol=1e-12)
    with pytest.raises(ValueError, match="must be even"):
        in_numpy.rotation(1, 5)


@both_frameworks
def test_dot_products_of_positions_depend_on_their_offset_only(framework):
    encoding = numbers(solution("self_attention", framework).positional_encoding(50, 16))
    products = encoding @ encoding.T
    for offset in range(50):
        diagonal = np.diagonal(products, offset)
        expected = np.cos(offset / 10000 ** (np.arange(0, 16, 2) / 16)).sum()
        np.testing.assert_allclose(diagonal, expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(products, products.T, rtol=1e-5)
    assert np.argmax(products[20]) == 20


@both_frameworks
def test_with_positions_a_sentence_and_its_reverse_no_longer_look_alike(framework):
    X, *matrices = embedded(7, (1, 3, 8, 4, 5))
    pooled = attend(framework, [X, *matrices])[0].mean(axis=1)
    reversed_pooled = attend(framework, [X[:, ::-1], *matrices])[0].mean(axis=1)
    np.testing.assert_allclose(pooled, reversed_pooled, rtol=1e-4, atol=1e-5)
    places = in_numpy.positional_encoding(3, 8)
    pooled = attend(framework, [X + places, *matrices])[0].mean(axis=1)
    reversed_pooled = attend(framework, [X[:, ::-1] + places, *matrices])[0].mean(axis=1)
    assert np.abs(pooled - reversed_pooled).max() > 1e-2
