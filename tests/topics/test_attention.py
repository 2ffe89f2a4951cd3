"""Attention as a weighted sum: kernel regression, a learned width, and what order changes."""

import itertools

import numpy as np
import pytest

from autograder.frameworks.libraries import torch
from exercises.attention import MOVED
from solutions.attention import in_numpy
from solutions.attention.in_numpy import after_permuting
from tests.support import FRAMEWORKS, solution
from tests.topics.arrays import array, arrays, close, differentiated, gradient, numbers, with_learned

# Stations along a valley, in km, and their temperatures.
STATIONS, TEMPERATURES = np.array([0.0, 1.0, 3.0]), np.array([10.0, 14.0, 20.0])
each_framework = pytest.mark.parametrize("framework", FRAMEWORKS)


def _squared_distances(queries, keys):
    """From every query to every key: (batch, num_queries, num_keys)."""
    return ((queries[:, :, None] - keys[:, None]) ** 2).sum(axis=-1)


def _example(seed: int = 0, num_queries: int = 3, num_keys: int = 5, d_k: int = 4, d_v: int = 7):
    rng = np.random.default_rng(seed)
    shapes = (2, num_queries, d_k), (2, num_keys, d_k), (2, num_keys, d_v)
    return [rng.normal(size=shape).astype(np.float32) for shape in shapes]


def _pool(framework: str, *values):
    """Kernel regression of width one in a framework, from and to NumPy."""
    inputs = arrays(framework, *values, np.ones(1))
    return numbers(solution("attention", framework).nadaraya_watson(*inputs))


@each_framework
def test_the_chapters_example_comes_out_as_worked_by_hand(framework):
    query = np.full((1, 1, 1), 2.0)
    context = _pool(framework, query, STATIONS.reshape(1, 3, 1), TEMPERATURES.reshape(1, 3, 1))
    near, far = np.exp(-0.5), np.exp(-2)
    by_hand = (far * 10 + near * 14 + near * 20) / (far + 2 * near)
    np.testing.assert_allclose(context.item(), by_hand, rtol=1e-6)
    assert round(by_hand, 2) == 16.30


@each_framework
def test_the_loop_agrees_with_the_matrix(framework):
    queries, keys, values = _example()
    context = np.zeros((2, 3, 7))
    for b, i in itertools.product(range(2), range(3)):
        kernel = [np.exp(-((queries[b, i] - key) ** 2).sum() / 2) for key in keys[b]]
        for weight, value in zip(kernel, values[b], strict=True):
            context[b, i] += weight / sum(kernel) * value
    np.testing.assert_allclose(_pool(framework, queries, keys, values), context, rtol=1e-4, atol=1e-5)


@each_framework
def test_with_the_identity_as_values_the_context_is_the_weights(framework):
    queries, keys, _ = _example()
    weights = in_numpy.softmax(-_squared_distances(queries, keys) / 2)
    identity = np.broadcast_to(np.eye(5), (2, 5, 5))
    np.testing.assert_allclose(_pool(framework, queries, keys, identity), weights, rtol=1e-4, atol=1e-6)


def test_a_narrow_kernel_takes_the_nearest_key_and_a_wide_one_the_average():
    queries, keys, values = _example()
    nearest = _squared_distances(queries, keys).argmin(axis=-1)
    narrow = in_numpy.nadaraya_watson(queries, keys, values, np.array([1e-2]))
    wide = in_numpy.nadaraya_watson(queries, keys, values, np.array([1e3]))
    np.testing.assert_allclose(narrow, values[np.arange(2)[:, None], nearest], rtol=1e-4)
    np.testing.assert_allclose(wide, np.repeat(values.mean(axis=1, keepdims=True), 3, axis=1), atol=1e-4)


def test_without_normalising_the_context_vanishes_far_from_every_key():
    distances = _squared_distances(np.full((1, 1, 1), 8.0), STATIONS.reshape(1, 3, 1))
    kernel = np.exp(-distances / 2)
    assert (kernel @ TEMPERATURES).item() < 0.001
    assert (kernel / kernel.sum() @ TEMPERATURES).item() == pytest.approx(20, abs=0.001)


