"""Exercises on positions: rotated queries and keys, learned and fixed biases by distance."""

from dataclasses import replace

import numpy as np

from autograder.model.exercise import Argument, Call, Case, Exercise, Output, Property
from exercises.shared import (
    DEFAULT_BASE,
    a_case_of_each,
    draw_base,
    draw_sizes,
    one_of,
    rows_sum_to_one,
    with_loud_rest,
)
from solutions.positions.in_numpy import linear_bias, relative_bias, rotary, rotary_proof_line, turn_length

SCORES = "(batch, num_heads, num_tokens, num_tokens)"
SHIFT = 7
# By what share of the lengths of two vectors their dot product may change: in single precision an angle in the
# hundred thousands is right to some hundredths alone, whatever the formula.
ROUNDED = 0.1


# Rotated queries and keys


def _rotary_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        *typical: int,
        begin: int = 0,
        gaps: bool = False,
        size: float = 1.0,
        base: float = 10000.0,
        gradient: bool = False,
    ) -> Case:
        """base: of the frequencies; 0 for one that is drawn."""
        batch, tokens, pairs = draw_sizes(rng, *typical)
        first = begin + rng.integers(3, size=(batch, 1)) * (begin > 0)
        positions = first + np.arange(tokens)
        if gaps:
            positions = np.sort(rng.permuted(np.tile(np.arange(3 * tokens), (batch, 1)), axis=1)[:, :tokens])
        X = size * rng.normal(size=(batch, tokens, 2 * pairs))
        inputs = {"X": X, "positions": positions, "base": base or draw_base(rng)}
        return Case(note, inputs, gradient=gradient)

    return [
        case("positions from 0", 2, 5, 3),
        case("positions that begin later", 3, 4, 2, begin=6, base=0, gradient=True),
        case("positions with gaps, other ones for each sequence", 2, 5, 4, gaps=True, base=0, gradient=True),
        case("one pair of features", 2, 6, 1),
        case("a single token", 3, 1, 4, begin=11, base=0),
        # A large angle has few digits after the point in single precision: features of 1 would show it.
        case("far positions", 1, 4, 5, begin=100, size=0.25, base=500000.0),
    ]


def _moved(case: Case) -> Case:
    return replace(case, inputs={**case.inputs, "positions": case.inputs["positions"] + SHIFT})


def only_distances_count(run: Call, case: Case) -> str | None:
    """Check that the dot products between tokens stay when all positions move alike."""
    here, moved = (run(c)[0].astype(np.float64) for c in (case, _moved(case)))
    products = [X @ np.swapaxes(X, 1, 2) for X in (here, moved)]
    lengths = np.linalg.norm(here, axis=-1, keepdims=True)
    wrong = np.argwhere(np.abs(products[0] - products[1]) > ROUNDED * lengths * np.swapaxes(lengths, 1, 2))
    if not len(wrong):
        return None
    at = tuple(map(int, wrong[0]))
    return f"the dot product {list(at)} is {products[0][at]:.4f}, and {products[1][at]:.4f} {SHIFT} positions later."


# A learned number for each distance


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
        with_loud_rest(case("later tokens that score far above the rest", 2, 3, 5), linear_bias),
    ]


# The proof, and a turn

CHANGES = (
    "positions that begin at 1000",
    "a vector added after the rotation",
    "the angle i² θ at position i",
    "an angle of its own for each pair",
    "a shear [[1, a], [0, 1]] by the angle a",
    "keys that are not rotated",
)


