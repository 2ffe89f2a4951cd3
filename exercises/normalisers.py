"""Exercises on what may stand in place of the softmax: sparsemax, a straight-through choice, an extra zero."""

from collections.abc import Callable
from functools import partial

import numpy as np

from autograder.model.exercise import Argument, Case, Exercise, Misconception, Output, Property
from exercises.shared import (
    ALL,
    draw_lengths,
    draw_sizes,
    mask_of,
    nothing_beyond_the_length,
    rows_sum_to_one,
)
from solutions.masked_softmax.in_numpy import masked_softmax, masked_softmax_or_zero, softmax
from solutions.normalisers.in_numpy import relaxed, softmax_with_zero, sparsemax, straight_through

Array = np.ndarray

SHAPE = "(batch, num_queries, num_keys)"
SCORES = Argument("scores", SHAPE)
# How far numbers keep from where a choice or a support changes, so that gradients exist.
MARGIN = 1e-2
# Other weights below which people cut.
LIMITS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.25, 0.3)


# Weights of exactly zero


def _thresholds(scores: Array) -> Array:
    """The threshold of each row if it kept its 1, 2, 3, … largest scores; the shape of scores."""
    ordered = -np.sort(-scores, axis=-1)
    return np.asarray((np.cumsum(ordered, axis=-1) - 1) / np.arange(1, scores.shape[-1] + 1))


def _kept(scores: Array) -> Array:
    """How many keys of each row get weight, (..., 1)."""
    return np.asarray((sparsemax(scores) > 0).sum(axis=-1, keepdims=True))


def _cut(scores: Array, threshold: Array) -> Array:
    return np.maximum(scores - threshold, 0)


def softmax_taken(scores: Array) -> Array:
    return softmax(scores)


def softmax_of_the_kept(scores: Array) -> Array:
    return softmax(np.where(sparsemax(scores) > 0, scores, -np.inf))


def all_keys_counted(scores: Array) -> Array:
    return _cut(scores, _thresholds(scores)[..., -1:])


def one_forgotten(scores: Array) -> Array:
    kept = sparsemax(scores) > 0
    return _cut(scores, (scores * kept).sum(axis=-1, keepdims=True) / kept.sum(axis=-1, keepdims=True))


def one_key_too_many(scores: Array) -> Array:
    index = np.minimum(_kept(scores), scores.shape[-1] - 1)
    return _cut(scores, np.take_along_axis(_thresholds(scores), index, axis=-1))


def over_the_queries(scores: Array) -> Array:
    return sparsemax(scores.swapaxes(1, 2)).swapaxes(1, 2)


def left_in_order(scores: Array) -> Array:
    return sparsemax(-np.sort(-scores, axis=-1))


def not_cut(scores: Array) -> Array:
    return scores - np.take_along_axis(_thresholds(scores), _kept(scores) - 1, axis=-1)


def one_below_the_largest(scores: Array) -> Array:
    return _cut(scores, scores.max(axis=-1, keepdims=True) - 1)


def one_below_the_largest_divided(scores: Array) -> Array:
    above = one_below_the_largest(scores)
    return np.asarray(above / above.sum(axis=-1, keepdims=True))


def scores_above_zero_divided(scores: Array) -> Array:
    above = np.maximum(scores, 0)
    total = above.sum(axis=-1, keepdims=True)
    return np.asarray(above / np.where(total > 0, total, 1))


def one_threshold_for_a_sequence(scores: Array) -> Array:
    return sparsemax(scores.reshape(len(scores), -1)).reshape(scores.shape)


def threshold_added(scores: Array) -> Array:
    return _cut(scores, -np.take_along_axis(_thresholds(scores), _kept(scores) - 1, axis=-1))


def only_the_largest(scores: Array) -> Array:
    return np.eye(scores.shape[-1])[scores.argmax(axis=-1)]


def cut_at_one_over_the_keys(scores: Array) -> Array:
    weights = softmax(scores)
    kept = np.where(weights >= 1 / scores.shape[-1] - 1e-6, weights, 0)
    return np.asarray(kept / kept.sum(axis=-1, keepdims=True))


