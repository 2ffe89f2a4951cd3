"""Facts of the chapter on what may stand in place of the softmax, and wrong ideas that only gradients show."""

import numpy as np
import pytest

from autograder import check
from autograder.diagnose.matcher import is_known
from autograder.frameworks.libraries import torch
from autograder.model.catalogue import all_exercises
from exercises.normalisers import CHANGES
from solutions.masked_softmax.in_numpy import masked_softmax_or_zero, softmax
from solutions.normalisers.in_numpy import (
    entmax,
    gap_to_zero,
    gumbel_proof_step,
    relaxed,
    softmax_with_zero,
    sparsemax,
    straight_through,
)
from tests.support import FRAMEWORKS, need, solution
from tools.wrong_versions import define, wrong_source

SCORES = np.array([1.5, 1.0, 0.0])


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_the_threshold_of_three_scores_is_that_found_by_hand():
    assert sparsemax(SCORES) == pytest.approx([0.75, 0.25, 0])
    assert sparsemax(SCORES / 4) == pytest.approx([0.5, 0.375, 0.125])
    assert sparsemax(2 * SCORES) == pytest.approx([1, 0, 0])


def test_sparsemax_is_the_nearest_point_whose_weights_sum_to_one(rng):
    scores = rng.normal(size=(20, 1, 5))
    weights = sparsemax(scores)
    assert weights.sum(axis=-1) == pytest.approx(1)
    points = rng.dirichlet(np.full(5, 0.3), size=2000)
    nearest = ((weights - scores) ** 2).sum(axis=-1)
    assert (((points - scores) ** 2).sum(axis=-1) >= nearest).all()


def test_a_number_added_to_all_scores_changes_no_weight(rng):
    scores = rng.normal(size=(2, 3, 6))
    assert sparsemax(scores + 7.5) == pytest.approx(sparsemax(scores))
    whole = np.array([6, 6])
    assert not np.allclose(softmax_with_zero(scores + 7.5, whole), softmax_with_zero(scores, whole))


def test_entmax_lies_between_softmax_and_sparsemax(rng):
    scores = rng.normal(size=(4, 3, 6))
    assert entmax(scores, 2.0) == pytest.approx(sparsemax(scores))
    assert entmax(scores, 1.001) == pytest.approx(softmax(scores), abs=2e-3)
    counts = [(entmax(scores, a) > 0).sum() for a in (1.1, 1.5, 2.0, 3.0)]
    assert counts == sorted(counts, reverse=True) and len(set(counts)) > 2


def test_an_empty_row_needs_no_rule_beside_an_extra_zero(rng):
    scores, lengths = 5 + rng.normal(size=(3, 2, 4)), np.array([0, 2, 4])
    weights = softmax_with_zero(scores, lengths)
    assert (weights[0] == 0).all() and (weights[1, :, 2:] == 0).all()
    # Scores far above the extra zero leave it next to nothing.
    assert softmax_with_zero(scores + 50, lengths) == pytest.approx(masked_softmax_or_zero(scores, lengths))


def test_pytorchs_zero_attention_is_an_extra_zero(rng):
    import torch

    need("torch")
    layer = torch.nn.MultiheadAttention(4, 1, bias=False, add_zero_attn=True, batch_first=True)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(4).repeat(3, 1))
    queries, keys = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4))
    arrays = [torch.tensor(X, dtype=torch.float32) for X in (queries, keys, keys)]
    _, weights = layer(*arrays)
    scores = queries @ keys.swapaxes(1, 2) / 2
    np.testing.assert_allclose(
        weights[:, :, :-1].detach(), softmax_with_zero(scores, np.array([5, 5])), atol=1e-5
    )


def test_pytorchs_gumbel_softmax_is_the_straight_through_choice():
    import torch

    need("torch")
    scores = torch.linspace(-1, 1, 24).reshape(2, 3, 4)
    towards = torch.linspace(0, 3, 24).reshape(2, 3, 4).cos()
    results = {}
    for name in ("theirs", "ours"):
        s = scores.clone().requires_grad_()
        torch.manual_seed(1)
        if name == "theirs":
            choice = torch.nn.functional.gumbel_softmax(s, tau=0.7, hard=True)
        else:
            noise = -torch.empty_like(s).exponential_().log()
            choice = solution("normalisers", "torch").straight_through(s, noise, 0.7)
        (choice * towards).sum().backward()
        results[name] = choice.detach(), s.grad
    for theirs, ours in zip(results["theirs"], results["ours"], strict=True):
        np.testing.assert_allclose(theirs, ours, atol=1e-6)


