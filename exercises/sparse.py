"""Exercises on fewer pairs: a sparse pattern, linear attention, and keys that heads share."""

import math
from functools import partial

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import Argument, Call, Case, Exercise, Misconception, Output, Property
from exercises.shared import OVER_QUERIES, draw_sizes, rows_sum_to_one, weight_outside
from solutions.self_attention.in_numpy import softmax
from solutions.sparse.in_numpy import (
    features,
    grouped_query,
    linear_attention,
    sparse_pattern,
    sparse_weights,
)

SCORES = "(batch, num_tokens, num_tokens)"
HEADS = "(batch, num_heads, num_tokens, {})"
GROUPS = "(batch, num_groups, num_tokens, {})"
FEW = 1e-6  # what people add to a sum that may be zero


# A window with gaps, and the first tokens


def _distance(scores: np.ndarray) -> np.ndarray:
    key = np.arange(scores.shape[-1])
    return np.asarray(key[:, None] - key)


def _where(visible: np.ndarray, scores: np.ndarray) -> np.ndarray:
    return softmax(np.where(visible, scores, -1e6))


def _joined(near: np.ndarray, scores: np.ndarray, num_global: int) -> np.ndarray:
    """The weights where `near` and the first tokens are visible, both without what is later."""
    key, distance = np.arange(scores.shape[-1]), _distance(scores)
    return _where((near | (key < num_global)) & (distance >= 0), scores)


