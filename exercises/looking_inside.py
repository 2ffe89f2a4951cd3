"""Exercises on looking inside a trained model: two scores of heads, and a layer without some of its heads."""

import numpy as np

from autograder.model.exercise import Argument, Case, Exercise, Output
from exercises.shared import a_case_of_each, draw_sizes, one_of
from solutions.looking_inside.in_numpy import (
    equal_weights_score,
    induction_score,
    previous_token_score,
    remove_heads,
    scores_near_one,
)
from solutions.self_attention.in_numpy import softmax

WEIGHTS = Argument("weights", "(batch, num_heads, num_tokens, num_tokens)")
SCORES = Output("scores", "(num_heads,)")


def _weights(rng: np.random.Generator, batch: int, heads: int, tokens: int, causal: bool) -> np.ndarray:
    scores = 1.5 * rng.normal(size=(batch, heads, tokens, tokens))
    return softmax(np.where(np.tri(tokens) > 0, scores, -np.inf) if causal else scores)


# The token before


def _previous_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, causal: bool = True, gradient: bool = False) -> Case:
        batch, heads, tokens = draw_sizes(rng, *typical)
        return Case(note, {"weights": _weights(rng, batch, heads, tokens, causal)}, gradient=gradient)

    return [
        case("causal weights", 2, 3, 6, gradient=True),
        case("weights without a mask", 3, 2, 5, causal=False, gradient=True),
        case("one sequence", 1, 4, 7),
        case("one head", 4, 1, 5),
        Case("three tokens", {"weights": _weights(rng, 2, 3, 3, True)}),
    ]


# What came after earlier occurrences


def _passages(rng: np.random.Generator, batch: int, length: int) -> np.ndarray:
    """Draw sequences that repeat a passage, each with a period of its own."""
    periods = rng.permutation(np.arange(2, 2 + batch))
    rows = [rng.permutation(30)[:p][np.arange(length) % p] for p in periods]
    return np.stack(rows)


def _induction_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, *typical: int, kind: str = "few", causal: bool = True, gradient: bool = False
    ) -> Case:
        batch, heads, length = draw_sizes(rng, *typical)
        tokens = rng.integers(length // 2 + 1, size=(batch, length))
        tokens[0, 1] = tokens[0, 2]  # an occurrence right before
        if kind == "passages":
            tokens = _passages(rng, batch, length)
        elif kind == "once":
            tokens[-1] = rng.permutation(2 * length)[:length]
        elif kind == "same":
            tokens[:] = 5
        weights = _weights(rng, batch, heads, length, causal)
        return Case(note, {"weights": weights, "tokens": tokens}, gradient=gradient)

    return [
        case("passages that repeat, each with its own period", 3, 2, 9, kind="passages"),
        case("random tokens", 2, 3, 7, gradient=True),
        case("one sequence in which no token occurs twice", 2, 2, 6, kind="once", gradient=True),
        case("weights without a mask", 3, 2, 6, causal=False),
        case("one head", 4, 1, 8),
        case("one token throughout", 1, 3, 5, kind="same"),
    ]


# A layer without some of its heads


def _remove_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, removed: int, mean: bool = True, gradient: bool = False) -> Case:
        batch, tokens, size, heads = draw_sizes(rng, *typical)
        contexts = rng.normal(size=(batch, heads, tokens, size))
        mask = np.ones(heads, dtype=int)
        mask[: max(heads - 1, 1) if removed < 0 else removed] = 0
        instead = rng.normal(size=(heads, size)) * mean
        W_o = rng.normal(size=(heads * size, heads * size)) / np.sqrt(heads * size)
        inputs = {"contexts": contexts, "W_o": W_o, "kept": rng.permutation(mask), "instead": instead}
        return Case(note, inputs, gradient=gradient)

    return [
        case("one head removed", 2, 5, 2, 3, removed=1, gradient=True),
        case("all heads but one removed", 3, 4, 2, 5, removed=-1, gradient=True),
        case("no head removed", 2, 4, 3, 2, removed=0),
        case("zeros in place of a head", 2, 6, 3, 4, removed=1, mean=False),
        case("the only head removed", 3, 5, 4, 1, removed=1),
        case("a single token", 2, 1, 3, 4, removed=2),
    ]


# What the scores of simple heads are

HEADS = (
    "1 back, passages of 6",
    "5 back, passages of 6",
    "6 back, passages of 6",
    "the first token, passages of 6",
    "1 back, passages of 2",
    "itself, passages of 1",
)


def _equal_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, num_tokens: int, period: int) -> Case:
        return Case(note, {"num_tokens": num_tokens, "period": period})

    def among(least: int, most: int) -> int:
        return int(rng.integers(least, most))

    period = among(5, 20)
    return [
        case("passages to the end", period * among(3, 9), period),
        case("a passage that is cut off", period * among(3, 9) + among(1, period), period),
        case("a second reading alone", among(40, 59), among(30, 39)),
        case("a long text", among(300, 900), among(20, 60)),
        case("passages of two tokens", among(10, 200), 2),
    ]