def test_scores_of_published_models_grow_with_the_logarithm_of_the_position():
    need("torch")
    ministral = pytest.importorskip("transformers.models.ministral3.modeling_ministral3")
    library = pytest.importorskip("transformers")
    llama, mistral = library.Llama4TextConfig(), library.Mistral4Config().rope_parameters
    beta, n = mistral["llama_4_scaling_beta"], mistral["original_max_position_embeddings"]
    assert (llama.attn_scale, llama.floor_scale, llama.attn_temperature_tuning) == (beta, n, True)
    places = torch.tensor([[0, n - 1, n, 1_000_000]])
    factors = ministral.get_llama_4_attn_scale(places, beta, n).flatten().numpy()
    assert factors == pytest.approx([1, 1, 1 + 0.1 * np.log(2), 1.48], abs=2e-3)
    rope = library.Ministral3Config().rope_parameters
    assert (rope["llama_4_scaling_beta"], rope["original_max_position_embeddings"]) == (0.1, 16384)


def test_gumbel_noise_draws_with_the_probabilities_of_the_softmax(rng):
    noise = rng.gumbel(size=(50_000, 1, 3))
    frequencies = straight_through(np.broadcast_to(SCORES, noise.shape), noise, 1.0).mean(axis=0)[0]
    assert frequencies == pytest.approx(softmax(SCORES), abs=0.01)
    assert relaxed(SCORES, noise[:1], 0.01).max() == pytest.approx(1)


def test_straight_through_without_noise_has_the_mean_of_soft_attention():
    # The chapter's four patches and its reward -|c - y|^2 / 20.
    features, y = np.array([[4, 0], [0, 4], [8, 8], [0, -8]]), np.array([4, 2])
    alpha = np.array([4, 2, 1, 1]) / 8

    def through(context):
        slope = -(context - y) @ features.T / 10
        return alpha * (slope - slope @ alpha)

    mean = sum(chance * through(patch) for chance, patch in zip(alpha, features, strict=True))
    assert mean == pytest.approx(through(alpha @ features))
    assert mean == pytest.approx([0, 0, 0.15, -0.15])


@pytest.mark.parametrize(("power", "falls"), [(2, True), (3, False)])
def test_a_low_temperature_makes_the_bias_small_where_the_reward_is_quadratic(power, falls, rng):
    features, y = np.array([[4, 0], [0, 4], [8, 8], [0, -8]]), np.array([4, 2])
    alpha = np.array([4, 2, 1, 1]) / 8
    rewards = -(np.abs(features - y) ** power).sum(axis=1)
    slopes = -power * np.abs(features - y) ** (power - 1) * np.sign(features - y) @ features.T
    noisy = np.log(alpha) + rng.gumbel(size=(200_000, 4))
    slope = slopes[noisy.argmax(axis=1)]

    def bias(temperature):
        soft = softmax(noisy / temperature)
        estimates = soft * (slope - (soft * slope).sum(axis=1, keepdims=True)) / temperature
        exact = alpha * (rewards - alpha @ rewards)
        return np.linalg.norm(estimates.mean(axis=0) - exact) / np.linalg.norm(exact)

    assert (bias(0.1) < bias(0.5) / 2) == falls


