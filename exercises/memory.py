"""Exercises on memory: slots addressed by location, a memory read several times, words copied from a source."""

from collections.abc import Callable

import numpy as np

from autograder.model.exercise import Argument, Case, Exercise, Misconception, Output, Property
from exercises.shared import (
    ALL,
    MASK_TOO_LATE,
    OVER_QUERIES,
    RENORMALISED_TOO_LATE,
    Array,
    Lengths,
    draw_lengths,
    draw_sizes,
    mask_after_softmax,
    mask_of,
    renormalised_too_late,
    rows_sum_to_one,
    softmax_over_queries,
)
from solutions.masked_softmax.in_numpy import masked_softmax, softmax
from solutions.memory.in_numpy import (
    copied,
    copy_distribution,
    location_addressing,
    memory_hops,
    sharpened,
)

SLOTS = "(batch, num_slots)"
SUMS = Property("each row must sum to 1", rows_sum_to_one)


# Addressing by location


def _mixed(content: Array, previous: Array, gate: Array) -> Array:
    return np.asarray(gate * content + (1 - gate) * previous)


def _shifted(weights: Array, shift: Array, steps: tuple[int, ...] = (-1, 0, 1)) -> Array:
    """Each slot's weight moved around the ring by each number of steps, in the given shares."""
    moved = [shift[:, [i]] * np.roll(weights, step, axis=1) for i, step in enumerate(steps)]
    return np.sum(moved, axis=0)


def gate_reversed(content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array) -> Array:
    return location_addressing(previous, content, gate, shift, sharpness)


def shift_reversed(content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array) -> Array:
    return location_addressing(content, previous, gate, shift[:, ::-1], sharpness)


def shifts_from_zero(content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array) -> Array:
    return sharpened(_shifted(_mixed(content, previous, gate), shift, (0, 1, 2)), sharpness)


def minus_one_comes_last(
    content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array
) -> Array:
    return sharpened(_shifted(_mixed(content, previous, gate), shift, (0, 1, -1)), sharpness)


def lost_at_the_ends(content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array) -> Array:
    mixed = _mixed(content, previous, gate)
    down, up = np.roll(mixed, -1, axis=1), np.roll(mixed, 1, axis=1)
    down[:, -1], up[:, 0] = 0, 0
    return sharpened(shift[:, :1] * down + shift[:, 1:2] * mixed + shift[:, 2:] * up, sharpness)


def kept_at_the_ends(content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array) -> Array:
    mixed = _mixed(content, previous, gate)
    wide = np.pad(mixed, ((0, 0), (1, 1)))
    down, up = wide[:, 2:].copy(), wide[:, :-2].copy()
    down[:, 0] += mixed[:, 0]
    up[:, -1] += mixed[:, -1]
    return sharpened(shift[:, :1] * down + shift[:, 1:2] * mixed + shift[:, 2:] * up, sharpness)


def rows_run_into_each_other(
    content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array
) -> Array:
    mixed = _mixed(content, previous, gate)
    down, up = np.roll(mixed, -1), np.roll(mixed, 1)
    return sharpened(shift[:, :1] * down + shift[:, 1:2] * mixed + shift[:, 2:] * up, sharpness)


def moved_along_the_batch(
    content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array
) -> Array:
    mixed = _mixed(content, previous, gate)
    down, up = np.roll(mixed, -1, axis=0), np.roll(mixed, 1, axis=0)
    return sharpened(shift[:, :1] * down + shift[:, 1:2] * mixed + shift[:, 2:] * up, sharpness)


def likeliest_shift_alone(
    content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array
) -> Array:
    return location_addressing(content, previous, gate, np.eye(3)[shift.argmax(axis=1)], sharpness)


def shift_left_out(content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array) -> Array:
    return sharpened(_mixed(content, previous, gate), sharpness)


def only_previous_shifted(
    content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array
) -> Array:
    return sharpened(_mixed(content, _shifted(previous, shift), gate), sharpness)


def only_content_shifted(
    content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array
) -> Array:
    return sharpened(_mixed(_shifted(content, shift), previous, gate), sharpness)


def sharpened_first(content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array) -> Array:
    return _shifted(sharpened(_mixed(content, previous, gate), sharpness), shift)


