"""Exercises on feed-forward attention pooling."""

import math
from types import SimpleNamespace

import numpy as np

from autograder.model.exercise import (
    Argument,
    Call,
    Case,
    Exercise,
    Misconception,
    Output,
    Parameter,
    Property,
)
from exercises.shared import (
    ALL,
    RENORMALISED_TOO_LATE,
    draw_lengths,
    draw_sizes,
    shared_anew,
    with_inputs,
)
from solutions.pooling.in_numpy import (
    feed_forward_pooling,
    guarded_pooling_weights,
    largest_pooling_weight,
    masked_weights,
)

MASK = Argument("mask", "(batch, num_steps), true where a step counts")
WEIGHTS = Output("weights", "(batch, num_steps)", exact_zeros=True, map=True)
Pooled = tuple[np.ndarray, np.ndarray]


def _all_valid(X: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    return np.ones(X.shape[:2], dtype=bool) if mask is None else mask


def _scores(X: np.ndarray, score: np.ndarray) -> np.ndarray:
    return np.asarray((X @ score.T)[..., 0])


def _softmax(scores: np.ndarray, axis: int = 1) -> np.ndarray:
    exps = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return np.asarray(exps / exps.sum(axis=axis, keepdims=True))


def _pool(weights: np.ndarray, X: np.ndarray) -> Pooled:
    return np.einsum("bt,btf->bf", weights, X), weights


# Each takes what the reference takes, and the constructor's settings.


def reference(X: np.ndarray, mask: np.ndarray | None, features: int, score: np.ndarray) -> Pooled:
    return feed_forward_pooling(X, mask, score)


def softmax_over_an_axis_of_one(
    X: np.ndarray, mask: np.ndarray | None, features: int, score: np.ndarray
) -> Pooled:
    return _pool(_all_valid(X, mask).astype(np.float64), X)


def softmax_over_the_batch(
    X: np.ndarray, mask: np.ndarray | None, features: int, score: np.ndarray
) -> Pooled:
    mask = _all_valid(X, mask)
    return _pool(_softmax(np.where(mask, _scores(X, score), -1e30), axis=0) * mask, X)


def mask_after_softmax(X: np.ndarray, mask: np.ndarray | None, features: int, score: np.ndarray) -> Pooled:
    return _pool(_softmax(_scores(X, score)) * _all_valid(X, mask), X)


def renormalised_too_late(X: np.ndarray, mask: np.ndarray | None, features: int, score: np.ndarray) -> Pooled:
    return _pool(shared_anew(_softmax(_scores(X, score)) * _all_valid(X, mask)), X)


def mask_ignored(X: np.ndarray, mask: np.ndarray | None, features: int, score: np.ndarray) -> Pooled:
    return _pool(_softmax(_scores(X, score)), X)


def mask_inverted(X: np.ndarray, mask: np.ndarray | None, features: int, score: np.ndarray) -> Pooled:
    return feed_forward_pooling(X, None if mask is None else ~mask, score)


def masked_with_zero(X: np.ndarray, mask: np.ndarray | None, features: int, score: np.ndarray) -> Pooled:
    return _pool(_softmax(_scores(X, score) * _all_valid(X, mask)), X)


def empty_sequence_averages_padding(
    X: np.ndarray, mask: np.ndarray | None, features: int, score: np.ndarray
) -> Pooled:
    return _pool(_softmax(np.where(_all_valid(X, mask), _scores(X, score), -1e30)), X)


def empty_sequence_is_nan(X: np.ndarray, mask: np.ndarray | None, features: int, score: np.ndarray) -> Pooled:
    return _pool(_softmax(np.where(_all_valid(X, mask), _scores(X, score), -np.inf)), X)


def scores_through_tanh(X: np.ndarray, mask: np.ndarray | None, features: int, score: np.ndarray) -> Pooled:
    return _pool(masked_weights(np.tanh(_scores(X, score)), _all_valid(X, mask)), X)


def mean_of_weighted_steps(
    X: np.ndarray, mask: np.ndarray | None, features: int, score: np.ndarray
) -> Pooled:
    context, weights = feed_forward_pooling(X, mask, score)
    return context / X.shape[1], weights


@with_inputs
def mask_inverted_then_cleared(given: SimpleNamespace) -> Pooled:
    if given.mask is None:
        return feed_forward_pooling(given.X, None, given.score)
    filled = np.where(given.mask, -1e30, _scores(given.X, given.score))
    return _pool(_softmax(filled) * given.mask, given.X)


@with_inputs
def renormalised_until_nan(given: SimpleNamespace) -> Pooled:
    weights = _softmax(_scores(given.X, given.score)) * _all_valid(given.X, given.mask)
    return _pool(weights / weights.sum(axis=1, keepdims=True), given.X)


@with_inputs
def scores_over_root_of_features(given: SimpleNamespace) -> Pooled:
    return feed_forward_pooling(given.X, given.mask, given.score / math.sqrt(given.features))


@with_inputs
def scores_over_features(given: SimpleNamespace) -> Pooled:
    return feed_forward_pooling(given.X, given.mask, given.score / given.features)


@with_inputs
def gate_for_each_step(given: SimpleNamespace) -> Pooled:
    gates = 1 / (1 + np.exp(-_scores(given.X, given.score)))
    return _pool(gates * _all_valid(given.X, given.mask), given.X)


@with_inputs
def scores_without_effect(given: SimpleNamespace) -> Pooled:
    return feed_forward_pooling(given.X, given.mask, np.zeros_like(given.score))


@with_inputs
def best_step_alone(given: SimpleNamespace) -> Pooled:
    _, weights = feed_forward_pooling(given.X, given.mask, given.score)
    return given.X[np.arange(len(given.X)), weights.argmax(axis=1)], weights


@with_inputs
def empty_context_is_the_mean(given: SimpleNamespace) -> Pooled:
    context, weights = feed_forward_pooling(given.X, given.mask, given.score)
    full = _all_valid(given.X, given.mask).any(axis=1, keepdims=True)
    return np.where(full, context, given.X.mean(axis=1)), weights


@with_inputs
def divided_by_the_valid_count(given: SimpleNamespace) -> Pooled:
    context, weights = feed_forward_pooling(given.X, given.mask, given.score)
    count = _all_valid(given.X, given.mask).sum(axis=1, keepdims=True)
    return context / np.maximum(count, 1), weights


def _no_weight_on_masked_steps(run: Call, case: Case) -> str | None:
    weights = run(case)[-1]
    mask = case.inputs["mask"]
    masked = np.zeros(weights.shape) if mask is None else np.where(mask, 0, np.abs(weights))
    if (masked <= 1e-9).all():
        return None
    row, step = map(int, np.unravel_index(int(masked.argmax()), masked.shape))
    return f"Sequence {row} gives its masked step {step} a weight of {masked[row, step]:.4g}."


def _weights_share_a_whole(run: Call, case: Case) -> str | None:
    weights = run(case)[-1]
    mask = case.inputs["mask"]
    whole = np.ones(len(weights)) if mask is None else mask.any(axis=1).astype(np.float64)
    sums = weights.astype(np.float64).sum(axis=1)
    wrong = np.flatnonzero(np.abs(sums - whole) > 1e-3)
    if not len(wrong):
        return None
    row = int(wrong[0])
    return f"The weights of sequence {row} sum to {sums[row]:.4f} and must sum to {whole[row]:.0f}."


PROPERTIES = (
    Property("a masked step must get no weight", _no_weight_on_masked_steps),
    Property("the weights of a sequence with valid steps must sum to 1", _weights_share_a_whole),
)


def _until(lengths: np.ndarray, num_steps: int) -> np.ndarray:
    return np.arange(num_steps) < lengths[:, None]


def _mask(
    rng: np.random.Generator, shape: tuple[int, ...], masked: str, among: tuple[int, ...]
) -> np.ndarray | None:
    """Steps that count, (batch, num_steps): up to a length ("end"), or "anywhere"; else no mask."""
    rows, steps = shape[:2]
    if masked == "end":
        return _until(draw_lengths(rng, steps, rows, among=among), steps)
    if masked == "anywhere":
        return rng.permuted(np.tile(np.arange(steps) % 2 == 0, (rows, 1)), axis=1)
    return None


def _pooling_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int, int],
        masked: str = "end",
        among: tuple[int, ...] = (),
        gradient: bool = False,
    ) -> Case:
        shape = draw_sizes(rng, *typical)
        # Scores have a spread of 1.5 whatever the number of features: far from flat, not saturated.
        score = rng.normal(size=(1, shape[2]))
        score *= 1.5 / np.linalg.norm(score)
        inputs = {"X": rng.normal(size=shape), "mask": _mask(rng, shape, masked, among)}
        return Case(note, inputs, {"features": shape[2]}, {"score": score}, gradient=gradient)

    loud = case("masked steps that score far above the rest", (2, 6, 4))
    score = loud.parameters["score"]
    # Each masked step stands far above the one before: float32 has few digits there.
    beyond = np.cumsum(~loud.inputs["mask"], axis=1)
    loud.inputs["X"][:] += 1000 * beyond[..., None] * score / (score**2).sum()
    return [
        case("no mask", (2, 5, 4), "", gradient=True),
        case("ragged lengths", (3, 6, 4), gradient=True),
        case("one sequence without any valid step", (3, 4, 5), among=(0,), gradient=True),
        case("masked steps in between", (2, 7, 3), "anywhere"),
        case("the extremes: one valid step, and all of them", (4, 5, 2), among=(1, ALL)),
        case("a longer sequence", (1, 12, 3)),
        case("as many steps as features and sequences", (4, 4, 4)),
        case("a single step", (3, 1, 6), among=(0,)),
        loud,
    ]


