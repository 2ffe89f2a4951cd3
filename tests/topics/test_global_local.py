"""Global and local attention: the gathered window, the limits, and the wrong versions that people write."""

import numpy as np
import pytest

from autograder.frameworks.libraries import mx
from solutions.errata.in_numpy import claims_that_hold
from solutions.global_local import in_numpy
from solutions.masked_softmax.in_numpy import masked_softmax, softmax
from tests.support import FRAMEWORKS, solution
from tests.topics.arrays import array, arrays, close, computed, differentiated, with_learned

RNG = np.random.default_rng(3)
QUERIES = RNG.normal(size=(2, 3, 4))
KEYS = RNG.normal(size=(2, 9, 4))
VALUES = RNG.normal(size=(2, 9, 7))
SCORES = RNG.normal(size=(2, 3, 9))
LENGTHS = np.array([9, 6])
REAL = np.array([[0.2, 4.6, 8.3], [5.4, 2.75, 1.1]])
WHOLE = np.array([[0.0, 4.0, 8.0], [5.0, 2.0, 9.0]])

each_framework = pytest.mark.parametrize("framework", FRAMEWORKS)


def slope(*shape):
    """1, 2, 3, ..."""
    return np.arange(1.0, np.prod(shape) + 1).reshape(shape)


def lengths(framework):
    return array(framework, LENGTHS)


def context_of(framework, positions, D, gaussian, gathered):
    """Local attention's context and gradients, from gathered windows or from the full, masked scores."""
    s = solution("global_local", framework)
    p, every_key = arrays(framework, positions, np.arange(9.0).reshape(1, 1, 9))
    p_t = p.reshape((*p.shape, 1))

    def windows(q, k, v):
        index, inside = s.window_slots(p, lengths(framework), D)
        factor = inside * s.gaussian_factor(index - p_t, D) if gaussian else inside
        return s.window_attention(q, k, v, index, factor)

    def full(q, k, v):
        weights = s.window_weights(s.dot_score(q, k), p, lengths(framework), D)
        if gaussian:
            weights = weights * s.gaussian_factor(every_key - p_t, D)
        return weights @ v if framework == "torch" else mx.nd.batch_dot(weights, v)

    return differentiated(framework, windows if gathered else full, (QUERIES, KEYS, VALUES), slope(2, 3, 7))


