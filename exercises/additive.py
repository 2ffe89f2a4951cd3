"""Exercises on additive attention."""

from collections.abc import Callable
from functools import wraps
from math import sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import (
    Argument,
    Call,
    Case,
    Exercise,
    Function,
    Misconception,
    Output,
    Parameter,
    Property,
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
    RENORMALISED_TOO_LATE,
    VALID_LENGTH,
    VALUES,
    Array,
    Attended,
    attended,
    draw_sizes,
    draw_valid_lengths,
    with_inputs,
    with_loud_padding,
    wrong_attention,
)
from solutions.additive.in_numpy import additive_attention, additive_scores, score_bytes
from solutions.masked_softmax.in_numpy import softmax

QUERIES = Argument("queries", "(batch, num_queries, d_q)")
SHAPES = {"W_q": "(units, d_q)", "W_k": "(units, d_k)", "w_v": "(1, units)"}


def _projected(queries: Array, keys: Array, W_q: Array, W_k: Array) -> tuple[Array, Array]:
    """Both terms, ready to be spread over all pairs: (…, num_queries, 1, units), (…, 1, num_keys, units)."""
    return (queries @ W_q.T)[:, :, None, :], (keys @ W_k.T)[:, None, :, :]


def _sum(queries: Array, keys: Array, W_q: Array, W_k: Array) -> Array:
    from_query, from_key = _projected(queries, keys, W_q, W_k)
    return from_query + from_key


def _weighted(features: Array, w_v: Array) -> Array:
    """The dot product of w_v, (1, units), with the last axis."""
    return np.asarray((features @ w_v.T)[..., 0])


# Scores


