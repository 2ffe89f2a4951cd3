"""Exercises on attention as a weighted sum."""

from dataclasses import replace

import numpy as np

from autograder.model.exercise import Argument, Call, Case, Exercise, Misconception, Output, Property
from exercises.shared import KEYS, QUERIES, VALUES, draw_sizes
from solutions.attention.in_numpy import (
    AFTER_PERMUTING,
    Array,
    Shape,
    after_permuting,
    attention_pooling,
    nadaraya_watson,
    predict_shapes,
    softmax,
    squared_distances,
)

CONTEXT = Output("context", "(batch, num_queries, d_v)")


# Pooling with given weights


def values_averaged(weights: Array, values: Array) -> Array:
    return attention_pooling(np.full_like(weights, 1 / weights.shape[2]), values)


def values_summed(weights: Array, values: Array) -> Array:
    return attention_pooling(np.ones_like(weights), values)


def weights_renormalised(weights: Array, values: Array) -> Array:
    return attention_pooling(weights / weights.sum(axis=-1, keepdims=True), values)


def softmax_again(weights: Array, values: Array) -> Array:
    return attention_pooling(softmax(weights), values)


def only_the_heaviest_key(weights: Array, values: Array) -> Array:
    return attention_pooling(np.eye(weights.shape[2])[weights.argmax(axis=-1)], values)


def divided_by_the_number_of_keys(weights: Array, values: Array) -> Array:
    return attention_pooling(weights, values) / weights.shape[2]


def values_of_the_first_batch_element(weights: Array, values: Array) -> Array:
    return attention_pooling(weights, np.broadcast_to(values[:1], values.shape))


def weights_of_the_first_query(weights: Array, values: Array) -> Array:
    return attention_pooling(np.broadcast_to(weights[:, :1], weights.shape), values)


def _cases_of_pooling(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, typical: tuple[int, int, int, int], gradient: bool = False, kept: float = 1.0
    ) -> Case:
        batch, num_queries, num_keys, d_v = draw_sizes(rng, *typical)
        weights = softmax(1.5 * rng.normal(size=(batch, num_queries, num_keys)))
        if kept < 1:
            # Dropped as dropout does it, and never a whole row.
            dropped = rng.permuted(np.arange(num_keys) >= kept * num_keys, axis=None)
            weights = weights * ~dropped / kept
        return Case(
            note, {"weights": weights, "values": rng.normal(size=(batch, num_keys, d_v))}, gradient=gradient
        )

    return [
        case("all sizes different", (2, 3, 5, 7), gradient=True),
        case("more queries than keys", (3, 6, 2, 4), gradient=True),
        case("weights after dropout: their sum is not one", (2, 3, 8, 5), gradient=True, kept=0.75),
        case("a single query", (4, 1, 6, 3)),
        case("a single key", (2, 3, 1, 4)),
        case("values of one number each", (2, 5, 4, 1)),
        case("one batch element", (1, 4, 9, 2)),
    ]


# Kernel regression