# The learned width


def _learned_width(framework, width):
    return with_learned(framework, solution("attention", framework).LearnedWidth(1.0), {"width": [width]})


@each_framework
def test_the_learned_width_agrees_with_the_reference_in_values_and_gradients(framework):
    inputs, width = _example(3), 0.8
    contexts = [in_numpy.nadaraya_watson(*inputs, np.array([width + step])) for step in (0, 1e-5, -1e-5)]
    cotangent = np.random.default_rng(4).normal(size=contexts[0].shape)
    module = _learned_width(framework, width)
    context, _ = differentiated(framework, module, inputs, cotangent)
    close(context, contexts[0])
    slope = ((contexts[1] - contexts[2]) * cotangent).sum() / 2e-5
    np.testing.assert_allclose(gradient(module.width), [slope], rtol=1e-3, atol=1e-4)


def test_the_learned_modules_begin_as_they_are_told():
    assert solution("attention", "torch").LearnedWidth(0.7).width.item() == pytest.approx(0.7)
    module = solution("attention", "mxnet").LearnedWidth(0.7)
    module.initialize()
    assert module.width.data().asscalar() == pytest.approx(0.7)


def test_the_gaussian_of_a_distance_is_a_dot_product_with_a_bias_for_each_key():
    queries, keys, values = _example()
    scores = queries @ keys.swapaxes(1, 2) - (keys**2).sum(axis=-1)[:, None, :] / 2
    by_distance = in_numpy.nadaraya_watson(queries, keys, values, np.ones(1))
    np.testing.assert_allclose(in_numpy.softmax(scores) @ values, by_distance, rtol=1e-5, atol=1e-6)


def test_kernel_regression_is_the_librarys_attention_with_a_bias_for_each_key():
    queries, keys, values = map(torch.tensor, _example())
    bias = -(keys**2).sum(-1).unsqueeze(1) / 2
    expected = torch.nn.functional.scaled_dot_product_attention(
        queries, keys, values, attn_mask=bias.expand(-1, 3, -1), scale=1.0
    )
    ours = solution("attention", "torch").nadaraya_watson(queries, keys, values, torch.ones(1))
    np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-5)


def test_both_frameworks_learn_the_width_that_leaving_one_out_finds():
    rng = np.random.default_rng(0)
    keys = rng.uniform(0, 3, size=(30, 1))
    target = np.sin(2 * keys[:, 0])
    indices = np.array([[j for j in range(30) if j != i] for i in range(30)])
    data = [a.astype(np.float32) for a in (keys[:, None], keys[indices], target[indices][..., None])]

    def error(width):
        return ((in_numpy.nadaraya_watson(*data, np.array([width]))[:, 0, 0] - target) ** 2).mean()

    tried = np.linspace(0.02, 1, 99)
    best = min(tried, key=error)
    assert 0.02 < best < 1
    for framework in FRAMEWORKS:
        module = _learned_width(framework, 1.0)
        fit = solution("attention", framework).fit
        last = fit(module, arrays(framework, *data), array(framework, target), 0.05, 300)
        width = module.width.item() if framework == "torch" else module.width.data().asscalar()
        assert abs(width - best) < 0.02 and last < error(best) + 1e-3


# Order (erratum 25)


@each_framework
@pytest.mark.parametrize("moved", MOVED)
def test_each_answer_about_order_holds_when_it_is_run(framework, moved):
    queries, keys, values = _example(num_queries=5)
    order = np.array([3, 0, 4, 1, 2])
    before = _pool(framework, queries, keys, values)
    after = _pool(
        framework,
        queries[:, order] if "queries" in moved else queries,
        keys[:, order] if "keys" in moved else keys,
        values[:, order] if "values" in moved else values,
    )
    same, in_new_order = (
        np.allclose(after, before, atol=1e-5),
        np.allclose(after, before[:, order], atol=1e-5),
    )
    assert {"same": (True, False), "moved": (False, True), "other": (False, False)}[
        after_permuting(moved)
    ] == (
        same,
        in_new_order,
    )
