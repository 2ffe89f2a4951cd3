"""Exercises on additive attention."""

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import Argument, Call, Case, Exercise, Output, Parameter, Property
from exercises.shared import (
    ALL,
    ATTENTION_PROPERTIES,
    KEYS,
    VALID_LENGTH,
    VALUES,
    draw_sizes,
    draw_valid_lengths,
    with_loud_padding,
)
from solutions.additive.in_numpy import additive_attention, additive_scores, score_bytes

QUERIES = Argument("queries", "(batch, num_queries, d_q)")
SHAPES = {"W_q": "(units, d_q)", "W_k": "(units, d_k)", "w_v": "(1, units)"}


# Scores


def _every_query_ranks_alike(run: Call, case: Case) -> str | None:
    (scores,) = run(case)
    if min(scores.shape[1:]) < 2:
        return None
    preferences = scores - scores[:, :, :1]
    if not np.allclose(preferences, preferences[:, :1], atol=1e-5):
        return None
    return "Between keys, the scores differ by the same for every query, and the softmax sees nothing else."


def _score_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, typical: tuple[int, ...], gradient: bool = False) -> Case:
        batch, num_queries, num_keys, d_q, d_k, units = draw_sizes(rng, *typical)
        shapes = {
            "queries": (batch, num_queries, d_q),
            "keys": (batch, num_keys, d_k),
            "W_q": (units, d_q),
            "W_k": (units, d_k),
            "w_v": (1, units),
        }
        inputs = {name: 0.8 * rng.normal(size=shape) for name, shape in shapes.items()}
        return Case(note, inputs, gradient=gradient)

    return [
        case("queries as wide as keys", (2, 3, 5, 4, 4, 6), gradient=True),
        case("queries wider than keys", (2, 3, 4, 6, 2, 5), gradient=True),
        case("more queries than keys", (3, 5, 2, 3, 3, 4)),
        case("a single query", (2, 1, 6, 2, 5, 7)),
        case("a single unit", (2, 4, 3, 3, 4, 1)),
        case("a single key", (1, 3, 1, 4, 4, 5)),
    ]


# Attention


def _attention_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, ...],
        lengths_of: str = "",
        among: tuple[int, ...] = (),
        dropout: float = 0.0,
        gradient: bool = False,
    ) -> Case:
        shape = draw_sizes(rng, *typical)
        batch, num_queries, num_keys, d_q, d_k, d_v, units = shape
        inputs = {
            "queries": rng.normal(size=(batch, num_queries, d_q)),
            "keys": rng.normal(size=(batch, num_keys, d_k)),
            "values": rng.normal(size=(batch, num_keys, d_v)),
            "valid_length": draw_valid_lengths(rng, shape, lengths_of, among),
        }
        parameters = {
            "W_q": 0.8 * rng.normal(size=(units, d_q)),
            "W_k": 0.8 * rng.normal(size=(units, d_k)),
            "w_v": 1.5 * rng.normal(size=(1, units)),
        }
        return Case(note, inputs, {"units": units, "dropout": dropout}, parameters, gradient=gradient)

    return [
        case("every key is valid", (2, 3, 5, 4, 4, 7, 6), gradient=True),
        case("queries wider than keys", (2, 3, 5, 6, 2, 4, 3), "batch", gradient=True),
        case("one length for each query", (2, 3, 4, 3, 3, 5, 8), "query", gradient=True),
        case("the extremes: one valid key, and all of them", (3, 2, 4, 2, 5, 3, 7), "batch", (1, ALL)),
        case("dropout, in evaluation mode", (2, 4, 6, 5, 5, 3, 4), "batch", dropout=0.25),
        case("a single query", (4, 1, 7, 3, 4, 2, 5), "batch", (1, ALL)),
        with_loud_padding(
            case("padding that scores far above the rest", (2, 3, 6, 4, 5, 3, 7), "batch"), "keys"
        ),
    ]


# Memory


def _memory_cases(rng: np.random.Generator) -> list[Case]:
    names = ("batch", "num_queries", "num_keys", "units")

    def case(note: str, *typical: int) -> Case:
        return Case(note, dict(zip(names, draw_sizes(rng, *typical, spread=10), strict=True)))

    return [
        case("a small batch", 2, 3, 5, 7),
        case("sentences of some 50 words", 32, 49, 50, 256),
        case("a single query, as in a decoder's step", 16, 1, 40, 128),
        case("sizes in another order", *map(int, rng.permutation([11, 13, 17, 19]))),
    ]


