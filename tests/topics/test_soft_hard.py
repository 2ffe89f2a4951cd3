"""Soft and hard attention: what REINFORCE estimates, the canvases, and the wrong versions that people write."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from course.data import digits
from solutions.masked_softmax.in_numpy import softmax
from solutions.soft_hard import in_numpy
from tests.support import FRAMEWORKS, solution
from tests.topics.arrays import array, computed, differentiated

RNG = np.random.default_rng(5)
SCORES = RNG.normal(size=6)
REWARDS = RNG.normal(size=6) - 2.0

each_framework = pytest.mark.parametrize("framework", FRAMEWORKS)


def gradient_of_loss(framework, scores, index, rewards, baseline):
    """Return the gradient of the mean of REINFORCE's losses with respect to the scores."""
    loss = solution("soft_hard", framework).reinforce_loss
    index, rewards = array(framework, index), tuple(map(float, rewards))
    slope = np.full(len(scores), 1 / len(scores))
    _, (gradient,) = differentiated(framework, lambda x: loss(x, index, rewards, baseline), [scores], slope)
    return gradient


# REINFORCE


@pytest.mark.parametrize("baseline", [0.0, -2.0, 3.5])
def test_the_mean_of_all_estimates_is_the_exact_gradient_whatever_the_baseline(baseline):
    estimates = in_numpy.all_estimates(SCORES, REWARDS, baseline)
    np.testing.assert_allclose(softmax(SCORES) @ estimates, in_numpy.expected_gradient(SCORES, REWARDS))


def test_the_exact_gradient_is_the_slope_of_the_expected_reward():
    step = 1e-6
    slopes = [
        (softmax(SCORES + d) @ REWARDS - softmax(SCORES - d) @ REWARDS) / (2 * step) for d in step * np.eye(6)
    ]
    np.testing.assert_allclose(slopes, in_numpy.expected_gradient(SCORES, REWARDS), atol=1e-8)


@each_framework
@pytest.mark.parametrize("baseline", [0.0, -1.75])
def test_the_loss_has_minus_the_estimate_as_its_gradient(framework, baseline):
    estimates = in_numpy.all_estimates(SCORES, REWARDS, baseline)
    for patch in range(6):
        gradient = gradient_of_loss(framework, SCORES[None], [patch], REWARDS[[patch]], baseline)
        np.testing.assert_allclose(gradient[0], -estimates[patch], rtol=1e-4, atol=1e-5)


@each_framework
def test_many_draws_come_near_the_exact_gradient(framework):
    draws = 20_000
    index = RNG.choice(6, size=draws, p=softmax(SCORES))
    rows = np.tile(SCORES, (draws, 1))
    gradient = gradient_of_loss(framework, rows, index, REWARDS[index], -2.0)
    # Each coordinate within five standard errors.
    error = 5 * np.sqrt(in_numpy.variance(SCORES, REWARDS, -2.0) / draws)
    np.testing.assert_allclose(-gradient.sum(axis=0), in_numpy.expected_gradient(SCORES, REWARDS), atol=error)


def test_a_baseline_near_the_expected_reward_scatters_less_than_none():
    expected = float(softmax(SCORES) @ REWARDS)
    assert in_numpy.variance(SCORES, REWARDS, expected) < 0.5 * in_numpy.variance(SCORES, REWARDS, 0.0)
    assert in_numpy.variance(SCORES, REWARDS, 10.0) > in_numpy.variance(SCORES, REWARDS, 0.0)


def test_the_variance_is_that_of_the_draws():
    estimates = in_numpy.all_estimates(SCORES, REWARDS, -1.0)
    draws = estimates[np.random.default_rng(0).choice(6, size=50_000, p=softmax(SCORES))]
    assert in_numpy.variance(SCORES, REWARDS, -1.0) == pytest.approx(draws.var(axis=0).sum(), rel=0.03)


# What is drawn, and what is read


@each_framework
def test_drawing_inverts_the_cumulated_weights(framework):
    draw = solution("soft_hard", framework).draw
    weights = np.array([[0.5, 0.2, 0.3]] * 6, dtype=np.float32)
    u = np.array([0.0, 0.4, 0.6, 0.69, 0.75, 0.9999], dtype=np.float32)
    indices = computed(framework, draw, (weights, u))
    np.testing.assert_array_equal(indices, [0, 0, 1, 1, 2, 2])
    np.testing.assert_array_equal(in_numpy.draw(weights, u), indices)