def query_blind(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    from_query, from_key = _projected(queries, keys, W_q, W_k)
    scores: Array = ((np.tanh(from_query) + np.tanh(from_key)) @ w_v.T)[..., 0]
    return scores


def no_tanh(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    from_query, from_key = _projected(queries, keys, W_q, W_k)
    scores: Array = ((from_query + from_key) @ w_v.T)[..., 0]
    return scores


def tanh_of_the_score(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return np.tanh(no_tanh(queries, keys, W_q, W_k, w_v))


def product_for_sum(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    from_query, from_key = _projected(queries, keys, W_q, W_k)
    scores: Array = (np.tanh(from_query * from_key) @ w_v.T)[..., 0]
    return scores


def weights_swapped(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return additive_scores(queries, keys, W_k, W_q, w_v)


def units_summed(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    from_query, from_key = _projected(queries, keys, W_q, W_k)
    scores: Array = np.tanh(from_query + from_key).sum(axis=-1)
    return scores


def scores_key_by_query(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return np.swapaxes(additive_scores(queries, keys, W_q, W_k, w_v), 1, 2)


def softmax_over_units(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    from_query, from_key = _projected(queries, keys, W_q, W_k)
    scores: Array = (softmax(from_query + from_key) @ w_v.T)[..., 0]
    return scores


def relu_for_tanh(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return _weighted(np.maximum(_sum(queries, keys, W_q, W_k), 0), w_v)


def sigmoid_for_tanh(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return _weighted(1 / (1 + np.exp(-_sum(queries, keys, W_q, W_k))), w_v)


def tanh_before_and_after_the_sum(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    from_query, from_key = _projected(queries, keys, W_q, W_k)
    return _weighted(np.tanh(np.tanh(from_query) + np.tanh(from_key)), w_v)


def tanh_of_the_score_too(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return np.tanh(additive_scores(queries, keys, W_q, W_k, w_v))


def tanh_of_the_key_only(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    from_query, from_key = _projected(queries, keys, W_q, W_k)
    return _weighted(from_query + np.tanh(from_key), w_v)


def tanh_of_the_query_only(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    from_query, from_key = _projected(queries, keys, W_q, W_k)
    return _weighted(np.tanh(from_query) + from_key, w_v)


def difference_for_sum(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return additive_scores(queries, keys, W_q, -W_k, w_v)


def scores_over_root_of_units(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return additive_scores(queries, keys, W_q, W_k, w_v) / sqrt(W_q.shape[0])


def mean_over_the_units(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return additive_scores(queries, keys, W_q, W_k, w_v) / W_q.shape[0]


def w_v_inside_the_tanh(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return np.tanh(_sum(queries, keys, W_q, W_k) * w_v[0]).sum(axis=-1)


def query_left_out(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    from_query, from_key = _projected(queries, keys, W_q, W_k)
    return _weighted(np.tanh(0 * from_query + from_key), w_v)


def key_left_out(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    from_query, from_key = _projected(queries, keys, W_q, W_k)
    return _weighted(np.tanh(from_query + 0 * from_key), w_v)


def weighted_dot_product(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    from_query, from_key = _projected(queries, keys, W_q, W_k)
    return _weighted(from_query * from_key, w_v)


def tanh_of_each_multiplied(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    from_query, from_key = _projected(queries, keys, W_q, W_k)
    return _weighted(np.tanh(from_query) * np.tanh(from_key), w_v)


def tanh_twice_of_the_sum(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return _weighted(np.tanh(np.tanh(_sum(queries, keys, W_q, W_k))), w_v)


def softmax_already_taken(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return softmax(additive_scores(queries, keys, W_q, W_k, w_v))


def units_summed_as_published(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    from_query, from_key = _projected(queries, keys, W_q, W_k)
    return np.asarray((np.tanh(from_query) + np.tanh(from_key)).sum(axis=-1))


def units_summed_without_tanh(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return np.asarray(_sum(queries, keys, W_q, W_k).sum(axis=-1))


def features_returned(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return np.tanh(_sum(queries, keys, W_q, W_k))


def last_axis_kept(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return additive_scores(queries, keys, W_q, W_k, w_v)[..., None]


def features_weighted_not_summed(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return np.asarray(np.tanh(_sum(queries, keys, W_q, W_k)) * w_v[0])


def largest_unit(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return np.asarray((np.tanh(_sum(queries, keys, W_q, W_k)) * w_v[0]).max(axis=-1))


def matrices_reshaped(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    Q, K = W_q.reshape(W_q.shape[::-1]).T, W_k.reshape(W_k.shape[::-1]).T
    return additive_scores(queries, keys, Q, K, w_v)


def projections_compared(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    from_query, from_key = _projected(queries, keys, W_q, W_k)
    return np.asarray((from_query * from_key).sum(axis=-1))


def exponential_taken(queries: Array, keys: Array, W_q: Array, W_k: Array, w_v: Array) -> Array:
    return np.exp(additive_scores(queries, keys, W_q, W_k, w_v))


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


def _in_attention(scores: Callable[..., Array]) -> Function:
    """Attention by these scores, under the same name."""

    @wraps(scores)
    def function(**inputs: Any) -> Attended:
        return _attention_by(scores, SimpleNamespace(**inputs))

    return function


def _scores(i: SimpleNamespace) -> Array:
    return additive_scores(i.queries, i.keys, i.W_q, i.W_k, i.w_v)


def _attention_by(
    scores: Callable[[Array, Array, Array, Array, Array], Array], i: SimpleNamespace
) -> Attended:
    return attended(scores(i.queries, i.keys, i.W_q, i.W_k, i.w_v), i.values, i.valid_length)


@with_inputs
def attention_query_blind(i: SimpleNamespace) -> Attended:
    return _attention_by(query_blind, i)


@with_inputs
def attention_without_tanh(i: SimpleNamespace) -> Attended:
    return _attention_by(no_tanh, i)


@with_inputs
def attention_with_tanh_of_the_score(i: SimpleNamespace) -> Attended:
    return _attention_by(tanh_of_the_score, i)


@with_inputs
def attention_with_product(i: SimpleNamespace) -> Attended:
    return _attention_by(product_for_sum, i)


@with_inputs
def attention_with_weights_swapped(i: SimpleNamespace) -> Attended:
    return _attention_by(weights_swapped, i)


@with_inputs
def scaled_by_sqrt_units(i: SimpleNamespace) -> Attended:
    return attended(_scores(i) / sqrt(i.units), i.values, i.valid_length)


@with_inputs
def softmax_over_queries(i: SimpleNamespace) -> Attended:
    weights = shared.softmax_over_queries(_scores(i), i.valid_length)
    return weights @ i.values, weights


@with_inputs
def mask_after_softmax(i: SimpleNamespace) -> Attended:
    weights = shared.mask_after_softmax(_scores(i), i.valid_length)
    return weights @ i.values, weights


@with_inputs
def renormalised_too_late(i: SimpleNamespace) -> Attended:
    weights = shared.renormalised_too_late(_scores(i), i.valid_length)
    return weights @ i.values, weights


@with_inputs
def valid_length_ignored(i: SimpleNamespace) -> Attended:
    return attended(_scores(i), i.values, None)


@with_inputs
def keys_in_place_of_values(i: SimpleNamespace) -> Attended:
    return attended(_scores(i), i.keys, i.valid_length)


@with_inputs
def no_softmax(i: SimpleNamespace) -> Attended:
    return _scores(i) @ i.values, _scores(i)


@with_inputs
def weights_of_scores(i: SimpleNamespace) -> Attended:
    return attended(_scores(i), i.values, i.valid_length)[0], _scores(i)


@with_inputs
def attention_without_w_v(i: SimpleNamespace) -> Attended:
    features = np.tanh(_sum(i.queries, i.keys, i.W_q, i.W_k))
    return attended(features.sum(axis=-1), i.values, i.valid_length)


@with_inputs
def attention_with_softmax_over_units(i: SimpleNamespace) -> Attended:
    features = softmax(_sum(i.queries, i.keys, i.W_q, i.W_k))
    return attended(features @ i.w_v[0], i.values, i.valid_length)


@with_inputs
def scaled_by_the_key_width(i: SimpleNamespace) -> Attended:
    return attended(_scores(i) / sqrt(i.keys.shape[-1]), i.values, i.valid_length)


@with_inputs
def scaled_by_the_query_width(i: SimpleNamespace) -> Attended:
    return attended(_scores(i) / sqrt(i.queries.shape[-1]), i.values, i.valid_length)


@with_inputs
def attention_sign_turned(i: SimpleNamespace) -> Attended:
    return attended(-_scores(i), i.values, i.valid_length)


@with_inputs
def attention_by_sigmoid(i: SimpleNamespace) -> Attended:
    weights = 1 / (1 + np.exp(-_scores(i))) * shared.mask_of(_scores(i), i.valid_length)
    return weights @ i.values, weights


@with_inputs
def attention_by_distance(i: SimpleNamespace) -> Attended:
    from_query, from_key = _projected(i.queries, i.keys, i.W_q, i.W_k)
    return attended(-np.square(from_query - from_key).sum(axis=-1), i.values, i.valid_length)


@with_inputs
def attention_squared_sum(i: SimpleNamespace) -> Attended:
    features = np.square(_sum(i.queries, i.keys, i.W_q, i.W_k))
    return attended(features @ i.w_v[0], i.values, i.valid_length)


@with_inputs
def dot_product_of_the_terms(i: SimpleNamespace) -> Attended:
    from_query, from_key = _projected(i.queries, i.keys, i.W_q, i.W_k)
    return attended((from_query * from_key).sum(axis=-1), i.values, i.valid_length)


@with_inputs
def softmax_over_all_pairs(i: SimpleNamespace) -> Attended:
    masked = np.where(shared.mask_of(_scores(i), i.valid_length), _scores(i), -1e6)
    weights = softmax(masked.reshape(len(masked), 1, -1)).reshape(masked.shape)
    return weights @ i.values, weights


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


def units_left_out(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[int, int]:
    pairs = 4 * batch * num_queries * num_keys
    return pairs, pairs


def entries_for_bytes(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[int, int]:
    pairs = batch * num_queries * num_keys
    return pairs * units, pairs


def eight_bytes(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[int, int]:
    pairs = 8 * batch * num_queries * num_keys
    return pairs * units, pairs


def projections_only(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[int, int]:
    return 4 * batch * (num_queries + num_keys) * units, 4 * batch * num_queries * num_keys


def units_in_both(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[int, int]:
    features = 4 * batch * num_queries * num_keys * units
    return features, features


def batch_left_out(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[int, int]:
    pairs = 4 * num_queries * num_keys
    return pairs * units, pairs


def bits_for_bytes(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[float, float]:
    additive, dot_product = score_bytes(batch, num_queries, num_keys, units)
    return 8 * additive, 8 * dot_product


def half_precision(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[float, float]:
    additive, dot_product = score_bytes(batch, num_queries, num_keys, units)
    return additive // 2, dot_product // 2


def kilobytes(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[float, float]:
    additive, dot_product = score_bytes(batch, num_queries, num_keys, units)
    return additive / 1024, dot_product / 1024


def answers_exchanged(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[float, float]:
    additive, dot_product = score_bytes(batch, num_queries, num_keys, units)
    return dot_product, additive


def arrays_added_up(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[float, float]:
    additive, dot_product = score_bytes(batch, num_queries, num_keys, units)
    return additive + dot_product, dot_product


def features_and_terms_added_up(
    batch: int, num_queries: int, num_keys: int, units: int
) -> tuple[float, float]:
    additive, dot_product = score_bytes(batch, num_queries, num_keys, units)
    return additive + 4 * batch * (num_queries + num_keys) * units, dot_product


def two_arrays_of_features(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[float, float]:
    additive, dot_product = score_bytes(batch, num_queries, num_keys, units)
    return 2 * additive, dot_product


def units_squared(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[float, float]:
    additive, dot_product = score_bytes(batch, num_queries, num_keys, units)
    return additive * units, dot_product


def queries_by_queries(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[float, float]:
    additive, dot_product = score_bytes(batch, num_queries, num_keys, units)
    return additive // num_keys * num_queries, dot_product // num_keys * num_queries


def keys_by_keys(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[float, float]:
    additive, dot_product = score_bytes(batch, num_queries, num_keys, units)
    return additive // num_queries * num_keys, dot_product // num_queries * num_keys


def keys_left_out(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[float, float]:
    additive, dot_product = score_bytes(batch, num_queries, num_keys, units)
    return additive // num_keys, dot_product // num_keys


def queries_left_out(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[float, float]:
    additive, dot_product = score_bytes(batch, num_queries, num_keys, units)
    return additive // num_queries, dot_product // num_queries


def queries_plus_keys(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[float, float]:
    rows = 4 * batch * (num_queries + num_keys)
    return rows * units, rows


def dot_product_of_the_inputs(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[float, float]:
    additive, _ = score_bytes(batch, num_queries, num_keys, units)
    return additive, 4 * batch * (num_queries + num_keys) * units


def bytes_of_the_first_only(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[float, float]:
    additive, dot_product = score_bytes(batch, num_queries, num_keys, units)
    return additive, dot_product // 4


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
        title="Mend a score whose query has no effect on the weights",
        statement="Mend the score with a tanh for each term, so that each query can rank the keys in its own way.",
        entry="additive_scores",
        arguments=(QUERIES, KEYS, *(Argument(name, shape) for name, shape in SHAPES.items())),
        returns=(Output("scores", "(batch, num_queries, num_keys)", map=True),),
        reference=additive_scores,
        misconceptions=(
            Misconception(
                query_blind,
                "It comes out as if the tanh sat inside each term, so that the query adds the same number to the scores of all "
                "keys, and the softmax cancels it: the weights never depend on the query. Add the two terms "
                "first, then take the tanh.",
            ),
            Misconception(
                no_tanh,
                "The tanh is missing. Without it the query adds the same number to the scores of all keys, "
                "and the softmax cancels it.",
            ),
            Misconception(
                tanh_of_the_score,
                "The tanh comes after w_v and squeezes the finished score. It belongs to the units: tanh of "
                "the sum first, then w_v.",
            ),
            Misconception(
                product_for_sum,
                "The two terms come out multiplied. The additive score adds them: tanh(W_q q + W_k k).",
            ),
            Misconception(
                weights_swapped,
                "W_q and W_k have changed places: the queries go through the keys' matrix. That runs "
                "wherever queries and keys are equally wide, and is wrong as soon as the weights are "
                "learned.",
            ),
            Misconception(
                units_summed,
                "The units are added up without w_v. The score is the dot product of w_v with them.",
            ),
            Misconception(
                scores_key_by_query,
                "Your scores have one row for each key. Give the queries the second axis and the keys the "
                "third: expand the queries at axis 2 and the keys at axis 1.",
            ),
            Misconception(
                softmax_over_units,
                "A softmax over the units stands in the place of the tanh. The softmax comes later, and runs "
                "over the keys.",
            ),
            Misconception(
                relu_for_tanh,
                "A ReLU stands in the place of the tanh: the additive score takes w_v . tanh(W_q q + W_k k).",
            ),
            Misconception(
                sigmoid_for_tanh,
                "A sigmoid stands in the place of the tanh: the additive score takes w_v . tanh(W_q q + W_k k).",
            ),
            Misconception(
                tanh_before_and_after_the_sum,
                "There is a tanh round each term and another round their sum: keep the one round the sum alone.",
            ),
            Misconception(
                tanh_of_the_score_too,
                "A second tanh squeezes the finished score between -1 and 1: keep the one of the sum alone.",
            ),
            Misconception(
                tanh_of_the_key_only,
                "Only the key's term goes through the tanh, so the query adds the same number to the scores of all keys, and the softmax cancels it. Take the tanh of the sum.",
            ),
            Misconception(
                tanh_of_the_query_only,
                "Only the query's term goes through the tanh, so the query adds the same number to the scores of all keys, and the softmax cancels it. Take the tanh of the sum.",
            ),
            Misconception(
                difference_for_sum, "The key's term is subtracted: the additive score adds the two terms."
            ),
            Misconception(
                scores_over_root_of_units,
                "The scores come out divided by sqrt(units). Only the dot product is scaled; here w_v learns the scale.",
            ),
            Misconception(
                mean_over_the_units,
                "The scores come out as means over the units: the product with w_v is their sum, and w_v learns the scale.",
            ),
            Misconception(
                w_v_inside_the_tanh,
                "w_v is multiplied in before the tanh: take the tanh of the sum first, then the product with w_v.",
            ),
            Misconception(
                query_left_out,
                "The query's term is left out, so all queries rank the keys alike: add W_q q and W_k k, then take the tanh.",
            ),
            Misconception(
                key_left_out,
                "The key's term is left out, so all keys score alike: add W_q q and W_k k, then take the tanh.",
            ),
            Misconception(
                weighted_dot_product,
                "The two terms come out multiplied, and without a tanh. The additive score is w_v . tanh(W_q q + W_k k).",
            ),
            Misconception(
                tanh_of_each_multiplied,
                "The terms are multiplied after a tanh each: add them first, then take one tanh of the sum.",
            ),
            Misconception(tanh_twice_of_the_sum, "The tanh of the sum is taken twice: take it once."),
            Misconception(
                softmax_already_taken,
                "The softmax is already taken. Scores are what goes into it, so leave it out here.",
            ),
            Misconception(
                units_summed_as_published,
                "Each term has a tanh of its own, and the units are added up without w_v: take the tanh of the sum, then its product with w_v.",
            ),
            Misconception(
                units_summed_without_tanh,
                "Both the tanh and w_v are missing: the score is w_v . tanh(W_q q + W_k k).",
            ),
            Misconception(
                features_returned,
                "These are the features of each pair: their product with w_v makes one number of them.",
            ),
            Misconception(
                last_axis_kept,
                "The last axis, of size 1, is still there: w_v makes one number of the units, so take it away, as squeeze does.",
            ),
            Misconception(
                features_weighted_not_summed,
                "The units are multiplied by w_v but not added up: the score is their dot product with it.",
            ),
            Misconception(largest_unit, "Only the largest of the weighted units is kept: add them up."),
            Misconception(
                matrices_reshaped,
                "W_q and W_k are reshaped where they must be transposed: the shapes fit, but a unit then gets numbers of several. Multiply by W_q.T and W_k.T.",
            ),
            Misconception(
                projections_compared,
                "This is the dot product of W_q q and W_k k: the additive score is w_v . tanh(W_q q + W_k k).",
            ),
            Misconception(
                exponential_taken,
                "The exponential is taken already: it belongs to the softmax, which comes later.",
            ),
        ),
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
        statement=(
            "Write additive attention as a layer with the parameters `W_q.weight` (units, d_q), "
            "`W_k.weight` (units, d_k) and `w_v.weight` (1, units), all without a bias. It keeps the "
            "weights, as they are before dropout, in "
            "`attention_weights` (batch, num_queries, num_keys)."
        ),
        rules=("`masked_softmax` may be imported; the library's own attention may not be called.",),
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
        misconceptions=(
            Misconception(
                attention_query_blind,
                "All queries get the same weights, as where the tanh sits inside each term: the query adds the "
                "same number to the scores of all keys, and the softmax cancels it. Take the tanh of the "
                "sum.",
            ),
            Misconception(
                attention_without_tanh,
                "All queries get the same weights: without a tanh the query adds the same number to the "
                "scores of all keys, and the softmax cancels it.",
            ),
            Misconception(
                attention_with_tanh_of_the_score,
                "The tanh comes after w_v and squeezes the finished score. It belongs to the units: tanh of "
                "the sum first, then w_v.",
            ),
            Misconception(
                attention_with_product,
                "The two terms come out multiplied. The additive score adds them: tanh(W_q q + W_k k).",
            ),
            Misconception(
                attention_with_weights_swapped,
                "W_q and W_k have changed places: the queries go through W_k and the keys through W_q. Fresh "
                "weights hide it, loaded ones do not.",
            ),
            Misconception(
                scaled_by_sqrt_units,
                "The scores come out divided by sqrt(units). Only the dot product is scaled; here w_v learns the scale.",
            ),
            Misconception(softmax_over_queries, OVER_QUERIES),
            Misconception(mask_after_softmax, MASK_TOO_LATE),
            Misconception(renormalised_too_late, RENORMALISED_TOO_LATE),
            Misconception(valid_length_ignored, LENGTH_IGNORED),
            Misconception(keys_in_place_of_values, KEYS_AVERAGED),
            Misconception(
                _in_attention(relu_for_tanh),
                "A ReLU stands in the place of the tanh: the additive score takes w_v . tanh(W_q q + W_k k).",
            ),
            Misconception(
                _in_attention(tanh_before_and_after_the_sum),
                "There is a tanh round each term and another round their sum: keep the one round the sum alone.",
            ),
            Misconception(
                _in_attention(tanh_of_the_score_too),
                "A second tanh squeezes the finished score between -1 and 1: keep the one of the sum alone.",
            ),
            Misconception(
                _in_attention(difference_for_sum),
                "The key's term is subtracted: the additive score adds the two terms.",
            ),
            Misconception(
                _in_attention(mean_over_the_units),
                "The scores come out as means over the units: the product with w_v is their sum, and w_v learns the scale.",
            ),
            Misconception(
                _in_attention(w_v_inside_the_tanh),
                "w_v is multiplied in before the tanh: take the tanh of the sum first, then the product with w_v.",
            ),
            Misconception(
                _in_attention(weighted_dot_product),
                "The two terms come out multiplied, and without a tanh. The additive score is w_v . tanh(W_q q + W_k k).",
            ),
            Misconception(
                _in_attention(tanh_of_each_multiplied),
                "The terms are multiplied after a tanh each: add them first, then take one tanh of the sum.",
            ),
            Misconception(
                _in_attention(tanh_twice_of_the_sum), "The tanh of the sum is taken twice: take it once."
            ),
            *wrong_attention(_scores),
            Misconception(
                no_softmax,
                "The scores are used as weights without a softmax: some are negative, and they do not sum to one.",
            ),
            Misconception(
                weights_of_scores,
                "The context is right, but attention_weights holds the scores: keep what the softmax gives.",
            ),
            Misconception(
                attention_without_w_v,
                "The units are summed up as they are, so w_v has no effect. The score is w_v of the tanh.",
            ),
            Misconception(
                attention_with_softmax_over_units,
                "A softmax over the units stands in the place of the tanh. The softmax belongs to the keys, after w_v.",
            ),
            Misconception(
                scaled_by_the_key_width,
                "The scores come out divided by the square root of a key's width. Only the dot product is scaled; here w_v learns the scale.",
            ),
            Misconception(
                scaled_by_the_query_width,
                "The scores come out divided by the square root of a query's width. Only the dot product is scaled; here w_v learns the scale.",
            ),
            Misconception(
                attention_sign_turned,
                "The sign of the scores is turned round, so the keys that fit least get the most weight.",
            ),
            Misconception(
                attention_by_sigmoid,
                "Each score goes through a sigmoid of its own, and the weights of a query do not sum to 1. Take the softmax over the keys.",
            ),
            Misconception(
                attention_by_distance,
                "The score is minus the squared distance of the two terms. The additive score is w_v . tanh(W_q q + W_k k).",
            ),
            Misconception(
                attention_squared_sum,
                "The sum of the two terms is squared. The additive score takes its tanh: w_v . tanh(W_q q + W_k k).",
            ),
            Misconception(
                dot_product_of_the_terms,
                "The score is the dot product of the two terms, and w_v has no effect. The additive score is w_v . tanh(W_q q + W_k k).",
            ),
            Misconception(
                softmax_over_all_pairs,
                "The softmax runs over queries and keys together, so all weights of a batch element sum to 1. Each query has a softmax of its own, over the keys.",
            ),
        ),
        hints=(
            "Three layers without a bias: `W_q` for the queries, `W_k` for the keys, and `w_v`, which "
            "makes one number of the `units`. The widths `d_q` and `d_k` are known at the first call.",
            "The scores are those of the exercise above. After them it is the layer of the chapter on the "
            "dot product: masked softmax, keep, dropout, average.",
            "`torch.nn.LazyLinear(units, bias=False)`, or `gluon.nn.Dense(units, use_bias=False, "
            "flatten=False)`. The scores are `w_v` of the tanh, without its last axis.",
        ),
        cases=_attention_cases,
        properties=ATTENTION_PROPERTIES,
        builds_on=("masked_softmax",),
        forbidden=library_attention(),
        difficulty=3,
        minutes=25,
        points=3,
    ),
    Exercise(
        name="score_bytes",
        title="What the sum costs",
        statement=(
            "Predict the bytes of the largest float32 array that is made. For the additive score, count the sum of "
            "the two terms and all that follows. For the dot product, count the scores themselves."
        ),
        entry="score_bytes",
        arguments=tuple(Argument(n, "int") for n in ("batch", "num_queries", "num_keys", "units")),
        returns=(Output("bytes", "a tuple of two ints (additive, dot product)", plain=True),),
        reference=score_bytes,
        misconceptions=(
            Misconception(
                units_left_out,
                "The units are missing from the additive score: its tanh is taken of each unit of each pair, "
                "before w_v sums the units.",
            ),
            Misconception(entries_for_bytes, "These are numbers, not bytes. Each float32 takes 4 bytes."),
            Misconception(
                eight_bytes, "This is 8 bytes for each number. That is float64; a float32 takes 4."
            ),
            Misconception(
                projections_only,
                "These are the bytes of W_q q and W_k k, which are small. Their sum is spread over all pairs of a query and a key, and that array is the large one.",
            ),
            Misconception(
                units_in_both,
                "For the dot product the bytes come out multiplied by units too. A matrix product sums over the features as it goes: only the scores are ever stored.",
            ),
            Misconception(batch_left_out, "The batch is missing: every batch element has its own pairs."),
            Misconception(
                bits_for_bytes, "These are bits. A byte has eight of them, so a float32 takes 4 bytes."
            ),
            Misconception(
                half_precision, "This is 2 bytes for each number. That is float16; a float32 takes 4."
            ),
            Misconception(kilobytes, "These are kilobytes, of 1024 bytes each: return bytes."),
            Misconception(
                answers_exchanged,
                "The two answers are exchanged: the additive score comes first, then the dot product.",
            ),
            Misconception(
                arrays_added_up,
                "These are the bytes of scores and features together: asked is the largest single array.",
            ),
            Misconception(
                features_and_terms_added_up,
                "These are the bytes of the features and of the two terms W_q q and W_k k together: asked is the largest single array.",
            ),
            Misconception(
                two_arrays_of_features,
                "The features come out twice, as where sum and tanh are counted, or two terms side by side: asked is the largest single array, the sum of the two terms.",
            ),
            Misconception(
                units_squared,
                "The units count twice: each pair of a query and a key has one vector of `units` numbers.",
            ),
            Misconception(
                queries_by_queries,
                "The number of queries is squared and the keys are left out: a pair is one query and one key.",
            ),
            Misconception(
                keys_by_keys,
                "The number of keys is squared and the queries are left out: a pair is one query and one key.",
            ),
            Misconception(
                keys_left_out, "The keys are left out: there is an entry for each pair of a query and a key."
            ),
            Misconception(
                queries_left_out,
                "The queries are left out: there is an entry for each pair of a query and a key.",
            ),
            Misconception(
                queries_plus_keys,
                "The numbers of queries and keys come out added: every query meets every key, so they are multiplied.",
            ),
            Misconception(
                dot_product_of_the_inputs,
                "For the dot product this is what goes in: asked is the largest array on the way to the scores, and these are the scores themselves.",
            ),
            Misconception(
                bytes_of_the_first_only,
                "For the dot product these are numbers, not bytes: each float32 takes 4 bytes.",
            ),
        ),
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
