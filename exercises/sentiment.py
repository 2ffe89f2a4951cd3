"""Exercises on pooling a review: without attention, and at two levels with it."""

import math

import numpy as np

from autograder.model.exercise import Argument, Call, Case, Exercise, Output, Property
from exercises.shared import (
    ALL,
    LOOP_IS_SHOWN,
    draw_lengths,
    draw_sizes,
    places_beyond,
    weight_outside,
)
from solutions.sentiment.in_numpy import hierarchical_attention, pool_over_time

LENGTH = Argument("valid_length", "(batch,), each at least 1")


def _valid(num_steps: int, valid_length: np.ndarray) -> np.ndarray:
    return np.asarray(np.arange(num_steps) < valid_length[:, None])


# Pooling


def _padding_does_not_matter(run: Call, case: Case) -> str | None:
    states, valid_length = case.inputs["states"], case.inputs["valid_length"]
    beyond = ~_valid(states.shape[1], valid_length)[..., None]
    moved = Case(case.note, {**case.inputs, "states": np.where(beyond, states + 3, states)}, dtype=case.dtype)
    for name, before, after in zip(("mean", "maximum", "last"), run(case), run(moved), strict=True):
        if not np.allclose(before, after, atol=1e-4):
            return f"The {name} changes when 3 is added to all states beyond it."
    return None


def _pooling_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int, int],
        among: tuple[int, ...] = (),
        shift: float = 0.0,
        gradient: bool = False,
    ) -> Case:
        shape = draw_sizes(rng, *typical)
        # All numbers lie apart, so that no maximum is a tie.
        states = rng.permuted(np.linspace(-2, 2, math.prod(shape))).reshape(shape) + shift
        lengths = draw_lengths(rng, shape[1], shape[0], among=among)
        return Case(note, {"states": states, "valid_length": lengths}, gradient=gradient)

    whole = case("no padding", (2, 7, 3))
    whole.inputs["valid_length"][:] = whole.inputs["states"].shape[1]
    return [
        case("ragged lengths", (2, 5, 4), gradient=True),
        case("the extremes: one step, and all of them", (3, 6, 2), (1, ALL), gradient=True),
        case("only negative states", (3, 4, 5), shift=-4.0),
        case("only positive states", (4, 3, 2), shift=4.0),
        case("a single step", (3, 1, 4)),
        whole,
        case("one review", (1, 8, 6)),
    ]


# Words, then sentences


def _nothing_outside(run: Call, case: Case) -> str | None:
    _, sentence_weights, word_weights = run(case)
    lengths = case.inputs["valid_length"]
    words = np.arange(word_weights.shape[2]) < lengths[..., None]
    problem = weight_outside(word_weights, words, "beyond its sentence")
    return problem or weight_outside(sentence_weights, lengths > 0, "on a sentence without words")


def _sums_are_one(run: Call, case: Case) -> str | None:
    _, sentence_weights, word_weights = run(case)
    has_words = case.inputs["valid_length"] > 0
    for name, sums in (
        ("the words of a sentence", word_weights.sum(axis=2)[has_words]),
        ("the sentences of a review", sentence_weights.sum(axis=1)),
    ):
        if not np.allclose(sums, 1, atol=1e-3):
            wrong = sums[np.abs(sums - 1).argmax()]
            return f"The weights of {name} sum to {wrong:.4f}."
    return None


def _with_loud_padding(case: Case) -> Case:
    """Return the same where padding scores far above the words, so that a mask after the softmax leaves nothing."""
    states = case.inputs["states"]
    states[..., 0] = 1000 * places_beyond(states.shape[2], case.inputs["valid_length"])
    case.inputs["word_query"][0], case.inputs["sentence_query"][0] = 1, 0
    return case


def _with_low_sentences(case: Case) -> Case:
    """Return the same where all sentences score far below the 0 of one without words, each far from the others."""
    states = case.inputs["states"]
    batch, num_sentences = states.shape[:2]
    states[..., 0] = np.arange(1, batch * num_sentences + 1).reshape(batch, num_sentences, 1)
    case.inputs["word_query"][0] = 0
    case.inputs["sentence_query"][:] = [-800] + [0] * (states.shape[3] - 1)
    return case