CHOICE = "(hard - soft).detach() + soft"
SOFT = "soft = noisy.softmax"
SLOPES = {
    ("sparsemax", "slopes_of_a_fixed_threshold"): ("(scores - threshold)", "(scores - threshold.detach())"),
    ("straight_through", "choice_without_a_slope"): (CHOICE, "hard + soft - soft"),
    ("straight_through", "sign_turned"): (CHOICE, "hard - soft + soft.detach()"),
    ("straight_through", "temperature_left_out"): (SOFT, "soft = (scores + noise).softmax"),
    ("straight_through", "temperature_multiplied"): (SOFT, "soft = ((scores + noise) * temperature).softmax"),
    ("straight_through", "noise_left_out_of_the_slope"): (SOFT, "soft = (scores / temperature).softmax"),
    ("straight_through", "noise_not_divided_in_the_slope"): (
        SOFT,
        "soft = (scores / temperature + noise).softmax",
    ),
    ("straight_through", "past_the_softmax"): (CHOICE, "(hard - noisy).detach() + noisy"),
    ("straight_through", "past_softmax_and_temperature"): (
        CHOICE,
        "(hard - (scores + noise)).detach() + (scores + noise)",
    ),
    ("straight_through", "logarithm_of_the_weights"): (CHOICE, "(hard - soft.log()).detach() + soft.log()"),
}


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(("name", "idea"), SLOPES)
def test_a_wrong_idea_that_only_the_gradient_shows_is_named(name, idea, framework):
    need(framework)
    exercise = all_exercises()[name]
    entry = define(exercise, framework, wrong_source(exercise, framework, SLOPES[name, idea]))
    verdict = check(entry, framework, exercise=name)
    assert (verdict.outcome, verdict.failed_stage, verdict.misconception) == (
        "rejected",
        "gradients",
        idea,
    ), verdict
    assert verdict.hint in {m.hint for m in exercise.wrong_gradients} and verdict.points == 0
    assert is_known(exercise, idea)


def test_every_wrong_slope_has_a_version_here():
    slopes = {(e.name, m.name) for e in all_exercises().values() for m in e.wrong_gradients}
    assert slopes == set(SLOPES)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_wrong_gradient_without_a_name_is_still_rejected(framework):
    need(framework)
    exercise = all_exercises()["straight_through"]
    version = wrong_source(exercise, framework, (CHOICE, "(hard - soft * soft).detach() + soft * soft"))
    verdict = check(define(exercise, framework, version), framework, exercise=exercise.name)
    assert (verdict.outcome, verdict.failed_stage, verdict.misconception) == (
        "rejected",
        "gradients",
        None,
    ), verdict


@pytest.mark.parametrize(("a", "num_best"), [(2.0, 1), (1.5, 1), (2.0, 3), (1.3, 4), (2.6, 5)])
def test_a_key_has_no_weight_from_the_gap_on(a, num_best):
    gap = gap_to_zero(a, num_best)
    for more, has_weight in ((-0.01, True), (0.01, False)):
        scores = np.array([2.0] * num_best + [2.0 - gap - more] * 3)
        assert (entmax(scores, a)[num_best:] > 0).all() == has_weight


def gumbel_draws(change, rng, num_draws=40_000):
    """Scores, u of each draw and key, and what is added to the scores, with a change in the proof."""
    scores = np.log([0.5, 0.25, 0.125, 0.125]) + 3 * (change == "a number added to all scores")
    scores = np.zeros(10_000) if change == "ten thousand keys" else scores
    num_draws = 400 if change == "ten thousand keys" else num_draws
    one = change == "one u for all keys"
    u = np.broadcast_to(rng.random((num_draws, 1 if one else len(scores))), (num_draws, len(scores)))
    u = u / 2 if change == "u drawn between 0 and 1/2" else u
    noise = -np.log(u) if change.startswith("-log u") else -np.log(-np.log(u))
    return scores, u, 2 * noise if change == "the noise times 2" else noise


@pytest.mark.parametrize("change", CHANGES)
def test_the_step_of_the_gumbel_proof_that_fails_is_that_of_the_draws(rng, change):
    scores, u, noise = gumbel_draws(change, rng)
    x = -np.log(u) / np.exp(scores)
    first, second = x[:, 0] > np.median(x[:, 0]), x[:, 1] > np.median(x[:, 1])
    steps = {
        "1": ((scores + noise).argmax(axis=1) == x.argmin(axis=1)).all(),
        "2": (x[:, 0] > 1.5).mean() == pytest.approx(np.exp(-1.5 * np.exp(scores[0])), abs=0.1),
        "3": (first & second).mean() == pytest.approx(0.25, abs=0.15),
    }
    assert gumbel_proof_step(change) == next((step for step, holds in steps.items() if not holds), "none")