def cut_at_a_fixed_limit(scores: Array, limit: float = 0.2) -> Array:
    weights = softmax(scores)
    kept = np.where(weights < limit - 1e-6, 0, weights)
    return np.asarray(kept / kept.sum(axis=-1, keepdims=True))


def slopes_of_a_fixed_threshold(scores: Array) -> Array:
    return scores * (sparsemax(scores) > 0)


def _clear(scores: Array) -> bool:
    """Whether no score is near the threshold of its row."""
    threshold = np.take_along_axis(_thresholds(scores), _kept(scores) - 1, axis=-1)
    return bool((np.abs(scores - threshold) > MARGIN).all())


def _until(right: Callable[[Array], bool], drawn: Callable[[], Array]) -> Array:
    """Arrays drawn anew until one is right."""
    while True:
        found = drawn()
        if right(found):
            return found


def _sparsemax_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, size: float = 1.0, gradient: bool = False) -> Case:
        shape = draw_sizes(rng, *typical)
        scores = _until(_clear, lambda: size * rng.normal(size=shape))
        return Case(note, {"scores": scores}, gradient=gradient)

    def equal(note: str, *typical: int) -> Case:
        shape = draw_sizes(rng, *typical)
        # Halves of whole numbers, whose sums are exact in any precision.
        return Case(note, {"scores": np.zeros(shape) + rng.integers(-4, 5, size=(shape[0], shape[1], 1)) / 2})

    return [
        case("all sizes different", 2, 3, 6, gradient=True),
        case("one query", 3, 1, 5, gradient=True),
        case("scores near together, so that every key gets weight", 2, 3, 4, size=0.05, gradient=True),
        case("scores far apart", 1, 4, 7, size=6.0),
        case("a single key", 2, 3, 1),
        equal("equal scores", 2, 1, 5),
        case("as many queries as keys", 3, 5, 5),
    ]


# A hard choice with a soft gradient


def _one_hot(sums: Array) -> Array:
    return np.eye(sums.shape[-1])[sums.argmax(axis=-1)]


def soft_returned(scores: Array, noise: Array, temperature: float) -> Array:
    return relaxed(scores, noise, temperature)


def noise_ignored(scores: Array, noise: Array, temperature: float) -> Array:
    return _one_hot(scores)


def noise_subtracted(scores: Array, noise: Array, temperature: float) -> Array:
    return _one_hot(scores - noise)


def noise_multiplied(scores: Array, noise: Array, temperature: float) -> Array:
    return _one_hot(scores * noise)


def noise_not_divided(scores: Array, noise: Array, temperature: float) -> Array:
    return _one_hot(scores / temperature + noise)


def only_noise_divided(scores: Array, noise: Array, temperature: float) -> Array:
    return _one_hot(scores + noise / temperature)


def noise_after_the_softmax(scores: Array, noise: Array, temperature: float) -> Array:
    return _one_hot(softmax(scores / temperature) + noise)


def chosen_among_queries(scores: Array, noise: Array, temperature: float) -> Array:
    return _one_hot((scores + noise).swapaxes(1, 2)).swapaxes(1, 2)


def place_returned(scores: Array, noise: Array, temperature: float) -> Array:
    return np.asarray((scores + noise).argmax(axis=-1))


def smallest_chosen(scores: Array, noise: Array, temperature: float) -> Array:
    return _one_hot(-scores - noise)


def soft_left_in(scores: Array, noise: Array, temperature: float) -> Array:
    return straight_through(scores, noise, temperature) + relaxed(scores, noise, temperature)


def choice_times_soft(scores: Array, noise: Array, temperature: float) -> Array:
    return straight_through(scores, noise, temperature) * relaxed(scores, noise, temperature)


def half_choice_half_soft(scores: Array, noise: Array, temperature: float) -> Array:
    return soft_left_in(scores, noise, temperature) / 2


def rounded_weights(scores: Array, noise: Array, temperature: float) -> Array:
    return np.round(relaxed(scores, noise, temperature))


def choice_without_a_slope(scores: Array, noise: Array, temperature: float) -> Array:
    return straight_through(scores, noise, temperature)


