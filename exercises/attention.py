"""Exercises on attention as a weighted sum."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from autograder.model.exercise import Argument, Call, Case, Exercise, Misconception, Output, Property
from exercises.shared import KEYS, QUERIES, VALUES, draw_sizes, shared_anew, with_inputs
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


def last_key_left_out(weights: Array, values: Array) -> Array:
    return attention_pooling(weights[..., :-1], values[:, :-1])


def first_key_left_out(weights: Array, values: Array) -> Array:
    return attention_pooling(weights[..., 1:], values[:, 1:])


def only_the_last_key(weights: Array, values: Array) -> Array:
    return attention_pooling(weights[..., -1:], values[:, -1:])


def only_the_first_key(weights: Array, values: Array) -> Array:
    return attention_pooling(weights[..., :1], values[:, :1])


def sum_carried_to_the_next_query(weights: Array, values: Array) -> Array:
    return attention_pooling(weights, values).cumsum(axis=1)


def batch_elements_added_up(weights: Array, values: Array) -> Array:
    return attention_pooling(weights, np.broadcast_to(values.sum(axis=0), values.shape))


def weights_of_the_first_batch_element(weights: Array, values: Array) -> Array:
    return attention_pooling(np.broadcast_to(weights[:1], weights.shape), values)


def softmax_of_the_values(weights: Array, values: Array) -> Array:
    return attention_pooling(weights, softmax(values))


def softmax_of_the_values_over_the_keys(weights: Array, values: Array) -> Array:
    return attention_pooling(weights, softmax(values, axis=1))


def weights_added_to_the_values(weights: Array, values: Array) -> Array:
    return np.asarray((weights[..., None] + values[:, None]).sum(axis=2))


def weights_squared(weights: Array, values: Array) -> Array:
    return attention_pooling(weights**2, values)


def values_squared(weights: Array, values: Array) -> Array:
    return attention_pooling(weights, values**2)


def normalised_again_over_the_queries(weights: Array, values: Array) -> Array:
    return attention_pooling(shared_anew(weights, axis=1), values)


def weights_reshaped(weights: Array, values: Array) -> Array:
    batch, num_queries, num_keys = weights.shape
    return attention_pooling(weights.reshape(batch, num_keys, num_queries).swapaxes(1, 2), values)


def values_in_reverse(weights: Array, values: Array) -> Array:
    return attention_pooling(weights, values[:, ::-1])


def queries_averaged(weights: Array, values: Array) -> Array:
    context = attention_pooling(weights, values)
    return np.broadcast_to(context.mean(axis=1, keepdims=True), context.shape)


def largest_product(weights: Array, values: Array) -> Array:
    return products_not_summed(weights, values).max(axis=2)


def products_not_summed(weights: Array, values: Array) -> Array:
    return np.asarray(weights[..., None] * values[:, None])


def queries_added_up(weights: Array, values: Array) -> Array:
    return attention_pooling(weights, values).sum(axis=1)


def queries_added_up_for_each_key(weights: Array, values: Array) -> Array:
    return products_not_summed(weights, values).sum(axis=1)


def context_transposed(weights: Array, values: Array) -> Array:
    return attention_pooling(weights, values).swapaxes(1, 2)


def only_the_first_batch_element(weights: Array, values: Array) -> Array:
    return attention_pooling(weights[:1], values[:1])


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


def _kernel(queries: Array, keys: Array, width: Array) -> Array:
    return np.exp(-squared_distances(queries, keys) / (2 * width**2))


def kernels_of_the_features_added(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    gaps = queries[:, :, None] - keys[:, None]
    kernel = np.exp(-(gaps**2) / (2 * width**2)).sum(axis=-1)
    return attention_pooling(kernel / kernel.sum(axis=-1, keepdims=True), values)


def kernel_not_normalised(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return attention_pooling(_kernel(queries, keys, width), values)


def normalised_over_the_queries(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    scores = -squared_distances(queries, keys) / (2 * width**2)
    return attention_pooling(softmax(scores, axis=1), values)


def all_keys_count_alike(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return nadaraya_watson(np.zeros_like(queries), np.zeros_like(keys), values, width)


def two_squared_too(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return nadaraya_watson(queries, keys, values, width * np.sqrt(2))


def width_left_out(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return nadaraya_watson(queries, keys, values, np.ones(1))


def distance_over_two_widths(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    scores = -np.sqrt(squared_distances(queries, keys)) / (2 * width)
    return attention_pooling(softmax(scores), values)


def distance_over_width(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    scores = -np.sqrt(squared_distances(queries, keys)) / width
    return attention_pooling(softmax(scores), values)


def differences_not_squared(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    gaps = queries[:, :, None, :] - keys[:, None, :, :]
    return attention_pooling(softmax(-np.abs(gaps).sum(axis=-1) / (2 * width**2)), values)


def summed_before_squaring(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return nadaraya_watson(
        queries.sum(axis=-1, keepdims=True), keys.sum(axis=-1, keepdims=True), values, width
    )


def sum_for_difference(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return nadaraya_watson(queries, -keys, values, width)


def cross_term_once(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    distances = squared_distances(queries, keys) + queries @ keys.swapaxes(1, 2)
    return attention_pooling(softmax(-distances / (2 * width**2)), values)


def products_for_distances(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return attention_pooling(softmax(queries @ keys.swapaxes(1, 2) / (2 * width**2)), values)


def softmax_of_the_kernel(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return attention_pooling(softmax(_kernel(queries, keys, width)), values)


def scaled_after_the_softmax(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return nadaraya_watson(queries, keys, values, np.sqrt(0.5)) / (2 * width**2)


def kernel_over_the_number_of_keys(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return attention_pooling(_kernel(queries, keys, width), values) / keys.shape[1]


def kernel_is_a_density(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return attention_pooling(_kernel(queries, keys, width), values) / (np.sqrt(2 * np.pi) * width)


def normalised_over_all_pairs(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    kernel = _kernel(queries, keys, width)
    return attention_pooling(kernel / kernel.sum(axis=(1, 2), keepdims=True), values)


def normalised_over_the_batch(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    scores = -squared_distances(queries, keys) / (2 * width**2)
    return attention_pooling(softmax(scores, axis=0), values)


def only_the_nearest_key(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    nearest = squared_distances(queries, keys).argmin(axis=-1)
    return attention_pooling(np.eye(keys.shape[1])[nearest], values)


def keys_pooled(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return nadaraya_watson(queries, keys, keys, width)


def only_the_distance_over_the_width(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return nadaraya_watson(queries, keys, values, np.sqrt(width / 2))


def distance_over_squared_width(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return attention_pooling(softmax(-np.sqrt(squared_distances(queries, keys)) / width**2), values)


def distance_squared_twice(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return attention_pooling(softmax(-(squared_distances(queries, keys) ** 2) / (2 * width**2)), values)


def width_and_two_left_out(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return nadaraya_watson(queries, keys, values, np.sqrt(np.full(1, 0.5)))


def softmax_twice(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    weights = softmax(-squared_distances(queries, keys) / (2 * width**2))
    return attention_pooling(softmax(weights), values)


def exponential_left_out(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    scores = squared_distances(queries, keys) / (2 * width**2)
    return attention_pooling(scores / scores.sum(axis=-1, keepdims=True), values)


def near_keys_by_their_reciprocal(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    scores = 1 / (1 + squared_distances(queries, keys) / (2 * width**2))
    return attention_pooling(scores / scores.sum(axis=-1, keepdims=True), values)


def scores_for_weights(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return attention_pooling(-squared_distances(queries, keys) / (2 * width**2), values)


def products_over_width(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return attention_pooling(softmax(queries @ keys.swapaxes(1, 2) / width), values)


def weights_returned(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    return softmax(-squared_distances(queries, keys) / (2 * width**2))


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


def _pairs(s: SimpleNamespace) -> Shape:
    return (s.batch, s.num_queries, s.num_keys)


def _context(s: SimpleNamespace) -> Shape:
    return (s.batch, s.num_queries, s.d_v)


@with_inputs
def scores_as_wide_as_keys(s: SimpleNamespace) -> tuple[Shape, Shape, int]:
    return (s.batch, s.num_queries, s.d_k), _context(s), s.num_keys


@with_inputs
def one_score_for_each_query(s: SimpleNamespace) -> tuple[Shape, Shape, int]:
    return (s.batch, s.num_queries), _context(s), s.num_keys


@with_inputs
def one_context_for_all_queries(s: SimpleNamespace) -> tuple[Shape, Shape, int]:
    return _pairs(s), (s.batch, s.d_v), s.num_keys


@with_inputs
def context_keeps_the_keys(s: SimpleNamespace) -> tuple[Shape, Shape, int]:
    return _pairs(s), (s.batch, s.num_queries, s.num_keys, s.d_v), s.num_keys


@with_inputs
def context_as_wide_as_the_weights(s: SimpleNamespace) -> tuple[Shape, Shape, int]:
    return _pairs(s), _pairs(s), s.num_keys


@with_inputs
def context_has_a_row_for_each_feature(s: SimpleNamespace) -> tuple[Shape, Shape, int]:
    return _pairs(s), (s.batch, s.d_v, s.num_queries), s.num_keys


@with_inputs
def context_is_like_the_values(s: SimpleNamespace) -> tuple[Shape, Shape, int]:
    return _pairs(s), (s.batch, s.num_keys, s.d_v), s.d_v


@with_inputs
def queries_and_keys_exchanged(s: SimpleNamespace) -> tuple[Shape, Shape, int]:
    return (s.batch, s.num_keys, s.num_queries), (s.batch, s.num_keys, s.d_v), s.num_queries


@with_inputs
def rows_are_keys(s: SimpleNamespace) -> tuple[Shape, Shape, int]:
    return (s.batch, s.num_keys, s.num_queries), _context(s), s.num_queries


@with_inputs
def a_weight_for_each_feature_of_a_value(s: SimpleNamespace) -> tuple[Shape, Shape, int]:
    return _pairs(s), _context(s), s.d_v


@with_inputs
def a_weight_for_each_feature_of_a_key(s: SimpleNamespace) -> tuple[Shape, Shape, int]:
    return _pairs(s), _context(s), s.d_k


@with_inputs
def all_weights_counted(s: SimpleNamespace) -> tuple[Shape, Shape, int]:
    return _pairs(s), _context(s), s.batch * s.num_queries * s.num_keys


@with_inputs
def the_sum_for_the_count(s: SimpleNamespace) -> tuple[Shape, Shape, int]:
    return _pairs(s), _context(s), 1


@with_inputs
def a_shape_for_the_count(s: SimpleNamespace) -> tuple[Shape, Shape, Shape]:
    return _pairs(s), _context(s), (s.batch, s.num_keys)


@with_inputs
def context_first(s: SimpleNamespace) -> tuple[Shape, Shape, int]:
    return _context(s), _pairs(s), s.num_keys


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


def order_always_matters(moved: str) -> str:
    return "other"


def queries_make_other_numbers(moved: str) -> str:
    return "other" if moved == "queries" else after_permuting(moved)


def keys_alone_change_nothing(moved: str) -> str:
    return "same" if moved == "keys" else after_permuting(moved)


def values_alone_change_nothing(moved: str) -> str:
    return "same" if moved == "values" else after_permuting(moved)


def keys_move_the_context(moved: str) -> str:
    return "moved" if moved in ("keys", "values") else after_permuting(moved)


def queries_other_and_keys_the_same(moved: str) -> str:
    return "other" if moved == "queries" else a_sum_ignores_any_order(moved)


def queries_the_same_and_pairs_moved(moved: str) -> str:
    return "same" if moved == "queries" else pairs_move_the_context(moved)


def keys_alone_move_the_context(moved: str) -> str:
    return "moved" if moved == "keys" else after_permuting(moved)


def values_alone_move_the_context(moved: str) -> str:
    return "moved" if moved == "values" else after_permuting(moved)


def _cases_of_order(rng: np.random.Generator) -> list[Case]:
    return [Case(f"{moved} in another order", {"moved": moved}) for moved in AFTER_PERMUTING]


EXERCISES = (
    Exercise(
        name="predict_shapes",
        title="Shapes before code",
        statement=(
            "Most mistakes with attention are mistakes with shapes. Predict, from the sizes alone: the "
            "shape of the scores, the shape of the context, and how many weights one query has, which "
            "together sum to 1."
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
            Misconception(
                scores_as_wide_as_keys,
                "Your scores are as wide as a key: the product sums over d_k, and what is left is one number for each query and each key.",
            ),
            Misconception(
                one_score_for_each_query,
                "Your scores have lost the keys: a query has one score for each key.",
            ),
            Misconception(
                one_context_for_all_queries,
                "There is one context for a whole batch element: every query gets a context of its own.",
            ),
            Misconception(
                context_keeps_the_keys,
                "Your context still has an axis for the keys: it is a sum over them, so they are gone.",
            ),
            Misconception(
                context_as_wide_as_the_weights,
                "Your context has the shape of the weights: multiplied with the values, the keys are summed away, and d_v is left.",
            ),
            Misconception(
                context_has_a_row_for_each_feature,
                "The last two sizes of your context are exchanged: there is a row for each query, of d_v numbers.",
            ),
            Misconception(
                context_is_like_the_values,
                "The context has the shape of the values, and d_v weights are counted. It has a row for each query, and a query has one weight for each key.",
            ),
            Misconception(
                queries_and_keys_exchanged,
                "Queries and keys have changed places everywhere: each query is compared with all keys, so rows are queries, and num_keys weights sum to 1.",
            ),
            Misconception(
                rows_are_keys,
                "Your scores have a row for each key, whose weights sum to 1 over the queries: in this course a row belongs to a query, and its num_keys weights sum to 1.",
            ),
            Misconception(
                a_weight_for_each_feature_of_a_value,
                "This is a weight for each feature of a value: a weight multiplies a whole value, and there are num_keys values.",
            ),
            Misconception(
                a_weight_for_each_feature_of_a_key,
                "This is a weight for each feature of a key: the d_k features make one score, and so one weight, for each key.",
            ),
            Misconception(
                all_weights_counted,
                "These are all the weights of the batch: those of one query sum to 1 by themselves, and there are num_keys of them.",
            ),
            Misconception(
                the_sum_for_the_count,
                "This is what the weights sum to, 1: asked is how many of them there are in such a sum.",
            ),
            Misconception(
                a_shape_for_the_count,
                "The third answer is a shape: asked is a number, how many weights of one query sum to 1.",
            ),
            Misconception(
                context_first,
                "The shapes are returned in another order: the scores come first, then the context.",
            ),
        ),
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
        rules=(
            "Loops are welcome.",
            "Use the weights as they are given, also where those of a query do not sum to 1.",
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
            Misconception(
                last_key_left_out,
                "The last key is left out of the sum: range(n) ends at n - 1 by itself, so add up over range(num_keys).",
            ),
            Misconception(
                first_key_left_out,
                "The first key is left out of the sum: positions begin at 0, so add up over all of range(num_keys).",
            ),
            Misconception(
                only_the_last_key,
                "Only the last key is left in the result, as where each step of a loop replaces what stood there: add to it, with += in place of =.",
            ),
            Misconception(
                only_the_first_key,
                "Only the first key counts, as where a loop returns in its first step: add up over all the keys, then return.",
            ),
            Misconception(
                sum_carried_to_the_next_query,
                "Each context holds those of the queries before it too: the sum must start at zero again for each query.",
            ),
            Misconception(
                batch_elements_added_up,
                "The values of all batch elements are added up: weights[b] belong to values[b] alone, so the batch axis stays.",
            ),
            Misconception(
                weights_of_the_first_batch_element,
                "Every batch element uses the weights of the first one: values[b] belong to weights[b].",
            ),
            Misconception(
                softmax_of_the_values,
                "A softmax is applied to the values, which turns them into other numbers: mix the values as they are.",
            ),
            Misconception(
                largest_product,
                "The largest of the weighted values is kept, for each feature: add them all up.",
            ),
            Misconception(
                products_not_summed,
                "The weighted values are not added up: there is still one vector for each pair of a query and a key. Sum over the keys.",
            ),
            Misconception(
                queries_added_up,
                "The contexts of all queries are added up: each query has a context of its own, so the axis of the queries stays.",
            ),
            Misconception(
                queries_added_up_for_each_key,
                "The sum runs over the queries, so there is a row for each key: for each query, add up over the keys.",
            ),
            Misconception(
                context_transposed,
                "Your context has a row for each feature: it must have one row for each query, so multiply weights @ values in this order and do not transpose.",
            ),
            Misconception(
                only_the_first_batch_element,
                "Only the first batch element is computed: every one needs its context.",
            ),
            Misconception(
                softmax_of_the_values_over_the_keys,
                "A softmax over the keys is applied to the values: the weights are given, and the values are mixed as they are.",
            ),
            Misconception(
                weights_added_to_the_values,
                "Each weight is added to its value, where it must be multiplied with it.",
            ),
            Misconception(
                weights_squared,
                "The weights count twice, so that the large ones win: multiply each value by its weight once.",
            ),
            Misconception(
                values_squared,
                "The values are squared: multiply each by its weight, and leave it as it is otherwise.",
            ),
            Misconception(
                normalised_again_over_the_queries,
                "The weights are divided by their sum over the queries: take them as they come.",
            ),
            Misconception(
                weights_reshaped,
                "The weights are reshaped where nothing is to be changed, or an axis is to be swapped: numbers of one query then land in the row of another.",
            ),
            Misconception(
                values_in_reverse, "Weight and value run in opposite orders: weight k belongs to value k."
            ),
            Misconception(
                queries_averaged, "All queries get the mean of their contexts: each query keeps its own."
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
                kernels_of_the_features_added,
                "The exponential is taken of each feature's gap, and these are added. Add the squared gaps of all "
                "features first: the exponential is taken of their sum.",
            ),
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
            Misconception(
                two_squared_too,
                "The divisor comes out as 4 * width**2, as where the 2 is squared along with the width: the Gaussian divides by 2 * width**2.",
            ),
            Misconception(
                width_left_out,
                "The width has no effect, as if it were 1: divide the squared distance by 2 * width**2.",
            ),
            Misconception(
                distance_over_two_widths,
                "The distance is not squared, and neither is the width: the Gaussian's exponent is -distance**2 / (2 * width**2).",
            ),
            Misconception(
                distance_over_width,
                "The exponent is -distance / width, which is the exponential kernel: the Gaussian's is -distance**2 / (2 * width**2).",
            ),
            Misconception(
                differences_not_squared,
                "The absolute differences are added up: a squared distance adds up the squares of the differences.",
            ),
            Misconception(
                summed_before_squaring,
                "The differences are added up first and squared then, so that they cancel one another: square each, then add up.",
            ),
            Misconception(
                sum_for_difference,
                "Query and key are added, so that a key far on the other side counts as near: subtract them. In an expanded square, the term in q.k has a minus sign.",
            ),
            Misconception(
                cross_term_once,
                "The square is expanded with q.k only once: |q - k|**2 is |q|**2 - 2 q.k + |k|**2.",
            ),
            Misconception(
                products_for_distances,
                "Dot products stand in the exponent, in place of distances: a long key wins there over a near one. Use minus the squared distance.",
            ),
            Misconception(
                softmax_of_the_kernel,
                "The exponential is taken twice: the softmax takes one itself, so give it -distance**2 / (2 * width**2) without exp.",
            ),
            Misconception(
                scaled_after_the_softmax,
                "The weights are divided by 2 * width**2, and no longer sum to 1: divide the squared distances, then take the softmax.",
            ),
            Misconception(
                kernel_over_the_number_of_keys,
                "The weighted values are divided by the number of keys: divide by the sum of the kernel over the keys.",
            ),
            Misconception(
                kernel_is_a_density,
                "The kernel is divided by sqrt(2 pi) * width, as a density is: here the weights of a query must sum to 1, so divide by their sum over the keys.",
            ),
            Misconception(
                normalised_over_all_pairs,
                "The weights of all queries sum to 1 together: those of each query must, so sum over the keys alone.",
            ),
            Misconception(
                normalised_over_the_batch,
                "The weights are normalised over the batch elements: each query's weights must sum to one over the keys.",
            ),
            Misconception(
                only_the_nearest_key,
                "Only the nearest key counts: every key has a weight, which falls with its distance.",
            ),
            Misconception(
                keys_pooled,
                "The context is an average of the keys: keys decide the weights, and what is averaged are the values.",
            ),
            Misconception(
                only_the_distance_over_the_width,
                "The squared distance is divided by the width alone: square the width, and put the factor 2 before it.",
            ),
            Misconception(
                distance_over_squared_width,
                "The distance is not squared and the factor 2 is missing: the exponent is -distance**2 / (2 * width**2).",
            ),
            Misconception(
                distance_squared_twice,
                "The squared distance is squared again: add up the squared differences, without a further square.",
            ),
            Misconception(
                width_and_two_left_out,
                "The exponent is the squared distance alone: divide it by 2 * width**2.",
            ),
            Misconception(
                softmax_twice,
                "The softmax is taken twice, which makes the weights nearly equal: take it once.",
            ),
            Misconception(
                exponential_left_out,
                "The exponential is missing: squared distances divided by their sum give the far keys the most weight. Take the softmax of their negatives.",
            ),
            Misconception(
                near_keys_by_their_reciprocal,
                "The weights fall like the reciprocal of the squared distance, and not like a Gaussian: take exp(-distance**2 / (2 * width**2)).",
            ),
            Misconception(
                scores_for_weights,
                "The exponents themselves are the weights, negative and without a sum of 1: take their softmax over the keys first.",
            ),
            Misconception(
                products_over_width,
                "The weights come from dot products over the width: take minus the squared distance over 2 * width**2.",
            ),
            Misconception(
                weights_returned, "These are the weights: multiply them with the values, and add up."
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
                "Attention is not invariant to every reordering. Only moving keys and values together leaves the context as it was.",
            ),
            Misconception(
                everything_moves_along,
                "The context does not move with whatever is moved. It has one row for each query, so it moves only when the queries do.",
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
            Misconception(
                order_always_matters,
                "Not every new order makes other numbers. Pairs of a key and a value that move together give the same sums, and queries that move take their rows with them.",
            ),
            Misconception(
                queries_make_other_numbers,
                "A query that moves has the same scores, and so the same context, as a row at its new place.",
            ),
            Misconception(
                keys_alone_change_nothing,
                "Keys that move alone have an effect: the softmax moves the weights with the keys, but the values stay, so each weight meets another value.",
            ),
            Misconception(
                values_alone_change_nothing,
                "Values that move alone have an effect: the weights stay where they are, so each meets another value.",
            ),
            Misconception(
                keys_move_the_context,
                "The rows do not move with the keys, or with the values: rows of the context belong to queries. Keys or values alone break up the pairs, and other numbers come out.",
            ),
            Misconception(
                queries_other_and_keys_the_same,
                "Two ideas are wrong: a query that moves takes its row with it, and keys or values that move alone break up the pairs, so each weight meets another value.",
            ),
            Misconception(
                queries_the_same_and_pairs_moved,
                "It is the other way round: rows of the context move with the queries, and stay as they are when keys and values move together.",
            ),
            Misconception(
                keys_alone_move_the_context,
                "The rows do not move with the keys: rows of the context belong to queries. Weights move with the keys, so each then meets another value.",
            ),
            Misconception(
                values_alone_move_the_context,
                "The rows do not move with the values: rows of the context belong to queries. The weights stay, so each then meets another value.",
            ),
        ),
        cases=_cases_of_order,
        difficulty=2,
        minutes=10,
        points=1,
    ),
)
