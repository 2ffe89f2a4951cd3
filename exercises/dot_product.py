"""Exercises on dot-product attention."""

from math import log, sqrt
from types import SimpleNamespace

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import (
    Argument,
    Case,
    Exercise,
    Misconception,
    Output,
)
from exercises import shared
from exercises.shared import (
    ALL,
    ATTENTION_PROPERTIES,
    KEYS,
    KEYS_AVERAGED,
    LENGTH_IGNORED,
    MASK_TOO_LATE,
    OVER_QUERIES,
    QUERIES,
    RENORMALISED_TOO_LATE,
    VALID_LENGTH,
    VALUES,
    Attended,
    Lengths,
    attended,
    draw_sizes,
    draw_valid_lengths,
    with_inputs,
    wrong_attention,
)
from solutions.dot_product.in_numpy import (
    WEIGHTS_AFTER,
    dot_product_attention,
    scaled_scores,
    score_spread,
    weights_after,
)
from solutions.masked_softmax.in_numpy import softmax


def dots(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Every query times every key, not scaled."""
    product: np.ndarray = queries @ np.swapaxes(keys, 1, 2)
    return product


# Scores


def scores_not_scaled(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return dots(queries, keys)


def scores_over_d(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return dots(queries, keys) / queries.shape[-1]


def scores_over_sqrt_num_keys(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return dots(queries, keys) / sqrt(keys.shape[1])


def scores_times_sqrt_d(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return dots(queries, keys) * sqrt(queries.shape[-1])


def keys_reshaped(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    batch, num_keys, d = keys.shape
    return queries @ keys.reshape(batch, d, num_keys) / sqrt(d)


def scores_key_by_query(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return np.swapaxes(scaled_scores(queries, keys), 1, 2)


def cosines(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    sizes = np.linalg.norm(queries, axis=-1)[:, :, None] * np.linalg.norm(keys, axis=-1)[:, None, :]
    return dots(queries, keys) / sizes


def softmax_already_taken(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return softmax(scaled_scores(queries, keys))


def scores_over_sqrt_num_queries(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return dots(queries, keys) / sqrt(queries.shape[1])


def scores_over_two(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return dots(queries, keys) / 2


def scores_over_log_d(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return dots(queries, keys) / log(queries.shape[-1])


def scores_over_d_squared(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return dots(queries, keys) / queries.shape[-1] ** 2


def scores_over_fourth_root(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return dots(queries, keys) / queries.shape[-1] ** 0.25


def negative_squared_distances(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    gaps = queries[:, :, None] - keys[:, None]
    return np.asarray(-(gaps**2).sum(axis=-1))


def products_not_summed(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return queries[:, :, None] * keys[:, None] / sqrt(queries.shape[-1])


def softmax_not_scaled(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return softmax(dots(queries, keys))


def softmax_over_d(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return softmax(scores_over_d(queries, keys))


def softmax_then_scaled(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return softmax(dots(queries, keys)) / sqrt(queries.shape[-1])


def cosines_scaled(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return cosines(queries, keys) / sqrt(queries.shape[-1])


def scores_of_the_first_batch_element(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    scores = scaled_scores(queries, keys)
    return np.broadcast_to(scores[:1], scores.shape)


def keys_of_the_first_batch_element(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return scaled_scores(queries, np.broadcast_to(keys[:1], keys.shape))


def queries_with_themselves(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return scaled_scores(queries, queries)


def key_by_query_not_scaled(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return dots(keys, queries)


def scores_squashed(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return np.tanh(scaled_scores(queries, keys))


def exponential_taken(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return np.exp(scaled_scores(queries, keys))


def maximum_taken_off(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    scores = scaled_scores(queries, keys)
    return scores - scores.max(axis=-1, keepdims=True)


def keys_reshaped_not_scaled(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return keys_reshaped(queries, keys) * sqrt(queries.shape[-1])


def scores_times_d(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return dots(queries, keys) * queries.shape[-1]


def scores_over_sqrt_batch(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return dots(queries, keys) / sqrt(len(queries))


def scores_over_number_of_keys(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return dots(queries, keys) / keys.shape[1]


def distances_over_sqrt_d(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return negative_squared_distances(queries, keys) / sqrt(queries.shape[-1])


def scores_negated(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return -scaled_scores(queries, keys)


def negative_scores_cut(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return np.maximum(scaled_scores(queries, keys), 0)


def only_the_queries_length_one(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return dots(queries, keys) / np.linalg.norm(queries, axis=-1)[:, :, None]


def only_the_keys_length_one(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return dots(queries, keys) / np.linalg.norm(keys, axis=-1)[:, None]


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


# Attention: a wrong way to the weights, or from the weights to the context


def not_scaled(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, valid_length: Lengths, dropout: float
) -> Attended:
    return attended(dots(queries, keys), values, valid_length)


def scaled_by_d(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, valid_length: Lengths, dropout: float
) -> Attended:
    return attended(scores_over_d(queries, keys), values, valid_length)


def scaled_by_sqrt_num_keys(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, valid_length: Lengths, dropout: float
) -> Attended:
    return attended(scores_over_sqrt_num_keys(queries, keys), values, valid_length)


def softmax_over_queries(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, valid_length: Lengths, dropout: float
) -> Attended:
    weights = shared.softmax_over_queries(scaled_scores(queries, keys), valid_length)
    return weights @ values, weights


def mask_after_softmax(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, valid_length: Lengths, dropout: float
) -> Attended:
    weights = shared.mask_after_softmax(scaled_scores(queries, keys), valid_length)
    return weights @ values, weights


def renormalised_too_late(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, valid_length: Lengths, dropout: float
) -> Attended:
    weights = shared.renormalised_too_late(scaled_scores(queries, keys), valid_length)
    return weights @ values, weights


def valid_length_ignored(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, valid_length: Lengths, dropout: float
) -> Attended:
    return attended(scaled_scores(queries, keys), values, None)


def keys_and_values_swapped(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, valid_length: Lengths, dropout: float
) -> Attended:
    return dot_product_attention(queries, values, keys, valid_length)


def keys_in_place_of_values(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, valid_length: Lengths, dropout: float
) -> Attended:
    return dot_product_attention(queries, keys, keys, valid_length)


def no_softmax(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, valid_length: Lengths, dropout: float
) -> Attended:
    scores = scaled_scores(queries, keys)
    return scores @ values, scores


def weights_of_scores(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, valid_length: Lengths, dropout: float
) -> Attended:
    context, _ = dot_product_attention(queries, keys, values, valid_length)
    return context, scaled_scores(queries, keys)


@with_inputs
def multiplied_by_sqrt_d(i: SimpleNamespace) -> Attended:
    return attended(scores_times_sqrt_d(i.queries, i.keys), i.values, i.valid_length)


@with_inputs
def scaled_by_sqrt_d_v(i: SimpleNamespace) -> Attended:
    return attended(dots(i.queries, i.keys) / sqrt(i.values.shape[2]), i.values, i.valid_length)


@with_inputs
def scaled_by_sqrt_num_queries(i: SimpleNamespace) -> Attended:
    return attended(scores_over_sqrt_num_queries(i.queries, i.keys), i.values, i.valid_length)


@with_inputs
def weights_scaled(i: SimpleNamespace) -> Attended:
    weights = attended(dots(i.queries, i.keys), i.values, i.valid_length)[1] / sqrt(i.queries.shape[2])
    return weights @ i.values, weights


@with_inputs
def compared_by_distance(i: SimpleNamespace) -> Attended:
    return attended(negative_squared_distances(i.queries, i.keys), i.values, i.valid_length)


@with_inputs
def compared_by_cosine(i: SimpleNamespace) -> Attended:
    return attended(cosines(i.queries, i.keys), i.values, i.valid_length)


@with_inputs
def keys_reshaped_for_the_scores(i: SimpleNamespace) -> Attended:
    return attended(keys_reshaped(i.queries, i.keys), i.values, i.valid_length)


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
    # A feature of its own lets each padded key score 1000 above the one before, for every query.
    keys, lengths = loud.inputs["keys"], loud.inputs["valid_length"]
    beyond = np.maximum(np.arange(keys.shape[1]) - lengths[:, None] + 1, 0)
    loud.inputs["queries"][..., 0] = 1
    keys[..., 0] = 1000 * sqrt(keys.shape[2]) * beyond
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


def nothing_changes_the_weights(change: str) -> str:
    return "same"


def every_change_changes_them(change: str) -> str:
    return "other"


def vector_on_the_keys_counts(change: str) -> str:
    return {"a vector added to all keys": "other"}.get(change) or weights_after(change)


def vector_on_the_queries_cancels(change: str) -> str:
    return {"a vector added to all queries": "same"}.get(change) or weights_after(change)


def vectors_exchanged(change: str) -> str:
    return {"a vector added to all keys": "other", "a vector added to all queries": "same"}.get(
        change
    ) or weights_after(change)


def softmax_undoes_a_factor(change: str) -> str:
    return {"queries doubled": "same"}.get(change) or weights_after(change)


def doubling_flattens(change: str) -> str:
    return {"queries doubled": "flatter"}.get(change) or weights_after(change)


def doubling_reorders(change: str) -> str:
    return {"queries doubled": "other"}.get(change) or weights_after(change)


def doubled_queries_win(change: str) -> str:
    return {"queries doubled, keys halved": "sharper"}.get(change) or weights_after(change)


def halved_keys_win(change: str) -> str:
    return {"queries doubled, keys halved": "flatter"}.get(change) or weights_after(change)


def both_changed_is_other(change: str) -> str:
    return {"queries doubled, keys halved": "other"}.get(change) or weights_after(change)


def zeros_have_no_effect(change: str) -> str:
    return {"a feature of 0 for both": "same"}.get(change) or weights_after(change)


def zeros_sharpen(change: str) -> str:
    return {"a feature of 0 for both": "sharper"}.get(change) or weights_after(change)


def divisor_takes_all_growth_off(change: str) -> str:
    return {"every feature twice": "same"}.get(change) or weights_after(change)


def twice_flattens(change: str) -> str:
    return {"every feature twice": "flatter"}.get(change) or weights_after(change)


def divisor_ignored_or_trusted(change: str) -> str:
    return {"a feature of 0 for both": "same", "every feature twice": "same"}.get(change) or weights_after(
        change
    )


def order_of_features_counts(change: str) -> str:
    return {"features of both in one new order": "other"}.get(change) or weights_after(change)


def order_of_the_keys_features_ignored(change: str) -> str:
    return {"features of the keys in a new order": "same"}.get(change) or weights_after(change)


def orders_confused(change: str) -> str:
    return {"features of both in one new order": "other", "features of the keys in a new order": "same"}.get(
        change
    ) or weights_after(change)


def _changes(rng: np.random.Generator) -> list[Case]:
    return [Case(change, {"change": change}) for change in WEIGHTS_AFTER]


# The spread of a score


def variance_for_deviation(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return score_spread(d, query_std, key_std, scaled) ** 2


def grows_with_d(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return query_std * key_std * d / (sqrt(d) if scaled else 1)


def spread_is_always_one(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return 1.0 if scaled else sqrt(d)


def deviations_add_up(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return (query_std + key_std) * (1 if scaled else sqrt(d))


def scaling_undone_by_d(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return score_spread(d, query_std, key_std, False) / (d if scaled else 1)


def scale_forgotten(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return score_spread(d, query_std, key_std, False)


def deviations_not_squared(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return score_spread(d, sqrt(query_std), sqrt(key_std), scaled)


def only_the_queries_spread(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return score_spread(d, query_std, 1, scaled)


def only_the_keys_spread(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return score_spread(d, 1, key_std, scaled)


def root_taken_twice(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return sqrt(score_spread(d, query_std, key_std, scaled))


def variances_add_up(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return score_spread(d, sqrt(query_std**2 + key_std**2), 1, scaled)


def deviations_averaged(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return deviations_add_up(d, query_std, key_std, scaled) / 2


def features_left_out(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return query_std * key_std


def features_left_out_and_scaled(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return query_std * key_std / (sqrt(d) if scaled else 1)


def variance_over_the_root(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return score_spread(d, query_std, key_std, False) / (d**0.25 if scaled else 1)


def scale_multiplied(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return score_spread(d, query_std, key_std, False) * (sqrt(d) if scaled else 1)


def scaled_the_other_way_round(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return score_spread(d, query_std, key_std, not scaled)


def scaled_is_always_one(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return 1.0 if scaled else score_spread(d, query_std, key_std, False)


def variance_scaled_as_a_deviation(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return variance_for_deviation(d, query_std, key_std, False) / (sqrt(d) if scaled else 1)


def mean_of_the_products(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return score_spread(d, query_std, key_std, scaled) / d


def deviations_divided(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return score_spread(d, query_std, 1 / key_std, scaled)


def larger_deviation_alone(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return score_spread(d, max(query_std, key_std), 1, scaled)


def queries_spread_twice(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return score_spread(d, query_std, query_std, scaled)


def keys_spread_twice(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return score_spread(d, key_std, key_std, scaled)


def root_of_the_added_deviations(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    return score_spread(d, sqrt(query_std + key_std), 1, scaled)


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
        rules=("The library's own attention may not be called.",),
        entry="scaled_scores",
        arguments=(QUERIES, KEYS),
        returns=(Output("scores", "(batch, num_queries, num_keys)", map=True),),
        reference=scaled_scores,
        misconceptions=(
            Misconception(
                scores_not_scaled,
                "The scores are not scaled: for features of unit variance they spread like sqrt(d_k), and "
                "the softmax after them saturates. Divide by sqrt(d_k).",
            ),
            Misconception(
                scores_over_d,
                "The scores come out divided by d_k, or by its root twice, which makes them too small and the weights nearly equal: their spread is sqrt(d_k), so divide by that.",
            ),
            Misconception(
                scores_over_sqrt_num_keys,
                "The scores come out divided by the square root of the number of keys. A score is a sum over the features of one key, and the number of terms in that sum is d_k, the last size.",
            ),
            Misconception(
                scores_times_sqrt_d,
                "The scores come out multiplied by sqrt(d_k), and spread even more: divide by it.",
            ),
            Misconception(
                keys_reshaped,
                "The keys are reshaped where they must be transposed: the shape is right, but a column then "
                "holds numbers of several keys. Swap the last two axes.",
            ),
            Misconception(
                scores_key_by_query,
                "Your scores have one row for each key. It must be one row for each query: queries times "
                "transposed keys.",
            ),
            Misconception(
                cosines,
                "The products come out divided by the lengths of the vectors, which is the cosine. Dot-product attention keeps the lengths and divides by sqrt(d_k) only.",
            ),
            Misconception(
                softmax_already_taken,
                "The softmax is already taken. Scores are what goes into it, so leave it out here.",
            ),
            Misconception(
                scores_over_sqrt_num_queries,
                "The scores come out divided by the square root of the number of queries. The number of terms in a score is d_k, the last size: queries.shape[-1].",
            ),
            Misconception(
                scores_over_two,
                "The scores come out divided by 2 whatever the sizes are, which is right for d_k = 4 alone: divide by sqrt(queries.shape[-1]).",
            ),
            Misconception(
                scores_over_log_d,
                "The scores come out divided by the logarithm of d_k: divide by its square root.",
            ),
            Misconception(
                scores_over_d_squared,
                "The scores come out divided by the square of d_k: divide by its square root.",
            ),
            Misconception(
                scores_over_fourth_root,
                "The scores come out divided by the fourth root of d_k: divide by the square root, or both queries and keys by the fourth.",
            ),
            Misconception(
                negative_squared_distances,
                "These are squared distances with a minus sign: a score is a dot product, the sum of the products of the features.",
            ),
            Misconception(
                products_not_summed,
                "The products of the features are not added up: a score is one number for each query and each key.",
            ),
            Misconception(
                softmax_not_scaled,
                "The softmax is taken, and the scale is missing: divide the dot products by sqrt(d_k), and leave the softmax for later.",
            ),
            Misconception(
                softmax_over_d,
                "The softmax is taken, and the scores are divided by d_k: divide by sqrt(d_k), and leave the softmax for later.",
            ),
            Misconception(
                softmax_then_scaled,
                "The softmax is taken first and divided by sqrt(d_k) then: divide the dot products, and leave the softmax for later.",
            ),
            Misconception(
                cosines_scaled,
                "The products come out divided by the lengths of the vectors as well as by sqrt(d_k): dot-product attention divides by sqrt(d_k) only.",
            ),
            Misconception(
                scores_of_the_first_batch_element,
                "Every batch element gets the scores of the first one: each has its own queries and keys.",
            ),
            Misconception(
                keys_of_the_first_batch_element,
                "Every batch element is compared with the keys of the first one: queries[b] belong to keys[b].",
            ),
            Misconception(
                queries_with_themselves,
                "The queries are compared with one another: compare them with the keys.",
            ),
            Misconception(
                key_by_query_not_scaled,
                "Your scores have one row for each key, and are not scaled: queries times transposed keys, divided by sqrt(d_k).",
            ),
            Misconception(
                scores_squashed,
                "The scores go through a tanh, so none is beyond -1 and 1: leave them as they are.",
            ),
            Misconception(
                exponential_taken,
                "The exponential is taken already: it belongs to the softmax, which comes later.",
            ),
            Misconception(
                maximum_taken_off,
                "The largest score of each row is taken off, which belongs to the softmax: return the scores themselves.",
            ),
            Misconception(
                keys_reshaped_not_scaled,
                "The keys are reshaped where they must be transposed, and the scale is missing: swap the last two axes of the keys, and divide by sqrt(d_k).",
            ),
            Misconception(
                scores_times_d, "The scores come out multiplied by d_k: divide by its square root."
            ),
            Misconception(
                scores_over_sqrt_batch,
                "The scores come out divided by the square root of the batch size. The number of terms in a score is d_k, the last size: queries.shape[-1].",
            ),
            Misconception(
                scores_over_number_of_keys,
                "The scores come out divided by the number of keys: divide by the square root of the number of features, queries.shape[-1].",
            ),
            Misconception(
                distances_over_sqrt_d,
                "These are squared distances with a minus sign, divided by sqrt(d_k): a score is a dot product, the sum of the products of the features.",
            ),
            Misconception(
                scores_negated, "The sign is turned round: the key that fits best would get the lowest score."
            ),
            Misconception(
                negative_scores_cut,
                "Negative scores become 0: leave them, for a key that points the other way must score less than one that has nothing in common.",
            ),
            Misconception(
                only_the_queries_length_one,
                "The scores come out divided by the length of each query vector: divide by the square root of the number of its entries, queries.shape[-1].",
            ),
            Misconception(
                only_the_keys_length_one,
                "The scores come out divided by the length of each key vector: divide by the square root of the number of its entries, keys.shape[-1].",
            ),
        ),
        hints=(
            "The score of a pair is a sum over the features. The matrix of all scores is a product of two "
            "matrices.",
            "The keys must be transposed, but not their batch axis: swap the last two axes only.",
            "`torch.bmm(queries, keys.transpose(1, 2))` or `nd.batch_dot(queries, keys, "
            "transpose_b=True)`, divided by the square root of the number of features, "
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
            "Write attention as a layer. Called with queries, keys, values and their valid length, it "
            "returns the context and keeps the weights, as they are before dropout, in "
            "`attention_weights` (batch, num_queries, num_keys)."
        ),
        rules=("`masked_softmax` may be imported; the library's own attention may not be called.",),
        entry="DotProductAttention",
        is_class=True,
        arguments=(QUERIES, KEYS, VALUES, VALID_LENGTH),
        settings=(Argument("dropout", "float"),),
        returns=(
            Output("context", "(batch, num_queries, d_v)"),
            Output("attention_weights", "(batch, num_queries, num_keys)", True, exact_zeros=True, map=True),
        ),
        reference=dot_product_attention,
        misconceptions=(
            Misconception(
                not_scaled,
                "The scores are not scaled, so the largest one takes nearly all the weight: divide them by "
                "sqrt(d_k).",
            ),
            Misconception(
                scaled_by_d,
                "The scores are divided by d_k, so the weights are nearly equal: divide by sqrt(d_k).",
            ),
            Misconception(
                scaled_by_sqrt_num_keys,
                "The scores are divided by the square root of the number of keys. What makes them large is "
                "the number of features that are added up: divide by sqrt(d_k).",
            ),
            Misconception(softmax_over_queries, OVER_QUERIES),
            Misconception(mask_after_softmax, MASK_TOO_LATE),
            Misconception(renormalised_too_late, RENORMALISED_TOO_LATE),
            Misconception(valid_length_ignored, LENGTH_IGNORED),
            Misconception(
                keys_and_values_swapped,
                "Keys and values have changed places: the queries are compared with the values, and the keys "
                "are averaged. Compare with the keys, average the values.",
            ),
            Misconception(keys_in_place_of_values, KEYS_AVERAGED),
            Misconception(
                no_softmax,
                "The scores are used as weights without a softmax: some are negative, and they do not sum to "
                "one.",
            ),
            Misconception(
                weights_of_scores,
                "The context is right, but attention_weights holds the scores: keep what the softmax gives.",
            ),
            *wrong_attention(lambda i: scaled_scores(i.queries, i.keys)),
            Misconception(
                multiplied_by_sqrt_d,
                "The scores are multiplied by sqrt(d_k), so the largest one takes nearly all the weight: divide by it.",
            ),
            Misconception(
                scaled_by_sqrt_d_v,
                "The scores are divided by the square root of the values' width: what is added up are the d_k features of a key, so divide by sqrt(d_k).",
            ),
            Misconception(
                scaled_by_sqrt_num_queries,
                "The scores are divided by the square root of the number of queries: divide by that of the number of features, queries.shape[-1].",
            ),
            Misconception(
                weights_scaled,
                "The division by sqrt(d_k) comes after the softmax, so the weights no longer sum to 1: divide the scores, then take the softmax.",
            ),
            Misconception(
                compared_by_distance,
                "The scores are squared distances with a minus sign: dot-product attention takes the dot product over sqrt(d_k).",
            ),
            Misconception(
                compared_by_cosine,
                "The scores are cosines: dot-product attention keeps the lengths of the vectors, and divides by sqrt(d_k) only.",
            ),
            Misconception(
                keys_reshaped_for_the_scores,
                "The keys are reshaped where they must be transposed, so a column holds numbers of several keys: swap their last two axes.",
            ),
        ),
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
        forbidden=library_attention(),
        difficulty=2,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="weights_after",
        title="What changes the weights?",
        statement=(
            "Queries and keys are changed. Then the scores, divided by $\\sqrt{d_k}$, and the weights are computed anew. Are the "
            'weights the `"same"`? Are they `"sharper"` (the ranking of the keys by weight stays, and the largest weight of a '
            'query becomes larger) or `"flatter"` (the ranking stays, and the largest weight becomes smaller)? Or are they '
            '`"other"` weights, in which another key may have the largest weight? '
            "*A feature of 0 for both* appends a 0 to each query and to each key, and *every feature twice* writes "
            "each feature of both two times, so these two change $d_k$ as well."
        ),
        entry="weights_after",
        arguments=(
            Argument(
                "change",
                'one of "a vector added to all keys", "a vector added to all queries", "queries doubled", "queries doubled, keys halved", "a feature of 0 for both", "every feature twice", "features of both in one new order", "features of the keys in a new order"',
            ),
        ),
        returns=(Output("effect", 'one of "same", "sharper", "flatter", "other"', plain=True),),
        reference=weights_after,
        misconceptions=(
            Misconception(
                nothing_changes_the_weights,
                "The softmax does not undo every change. It undoes only what all scores of a query have in common as a sum; a factor and a new order of keys stay.",
            ),
            Misconception(
                every_change_changes_them,
                "Not every change makes other weights. Write down what happens to the score of one pair: some sums stay as they are, some change by the same number for all keys, some by a factor.",
            ),
            Misconception(
                vector_on_the_keys_counts,
                "A vector c that is added to all keys adds q · c to every score of a query: one number for all keys, which the softmax cancels.",
            ),
            Misconception(
                vector_on_the_queries_cancels,
                "A vector c that is added to all queries adds c · k to the score of key k: another number for each key, so the softmax does not cancel it.",
            ),
            Misconception(
                vectors_exchanged,
                "Keys and queries are the other way round: the softmax of a query cancels what is the same for all its keys, so q · c, and not c · k.",
            ),
            Misconception(
                softmax_undoes_a_factor,
                "The softmax cancels a number that is added to all scores, and no factor: twice the scores are twice as far apart, and the largest weight grows.",
            ),
            Misconception(
                doubling_flattens,
                "Twice the queries give twice the scores, which lie twice as far apart: the largest weight grows.",
            ),
            Misconception(
                doubling_reorders,
                "Twice the queries give twice the scores: the order of the keys stays, and the largest weight grows.",
            ),
            Misconception(
                doubled_queries_win,
                "The halved keys count as well as the doubled queries: 2 times one half is 1, so every product is as it was.",
            ),
            Misconception(
                halved_keys_win,
                "The doubled queries count as well as the halved keys: 2 times one half is 1, so every product is as it was.",
            ),
            Misconception(
                both_changed_is_other,
                "In each product of a query's feature and a key's, the factors 2 and one half cancel: the scores are as they were.",
            ),
            Misconception(
                zeros_have_no_effect,
                "A feature of 0 adds nothing to the dot product, but it counts in d_k: the divisor grows, the scores shrink, and the weights are flatter.",
            ),
            Misconception(
                zeros_sharpen,
                "More features make the divisor larger, and the product stays: the scores shrink, so the weights are flatter and not sharper.",
            ),
            Misconception(
                divisor_takes_all_growth_off,
                "With every feature twice the product doubles, and its divisor grows by the square root of 2 only: the root takes off the growth of independent features, and copies are not independent.",
            ),
            Misconception(
                twice_flattens,
                "With every feature twice the product doubles, and the divisor grows by the square root of 2: the scores grow, so the weights are sharper. They would not if the divisor were d_k squared.",
            ),
            Misconception(
                divisor_ignored_or_trusted,
                "The division does not keep the scores as they were. It only divides by the root of d_k, whatever the features are: appended zeros make the scores smaller, and copies make them larger.",
            ),
            Misconception(
                order_of_features_counts,
                "The same new order for queries and keys leaves the pairs of features together: the dot product adds up the same terms.",
            ),
            Misconception(
                order_of_the_keys_features_ignored,
                "With a new order for the features of the keys alone, each feature of a query meets another feature of the key: the products are others.",
            ),
            Misconception(
                orders_confused,
                "The two new orders are the other way round: the pairs of features stay together only if queries and keys get the same order.",
            ),
        ),
        hints=(
            "Write the score of one query and one key as a sum over the features, with its divisor. What does "
            "the change do to it?",
            "The softmax cancels a number that is added to all scores of a query. A factor that all scores "
            "have in common changes how far apart they are.",
            "Added to all keys, a vector c adds q · c to every score of a query; added to all queries, it adds "
            "c · k, another number for each key. With more features the divisor, the root of d_k, grows.",
        ),
        cases=_changes,
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="score_spread",
        title="How far do scores spread?",
        statement=(
            r"Predict the standard deviation of the score of a query and a key whose entries are independent and "
            r"of mean zero, from the spread of the query's and the key's entries. `scaled` says whether the score is "
            r"divided by $\sqrt{d}$. No array is needed."
        ),
        entry="score_spread",
        arguments=(
            Argument("d", "int"),
            Argument("query_std", "float"),
            Argument("key_std", "float"),
            Argument("scaled", "bool"),
        ),
        returns=(Output("spread", "a float, the standard deviation of a score", plain=True),),
        reference=score_spread,
        misconceptions=(
            Misconception(
                variance_for_deviation,
                "This is the variance. The standard deviation is its square root.",
            ),
            Misconception(
                grows_with_d,
                "Your spread grows like d. The variances of the d products add up, so the variance grows "
                "like d, and the standard deviation like its square root.",
            ),
            Misconception(
                spread_is_always_one,
                "The spread of queries and keys is left out: products of larger numbers are larger. Multiply "
                "by both standard deviations.",
            ),
            Misconception(
                deviations_add_up,
                "The two standard deviations come out added. A product of independent numbers of mean zero has the product of their variances.",
            ),
            Misconception(
                scaling_undone_by_d,
                "For scaled scores it comes out divided by d. The scale is sqrt(d), and takes away exactly the growth.",
            ),
            Misconception(
                scale_forgotten,
                "The argument scaled has no effect: scaled scores are divided by sqrt(d), and so is their "
                "spread.",
            ),
            Misconception(
                deviations_not_squared,
                "The standard deviations stand under the root without their squares, so that the root is taken of them too: the variance of a product is query_std**2 * key_std**2.",
            ),
            Misconception(
                only_the_queries_spread,
                "The spread of the keys is left out: a product varies with both of its factors, so multiply by key_std too.",
            ),
            Misconception(
                only_the_keys_spread,
                "The spread of the queries is left out: a product varies with both of its factors, so multiply by query_std too.",
            ),
            Misconception(
                root_taken_twice,
                "The root is taken twice: the standard deviation is the root of the variance, and no further one.",
            ),
            Misconception(
                variances_add_up,
                "The variances of query and key come out added. That is the variance of their sum; a product of independent numbers of mean zero has the product of their variances.",
            ),
            Misconception(
                deviations_averaged,
                "The two standard deviations come out averaged: those of a product's factors are multiplied.",
            ),
            Misconception(
                features_left_out,
                "The number of features has no effect. Without the scale, d independent products add up, and the spread grows like sqrt(d).",
            ),
            Misconception(
                features_left_out_and_scaled,
                "This is the spread of a single product: the score adds up d of them, so the spread grows like sqrt(d), which the scale then takes away.",
            ),
            Misconception(
                variance_over_the_root,
                "For scaled scores the variance comes out divided by sqrt(d): it is the score that is divided, and its variance then by d.",
            ),
            Misconception(
                scale_multiplied,
                "For scaled scores it comes out multiplied by sqrt(d): the score is divided by it.",
            ),
            Misconception(
                scaled_the_other_way_round,
                "The two cases are exchanged: it is the scaled score that is divided by sqrt(d).",
            ),
            Misconception(
                scaled_is_always_one,
                "Scaled scores do not always spread by 1. That holds for entries of unit variance alone: the spread is query_std * key_std.",
            ),
            Misconception(
                variance_scaled_as_a_deviation,
                "This is the variance, divided by sqrt(d) where scaled: take the root of the variance first.",
            ),
            Misconception(
                mean_of_the_products,
                "This is the spread of the mean of the d products: a score is their sum, so do not divide by d.",
            ),
            Misconception(
                deviations_divided,
                "It comes out divided by the keys' standard deviation: a product spreads with both factors, so multiply by it.",
            ),
            Misconception(
                larger_deviation_alone,
                "Only the larger of the two deviations counts: a product spreads with both factors, so multiply them.",
            ),
            Misconception(
                queries_spread_twice,
                "The queries' deviation stands in the place of the keys' too: multiply query_std by key_std.",
            ),
            Misconception(
                keys_spread_twice,
                "The keys' deviation stands in the place of the queries' too: multiply query_std by key_std.",
            ),
            Misconception(
                root_of_the_added_deviations,
                "This is the root of the two deviations' sum: the variance of a product is query_std² times key_std².",
            ),
        ),
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