def sign_turned(scores: Array, noise: Array, temperature: float) -> Array:
    return -relaxed(scores, noise, temperature)


def temperature_left_out(scores: Array, noise: Array, temperature: float) -> Array:
    return softmax(scores + noise)


def temperature_multiplied(scores: Array, noise: Array, temperature: float) -> Array:
    return softmax((scores + noise) * temperature)


def noise_left_out_of_the_slope(scores: Array, noise: Array, temperature: float) -> Array:
    return softmax(scores / temperature)


def past_the_softmax(scores: Array, noise: Array, temperature: float) -> Array:
    return (scores + noise) / temperature


def past_softmax_and_temperature(scores: Array, noise: Array, temperature: float) -> Array:
    return scores + noise


def logarithm_of_the_weights(scores: Array, noise: Array, temperature: float) -> Array:
    return np.asarray(np.log(relaxed(scores, noise, temperature)))


def _decided(sums: Array) -> bool:
    """Whether the largest of each row is clearly the largest."""
    if sums.shape[-1] == 1:
        return True
    ordered = np.sort(sums, axis=-1)
    return bool((ordered[..., -1] - ordered[..., -2] > MARGIN).all())


def _straight_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, temperature: float, gradient: bool = False) -> Case:
        shape = draw_sizes(rng, *typical)
        both = _until(
            lambda two: _decided(two.sum(axis=0)),
            lambda: np.stack([rng.normal(size=shape), rng.gumbel(size=shape)]),
        )
        inputs = {
            "scores": both[0],
            "noise": both[1],
            "temperature": round(temperature * float(rng.uniform(0.9, 1.1)), 3),
        }
        return Case(note, inputs, gradient=gradient)

    return [
        case("a temperature below 1", 2, 3, 5, temperature=0.6, gradient=True),
        case("a temperature above 1", 3, 2, 4, temperature=2.2, gradient=True),
        case("one query", 3, 1, 6, temperature=0.7, gradient=True),
        case("many keys", 1, 2, 12, temperature=1.6),
        case("as many queries as keys", 2, 4, 4, temperature=0.4),
        case("a single key", 2, 3, 1, temperature=1.5),
    ]


# A softmax with an extra zero


def _beside(scores: Array, valid_length: Array, extra: float, count: int = 1) -> Array:
    """The softmax over the valid scores and `count` more of the size `extra`, which come first."""
    more = np.full((*scores.shape[:2], count), extra)
    return masked_softmax(np.concatenate([more, scores], axis=-1), valid_length + count)[..., count:]


def no_extra_zero(scores: Array, valid_length: Array, empty_uniform: bool = False) -> Array:
    """empty_uniform: a row of length 0 spreads its weight over the padding, as a finite number in its place does."""
    if empty_uniform:
        return softmax(np.where(mask_of(scores, valid_length), scores, -1e6))
    return masked_softmax_or_zero(scores, valid_length)


def zero_behind_the_padding(scores: Array, valid_length: Array) -> Array:
    zero = np.zeros_like(scores[..., :1])
    return masked_softmax(np.concatenate([scores, zero], axis=-1), valid_length + 1)[..., :-1]


def exponentials_overflow(scores: Array, valid_length: Array) -> Array:
    raised = np.exp(scores) * mask_of(scores, valid_length)
    return np.asarray(raised / (1 + raised.sum(axis=-1, keepdims=True)))


def one_beside_the_largest(scores: Array, valid_length: Array, padding: bool = False) -> Array:
    """padding: whether the largest may stand in it."""
    mask = mask_of(scores, valid_length)
    highest = np.where(mask | padding, scores, -1e6).max(axis=-1, keepdims=True)
    raised = np.exp(np.where(mask, scores, -1e6) - highest) * mask
    return np.asarray(raised / (1 + raised.sum(axis=-1, keepdims=True)))


def extra_weight_kept(scores: Array, valid_length: Array) -> Array:
    found = softmax_with_zero(scores, valid_length)
    return np.concatenate([found, 1 - found.sum(axis=-1, keepdims=True)], axis=-1)