def not_divided(content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array) -> Array:
    return np.asarray(_shifted(_mixed(content, previous, gate), shift) ** sharpness)


def sharpened_by_a_softmax(
    content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array
) -> Array:
    return softmax(sharpness * _shifted(_mixed(content, previous, gate), shift))


def sharpness_left_out(content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array) -> Array:
    return _shifted(_mixed(content, previous, gate), shift)


def root_for_power(content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array) -> Array:
    return location_addressing(content, previous, gate, shift, 1 / sharpness)


def gate_decides(content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array) -> Array:
    return location_addressing(content, previous, (gate > 0.5).astype(float), shift, sharpness)


def previous_left_out(content: Array, previous: Array, gate: Array, shift: Array, sharpness: Array) -> Array:
    return location_addressing(content, content, gate, shift, sharpness)


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

    def drawn(*typical: int) -> tuple[int, int]:
        batch, slots = draw_sizes(rng, *typical)
        return batch, slots

    return [
        case("everything mixed", *drawn(3, 5), gradient=True),
        case("a memory of three slots", *drawn(2, 1)[:1], 3, gradient=True),
        case("the gate at 1: content alone", *drawn(2, 6), gates=(1, 1)),
        case("the gate at 0: nothing but a step from the previous weights", *drawn(2, 7), gates=(0, 0)),
        case("no sharpening", *drawn(3, 8), sharpness=(1, 1)),
        case("a single memory", 1, drawn(1, 4)[1]),
    ]


# A memory read several times


def _scores(state: Array, keys: Array) -> Array:
    return np.asarray(state @ np.swapaxes(keys, 1, 2))


def _hopped(
    queries: Array,
    keys: Array,
    values: Array,
    hops: int,
    valid_length: Lengths,
    weigh: Callable[[Array, Lengths], Array],
) -> Array:
    """The same with other weights in the place of the masked softmax of the scores."""
    state = queries
    for _ in range(hops):
        state = state + weigh(_scores(state, keys), valid_length) @ values
    return state


def _readings(
    queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths
) -> tuple[Array, Array]:
    """What the last hop read, and the sum of what all of them read."""
    state, read = queries, np.zeros_like(queries)
    for _ in range(hops):
        read = masked_softmax(_scores(state, keys), valid_length) @ values
        state = state + read
    return read, state - queries


def state_replaced(queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths) -> Array:
    state = queries
    for _ in range(hops):
        state = masked_softmax(_scores(state, keys), valid_length) @ values
    return state


def same_query_each_time(
    queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths
) -> Array:
    weights = masked_softmax(_scores(queries, keys), valid_length)
    return np.asarray(queries + hops * (weights @ values))


def added_to_the_query(queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths) -> Array:
    state = queries
    for _ in range(hops):
        state = queries + masked_softmax(_scores(state, keys), valid_length) @ values
    return state


def last_reading_alone(queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths) -> Array:
    return _readings(queries, keys, values, hops, valid_length)[0]


def query_left_out(queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths) -> Array:
    return _readings(queries, keys, values, hops, valid_length)[1]


def readings_averaged(queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths) -> Array:
    return np.asarray(queries + _readings(queries, keys, values, hops, valid_length)[1] / hops)


def one_hop_only(queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths) -> Array:
    return memory_hops(queries, keys, values, 1, valid_length)


def one_hop_too_many(queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths) -> Array:
    return memory_hops(queries, keys, values, hops + 1, valid_length)


def one_hop_too_few(queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths) -> Array:
    return memory_hops(queries, keys, values, hops - 1, valid_length)


def scores_scaled(queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths) -> Array:
    return memory_hops(queries, keys / np.sqrt(keys.shape[-1]), values, hops, valid_length)


def keys_averaged(queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths) -> Array:
    return memory_hops(queries, keys, keys, hops, valid_length)


def values_compared(queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths) -> Array:
    return memory_hops(queries, values, values, hops, valid_length)


def length_ignored(queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths) -> Array:
    return memory_hops(queries, keys, values, hops, None)


def length_in_the_first_hop(
    queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths
) -> Array:
    return memory_hops(memory_hops(queries, keys, values, 1, valid_length), keys, values, hops - 1, None)