def width_not_squared(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return nadaraya_watson(queries, keys, values, np.sqrt(width))


def width_squared_twice(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return nadaraya_watson(queries, keys, values, width**2)


def width_multiplied(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return nadaraya_watson(queries, keys, values, 1 / width)


def factor_two_forgotten(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return nadaraya_watson(queries, keys, values, width / np.sqrt(2))


def distance_not_squared(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    scores = -np.sqrt(squared_distances(queries, keys)) / (2 * width**2)
    return attention_pooling(softmax(scores), values)


def distances_averaged(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return nadaraya_watson(queries, keys, values, width * np.sqrt(keys.shape[2]))


def far_keys_count_more(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    scores = squared_distances(queries, keys) / (2 * width**2)
    return attention_pooling(softmax(scores), values)


def kernel_not_normalised(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    kernel = np.exp(-squared_distances(queries, keys) / (2 * width**2))
    return attention_pooling(kernel, values)


def normalised_over_the_queries(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    scores = -squared_distances(queries, keys) / (2 * width**2)
    return attention_pooling(softmax(scores, axis=1), values)


def all_keys_count_alike(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return nadaraya_watson(np.zeros_like(queries), np.zeros_like(keys), values, width)


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
        note: str, typical: tuple[int, ...], width: float, size: float = 1.0, gradient: bool = False
    ) -> Case:
        batch, num_queries, num_keys, d_k, d_v = draw_sizes(rng, *typical)
        inputs = {
            "queries": size * rng.normal(size=(batch, num_queries, d_k)),
            "keys": size * rng.normal(size=(batch, num_keys, d_k)),
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
    ]


# Shapes, predicted


def context_as_wide_as_keys(
    batch: int, num_queries: int, num_keys: int, d_k: int, d_v: int
) -> tuple[Shape, Shape, int]:
    return (batch, num_queries, num_keys), (batch, num_queries, d_k), num_keys


def a_context_for_each_key(
    batch: int, num_queries: int, num_keys: int, d_k: int, d_v: int
) -> tuple[Shape, Shape, int]:
    return (batch, num_queries, num_keys), (batch, num_keys, d_v), num_keys


def scores_transposed(
    batch: int, num_queries: int, num_keys: int, d_k: int, d_v: int
) -> tuple[Shape, Shape, int]:
    return (batch, num_keys, num_queries), (batch, num_queries, d_v), num_keys


def scores_are_vectors(
    batch: int, num_queries: int, num_keys: int, d_k: int, d_v: int
) -> tuple[Shape, Shape, int]:
    return (batch, num_queries, num_keys, d_k), (batch, num_queries, d_v), num_keys


def batch_forgotten(
    batch: int, num_queries: int, num_keys: int, d_k: int, d_v: int
) -> tuple[Shape, Shape, int]:
    return (num_queries, num_keys), (num_queries, d_v), num_keys


def softmax_over_the_queries(
    batch: int, num_queries: int, num_keys: int, d_k: int, d_v: int
) -> tuple[Shape, Shape, int]:
    return (batch, num_queries, num_keys), (batch, num_queries, d_v), num_queries


def softmax_over_the_matrix(
    batch: int, num_queries: int, num_keys: int, d_k: int, d_v: int
) -> tuple[Shape, Shape, int]:
    return (batch, num_queries, num_keys), (batch, num_queries, d_v), num_queries * num_keys


def _cases_of_shapes(rng: np.random.Generator) -> list[Case]:
    names = ("batch", "num_queries", "num_keys", "d_k", "d_v")
    typical = {
        "all sizes different": (2, 3, 5, 4, 7),
        "a decoder's single query": (4, 1, 9, 16, 8),
        "more queries than keys": (3, 12, 2, 6, 5),
        "sizes like those of a translation model": (32, 20, 25, 512, 1024),
    }
    return [
        Case(note, dict(zip(names, draw_sizes(rng, *numbers), strict=True)))
        for note, numbers in typical.items()
    ]


# What order changes


def nothing_depends_on_order(moved: str) -> str:
    return "same"


def everything_moves_along(moved: str) -> str:
    return "moved"


def a_sum_ignores_any_order(moved: str) -> str:
    return "same" if moved in ("keys", "values") else after_permuting(moved)


def queries_have_no_order(moved: str) -> str:
    return "same" if moved == "queries" else after_permuting(moved)


def self_attention_invariant(moved: str) -> str:
    return "same" if moved == "queries, keys and values" else after_permuting(moved)


def pairs_move_the_context(moved: str) -> str:
    return "moved" if moved == "keys and values" else after_permuting(moved)


def _cases_of_order(rng: np.random.Generator) -> list[Case]:
    return [Case(f"{moved} in another order", {"moved": moved}) for moved in AFTER_PERMUTING]


EXERCISES = (
    Exercise(
        name="attention_pooling",
        title="A weighted sum of values",
        statement=(
            "Given the weights, compute the context: for each query, the values, each times its weight, "
            "added up."
        ),
        rules=(
            "Loops are welcome.",
            "Take the weights as they come.",
        ),
        entry="attention_pooling",
        arguments=(Argument("weights", "(batch, num_queries, num_keys)"), VALUES),
        returns=(CONTEXT,),
        reference=attention_pooling,
        misconceptions=(
            Misconception(
                values_averaged,
                "The weights have no effect: every query gets the plain average of the values.",
            ),
            Misconception(
                values_summed,
                "The values are added up without their weights: multiply each value by its weight first.",
            ),
            Misconception(
                weights_renormalised,
                "The weights are divided by their sum first. Take them as they come: after dropout a row "
                "does not sum to one, and that is meant.",
            ),
            Misconception(
                softmax_again,
                "A softmax is applied to the weights, but they are weights already: a second softmax "
                "makes them almost equal.",
            ),
            Misconception(
                only_the_heaviest_key,
                "Only the value with the largest weight counts. Attention mixes all the values, "
                "each by its weight.",
            ),
            Misconception(
                divided_by_the_number_of_keys,
                "The weighted values are averaged, so the context is too small by the number of keys: "
                "the weights of a query sum to 1 already, so add the weighted values up.",
            ),
            Misconception(
                values_of_the_first_batch_element,
                "Every batch element reads the values of the first one: weights[b] belong to values[b].",
            ),
            Misconception(
                weights_of_the_first_query,
                "All queries use the weights of the first one: each query has a row of weights of its own.",
            ),
        ),
        hints=(
            "One query's context is one number times one value, plus the next number times the next "
            "value, and so on.",
            "For a batch element, that is a matrix product: the weights have a row for each query, the "
            "values a row for each key.",
            "Both libraries multiply two batches of matrices in one call: `nd.batch_dot(…, …)` or "
            "`torch.bmm(…, …)`, with the weights first.",
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
        entry="nadaraya_watson",
        arguments=(QUERIES, KEYS, VALUES, Argument("width", "(1,)")),
        returns=(CONTEXT,),
        reference=nadaraya_watson,
        misconceptions=(
            Misconception(
                width_not_squared,
                "The squared distance is divided by twice the width; the Gaussian divides it by twice the "
                "width squared, so that both are in the same unit.",
            ),
            Misconception(
                width_squared_twice,
                "The width is squared twice: divide the squared distance by 2 * width**2, "
                "not by 2 * width**4.",
            ),
            Misconception(
                width_multiplied,
                "The distances are multiplied by the width, so a larger width looks at fewer keys: "
                "divide by it.",
            ),
            Misconception(
                factor_two_forgotten,
                "The factor 2 is missing: the Gaussian is exp(-distance**2 / (2 * width**2)).",
            ),
            Misconception(
                distance_not_squared,
                "The distance itself is in the exponent: the Gaussian takes its square.",
            ),
            Misconception(
                distances_averaged,
                "The squared differences are averaged over the d_k coordinates: "
                "a squared distance is their sum.",
            ),
            Misconception(
                far_keys_count_more,
                "The minus sign is missing: the keys that are furthest away get the most weight.",
            ),
            Misconception(
                kernel_not_normalised,
                "The kernel is not normalised: far from every key the context falls to zero. Divide each "
                "row by its sum over the keys.",
            ),
            Misconception(
                normalised_over_the_queries,
                "The weights are normalised over the queries: each query's weights must sum to one "
                "over the keys.",
            ),
            Misconception(
                all_keys_count_alike,
                "All keys count alike, so every query gets the average of the values: "
                "let near keys count more.",
            ),
        ),
        hints=(
            "The exponential divided by its sum is a softmax. So you need only the number inside the "
            "exponential, for every query with every key.",
            "Give the queries an axis for the keys, and the keys an axis for the queries. Then subtract, "
            "square, and add up over the last axis.",
            "The gaps are `queries.unsqueeze(2) - keys.unsqueeze(1)` (`expand_dims` in MXNet). The scores "
            "are minus their squares' sum, divided by `2 * width**2`. Softmax over the last axis, then a "
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
        name="predict_shapes",
        title="Shapes before code",
        statement=(
            "Most mistakes with attention are mistakes with shapes. Predict, from the sizes alone: the "
            "shape of the scores, the shape of the context, and how many weights sum to 1."
        ),
        rules=("Return two tuples and a number; no framework is needed.",),
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
        misconceptions=(
            Misconception(
                context_as_wide_as_keys,
                "Your context is as wide as a key. It is a mixture of values, so its width is d_v.",
            ),
            Misconception(
                a_context_for_each_key,
                "Your context has a row for each key. There is one context for each query, that is the point "
                "of asking.",
            ),
            Misconception(
                scores_transposed,
                "Your scores have a row for each key: in this course rows are queries and columns are keys.",
            ),
            Misconception(
                scores_are_vectors,
                "Your scores still have the axis d_k: a score is one number that says how well "
                "a key fits a query.",
            ),
            Misconception(
                batch_forgotten,
                "The batch axis is missing: every batch element has scores and contexts of its own.",
            ),
            Misconception(
                softmax_over_the_queries,
                "The weights of one key sum to 1 over the queries. The weights of one query must sum to 1, and there are as "
                "many of them as keys.",
            ),
            Misconception(
                softmax_over_the_matrix,
                "The entries of the whole matrix sum to 1 together. Each row, the weights of one query, "
                "must sum to 1 by itself.",
            ),
        ),
        hints=(
            "There is one score for each query and each key, in every batch element.",
            "The context has one row for each query. How wide is a row? Look at what is averaged.",
            "The softmax goes over the keys, so `num_keys` weights sum to 1. No size here depends on "
            "`d_k` but the queries and keys themselves.",
        ),
        cases=_cases_of_shapes,
        difficulty=1,
        minutes=5,
        points=1,
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
        misconceptions=(
            Misconception(
                nothing_depends_on_order,
                "You hold attention to be invariant to every reordering. Only moving keys and values "
                "together leaves the context as it was.",
            ),
            Misconception(
                everything_moves_along,
                "You let the context move with whatever is moved. It has one row for each query, so it moves "
                "only when the queries do.",
            ),
            Misconception(
                a_sum_ignores_any_order,
                "A sum ignores the order of its terms, but a term is a weight times a value: moving only the "
                "keys, or only the values, makes other terms.",
            ),
            Misconception(
                queries_have_no_order,
                "Row 2 of the context answers query 2: when the queries move, the rows move with them.",
            ),
            Misconception(
                self_attention_invariant,
                "Self-attention is not invariant: its queries move too, and the rows of the context "
                "with them. That is called equivariant.",
            ),
            Misconception(
                pairs_move_the_context,
                "Moving keys and values together moves no query: each context is a sum "
                "of the very same terms.",
            ),
        ),
        cases=_cases_of_order,
        difficulty=2,
        minutes=10,
        points=1,
    ),
)