@each_framework
@pytest.mark.parametrize("positions", [REAL, WHOLE], ids=["real", "whole"])
@pytest.mark.parametrize("D", [1, 2, 6])
@pytest.mark.parametrize("gaussian", [False, True], ids=["plain", "gaussian"])
def test_gathering_the_window_gives_what_masking_everything_gives(framework, positions, D, gaussian):
    context, gradients = context_of(framework, positions, D, gaussian, gathered=True)
    expected, expected_gradients = context_of(framework, positions, D, gaussian, gathered=False)
    reference = in_numpy.window_attention(QUERIES, KEYS, VALUES, positions, LENGTHS, D, gaussian)
    np.testing.assert_allclose(context, reference, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(context, expected, rtol=1e-4, atol=1e-5)
    for got, gradient in zip(gradients, expected_gradients, strict=True):
        np.testing.assert_allclose(got, gradient, rtol=1e-4, atol=1e-4)


def test_both_frameworks_gather_with_the_same_gradients():
    ours, theirs = (context_of(f, REAL, 2, True, gathered=True) for f in FRAMEWORKS)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-4, atol=1e-5)
    for a, b in zip(ours[1], theirs[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


def test_the_weights_of_a_window_are_the_softmax_of_a_slice():
    scores = RNG.normal(size=(1, 1, 9))
    weights = in_numpy.window_weights(scores, np.array([[4]]), np.array([9]), 2)
    np.testing.assert_allclose(weights[0, 0, 2:7], softmax(scores[0, 0, 2:7]))
    assert (weights[0, 0, [0, 1, 7, 8]] == 0).all()


@each_framework
def test_a_window_as_wide_as_the_sentence_is_global_attention(framework):
    s = solution("global_local", framework)
    weights = computed(
        framework, lambda x, p: s.window_weights(x, p, lengths(framework), 9), (SCORES, WHOLE % 6)
    )
    np.testing.assert_allclose(weights, masked_softmax(SCORES, LENGTHS), rtol=1e-4, atol=1e-6)


def test_a_window_holds_one_word_more_on_a_word_than_between_two():
    between = np.random.default_rng(0).uniform(12, 28, size=1000)
    for D in range(1, 6):
        on, *others = in_numpy.window_mask(np.array([[20, *between]]), np.array([41]), 41, D)[0].sum(axis=-1)
        assert on == 2 * D + 1 and set(others) == {2 * D}
    assert claims_that_hold(("window",)) == (False,)


@each_framework
def test_the_number_of_scored_keys_does_not_depend_on_the_source(framework):
    s = solution("global_local", framework)
    for length in (10, 100, 1000):
        index, inside = s.window_slots(*arrays(framework, [[length / 2]], [length]), 4)
        assert index.shape == inside.shape == (1, 1, 9)


@each_framework
def test_dot_and_general_agree_with_the_reference(framework):
    s = solution("global_local", framework)
    W_a = RNG.normal(size=(4, 5))
    wide = RNG.normal(size=(2, 9, 5))
    close(computed(framework, s.dot_score, (QUERIES, KEYS)), in_numpy.dot_score(QUERIES, KEYS))
    module = with_learned(framework, s.LuongGeneral(4, 5), {"W_a.weight": W_a})
    close(computed(framework, module, (QUERIES, wide)), in_numpy.general_score(QUERIES, wide, W_a))


def test_general_with_the_identity_is_dot():
    np.testing.assert_allclose(
        in_numpy.general_score(QUERIES, KEYS, np.eye(4)), in_numpy.dot_score(QUERIES, KEYS)
    )


def test_concat_is_the_additive_score_with_both_matrices_in_one():
    W_a, v_a = RNG.normal(size=(6, 8)), RNG.normal(size=(1, 6))
    hidden = np.tanh((QUERIES @ W_a[:, :4].T)[:, :, None] + (KEYS @ W_a[:, 4:].T)[:, None])
    np.testing.assert_allclose(in_numpy.concat_score(QUERIES, KEYS, W_a, v_a), hidden @ v_a[0])
    assert claims_that_hold(("concat",)) == (True,)


def gradients_of_local_attention(framework, gaussian):
    """The gradients that reach the scores and the positions."""
    s = solution("global_local", framework)
    every_key = array(framework, np.arange(9.0).reshape(1, 1, 9))

    def call(x, p):
        factor = s.gaussian_factor(every_key - p.reshape((2, 3, 1)), 2)
        return s.window_weights(x, p, lengths(framework), 2) * (factor if gaussian else 1 + 0 * factor)

    return differentiated(framework, call, (SCORES, REAL), slope(2, 3, 9))[1]


@each_framework
def test_the_position_learns_from_the_gaussian_and_never_from_the_window(framework):
    _, from_the_window = gradients_of_local_attention(framework, gaussian=False)
    _, from_the_gaussian = gradients_of_local_attention(framework, gaussian=True)
    assert not from_the_window.any()
    assert (from_the_gaussian != 0).all()


@each_framework
def test_every_word_in_the_window_gets_a_gradient_and_no_other(framework):
    scores, _ = gradients_of_local_attention(framework, gaussian=True)
    inside = in_numpy.window_mask(REAL, LENGTHS, 9, 2)
    assert (scores[inside] != 0).all() and not scores[~inside].any()


def test_the_weights_jump_where_a_word_enters_the_window():
    scores, length = np.zeros((1, 1, 9)), np.array([9])

    def last_weight(p):
        position = np.array([[p]])
        weights = in_numpy.window_weights(scores, position, length, 2)
        return (weights * in_numpy.gaussian_factor(np.arange(9) - p, 2))[0, 0, 6]

    assert last_weight(3.999) == 0
    # One of five words, two sigmas away.
    assert last_weight(4.0) == pytest.approx(np.exp(-2) / 5)


def test_after_the_gaussian_the_weights_sum_to_less_than_one():
    scores = RNG.normal(size=(1, 1, 41))
    position, D = np.array([[20.0]]), 10
    weights = in_numpy.window_weights(scores, position, np.array([41]), D)
    assert weights.sum() == pytest.approx(1)
    assert (weights * in_numpy.gaussian_factor(np.arange(41) - 20, D)).sum() < 0.9
    # With equal scores, the mean of the Gaussian over the window.
    equal = in_numpy.window_weights(0 * scores, position, np.array([41]), D)
    total = (equal * in_numpy.gaussian_factor(np.arange(41) - 20, D)).sum()
    assert total == pytest.approx(np.exp(-(np.arange(-10, 11) ** 2) / 50).mean())
    assert round(total, 3) == 0.576


def test_a_predicted_position_lies_inside_the_sentence_however_large_the_weights():
    W_p, v_p = 9 * RNG.normal(size=(6, 4)), 9 * RNG.normal(size=(1, 6))
    scores = np.zeros((*QUERIES.shape[:2], 1))
    _, positions = in_numpy.local_predictive(QUERIES, scores, LENGTHS, 2, W_p, v_p)
    assert (positions >= 0).all() and (positions <= LENGTHS[:, None]).all()
