"""Exercises on what may stand in place of the softmax: sparsemax, a straight-through choice, an extra zero."""

from collections.abc import Callable

import numpy as np

from autograder.model.exercise import Argument, Case, Exercise, Misconception, Output, Property
from exercises.shared import (
    ALL,
    a_case_of_each,
    draw_lengths,
    draw_sizes,
    nothing_beyond_the_length,
    one_of,
    rows_sum_to_one,
)
from solutions.masked_softmax.in_numpy import softmax
from solutions.normalisers.in_numpy import (
    gap_to_zero,
    gumbel_proof_step,
    relaxed,
    softmax_with_zero,
    sparsemax,
    straight_through,
)

Array = np.ndarray

SHAPE = "(batch, num_queries, num_keys)"
SCORES = Argument("scores", SHAPE)
# How far numbers keep from where a choice or a support changes, so that gradients exist.
MARGIN = 1e-2


# Weights of exactly zero


def _thresholds(scores: Array) -> Array:
    """Return the threshold of each row if it kept its 1, 2, 3, … largest scores; the shape of scores."""
    ordered = -np.sort(-scores, axis=-1)
    return np.asarray((np.cumsum(ordered, axis=-1) - 1) / np.arange(1, scores.shape[-1] + 1))


def _support_size(scores: Array) -> Array:
    """Return how many keys of each row get weight, (..., 1)."""
    return np.asarray((sparsemax(scores) > 0).sum(axis=-1, keepdims=True))


def slopes_of_a_fixed_threshold(scores: Array) -> Array:
    return scores * (sparsemax(scores) > 0)


def _clear(scores: Array) -> bool:
    """Return whether no score is near the threshold of its row."""
    threshold = np.take_along_axis(_thresholds(scores), _support_size(scores) - 1, axis=-1)
    return bool((np.abs(scores - threshold) > MARGIN).all())


def _until(right: Callable[[Array], bool], draw: Callable[[], Array]) -> Array:
    """Draw arrays until one is right."""
    while True:
        array = draw()
        if right(array):
            return array


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


def noise_not_divided_in_the_slope(scores: Array, noise: Array, temperature: float) -> Array:
    return softmax(scores / temperature + noise)


def past_the_softmax(scores: Array, noise: Array, temperature: float) -> Array:
    return (scores + noise) / temperature


def past_softmax_and_temperature(scores: Array, noise: Array, temperature: float) -> Array:
    return scores + noise


def logarithm_of_the_weights(scores: Array, noise: Array, temperature: float) -> Array:
    return np.asarray(np.log(relaxed(scores, noise, temperature)))


def _decided(sums: Array) -> bool:
    """Return whether the largest of each row is clearly the largest."""
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
        case("scores near -800", 3, 2, 5, shift=-800.0),
    ]


# A gap, and a proof


def _gap_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, least: float, num_best: int) -> Case:
        return Case(note, {"a": round(float(rng.uniform(least, least + 0.4)), 4), "num_best": num_best})

    def among(least: int, most: int) -> int:
        return int(rng.integers(least, most))

    return [
        case("near the softmax", 1.1, among(2, 6)),
        case("between softmax and sparsemax", 1.55, among(3, 9)),
        case("beyond sparsemax", 2.3, among(4, 12)),
        case("one best key", 1.6, 1),
        Case("sparsemax", {"a": 2.0, "num_best": among(2, 20)}),
    ]


CHANGES = (
    "the noise times 2",
    "a number added to all scores",
    "one u for all keys",
    "u drawn between 0 and 1/2",
    "ten thousand keys",
    "-log u as the noise",
)


EXERCISES = (
    Exercise(
        name="sparsemax",
        title="Weights of exactly zero",
        statement=(
            "Write sparsemax over the keys: from all scores of a row subtract one number, the threshold with "
            "which its weights then sum to 1, and replace what is below zero by 0."
        ),
        conditions={
            "scores": "not to be changed; no score equals the threshold",
        },
        entry="sparsemax",
        arguments=(SCORES,),
        returns=(Output("weights", SHAPE, exact_zeros=True, map=True),),
        reference=sparsemax,
        wrong_gradients=(
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
            "Count how many are kept, take the threshold at the index of that count minus 1 ([`gather`]{.torch}[, ]{.both}[`nd.pick`]{.mxnet}), "
            "subtract it from the unsorted scores, and apply a ReLU.",
        ),
        cases=_sparsemax_cases,
        properties=(Property("each row of weights must sum to 1", rows_sum_to_one),),
        difficulty=3,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="gap_to_zero",
        title="How far to zero",
        statement=(
            "Some keys share the largest score. Derive by how much the score of another key must be lower, at least, so "
            "that entmax gives it no weight."
        ),
        conditions={
            "a": "above 1",
            "num_best": "keys with the largest score",
        },
        entry="gap_to_zero",
        arguments=(Argument("a", "float"), Argument("num_best", "int")),
        returns=(Output("gap", "a float, from the largest score to the others", plain=True),),
        reference=gap_to_zero,
        hints=(
            "Which weight does each of the best keys have where the others have none?",
            "For a best key, $(a - 1)\\, e - \\tau$ is this weight to the power $a - 1$. For a key without weight it is 0 or less.",
            "Divide `(1 / num_best) ** (a - 1)` by `a - 1`.",
        ),
        cases=_gap_cases,
        difficulty=3,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="gumbel_proof_step",
        title="Which step needs it",
        statement=(
            "Something is changed in the draw. Which step of the proof above is the first that does not hold any more: "
            '`"1"`, `"2"`, `"3"` or `"4"`? If all hold, answer `"none"`.'
        ),
        entry="gumbel_proof_step",
        arguments=(one_of("change", CHANGES),),
        returns=(Output("step", 'one of "1", "2", "3", "4", "none"', plain=True),),
        reference=gumbel_proof_step,
        cases=a_case_of_each("change", CHANGES),
        difficulty=3,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="straight_through",
        title="A hard choice with a soft gradient",
        statement=(
            "For each query return a one-hot vector over the keys, with the 1 at the largest sum of score and "
            "noise. Its gradients for both are those of the softmax of these sums divided by the temperature."
        ),
        conditions={
            "temperature": "counts in the gradients alone",
            "noise": "draw none; no two sums of a query are equal",
        },
        entry="straight_through",
        arguments=(SCORES, Argument("noise", SHAPE), Argument("temperature", "float above 0")),
        returns=(Output("choice", SHAPE, exact_zeros=True, map=True),),
        reference=straight_through,
        gradient_reference=relaxed,
        wrong_gradients=(
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
                noise_not_divided_in_the_slope,
                "Its values are right, but in the gradient the temperature divides the scores alone: add the noise "
                "first, and divide the sums.",
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
        conditions={
            "scores": "may be in the hundreds",
            "returns weights": "exactly zero for keys beyond the length, and for every key of a row of length 0",
        },
        entry="softmax_with_zero",
        arguments=(SCORES, Argument("valid_length", "(batch,), 0 allowed")),
        returns=(Output("weights", SHAPE, exact_zeros=True, map=True),),
        reference=softmax_with_zero,
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
        helpers=("masked_softmax",),
        difficulty=2,
        minutes=15,
        points=2,
    ),
)