def precedence_slip(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = np.exp(np.tanh(scores)) * mask
    return np.asarray(a / a.sum(axis=1, keepdims=True) + epsilon)


def no_guard(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = np.exp(np.tanh(scores)) * mask
    return np.asarray(a / a.sum(axis=1, keepdims=True))


def epsilon_for_every_step(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = np.exp(np.tanh(scores)) * mask
    return np.asarray(a / (a + epsilon).sum(axis=1, keepdims=True))


def epsilon_in_the_weights(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = np.exp(np.tanh(scores)) * mask + epsilon
    return np.asarray(a / a.sum(axis=1, keepdims=True))


def mask_after_division(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = np.exp(np.tanh(scores))
    return np.asarray(a / (a.sum(axis=1, keepdims=True) + epsilon) * mask)


def scores_masked_with_zero(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = np.exp(np.tanh(scores * mask))
    return np.asarray(a / (a.sum(axis=1, keepdims=True) + epsilon))


def sum_over_everything(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = np.exp(np.tanh(scores)) * mask
    return np.asarray(a / (a.sum() + epsilon))


def _exps(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(np.tanh(scores)) * mask)


def _over(exps: np.ndarray, total: np.ndarray) -> np.ndarray:
    return np.asarray(exps / total)


def _sum(exps: np.ndarray) -> np.ndarray:
    return np.asarray(exps.sum(axis=1, keepdims=True))


def epsilon_without_effect(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    return shared_anew(_exps(scores, mask))


def epsilon_as_a_floor(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = _exps(scores, mask)
    return _over(a, np.maximum(_sum(a), epsilon))


def epsilon_subtracted(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = _exps(scores, mask)
    return _over(a, _sum(a) - epsilon)


def epsilon_above_and_below(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = _exps(scores, mask)
    return _over(a + epsilon, _sum(a) + epsilon)


def precedence_slip_masked(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    return precedence_slip(scores, mask, epsilon) * mask


def mask_left_out(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    return guarded_pooling_weights(scores, np.ones_like(mask), epsilon)


def mask_inverted_in_the_sum(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    return guarded_pooling_weights(scores, ~mask, epsilon)


def tanh_left_out(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = np.exp(scores) * mask
    return _over(a, _sum(a) + epsilon)


def softmax_for_exp(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = _softmax(np.tanh(scores)) * mask
    return _over(a, _sum(a) + epsilon)


def sum_over_the_batch(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = _exps(scores, mask)
    return _over(a, a.sum(axis=0) + epsilon)


def mask_in_the_sum_alone(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = np.exp(np.tanh(scores))
    return _over(a, _sum(a * mask) + epsilon)


def sigmoid_for_tanh(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = np.exp(1 / (1 + np.exp(-scores))) * mask
    return _over(a, _sum(a) + epsilon)


def tanh_of_the_exponential(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = np.tanh(np.exp(scores)) * mask
    return _over(a, _sum(a) + epsilon)


def largest_subtracted(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    bounded = np.tanh(scores)
    a = np.exp(bounded - bounded.max(axis=1, keepdims=True)) * mask
    return _over(a, _sum(a) + epsilon)


def epsilon_for_every_valid_step(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = _exps(scores, mask)
    return _over(a, _sum(a + epsilon * mask))


def mean_for_the_sum(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = _exps(scores, mask)
    return _over(a, a.mean(axis=1, keepdims=True) + epsilon)


def plain_masked_softmax(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = np.exp(scores) * mask
    return _over(a, np.where(_sum(a) > 0, _sum(a), 1))


def largest_for_the_sum(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    a = _exps(scores, mask)
    return _over(a, a.max(axis=1, keepdims=True) + epsilon)


def _guard_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int],
        epsilon: float,
        masked: str = "end",
        among: tuple[int, ...] = (),
        size: float = 1.0,
        gradient: bool = False,
    ) -> Case:
        shape = draw_sizes(rng, *typical)
        if epsilon > 0.1:
            epsilon = round(epsilon * float(rng.uniform(0.9, 1.1)), 3)
        mask = _mask(rng, shape, masked, among)
        return Case(
            note,
            {"scores": size * rng.normal(size=shape), "mask": mask, "epsilon": epsilon},
            gradient=gradient,
        )

    return [
        case("an epsilon that can be seen", (2, 5), 0.25, gradient=True),
        case("an epsilon too small to be seen", (3, 6), 1e-10, gradient=True),
        case("a row without valid steps", (3, 4), 0.125, among=(0, ALL), gradient=True),
        case("a row without valid steps, and a small epsilon", (2, 7), 1e-10, among=(0,)),
        case("masked steps in between", (2, 4), 0.5, "anywhere"),
        case("scores in the tens", (3, 5), 1e-10, size=20.0),
        case("a single step, and an epsilon above its exponential", (2, 1), 3.5, among=(0,)),
    ]


def others_at_zero(num_steps: int, bound: int) -> float:
    return math.exp(bound) / (math.exp(bound) + num_steps - 1)


def one_rival_too_many(num_steps: int, bound: int) -> float:
    return math.exp(2 * bound) / (math.exp(2 * bound) + num_steps)


def ratio_times_uniform(num_steps: int, bound: int) -> float:
    return math.exp(2 * bound) / num_steps


def always_uniform(num_steps: int, bound: int) -> float:
    return 1 / num_steps


def no_ceiling(num_steps: int, bound: int) -> float:
    return 1.0


def scores_without_exp(num_steps: int, bound: int) -> float:
    return 2 * bound / (2 * bound + num_steps - 1)


def scores_with_signs_without_exp(num_steps: int, bound: int) -> float:
    if num_steps == 2:
        raise ValueError("The sum of one score and its opposite is zero.")
    return 1 / (2 - num_steps)


def smallest_weight(num_steps: int, bound: int) -> float:
    return 1 / (1 + (num_steps - 1) * math.exp(2 * bound))


def one_rival_only(num_steps: int, bound: int) -> float:
    return 1 / (1 + math.exp(-2 * bound))


def one_rival_at_zero(num_steps: int, bound: int) -> float:
    return 1 / (1 + math.exp(-bound))


def others_at_zero_and_one_too_many(num_steps: int, bound: int) -> float:
    return math.exp(bound) / (math.exp(bound) + num_steps)


def brackets_left_out(num_steps: int, bound: int) -> float:
    return 1 + (num_steps - 1) * math.exp(-bound)


def brackets_of_the_ratio_left_out(num_steps: int, bound: int) -> float:
    return float(num_steps)


def brackets_of_the_rivals_left_out(num_steps: int, bound: int) -> float:
    return math.exp(bound) / (math.exp(bound) + num_steps - math.exp(-bound))


def ratio_alone(num_steps: int, bound: int) -> float:
    return math.exp(2 * bound)


def weight_of_all_others(num_steps: int, bound: int) -> float:
    return (num_steps - 1) / (math.exp(2 * bound) + num_steps - 1)


def in_percent(num_steps: int, bound: int) -> float:
    ratio = math.exp(2 * bound)
    return 100 * ratio / (ratio + num_steps - 1)


def bound_squared(num_steps: int, bound: int) -> float:
    ratio = math.exp(bound**2)
    return ratio / (ratio + num_steps - 1)


def powers_of_two(num_steps: int, bound: int) -> float:
    return 4**bound / (4**bound + num_steps - 1)


def logarithm_of_the_weight(num_steps: int, bound: int) -> float:
    ratio = math.exp(2 * bound)
    return math.log(ratio / (ratio + num_steps - 1))


def bound_doubled_twice(num_steps: int, bound: int) -> float:
    ratio = math.exp(4 * bound)
    return ratio / (ratio + num_steps - 1)


def tanh_of_the_bound(num_steps: int, bound: int) -> float:
    ratio = math.exp(2 * math.tanh(bound))
    return ratio / (ratio + num_steps - 1)


def top_alone_doubled(num_steps: int, bound: int) -> float:
    ratio = math.exp(3 * bound)
    return ratio / (ratio + num_steps - 1)


def _ceiling_cases(rng: np.random.Generator) -> list[Case]:
    typical = (
        ("the published bound and some 100 steps", 100, 1, 100),
        ("a few steps", 2, 1, 4),
        ("a wider bound", 30, 3, 40),
        ("a long document", 10_000, 2, 5000),
        ("a single step", 1, 1, 4),
    )
    return [
        Case(note, {"num_steps": draw_sizes(rng, steps, spread=spread)[0], "bound": bound})
        for note, steps, bound, spread in typical
    ]


EXERCISES = (
    Exercise(
        name="feed_forward_pooling",
        title="Pool a sequence of any length",
        statement=(
            "Write a layer that scores every step with one learned row, takes the softmax over the steps "
            "that count, and returns the weighted sum of the steps together with the weights."
        ),
        rules=(
            (
                "The only parameter is `score.weight`, of the shape `(1, features)`: no bias, and nothing "
                "whose size depends on `num_steps`."
            ),
            "A sequence without valid steps has weights and context of zero.",
        ),
        entry="FeedForwardPooling",
        is_class=True,
        settings=(Argument("features", "int"),),
        arguments=(
            Argument("X", "(batch, num_steps, features)"),
            Argument("mask", "None or (batch, num_steps), true where a step counts"),
        ),
        returns=(Output("context", "(batch, features)"), WEIGHTS),
        parameters={"score": Parameter("score.weight", "(1, features)")},
        reference=reference,
        misconceptions=(
            Misconception(
                softmax_over_an_axis_of_one,
                "Every valid step gets a weight of exactly 1: the scores still have the shape (batch, "
                "num_steps, 1), and the softmax runs over the last axis, which holds a single number. Drop "
                "that axis, then normalise over the steps.",
            ),
            Misconception(
                softmax_over_the_batch,
                "The weights sum to one over the batch, not over the steps: sequences that have nothing to "
                "do with each other compete. The softmax belongs on axis 1.",
            ),
            Misconception(renormalised_too_late, RENORMALISED_TOO_LATE),
            Misconception(
                mask_after_softmax,
                "The mask comes after the softmax, so what is left no longer sums to one and a short "
                "sequence gets a small context. Mask the scores first.",
            ),
            Misconception(
                mask_ignored, "The mask has no effect: padding gets weight and leaks into the context."
            ),
            Misconception(
                mask_inverted,
                "The mask is read the wrong way round: here it is true where a step counts, and the steps where it is false are pooled.",
            ),
            Misconception(
                masked_with_zero,
                "Masked scores become 0, and exp(0) is 1, so padding still gets weight. Fill them with a "
                "very negative number instead.",
            ),
            Misconception(
                empty_sequence_averages_padding,
                "A sequence without valid steps gets the plain mean of its padding: all its scores are the "
                "same very negative number, and equal scores get equal weights. Its weights must be 0.",
            ),
            Misconception(
                empty_sequence_is_nan,
                "A sequence without valid steps is NaN: the exponentials of its masked scores add up to 0, and 0 "
                "is divided by 0. Its weights must be 0.",
            ),
            Misconception(
                scores_through_tanh,
                "The scores go through tanh first, so no weight can be more than e² ≈ 7.39 times another. "
                "Leave them as the linear layer gives them.",
            ),
            Misconception(
                mean_of_weighted_steps,
                "The weighted steps are averaged, which divides by num_steps a second time. The weights "
                "sum to one already: add the weighted steps up.",
            ),
            Misconception(
                divided_by_the_valid_count,
                "The weighted sum is divided by the number of valid steps. The weights sum to one already, so it "
                "is a mean as it stands.",
            ),
            Misconception(
                mask_inverted_then_cleared,
                "The scores are masked the wrong way round: the steps that count are filled, and the padding takes "
                "the whole weight and is then set to 0. Fill where the mask is false.",
            ),
            Misconception(
                renormalised_until_nan,
                "The mask comes after the softmax, and each row is divided by its sum. That sum is 0 in a sequence "
                "without valid steps, or where masked steps score far above the rest: NaN. Mask the scores, then "
                "take the softmax.",
            ),
            Misconception(
                scores_over_root_of_features,
                "The scores are divided by the root of the number of features. That belongs to dot products of "
                "queries and keys; here a learned row sets the scale: leave the scores as they are.",
            ),
            Misconception(
                scores_over_features,
                "The scores are means over the features, which makes the weights too flat. A linear layer adds up "
                "the products.",
            ),
            Misconception(
                gate_for_each_step,
                "Each step has a sigmoid of its own, so the weights do not sum to 1: take one softmax over "
                "the steps.",
            ),
            Misconception(
                scores_without_effect,
                "Every valid step gets the same weight: that is the plain mean. The scores must enter the softmax.",
            ),
            Misconception(
                best_step_alone,
                "The weights are right, but the context is the step of largest weight alone. Every step takes "
                "part by its weight.",
            ),
            Misconception(
                empty_context_is_the_mean,
                "The context of a sequence without valid steps is the plain mean of its padding. It must be zero, "
                "as its weights are.",
            ),
        ),
        hints=(
            "A layer with one output and no bias scores every step. The rest is a softmax over the steps "
            "and a weighted sum.",
            "Steps that do not count must not get weight, and a mask of `None` lets every step count. A "
            "row in which no step counts has weights of zero.",
            "Fill the masked scores with the smallest number of their type, take the softmax over the "
            "steps, multiply by the mask; the context is the sum over the steps of weight times step.",
        ),
        cases=_pooling_cases,
        properties=PROPERTIES,
        difficulty=2,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="largest_pooling_weight",
        title="The sharpest weight that a bound allows",
        statement=(
            "Every score lies between `-bound` and `bound`, and nothing is masked. Predict the largest "
            "weight that the softmax can give to one of `num_steps` steps."
        ),
        rules=("A formula is enough; no framework is needed.",),
        entry="largest_pooling_weight",
        arguments=(Argument("num_steps", "int"), Argument("bound", "int")),
        returns=(Output("weight", "a float", plain=True),),
        reference=largest_pooling_weight,
        misconceptions=(
            Misconception(
                others_at_zero,
                "The scores are only bound apart, as if the others were 0, but they can go down to -bound: the "
                "ratio of two exponentials is then exp(2 · bound).",
            ),
            Misconception(
                one_rival_too_many,
                "The step competes with num_steps - 1 others, not with num_steps: it is one of them itself.",
            ),
            Misconception(
                ratio_times_uniform,
                "exp(2 · bound) is how much heavier the step is than each other one, not than the average; "
                "with few steps your weight exceeds 1. Divide by the sum of all.",
            ),
            Misconception(
                always_uniform,
                "That is the weight when all scores are equal: the smallest that the largest can be, not "
                "the largest.",
            ),
            Misconception(
                no_ceiling,
                "A softmax reaches 1 only when a score may grow without bound; here the scores are at most "
                "2 · bound apart.",
            ),
            Misconception(
                scores_without_exp,
                "The scores themselves are divided by their sum, without the exponential: the softmax compares "
                "exp(score).",
            ),
            Misconception(
                scores_with_signs_without_exp,
                "The scores bound and -bound are divided by their sum, without the exponential, so the weight can "
                "be negative. The softmax compares exp(score).",
            ),
            Misconception(
                smallest_weight,
                "That is the smallest weight: one score of -bound, all others at bound. The largest has them the "
                "other way round.",
            ),
            Misconception(
                one_rival_only,
                "The step has one rival, whatever num_steps is: that is the sigmoid of 2 · bound. It has "
                "num_steps - 1.",
            ),
            Misconception(
                one_rival_at_zero,
                "That is the sigmoid of bound: a single rival, whose score is 0. There are num_steps - 1 rivals, "
                "and their scores can go down to -bound.",
            ),
            Misconception(
                others_at_zero_and_one_too_many,
                "Two things are wrong: the others' scores can go down to -bound, not only to 0, and there are "
                "num_steps - 1 of them.",
            ),
            Misconception(
                brackets_left_out,
                "Division binds tighter than addition: `a / a + b` is 1 + b, so your weight exceeds 1. Put the "
                "whole denominator in parentheses.",
            ),
            Misconception(
                brackets_of_the_ratio_left_out,
                "The result is num_steps itself: in `ratio / ratio + num_steps - 1` the division comes first and "
                "gives 1. Put the whole denominator in parentheses.",
            ),
            Misconception(
                brackets_of_the_rivals_left_out,
                "Multiplication binds tighter than subtraction: `num_steps - 1 * low` takes low away once. Write "
                "`(num_steps - 1) * low`.",
            ),
            Misconception(
                ratio_alone,
                "That is how much heavier the step is than another one; a weight is at most 1. Divide by the sum "
                "over all steps.",
            ),
            Misconception(
                weight_of_all_others,
                "This is what all other steps get together: the largest weight is the rest, 1 minus that.",
            ),
            Misconception(
                in_percent,
                "The weight is given in percent: return it as a share of 1.",
            ),
            Misconception(
                bound_squared,
                "The bound is squared in the exponent: the two scores are bound and -bound, so they lie 2 · bound apart.",
            ),
            Misconception(
                powers_of_two,
                "The powers have base 2: the softmax has exp, base e.",
            ),
            Misconception(
                logarithm_of_the_weight,
                "This is the logarithm of the weight: return the weight itself.",
            ),
            Misconception(
                bound_doubled_twice,
                "The exponent is 4 · bound: from -bound to bound it is 2 · bound.",
            ),
            Misconception(
                tanh_of_the_bound,
                "The bound goes through a tanh first. It is the bound of the scores already: they lie between -bound and bound.",
            ),
            Misconception(
                top_alone_doubled,
                "The exponent is 3 · bound, as if one score were 2 · bound and the others -bound. No score is above bound: the two lie 2 · bound apart.",
            ),
        ),
        hints=(
            "One step gets the largest weight when its score is as large as it can be. What are the "
            "others' scores then?",
            "Write the softmax of one score of bound and `num_steps - 1` scores of `-bound`.",
            "Divide numerator and denominator by `exp(-bound)`: what is left of the numerator is `exp(2 * "
            "bound)`.",
        ),
        cases=_ceiling_cases,
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="guarded_pooling_weights",
        title="Mend a normaliser",
        statement=(
            "Mend the function above: masked steps have a weight of exactly zero, and a row without valid "
            "steps is all zeros."
        ),
        rules=(r"Keep the published scores $\exp(\tanh(\cdot))$: only the normaliser is wrong.",),
        entry="guarded_pooling_weights",
        arguments=(
            Argument("scores", "(batch, num_steps)"),
            MASK,
            Argument("epsilon", "float above 0, added to each row's sum"),
        ),
        returns=(WEIGHTS,),
        reference=guarded_pooling_weights,
        misconceptions=(
            Misconception(
                precedence_slip,
                "Division binds tighter than addition: `a / total + epsilon` adds epsilon to every weight, "
                "the masked ones too, and an empty row still divides 0 by 0. Put the sum in parentheses.",
            ),
            Misconception(
                no_guard,
                "Nothing guards the division: a row without valid steps is 0 / 0, which is NaN. Add "
                "epsilon to the sum.",
            ),
            Misconception(
                epsilon_for_every_step,
                "Epsilon is added to each step before summing, so the sum grows by num_steps times "
                "epsilon. Add it once, after the sum.",
            ),
            Misconception(
                epsilon_in_the_weights,
                "Epsilon is added to the numerators, so masked steps get weight and an empty row becomes "
                "uniform. It belongs in the denominator only.",
            ),
            Misconception(
                mask_after_division,
                "The sum still counts the masked steps, so the weights of the valid ones sum to less than 1. Mask "
                "before summing.",
            ),
            Misconception(
                scores_masked_with_zero,
                "Masked scores become 0, and exp(tanh(0)) is 1: they still get weight. Multiply by the "
                "mask after the exponential.",
            ),
            Misconception(
                sum_over_everything,
                "One sum for the whole batch: all weights of the batch sum to 1. Sum over axis 1 and keep it.",
            ),
            Misconception(
                epsilon_without_effect,
                "Epsilon has no effect on a row with valid steps: its weights sum to exactly 1, as those of a "
                "softmax do. Add epsilon to each row's sum, whatever that sum is.",
            ),
            Misconception(
                epsilon_as_a_floor,
                "Epsilon is the least that the sum may be, so it has no effect on larger sums. Add it to each "
                "row's sum.",
            ),
            Misconception(
                epsilon_subtracted,
                "Epsilon is subtracted from the sum, which may then reach 0 or turn negative. Add it.",
            ),
            Misconception(
                epsilon_above_and_below,
                "Epsilon is added to the numerators as well, so masked steps get weight. It belongs in the "
                "denominator only.",
            ),
            Misconception(
                precedence_slip_masked,
                "The masked steps are zero now, but epsilon is still added to the quotients, and an empty row "
                "still divides 0 by 0. Put the sum and epsilon in parentheses.",
            ),
            Misconception(
                mask_left_out,
                "The mask has no effect: masked steps get weight. Multiply the exponentials by it before summing.",
            ),
            Misconception(
                mask_inverted_in_the_sum,
                "The mask is read the wrong way round: it is true where a step counts.",
            ),
            Misconception(
                tanh_left_out,
                "The tanh is missing, so a score in the tens gets nearly all the weight. The published scores are "
                "exp(tanh(score)).",
            ),
            Misconception(
                softmax_for_exp,
                "A softmax over all steps stands where an exponential should, so a row is divided twice, and "
                "epsilon counts for more. Take exp(tanh(score)), mask, and divide once.",
            ),
            Misconception(
                sum_over_the_batch,
                "The sum runs over the sequences of the batch, step by step. Each sequence has a sum of its own, "
                "over axis 1.",
            ),
            Misconception(
                mask_in_the_sum_alone,
                "The masked steps are left out of the sum, but they keep their own weights: multiply the exponentials by the mask before both.",
            ),
            Misconception(
                sigmoid_for_tanh,
                "A sigmoid stands where the published scores have a tanh: keep exp(tanh(score)).",
            ),
            Misconception(
                tanh_of_the_exponential,
                "The tanh is taken of the exponential: the published scores are exp(tanh(score)), the other way round.",
            ),
            Misconception(
                largest_subtracted,
                "The largest tanh of the row is subtracted before the exponential, as in a stable softmax. A tanh is at most 1, and with smaller exponentials epsilon counts for more: leave it out.",
            ),
            Misconception(
                epsilon_for_every_valid_step,
                "Epsilon is added for each step that counts, so a row without any divides by zero, and long rows get more of it. Add it once to the sum.",
            ),
            Misconception(
                mean_for_the_sum,
                "The exponentials are divided by their mean: divide by their sum, so that the weights of a row sum to almost 1.",
            ),
            Misconception(
                plain_masked_softmax,
                "This is a plain masked softmax: the tanh and epsilon are both gone. Only the normaliser was wrong: keep exp(tanh(score)), and add epsilon to the sum.",
            ),
            Misconception(
                largest_for_the_sum,
                "The exponentials are divided by the largest of the row: divide by their sum, so that the weights of a row sum to almost 1.",
            ),
        ),
        hints=(
            "In Python a division comes before an addition.",
            "Epsilon is meant for the sum in the denominator, and not for the weights.",
            "Put the sum and epsilon in one pair of parentheses.",
        ),
        cases=_guard_cases,
        properties=PROPERTIES[:1],
        difficulty=1,
        minutes=10,
        points=1,
    ),
)
