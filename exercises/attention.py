"""Exercises on attention as a weighted sum."""

from dataclasses import replace

import numpy as np

from autograder.model.exercise import Argument, Call, Case, Exercise, Output, Property
from exercises.shared import KEYS, QUERIES, VALUES, draw_sizes
from solutions.attention.in_numpy import (
    after_permuting,
    attention_pooling,
    nadaraya_watson,
    predict_shapes,
    softmax,
)

CONTEXT = Output("context", "(batch, num_queries, d_v)")
MOVED = ("keys and values", "keys", "values", "queries", "queries, keys and values")


# Pooling with given weights


def _cases_of_pooling(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, typical: tuple[int, int, int, int], gradient: bool = False, share: float = 1.0
    ) -> Case:
        batch, num_queries, num_keys, d_v = draw_sizes(rng, *typical)
        weights = softmax(1.5 * rng.normal(size=(batch, num_queries, num_keys)))
        if share < 1:
            # Dropped as dropout does it, and never a whole row.
            dropped = rng.permuted(np.arange(num_keys) >= share * num_keys, axis=None)
            weights = weights * ~dropped / share
        return Case(
            note, {"weights": weights, "values": rng.normal(size=(batch, num_keys, d_v))}, gradient=gradient
        )

    return [
        case("all sizes different", (2, 3, 5, 7), gradient=True),
        case("more queries than keys", (3, 6, 2, 4), gradient=True),
        case("weights after dropout: their sum is not one", (2, 3, 8, 5), gradient=True, share=0.75),
        case("a single query", (4, 1, 6, 3)),
        case("a single key", (2, 3, 1, 4)),
        case("values of one number each", (2, 5, 4, 1)),
        case("one batch element", (1, 4, 9, 2)),
    ]


# Kernel regression


def _all_ones_stay_ones(run: Call, case: Case) -> str | None:
    ones = np.ones_like(case.inputs["values"])
    (context,) = run(replace(case, inputs={**case.inputs, "values": ones}))
    wrong = np.abs(context.astype(np.float64) - 1)
    if (wrong < 1e-3).all():
        return None
    place = tuple(map(int, np.unravel_index(int(wrong.argmax()), wrong.shape)))
    return f"With all values equal to 1 the context at {place} is {context[place]:.4g}."


def _only_distances_count(run: Call, case: Case) -> str | None:
    moved = {name: case.inputs[name] + 0.5 for name in ("queries", "keys")}
    (before,), (after,) = run(case), run(replace(case, inputs={**case.inputs, **moved}))
    wrong = np.abs(before.astype(np.float64) - after)
    if (wrong < 1e-3 * (1 + np.abs(before))).all():
        return None
    return (
        "Adding 0.5 to every query and every key changes the context, though all distances stay as they were."
    )


def _cases_of_regression(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, ...],
        width: float,
        size: float = 1.0,
        away: float = 0.0,
        gradient: bool = False,
    ) -> Case:
        batch, num_queries, num_keys, d_k, d_v = draw_sizes(rng, *typical)
        inputs = {
            "queries": size * rng.normal(size=(batch, num_queries, d_k)),
            "keys": size * rng.normal(size=(batch, num_keys, d_k)) + away,
            "values": rng.normal(size=(batch, num_keys, d_v)) + 2,
            "width": np.array([width * rng.uniform(0.95, 1.05)]),
        }
        return Case(note, inputs, gradient=gradient)

    return [
        case("a width near 2", (2, 3, 5, 4, 7), 2.0, gradient=True),
        case("a width near 0.75", (2, 4, 6, 2, 3), 0.75, gradient=True),
        case("positions on a line", (2, 3, 5, 1, 1), 0.6, gradient=True),
        case("a single key", (3, 2, 1, 4, 2), 1.5),
        case("a single query", (4, 1, 7, 3, 2), 1.6),
        case("distances in the hundreds", (2, 3, 6, 2, 4), 150.0, size=100.0),
        case("distances in the hundredths", (1, 5, 4, 3, 2), 0.015, size=0.01),
        case("queries many widths away from all keys", (2, 3, 5, 2, 4), 30.0, away=500.0),
    ]


# Shapes, predicted


def _cases_of_shapes(rng: np.random.Generator) -> list[Case]:
    names = ("batch", "num_queries", "num_keys", "d_k", "d_v")
    typical = {
        "all sizes different": (2, 3, 5, 4, 7),
        "a decoder's single query": (4, 1, 9, 16, 8),
        "more queries than keys": (3, 12, 2, 6, 5),
        "sizes like those of a translation model": (32, 20, 25, 512, 1024),
    }
    return [
        Case(note, dict(zip(names, draw_sizes(rng, *numbers, spread=20), strict=True)))
        for note, numbers in typical.items()
    ]