def test_patches_are_drawn_as_often_as_their_weights_say():
    weights = np.tile([0.1, 0.6, 0.05, 0.25], (40_000, 1))
    draws = in_numpy.draw(weights, np.random.default_rng(1).random(40_000))
    np.testing.assert_allclose(np.bincount(draws) / 40_000, weights[0], atol=0.01)


def test_the_largest_u_still_draws_a_patch():
    assert in_numpy.draw(np.full((1, 3), 0.3333), np.array([0.99999])).item() == 2


@each_framework
def test_a_hard_context_is_one_patch(framework):
    features, index = RNG.normal(size=(3, 5, 4)).astype(np.float32), np.array([4, 0, 2])
    context = computed(framework, solution("soft_hard", framework).hard_context, (features, index))
    np.testing.assert_array_equal(context, features[[0, 1, 2], index])


def test_the_mean_of_hard_contexts_is_the_soft_one():
    features, scores = RNG.normal(size=(1, 5, 4)), RNG.normal(size=(1, 5))
    context, weights = in_numpy.soft_context(features, scores)
    each = [in_numpy.hard_context(features, np.array([i]))[0] for i in range(5)]
    np.testing.assert_allclose(weights[0] @ np.array(each), context[0])


def test_the_penalty_is_zero_when_every_patch_is_looked_at_once():
    once = np.eye(4)[None, [2, 0, 3, 1]]
    assert in_numpy.doubly_stochastic_penalty(once).item() == 0
    assert in_numpy.doubly_stochastic_penalty(once[:, [0, 0, 0, 0]]).item() == 9 + 3


@each_framework
def test_a_reader_computes_the_reference(framework):
    sizes = {"feature": (5, 8), "W_a": (3, 5), "v_a": (1, 3), "out": (4, 5)}
    weights = {f"{k}.weight": RNG.normal(size=s).astype(np.float32) for k, s in sizes.items()}
    weights |= {
        f"{k}.bias": RNG.normal(size=s[:1]).astype(np.float32) for k, s in sizes.items() if k != "v_a"
    }
    patches = RNG.normal(size=(9, 6, 8)).astype(np.float32)
    s = solution("soft_hard", framework)
    reader = s.load(s.Reader(8, 5, 3, 4), weights)
    features, scores = in_numpy.reader(patches, weights)
    context, expected = in_numpy.soft_context(features, scores)
    best = in_numpy.hard_context(features, scores.argmax(axis=-1))
    for hard, glimpse in ((False, context), (True, best)):
        answers, attention_weights = s.read(reader, patches, hard)
        np.testing.assert_allclose(attention_weights, expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(answers, in_numpy.log_probabilities(glimpse, weights).argmax(axis=-1))


# The canvases


def test_the_place_is_the_patch_that_holds_the_digit():
    canvases = digits.canvases(50, seed=3)
    images = {(image / 16).astype(np.float32).tobytes() for image in load_digits().images}
    for canvas, place in zip(canvases.patches, canvases.places, strict=True):
        assert canvas[place].tobytes() in images


def test_patches_are_cut_row_by_row():
    image = np.arange(24 * 24, dtype=np.float32).reshape(1, 24, 24)
    cut = digits.patches(image)
    assert cut.shape == (1, 25, 64)
    np.testing.assert_array_equal(cut[0, 7].reshape(8, 8), image[0, 4:12, 8:16])


def test_the_same_seed_gives_the_same_canvases():
    one, same, other = (digits.canvases(5, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.images, same.images)
    assert (one.images != other.images).any()
    assert one.images.min() >= 0 and one.images.max() <= 1


def test_no_digit_of_the_test_canvases_is_among_those_for_training():
    ink = (load_digits().images / 16).astype(np.float32)
    testing = {image.tobytes() for image in ink[digits.TRAINING_DIGITS :]}
    canvases = digits.canvases(60, seed=0, test=True)
    for canvas, place in zip(canvases.patches, canvases.places, strict=True):
        assert canvas[place].tobytes() in testing
    trained = digits.canvases(200, seed=0)
    for canvas, place in zip(trained.patches, trained.places, strict=True):
        assert canvas[place].tobytes() not in testing


def test_a_canvas_without_fragments_holds_the_digit_only():
    canvases = digits.canvases(5, seed=0, fragments=0)
    for image, canvas, place in zip(canvases.images, canvases.patches, canvases.places, strict=True):
        assert image.sum() == pytest.approx(canvas[place].sum())


@pytest.mark.parametrize(("count", "fragments"), [(0, 8), (5, -1)])
def test_impossible_canvases_are_refused(count, fragments):
    with pytest.raises(ValueError, match="at least 1 and 0 are needed"):
        digits.canvases(count, 0, fragments=fragments)
