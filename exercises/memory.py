"""Exercises on memory: slots addressed by location, a memory read several times, words copied from a source."""

import numpy as np

from autograder.model.exercise import Argument, Case, Exercise, Output, Property
from exercises.shared import (
    ALL,
    draw_lengths,
    draw_sizes,
    places_beyond,
    raise_scores,
    rows_sum_to_one,
)
from solutions.masked_softmax.in_numpy import softmax
from solutions.memory.in_numpy import (
    copy_distribution,
    location_addressing,
    memory_hops,
)

SLOTS = "(batch, num_slots)"
SUMS = Property("each row must sum to 1", rows_sum_to_one)


# Addressing by location


def _addressing_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        batch: int,
        slots: int,
        gates: tuple[float, float] = (0.25, 0.75),
        sharpness: tuple[float, float] = (1.5, 4),
        gradient: bool = False,
    ) -> Case:
        inputs = {
            "content": softmax(rng.normal(size=(batch, slots))),
            "previous": softmax(rng.normal(size=(batch, slots))),
            "gate": rng.uniform(*gates, size=(batch, 1)),
            "shift": softmax(1.5 * rng.normal(size=(batch, 3))),
            "sharpness": rng.uniform(*sharpness, size=(batch, 1)),
        }
        return Case(note, inputs, gradient=gradient)

    def draw(*typical: int) -> tuple[int, int]:
        batch, slots = draw_sizes(rng, *typical)
        return batch, slots

    return [
        case("everything mixed", *draw(3, 5), gradient=True),
        case("a memory of three slots", *draw(2, 1)[:1], 3, gradient=True),
        case("the gate at 1: content alone", *draw(2, 6), gates=(1, 1)),
        case("the gate at 0: nothing but a step from the previous weights", *draw(2, 7), gates=(0, 0)),
        case("no sharpening", *draw(3, 8), sharpness=(1, 1)),
        case("a single memory", 1, draw(1, 4)[1]),
    ]


# A memory read several times


def _hops_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, hops: int, *typical: int, lengths: bool = False, loud: bool = False, gradient: bool = False
    ) -> Case:
        batch, m, n, d = draw_sizes(rng, *typical)
        queries, keys = 0.6 * rng.normal(size=(batch, m, d)), 0.6 * rng.normal(size=(batch, n, d))
        values = 0.8 * rng.normal(size=(batch, n, d))
        valid_length = draw_lengths(rng, n, batch, among=(1, ALL)) if lengths else None
        if loud and valid_length is not None:
            raise_scores(queries, keys, places_beyond(n, valid_length), width=1)
            values[..., 0] = 0
        inputs = {"queries": queries, "keys": keys, "values": values}
        return Case(note, {**inputs, "hops": hops, "valid_length": valid_length}, gradient=gradient)

    more = int(rng.integers(3, 5))
    return [
        case("two hops", 2, 2, 3, 5, 4, gradient=True),
        case("several hops, ragged lengths", more, 3, 2, 6, 4, lengths=True, gradient=True),
        case("a single hop", 1, 2, 4, 5, 3, lengths=True),
        case("one query", more, 3, 1, 4, 5),
        case("one key", 2, 2, 3, 1, 4),
        case("padding that scores high", 2, 3, 2, 5, 6, lengths=True, loud=True),
    ]


# Generating and copying


def _copy_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        *typical: int,
        new: int,
        first: int = 0,
        gates: tuple[float, float] = (0.2, 0.8),
        gradient: bool = False,
    ) -> Case:
        """typical: batch, positions, words of the vocabulary. first: the smallest word of a source."""
        batch, n, num_words = draw_sizes(rng, *typical)
        size = num_words + new
        tokens = rng.integers(first and num_words, size, size=(batch, n))
        if n > 2:
            # A word that stands there twice, and if there is any, a new one.
            tokens[:, 0] = rng.integers(first and num_words, num_words + (new if first else 0), size=batch)
            tokens[:, 1] = size - 1
            tokens[:, 2] = tokens[:, 0]
            tokens = rng.permuted(tokens, axis=1)
        inputs = {
            "vocabulary": softmax(rng.normal(size=(batch, num_words))),
            "weights": softmax(rng.normal(size=(batch, n))),
            "tokens": tokens,
            "generate": rng.uniform(*gates, size=(batch, 1)),
        }
        return Case(note, {**inputs, "size": size}, gradient=gradient)

    return [
        case("known words and new ones, some of them repeated", 2, 5, 9, new=3, gradient=True),
        case("every word of the source is known", 3, 6, 8, new=0, gradient=True),
        case("every word of the source is new", 2, 4, 10, new=5, first=1),
        case("a source of one word", 3, 1, 6, new=2),
        case("nothing but copies", 2, 7, 11, new=2, gates=(0, 0)),
        case("a single source", 1, 6, 9, new=4),
    ]


