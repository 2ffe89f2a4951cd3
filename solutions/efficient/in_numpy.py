"""Exact attention in less memory, the float64 reference.

Online softmax: Milakov and Gimelshein 2018, algorithm 3. Attention in tiles: Rabe and Staats
2021, sections 2 and 3; Dao et al. 2022 (FlashAttention), algorithms 1 and 4. Decoding with a cache:
Shazeer 2019, section 2.4.
"""

import math

import numpy as np

from solutions.efficient.common import what_tiles_change as what_tiles_change
from solutions.masked_softmax.in_numpy import softmax

State = tuple[np.ndarray, np.ndarray, np.ndarray]


def plain_attention(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Scaled dot-product attention with all scores held at once: Vaswani et al. 2017, equation 1.

    queries: (batch, num_queries, d_k).
    keys: (batch, num_keys, d_k).
    values: (batch, num_keys, d_v).
    Returns the context (batch, num_queries, d_v).
    """
    scores = queries @ keys.swapaxes(1, 2) / math.sqrt(queries.shape[-1])
    return softmax(scores) @ values


def causal_attention(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The same where query i attends to the keys 0 to i only; as many queries as keys."""
    scores = queries @ keys.swapaxes(1, 2) / math.sqrt(queries.shape[-1])
    past = np.tri(queries.shape[1], keys.shape[1], dtype=bool)
    scores = np.where(past, scores, -np.inf)
    return softmax(scores) @ values


def online_softmax_step(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    """Merge one tile of keys into the running state.

    maximum: (batch, num_queries, 1), the largest score so far, minus infinity before the first tile.
    total: (batch, num_queries, 1), the sum of exp(score - maximum) so far.
    context: (batch, num_queries, d_v), the sum of exp(score - maximum) times value so far.
    scores: (batch, num_queries, tile), of the new tile.
    values: (batch, tile, d_v), of the new tile.
    Returns the new maximum, total and context; context / total is attention over all keys so far.
    """
    largest = scores.max(axis=-1, keepdims=True)
    highest = np.maximum(maximum, largest)
    shrink = np.exp(maximum - highest)
    exps = np.exp(scores - highest)
    sums = exps.sum(axis=-1, keepdims=True)
    total = total * shrink + sums
    context = context * shrink + exps @ values
    return highest, total, context


def start(queries: np.ndarray, values: np.ndarray) -> State:
    """The running state before the first tile."""
    rows = queries.shape[:2]
    return np.full((*rows, 1), -np.inf), np.zeros((*rows, 1)), np.zeros((*rows, values.shape[-1]))


def tiled_attention(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int) -> np.ndarray:
    """Scaled dot-product attention that holds the scores of `tile` keys at a time.

    The last tile may be shorter. Shapes as in plain_attention.
    """
    queries = queries / math.sqrt(queries.shape[-1])
    total = np.zeros_like(queries[:, :, :1])
    maximum, context = total - math.inf, 0 * total
    for start in range(0, keys.shape[1], tile):
        now = slice(start, start + tile)
        k, v = keys[:, now], values[:, now]
        scores = queries @ k.swapaxes(1, 2)
        largest = scores.max(axis=-1, keepdims=True)
        highest = np.maximum(maximum, largest)
        shrink = np.exp(maximum - highest)
        exps = np.exp(scores - highest)
        sums = exps.sum(axis=-1, keepdims=True)
        total = total * shrink + sums
        context = context * shrink + exps @ v
        maximum = highest
    return context / total


def block_attention(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, rows: int, tile: int
) -> np.ndarray:
    """Tiles over the queries too: `rows` queries and `tile` keys at a time."""
    blocks = range(0, queries.shape[1], rows)
    return np.concatenate(
        [tiled_attention(queries[:, first : first + rows], keys, values, tile) for first in blocks], axis=1
    )


def attention_gradients(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, d_context: np.ndarray
) -> State:
    """d_queries, d_keys and d_values of sum(plain_attention(...) * d_context), in closed form.

    Dao et al. 2022, appendix B.2. Shapes as in plain_attention.
    """
    scale = 1 / math.sqrt(queries.shape[-1])
    scores = queries @ keys.swapaxes(1, 2) * scale
    weights = softmax(scores)
    d_weights = d_context @ values.swapaxes(1, 2)
    along = (weights * d_weights).sum(axis=-1, keepdims=True)
    d_scores = weights * (d_weights - along) * scale
    return d_scores @ keys, d_scores.swapaxes(1, 2) @ queries, weights.swapaxes(1, 2) @ d_context


def merge_partial(
    context: np.ndarray, log_sum: np.ndarray, context_2: np.ndarray, log_sum_2: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Attention over two groups of keys together, from that over each.

    context, context_2: (batch, num_queries, d_v), divided already; log_sum, log_sum_2: (batch, num_queries, 1), the
    logarithm of each group's sum of exp(score). Returns both for all keys. Milakov and Gimelshein 2018, section 3.1.
    """
    highest = np.maximum(log_sum, log_sum_2)
    part = np.exp(log_sum - highest)
    part_2 = np.exp(log_sum_2 - highest)
    total = part + part_2
    merged = (part * context + part_2 * context_2) / total
    return merged, highest + np.log(total)


def attend_with_cache(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    cached_keys: np.ndarray | None,
    cached_values: np.ndarray | None,
) -> State:
    """One step of decoding: the new position attends to itself and to all before it.

    query, key: (batch, 1, d_k); value: (batch, 1, d_v), all of the new position.
    cached_keys: None at the first step, then (batch, num_cached, d_k), oldest first.
    cached_values: None at the first step, then (batch, num_cached, d_v).
    Returns the context (batch, 1, d_v) and the extended caches.
    """
    keys, values = key, value
    if cached_keys is not None and cached_values is not None:
        keys = np.concatenate([cached_keys, key], axis=1)
        values = np.concatenate([cached_values, value], axis=1)
    query = query / math.sqrt(query.shape[-1])
    scores = query @ keys.swapaxes(1, 2)
    context = softmax(scores) @ values
    return context, keys, values


def stepwise(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Causal attention one position at a time, with a cache. Shapes as in causal_attention."""
    cached_keys = cached_values = None
    contexts = []
    for t in range(queries.shape[1]):
        now = slice(t, t + 1)
        context, cached_keys, cached_values = attend_with_cache(
            queries[:, now], keys[:, now], values[:, now], cached_keys, cached_values
        )
        contexts.append(context)
    return np.concatenate(contexts, axis=1)


def decoding_cost(steps: int, d_k: int, d_v: int) -> tuple[int, int, int]:
    """Multiplications that attention takes to decode `steps` positions, and what the cache holds.

    Step t has t positions. Without a cache all t queries are multiplied by all t keys again (a score that the
    causal mask hides is computed all the same); with one, a single query is multiplied by t keys. A score
    takes d_k multiplications, and its share of the context d_v.
    Returns (without a cache, with a cache, numbers in the cache at the end).
    """
    without = with_cache = 0
    for t in range(1, steps + 1):
        without += t * t * (d_k + d_v)
        with_cache += t * (d_k + d_v)
    return without, with_cache, steps * (d_k + d_v)
