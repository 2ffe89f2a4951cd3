"""Exercises on self-attention, the causal mask and positional encoding."""

import math
from dataclasses import replace

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import (
    Argument,
    Call,
    Case,
    Exercise,
    Output,
    Property,
)
from exercises.shared import ALL, draw_lengths, draw_sizes, mask_of, rows_sum_to_one
from solutions.self_attention.in_numpy import (
    causal_self_attention,
    positional_encoding,
    self_attention,
    which_leaks,
)

ROUNDING = 1e-5  # changes below this are rounding, not information
EMBEDDING = (
    Argument("X", "(batch, num_tokens, d_model)"),
    Argument("W_q", "(d_model, d_k)"),
    Argument("W_k", "(d_model, d_k)"),
    Argument("W_v", "(d_model, d_v)"),
)
CONTEXT = Output("context", "(batch, num_tokens, d_v)")
SQUARE = "(batch, num_tokens, num_tokens)"


def _the_order_of_the_tokens_moves_along(run: Call, case: Case) -> str | None:
    X = case.inputs["X"]
    order = np.roll(np.arange(X.shape[1]), 1)
    before = run(case)[0]
    after = run(replace(case, inputs={**case.inputs, "X": X[:, order]}))[0]
    if np.allclose(after, before[:, order], atol=1e-3):
        return None
    return "With the tokens in another order, the same rows of context do not come out in that order."


def _the_future_stays_out(run: Call, case: Case) -> str | None:
    X = case.inputs["X"]
    before = run(case)[0]
    for position in range(X.shape[1] - 1, 0, -1):
        changed = X.copy()
        changed[:, position:] *= -2
        change = np.abs(run(replace(case, inputs={**case.inputs, "X": changed}))[0] - before)[:, :position]
        if change.max() > ROUNDING:
            token = int(change.max(axis=(0, 2)).argmax())
            return f"When the tokens from {position} on change, the context of token {token} changes too."
    return None


def _padding_gets_no_weight(run: Call, case: Case) -> str | None:
    valid_length = case.inputs["valid_length"]
    if valid_length is None:
        return None
    weights = np.abs(run(case)[-1])
    beyond = np.where(mask_of(weights, valid_length), 0, weights)
    if (beyond <= 1e-9).all():
        return None
    place = tuple(map(int, np.unravel_index(int(beyond.argmax()), beyond.shape)))
    return f"The weight at {place} lies beyond the valid length and is {beyond[place]:.4g}."


Shape = tuple[int, ...]


def _embedded(rng: np.random.Generator, shape: Shape) -> dict[str, np.ndarray]:
    """Draw scores over √d_k with a spread of about 1.5: far from flat, not saturated."""
    batch, num_tokens, d_model, d_k, d_v = shape
    return {
        "X": rng.normal(size=(batch, num_tokens, d_model)),
        "W_q": 1.5 * rng.normal(size=(d_model, d_k)) / math.sqrt(d_model),
        "W_k": rng.normal(size=(d_model, d_k)) / math.sqrt(d_model),
        "W_v": rng.normal(size=(d_model, d_v)) / math.sqrt(d_model),
    }


def _self_attention_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, gradient: bool = False) -> Case:
        return Case(note, _embedded(rng, draw_sizes(rng, *typical)), gradient=gradient)

    return [
        case("all sizes different", 2, 5, 6, 4, 7, gradient=True),
        case("keys wider than the embedding", 3, 4, 5, 9, 2, gradient=True),
        case("all widths equal", 2, 6, 4, 4, 4),
        case("as many tokens as batch elements", 3, 3, 8, 2, 5),
        case("a key of one number", 1, 7, 3, 1, 2),
        case("a single token", 2, 1, 4, 3, 2),
        case("a wide embedding and a narrow key", 1, 4, 64, 3, 5),
    ]


def _with_a_loud_future(case: Case) -> Case:
    """Return the same with every token 1000 above the one before it, for every query."""
    X, W_q, W_k = (case.inputs[name] for name in ("X", "W_q", "W_k"))
    X[..., 0], X[..., 1] = 1, np.arange(X.shape[1])
    # Nothing else counts: float32 has few digits beside 1000.
    W_q[:], W_k[:] = 0, 0
    W_q[0, 0], W_k[1, 0] = 1000 * math.sqrt(W_k.shape[1]), 1
    return case