EXERCISES = (
    Exercise(
        name="previous_token_score",
        title="Does a head look one token back?",
        statement=(
            "For each head, return the weight that a token gives to the token right before it, as the mean "
            "over all tokens that have one, in all sequences of the batch."
        ),
        conditions={
            "weights": "of at least two tokens; the first one has none before it and does not count",
        },
        entry="previous_token_score",
        arguments=(WEIGHTS,),
        returns=(SCORES,),
        reference=previous_token_score,
        hints=(
            "Query t is row t, and the token before it is column t − 1: the diagonal below the main one.",
            "[PyTorch has `weights.diagonal(offset, dim1, dim2)`.]{.torch} "
            "[MXNet has `nd.diag(weights, k, axis1, axis2)`.]{.mxnet}",
            "With offset −1 the diagonal has num_tokens − 1 entries on a new last axis: take the mean over it and "
            "over the batch.",
        ),
        cases=_previous_cases,
        difficulty=1,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="induction_score",
        title="Does a head find what came next?",
        statement=(
            "A query whose token has occurred before in its sequence looks for what came after it. Its "
            "*finds* are all tokens that stand right after an earlier occurrence. For each head, return the "
            "weight that a query gives to its finds, summed, as the mean over all queries of the batch that "
            "have one."
        ),
        conditions={
            "tokens": "at least one token of the batch occurs twice",
            "the finds": (
                "the query's own place is not an earlier occurrence; where the token right before is one, the "
                "query itself is a find"
            ),
        },
        entry="induction_score",
        arguments=(WEIGHTS, Argument("tokens", "(batch, num_tokens), whole numbers")),
        returns=(SCORES,),
        reference=induction_score,
        hints=(
            "First make the matrix (batch, num_tokens, num_tokens) that is 1 where row and column have the same token "
            "and the column is earlier.",
            "Move it one column to the right: now it marks the finds of each row.",
            "Multiply by the weights, with an axis for the heads, and sum; divide by the number of rows that hold a "
            "1: their largest entry, summed.",
        ),
        cases=_induction_cases,
        difficulty=3,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="scores_near_one",
        title="One place, two scores",
        statement=(
            "A passage of different tokens is repeated. A head gives all weight to one place. Which of its two scores is 1: "
            '`"previous"`, `"induction"`, `"both"` or `"neither"`?'
        ),
        conditions={
            "head": "how far back it attends, or else to the first token, and the length of the passage",
        },
        entry="scores_near_one",
        arguments=(one_of("head", HEADS),),
        returns=(Output("scores", 'one of "previous", "induction", "both", "neither"', plain=True),),
        reference=scores_near_one,
        cases=a_case_of_each("head", HEADS),
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="equal_weights_score",
        title="What equal weights score",
        statement=(
            "Each token gives equal weights to itself and to all tokens before it. Derive the induction score of this head."
        ),
        conditions={
            "num_tokens": "more than `period`",
            "period": "so many different tokens are repeated to the end of the text",
        },
        entry="equal_weights_score",
        arguments=(Argument("num_tokens", "int"), Argument("period", "int")),
        returns=(Output("score", "a float, the mean over the queries that have finds", plain=True),),
        reference=equal_weights_score,
        hints=(
            "Count places from 0. From which place on does a token have an earlier occurrence?",
            "Token `t` sees `t + 1` keys, and of these one find for each whole passage before it.",
            "The mean of `(t // period) / (t + 1)`, for `t` from `period` to `num_tokens - 1`.",
        ),
        cases=_equal_cases,
        difficulty=3,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="remove_heads",
        title="Remove heads",
        statement="Remove heads from a layer. Then join the heads and multiply by `W_o`, as a layer does.",
        conditions={
            "contexts": "not changed",
            "W_o": (
                "kept as a layer keeps it, features of the result first; the features of the first head come "
                "first among its columns"
            ),
            "kept": "where it is 1, leave the context of this head as it is",
            "instead": "where `kept` is 0, put this vector of the head in place of its context, at every token",
        },
        entry="remove_heads",
        arguments=(
            Argument("contexts", "(batch, num_heads, num_tokens, head_size)"),
            Argument("W_o", "(num_hiddens, num_hiddens), with num_hiddens = num_heads * head_size"),
            Argument("kept", "(num_heads,), 1 or 0"),
            Argument("instead", "(num_heads, head_size)"),
        ),
        returns=(Output("result", "(batch, num_tokens, num_hiddens)"),),
        reference=remove_heads,
        hints=(
            "Give `kept` the shape (1, num_heads, 1, 1) and `instead` the shape (1, num_heads, 1, head_size).",
            "`kept` times `contexts`, plus `(1 - kept)` times `instead`.",
            "Swap the axes of heads and tokens, reshape to (batch, num_tokens, num_hiddens), and multiply by the "
            "transpose of `W_o`.",
        ),
        cases=_remove_cases,
        difficulty=2,
        minutes=15,
        points=2,
    ),
)
