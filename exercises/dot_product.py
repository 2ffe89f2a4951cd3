"""Exercises on dot-product attention."""

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import Argument, Case, Exercise, Output
from exercises.shared import (
    ALL,
    ATTENTION_PROPERTIES,
    KEYS,
    QUERIES,
    VALID_LENGTH,
    VALUES,
    a_case_of_each,
    draw_sizes,
    draw_valid_lengths,
    one_of,
    places_beyond,
    raise_scores,
)
from solutions.dot_product.in_numpy import dot_product_attention, scaled_scores, score_spread, weights_after

# Scores


def _score_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, gradient: bool = False) -> Case:
        batch, num_queries, num_keys, d = draw_sizes(rng, *typical)
        shapes = {"queries": (batch, num_queries, d), "keys": (batch, num_keys, d)}
        inputs = {name: rng.normal(size=shape) for name, shape in shapes.items()}
        return Case(note, inputs, gradient=gradient)

    return [
        case("all sizes different", 2, 3, 5, 4, gradient=True),
        case("more queries than keys", 3, 6, 2, 5, gradient=True),
        case("a single query", 2, 1, 7, 3),
        case("a single key", 2, 4, 1, 6),
        case("many features", 1, 2, 3, 64),
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
        batch, num_queries, num_keys, d_k, d_v = shape
        inputs = {
            "queries": 1.5 * rng.normal(size=(batch, num_queries, d_k)),
            "keys": 1.5 * rng.normal(size=(batch, num_keys, d_k)),
            "values": rng.normal(size=(batch, num_keys, d_v)),
            "valid_length": draw_valid_lengths(rng, shape, lengths_of, among),
        }
        return Case(note, inputs, {"dropout": dropout}, gradient=gradient)

    loud = case("padding that scores far above the rest", (2, 3, 6, 4, 5), "batch")
    keys = loud.inputs["keys"]
    beyond = places_beyond(keys.shape[1], loud.inputs["valid_length"])
    raise_scores(loud.inputs["queries"], keys, beyond, keys.shape[2])
    return [
        case("every key is valid", (2, 3, 5, 4, 4), gradient=True),
        case("one length for each batch element", (2, 3, 5, 4, 7), "batch", gradient=True),
        case("one length for each query", (2, 3, 5, 6, 6), "query", gradient=True),
        case("the extremes: one valid key, and all of them", (3, 2, 4, 5, 3), "batch", (1, ALL)),
        case("dropout, in evaluation mode", (2, 4, 6, 3, 5), "batch", dropout=0.25),
        case("many features", (1, 3, 4, 64, 2), "batch"),
        case("a single query", (4, 1, 7, 3, 2), "batch", (1, ALL)),
        loud,
    ]


# What changes the weights


CHANGES = (
    "a vector added to all keys",
    "a vector added to all queries",
    "queries doubled",
    "queries doubled, keys halved",
    "a feature of 0 for both",
    "every feature twice",
    "features of both in one new order",
    "features of the keys in a new order",
)


# The spread of a score


def _spread_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, d: int, query_std: float, key_std: float, scaled: bool) -> Case:
        (d,) = draw_sizes(rng, d)
        return Case(note, {"d": d, "query_std": query_std, "key_std": key_std, "scaled": scaled})

    wide, narrow = (float(x) for x in rng.uniform((2.5, 0.3), (3.5, 0.7)).round(2))
    return [
        case("features of unit variance, not scaled", 64, 1.0, 1.0, False),
        case("features of unit variance, scaled", 64, 1.0, 1.0, True),
        case("wide queries and narrow keys, not scaled", 25, wide, narrow, False),
        case("wide queries and narrow keys, scaled", 25, wide, narrow, True),
        case("many features, not scaled", int(rng.integers(90, 200)), 0.7, 1.9, False),
        case("many features, scaled", int(rng.integers(90, 200)), 1.3, 0.6, True),
    ]