def wrong_end_taken_off(scores: Array, valid_length: Array) -> Array:
    return extra_weight_kept(scores, valid_length)[..., 1:]


def extra_weight_kept_in_front(scores: Array, valid_length: Array) -> Array:
    found = softmax_with_zero(scores, valid_length)
    return np.concatenate([1 - found.sum(axis=-1, keepdims=True), found], axis=-1)


def last_key_taken_off(scores: Array, valid_length: Array) -> Array:
    return extra_weight_kept_in_front(scores, valid_length)[..., :-1]


def mask_too_late(scores: Array, valid_length: Array) -> Array:
    every = np.full(len(scores), scores.shape[-1])
    return softmax_with_zero(scores, every) * mask_of(scores, valid_length)


def padding_scores_zero(scores: Array, valid_length: Array) -> Array:
    mask = mask_of(scores, valid_length)
    return mask_too_late(scores * mask, valid_length)


def length_ignored(scores: Array, valid_length: Array) -> Array:
    return softmax_with_zero(scores, np.full(len(scores), scores.shape[-1]))


def one_for_the_zero(scores: Array, valid_length: Array) -> Array:
    return _beside(scores, valid_length, 1.0)


def a_sigmoid_for_each(scores: Array, valid_length: Array) -> Array:
    return np.asarray(mask_of(scores, valid_length) / (1 + np.exp(-scores)))


def a_zero_for_each_key(scores: Array, valid_length: Array) -> Array:
    return _beside(scores, valid_length, 0.0, scores.shape[-1])


def length_not_longer(scores: Array, valid_length: Array) -> Array:
    zero = np.zeros_like(scores[..., :1])
    longer = np.concatenate([zero, scores], axis=-1)
    return softmax(np.where(mask_of(longer, valid_length), longer, -1e6))[..., 1:]


def length_too_long(scores: Array, valid_length: Array) -> Array:
    return softmax_with_zero(scores, valid_length + 1)


def zero_among_the_queries(scores: Array, valid_length: Array) -> Array:
    filled = np.where(mask_of(scores, valid_length), scores, -1e6)
    longer = np.concatenate([filled, np.zeros_like(filled[:, :1])], axis=1)
    return softmax(longer.swapaxes(1, 2)).swapaxes(1, 2)[:, :-1]


def scores_below_zero_lost(scores: Array, valid_length: Array) -> Array:
    return softmax_with_zero(np.maximum(scores, 0), valid_length)


def _zero_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, *typical: int, size: float = 1.5, shift: float = 0.0, among: tuple[int, ...] = (0, ALL),
        gradient: bool = False,
    ) -> Case:  # fmt: skip
        shape = draw_sizes(rng, *typical)
        scores = shift + size * rng.normal(size=shape)
        lengths = draw_lengths(rng, shape[2], shape[0], least=0, among=among)
        return Case(note, {"scores": scores, "valid_length": lengths}, gradient=gradient)

    return [
        case("ragged lengths, one of them 0", 4, 3, 6, gradient=True),
        case("one query", 3, 1, 5, among=(2, ALL), gradient=True),
        case("scores near 800", 3, 2, 5, shift=800.0),
        case("scores far below zero", 3, 4, 5, size=3.0, shift=-60.0),
        case("scores a little below zero", 3, 2, 7, size=0.5, shift=-2.0, gradient=True),
        case("as many queries as keys", 3, 4, 4),
        case("a single key", 3, 2, 1),
    ]