EXERCISES = (
    Exercise(
        name="location_addressing",
        title="The slot after the one found",
        statement=(
            "Compute new weights of the slots in three steps: interpolate, shift, sharpen. The slots form a "
            "ring: the slot after the last is the first."
        ),
        conditions={
            "gate": "interpolate: `gate` times the content weights plus 1 − `gate` times the previous ones",
            "shift": (
                "shift: add up the weights moved by −1, by 0 and by +1 slots, each times its number; +1 moves "
                "the weight of slot i to slot i + 1"
            ),
            "sharpness": "sharpen: raise to this power, and divide by the sum over the slots",
        },
        entry="location_addressing",
        arguments=(
            Argument("content", SLOTS),
            Argument("previous", SLOTS),
            Argument("gate", "(batch, 1), between 0 and 1"),
            Argument("shift", "(batch, 3), for the shifts −1, 0 and +1, with the sum 1"),
            Argument("sharpness", "(batch, 1), at least 1"),
        ),
        returns=(Output("weights", SLOTS),),
        reference=location_addressing,
        hints=(
            "Each step makes new weights from those of the step before.",
            "A row moved by +1 is its last entry followed by the others: [`roll`]{.torch}[ in PyTorch, ]{.both}"
            "[two slices and `nd.concat`]{.mxnet}[ in MXNet]{.both}.",
            "The column `shift[:, 0:1]` multiplies the weights moved by −1, `shift[:, 1:2]` those that stay, and "
            "`shift[:, 2:3]` those moved by +1. Keep the axis of the slots when you sum.",
        ),
        cases=_addressing_cases,
        properties=(SUMS,),
        difficulty=3,
        minutes=20,
        points=2,
    ),
    Exercise(
        name="memory_hops",
        title="Read, add, read again",
        statement=(
            "Read a memory several times. Each hop takes the softmax, over the keys, of the dot products of "
            "state and keys, and adds the weighted sum of the values to the state. Return the state after the "
            "last hop."
        ),
        conditions={
            "queries": "the first state",
            "keys": "shared by all hops; the dot products are not scaled",
            "values": "shared by all hops",
            "valid_length": "each at least 1; keys beyond it do not count; with `None` all count",
        },
        entry="memory_hops",
        arguments=(
            Argument("queries", "(batch, num_queries, d)"),
            Argument("keys", "(batch, num_keys, d)"),
            Argument("values", "(batch, num_keys, d)"),
            Argument("hops", "int, at least 1"),
            Argument("valid_length", "None or (batch,)"),
        ),
        returns=(Output("state", "(batch, num_queries, d)"),),
        reference=memory_hops,
        builds_on=("masked_softmax",),
        helpers=("masked_softmax",),
        hints=(
            "One hop is an attention whose query is the state.",
            "Scores, softmax and weighted sum all stand inside the loop: the scores change with the state.",
            "`scores = state times keys transposed`, `weights = masked_softmax(scores, valid_length)`, "
            "`state = state + weights times values`.",
        ),
        cases=_hops_cases,
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="copy_distribution",
        title="Generate or copy",
        statement=(
            "Mix two distributions over words: `generate` times that of the vocabulary, plus 1 − `generate` "
            "times that of copying, in which the probability of a word is the sum of the attention weights of "
            "all positions of the source where it stands."
        ),
        conditions={
            "tokens": (
                "whole numbers below `size`; those below `vocabulary_size` are the words of the vocabulary, "
                "the others stand in the source only"
            ),
            "returns distribution": "the vocabulary gives the probability 0 to words from `vocabulary_size` on",
        },
        entry="copy_distribution",
        arguments=(
            Argument("vocabulary", "(batch, vocabulary_size), each row with the sum 1"),
            Argument("weights", "(batch, num_keys), attention weights"),
            Argument("tokens", "(batch, num_keys), the words of the source"),
            Argument("generate", "(batch, 1), between 0 and 1"),
            Argument("size", "int, at least vocabulary_size"),
        ),
        returns=(Output("distribution", "(batch, size)"),),
        reference=copy_distribution,
        hints=(
            "Make two arrays of the shape (batch, size): one from the vocabulary, one from the weights.",
            "The vocabulary gets zeros after it, for the words that it does not have. Each weight is added at the "
            "number of its token.",
            "[`torch.zeros(batch, size).scatter_add(1, tokens, weights)` adds up.]{.torch} "
            "[In MXNet multiply the weights by `nd.one_hot(tokens, size)`.]{.mxnet}",
        ),
        cases=_copy_cases,
        properties=(SUMS,),
        difficulty=3,
        minutes=20,
        points=2,
    ),
)
