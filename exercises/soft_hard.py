"""Exercises on soft and hard attention (Xu et al. 2015)."""

from collections.abc import Sequence

import numpy as np

from autograder.model.exercise import Argument, Call, Case, Exercise, Misconception, Output, Property
from exercises.shared import draw_sizes
from solutions.masked_softmax.in_numpy import softmax
from solutions.soft_hard.in_numpy import (
    doubly_stochastic_penalty,
    hard_context,
    kind_of_attention,
    reinforce_loss,
    soft_context,
)

Array = np.ndarray
Rewards = Sequence[float]

SCORES = Argument("scores", "(batch, num_patches)")


# The expected patch


def softmax_over_the_batch(features: Array, scores: Array) -> tuple[Array, Array]:
    weights = softmax(scores.T).T
    return np.einsum("bi,bid->bd", weights, features), weights


def softmax_over_everything(features: Array, scores: Array) -> tuple[Array, Array]:
    weights = softmax(scores.reshape(-1)).reshape(scores.shape)
    return np.einsum("bi,bid->bd", weights, features), weights


def mean_over_patches(features: Array, scores: Array) -> tuple[Array, Array]:
    context, weights = soft_context(features, scores)
    return context / scores.shape[1], weights


def best_patch_only(features: Array, scores: Array) -> tuple[Array, Array]:
    best = scores.argmax(axis=-1)
    return hard_context(features, best), np.eye(scores.shape[1])[best]


def a_gate_for_each_patch(features: Array, scores: Array) -> tuple[Array, Array]:
    weights = 1 / (1 + np.exp(-scores))
    return np.einsum("bi,bid->bd", weights, features), weights


def softmax_left_out(features: Array, scores: Array) -> tuple[Array, Array]:
    return np.einsum("bi,bid->bd", scores, features), scores


def scores_for_weights(features: Array, scores: Array) -> tuple[Array, Array]:
    return np.einsum("bi,bid->bd", scores, features), softmax(scores)


def best_patch_for_the_context(features: Array, scores: Array) -> tuple[Array, Array]:
    return best_patch_only(features, scores)[0], softmax(scores)


def plain_mean_for_the_context(features: Array, scores: Array) -> tuple[Array, Array]:
    return features.mean(axis=1), softmax(scores)


def plain_sum_for_the_context(features: Array, scores: Array) -> tuple[Array, Array]:
    return features.sum(axis=1), softmax(scores)


def softmax_twice(features: Array, scores: Array) -> tuple[Array, Array]:
    return soft_context(features, softmax(scores))


def scores_over_root_of_d(features: Array, scores: Array) -> tuple[Array, Array]:
    return soft_context(features, scores / np.sqrt(features.shape[-1]))


def scores_turned(features: Array, scores: Array) -> tuple[Array, Array]:
    return soft_context(features, -scores)


def log_softmax_for_softmax(features: Array, scores: Array) -> tuple[Array, Array]:
    above = scores - scores.max(axis=-1, keepdims=True)
    weights = above - np.log(np.exp(above).sum(axis=-1, keepdims=True))
    return np.einsum("bi,bid->bd", weights, features), weights


def gates_that_share(features: Array, scores: Array) -> tuple[Array, Array]:
    gates = 1 / (1 + np.exp(-scores))
    weights = gates / gates.sum(axis=-1, keepdims=True)
    return np.einsum("bi,bid->bd", weights, features), weights


def features_summed(features: Array, scores: Array) -> tuple[Array, Array]:
    weights = softmax(scores)
    return (weights[..., None] * features).sum(axis=2), weights


def patches_not_summed(features: Array, scores: Array) -> tuple[Array, Array]:
    weights = softmax(scores)
    return weights[..., None] * features, weights


def largest_weighted_patch(features: Array, scores: Array) -> tuple[Array, Array]:
    weights = softmax(scores)
    return (weights[..., None] * features).max(axis=1), weights


def features_weigh_themselves(features: Array, scores: Array) -> tuple[Array, Array]:
    return (softmax(features.swapaxes(1, 2)).swapaxes(1, 2) * features).sum(axis=1), softmax(scores)


def weights_keep_an_axis(features: Array, scores: Array) -> tuple[Array, Array]:
    context, weights = soft_context(features, scores)
    return context, weights[..., None]


def context_keeps_an_axis(features: Array, scores: Array) -> tuple[Array, Array]:
    context, weights = soft_context(features, scores)
    return context[:, None], weights


def softmax_over_an_axis_of_one(features: Array, scores: Array) -> tuple[Array, Array]:
    return features.sum(axis=1), np.ones_like(scores)