EXERCISES = (
    Exercise(
        name="additive_scores",
        title="Correct a score whose query has no effect on the weights",
        statement="Correct the score with a tanh for each term, so that each query can rank the keys in its own way.",
        entry="additive_scores",
        arguments=(QUERIES, KEYS, *(Argument(name, shape) for name, shape in SHAPES.items())),
        returns=(Output("scores", "(batch, num_queries, num_keys)", map=True),),
        reference=additive_scores,
        hints=(
            "In the wrong score each term has a tanh of its own. What does the softmax do with a term "
            "that is the same for every key?",
            "Add the two terms first, for every pair of a query and a key, and take one tanh of the sum.",
            "The features have shape `(batch, num_queries, num_keys, units)`: an axis for the keys in the "
            "query's term, one for the queries in the key's. Then a product with `w_v.T`, and the last "
            "axis, of size 1, is removed.",
        ),
        cases=_score_cases,
        properties=(
            Property("each query must be able to rank the keys in its own way", _every_query_ranks_alike),
        ),
        difficulty=2,
        minutes=10,
        points=2,
    ),
    Exercise(
        name="additive_attention",
        title="Additive attention",
        statement="Write additive attention as a layer. It returns the context and keeps the weights.",
        rules=("Do not call the library's own attention.",),
        conditions={
            "dropout": "of the weights, in training mode only",
            "keeps attention_weights": "as they are before dropout",
            "W_q.weight": "without a bias",
            "W_k.weight": "without a bias",
            "w_v.weight": "without a bias",
            "valid_length": "with `None` every key is valid",
            "the score": r"$\mathbf{w}_v^\top \tanh(\mathbf{W}_q \mathbf{q} + \mathbf{W}_k \mathbf{k})$",
        },
        entry="AdditiveAttention",
        is_class=True,
        arguments=(QUERIES, KEYS, VALUES, VALID_LENGTH),
        settings=(Argument("units", "int"), Argument("dropout", "float")),
        parameters={name: Parameter(f"{name}.weight", shape) for name, shape in SHAPES.items()},
        returns=(
            Output("context", "(batch, num_queries, d_v)"),
            Output("attention_weights", "(batch, num_queries, num_keys)", True, exact_zeros=True, map=True),
        ),
        reference=additive_attention,
        hints=(
            "Three layers without a bias: `W_q` for the queries, `W_k` for the keys, and `w_v`, which "
            "makes one number of the `units`. The widths `d_q` and `d_k` are known at the first call.",
            "The scores are those of the exercise above. After them it is the layer of the chapter on the "
            "dot product: masked softmax, keep, dropout, average.",
            "[`torch.nn.LazyLinear(units, bias=False)`.]{.torch} [`gluon.nn.Dense(units, use_bias=False, "
            "flatten=False)`.]{.mxnet} The scores are `w_v` of the tanh, without its last axis.",
        ),
        cases=_attention_cases,
        properties=ATTENTION_PROPERTIES,
        builds_on=("masked_softmax",),
        helpers=("masked_softmax",),
        forbidden=library_attention(),
        difficulty=3,
        minutes=25,
        points=3,
    ),
    Exercise(
        name="score_bytes",
        title="What the sum costs",
        statement="Predict the bytes of the largest float32 array of the additive score and of the dot product.",
        conditions={
            "returns bytes": "additive: from the sum of the two terms on; dot product: the scores",
        },
        entry="score_bytes",
        arguments=tuple(Argument(n, "int") for n in ("batch", "num_queries", "num_keys", "units")),
        returns=(Output("bytes", "a tuple of two ints (additive, dot product)", plain=True),),
        reference=score_bytes,
        hints=(
            "A float32 number takes 4 bytes. How many numbers does each array hold?",
            "The additive score keeps a whole vector of `units` for each pair until `w_v` makes one "
            "number of it.",
            "There are `batch * num_queries * num_keys` pairs: times 4 for the dot product, and times "
            "`units` more for the additive score.",
        ),
        cases=_memory_cases,
        difficulty=2,
        minutes=10,
        points=1,
    ),
)