def _causal_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: Shape,
        padded: bool = True,
        among: tuple[int, ...] = (),
        gradient: bool = False,
    ) -> Case:
        shape = draw_sizes(rng, *typical)
        lengths = draw_lengths(rng, shape[1], shape[0], among=among) if padded else None
        return Case(note, {**_embedded(rng, shape), "valid_length": lengths}, gradient=gradient)

    return [
        case("no padding", (2, 5, 6, 4, 7), padded=False, gradient=True),
        case("padding in at least one sentence", (2, 5, 6, 4, 3), gradient=True),
        case("the extremes: one real token, and all of them", (3, 4, 5, 9, 2), among=(1, ALL)),
        case("all sizes equal", (3, 3, 3, 3, 3)),
        case("few tokens", (2, 2, 4, 3, 5), padded=False),
        case("a single token", (2, 1, 4, 3, 2)),
        _with_a_loud_future(case("later tokens that score far above the rest", (2, 5, 6, 4, 3))),
    ]


# Positional encoding


def _position_zero_is_zeros_and_ones(run: Call, case: Case) -> str | None:
    (encoding,) = run(case)
    first = encoding[0]
    if np.allclose(first[0::2], 0, atol=1e-5) and np.allclose(first[1::2], 1, atol=1e-5):
        return None
    return f"Its first row starts with {first[0]:.4f}, {first[1]:.4f}."


def _positional_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, num_positions: int, pairs: int, odd: bool = False) -> Case:
        num_positions, pairs = draw_sizes(rng, num_positions, pairs)
        return Case(note, {"num_positions": num_positions, "d": 2 * pairs + odd})

    return [
        case("wider than long", 6, int(rng.integers(10, 110))),
        case("more positions than columns", 15, 2),
        case("an odd width: the last column is a sine", 7, 3, odd=True),
        case("a single pair of columns", 9, 1),
        case("a single position", 1, int(rng.integers(3, 100))),
        case("a wide encoding", 12, int(rng.integers(16, 110))),
    ]


# Which of three models leaks?


def _leak_cases(rng: np.random.Generator) -> list[Case]:
    """Return three models that all react to new tokens, and one whose past reacts too.

    tokens: the past tokens that change, by `amount` times a number above 0.05. rounded: whether another
    model's past differs by rounding. strict: whether the first model does not see its own token. least: of
    position, and most. balanced: whether the changes of the past add up to zero.
    """

    def case(
        note: str,
        typical: tuple[int, int],
        tokens: slice,
        amount: float = 0.1,
        rounded: bool = False,
        strict: bool = False,
        leaking: int | None = None,
        least: int = 2,
        most: int | None = None,
        balanced: bool = False,
    ) -> Case:
        shape = draw_sizes(rng, *typical)
        position = int(rng.integers(least, shape[0] - 1 if most is None else most + 1))
        # Wrong ways to look answer with the first model, so it leaks in a case of its own only.
        leaking = int(rng.integers(1, 3)) if leaking is None else leaking
        loudest = 1 if leaking == 0 else 3 - leaking
        # At position itself another one changes most, which shows how far a search for the largest change reaches.
        loudest_there = loudest if strict else 3 - leaking - loudest
        before = rng.normal(size=(3, *shape))
        after = before.copy()
        changes = np.abs(rng.normal(size=before.shape)) + 0.5
        after[:, position:] += changes[:, position:]
        after[loudest_there, position] += 5
        after[loudest, position + 1 :] += 10
        past = changes[leaking, :position]
        if balanced:
            past -= past.mean()
        after[leaking, :position][tokens] += amount * past[tokens]
        if rounded:
            after[0, :position] += 1e-6
        if strict:
            after[0, position] = before[0, position]
        return Case(note, {"before": before, "after": after, "position": position})

    one, other = map(int, rng.permutation([1, 2]))
    return [
        case("only the token just before changes", (6, 4), slice(-1, None), rounded=True, least=3),
        case("only the first token changes", (5, 3), slice(0, 1), strict=True, leaking=one),
        case("the past changes downwards", (7, 2), slice(None), amount=-0.1, strict=True, leaking=other),
        case("only a token in the middle of the past changes", (6, 3), slice(1, 2), least=3),
        case("all of the past changes", (5, 4), slice(None), rounded=True, balanced=True),
        case("the first model", (4, 6), slice(None), leaking=0),
        # A later position sees the new tokens of the first model, an earlier one misses the token just before another.
        case("the last model, and an early position", (5, 5), slice(None), leaking=2, most=2),
    ]