def _two_levels_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int, int, int],
        least: int = 0,
        among: tuple[int, ...] = (),
        gradient: bool = False,
    ) -> Case:
        shape = draw_sizes(rng, *typical)
        inputs = {
            "states": rng.normal(size=shape),
            "valid_length": draw_lengths(rng, shape[2], *shape[:2], least=least, among=among),
            "word_query": rng.normal(size=shape[3]),
            "sentence_query": rng.normal(size=shape[3]),
        }
        return Case(note, inputs, gradient=gradient)

    between = case("a sentence without words before others", (3, 4, 6, 5), least=1, gradient=True)
    between.inputs["valid_length"][:, 1] = 0
    whole = case("no padding", (2, 3, 5, 4), least=1)
    whole.inputs["valid_length"][:] = whole.inputs["states"].shape[2]
    return [
        case("ragged lengths, every sentence with words", (2, 3, 6, 4), least=1, gradient=True),
        between,
        case("the extremes: no word, one, and all of them", (3, 4, 5, 2), among=(0, 1, ALL)),
        whole,
        case("one sentence in each review", (3, 1, 5, 4), least=1),
        case("sentences of one word at most", (2, 5, 1, 3)),
        case("one review", (1, 4, 7, 3), among=(0, ALL)),
        _with_loud_padding(case("padding that scores high", (2, 3, 5, 4), least=1)),
        _with_low_sentences(case("sentences that score far below 0", (3, 4, 5, 2), among=(0, ALL))),
    ]


EXERCISES = (
    Exercise(
        name="pool_over_time",
        title="Three vectors without attention",
        statement="Compute the mean, the maximum and the last of each review's valid states, without a loop over the reviews.",
        rules=(LOOP_IS_SHOWN,),
        no_loop=True,
        entry="pool_over_time",
        arguments=(Argument("states", "(batch, num_steps, features)"), LENGTH),
        returns=(
            Output("mean", "(batch, features)"),
            Output("maximum", "(batch, features)"),
            Output("last", "(batch, features)"),
        ),
        reference=pool_over_time,
        hints=(
            "Padding may not be in the sum, nor in the count, nor in the maximum, and it may not be taken "
            "for the last state.",
            "Make a mask of the steps inside each length. For the maximum the padding must be smaller "
            "than every state, and zero is not.",
            "Mean: sum of the masked states over the length. Maximum: padding filled with `-1e30`. Last: "
            "the mask `positions == length - 1`, then a sum.",
        ),
        cases=_pooling_cases,
        properties=(Property("nothing beyond the valid length may matter", _padding_does_not_matter),),
        difficulty=2,
        minutes=20,
        points=2,
    ),
    Exercise(
        name="hierarchical_attention",
        title="Words, then sentences",
        statement=(
            "Attend over the words of each sentence, then over the sentences of each review, without a loop "
            "over either. The vector of a sentence is the sum of its states, each times its weight; the "
            "context of a review is the same sum of its sentences' vectors."
        ),
        rules=(LOOP_IS_SHOWN,),
        conditions={
            "valid_length": (
                "a sentence may have none, wherever it stands in a review, but each review has a sentence "
                "with words"
            ),
            "word_query": (
                "a word's score is the dot product of its state with it; the softmax over the words of the "
                "sentence gives the weights"
            ),
            "sentence_query": "the same for the vectors of the sentences",
            "returns sentence_weights": "exactly 0 for a sentence with a length of 0",
            "returns word_weights": (
                "those within a sentence; exactly 0 for padding and for each word of a sentence with a length "
                "of 0"
            ),
        },
        no_loop=True,
        entry="hierarchical_attention",
        arguments=(
            Argument("states", "(batch, num_sentences, num_steps, features)"),
            Argument("valid_length", "(batch, num_sentences), words in each sentence"),
            Argument("word_query", "(features,)"),
            Argument("sentence_query", "(features,)"),
        ),
        returns=(
            Output("context", "(batch, features)"),
            Output("sentence_weights", "(batch, num_sentences)", exact_zeros=True),
            Output("word_weights", "(batch, num_sentences, num_steps)", exact_zeros=True, map=True),
        ),
        reference=hierarchical_attention,
        hints=(
            "It is masked attention twice, with a learned query in the place of the queries. The first one makes a "
            "vector of each sentence, and these are the states of the second one.",
            "Two masks: a word is there if its position is below the length of its sentence, a sentence is there if "
            "its length is above 0. Both are applied to scores, before the softmax.",
            "Words: scores `states @ word_query`, `-1e30` where the mask is false, softmax over the last axis, times "
            "the mask, so that a sentence without words gets zeros. Then the same with the sentence vectors.",
        ),
        cases=_two_levels_cases,
        properties=(
            Property("padding and sentences without words must have no weight", _nothing_outside),
            Property("the weights of a sentence and of a review must sum to 1", _sums_are_one),
        ),
        difficulty=3,
        minutes=30,
        points=3,
    ),
)
