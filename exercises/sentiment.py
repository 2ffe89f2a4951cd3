"""Exercises on pooling a review: without attention, and at two levels with it."""

import math

import numpy as np

from autograder.model.exercise import Argument, Call, Case, Exercise, Misconception, Output, Property
from exercises.shared import (
    ALL,
    LOOP_IS_SHOWN,
    draw_lengths,
    draw_sizes,
    shared_anew,
    weight_outside,
)
from solutions.masked_softmax.in_numpy import masked_softmax_or_zero, softmax
from solutions.pooling.in_numpy import masked_weights
from solutions.sentiment.in_numpy import hierarchical_attention, pool_over_time

LENGTH = Argument("valid_length", "(batch,), each at least 1")
Pooled = tuple[np.ndarray, np.ndarray, np.ndarray]
Attended = tuple[np.ndarray, np.ndarray, np.ndarray]


def _valid(num_steps: int, valid_length: np.ndarray) -> np.ndarray:
    return np.asarray(np.arange(num_steps) < valid_length[:, None])


# Pooling


def padding_in_the_mean(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    _, maximum, last = pool_over_time(states, valid_length)
    return states.mean(axis=1), maximum, last


def divided_by_all_steps(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    mean, maximum, last = pool_over_time(states, valid_length)
    return mean * valid_length[:, None] / states.shape[1], maximum, last


def padding_in_the_sum(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    _, maximum, last = pool_over_time(states, valid_length)
    return states.sum(axis=1) / valid_length[:, None], maximum, last


def padding_in_the_maximum(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    mean, _, last = pool_over_time(states, valid_length)
    return mean, states.max(axis=1), last


def zeros_in_the_maximum(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    mean, _, last = pool_over_time(states, valid_length)
    mask = _valid(states.shape[1], valid_length)[..., None]
    return mean, np.where(mask, states, 0).max(axis=1), last


def last_at_the_padded_end(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    mean, maximum, _ = pool_over_time(states, valid_length)
    return mean, maximum, states[:, -1]


def last_one_too_far(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    mean, maximum, _ = pool_over_time(states, valid_length)
    place = np.minimum(valid_length, states.shape[1] - 1)
    return mean, maximum, states[np.arange(len(states)), place]


def last_of_the_first_review(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    mean, maximum, _ = pool_over_time(states, valid_length)
    return mean, maximum, states[:, int(valid_length[0]) - 1]


def everything_counts(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    return states.mean(axis=1), states.max(axis=1), states[:, -1]


def padding_counts_as_zero(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    return everything_counts(states * _valid(states.shape[1], valid_length)[..., None], valid_length)


def padding_in_mean_and_maximum(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    return states.mean(axis=1), states.max(axis=1), pool_over_time(states, valid_length)[2]


def zeros_in_the_maximum_and_the_padded_end(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    mean, maximum, _ = zeros_in_the_maximum(states, valid_length)
    return mean, maximum, states[:, -1]


def one_padding_step_counts(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    mask = _valid(states.shape[1], valid_length + 1)[..., None]
    maximum = np.where(mask, states, -np.inf).max(axis=1)
    last = pool_over_time(states, valid_length)[2]
    return (states * mask).sum(axis=1) / valid_length[:, None], maximum, last


def divided_by_the_longest(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    mean, maximum, last = pool_over_time(states, valid_length)
    return mean * valid_length[:, None] / valid_length.max(), maximum, last


def sum_not_divided(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    mean, maximum, last = pool_over_time(states, valid_length)
    return mean * valid_length[:, None], maximum, last


def largest_size(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    mean, _, last = pool_over_time(states, valid_length)
    return mean, np.abs(states * _valid(states.shape[1], valid_length)[..., None]).max(axis=1), last


def minimum_taken(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    mean, maximum, last = pool_over_time(-states, valid_length)
    return -mean, -maximum, -last


def first_as_last(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    mean, maximum, _ = pool_over_time(states, valid_length)
    return mean, maximum, states[:, 0]


def last_one_too_early(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    mean, maximum, _ = pool_over_time(states, valid_length)
    return mean, maximum, states[np.arange(len(states)), valid_length - 2]


def padded_end_is_zero(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    mean, maximum, _ = pool_over_time(states, valid_length)
    return mean, maximum, states[:, -1] * (valid_length == states.shape[1])[:, None]


def mean_and_maximum_exchanged(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    mean, maximum, last = pool_over_time(states, valid_length)
    return maximum, mean, last


def maximum_and_last_exchanged(states: np.ndarray, valid_length: np.ndarray) -> Pooled:
    mean, maximum, last = pool_over_time(states, valid_length)
    return mean, last, maximum


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


def _inside(states: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    """(batch, num_sentences, num_steps), true where there is a word."""
    return np.asarray(np.arange(states.shape[2]) < valid_length[..., None])


def _sentences(states: np.ndarray, word_weights: np.ndarray) -> np.ndarray:
    return np.einsum("bst,bstf->bsf", word_weights, states)


def _right_sentences(states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray) -> np.ndarray:
    return _sentences(states, masked_softmax_or_zero(states @ word_query, valid_length))


def _context(sentence_weights: np.ndarray, sentences: np.ndarray) -> np.ndarray:
    return np.einsum("bs,bsf->bf", sentence_weights, sentences)


def _over_sentences(valid_length: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """As the frameworks compute it: one NaN makes a whole review NaN."""
    return softmax(np.where(valid_length > 0, scores, -1e30))


def _upwards(
    states: np.ndarray,
    valid_length: np.ndarray,
    sentence_query: np.ndarray,
    word_weights: np.ndarray,
    sentences: np.ndarray | None = None,
) -> Attended:
    """What follows from weights of words, or from sentence vectors, where the second level is right."""
    sentences = _sentences(states, word_weights) if sentences is None else sentences
    weights = _over_sentences(valid_length, sentences @ sentence_query)
    return _context(weights, sentences), weights, word_weights


def _with_sentence_weights(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, weights: np.ndarray
) -> Attended:
    """What follows from weights of sentences, where the first level is right."""
    word_weights = masked_softmax_or_zero(states @ word_query, valid_length)
    return _context(weights, _sentences(states, word_weights)), weights, word_weights


def _with_context(
    states: np.ndarray,
    valid_length: np.ndarray,
    word_query: np.ndarray,
    sentence_query: np.ndarray,
    context: np.ndarray,
) -> Attended:
    return (context, *hierarchical_attention(states, valid_length, word_query, sentence_query)[1:])


def words_not_masked(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return _upwards(states, valid_length, sentence_query, softmax(states @ word_query))


def words_masked_too_late(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return _upwards(
        states, valid_length, sentence_query, softmax(states @ word_query) * _inside(states, valid_length)
    )


def words_divided_too_late(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return _upwards(
        states,
        valid_length,
        sentence_query,
        shared_anew(softmax(states @ word_query) * _inside(states, valid_length)),
    )


def words_divided_by_zero(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    weights = softmax(states @ word_query) * _inside(states, valid_length)
    return _upwards(states, valid_length, sentence_query, weights / weights.sum(axis=-1, keepdims=True))


def empty_sentence_is_nan(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    weights = masked_softmax_or_zero(states @ word_query, valid_length)
    return _upwards(
        states, valid_length, sentence_query, np.where(valid_length[..., None] > 0, weights, np.nan)
    )


def empty_sentence_has_equal_weights(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    weights = masked_softmax_or_zero(states @ word_query, valid_length)
    return _upwards(
        states,
        valid_length,
        sentence_query,
        np.where(valid_length[..., None] > 0, weights, 1 / states.shape[2]),
    )


def one_padding_word_counts(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return _upwards(
        states, valid_length, sentence_query, masked_softmax_or_zero(states @ word_query, valid_length + 1)
    )


def last_word_forgotten(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return _upwards(
        states, valid_length, sentence_query, masked_softmax_or_zero(states @ word_query, valid_length - 1)
    )


def word_mask_inverted(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    num_steps = states.shape[2]
    # Read backwards, the padding stands before the words.
    weights = masked_softmax_or_zero((states @ word_query)[..., ::-1], num_steps - valid_length)
    return _upwards(states, valid_length, sentence_query, weights[..., ::-1])


def words_masked_with_zero(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return _upwards(
        states,
        valid_length,
        sentence_query,
        softmax(np.where(_inside(states, valid_length), states @ word_query, 0)),
    )


def lengths_have_no_effect(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    everything = np.full_like(valid_length, states.shape[2])
    return hierarchical_attention(states, everything, word_query, sentence_query)


def lengths_of_the_first_review(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    first = np.broadcast_to(valid_length[:1], valid_length.shape)
    return hierarchical_attention(states, first, word_query, sentence_query)


def empty_sentence_takes_part(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return _with_sentence_weights(
        states,
        valid_length,
        word_query,
        softmax(_right_sentences(states, valid_length, word_query) @ sentence_query),
    )


def sentences_masked_too_late(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return _with_sentence_weights(
        states,
        valid_length,
        word_query,
        softmax(_right_sentences(states, valid_length, word_query) @ sentence_query) * (valid_length > 0),
    )


def sentences_divided_too_late(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    weights = softmax(_right_sentences(states, valid_length, word_query) @ sentence_query) * (
        valid_length > 0
    )
    return _with_sentence_weights(states, valid_length, word_query, shared_anew(weights))


def empty_sentences_come_last(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    count = (valid_length > 0).sum(axis=1, keepdims=True)
    mask = np.arange(states.shape[1]) < count
    return _with_sentence_weights(
        states,
        valid_length,
        word_query,
        masked_weights(_right_sentences(states, valid_length, word_query) @ sentence_query, mask),
    )


def word_query_for_both(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return hierarchical_attention(states, valid_length, word_query, word_query)


def sentence_query_for_both(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return hierarchical_attention(states, valid_length, sentence_query, sentence_query)


def queries_interchanged(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return hierarchical_attention(states, valid_length, sentence_query, word_query)


def word_softmax_over_the_sentences(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    filled = np.where(_inside(states, valid_length), states @ word_query, -1e30)
    return _upwards(
        states,
        valid_length,
        sentence_query,
        softmax(filled.swapaxes(1, 2)).swapaxes(1, 2) * _inside(states, valid_length),
    )


def one_softmax_over_all_words(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    filled = np.where(_inside(states, valid_length), states @ word_query, -1e30)
    return _upwards(
        states, valid_length, sentence_query, softmax(filled.reshape(len(filled), -1)).reshape(filled.shape)
    )


def sentence_softmax_over_the_reviews(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    filled = np.where(
        valid_length > 0, _right_sentences(states, valid_length, word_query) @ sentence_query, -1e30
    )
    return _with_sentence_weights(states, valid_length, word_query, softmax(filled.T).T)


def _mean_of_words(states: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return _sentences(states, shared_anew(_inside(states, valid_length).astype(float)))


def words_averaged(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return _upwards(
        states,
        valid_length,
        sentence_query,
        masked_softmax_or_zero(states @ word_query, valid_length),
        _mean_of_words(states, valid_length),
    )


def word_scores_ignored(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return _upwards(
        states, valid_length, sentence_query, shared_anew(_inside(states, valid_length).astype(float))
    )


def sentences_averaged(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    count = (valid_length > 0).sum(axis=1, keepdims=True)
    return _with_context(
        states,
        valid_length,
        word_query,
        sentence_query,
        _right_sentences(states, valid_length, word_query).sum(axis=1) / count,
    )


def all_sentences_averaged(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return _with_context(
        states,
        valid_length,
        word_query,
        sentence_query,
        _right_sentences(states, valid_length, word_query).mean(axis=1),
    )


def sentences_added_up(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return _with_context(
        states,
        valid_length,
        word_query,
        sentence_query,
        _right_sentences(states, valid_length, word_query).sum(axis=1),
    )


def sentence_scores_ignored(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return hierarchical_attention(states, valid_length, word_query, 0 * sentence_query)


def best_sentence_alone(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    best = hierarchical_attention(states, valid_length, word_query, sentence_query)[1].argmax(axis=1)
    return _with_context(
        states,
        valid_length,
        word_query,
        sentence_query,
        _right_sentences(states, valid_length, word_query)[np.arange(len(best)), best],
    )


def scores_scaled(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    root = math.sqrt(states.shape[-1])
    return hierarchical_attention(states, valid_length, word_query / root, sentence_query / root)


def sigmoid_of_each_sentence(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    scores = _right_sentences(states, valid_length, word_query) @ sentence_query
    return _with_sentence_weights(
        states, valid_length, word_query, (valid_length > 0) / (1 + np.exp(-scores))
    )


def divided_by_the_number_of_words(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    sentences = _right_sentences(states, valid_length, word_query) / np.maximum(valid_length, 1)[..., None]
    return _upwards(
        states,
        valid_length,
        sentence_query,
        masked_softmax_or_zero(states @ word_query, valid_length),
        sentences,
    )


def weights_in_the_review(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    context, sentence_weights, word_weights = hierarchical_attention(
        states, valid_length, word_query, sentence_query
    )
    return context, sentence_weights, sentence_weights[..., None] * word_weights


def tanh_before_the_scores(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    word_weights = masked_softmax_or_zero(np.tanh(states) @ word_query, valid_length)
    sentences = _sentences(states, word_weights)
    weights = _over_sentences(valid_length, np.tanh(sentences) @ sentence_query)
    return _context(weights, sentences), weights, word_weights


def sentences_scored_by_their_mean(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return _with_sentence_weights(
        states,
        valid_length,
        word_query,
        _over_sentences(valid_length, _mean_of_words(states, valid_length) @ sentence_query),
    )


def weights_by_length(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> Attended:
    return _with_sentence_weights(states, valid_length, word_query, shared_anew(valid_length.astype(float)))


def _nothing_outside(run: Call, case: Case) -> str | None:
    _, sentence_weights, word_weights = run(case)
    lengths = case.inputs["valid_length"]
    words = np.arange(word_weights.shape[2]) < lengths[..., None]
    found = weight_outside(word_weights, words, "beyond its sentence")
    return found or weight_outside(sentence_weights, lengths > 0, "on a sentence without words")


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
    """The same where padding scores far above the words, so that a mask after the softmax leaves nothing."""
    states, lengths = case.inputs["states"], case.inputs["valid_length"]
    beyond = np.arange(states.shape[2]) - lengths[..., None] + 1
    states[..., 0] = 1000 * np.maximum(beyond, 0)
    case.inputs["word_query"][0], case.inputs["sentence_query"][0] = 1, 0
    return case


def _with_low_sentences(case: Case) -> Case:
    """The same where all sentences score far below the 0 of one without words, each far from the others."""
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
        misconceptions=(
            Misconception(
                padding_in_the_mean,
                "The mean runs over the padding too: a short review is diluted by states of words that are "
                "not there. Set them to zero, sum, and divide by the valid length.",
            ),
            Misconception(
                divided_by_all_steps,
                "The padding is left out of the sum and still counted in the divisor, so a short review gets "
                "a small mean. Divide by the valid length, not by num_steps.",
            ),
            Misconception(
                padding_in_the_sum,
                "The divisor is the valid length, as is right, but the sum still holds the states of the padding. Mask before you sum.",
            ),
            Misconception(
                padding_in_the_maximum,
                "The maximum may come from the padding. Fill the padding with a very negative number first.",
            ),
            Misconception(
                zeros_in_the_maximum,
                "The padding takes part in the maximum as 0, and 0 is larger than any negative state. Fill "
                "it with a very negative number instead.",
            ),
            Misconception(
                last_at_the_padded_end,
                "The last state is taken at the end of the padded row, where a short review has only "
                "padding. Its last word stands at valid_length - 1.",
            ),
            Misconception(
                last_one_too_far,
                "The last state is taken one step too far: positions count from 0, so it stands at "
                "valid_length - 1.",
            ),
            Misconception(
                last_of_the_first_review,
                "Every review's last state is taken where the first review ends. Each has a length of its own.",
            ),
            Misconception(
                everything_counts,
                "valid_length has no effect: mean, maximum and last state all see the padding.",
            ),
            Misconception(
                padding_counts_as_zero,
                "Padding counts as steps of zeros: the mean is divided by them too, 0 is larger than a negative state, and the last step is one of them. Take sum, maximum and last step of the valid states alone.",
            ),
            Misconception(
                padding_in_mean_and_maximum,
                "Padding takes part in the mean and in the maximum; only the last is taken at the length. Mask the states for both, with minus infinity for the maximum.",
            ),
            Misconception(
                zeros_in_the_maximum_and_the_padded_end,
                "Two things: padding counts as 0 in the maximum, which is wrong where all states are negative; and the last state is that of the padded end. Fill with minus infinity, and take step valid_length - 1.",
            ),
            Misconception(
                one_padding_step_counts,
                "The mask lets in the first step of the padding. Positions count from 0: those below valid_length are there.",
            ),
            Misconception(
                divided_by_the_longest,
                "The sums are all divided by the longest length. Each review is divided by its own.",
            ),
            Misconception(
                sum_not_divided,
                "The first is the sum of the states. The mean divides it by the review's length.",
            ),
            Misconception(
                largest_size,
                "This is the maximum of the absolute values. The largest state may be negative, where all are.",
            ),
            Misconception(
                minimum_taken,
                "These are the smallest entries in the place of the largest.",
            ),
            Misconception(
                first_as_last,
                "The last is the first state of each review. It stands at valid_length - 1.",
            ),
            Misconception(
                last_one_too_early,
                "The last is taken one step too early: it stands at valid_length - 1, since positions count from 0.",
            ),
            Misconception(
                padded_end_is_zero,
                "The last is taken at the padded end after padding was set to zero, so it is 0 for every review but the longest. It stands at valid_length - 1.",
            ),
            Misconception(
                mean_and_maximum_exchanged,
                "Mean and maximum are returned in each other's place: the order is mean, maximum, last.",
            ),
            Misconception(
                maximum_and_last_exchanged,
                "Maximum and last are returned in each other's place: the order is mean, maximum, last.",
            ),
        ),
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
            "Attend over the words of each sentence, then over the sentences of each review, without a loop over "
            "either. The score of a word is the dot product of its state with `word_query`; the softmax of the scores "
            "of a sentence gives the weights of its words, and the sum of its states, each times its weight, is the "
            "vector of the sentence. Do the same with the vectors of the sentences and `sentence_query`."
        ),
        rules=(
            "Padding has a weight of exactly 0. So has a sentence with a length of 0, and each of its words; it may "
            "stand anywhere in a review, but each review has a sentence with words.",
            "The `word_weights` are those within a sentence.",
            LOOP_IS_SHOWN,
        ),
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
        misconceptions=(
            Misconception(
                words_not_masked,
                "The words of a sentence are not masked: its padding gets weights, and its states enter the sentence. Mask the scores beyond valid_length before the softmax.",
            ),
            Misconception(
                words_masked_too_late,
                "The words are masked after the softmax, so the weights of the words that remain no longer sum to 1: mask the scores, then take the softmax.",
            ),
            Misconception(
                words_divided_too_late,
                "The words are masked after the softmax, and the weights divided by their sum: where padding scores far above the words, nothing is left to divide. Mask the scores, then take the softmax.",
            ),
            Misconception(
                words_divided_by_zero,
                "The words are masked after the softmax, and the weights divided by their sum, which is 0 for a sentence without words: 0 divided by 0 is NaN. Mask the scores before the softmax, and multiply its result by the mask.",
            ),
            Misconception(
                empty_sentence_is_nan,
                "A sentence without words is NaN: all its scores are minus infinity, and the softmax divides 0 by 0. A weight of 0 does not help, since 0 times NaN is NaN. Fill with a very negative number, and multiply the weights by the mask.",
            ),
            Misconception(
                empty_sentence_has_equal_weights,
                "The words of a sentence without words all have the same weight: a softmax of equal numbers, however low, is uniform. Multiply the weights by the mask.",
            ),
            Misconception(
                one_padding_word_counts,
                "The first padding word of each sentence counts. Positions count from 0: those below valid_length are there.",
            ),
            Misconception(
                last_word_forgotten,
                "The last word of each sentence is taken for padding. Positions count from 0: all below valid_length are there.",
            ),
            Misconception(
                word_mask_inverted,
                "The mask of the words is inverted: padding gets the weight, and the words none.",
            ),
            Misconception(
                words_masked_with_zero,
                "Masked scores of words are set to 0, and exp(0) is 1, so padding still takes part: use a very negative number.",
            ),
            Misconception(
                lengths_have_no_effect,
                "The valid_length has no effect: padding takes part in its sentence, and sentences without words in the review.",
            ),
            Misconception(
                lengths_of_the_first_review,
                "All reviews are masked by the lengths of the first one. Each has lengths of its own.",
            ),
            Misconception(
                empty_sentence_takes_part,
                "A sentence without words takes part: its vector is 0, so its score is 0, and exp(0) is 1. Mask the scores of the sentences, too.",
            ),
            Misconception(
                sentences_masked_too_late,
                "The sentences are masked after the softmax, so the weights of those that remain no longer sum to 1: mask their scores, then take the softmax.",
            ),
            Misconception(
                sentences_divided_too_late,
                "The sentences are masked after the softmax, and the weights divided by their sum: where all sentences score far below the 0 of one without words, nothing is left to divide. Mask the scores, then take the softmax.",
            ),
            Misconception(
                empty_sentences_come_last,
                "All sentences behind the number of those with words are masked. A sentence without words may stand anywhere: it is where its own valid_length is 0.",
            ),
            Misconception(
                word_query_for_both,
                "The sentences are scored with word_query. They have a query of their own, sentence_query.",
            ),
            Misconception(
                sentence_query_for_both,
                "The words are scored with sentence_query. They have a query of their own, word_query.",
            ),
            Misconception(
                queries_interchanged,
                "The queries are interchanged: word_query scores the words, sentence_query the sentences.",
            ),
            Misconception(
                word_softmax_over_the_sentences,
                "The softmax of the words runs over the sentences: it compares the words that stand at the same place. Take it over the words of a sentence, the last axis.",
            ),
            Misconception(
                one_softmax_over_all_words,
                "One softmax runs over all words of a review, so the weights within a sentence do not sum to 1. Take one for each sentence.",
            ),
            Misconception(
                sentence_softmax_over_the_reviews,
                "The softmax of the sentences runs over the reviews of the batch, which have nothing to do with each other. Take it over the sentences of a review.",
            ),
            Misconception(
                words_averaged,
                "The weights of the words are right, but the vector of a sentence is the plain mean of its words: multiply each state by its weight, and add up.",
            ),
            Misconception(
                word_scores_ignored,
                "All words of a sentence have the same weight, whatever word_query says: give their scores to the softmax.",
            ),
            Misconception(
                sentences_averaged,
                "The weights of the sentences are right, but the context is the plain mean of the sentences: multiply each vector by its weight, and add up.",
            ),
            Misconception(
                all_sentences_averaged,
                "The context is the plain mean of all sentences, those without words among them: multiply each vector by its weight, and add up.",
            ),
            Misconception(
                sentences_added_up,
                "The context is the sum of the sentences without their weights: multiply each vector by its weight first.",
            ),
            Misconception(
                sentence_scores_ignored,
                "All sentences of a review have the same weight, whatever sentence_query says: give their scores to the softmax.",
            ),
            Misconception(
                best_sentence_alone,
                "The context is the sentence with the largest weight alone. Attention adds up all of them, each times its weight; a choice has no gradient.",
            ),
            Misconception(
                scores_scaled,
                "The scores are divided by the root of the number of features, as in scaled dot-product attention. Here they are plain dot products.",
            ),
            Misconception(
                sigmoid_of_each_sentence,
                "Each sentence gets a sigmoid of its own score, so the weights of a review do not sum to 1: take a softmax over its sentences.",
            ),
            Misconception(
                divided_by_the_number_of_words,
                "The vector of a sentence is divided by the number of its words. The weights sum to 1 already: add the weighted states up.",
            ),
            Misconception(
                weights_in_the_review,
                "The word_weights that you return are multiplied by the weight of the sentence. Asked for are those within each sentence, which sum to 1.",
            ),
            Misconception(
                tanh_before_the_scores,
                "The states go through a tanh before they are scored, as in the paper. Here a score is the dot product of the state itself with the query.",
            ),
            Misconception(
                sentences_scored_by_their_mean,
                "A sentence is scored by the mean of its words. Score the vector that the weights of its words make.",
            ),
            Misconception(
                weights_by_length,
                "The weight of a sentence is its part of the words of the review. Score its vector with sentence_query, and take a softmax over the sentences.",
            ),
        ),
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