EXERCISES = (
    Exercise(
        name="self_attention",
        title="A sequence that attends to itself",
        statement=(
            "Make queries, keys and values from one batch of embeddings, and let every token attend to all "
            "tokens of its sequence, by scaled dot products. Return the contexts and the weights."
        ),
        rules=("Do not call the library's own attention.",),
        entry="self_attention",
        arguments=EMBEDDING,
        returns=(CONTEXT, Output("weights", SQUARE, map=True)),
        reference=self_attention,
        hints=(
            "One array of embeddings plays three parts: three matrices make queries, keys and values of it.",
            "From there on it is scaled dot-product attention without a mask.",
            "The scale is the square root of the width of a key, `keys.shape[-1]`, which need not be the "
            "width of X. Return the context and the weights.",
        ),
        cases=_self_attention_cases,
        properties=(
            Property("each row of weights must sum to 1", rows_sum_to_one),
            Property(
                "when the tokens change places, the contexts must change places with them",
                _the_order_of_the_tokens_moves_along,
            ),
        ),
        forbidden=library_attention(),
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="causal_self_attention",
        title="No word sees the future",
        statement="Extend self-attention: no token attends to a later one, and none attends to padding.",
        rules=("Do not call the library's own attention.",),
        conditions={
            "valid_length": "padding is hidden as a key only",
            "returns weights": "the row of a padded query sums to 1 as well",
        },
        builds_on=("masked_softmax",),
        helpers=("masked_softmax",),
        entry="causal_self_attention",
        arguments=(*EMBEDDING, Argument("valid_length", "None or (batch,), each at least 1")),
        returns=(CONTEXT, Output("weights", SQUARE, exact_zeros=True, map=True)),
        reference=causal_self_attention,
        hints=(
            "Row i of the weights belongs to query i. Which columns may it see?",
            "Two conditions: the key's position is at most the query's, and the key lies inside its "
            "sentence.",
            "`visible = key <= query`, with an array of positions as a row and as a column; with lengths, "
            "also `key < length`. Fill the scores that are not visible before the softmax.",
        ),
        cases=_causal_cases,
        properties=(
            Property("a later token must not change an earlier result", _the_future_stays_out),
            Property("padding must get no weight", _padding_gets_no_weight),
            Property("each row of weights must sum to 1", rows_sum_to_one),
        ),
        forbidden=library_attention(),
        difficulty=3,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="which_leaks",
        title="Find the leak",
        statement=(
            "In exactly one of three models an output before `position` changes when later tokens change. "
            "Name it."
        ),
        conditions={
            "before": "the outputs of the three models for one sequence",
            "after": (
                "those for the same sequence with new tokens from `position` on; changes of at most 1e-5 are "
                "rounding"
            ),
        },
        entry="which_leaks",
        arguments=(
            Argument("before", "(3, num_tokens, d_v)"),
            Argument("after", "(3, num_tokens, d_v)"),
            Argument("position", "int, at least 1"),
        ),
        returns=(Output("model", '"a", "b" or "c"', plain=True),),
        reference=which_leaks,
        hints=(
            "The new tokens stand at `position` and after it. What must not change, if no model looks ahead?",
            "Compare before and after at the positions below `position` only, for each of the three models.",
            "Take the largest absolute change of each model in `[:, :position]`; rounding may leave a "
            "tiny one, so compare it with `1e-5` and not with 0.",
        ),
        cases=_leak_cases,
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="positional_encoding",
        title="Sines and cosines for every position",
        statement="Write the table of these encodings, for any number of positions and any width.",
        conditions={
            "d": "an odd width ends with a sine",
            "returns encoding": (
                "a row for each position $p$: columns $2i$ and $2i + 1$ are the sine and the cosine of $p / "
                "10000^{2i/d}$"
            ),
        },
        entry="positional_encoding",
        arguments=(Argument("num_positions", "int"), Argument("d", "int, at least 2, odd ones too")),
        returns=(Output("encoding", "(num_positions, d)", map=True),),
        reference=positional_encoding,
        hints=(
            "Even columns are sines, odd columns are cosines, and a pair of neighbours has the same angle.",
            "The angle of column `2i` is the position divided by `10000**(2i / d)`. The numbers 0, 2, 4, "
            "… are `2i` already.",
            "`angles = positions / 10000 ** (even / d)`, with positions as a column and even as a row. An "
            "odd width has one sine more than cosines: cut the cosines to `d // 2` columns.",
        ),
        cases=_positional_cases,
        properties=(
            Property("the row of position 0 must be 0, 1, 0, 1, …", _position_zero_is_zeros_and_ones),
        ),
        difficulty=2,
        minutes=15,
        points=2,
    ),
)