def over_the_queries(queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths) -> Array:
    return _hopped(queries, keys, values, hops, valid_length, softmax_over_queries)


def masked_too_late(queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths) -> Array:
    return _hopped(queries, keys, values, hops, valid_length, mask_after_softmax)


def renormalised(queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths) -> Array:
    return _hopped(queries, keys, values, hops, valid_length, renormalised_too_late)


def _plain_scores(scores: Array, valid_length: Lengths) -> Array:
    return np.asarray(scores * mask_of(scores, valid_length))


def softmax_left_out(queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths) -> Array:
    return _hopped(queries, keys, values, hops, valid_length, _plain_scores)


def _best(scores: Array, valid_length: Lengths) -> Array:
    weights = masked_softmax(scores, valid_length)
    return np.eye(scores.shape[-1])[weights.argmax(axis=-1)]


def only_the_best_slot(queries: Array, keys: Array, values: Array, hops: int, valid_length: Lengths) -> Array:
    return _hopped(queries, keys, values, hops, valid_length, _best)


def _hops_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, hops: int, *typical: int, lengths: bool = False, loud: bool = False, gradient: bool = False
    ) -> Case:
        batch, m, n, d = draw_sizes(rng, *typical)
        queries, keys = 0.6 * rng.normal(size=(batch, m, d)), 0.6 * rng.normal(size=(batch, n, d))
        values = 0.8 * rng.normal(size=(batch, n, d))
        valid_length = draw_lengths(rng, n, batch, among=(1, ALL)) if lengths else None
        if loud and valid_length is not None:
            # The first feature is for padding alone, each key of which scores far above the one before.
            queries[..., 0], values[..., 0] = 1, 0
            keys[..., 0] = 1000 * np.maximum(np.arange(n) - valid_length[:, None] + 1, 0)
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


def _known(vocabulary: Array, size: int) -> Array:
    return np.pad(vocabulary, ((0, 0), (0, size - vocabulary.shape[1])))


def _mixture(vocabulary: Array, copy: Array, generate: Array) -> Array:
    return np.asarray(generate * _known(vocabulary, copy.shape[1]) + (1 - generate) * copy)


def _by_word(weights: Array, tokens: Array, size: int, gather: Callable[[Array], float]) -> Array:
    """One number for each word, made of the weights of all positions where it stands; 0 where it does not."""
    copy = np.zeros((len(tokens), size))
    for row, (weight, words) in enumerate(zip(weights, tokens, strict=True)):
        for word in np.unique(words):
            copy[row, word] = gather(weight[words == word])
    return copy


def last_weight_only(vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int) -> Array:
    return _mixture(vocabulary, _by_word(weights, tokens, size, lambda w: w[-1]), generate)


def largest_weight_only(
    vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int
) -> Array:
    return _mixture(vocabulary, _by_word(weights, tokens, size, np.max), generate)


def repeats_averaged(vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int) -> Array:
    return _mixture(vocabulary, _by_word(weights, tokens, size, np.mean), generate)


def occurrences_counted(
    vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int
) -> Array:
    return copy_distribution(vocabulary, np.full(weights.shape, 1 / weights.shape[1]), tokens, generate, size)


def best_word_alone(vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int) -> Array:
    return copy_distribution(
        vocabulary, np.eye(weights.shape[1])[weights.argmax(axis=1)], tokens, generate, size
    )


def weights_by_position(
    vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int
) -> Array:
    places = np.broadcast_to(np.arange(weights.shape[1]), weights.shape)
    return copy_distribution(vocabulary, weights, places, generate, size)


def gate_on_the_copy(vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int) -> Array:
    return copy_distribution(vocabulary, weights, tokens, 1 - generate, size)


def gate_left_out(vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int) -> Array:
    return _known(vocabulary, size) + copied(weights, tokens, size)


def halves(vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int) -> Array:
    return gate_left_out(vocabulary, weights, tokens, generate, size) / 2


def copy_not_gated(vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int) -> Array:
    return np.asarray(generate * _known(vocabulary, size) + copied(weights, tokens, size))