def window_one_too_wide(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    return sparse_weights(scores, window + 1, dilation, num_global)


def window_one_too_narrow(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    distance = _distance(scores)
    near = (distance < (window - 1) * dilation) & (distance % dilation == 0)
    return _joined(near, scores, num_global)


def own_key_hidden(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    distance = _distance(scores)
    near = (distance > 0) & (distance <= window * dilation) & (distance % dilation == 0)
    return _joined(near, scores, num_global)


def dilation_ignored(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    return sparse_weights(scores, window, 1, num_global)


def gaps_filled(
    scores: np.ndarray, window: int, dilation: int, num_global: int, last_gap: bool = False
) -> np.ndarray:
    reach = window * dilation - 1 if last_gap else (window - 1) * dilation
    return _joined(_distance(scores) <= reach, scores, num_global)


def window_counts_positions(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    distance = _distance(scores)
    return _joined((distance < window) & (distance % dilation == 0), scores, num_global)


def dilation_counts_the_gap(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    return sparse_weights(scores, window, dilation + 1, num_global)


def gaps_from_the_start(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    distance = _distance(scores)
    on_grid = (np.arange(scores.shape[-1]) % dilation == 0) | (distance == 0)
    return _joined((distance < window * dilation) & on_grid, scores, num_global)


def window_on_both_sides(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    distance = np.abs(_distance(scores))
    near = (distance < window * dilation) & (distance % dilation == 0)
    return _where(near | (np.arange(scores.shape[-1]) < num_global), scores)


def window_on_both_sides_of_causal_first_tokens(
    scores: np.ndarray, window: int, dilation: int, num_global: int
) -> np.ndarray:
    distance = np.abs(_distance(scores))
    near = (distance < window * dilation) & (distance % dilation == 0)
    return _where(near | ((np.arange(scores.shape[-1]) < num_global) & (_distance(scores) >= 0)), scores)


def later_keys_of_the_grid_seen(
    scores: np.ndarray, window: int, dilation: int, num_global: int
) -> np.ndarray:
    distance = _distance(scores)
    near = (distance < window * dilation) & (distance % dilation == 0)
    return _where(near | (np.arange(scores.shape[-1]) < num_global), scores)


def window_ahead(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    distance = -_distance(scores)
    near = (distance < window * dilation) & (distance % dilation == 0)
    return _where((near | (np.arange(scores.shape[-1]) < num_global)) & (distance >= 0), scores)


def later_global_tokens_seen(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    near = sparse_pattern(scores.shape[-1], window, dilation)
    return _where(near | (np.arange(scores.shape[-1]) < num_global), scores)


def global_tokens_see_only(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    near = sparse_pattern(scores.shape[-1], window, dilation)
    rows = np.arange(scores.shape[-1])[:, None] < num_global
    return _where((near | rows) & (_distance(scores) >= 0), scores)


def global_tokens_left_out(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    return sparse_weights(scores, window, dilation, 0)


def global_tokens_last(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    near = sparse_pattern(scores.shape[-1], window, dilation)
    last = np.arange(scores.shape[-1]) >= scores.shape[-1] - num_global
    return _where((near | last) & (_distance(scores) >= 0), scores)


def both_at_once(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    near = sparse_pattern(scores.shape[-1], window, dilation)
    return _where(near & (np.arange(scores.shape[-1]) < num_global), scores)


def pattern_turned_round(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    return _where(~sparse_pattern(scores.shape[-1], window, dilation, num_global), scores)


def mask_after_the_softmax(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    return softmax(scores) * sparse_pattern(scores.shape[-1], window, dilation, num_global)


def hidden_with_zero(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    return softmax(scores * sparse_pattern(scores.shape[-1], window, dilation, num_global))


def softmax_over_queries(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    visible = sparse_pattern(scores.shape[-1], window, dilation, num_global)
    hidden = np.where(visible, scores, -1e6)
    return np.swapaxes(softmax(np.swapaxes(hidden, 1, 2)), 1, 2)


def _sparse_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, *typical: int, window: int, dilation: int = 1, first: int = 0, gradient: bool = False
    ) -> Case:
        batch, tokens = draw_sizes(rng, *typical, spread=3)
        inputs = {
            "scores": rng.normal(size=(batch, tokens, tokens)),
            "window": window,
            "dilation": dilation,
            "num_global": first,
        }
        return Case(note, inputs, gradient=gradient)

    def among(least: int, most: int) -> int:
        return int(rng.integers(least, most + 1))

    return [
        case("a plain window", 2, 8, window=among(3, 4), gradient=True),
        case("every second or third key", 2, 12, window=among(3, 4), dilation=among(2, 3), gradient=True),
        case("a window and first tokens", 3, 9, window=2, first=among(2, 3)),
        case("a window with gaps and first tokens", 2, 13, window=3, dilation=2, first=3, gradient=True),
        case("each token sees itself and the first one", 2, 6, window=1, dilation=among(1, 4), first=1),
        case("a window wider than the sequence", 2, 4, window=among(8, 10), first=among(2, 9)),
        case("a single token", 3, 1, window=2, dilation=2),
    ]


def _nothing_outside(run: Call, case: Case) -> str | None:
    """Whether all weights outside the pattern are zero."""
    weights = run(case)[0]
    given = {name: case.inputs[name] for name in ("window", "dilation", "num_global")}
    visible = sparse_pattern(case.inputs["scores"].shape[-1], **given)
    return weight_outside(weights, np.broadcast_to(visible, weights.shape), "outside")


# Linear attention


def _products(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Dot products (batch, num_tokens, num_tokens), those of later keys zero."""
    return np.asarray(np.tril(queries @ np.swapaxes(keys, 1, 2)))


def _averaged(products: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.asarray(products @ values / products.sum(axis=-1, keepdims=True))


def _both(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return _products(features(queries), features(keys))


def later_keys_seen(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return _averaged(features(queries) @ np.swapaxes(features(keys), 1, 2), values)


def sum_left_out(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.asarray(_both(queries, keys) @ values)


def divided_by_the_number_of_keys(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.asarray(_both(queries, keys) @ values / np.arange(1, values.shape[1] + 1)[:, None])


def divided_by_z_alone(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    z = np.cumsum(features(keys), axis=1).sum(axis=-1, keepdims=True)
    return np.asarray(_both(queries, keys) @ values / z)


def z_of_all_keys(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    total = (features(queries) @ np.swapaxes(features(keys), 1, 2)).sum(axis=-1, keepdims=True)
    return np.asarray(_both(queries, keys) @ values / total)


def z_of_raw_keys(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    total = _products(features(queries), keys).sum(axis=-1, keepdims=True)
    return np.asarray(_both(queries, keys) @ values / total)


def no_features(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return _averaged(_products(queries, keys), values)


def queries_without_features(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return _averaged(_products(queries, features(keys)), values)


def keys_without_features(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return _averaged(_products(features(queries), keys), values)


def elu_without_one(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return _averaged(_products(features(queries) - 1, features(keys) - 1), values)


def quarter_of_elu(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    def phi(X: np.ndarray) -> np.ndarray:
        return np.where(X > 0, X, 0.25 * (np.exp(np.minimum(X, 0)) - 1)) + 1

    return _averaged(_products(phi(queries), phi(keys)), values)


def relu_features(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, least: float = 1) -> np.ndarray:
    return _averaged(_products(np.maximum(queries, 0) + least, np.maximum(keys, 0) + least), values)


def exponential_features(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return _averaged(_products(np.exp(queries), np.exp(keys)), values)


def features_of_the_product(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return _averaged(np.tril(features(queries @ np.swapaxes(keys, 1, 2))), values)


def features_of_the_values(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return linear_attention(queries, keys, features(values))


def softmax_of_the_products(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    visible = np.tri(values.shape[1], dtype=bool)
    return np.asarray(_where(visible, _both(queries, keys)) @ values)


def plain_attention(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    scores = queries @ np.swapaxes(keys, 1, 2) / math.sqrt(keys.shape[-1])
    return np.asarray(_where(np.tri(values.shape[1], dtype=bool), scores) @ values)


def scaled_before_the_features(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return linear_attention(queries / math.sqrt(keys.shape[-1]), keys, values)


def read_before_written(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    earlier = np.tril(_both(queries, keys), -1)
    return np.asarray(earlier @ values / (earlier.sum(axis=-1, keepdims=True) + FEW))


def old_sums_overwritten(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    products = _both(queries, keys)
    own = np.diagonal(products, axis1=1, axis2=2)[..., None]
    return np.asarray(own * values / products.sum(axis=-1, keepdims=True))


def divided_at_each_step(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    products = _both(queries, keys)
    own = np.diagonal(products, axis1=1, axis2=2)[..., None]
    return np.asarray(np.cumsum(own * values / products.sum(axis=-1, keepdims=True), axis=1))


def summed_over_the_batch(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    queries, keys = features(queries), features(keys)
    S = np.cumsum(keys[..., None] * values[:, :, None], axis=0)
    total = (queries * np.cumsum(keys, axis=0)).sum(axis=-1, keepdims=True)
    return np.asarray(np.einsum("bnk,bnkv->bnv", queries, S) / total)


def _nearly_divides_by_zero(queries: np.ndarray, keys: np.ndarray) -> bool:
    """Whether, without the features, a sum of products nearly vanishes: its quotient has no digits then."""
    of_queries, of_keys = features(queries), features(keys)
    pairs = ((of_queries, keys), (queries, of_keys), (queries, keys), (of_queries - 1, of_keys - 1))
    products = [_products(*pair) for pair in pairs]
    return any((np.abs(p.sum(axis=-1)) < 0.01 * np.abs(p).sum(axis=-1)).any() for p in products)


def _linear_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, lift: float = 0.0, gradient: bool = False) -> Case:
        batch, tokens, d_k, d_v = draw_sizes(rng, *typical)
        shape = (batch, tokens, d_k)
        queries, keys = rng.normal(size=shape) + lift, rng.normal(size=shape) + lift
        while _nearly_divides_by_zero(queries, keys):
            queries, keys = rng.normal(size=shape) + lift, rng.normal(size=shape) + lift
        inputs = {"queries": queries, "keys": keys, "values": rng.normal(size=(batch, tokens, d_v))}
        return Case(note, inputs, gradient=gradient)

    return [
        case("few tokens", 2, 5, 3, 4, gradient=True),
        case("more tokens than features", 3, 12, 2, 5, gradient=True),
        case("queries and keys below zero", 2, 6, 4, 3, lift=-1.5),
        case("queries and keys above zero", 2, 4, 5, 3, lift=1.5, gradient=True),
        case("one feature", 2, 6, 1, 3),
        case("a single token", 3, 1, 4, 2),
    ]


# Keys and values that heads share


def _repeated(shared: np.ndarray, queries: np.ndarray) -> np.ndarray:
    return np.repeat(shared, queries.shape[1] // shared.shape[1], axis=1)


def _interleaved(shared: np.ndarray, queries: np.ndarray) -> np.ndarray:
    return np.tile(shared, (1, queries.shape[1] // shared.shape[1], 1, 1))


def _scores(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Scores (batch, num_heads, num_tokens, num_tokens), not yet scaled."""
    return np.asarray(queries @ np.swapaxes(_repeated(keys, queries), 2, 3))


def _causal(scores: np.ndarray) -> np.ndarray:
    return _where(np.tri(scores.shape[-1], dtype=bool), scores)


def _with_weights(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.asarray(weights @ _repeated(values, weights))


def _root(queries: np.ndarray) -> float:
    return math.sqrt(queries.shape[-1])


def groups_take_turns(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return grouped_query(queries, _interleaved(keys, queries), _interleaved(values, queries))


def only_keys_take_turns(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return grouped_query(queries, _interleaved(keys, queries), _repeated(values, queries))


def only_values_take_turns(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return grouped_query(queries, _repeated(keys, queries), _interleaved(values, queries))


def groups_of_the_wrong_size(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    groups = keys.shape[1]
    group = np.minimum(np.arange(queries.shape[1]) // groups, groups - 1)
    return grouped_query(queries, keys[:, group], values[:, group])


def first_group_for_all(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return grouped_query(queries, keys[:, :1], values[:, :1])


def groups_averaged(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return grouped_query(queries, keys.mean(axis=1, keepdims=True), values.mean(axis=1, keepdims=True))


def _queries_of_groups(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    batch, heads, tokens, d = queries.shape
    return queries.reshape((batch, keys.shape[1], heads // keys.shape[1], tokens, d))


def queries_averaged(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    shared = _queries_of_groups(queries, keys).mean(axis=2)
    return grouped_query(_repeated(shared, queries), keys, values)


def later_tokens_seen(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return _with_weights(softmax(_scores(queries, keys) / _root(queries)), values)


def own_token_hidden(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    scores = _scores(queries, keys) / _root(queries)
    return _with_weights(_where(np.tri(scores.shape[-1], k=-1, dtype=bool), scores), values)


def later_scores_zero(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return _with_weights(softmax(np.tril(_scores(queries, keys) / _root(queries))), values)


def masked_after_the_softmax(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return _with_weights(np.tril(softmax(_scores(queries, keys) / _root(queries))), values)


def not_scaled(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return _with_weights(_causal(_scores(queries, keys)), values)


def scaled_by_the_width(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return _with_weights(_causal(_scores(queries, keys) / queries.shape[-1]), values)


def scaled_by_the_heads(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return _with_weights(_causal(_scores(queries, keys) / math.sqrt(queries.shape[1])), values)


def scaled_by_all_heads(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    return _with_weights(
        _causal(_scores(queries, keys) / math.sqrt(queries.shape[1] * queries.shape[-1])), values
    )


def softmax_over_the_queries(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    scores = np.where(np.tri(queries.shape[2], dtype=bool), _scores(queries, keys) / _root(queries), -1e6)
    return _with_weights(np.swapaxes(softmax(np.swapaxes(scores, 2, 3)), 2, 3), values)


def heads_in_another_order(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    context = grouped_query(queries, keys, values)
    by_group = _queries_of_groups(context, keys)
    return by_group.swapaxes(1, 2).reshape(context.shape)


def _grouped_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, groups: int, per_group: int, *typical: int, gradient: bool = False) -> Case:
        batch, tokens, d_k, d_v = draw_sizes(rng, *typical)
        inputs = {
            "queries": rng.normal(size=(batch, groups * per_group, tokens, d_k)),
            "keys": rng.normal(size=(batch, groups, tokens, d_k)),
            "values": rng.normal(size=(batch, groups, tokens, d_v)),
        }
        return Case(note, inputs, gradient=gradient)

    three = 3 + int(rng.integers(2))
    return [
        case("two groups of several heads", 2, three, 2, 5, 3, 6, gradient=True),
        case("several groups of two heads", three, 2, 2, 4, 7, 3, gradient=True),
        case("one group: multi-query attention", 1, three, 3, 6, 5, 2, gradient=True),
        case("a group for each head", three, 1, 2, 5, 4, 3),
        case("a single token", 2, 2, 3, 1, 4, 2),
    ]


EXERCISES = (
    Exercise(
        name="sparse_weights",
        title="A window with gaps",
        statement="Write causal weights for a sparse pattern. The query at position $i$ sees `window` keys, as far as "
        "there are so many: those at $i$, $i$ − `dilation`, $i$ − 2 · `dilation`, and so on. It also sees the first "
        "`num_global` tokens of the sequence. No query sees a later token.",
        rules=("The weights of each row sum to 1; all weights outside the pattern are 0.",),
        entry="sparse_weights",
        arguments=(
            Argument("scores", SCORES),
            Argument("window", "int, at least 1"),
            Argument("dilation", "int, at least 1"),
            Argument("num_global", "int"),
        ),
        returns=(Output("weights", SCORES, exact_zeros=True, map=True),),
        reference=sparse_weights,
        misconceptions=(
            Misconception(
                window_one_too_wide,
                "The window holds one key too many: its own key is the first of `window` keys, so the distance stays "
                "below window · dilation.",
            ),
            Misconception(
                window_one_too_narrow,
                "The window holds one key too few: with `window` keys, its own included, the last one is "
                "(window − 1) · dilation away.",
            ),
            Misconception(
                own_key_hidden,
                "A token does not see itself: the window begins at the key before. Its own key, at distance 0, is "
                "the first of the window.",
            ),
            Misconception(
                dilation_ignored,
                "The dilation has no effect: the window holds neighbours. Take every key whose distance is a multiple "
                "of `dilation`.",
            ),
            Misconception(
                gaps_filled,
                "The window reaches as far as it should, but the keys between are seen too, and they cost what a "
                "wide window costs. Only distances that are multiples of `dilation` count.",
                also=(partial(gaps_filled, last_gap=True),),
            ),
            Misconception(
                window_counts_positions,
                "`window` is taken as a number of positions, so that gaps leave fewer keys. It counts keys: the reach "
                "is window · dilation positions.",
            ),
            Misconception(
                dilation_counts_the_gap,
                "The step from key to key is dilation + 1. `dilation` is the step itself: with 1 the keys are "
                "neighbours.",
            ),
            Misconception(
                gaps_from_the_start,
                "The keys are chosen by their position, not by their distance: queries that stand on no multiple of "
                "`dilation` see other keys than they should. Count from the query.",
            ),
            Misconception(
                window_on_both_sides,
                "The window reaches ahead as well: a query sees no later key.",
            ),
            Misconception(
                window_on_both_sides_of_causal_first_tokens,
                "The window reaches to both sides, and later tokens are hidden among the first ones alone: no query "
                "sees a later key, in the window either.",
            ),
            Misconception(
                later_keys_of_the_grid_seen,
                "A condition is missing: a distance below window · dilation may be negative, so later keys are seen "
                "as well. Ask for a distance of 0 or more, for the window and for the first tokens.",
            ),
            Misconception(
                window_ahead,
                "The distance has the wrong sign, so queries see later keys: it is the query's position minus the "
                "key's.",
            ),
            Misconception(
                later_global_tokens_seen,
                "The first tokens are visible to everyone, so token 0 sees token 1: they too must hide what is later. "
                "In a language model this is a leak.",
            ),
            Misconception(
                global_tokens_see_only,
                "The first tokens see everything before them, but nobody sees them: rows and columns are "
                "interchanged. They are keys that all later queries see.",
            ),
            Misconception(
                global_tokens_left_out, "`num_global` has no effect: the first tokens are missing."
            ),
            Misconception(
                global_tokens_last,
                "The last `num_global` tokens are global. In a causal model these must be the first: the last ones "
                "are seen by hardly anyone.",
            ),
            Misconception(
                both_at_once,
                "Only first tokens inside the window are seen: a key is visible if it is in the window *or* among the "
                "first.",
            ),
            Misconception(
                pattern_turned_round,
                "The pattern is inverted: what should be seen is hidden, and the rest is seen.",
            ),
            Misconception(
                mask_after_the_softmax,
                "The mask comes after the softmax, so the weights that remain no longer sum to 1: mask the scores, "
                "then take the softmax.",
            ),
            Misconception(
                hidden_with_zero,
                "Hidden scores become 0, and exp(0) is 1: they still get weight. Fill them with a large negative "
                "number.",
            ),
            Misconception(softmax_over_queries, OVER_QUERIES),
        ),
        hints=(
            "Make a matrix of distances: the query's position minus the key's.",
            "A key is in the window if its distance is below window · dilation and a multiple of dilation. Join that "
            "with the first tokens by *or*, and with the causal mask by *and*.",
            "`visible = (near | (key < num_global)) & (distance >= 0)`; fill the other scores with −10⁶ and take the "
            "softmax. In MXNet comparisons give numbers: *and* is `*`, *or* is `nd.broadcast_maximum`.",
        ),
        cases=_sparse_cases,
        properties=(
            Property("each row of weights must sum to 1", rows_sum_to_one),
            Property("every weight outside the pattern must be 0", _nothing_outside),
        ),
        difficulty=3,
        minutes=20,
        points=2,
    ),
    Exercise(
        name="linear_attention",
        title="Attention by running sums",
        statement="Write causal linear attention: for query $i$, key $j$ has the weight "
        "$\\varphi(q_i)^\\top\\varphi(k_j)$ divided by the sum of these products over the keys up to $i$. Entry by entry, "
        "$\\varphi(x) = \\operatorname{elu}(x) + 1$, which is $x + 1$ above 0 and $e^x$ below.",
        rules=(
            "Carry the sums $S$ and $z$ from token to token; a token sees itself. A loop over the tokens is welcome; "
            "make new sums in it, `S = S + …`, since `S += …` changes in place what the gradient needs.",
        ),
        entry="linear_attention",
        arguments=(
            Argument("queries", "(batch, num_tokens, d_k)"),
            Argument("keys", "(batch, num_tokens, d_k)"),
            Argument("values", "(batch, num_tokens, d_v)"),
        ),
        returns=(Output("context", "(batch, num_tokens, d_v)"),),
        reference=linear_attention,
        misconceptions=(
            Misconception(
                later_keys_seen,
                "The sums run over all tokens, so that queries see later keys. Query i may use the sums up to its own "
                "token only.",
            ),
            Misconception(
                sum_left_out,
                "The division is missing: the weights do not sum to 1. Divide by φ(q)·z.",
            ),
            Misconception(
                divided_by_the_number_of_keys,
                "The context is divided by the number of keys. Divide by the sum of the products, φ(q)·z.",
            ),
            Misconception(
                divided_by_z_alone,
                "The context is divided by the sum of z, in which the query has no part. Divide by φ(q)·z.",
            ),
            Misconception(
                z_of_all_keys,
                "S is a running sum, but z adds up all keys, later ones too. Both run up to the query's token.",
            ),
            Misconception(
                z_of_raw_keys,
                "z adds up the keys themselves. It must add up φ(k), as S does.",
            ),
            Misconception(
                no_features,
                "φ is missing: products of queries and keys can be negative, and their sum can be near zero.",
            ),
            Misconception(
                queries_without_features, "φ is applied to the keys alone: apply it to the queries too."
            ),
            Misconception(
                keys_without_features, "φ is applied to the queries alone: apply it to the keys too."
            ),
            Misconception(
                elu_without_one,
                "The + 1 is missing: elu itself can be negative, and so can the weights. φ(x) = elu(x) + 1.",
            ),
            Misconception(
                quarter_of_elu,
                "Below 0 the features are 1 + (eˣ − 1) / 4: a slope of 0.25, MXNet's default, multiplies elu there. Say "
                "`slope=1.0`.",
            ),
            Misconception(
                relu_features,
                "Below 0 the features are constant, as relu(x) + 1 is: their gradient is lost. elu(x) + 1 is eˣ there.",
                also=tuple(
                    partial(relu_features, least=least) for least in (0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1)
                ),
            ),
            Misconception(
                exponential_features,
                "The features are eˣ everywhere. Above 0, elu(x) + 1 is x + 1.",
            ),
            Misconception(
                features_of_the_product,
                "φ is applied to the product q·k. Then the sum cannot be taken apart, and no running sum exists: "
                "apply φ to queries and keys, before the product.",
            ),
            Misconception(
                features_of_the_values,
                "φ is applied to the values as well: it is for queries and keys, which make the weights.",
            ),
            Misconception(
                softmax_of_the_products,
                "A softmax is taken of the products. They are positive already: divide each by their sum.",
            ),
            Misconception(
                plain_attention,
                "This is ordinary causal attention, with a softmax. Here the weight is φ(q)·φ(k) divided by the sum.",
            ),
            Misconception(
                scaled_before_the_features,
                "The queries are divided by √d_k first. Nothing is scaled here: the division by the sum sets the size.",
            ),
            Misconception(
                read_before_written,
                "The context is read before the token's own key and value are added, so no token sees itself: add "
                "first, then read.",
            ),
            Misconception(
                old_sums_overwritten,
                "S holds the last token alone, as where it is overwritten at each step. Add to it.",
            ),
            Misconception(
                divided_at_each_step,
                "Each token's part is weighted by the query of that time and divided at once, then added up. Every "
                "query weighs all keys anew: keep S undivided, and read it with the query.",
            ),
            Misconception(
                summed_over_the_batch,
                "The sums run over the batch: sequences are mixed. They run over the tokens, axis 1.",
            ),
        ),
        hints=(
            "Two sums are enough for all keys so far: S adds up the products φ(k)·vᵀ, of shape (d_k, d_v), and z adds "
            "up φ(k).",
            "At each token: first add its key and value to the sums, then read them with its query. The context is "
            "φ(q)ᵀS, divided by φ(q)·z.",
            "`S = S + torch.bmm(k.transpose(1, 2), v)`, in MXNet `nd.batch_dot(k, v, transpose_a=True)`, for slices k "
            "and v of one token; collect the contexts in a list and join them along axis 1.",
        ),
        cases=_linear_cases,
        difficulty=3,
        minutes=25,
        points=3,
    ),
    Exercise(
        name="grouped_query",
        title="Heads that share their keys",
        statement="Write causal attention with scaled dot products, in which neighbouring heads share keys and values: "
        "with $H$ heads and $G$ groups, the first $H/G$ heads use the keys and values of group 0, the next $H/G$ heads "
        "those of group 1, and so on.",
        rules=(
            "Each head keeps queries of its own. No token attends to a later one. The library's "
            "own attention may not be called.",
        ),
        entry="grouped_query",
        arguments=(
            Argument("queries", HEADS.format("d_k")),
            Argument("keys", GROUPS.format("d_k") + ", where num_groups divides num_heads"),
            Argument("values", GROUPS.format("d_v")),
        ),
        returns=(Output("context", HEADS.format("d_v")),),
        reference=grouped_query,
        misconceptions=(
            Misconception(
                groups_take_turns,
                "Heads 0, 1, 2, … take the groups in turn. With trained weights that is another model, and no shape "
                "shows it: neighbouring heads share a group. PyTorch's `repeat` and MXNet's `tile` repeat the whole "
                "row of groups; `repeat_interleave` and MXNet's `repeat` repeat each group.",
            ),
            Misconception(
                only_keys_take_turns,
                "The values are shared by neighbours, but the keys are taken in turn: repeat both in the same way.",
            ),
            Misconception(
                only_values_take_turns,
                "The keys are shared by neighbours, but the values are taken in turn: repeat both in the same way.",
            ),
            Misconception(
                groups_of_the_wrong_size,
                "Head h takes group h // num_groups. It must be h // (num_heads / num_groups), the number of heads in "
                "a group.",
            ),
            Misconception(
                first_group_for_all,
                "All heads use the first group: that is multi-query attention. Each group has keys and values of its "
                "own.",
            ),
            Misconception(
                groups_averaged,
                "Keys and values are averaged over the groups, so that all heads share them. Each group of heads uses "
                "its own.",
            ),
            Misconception(
                queries_averaged,
                "The queries of a group are averaged, so its heads are all the same. What is shared are keys and "
                "values; each head keeps its queries.",
            ),
            Misconception(later_tokens_seen, "The causal mask is missing: queries see later tokens."),
            Misconception(
                own_token_hidden,
                "The mask hides the token itself: a query sees its own key and those before it.",
            ),
            Misconception(
                later_scores_zero,
                "Later scores become 0, and exp(0) is 1: they still get weight. Fill them with a large negative "
                "number.",
            ),
            Misconception(
                masked_after_the_softmax,
                "The mask comes after the softmax, so the weights no longer sum to 1: mask the scores first.",
            ),
            Misconception(not_scaled, "The scores are not divided by √d_k."),
            Misconception(
                scaled_by_the_width, "The scores are divided by d_k itself. Divide by its square root."
            ),
            Misconception(
                scaled_by_the_heads,
                "The scores are divided by the square root of the number of heads. Divide by √d_k, the width of a key.",
            ),
            Misconception(
                scaled_by_all_heads,
                "The scores are divided by the square root of the width of all heads together, num_heads · d_k. "
                "Divide by √d_k, the width of one.",
            ),
            Misconception(softmax_over_the_queries, OVER_QUERIES),
            Misconception(
                heads_in_another_order,
                "The contexts are right, but the heads come back in another order: first the first head of each group, "
                "then the second. Keep the groups before the heads when you reshape.",
            ),
        ),
        hints=(
            "Make keys and values as many as there are heads, then it is ordinary causal attention.",
            "Each group is repeated num_heads / num_groups times, and its copies stand side by side: 0, 0, 1, 1, and "
            "not 0, 1, 0, 1.",
            "`keys.repeat_interleave(per_group, dim=1)`, in MXNet `keys.repeat(per_group, axis=1)`; the same for the "
            "values. Then scores, mask, softmax, and the product with the values.",
        ),
        cases=_grouped_cases,
        forbidden=library_attention(),
        difficulty=3,
        minutes=20,
        points=2,
    ),
)