EXERCISES = (
    Exercise(
        name="sparsemax",
        title="Weights of exactly zero",
        statement="Write sparsemax over the keys: from all scores of a row subtract one number, the threshold, and "
        "replace what is then below zero by 0. The threshold of a row is the number for which its weights sum to 1.",
        rules=("Do not change `scores` itself.",),
        entry="sparsemax",
        arguments=(SCORES,),
        returns=(Output("weights", SHAPE, exact_zeros=True, map=True),),
        reference=sparsemax,
        misconceptions=(
            Misconception(
                softmax_taken,
                "These are the weights of the softmax: every key has some. Subtract a threshold from the scores "
                "themselves and cut at zero; weights that sum to 1 already would stay as they are.",
            ),
            Misconception(
                softmax_of_the_kept,
                "The right keys are kept, but their weights come from a softmax. The weight of a key is its score "
                "minus the threshold.",
            ),
            Misconception(
                all_keys_counted,
                "All keys of the row take part in the threshold, also those that get no weight, so the sum exceeds "
                "1 where some are cut. It must be computed from the keys that are kept.",
            ),
            Misconception(
                one_forgotten,
                "The threshold is the mean of the kept scores, so what lies above it does not sum to 1: subtract 1 "
                "from their sum before dividing by their number.",
            ),
            Misconception(
                one_key_too_many,
                "The threshold counts one key too many, as where the number of kept keys is used as an index, which "
                "counts from 0: use the number minus 1.",
            ),
            Misconception(
                over_the_queries,
                "Your weights sum to 1 over the queries: the keys are the last axis.",
            ),
            Misconception(
                left_in_order,
                "The weights come in the order of the sorted scores. Sorting only finds the threshold: subtract it "
                "from the scores as they were given.",
            ),
            Misconception(
                not_cut,
                "Scores below the threshold have negative weights: replace what is below zero by 0.",
            ),
            Misconception(
                one_below_the_largest,
                "The threshold is the largest score minus 1, which is right only where one key is kept. With more "
                "keys it must be higher, so that all weights together sum to 1.",
            ),
            Misconception(
                one_below_the_largest_divided,
                "What lies above the largest score minus 1 is divided by its sum. Rows sum to 1, but too many keys "
                "are kept: do not divide, find the threshold.",
            ),
            Misconception(
                scores_above_zero_divided,
                "Scores below zero are cut, and the rest is divided by its sum. Zero is no special score: the same "
                "number added to all scores must not change the weights.",
            ),
            Misconception(
                one_threshold_for_a_sequence,
                "All queries of a batch element have one threshold. Each row needs its own, so that each sums to 1.",
            ),
            Misconception(threshold_added, "The threshold is added to the scores: subtract it."),
            Misconception(
                only_the_largest,
                "The key with the largest score takes all the weight. Sparsemax does that only where it is at least "
                "1 above the next.",
            ),
            Misconception(
                cut_at_one_over_the_keys,
                "The softmax weights below the average are cut and the rest is divided by its sum. Sparsemax has no "
                "exponential: subtract a threshold from the scores themselves.",
            ),
            Misconception(
                cut_at_a_fixed_limit,
                "The softmax weights below a fixed limit are cut. Of many keys each may have less, and nothing is "
                "left to divide. The threshold must depend on the scores of the row, and is subtracted from them.",
                also=tuple(partial(cut_at_a_fixed_limit, limit=limit) for limit in LIMITS),
            ),
        ),
        wrong_slopes=(
            Misconception(
                slopes_of_a_fixed_threshold,
                "Its values are right, but in the gradient the threshold is a fixed number. It depends on the scores "
                "of all kept keys, so their gradients must reach it: do not detach it.",
            ),
        ),
        hints=(
            "If the k largest scores of a row are kept, the threshold is their sum minus 1, divided by k.",
            "Sort the scores downwards and compute that number for every k, with a cumulative sum. A key is kept as "
            "long as its score is larger than the number of its own k.",
            "Count how many are kept, take the threshold at the index of that count minus 1 (`gather`, `nd.pick`), "
            "subtract it from the unsorted scores, and apply a ReLU.",
        ),
        cases=_sparsemax_cases,
        properties=(Property("each row of weights must sum to 1", rows_sum_to_one),),
        difficulty=3,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="straight_through",
        title="A hard choice with a soft gradient",
        statement="Add the noise to the scores. For each query return a one-hot vector over the keys, with the 1 at "
        "the largest of these sums. Divide the sums by the temperature and take the softmax: the gradient must be that of this softmax.",
        rules=("The noise is given as an argument: draw none.",),
        entry="straight_through",
        arguments=(SCORES, Argument("noise", SHAPE), Argument("temperature", "float above 0")),
        returns=(Output("choice", SHAPE, exact_zeros=True, map=True),),
        reference=straight_through,
        slopes=relaxed,
        misconceptions=(
            Misconception(
                soft_returned,
                "The soft weights are returned. The values must be one-hot; only the gradient is that of the softmax.",
            ),
            Misconception(
                noise_ignored,
                "The noise has no effect, so the same key is chosen each time: add it to the scores.",
            ),
            Misconception(noise_subtracted, "The noise is subtracted: add it to the scores."),
            Misconception(noise_multiplied, "The noise multiplies the scores: add it to them."),
            Misconception(
                noise_not_divided,
                "Only the scores are divided by the temperature, so another key may be the largest: divide the sums "
                "of scores and noise.",
            ),
            Misconception(
                only_noise_divided,
                "Only the noise is divided by the temperature, so another key may be the largest: divide the sums of "
                "scores and noise.",
            ),
            Misconception(
                noise_after_the_softmax,
                "The noise is added to the weights. With Gumbel noise a choice follows the softmax only if the noise "
                "is added to the scores.",
            ),
            Misconception(
                chosen_among_queries,
                "For each key one query is chosen. Choose a key for each query: the keys are the last axis.",
            ),
            Misconception(
                place_returned,
                "The place of the chosen key is returned: return a one-hot vector, with a 1 at that place.",
            ),
            Misconception(smallest_chosen, "The smallest sum is chosen: choose the largest."),
            Misconception(
                soft_left_in,
                "The soft weights are added to the choice, so it is no longer one-hot: subtract them again, detached.",
            ),
            Misconception(
                choice_times_soft,
                "The choice is multiplied by the soft weights, so the chosen key has less than 1. Its value must be 1.",
            ),
            Misconception(
                half_choice_half_soft,
                "This is the mean of choice and soft weights. The values must be those of the choice alone, the "
                "gradient that of the soft weights alone.",
            ),
            Misconception(
                rounded_weights,
                "The soft weights are rounded, so a row without a weight above one half chooses nothing: put the 1 "
                "at the largest.",
            ),
        ),
        wrong_slopes=(
            Misconception(
                choice_without_a_slope,
                "Its values are right, but no gradient comes through: an index has none, and soft weights that are added and "
                "subtracted again cancel. Detach the choice and one of the two, so that the other keeps its gradient.",
            ),
            Misconception(
                sign_turned,
                "Its values are right, but the gradient has the wrong sign: the soft weights that are added must "
                "have the gradient, and those that are subtracted must be detached.",
            ),
            Misconception(
                temperature_left_out,
                "Its values are right, but the gradient is that of the temperature 1: divide the sums by the "
                "temperature before the softmax.",
            ),
            Misconception(
                temperature_multiplied,
                "Its values are right, but in the gradient the temperature multiplies: divide the sums by it.",
            ),
            Misconception(
                noise_left_out_of_the_slope,
                "Its values are right, but the softmax of the gradient is without the noise: use the same sums for "
                "the choice and for the softmax.",
            ),
            Misconception(
                past_the_softmax,
                "Its values are right, but the gradient goes to the scores as if there were no softmax. Then the "
                "keys do not compete: pass it through the softmax.",
            ),
            Misconception(
                past_softmax_and_temperature,
                "Its values are right, but the gradient goes to the scores unchanged. Then the keys do not compete: "
                "pass it through the softmax of the sums divided by the temperature.",
            ),
            Misconception(
                logarithm_of_the_weights,
                "Its values are right, but the gradient is that of the logarithm of the weights: use the softmax, "
                "not the log-softmax.",
            ),
        ),
        hints=(
            "Compute both: the soft weights, and the one-hot vector of the largest sum.",
            "Adding the soft weights and subtracting them again leaves the values as they are. What must not happen "
            "is that the gradient is subtracted again as well.",
            "`(hard - soft).detach() + soft` has the values of hard and the gradient of soft.",
        ),
        cases=_straight_cases,
        difficulty=3,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="softmax_with_zero",
        title="A row that may give nothing",
        statement="Write the softmax over the valid keys with one more score, which is always 0 and belongs to no key: "
        "the weight of a valid key is $\\exp(e_i) / (1 + \\sum_j \\exp(e_j))$, where $j$ runs over the valid keys.",
        rules=(
            "Keys beyond the length have a weight of exactly zero, and so has every key of a row of length 0.",
            "Scores may be in the hundreds.",
        ),
        entry="softmax_with_zero",
        arguments=(SCORES, Argument("valid_length", "(batch,), 0 allowed")),
        returns=(Output("weights", SHAPE, exact_zeros=True, map=True),),
        reference=softmax_with_zero,
        misconceptions=(
            Misconception(
                no_extra_zero,
                "This comes out as the masked softmax: each row that has keys sums to 1, as if the denominator had no 1, or as "
                "if the weights were divided by their sum once more.",
                also=(partial(no_extra_zero, empty_uniform=True),),
            ),
            Misconception(
                zero_behind_the_padding,
                "The extra score stands behind all keys, but lengths that are 1 longer take in the key after the last "
                "valid one, which is padding where the row has some. Put the extra score before the keys.",
            ),
            Misconception(
                exponentials_overflow,
                "The formula is computed as it stands, and the exponential of a large score is infinite. A softmax "
                "over the scores and a 0 gives the same weights without overflow.",
            ),
            Misconception(
                one_beside_the_largest,
                "The largest score is subtracted from the scores, but not from the extra 0, so the extra score is "
                "as large as the largest. The 1 must become exp(−largest).",
                also=(partial(one_beside_the_largest, padding=True),),
            ),
            Misconception(
                extra_weight_kept,
                "The weight of the extra score is returned too, behind the keys: take it off.",
            ),
            Misconception(
                wrong_end_taken_off,
                "It comes out as if the extra score stood after the keys and the first weight were taken off: take off the "
                "weight of the extra score.",
            ),
            Misconception(
                extra_weight_kept_in_front,
                "The weight of the extra score is returned too, before the keys: take it off.",
            ),
            Misconception(
                last_key_taken_off,
                "It comes out as if the extra score stood before the keys and the last weight were taken off: take off the "
                "weight of the extra score.",
            ),
            Misconception(
                mask_too_late,
                "The mask comes after the softmax, so padding still takes part in the denominator: mask the scores.",
            ),
            Misconception(
                padding_scores_zero,
                "The scores of padding are set to 0, and exp(0) is 1: each padded key adds another 1 to the "
                "denominator. Fill them with a large negative number.",
            ),
            Misconception(length_ignored, "The valid_length has no effect: padding gets weight."),
            Misconception(
                one_for_the_zero,
                "The extra score is 1, which adds e to the denominator. It must be 0, since exp(0) is 1.",
            ),
            Misconception(
                a_sigmoid_for_each,
                "Each key has a sigmoid of its own, so a row may sum to more than 1. The sum in the denominator runs "
                "over all valid keys.",
            ),
            Misconception(
                a_zero_for_each_key,
                "There is an extra 0 for each key, so the denominator has num_keys in the place of 1: one is enough.",
            ),
            Misconception(
                length_not_longer,
                "The extra score stands before the keys, but the lengths count as before, so the last valid key is "
                "masked: the lengths grow by 1 as well.",
            ),
            Misconception(
                length_too_long,
                "One key beyond the length gets weight: the first padded key is taken for valid.",
            ),
            Misconception(
                zero_among_the_queries,
                "The extra 0 is one more query, and the softmax runs over the queries. It is one more key.",
            ),
            Misconception(
                scores_below_zero_lost,
                "Scores below zero count as 0, so no key can have less weight than the extra score: use the scores "
                "as they are.",
            ),
        ),
        hints=(
            "exp(0) is 1: the 1 in the denominator belongs to a score of 0.",
            "Put a 0 beside the scores of each row, as one more key that always counts; take the masked softmax of "
            "all; take the weight of the extra key off again.",
            "If the 0 stands before the keys, `masked_softmax` does the rest with lengths "
            "that are 1 longer; return its weights without the first.",
        ),
        cases=_zero_cases,
        properties=(Property("nothing beyond the valid length may get weight", nothing_beyond_the_length),),
        builds_on=("masked_softmax",),
        difficulty=2,
        minutes=15,
        points=2,
    ),
)