def gate_decides_alone(vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int) -> Array:
    return copy_distribution(vocabulary, weights, tokens, (generate > 0.5).astype(float), size)


def new_words_lost(vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int) -> Array:
    mixed = copy_distribution(vocabulary, weights, tokens, generate, size)
    return np.asarray(mixed * (np.arange(size) < vocabulary.shape[1]))


def new_words_are_word_zero(
    vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int
) -> Array:
    inside = np.where(tokens < vocabulary.shape[1], tokens, 0)
    return copy_distribution(vocabulary, weights, inside, generate, size)


def new_words_are_the_last_word(
    vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int
) -> Array:
    inside = np.minimum(tokens, vocabulary.shape[1] - 1)
    return copy_distribution(vocabulary, weights, inside, generate, size)


def copied_over_the_vocabulary(
    vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int
) -> Array:
    """As a scatter into the vocabulary's distribution gives it: what stood there is replaced."""
    stands = (tokens[..., None] == np.arange(size)).any(axis=1)
    last = _by_word(weights, tokens, size, lambda w: w[-1])
    return np.where(stands, (1 - generate) * last, generate * _known(vocabulary, size))


def known_words_not_copied(
    vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int
) -> Array:
    copy = copied(weights, tokens, size) * (np.arange(size) >= vocabulary.shape[1])
    return _mixture(vocabulary, copy, generate)


def softmax_of_the_mixture(
    vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int
) -> Array:
    return softmax(copy_distribution(vocabulary, weights, tokens, generate, size))


def larger_of_the_two(vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int) -> Array:
    return np.maximum(generate * _known(vocabulary, size), (1 - generate) * copied(weights, tokens, size))