def every_image_with_all_weights(features: Array, scores: Array) -> tuple[Array, Array]:
    weights = softmax(scores)
    return weights @ features, weights


def exponentials_not_divided(features: Array, scores: Array) -> tuple[Array, Array]:
    weights = np.exp(scores)
    return np.einsum("bi,bid->bd", weights, features), weights


def _weights_sum_to_one(run: Call, case: Case) -> str | None:
    sums = run(case)[1].astype(np.float64).sum(axis=-1)
    if np.allclose(sums, 1, atol=1e-3):
        return None
    row = int(np.argwhere(~np.isclose(sums, 1, atol=1e-3))[0, 0])
    return f"Those of image {row} sum to {sums[row]:.4f}."


def _context_inside(run: Call, case: Case) -> str | None:
    context, features = run(case)[0], case.inputs["features"]
    slack = 1e-3 * (1 + np.abs(features).max(axis=1))
    outside = (context < features.min(axis=1) - slack) | (context > features.max(axis=1) + slack)
    if not outside.any():
        return None
    place = tuple(map(int, np.argwhere(outside)[0]))
    return f"Entry {place} is {context[place]:.4g}."


def _soft_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, shift: float = 0.0, gradient: bool = False) -> Case:
        batch, n, d = draw_sizes(rng, *typical)
        inputs = {
            "features": rng.normal(size=(batch, n, d)),
            "scores": 1.5 * rng.normal(size=(batch, n)) + shift,
        }
        return Case(note, inputs, gradient=gradient)

    return [
        case("all sizes different", 3, 5, 7, gradient=True),
        case("as many patches as features", 2, 4, 4, gradient=True),
        case("as many images as patches", 5, 5, 3),
        case("one image", 1, 6, 2),
        case("a single patch", 2, 1, 5),
        case("as many patches as a canvas has", 2, 25, 4),
        case("scores near 800", 2, 5, 3, shift=800.0),
    ]


# REINFORCE


def _log_weights(scores: Array) -> Array:
    return np.asarray(np.log(softmax(scores)))