EXERCISES = (
    Exercise(
        name="scaled_scores",
        title="Every query with every key",
        statement=(
            "Write the dot product of each query with each key, divided by the square root of the number of their features."
        ),
        rules=("Do not call the library's own attention.",),
        entry="scaled_scores",
        arguments=(QUERIES, KEYS),
        returns=(Output("scores", "(batch, num_queries, num_keys)", map=True),),
        reference=scaled_scores,
        hints=(
            "The score of a pair is a sum over the features. The matrix of all scores is a product of two "
            "matrices.",
            "The keys must be transposed, but not their batch axis: swap the last two axes only.",
            "[`torch.bmm(queries, keys.transpose(1, 2))`]{.torch}[ or ]{.both}[`nd.batch_dot(queries, keys, "
            "transpose_b=True)`]{.mxnet}, divided by the square root of the number of features, "
            "`queries.shape[-1]`.",
        ),
        cases=_score_cases,
        forbidden=library_attention(),
        difficulty=1,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="dot_product_attention",
        title="Dot-product attention",
        statement=(
            "Write attention as a layer, with scaled dot products as scores. Called with queries, keys, "
            "values and their valid length, it returns the context and keeps the weights."
        ),
        rules=("Do not call the library's own attention.",),
        conditions={
            "dropout": "of the weights, in training mode only",
            "keeps attention_weights": "as they are before dropout",
            "valid_length": "with `None` every key is valid",
        },
        entry="DotProductAttention",
        is_class=True,
        arguments=(QUERIES, KEYS, VALUES, VALID_LENGTH),
        settings=(Argument("dropout", "float"),),
        returns=(
            Output("context", "(batch, num_queries, d_v)"),
            Output("attention_weights", "(batch, num_queries, num_keys)", True, exact_zeros=True, map=True),
        ),
        reference=dot_product_attention,
        hints=(
            "In `__init__` you need one thing besides `super().__init__()`: a dropout layer. Everything "
            "else happens in forward.",
            "forward has four steps: scaled scores, masked softmax, keep the weights, average the values. "
            "Dropout acts on the weights, after they are kept.",
            "`self.attention_weights = masked_softmax(scores, valid_length)`; return the batched product "
            "of `self.dropout(self.attention_weights)` and the values.",
        ),
        cases=_attention_cases,
        properties=ATTENTION_PROPERTIES,
        builds_on=("masked_softmax",),
        helpers=("masked_softmax",),
        forbidden=library_attention(),
        difficulty=2,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="weights_after",
        title="What changes the weights?",
        statement=(
            r"Queries and keys are changed. Then the scores, divided by $\sqrt{d_k}$, and the weights are "
            "computed anew. What has the change done to the weights?"
        ),
        conditions={
            "change": (
                "*a feature of 0 for both* appends a 0 to each query and to each key, and *every feature "
                "twice* writes each feature of both two times, so these two change $d_k$ as well"
            ),
            '`"same"`': "the same weights",
            '`"sharper"`': (
                "the ranking of the keys by weight stays, and the largest weight of a query becomes larger"
            ),
            '`"flatter"`': "the ranking stays, and the largest weight becomes smaller",
            '`"other"`': "other weights, in which another key may have the largest weight",
        },
        entry="weights_after",
        arguments=(one_of("change", CHANGES),),
        returns=(Output("effect", 'one of "same", "sharper", "flatter", "other"', plain=True),),
        reference=weights_after,
        hints=(
            "Write the score of one query and one key as a sum over the features, with its divisor. What does "
            "the change do to it?",
            "The softmax cancels a number that is added to all scores of a query. A factor that all scores "
            "have in common changes how far apart they are.",
            "Added to all keys, a vector c adds q · c to every score of a query; added to all queries, it adds "
            "c · k, another number for each key. With more features the divisor, the root of d_k, grows.",
        ),
        cases=a_case_of_each("change", CHANGES),
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="score_spread",
        title="How far do scores spread?",
        statement=(
            "Predict the standard deviation of the score of a query and a key whose entries are independent "
            "and of mean zero."
        ),
        rules=("No array is needed.",),
        conditions={
            "d": "features of a query, and of a key",
            "scaled": r"whether the score is divided by $\sqrt{d}$",
            "query_std": "the standard deviation of the query's entries",
            "key_std": "the standard deviation of the key's entries",
        },
        entry="score_spread",
        arguments=(
            Argument("d", "int"),
            Argument("query_std", "float"),
            Argument("key_std", "float"),
            Argument("scaled", "bool"),
        ),
        returns=(Output("spread", "a float, the standard deviation of a score", plain=True),),
        reference=score_spread,
        hints=(
            "The score is a sum of `d` products. What is the variance of one product of two independent "
            "numbers of mean zero?",
            "The variance of a product is the product of the variances; variances of independent terms "
            "add up. A standard deviation is the root of a variance.",
            "The variance of the score is `d * query_std**2 * key_std**2`. Dividing a number by `sqrt(d)` "
            "divides its variance by `d`.",
        ),
        cases=_spread_cases,
        difficulty=2,
        minutes=10,
        points=1,
    ),
)