# What order changes


def _cases_of_order(rng: np.random.Generator) -> list[Case]:
    return [Case(f"{moved} in another order", {"moved": moved}) for moved in MOVED]


EXERCISES = (
    Exercise(
        name="predict_shapes",
        title="Shapes before code",
        statement=(
            "Most mistakes with attention are mistakes with shapes. Predict, from the sizes alone: the "
            "shape of the scores, the shape of the context, and how many weights one query has, which "
            "together sum to 1."
        ),
        rules=("No framework is needed.",),
        conditions={
            "returns shapes": "two tuples and a number",
        },
        entry="predict_shapes",
        arguments=(
            Argument("batch", "int"),
            Argument("num_queries", "int"),
            Argument("num_keys", "int"),
            Argument("d_k", "int"),
            Argument("d_v", "int"),
        ),
        returns=(Output("shapes", "(shape of the scores, shape of the context, an int)", plain=True),),
        reference=predict_shapes,
        hints=(
            "There is one score for each query and each key, in every batch element.",
            "The context has one row for each query. How wide is a row? Look at what is averaged.",
            "The softmax goes over the keys, so `num_keys` weights sum to 1. Only the queries and "
            "the keys have an axis of `d_k`; scores and context have none.",
        ),
        cases=_cases_of_shapes,
        difficulty=1,
        minutes=5,
        points=1,
    ),
    Exercise(
        name="attention_pooling",
        title="A weighted sum of values",
        statement=(
            "Given the weights, compute the context: for each query, the values, each times its weight, "
            "added up."
        ),
        rules=("Loops are welcome.",),
        conditions={
            "weights": "used as they are given, also where those of a query do not sum to 1",
        },
        entry="attention_pooling",
        arguments=(Argument("weights", "(batch, num_queries, num_keys)"), VALUES),
        returns=(CONTEXT,),
        reference=attention_pooling,
        hints=(
            "One query's context is one number times one value, plus the next number times the next "
            "value, and so on.",
            "For a batch element, that is a matrix product: the weights have a row for each query, the "
            "values a row for each key.",
            "Two batches of matrices are multiplied in one call, with the weights first: "
            "[`torch.bmm(…, …)`]{.torch}[ or ]{.both}[`nd.batch_dot(…, …)`]{.mxnet}.",
        ),
        cases=_cases_of_pooling,
        difficulty=1,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="nadaraya_watson",
        title="Kernel regression is attention",
        statement=(
            r"Weight each value by $\exp(-\lVert q-k\rVert^2/(2\,\text{width}^2))$, normalised over the "
            r"keys."
        ),
        conditions={
            "queries": "may lie many widths away from all keys",
        },
        entry="nadaraya_watson",
        arguments=(QUERIES, KEYS, VALUES, Argument("width", "(1,)")),
        returns=(CONTEXT,),
        reference=nadaraya_watson,
        hints=(
            "The exponential divided by its sum is a softmax. So you need only the number inside the "
            "exponential, for every query with every key.",
            "Give the queries an axis for the keys, and the keys an axis for the queries. Then subtract, "
            "square, and add up over the last axis.",
            "The gaps are [`queries.unsqueeze(2) - keys.unsqueeze(1)`]{.torch}[, or ]{.both}"
            "[`queries.expand_dims(2) - keys.expand_dims(1)`]{.mxnet}. The scores are minus their squares' sum, divided by `2 * width**2`. Softmax over the last axis, then a "
            "batched product with the values.",
        ),
        cases=_cases_of_regression,
        properties=(
            Property("a weighted average of equal values must be that value", _all_ones_stay_ones),
            Property("only the distances between queries and keys may count", _only_distances_count),
        ),
        difficulty=2,
        minutes=20,
        points=2,
    ),
    Exercise(
        name="after_permuting",
        title="What order changes",
        statement=(
            'Inputs named together are put into the same new order. Is the context the `"same"`, are its '
            'rows `"moved"` to the new order, or are they `"other"` numbers?'
        ),
        entry="after_permuting",
        arguments=(
            Argument(
                "moved", 'one of "keys and values", "keys", "values", "queries", "queries, keys and values"'
            ),
        ),
        returns=(Output("effect", 'one of "same", "moved", "other"', plain=True),),
        reference=after_permuting,
        cases=_cases_of_order,
        difficulty=2,
        minutes=10,
        points=1,
    ),
)
