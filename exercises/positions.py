"""Exercises on positions: rotated queries and keys, learned and fixed biases by distance."""

import math
from dataclasses import replace
from functools import partial

import numpy as np

from autograder.model.exercise import Argument, Call, Case, Exercise, Misconception, Output, Property
from exercises.shared import FILLS, draw_sizes, rows_sum_to_one
from solutions.positions.in_numpy import distances, linear_bias, relative_bias, rotary, slopes
from solutions.self_attention.in_numpy import softmax

SCORES = "(batch, num_heads, num_tokens, num_tokens)"
SHIFT = 7
TOLERANCE = 1e-3


# Rotated queries and keys


def _pairs(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return X[..., 0::2], X[..., 1::2]


def _angles(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    return np.asarray(positions[..., None] / 10000 ** (np.arange(0, X.shape[-1], 2) / X.shape[-1]))


def _rotated(X: np.ndarray, angles: np.ndarray) -> np.ndarray:
    first, second = _pairs(X)
    cos, sin = np.cos(angles), np.sin(angles)
    return np.stack([first * cos - second * sin, second * cos + first * sin], axis=-1).reshape(X.shape)


def halves_paired(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    half = X.shape[-1] // 2
    first, second, angles = X[..., :half], X[..., half:], _angles(X, positions)
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


def halves_put_side_by_side(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    half = X.shape[-1] // 2
    first, second, angles = X[..., :half], X[..., half:], _angles(X, positions)
    cos, sin = np.cos(angles), np.sin(angles)
    return np.stack([first * cos - second * sin, second * cos + first * sin], axis=-1).reshape(X.shape)


def rotated_backwards(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    return _rotated(X, -_angles(X, positions))


def encoding_added(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    angles = _angles(X, positions)
    return np.asarray(X + np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(X.shape))


def one_frequency_for_all(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    return _rotated(X, np.broadcast_to(positions[..., None], (*positions.shape, X.shape[-1] // 2)))


def exponent_counts_pairs(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    d = X.shape[-1]
    return _rotated(X, positions[..., None] / 10000 ** (np.arange(d // 2) / d))


def encoding_multiplied(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    (first, second), angles = _pairs(X), _angles(X, positions)
    return np.stack([first * np.cos(angles), second * np.sin(angles)], axis=-1).reshape(X.shape)


def both_added(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    (first, second), angles = _pairs(X), _angles(X, positions)
    cos, sin = np.cos(angles), np.sin(angles)
    return np.stack([first * cos + second * sin, second * cos + first * sin], axis=-1).reshape(X.shape)


def pairs_left_apart(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    return np.concatenate(_pairs(rotary(X, positions)), axis=-1)


def counted_from_one(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    return rotary(X, positions + 1)


def positions_ignored(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    return rotary(X, np.broadcast_to(np.arange(X.shape[1]), X.shape[:2]))


def sine_for_cosine(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    (first, second), angles = _pairs(X), _angles(X, positions)
    cos, sin = np.cos(angles), np.sin(angles)
    return np.stack([first * sin - second * cos, second * sin + first * cos], axis=-1).reshape(X.shape)


def old_first_forgotten(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    (first, second), angles = _pairs(X), _angles(X, positions)
    cos, sin = np.cos(angles), np.sin(angles)
    new = first * cos - second * sin
    return np.stack([new, second * cos + new * sin], axis=-1).reshape(X.shape)


def _rotary_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        *typical: int,
        begin: int = 0,
        gaps: bool = False,
        size: float = 1.0,
        gradient: bool = False,
    ) -> Case:
        batch, tokens, pairs = draw_sizes(rng, *typical)
        first = begin + rng.integers(3, size=(batch, 1)) * (begin > 0)
        positions = first + np.arange(tokens)
        if gaps:
            positions = np.sort(rng.permuted(np.tile(np.arange(3 * tokens), (batch, 1)), axis=1)[:, :tokens])
        X = size * rng.normal(size=(batch, tokens, 2 * pairs))
        return Case(note, {"X": X, "positions": positions}, gradient=gradient)

    return [
        case("positions from 0", 2, 5, 3),
        case("positions that begin later", 3, 4, 2, begin=6, gradient=True),
        case("positions with gaps, other ones for each sequence", 2, 5, 4, gaps=True, gradient=True),
        case("one pair of features", 2, 6, 1),
        case("a single token", 3, 1, 4, begin=11),
        # A large angle has few digits behind the point in single precision: features of 1 would show it.
        case("far positions", 1, 4, 5, begin=100, size=0.25),
    ]


def _moved(case: Case) -> Case:
    return replace(case, inputs={**case.inputs, "positions": case.inputs["positions"] + SHIFT})


def only_distances_count(run: Call, case: Case) -> str | None:
    """Whether the dot products between tokens stay when all positions move alike."""
    here, there = (run(c)[0].astype(np.float64) for c in (case, _moved(case)))
    products = [X @ np.swapaxes(X, 1, 2) for X in (here, there)]
    wrong = np.argwhere(~np.isclose(products[0], products[1], rtol=TOLERANCE, atol=TOLERANCE))
    if not len(wrong):
        return None
    at = tuple(map(int, wrong[0]))
    return f"the dot product {list(at)} is {products[0][at]:.4f}, and {products[1][at]:.4f} {SHIFT} positions later."


# A learned number for each distance


def _at(table: np.ndarray, index: np.ndarray) -> np.ndarray:
    """The number of each head at the indices, (num_heads, num_tokens, num_tokens)."""
    return np.asarray(table[:, index])


def _clipped(scores: np.ndarray, table: np.ndarray) -> np.ndarray:
    most = table.shape[1] // 2
    return np.clip(-distances(scores.shape[2]), -most, most)


def distance_reversed(scores: np.ndarray, table: np.ndarray) -> np.ndarray:
    return np.asarray(scores + _at(table, table.shape[1] // 2 - _clipped(scores, table)))


def nothing_far_away(scores: np.ndarray, table: np.ndarray) -> np.ndarray:
    near = np.abs(distances(scores.shape[2])) <= table.shape[1] // 2
    return np.asarray(scores + _at(table, table.shape[1] // 2 + _clipped(scores, table)) * near)


def same_on_both_sides(scores: np.ndarray, table: np.ndarray) -> np.ndarray:
    return np.asarray(scores + _at(table, table.shape[1] // 2 + np.abs(_clipped(scores, table))))


def bias_multiplied(scores: np.ndarray, table: np.ndarray) -> np.ndarray:
    return np.asarray(scores * _at(table, table.shape[1] // 2 + _clipped(scores, table)))


def bias_subtracted(scores: np.ndarray, table: np.ndarray) -> np.ndarray:
    return np.asarray(scores - _at(table, table.shape[1] // 2 + _clipped(scores, table)))


def first_head_for_all(scores: np.ndarray, table: np.ndarray) -> np.ndarray:
    return relative_bias(scores, np.repeat(table[:1], len(table), axis=0))


def clipped_too_early(scores: np.ndarray, table: np.ndarray) -> np.ndarray:
    most = table.shape[1] // 2
    near = np.clip(-distances(scores.shape[2]), 1 - most, most - 1)
    return np.asarray(scores + _at(table, most + near))


def negative_indices(scores: np.ndarray, table: np.ndarray) -> np.ndarray:
    return np.asarray(scores + _at(table, _clipped(scores, table)))


def distances_wrap(scores: np.ndarray, table: np.ndarray) -> np.ndarray:
    index = -distances(scores.shape[2]) + table.shape[1] // 2
    return np.asarray(scores + _at(table, index % table.shape[1]))


def bias_by_key(scores: np.ndarray, table: np.ndarray) -> np.ndarray:
    key = np.minimum(np.arange(scores.shape[3]), table.shape[1] - 1)
    return np.asarray(scores + table[:, None, key])


def softmax_taken(scores: np.ndarray, table: np.ndarray) -> np.ndarray:
    return softmax(relative_bias(scores, table))


def table_alone(scores: np.ndarray, table: np.ndarray) -> np.ndarray:
    return relative_bias(np.zeros_like(scores), table)


def _relative_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, most: int, gradient: bool = False) -> Case:
        batch, heads, tokens = draw_sizes(rng, *typical)
        scores = rng.normal(size=(batch, heads, tokens, tokens))
        table = rng.normal(size=(heads, 2 * most + 1))
        return Case(note, {"scores": scores, "table": table}, gradient=gradient)

    return [
        case("distances beyond the table", 2, 3, 7, most=2, gradient=True),
        case("a table wider than the sequence", 3, 2, 4, most=9),
        case("one head", 2, 1, 6, most=3, gradient=True),
        case("a table of three numbers", 1, 4, 5, most=1),
        case("a single token", 2, 3, 1, most=2),
    ]


# A slope for each head


def _causal(biased: np.ndarray) -> np.ndarray:
    return softmax(np.where(distances(biased.shape[2]) >= 0, biased, -np.inf))


def _penalty(scores: np.ndarray, slope: np.ndarray) -> np.ndarray:
    return np.asarray(slope[:, None, None] * distances(scores.shape[2]))


def far_keys_favoured(scores: np.ndarray) -> np.ndarray:
    return _causal(scores + _penalty(scores, slopes(scores.shape[1])))


def one_slope_for_all(scores: np.ndarray) -> np.ndarray:
    return _causal(scores - _penalty(scores, np.full(scores.shape[1], slopes(scores.shape[1])[0])))


def heads_from_zero(scores: np.ndarray) -> np.ndarray:
    heads = scores.shape[1]
    return _causal(scores - _penalty(scores, 2.0 ** (-8 * np.arange(heads) / heads)))


def heads_reversed(scores: np.ndarray) -> np.ndarray:
    return _causal(scores - _penalty(scores, slopes(scores.shape[1])[::-1]))


def slopes_of_eight_heads(scores: np.ndarray) -> np.ndarray:
    return _causal(scores - _penalty(scores, 2.0 ** -np.arange(1, scores.shape[1] + 1)))


def slopes_with_base_e(scores: np.ndarray) -> np.ndarray:
    return _causal(scores - _penalty(scores, slopes(scores.shape[1]) ** (1 / math.log(2))))


def slopes_grow(scores: np.ndarray) -> np.ndarray:
    return _causal(scores - _penalty(scores, 1 / slopes(scores.shape[1])))


def later_keys_visible(scores: np.ndarray) -> np.ndarray:
    return softmax(scores - np.abs(_penalty(scores, slopes(scores.shape[1]))))


def later_keys_gain(scores: np.ndarray) -> np.ndarray:
    return softmax(scores - _penalty(scores, slopes(scores.shape[1])))


def softmax_left_out(scores: np.ndarray, hidden: float = -1e6) -> np.ndarray:
    biased = scores - _penalty(scores, slopes(scores.shape[1]))
    return np.where(distances(scores.shape[2]) >= 0, biased, hidden)


def distance_squared(scores: np.ndarray) -> np.ndarray:
    distance = distances(scores.shape[2]) ** 2
    return _causal(scores - slopes(scores.shape[1])[:, None, None] * distance)


def bias_left_out(scores: np.ndarray) -> np.ndarray:
    return _causal(scores)


def scores_multiplied(scores: np.ndarray) -> np.ndarray:
    return _causal(scores * -_penalty(scores, slopes(scores.shape[1])))


def own_key_hidden(scores: np.ndarray) -> np.ndarray:
    biased = scores - _penalty(scores, slopes(scores.shape[1]))
    return softmax(np.where(distances(scores.shape[2]) > 0, biased, -1e6))


def hidden_with_zero(scores: np.ndarray) -> np.ndarray:
    return softmax((scores - _penalty(scores, slopes(scores.shape[1]))) * (distances(scores.shape[2]) >= 0))


def bias_after_the_softmax(scores: np.ndarray) -> np.ndarray:
    return np.asarray(_causal(scores) - _penalty(scores, slopes(scores.shape[1])))


def _linear_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, gradient: bool = False) -> Case:
        batch, heads, tokens = draw_sizes(rng, *typical)
        return Case(note, {"scores": rng.normal(size=(batch, heads, tokens, tokens))}, gradient=gradient)

    def exactly(note: str, heads: int, gradient: bool = False) -> Case:
        batch, tokens = draw_sizes(rng, 2, 6)
        return Case(note, {"scores": rng.normal(size=(batch, heads, tokens, tokens))}, gradient=gradient)

    return [
        exactly("three heads", 3, gradient=True),
        exactly("eight heads", 8),
        exactly("one head", 1),
        case("many tokens", 1, 2, 20, gradient=True),
        case("a single token", 3, 4, 1),
    ]


EXERCISES = (
    Exercise(
        name="relative_bias",
        title="A bias for each distance",
        statement="Add to each score the number that the table holds for its head and its distance. The distance is "
        "the key's position minus the query's; the middle of the table belongs to distance 0, and what is farther "
        "than the table reaches counts as its outermost distance.",
        rules=("Return scores; the softmax comes later.",),
        entry="relative_bias",
        arguments=(
            Argument("scores", SCORES),
            Argument("table", "(num_heads, 2 * most + 1), learned numbers"),
        ),
        returns=(Output("biased", SCORES),),
        reference=relative_bias,
        misconceptions=(
            Misconception(
                distance_reversed,
                "The distance has the wrong sign: keys before the query get what belongs to those after it. The "
                "distance is the key's position minus the query's.",
            ),
            Misconception(
                nothing_far_away,
                "Beyond the table's reach nothing is added. Such a distance counts as the outermost one: clip it.",
            ),
            Misconception(
                same_on_both_sides,
                "The distance has lost its sign, so one half of the table is never used: before and after are "
                "different distances.",
            ),
            Misconception(bias_multiplied, "The bias multiplies the scores: add it."),
            Misconception(bias_subtracted, "The bias is subtracted: add it."),
            Misconception(
                first_head_for_all,
                "All heads use the first row of the table: each head has learned a row of its own.",
            ),
            Misconception(
                clipped_too_early,
                "The distances are clipped one too early, so the outermost numbers of the table are never used: clip "
                "to −most and most.",
            ),
            Misconception(
                negative_indices,
                "The distance itself is the index, so distance 0 finds the first number, and negative ones count from "
                "the table's end. Add most, so that the middle belongs to distance 0.",
            ),
            Misconception(
                distances_wrap,
                "Distances beyond the table come in again at its other end. Clip them to −most and most.",
            ),
            Misconception(
                bias_by_key,
                "The bias depends on the key's position alone, and not on the query's. It must depend on the distance between "
                "query and key.",
            ),
            Misconception(
                softmax_taken,
                "The biased scores went through a softmax already: return the scores; it comes later.",
            ),
            Misconception(table_alone, "The scores are missing: add the bias to them."),
        ),
        hints=(
            "First make the distances, a matrix (num_tokens, num_tokens): a row of positions minus a column of them.",
            "Clip them, and move them by most, so that they begin at 0: now they are indices.",
            "`table[:, index]`, in MXNet `nd.take(table, index, axis=1)`, has the shape (num_heads, num_tokens, "
            "num_tokens); add it to every sequence of the batch.",
        ),
        cases=_relative_cases,
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="linear_bias",
        title="A slope for each head",
        statement="Write causal weights whose scores fall with the distance: from the score of a key subtract the "
        "distance, the query's position minus the key's, times the slope of the head. The slope of head "
        "$h = 1, …, H$ of $H$ heads is $2^{-8h/H}$.",
        rules=("No token attends to a later one; the weights of each row sum to 1.",),
        entry="linear_bias",
        arguments=(Argument("scores", SCORES),),
        returns=(Output("weights", SCORES, exact_zeros=True),),
        reference=linear_bias,
        misconceptions=(
            Misconception(
                far_keys_favoured,
                "The bias is added, so far keys gain: subtract it, since what is near should count more.",
            ),
            Misconception(
                one_slope_for_all,
                "All heads have the slope of the first. Each has its own, so that some look near and some far.",
            ),
            Misconception(
                heads_from_zero,
                "The heads are counted from 0, so the first has slope 1. They are counted from 1.",
            ),
            Misconception(
                heads_reversed, "The slopes come in the reverse order: the first head has the steepest."
            ),
            Misconception(
                slopes_of_eight_heads,
                "The slopes are 2^−1, 2^−2, …, which is right for eight heads only: the exponent is −8h/H.",
            ),
            Misconception(slopes_with_base_e, "The slopes are powers of e: the base is 2."),
            Misconception(
                slopes_grow,
                "The exponent has lost its minus sign: the slopes are 2^(8h/H), and nothing but the own token is "
                "seen.",
            ),
            Misconception(
                later_keys_visible,
                "Later tokens lose by their distance, but they are still seen. Hide them before the softmax.",
            ),
            Misconception(
                later_keys_gain,
                "The mask is missing: later tokens are at a negative distance, so they even gain. Hide them before "
                "the softmax.",
            ),
            Misconception(
                softmax_left_out,
                "These are the masked scores. Take their softmax over the keys: asked for are the weights.",
                also=tuple(partial(softmax_left_out, hidden=hidden) for hidden in (*FILLS, -np.inf)),
            ),
            Misconception(
                distance_squared, "The distance is squared, which makes a Gaussian window: take it as it is."
            ),
            Misconception(bias_left_out, "The distance has no effect: these are plain causal weights."),
            Misconception(
                scores_multiplied,
                "The scores are multiplied by the bias: subtract slope times distance from them.",
            ),
            Misconception(
                own_key_hidden,
                "A token does not see itself: its own key, at distance 0, loses nothing and stays visible.",
            ),
            Misconception(
                hidden_with_zero,
                "Scores of later tokens become 0, and exp(0) is 1: they still get weight. Fill them with a large "
                "negative number.",
            ),
            Misconception(
                bias_after_the_softmax,
                "The bias is subtracted from the weights. Subtract it from the scores, then take the softmax.",
            ),
        ),
        hints=(
            "Give the slopes the shape (1, num_heads, 1, 1) and the distances (1, 1, num_tokens, num_tokens).",
            "The distance is the query's position minus the key's; where it is negative the key is later.",
            "Subtract slopes times distances, fill what is later with −10⁶, and take the softmax over the last axis.",
        ),
        cases=_linear_cases,
        properties=(Property("each row of weights must sum to 1", rows_sum_to_one),),
        difficulty=3,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="rotary",
        title="Turn the queries and keys",
        statement="Rotate every pair of features, (0, 1), (2, 3), …, counter-clockwise by the token's position times "
        "the frequency of the pair, which is $10000^{-2m/d}$ for pair $m = 0, 1, …$",
        rules=("`X` holds queries or keys; positions need not begin at 0.", "Do not change `X` itself."),
        entry="rotary",
        arguments=(
            Argument("X", "(batch, num_tokens, d), with d even"),
            Argument("positions", "(batch, num_tokens), whole numbers"),
        ),
        returns=(Output("rotated", "(batch, num_tokens, d)"),),
        reference=rotary,
        misconceptions=(
            Misconception(
                halves_paired,
                "Feature m is paired with feature m + d/2. Some models do it so, and their weights fit nothing else; "
                "here, as in the paper, neighbours are a pair: (0, 1), (2, 3), …",
            ),
            Misconception(
                halves_put_side_by_side,
                "Feature m is paired with feature m + d/2, and the pairs then stand side by side, so that even at position "
                "0 the features come back in another order. Neighbours are a pair: take `X[..., 0::2]` and `X[..., 1::2]`.",
            ),
            Misconception(
                rotated_backwards,
                "The pairs turn clockwise, as where a minus sign stands at the wrong sine. The first feature is "
                "first · cos − second · sin.",
            ),
            Misconception(
                encoding_added,
                "Sines and cosines are added to the features, as a positional encoding is. A rotation multiplies: "
                "each new feature is made of both old ones of its pair.",
            ),
            Misconception(
                one_frequency_for_all,
                "All pairs turn by the position itself. Each pair has a frequency of its own, from 1 down to nearly "
                "1/10000.",
            ),
            Misconception(
                exponent_counts_pairs,
                "The exponent is m/d, where m counts the pairs. It must be 2m/d.",
            ),
            Misconception(
                encoding_multiplied,
                "The first feature of a pair is multiplied by the cosine and the second by the sine. A rotation mixes "
                "the two: each needs a cosine of its own and a sine of the other.",
            ),
            Misconception(
                both_added,
                "Both new features add their sine. That is no rotation, and lengths change: the first is "
                "first · cos − second · sin.",
            ),
            Misconception(
                pairs_left_apart,
                "The numbers are right but not their order: all first features come first, then all second ones. Put "
                "each pair side by side again: stack on a new last axis, then reshape.",
            ),
            Misconception(
                counted_from_one,
                "Each token turns one position too far: use `positions` as they are, where the first may be 0.",
            ),
            Misconception(
                positions_ignored,
                "`positions` has no effect: the tokens are counted from 0. With a cache, or a part of a text, the "
                "first token stands elsewhere.",
            ),
            Misconception(
                sine_for_cosine,
                "Sine and cosine have changed places: at position 0, where the angle is 0, nothing may turn.",
            ),
            Misconception(
                old_first_forgotten,
                "The second feature is made of the new first one. Both need the old pair: compute both before one is "
                "replaced.",
            ),
        ),
        hints=(
            "A point (a, b) turned by an angle is (a · cos − b · sin, b · cos + a · sin).",
            "The first features of all pairs are `X[..., 0::2]`; the angles have the shape "
            "(batch, num_tokens, d / 2).",
            "Stack the two results on a new last axis, then reshape to the shape of X.",
        ),
        cases=_rotary_cases,
        properties=(
            Property(
                "when all positions grow by the same number, the dot products of tokens must stay",
                only_distances_count,
            ),
        ),
        difficulty=3,
        minutes=20,
        points=3,
    ),
)