def _turn_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, d: int, base: int, pair: int) -> Case:
        return Case(note, {"pair": pair, "d": d, "base": base})

    def among(least: int, most: int) -> int:
        return int(rng.integers(least, most))

    wide, narrow = 2 * among(50, 90), 2 * among(8, 20)
    return [
        case("the usual base", 64, 10_000, among(3, 31)),
        case("another base", wide, among(40_000, 900_000), among(5, 40)),
        case("few features", narrow, among(200, 4000), among(2, 7)),
        case("the slowest pair", narrow + 2, among(5000, 20_000), narrow // 2),
    ]


EXERCISES = (
    Exercise(
        name="relative_bias",
        title="A bias for each distance",
        statement=(
            "Add to each score the number that the table holds for its head and its distance. The distance is "
            "the key's position minus the query's."
        ),
        conditions={
            "table": (
                "`most` is at least 1; the middle belongs to distance 0; distances beyond the table count as its "
                "outermost; it may reach farther than the sentence"
            ),
            "returns biased": "scores: the softmax comes later",
        },
        entry="relative_bias",
        arguments=(
            Argument("scores", SCORES),
            Argument("table", "(num_heads, 2 * most + 1), learned numbers"),
        ),
        returns=(Output("biased", SCORES),),
        reference=relative_bias,
        hints=(
            "First make the distances, a matrix (num_tokens, num_tokens): a row of positions minus a column of them.",
            "Clip them, and move them by most, so that they begin at 0: now they are indices.",
            "[`table[:, index]`]{.torch}[, in MXNet ]{.both}[`nd.take(table, index, axis=1)`]{.mxnet} has the shape (num_heads, num_tokens, "
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
        statement=(
            "Write causal weights whose scores fall with the distance: from the score of a key subtract the "
            "distance, the query's position minus the key's, times the slope of the head."
        ),
        conditions={
            "returns weights": "no token attends to a later one; each row sums to 1",
            "the slope": "of head $h = 1, …, H$ of $H$ heads: $2^{-8h/H}$",
        },
        entry="linear_bias",
        arguments=(Argument("scores", SCORES),),
        returns=(Output("weights", SCORES, exact_zeros=True),),
        reference=linear_bias,
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
        "the frequency of the pair, which is $\\text{base}^{-2m/d}$ for pair $m = 0, 1, …$",
        conditions={
            "X": "queries or keys; not changed",
            "positions": "need not begin at 0",
        },
        entry="rotary",
        arguments=(
            Argument("X", "(batch, num_tokens, d), with d even"),
            Argument("positions", "(batch, num_tokens), whole numbers"),
            Argument("base", "a number above 1, 10000 by default", default=10000),
        ),
        returns=(Output("rotated", "(batch, num_tokens, d)"),),
        reference=rotary,
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
            DEFAULT_BASE,
        ),
        difficulty=3,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="rotary_proof_line",
        title="Where the proof stops",
        statement=(
            "Something is changed in the rotation. Which of the three lines above is then the first that does not hold: "
            '`"1"`, `"2"` or `"3"`? If all hold, answer `"none"`.'
        ),
        conditions={
            "change": "concerns both queries and keys, unless it names one; each line is written with the changed matrices (the identity where nothing is rotated)"
        },
        entry="rotary_proof_line",
        arguments=(one_of("change", CHANGES),),
        returns=(Output("line", 'one of "1", "2", "3", "none"', plain=True),),
        reference=rotary_proof_line,
        cases=a_case_of_each("change", CHANGES),
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="turn_length",
        title="A full turn",
        statement="Derive in how many tokens a pair of features makes one full turn.",
        conditions={
            "pair": "counted from 0",
            "base": "of the frequencies, those of `rotary`",
            "returns tokens": "not rounded",
        },
        entry="turn_length",
        arguments=(
            Argument("pair", "int"),
            Argument("d", "int"),
            Argument("base", "a number above 1"),
        ),
        returns=(Output("tokens", "a float", plain=True),),
        reference=turn_length,
        hints=(
            "By which angle does the pair turn at each token?",
            "A full turn is the angle 2π.",
            "2π divided by the frequency, `base ** (-2 * pair / d)`.",
        ),
        cases=_turn_cases,
        difficulty=1,
        minutes=5,
        points=1,
    ),
)