def baseline_left_out(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return reinforce_loss(scores, index, rewards, 0.0)


def baseline_added(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return reinforce_loss(scores, index, rewards, -baseline)


def sign_turned(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return -reinforce_loss(scores, index, rewards, baseline)


def log_left_out(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    chosen = softmax(scores)[np.arange(len(scores)), index]
    return np.asarray(-(np.asarray(rewards) - baseline) * chosen)


def score_for_log_weight(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    chosen = scores[np.arange(len(scores)), index]
    return np.asarray(-(np.asarray(rewards) - baseline) * chosen)


def every_patch_counts(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return np.asarray(-(np.asarray(rewards) - baseline) * _log_weights(scores).sum(axis=-1))


def mean_of_every_patch(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return every_patch_counts(scores, index, rewards, baseline) / scores.shape[1]


def best_patch_for_the_drawn(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return reinforce_loss(scores, scores.argmax(axis=-1), rewards, baseline)


def baseline_outside_the_product(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return reinforce_loss(scores, index, rewards, 0.0) + baseline


def divided_by_the_batch(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return reinforce_loss(scores, index, rewards, baseline) / len(scores)


def log_softmax_over_the_batch(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    log_weights = np.log(softmax(scores.T).T)[np.arange(len(scores)), index]
    return np.asarray(-(np.asarray(rewards) - baseline) * log_weights)


def _centred(rewards: Rewards, baseline: float) -> Array:
    return np.asarray(rewards) - baseline


def _drawn(per_patch: Array, index: Array) -> Array:
    return np.asarray(per_patch[np.arange(len(per_patch)), index])


def log_of_base_two(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return reinforce_loss(scores, index, rewards, baseline) / np.log(2)


def reward_left_out(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return -_drawn(_log_weights(scores), index)


def advantage_squared(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return -(_centred(rewards, baseline) ** 2) * _drawn(_log_weights(scores), index)


def mean_reward_for_the_baseline(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return reinforce_loss(scores, index, rewards, float(np.mean(rewards)))


def baseline_taken_from_the_loss(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return reinforce_loss(scores, index, rewards, 0.0) - baseline


def no_baseline_and_sign_turned(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return -reinforce_loss(scores, index, rewards, 0.0)


def no_log_and_sign_turned(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return -log_left_out(scores, index, rewards, baseline)


def no_log_and_no_baseline(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return log_left_out(scores, index, rewards, 0.0)


def no_log_and_baseline_outside(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return log_left_out(scores, index, rewards, 0.0) + baseline


def weight_counted_twice(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return reinforce_loss(scores, index, rewards, baseline) * _drawn(softmax(scores), index)


def one_over_the_weight(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return -_centred(rewards, baseline) / _drawn(softmax(scores), index)


def baseline_taken_from_the_logarithm(
    scores: Array, index: Array, rewards: Rewards, baseline: float
) -> Array:
    return -np.asarray(rewards) * (_drawn(_log_weights(scores), index) - baseline)


def softmax_before_log_softmax(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return reinforce_loss(softmax(scores), index, rewards, baseline)


def log_weights_of_the_whole_batch(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return -_centred(rewards, baseline) * _drawn(_log_weights(scores), index).sum()


def every_reward_with_every_patch(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return -_centred(rewards, baseline)[None] * _drawn(_log_weights(scores), index)[:, None]


def one_loss_for_the_batch(scores: Array, index: Array, rewards: Rewards, baseline: float) -> Array:
    return np.asarray(reinforce_loss(scores, index, rewards, baseline).sum())


def _reinforce_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, batch: int, n: int, baseline: float, size: float = 1.0, gradient: bool = False
    ) -> Case:
        batch, n = draw_sizes(rng, batch, n)
        baseline = round(baseline * float(rng.uniform(0.9, 1.1)), 3)
        # Log probabilities, as in the paper: negative, and not all on one side of the baseline.
        rewards = tuple(
            float(r) for r in np.round(baseline + rng.uniform(0.3, 1.5, batch) * _signs(rng, batch), 3)
        )
        inputs = {
            "scores": size * rng.normal(size=(batch, n)),
            "index": rng.integers(n, size=batch),
            "rewards": rewards,
            "baseline": baseline,
        }
        return Case(note, inputs, gradient=gradient)

    return [
        case("more patches than images", 3, 5, -1.75, gradient=True),
        case("as many images as patches", 4, 4, -1.5, gradient=True),
        case("one image", 1, 6, -2.25, gradient=True),
        case("as many patches as a canvas has", 5, 25, -1.25),
        case("a baseline of zero", 2, 5, 0.0),
        case("a baseline that is not negative", 4, 3, 0.625),
        case("scores far apart", 3, 5, -1.75, size=6.0),
    ]


def _signs(rng: np.random.Generator, count: int) -> Array:
    """Half of them positive."""
    return rng.permutation(np.where(np.arange(count) % 2, -1.0, 1.0))


# The doubly stochastic penalty


def sum_over_patches(weights: Array) -> Array:
    return np.asarray(((1 - weights.sum(axis=2)) ** 2).sum(axis=-1))


def squared_before_the_sum(weights: Array) -> Array:
    return np.asarray(((1 - weights) ** 2).sum(axis=(1, 2)))


def not_squared(weights: Array) -> Array:
    return np.asarray((1 - weights.sum(axis=1)).sum(axis=-1))


def absolute_for_square(weights: Array) -> Array:
    return np.asarray(np.abs(1 - weights.sum(axis=1)).sum(axis=-1))


def mean_over_the_patches(weights: Array) -> Array:
    return np.asarray(((1 - weights.sum(axis=1)) ** 2).mean(axis=-1))


def mean_over_the_steps(weights: Array) -> Array:
    return np.asarray(((1 - weights.mean(axis=1)) ** 2).sum(axis=-1))


def square_of_the_whole_sum(weights: Array) -> Array:
    return np.asarray((1 - weights.sum(axis=1)).sum(axis=-1) ** 2)


def target_is_the_mean(weights: Array) -> Array:
    sums = weights.sum(axis=1)
    return np.asarray(((sums.mean(axis=-1, keepdims=True) - sums) ** 2).sum(axis=-1))


def penalty_negated(weights: Array) -> Array:
    return -doubly_stochastic_penalty(weights)


def softmax_of_the_weights(weights: Array) -> Array:
    return doubly_stochastic_penalty(softmax(weights))


def mean_over_steps_and_patches(weights: Array) -> Array:
    return np.asarray(((1 - weights.mean(axis=1)) ** 2).mean(axis=-1))


def root_of_the_penalty(weights: Array) -> Array:
    return np.sqrt(doubly_stochastic_penalty(weights))


def half_of_the_penalty(weights: Array) -> Array:
    return doubly_stochastic_penalty(weights) / 2


def one_left_out(weights: Array) -> Array:
    return np.asarray((weights.sum(axis=1) ** 2).sum(axis=-1))


def largest_distance_only(weights: Array) -> Array:
    return np.asarray(((1 - weights.sum(axis=1)) ** 2).max(axis=-1))


def target_is_the_number_of_steps(weights: Array) -> Array:
    return np.asarray(((weights.shape[1] - weights.sum(axis=1)) ** 2).sum(axis=-1))


def neglected_patches_only(weights: Array) -> Array:
    return np.asarray((np.maximum(1 - weights.sum(axis=1), 0) ** 2).sum(axis=-1))


def weights_squared_first(weights: Array) -> Array:
    return np.asarray((1 - (weights**2).sum(axis=1)).sum(axis=-1))


def not_summed_over_the_patches(weights: Array) -> Array:
    return np.asarray((1 - weights.sum(axis=1)) ** 2)


def variance_of_the_sums(weights: Array) -> Array:
    return np.asarray(weights.sum(axis=1).var(axis=-1))


def sample_variance_of_the_sums(weights: Array) -> Array:
    return np.asarray(weights.sum(axis=1).var(axis=-1, ddof=1))


def one_number_for_the_batch(weights: Array) -> Array:
    return np.asarray(doubly_stochastic_penalty(weights).sum())


def mean_over_the_batch(weights: Array) -> Array:
    return np.asarray(doubly_stochastic_penalty(weights).mean())


def mean_of_all_squares(weights: Array) -> Array:
    return np.asarray(((1 - weights.sum(axis=1)) ** 2).mean())


def distances_cubed(weights: Array) -> Array:
    return np.asarray((np.abs(1 - weights.sum(axis=1)) ** 3).sum(axis=-1))


def summed_over_the_images(weights: Array) -> Array:
    return np.asarray(((1 - weights.sum(axis=1)) ** 2).sum(axis=0))


def _penalty_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, gradient: bool = False) -> Case:
        shape = draw_sizes(rng, *typical)
        return Case(note, {"weights": softmax(1.5 * rng.normal(size=shape))}, gradient=gradient)

    return [
        case("all sizes different", 2, 3, 5, gradient=True),
        case("more steps than patches", 3, 7, 4, gradient=True),
        case("as many steps as patches", 2, 6, 6),
        case("one step", 4, 1, 3),
        case("one image of many patches", 1, 4, 25),
    ]


# Which kind


def _kinds(*hard: str) -> dict[str, str]:
    return dict.fromkeys(hard, "hard")


def local_is_hard(mechanism: str) -> str:
    return _kinds("local-m", "local-p", "sampled patch", "best patch").get(mechanism, "soft")


def a_predicted_position_is_hard(mechanism: str) -> str:
    return _kinds("local-p", "sampled patch", "best patch").get(mechanism, "soft")


def the_best_patch_is_soft(mechanism: str) -> str:
    return _kinds("sampled patch").get(mechanism, "soft")


def patches_are_hard(mechanism: str) -> str:
    return _kinds("weighted patches", "sampled patch", "best patch").get(mechanism, "soft")


def all_of_it_is_soft(mechanism: str) -> str:
    return "soft"


def everything_but_global_is_hard(mechanism: str) -> str:
    return "soft" if mechanism == "global" else "hard"


def local_is_hard_and_the_best_patch_soft(mechanism: str) -> str:
    return _kinds("local-m", "local-p", "sampled patch").get(mechanism, "soft")


def local_for_the_choice(mechanism: str) -> str:
    return _kinds("local-m", "local-p").get(mechanism, "soft")


def a_position_is_hard_and_the_best_patch_soft(mechanism: str) -> str:
    return _kinds("local-p", "sampled patch").get(mechanism, "soft")


def a_fixed_window_is_hard(mechanism: str) -> str:
    return _kinds("local-m", "sampled patch", "best patch").get(mechanism, "soft")


def the_sampled_patch_is_soft(mechanism: str) -> str:
    return _kinds("best patch").get(mechanism, "soft")


def all_of_it_is_hard(mechanism: str) -> str:
    return "hard"


def names_swapped(mechanism: str) -> str:
    return "soft" if kind_of_attention(mechanism) == "hard" else "hard"


def a_truth_value(mechanism: str) -> bool:
    return kind_of_attention(mechanism) == "hard"


def _kind_cases(rng: np.random.Generator) -> list[Case]:
    notes = {
        "global": "every word is weighed",
        "local-m": "a window around t is weighed",
        "local-p": "a window around a predicted position is weighed",
        "weighted patches": "every patch is weighed",
        "sampled patch": "one patch is drawn from the weights",
        "best patch": "the patch of largest weight is taken alone",
    }
    return [Case(f"{name}: {note}", {"mechanism": name}) for name, note in notes.items()]


EXERCISES = (
    Exercise(
        name="soft_context",
        title="The expected patch",
        statement="Write soft attention over the patches of each image. Return the context and the weights.",
        entry="soft_context",
        arguments=(Argument("features", "(batch, num_patches, d)"), SCORES),
        returns=(Output("context", "(batch, d)"), Output("weights", "(batch, num_patches)", map=True)),
        reference=soft_context,
        misconceptions=(
            Misconception(
                softmax_over_the_batch,
                "The softmax runs over the images, so the weights of one image do not sum to one: "
                "it must run over the patches.",
            ),
            Misconception(
                softmax_over_everything,
                "One softmax runs over all images together, so all weights of the batch sum to 1: "
                "each image needs a softmax of its own.",
            ),
            Misconception(
                mean_over_patches,
                "The weighted patches are averaged. The weights sum to one already, so add the patches up.",
            ),
            Misconception(
                best_patch_only,
                "Only the best patch counts. That is hard attention, and no gradient reaches the scores: "
                "every patch takes part by its weight.",
            ),
            Misconception(
                a_gate_for_each_patch,
                "Each patch has a sigmoid of its own, so the weights do not sum to 1: use a softmax.",
            ),
            Misconception(
                softmax_left_out,
                "The scores serve as weights as they are: they may be negative and need not sum to one. "
                "Take their softmax.",
            ),
            Misconception(
                scores_for_weights,
                "The weights are right, but the patches are multiplied by the scores instead.",
            ),
            Misconception(
                best_patch_for_the_context,
                "The weights are right, but the context is the patch of largest weight alone, which is hard "
                "attention. Every patch takes part by its weight.",
            ),
            Misconception(
                plain_mean_for_the_context,
                "The weights are right, but the context does not use them: it is the plain mean of the patches. "
                "Multiply each patch by its weight, then add up.",
            ),
            Misconception(
                plain_sum_for_the_context,
                "The weights are right, but the context does not use them: it is the plain sum of the patches. "
                "Multiply each patch by its weight, then add up.",
            ),
            Misconception(
                softmax_twice,
                "The softmax is taken twice. The weights lie between 0 and 1 after the first, so the second makes "
                "them nearly uniform: take it once.",
            ),
            Misconception(
                scores_over_root_of_d,
                "The scores are divided by the root of the number of features. Here they are given and no dot "
                "products: take their softmax as they are.",
            ),
            Misconception(
                scores_turned,
                "The sign of the scores is turned, so the patch of the lowest score gets the largest weight.",
            ),
            Misconception(
                log_softmax_for_softmax,
                "The weights are logarithms of weights, so they are negative: take softmax, not log_softmax.",
            ),
            Misconception(
                gates_that_share,
                "Each patch has a sigmoid that is then divided by the sum of all. A softmax divides exponentials, "
                "which keep large scores apart where the sigmoid levels off.",
            ),
            Misconception(
                features_summed,
                "The sum runs over the features, which gives one number for each patch: sum over the patches, axis 1, to get one for each feature.",
            ),
            Misconception(
                patches_not_summed,
                "The patches are multiplied by their weights, but not added up: sum over axis 1.",
            ),
            Misconception(
                largest_weighted_patch,
                "The largest of the weighted patches is taken, feature by feature: add them up, since the context is a weighted mean.",
            ),
            Misconception(
                features_weigh_themselves,
                "The weights in the context come from the features, not from the scores: use the same weights that you return.",
            ),
            Misconception(
                weights_keep_an_axis,
                "Your numbers are right, but the weights keep the axis of size 1 that they need in the product: return them as (batch, num_patches).",
            ),
            Misconception(
                context_keeps_an_axis,
                "Your numbers are right, but the context keeps an axis of size 1 where the patches were: return it as (batch, d).",
            ),
            Misconception(
                softmax_over_an_axis_of_one,
                "The softmax runs over an axis of size 1, which gives every patch the weight 1: take it over the patches.",
            ),
            Misconception(
                every_image_with_all_weights,
                "Each image is weighed by the weights of all images, so that the context has one axis too many: weigh it by its own, with a batched product.",
            ),
            Misconception(
                exponentials_not_divided,
                "The exponentials of the scores are not divided by their sum, so the weights do not sum to 1, and large scores overflow: take a softmax.",
            ),
        ),
        hints=(
            "The scores become weights by a softmax over the patches.",
            "The context of an image is the sum of its patches' features, each times its weight.",
            "Give the weights a last axis of size 1, multiply by the features, and add up over the axis "
            "of the patches.",
        ),
        cases=_soft_cases,
        properties=(
            Property("the weights of an image must sum to 1", _weights_sum_to_one),
            Property("the context must lie between the smallest and the largest feature", _context_inside),
        ),
        difficulty=1,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="reinforce_loss",
        title="A gradient through a choice",
        statement=r"Write the loss above, $-(r_s - b) \log \alpha_s$, with one number for each image.",
        rules=("No sampling: the patches that were drawn are given as an argument.",),
        entry="reinforce_loss",
        arguments=(
            SCORES,
            Argument("index", "(batch,), the patches that were drawn"),
            Argument("rewards", "one number for each, a tuple"),
            Argument("baseline", "float"),
        ),
        returns=(Output("loss", "(batch,)"),),
        reference=reinforce_loss,
        misconceptions=(
            Misconception(
                baseline_left_out,
                "The rewards are not centred: subtract the baseline. Without it the estimate is right "
                "on average, but it scatters far more.",
            ),
            Misconception(
                baseline_added,
                "The baseline is added to the reward: subtract it, so that an ordinary reward counts as zero.",
            ),
            Misconception(
                sign_turned,
                "The sign is turned. A loss is made smaller, so a patch that brought more than the baseline "
                "would become less likely: put a minus in front.",
            ),
            Misconception(
                log_left_out,
                "The reward multiplies the weight itself. The patch was drawn with that weight already, "
                "so its gradient counts twice: use the logarithm of the weight.",
            ),
            Misconception(
                score_for_log_weight,
                "The reward multiplies the raw score. The logarithm of the weight also holds the softmax's "
                "normaliser, which pushes the other patches down: use log_softmax.",
            ),
            Misconception(
                every_patch_counts,
                "The logarithms of all weights are added up: only the patch that was drawn earned the reward.",
            ),
            Misconception(
                mean_of_every_patch,
                "The logarithms of all weights are averaged: only the patch that was drawn earned the reward.",
            ),
            Misconception(
                best_patch_for_the_drawn,
                "The patch of largest weight gets the reward. It was earned by the patch at index.",
            ),
            Misconception(
                baseline_outside_the_product,
                "The baseline is subtracted after the product, where it changes no gradient: "
                "subtract it from the reward first.",
            ),
            Misconception(
                divided_by_the_batch,
                "The loss is divided by the batch's size: return one loss for each image as it is.",
            ),
            Misconception(
                log_softmax_over_the_batch,
                "The softmax runs over the images: it must run over the patches.",
            ),
            Misconception(
                log_of_base_two,
                "The logarithm has base 2, so every loss is 1.44 times too large: take the natural one, as "
                "log_softmax does.",
            ),
            Misconception(
                reward_left_out,
                "The rewards have no effect: a good patch and a bad one are made likelier alike. Multiply by the "
                "reward minus the baseline.",
            ),
            Misconception(
                advantage_squared,
                "The reward minus the baseline is squared, so a reward below the baseline makes its patch likelier "
                "too: keep its sign.",
            ),
            Misconception(
                mean_reward_for_the_baseline,
                "The mean of the batch's rewards is subtracted. The baseline is an argument: subtract that.",
            ),
            Misconception(
                baseline_taken_from_the_loss,
                "The baseline is subtracted from the loss, where it changes no gradient: subtract it from the "
                "reward, before the product.",
            ),
            Misconception(
                no_baseline_and_sign_turned,
                "Two things are missing: the baseline, which is subtracted from the reward, and the minus in front, "
                "since a loss is made smaller.",
            ),
            Misconception(
                no_log_and_sign_turned,
                "Two things are missing: the logarithm of the weight, and the minus in front, since a loss is made "
                "smaller.",
            ),
            Misconception(
                no_log_and_no_baseline,
                "Two things are missing: the logarithm of the weight, and the baseline, which is subtracted from "
                "the reward.",
            ),
            Misconception(
                no_log_and_baseline_outside,
                "The reward multiplies the weight itself, and the baseline comes after the product. Take the "
                "logarithm of the weight, times the reward minus the baseline.",
            ),
            Misconception(
                weight_counted_twice,
                "The logarithm is multiplied by the weight as well. The patch was drawn with that weight already, "
                "so it counts twice: leave the weight out.",
            ),
            Misconception(
                one_over_the_weight,
                "This is the derivative of the logarithm, 1 / weight. The framework takes the derivative: return "
                "the loss with the logarithm itself.",
            ),
            Misconception(
                baseline_taken_from_the_logarithm,
                "The baseline is subtracted from the logarithm of the weight: subtract it from the reward.",
            ),
            Misconception(
                softmax_before_log_softmax,
                "The weights go through log_softmax, which takes a softmax of its own: hand it the scores, or take "
                "the plain logarithm of the weights.",
            ),
            Misconception(
                log_weights_of_the_whole_batch,
                "The logarithms of all images are added up before they meet the rewards: each image has one of its "
                "own.",
            ),
            Misconception(
                every_reward_with_every_patch,
                "The logarithms keep an axis of size 1, so every reward meets every image's patch, and the losses are a square: take the axis away before the product.",
            ),
            Misconception(
                one_loss_for_the_batch,
                "The losses of all images are added up to one number: return one for each image.",
            ),
        ),
        hints=(
            "The gradient goes through the logarithm of the chosen patch's weight, and through nothing else.",
            "Take the log-softmax of the scores and, for each image, the entry of the patch that was drawn.",
            "The loss is minus (reward - baseline) times the logarithm of the weight of the drawn patch. "
            "The rewards are plain numbers: make an array of them, which carries no gradient.",
        ),
        cases=_reinforce_cases,
        difficulty=3,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="doubly_stochastic_penalty",
        title="Look everywhere once",
        statement=r"Write the sum over the patches in equation 14 of the paper, the doubly stochastic term above, without $\lambda$, for each image of a batch.",
        entry="doubly_stochastic_penalty",
        arguments=(Argument("weights", "(batch, num_steps, num_patches)"),),
        returns=(Output("penalty", "(batch,)"),),
        reference=doubly_stochastic_penalty,
        misconceptions=(
            Misconception(
                sum_over_patches,
                "The weights are summed over the patches, which gives one at every step, so the penalty is "
                "always zero: sum over the steps.",
            ),
            Misconception(
                squared_before_the_sum,
                "Each weight is compared with one on its own: sum a patch's weights over all steps first.",
            ),
            Misconception(
                not_squared,
                "The square is missing. Without it the sum is the number of patches minus the number of steps, "
                "whatever the weights are.",
            ),
            Misconception(absolute_for_square, "The distance from one is taken as it is: square it."),
            Misconception(
                mean_over_the_patches,
                "The squares are averaged over the patches: equation 14 adds them up.",
            ),
            Misconception(
                mean_over_the_steps,
                "A patch's weights are averaged over the steps: equation 14 adds them up, so that they can reach "
                "one.",
            ),
            Misconception(
                square_of_the_whole_sum,
                "The square is taken after the sum over the patches, which is the same whatever the weights are: "
                "each patch has a square of its own.",
            ),
            Misconception(
                target_is_the_mean,
                "The sums are compared with their mean, the number of steps over that of patches. Equation 14 "
                "compares each with 1.",
            ),
            Misconception(
                penalty_negated,
                "The sign is turned: a penalty is added to the loss and grows with the distance from 1.",
            ),
            Misconception(
                softmax_of_the_weights,
                "The weights go through a softmax again, which makes them nearly uniform: they are weights already.",
            ),
            Misconception(
                mean_over_steps_and_patches,
                "Both sums are means here: equation 14 adds up over the steps, and then over the patches.",
            ),
            Misconception(
                root_of_the_penalty, "A root is taken at the end: equation 14 keeps the sum of squares."
            ),
            Misconception(
                half_of_the_penalty,
                "The sum is halved, as a squared loss often is: equation 14 has no such factor.",
            ),
            Misconception(one_left_out, "The sums are squared as they are: square their distance from 1."),
            Misconception(
                largest_distance_only,
                "Only the patch that is furthest from 1 counts: add the squares of all patches up.",
            ),
            Misconception(
                target_is_the_number_of_steps,
                "The sums are compared with the number of steps. Equation 14 compares each with 1.",
            ),
            Misconception(
                neglected_patches_only,
                "Only patches whose sum is below 1 count. A patch that is looked at too much is penalised as well: "
                "leave out the maximum.",
            ),
            Misconception(
                weights_squared_first,
                "Each weight is squared, and then summed over the steps: sum the weights of a patch, subtract from "
                "1, and square that.",
            ),
            Misconception(
                not_summed_over_the_patches,
                "The squares of the patches are not added up: the penalty is one number for each image, so sum over the patches too.",
            ),
            Misconception(
                variance_of_the_sums,
                "This is the variance of the patches' sums: their mean squared distance from their mean. Equation 14 adds up the squared distances from 1.",
            ),
            Misconception(
                sample_variance_of_the_sums,
                "This is the sample variance of the patches' sums, divided by their number minus 1. Equation 14 adds up the squared distances from 1.",
            ),
            Misconception(
                one_number_for_the_batch,
                "The penalties of all images are added up to one number: keep one for each image.",
            ),
            Misconception(
                mean_over_the_batch,
                "The penalties are averaged over the batch to one number: keep one for each image.",
            ),
            Misconception(
                mean_of_all_squares,
                "All squares of the batch are averaged to one number: add up those of each image, over its patches.",
            ),
            Misconception(
                distances_cubed,
                "The third power of the distances is added up: equation 14 squares them.",
            ),
            Misconception(
                summed_over_the_images,
                "The squares are added up over the images, which gives one number for each patch: sum over the patches, the last axis.",
            ),
        ),
        hints=(
            "Which axis holds the patches and which the words? The weights of one word sum to 1 already.",
            "Add up, for each patch, the weights that all words give it. The penalty is how far that sum "
            "is from 1, squared.",
            "Square 1 minus the sum over the words, and add up over the patches; one number for each image.",
        ),
        cases=_penalty_cases,
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="kind_of_attention",
        title="Soft or hard",
        statement=(
            'Return `"soft"` if backpropagation alone trains the mechanism, and `"hard"` if its choice '
            'needs an estimator such as REINFORCE. The names are `"global"`; `"local-m"` and `"local-p"`, '
            'the window around $t$ and around a predicted position with its Gaussian; `"weighted '
            'patches"`; `"sampled patch"`; and `"best patch"`, the one of largest weight taken alone.'
        ),
        entry="kind_of_attention",
        arguments=(Argument("mechanism", "str"),),
        returns=(Output("kind", '"soft" or "hard"', plain=True),),
        reference=kind_of_attention,
        misconceptions=(
            Misconception(
                local_is_hard,
                "Local attention is called hard. Its window is given or computed, nothing is drawn, and the words "
                "inside are weighed: backpropagation alone trains it.",
            ),
            Misconception(
                a_predicted_position_is_hard,
                "Predicting a position is called hard. The position is a real number and reaches the weights "
                "through a Gaussian, so the gradient flows through it.",
            ),
            Misconception(
                the_best_patch_is_soft,
                "Taking the best patch is called soft because nothing is drawn. But the choice does not change "
                "with a small step of the scores: its gradient is zero, and it learns nothing.",
            ),
            Misconception(
                patches_are_hard,
                "Weighing patches is called hard. Words or patches make no difference: "
                "a weighted mean is differentiable.",
            ),
            Misconception(
                all_of_it_is_soft,
                "Nothing is called hard. Where one patch is chosen and the rest are dropped, "
                "no gradient passes the choice.",
            ),
            Misconception(
                everything_but_global_is_hard,
                "Everything but global attention is called hard. What counts is whether one place is chosen and the "
                "rest dropped; a weighted mean over fewer words or over patches is differentiable.",
            ),
            Misconception(
                local_is_hard_and_the_best_patch_soft,
                "Local attention is called hard and the best patch soft. A window of weighted words is "
                "differentiable; a choice by the largest weight has a gradient of zero, although nothing is drawn.",
            ),
            Misconception(
                local_for_the_choice,
                "Local attention is called hard, and choosing a patch soft. It is the other way round: a window "
                "weighs its words, a choice drops all patches but one.",
            ),
            Misconception(
                a_position_is_hard_and_the_best_patch_soft,
                "A predicted position is called hard and the best patch soft. The position is a real number, and "
                "its Gaussian passes the gradient; taking the largest does not.",
            ),
            Misconception(
                a_fixed_window_is_hard,
                "The fixed window is called hard. Nothing is chosen by the model there: the words inside are "
                "weighed, and backpropagation alone trains it.",
            ),
            Misconception(
                the_sampled_patch_is_soft,
                "Drawing a patch is called soft. The draw passes no gradient to the weights: it is what REINFORCE "
                "is for.",
            ),
            Misconception(
                all_of_it_is_hard,
                "Everything is called hard. A weighted mean passes its gradient to every weight: it needs no "
                "estimator.",
            ),
            Misconception(
                names_swapped,
                "The two names have changed places: soft weighs everything and is differentiable, hard chooses.",
            ),
            Misconception(a_truth_value, 'The result is True or False: return the word, "hard" or "soft".'),
        ),
        cases=_kind_cases,
        difficulty=1,
        minutes=5,
        points=1,
    ),
)