def vocabulary_behind_the_new(
    vocabulary: Array, weights: Array, tokens: Array, generate: Array, size: int
) -> Array:
    front = np.pad(vocabulary, ((0, 0), (size - vocabulary.shape[1], 0)))
    return _mixture(front, copied(weights, tokens, size), generate)


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
        batch, n, known = draw_sizes(rng, *typical)
        size = known + new
        tokens = rng.integers(first and known, size, size=(batch, n))
        if n > 2:
            # A word that stands there twice, and if there is any, a new one.
            tokens[:, 0] = rng.integers(first and known, known + (new if first else 0), size=batch)
            tokens[:, 1] = size - 1
            tokens[:, 2] = tokens[:, 0]
            tokens = rng.permuted(tokens, axis=1)
        inputs = {
            "vocabulary": softmax(rng.normal(size=(batch, known))),
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
        statement="Compute new weights of the slots in three steps. Interpolate: `gate` times the content weights "
        "plus 1 − `gate` times the previous ones. Shift: add up the weights moved by −1, by 0 and by +1 slots, each "
        "times its number in `shift`. Sharpen: raise to the power `sharpness`, and divide by the sum over the slots.",
        rules=(
            "The slots form a ring: the slot after the last is the first. A shift of +1 moves the weight of slot "
            "i to slot i + 1.",
        ),
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
        misconceptions=(
            Misconception(
                gate_reversed,
                "The gate is on the wrong weights: a gate of 1 takes the content weights, a gate of 0 the previous "
                "ones.",
            ),
            Misconception(
                shift_reversed,
                "The weights move the wrong way: a shift of +1 moves the weight of slot i to slot i + 1. So the "
                "new weight of a slot comes from the slot before it.",
            ),
            Misconception(
                shifts_from_zero,
                "The three numbers of `shift` are taken for the shifts 0, 1 and 2. They belong to −1, 0 and +1.",
            ),
            Misconception(
                minus_one_comes_last,
                "The three numbers of `shift` are taken for the shifts 0, +1 and −1, the order of a Fourier "
                "transform. They belong to −1, 0 and +1.",
            ),
            Misconception(
                lost_at_the_ends,
                "What moves beyond the first or the last slot is lost. The slots form a ring: after the last comes "
                "the first.",
            ),
            Misconception(
                kept_at_the_ends,
                "What would move beyond an end stays in the outermost slot. The slots form a ring: after the last "
                "comes the first.",
            ),
            Misconception(
                rows_run_into_each_other,
                "The rows run into each other: what leaves one at its end comes into the next. `roll` without `dims` "
                "rolls the whole array as one long row; name the axis of the slots, 1.",
            ),
            Misconception(
                moved_along_the_batch,
                "The weights move along axis 0, from one batch element to the next. The slots are axis 1.",
            ),
            Misconception(
                likeliest_shift_alone,
                "Only the largest of the three shifts is carried out. All three are, each times its number, and the "
                "results are added up.",
            ),
            Misconception(shift_left_out, "The weights do not move: `shift` has no effect."),
            Misconception(
                only_previous_shifted,
                "Only the previous weights are shifted. Interpolate first, and shift what comes out.",
            ),
            Misconception(
                only_content_shifted,
                "Only the content weights are shifted. Interpolate first, and shift what comes out.",
            ),
            Misconception(
                sharpened_first,
                "The weights are sharpened before they are shifted, so that the shift blurs them again. Sharpen last.",
            ),
            Misconception(
                not_divided,
                "After the power the weights no longer sum to 1: divide them by their sum over the slots.",
            ),
            Misconception(
                sharpened_by_a_softmax,
                "The weights go through a softmax, times the sharpness. They are no scores: raise them to the power "
                "`sharpness`, and divide by the sum.",
            ),
            Misconception(
                sharpness_left_out, "`sharpness` has no effect: raise the shifted weights to this power."
            ),
            Misconception(
                root_for_power,
                "The power is 1 / `sharpness`, which makes the weights more even. Raise them to the power itself.",
            ),
            Misconception(
                gate_decides,
                "The gate is rounded to 0 or 1, and one of the two is taken. It mixes: 0.3 takes 0.3 of the content "
                "weights and 0.7 of the previous ones.",
            ),
            Misconception(
                previous_left_out, "The previous weights have no effect: a gate below 1 keeps a part of them."
            ),
        ),
        hints=(
            "Each step makes new weights from those of the step before.",
            "A row moved by +1 is its last entry followed by the others: `roll` in PyTorch, two slices and "
            "`nd.concat` in MXNet.",
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
        statement="Read a memory several times. The queries are the first state. Each hop takes the softmax, over the "
        "keys, of the dot products of state and keys, and adds the weighted sum of the values to the state. Return "
        "the state after the last hop.",
        rules=(
            "The dot products are not scaled, and all hops share keys and values. Keys beyond the valid length do "
            "not count; each valid length is at least 1. [`masked_softmax`](masked_softmax.ipynb) may be used.",
        ),
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
        misconceptions=(
            Misconception(
                state_replaced,
                "The state is replaced by what was read, so the question is forgotten after the first hop. Add what "
                "was read to the state.",
            ),
            Misconception(
                same_query_each_time,
                "Every hop has the first query, and so reads the same again. The query of the next hop is the new "
                "state.",
            ),
            Misconception(
                added_to_the_query,
                "What a hop reads is added to the first query, so what earlier hops read is forgotten. Add it to the "
                "state.",
            ),
            Misconception(
                last_reading_alone, "This is what the last hop read. Return the state, to which it is added."
            ),
            Misconception(
                query_left_out,
                "This is the sum of all that was read, without the query. The state begins as the query, and keeps it.",
            ),
            Misconception(
                readings_averaged, "What the hops read is averaged: add all of it to the state, undivided."
            ),
            Misconception(
                one_hop_only,
                "There is only one hop, whatever `hops` says, as where a `return` stands inside the loop.",
            ),
            Misconception(one_hop_too_many, "There is one hop too many."),
            Misconception(one_hop_too_few, "There is one hop too few."),
            Misconception(
                scores_scaled, "The scores are divided by the root of d: here they are not scaled."
            ),
            Misconception(
                keys_averaged,
                "The weighted sum is one of the keys. The keys say where to read; what is read are the values.",
            ),
            Misconception(
                values_compared,
                "The state is compared with the values. Compare it with the keys; what is read are the values.",
            ),
            Misconception(length_ignored, "The valid_length has no effect: padding is read too."),
            Misconception(
                length_in_the_first_hop,
                "Only the first hop leaves out the padding. Mask the scores in every hop.",
            ),
            Misconception(over_the_queries, OVER_QUERIES),
            Misconception(masked_too_late, MASK_TOO_LATE),
            Misconception(renormalised, RENORMALISED_TOO_LATE),
            Misconception(
                softmax_left_out,
                "The scores themselves weigh the values: take their softmax over the keys first.",
            ),
            Misconception(
                only_the_best_slot,
                "Each hop reads only the value with the largest weight. Read the weighted sum of all: the choice of "
                "one has no gradient.",
            ),
        ),
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
        statement="Mix two distributions over words: `generate` times that of the vocabulary, plus 1 − `generate` "
        "times that of copying, in which the probability of a word is the sum of the attention weights of all "
        "positions of the source where it stands.",
        rules=(
            "Words are whole numbers below `size`. Those below `vocabulary_size` are the words of the vocabulary; the "
            "others stand in the source only, and the vocabulary gives them the probability 0.",
        ),
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
        misconceptions=(
            Misconception(
                last_weight_only,
                "Of a word that stands in the source several times only the last weight counts, as where each is written "
                "over the one before. Its weights must add up.",
            ),
            Misconception(
                largest_weight_only,
                "Of a word that stands in the source several times only the largest weight counts. Its weights must "
                "add up.",
            ),
            Misconception(
                repeats_averaged,
                "The weights of a word that stands in the source several times are averaged. They must add up.",
            ),
            Misconception(
                occurrences_counted,
                "How often a word stands in the source decides. Each position counts with its attention weight.",
            ),
            Misconception(
                best_word_alone,
                "Only the word with the largest weight is copied. Every position gives its weight to its word.",
            ),
            Misconception(
                weights_by_position,
                "The weight of position i goes to word i. It belongs to the word that stands there, `tokens[:, i]`.",
            ),
            Misconception(
                gate_on_the_copy,
                "`generate` multiplies the copy. It is the probability to generate: it multiplies the vocabulary.",
            ),
            Misconception(
                gate_left_out,
                "The two distributions are added without the gate, so the result sums to 2.",
            ),
            Misconception(halves, "Both distributions count one half: use `generate` and 1 − `generate`."),
            Misconception(
                copy_not_gated,
                "The copy counts in full, so the result sums to more than 1: multiply it by 1 − `generate`.",
            ),
            Misconception(
                gate_decides_alone,
                "The larger of the two gates takes all. Mix the two distributions, by `generate` and 1 − `generate`.",
            ),
            Misconception(
                new_words_lost,
                "Words that the vocabulary does not have get the probability 0. They can be copied: that is what the "
                "copy is for.",
            ),
            Misconception(
                new_words_are_word_zero,
                "Words that the vocabulary does not have are counted as word 0. They keep their own numbers.",
            ),
            Misconception(
                new_words_are_the_last_word,
                "Words that the vocabulary does not have are counted as its last word, as clamped numbers are. They "
                "keep their own numbers.",
            ),
            Misconception(
                copied_over_the_vocabulary,
                "A word of the source keeps one weight alone: writing to an index replaces what was there, the part "
                "of the vocabulary and the weights of the same word elsewhere. All of these add up: `scatter_add`.",
            ),
            Misconception(
                known_words_not_copied,
                "Words of the vocabulary are not copied. They get both: what the vocabulary gives them, and the "
                "weights of the positions where they stand.",
            ),
            Misconception(
                softmax_of_the_mixture,
                "The mixture goes through a softmax. It is a distribution already: its entries sum to 1.",
            ),
            Misconception(
                larger_of_the_two,
                "Each word gets the larger of its two probabilities. Add them.",
            ),
            Misconception(
                vocabulary_behind_the_new,
                "The vocabulary stands after the new words. Its words have the first numbers: put the zeros after "
                "them.",
            ),
        ),
        hints=(
            "Make two arrays of the shape (batch, size): one from the vocabulary, one from the weights.",
            "The vocabulary gets zeros after it, for the words that it does not have. Each weight is added at the "
            "number of its token.",
            "`torch.zeros(batch, size).scatter_add(1, tokens, weights)` adds up; in MXNet multiply the weights by "
            "`nd.one_hot(tokens, size)`.",
        ),
        cases=_copy_cases,
        properties=(SUMS,),
        difficulty=3,
        minutes=20,
        points=2,
    ),
)
