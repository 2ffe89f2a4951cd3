"""Exact attention in less memory, in MXNet."""

import math

from mxnet import autograd, nd

from solutions.efficient.common import (
    decoding_cost,  # noqa: F401
    what_tiles_change,  # noqa: F401
)


def plain_attention(queries, keys, values):
    """Scaled dot-product attention, all scores at once.

    queries: (batch, num_queries, d_k)
    keys: (batch, num_keys, d_k)
    values: (batch, num_keys, d_v)
    """
    scaled = queries / math.sqrt(queries.shape[-1])
    scores = nd.batch_dot(scaled, keys, transpose_b=True)
    return nd.batch_dot(scores.softmax(axis=-1), values)


def causal_attention(queries, keys, values):
    """The same, but query i attends to the keys 0 to i.

    queries: (batch, num_keys, d_k)
    keys: (batch, num_keys, d_k)
    values: (batch, num_keys, d_v)
    """
    scaled = queries / math.sqrt(queries.shape[-1])
    scores = nd.batch_dot(scaled, keys, transpose_b=True)
    positions = nd.arange(keys.shape[1])
    future = positions > positions.reshape((-1, 1))
    scores = scores - 1e6 * future
    return nd.batch_dot(scores.softmax(axis=-1), values)


def online_softmax_step(
    maximum,
    total,
    context,
    scores,
    values,
):
    """Merge one tile of keys into the running state.

    maximum: (batch, num_queries, 1), largest score so far
    total: (batch, num_queries, 1), sum of exponentials
    context: (batch, num_queries, d_v), not yet divided
    scores: (batch, num_queries, tile)
    values: (batch, tile, d_v)
    """
    largest = scores.max(axis=-1, keepdims=True)
    highest = nd.maximum(maximum, largest)
    # The old sums are relative to the old maximum.
    shrink = nd.exp(maximum - highest)
    exps = nd.exp(scores - highest)
    sums = exps.sum(axis=-1, keepdims=True)
    total = total * shrink + sums
    context = context * shrink + nd.batch_dot(exps, values)
    return highest, total, context


def tiled_attention(queries, keys, values, tile):
    """Attention that holds the scores of one tile.

    queries: (batch, num_queries, d_k)
    keys: (batch, num_keys, d_k)
    values: (batch, num_keys, d_v)
    tile: how many keys are read at a time
    """
    queries = queries / math.sqrt(queries.shape[-1])
    total = nd.zeros_like(queries[:, :, :1])
    maximum, context = total - math.inf, 0
    for start in range(0, keys.shape[1], tile):
        now = slice(start, start + tile)
        k, v = keys[:, now], values[:, now]
        scores = nd.batch_dot(queries, k, transpose_b=True)
        largest = scores.max(axis=-1, keepdims=True)
        highest = nd.maximum(maximum, largest)
        shrink = nd.exp(maximum - highest)
        exps = nd.exp(scores - highest)
        sums = exps.sum(axis=-1, keepdims=True)
        total = total * shrink + sums
        context = context * shrink + nd.batch_dot(exps, v)
        maximum = highest
    return context / total


def block_attention(queries, keys, values, rows, tile):
    """Tiles over the queries too.

    queries: (batch, num_queries, d_k)
    keys: (batch, num_keys, d_k)
    values: (batch, num_keys, d_v)
    rows: how many queries are scored at a time
    """
    blocks = []
    for start in range(0, queries.shape[1], rows):
        part = queries[:, start : start + rows]
        part = tiled_attention(part, keys, values, tile)
        blocks.append(part)
    return nd.concat(*blocks, dim=1)


def tiled_state(queries, keys, values, tile):
    """The running state after all tiles.

    queries: (batch, num_queries, d_k)
    keys: (batch, num_keys, d_k)
    values: (batch, num_keys, d_v)
    tile: how many keys are read at a time
    """
    queries = queries / math.sqrt(queries.shape[-1])
    total = nd.zeros_like(queries[:, :, :1])
    state = total - math.inf, total, 0
    for start in range(0, keys.shape[1], tile):
        now = slice(start, start + tile)
        k, v = keys[:, now], values[:, now]
        scores = nd.batch_dot(queries, k, transpose_b=True)
        state = online_softmax_step(*state, scores, v)
    return state


def tiled_gradients(
    queries,
    keys,
    values,
    context,
    log_sum,
    d_context,
    tile,
):
    """Gradients from weights computed anew, tile by tile.

    queries: (batch, num_queries, d_k)
    keys: (batch, num_keys, d_k)
    values: (batch, num_keys, d_v)
    context: (batch, num_queries, d_v), the result
    log_sum: (batch, num_queries, 1), log sum exp(score)
    d_context: (batch, num_queries, d_v)
    tile: how many keys are read at a time
    """
    scale = 1 / math.sqrt(queries.shape[-1])
    along = d_context * context
    along = along.sum(axis=-1, keepdims=True)
    d_queries, d_keys, d_values = 0, [], []
    for first in range(0, keys.shape[1], tile):
        part = slice(first, first + tile)
        k, v = keys[:, part], values[:, part]
        again = nd.batch_dot(queries, k, transpose_b=True)
        weights = nd.exp(again * scale - log_sum)
        slope = nd.batch_dot(d_context, v, transpose_b=True)
        slope = weights * (slope - along) * scale
        d_queries = d_queries + nd.batch_dot(slope, k)
        slope = slope.transpose((0, 2, 1))
        d_keys.append(nd.batch_dot(slope, queries))
        weights = weights.transpose((0, 2, 1))
        d_values.append(nd.batch_dot(weights, d_context))
    d_keys = nd.concat(*d_keys, dim=1)
    return d_queries, d_keys, nd.concat(*d_values, dim=1)


class TiledAttention(autograd.Function):
    """Tiled attention; backward computes weights anew."""

    def __init__(self, tile):
        super().__init__()
        self.tile = tile

    def forward(self, queries, keys, values):
        inputs = queries, keys, values
        state = tiled_state(*inputs, self.tile)
        maximum, total, context = state
        context = context / total
        log_sum = maximum + total.log()
        self.save_for_backward(*inputs, context, log_sum)
        return context

    def backward(self, d_context):
        saved = self.saved_tensors
        return tiled_gradients(*saved, d_context, self.tile)


def merge_partial(context, log_sum, context_2, log_sum_2):
    """Attention over two groups of keys together.

    context, context_2: (batch, num_queries, d_v), of each
    log_sum, log_sum_2: (batch, num_queries, 1),
        the logarithm of the sum of exp(score) of each
    """
    highest = nd.maximum(log_sum, log_sum_2)
    part = nd.exp(log_sum - highest)
    part_2 = nd.exp(log_sum_2 - highest)
    total = part + part_2
    merged = (part * context + part_2 * context_2) / total
    return merged, highest + total.log()


def attend_with_cache(
    query,
    key,
    value,
    cached_keys,
    cached_values,
):
    """The new position attends to itself and all before it.

    query, key: (batch, 1, d_k)
    value: (batch, 1, d_v)
    cached_keys: None or (batch, num_cached, d_k)
    cached_values: None or (batch, num_cached, d_v)
    """
    keys, values = key, value
    if cached_keys is not None:
        keys = nd.concat(cached_keys, key, dim=1)
        values = nd.concat(cached_values, value, dim=1)
    query = query / math.sqrt(query.shape[-1])
    scores = nd.batch_dot(query, keys, transpose_b=True)
    context = nd.batch_dot(scores.softmax(axis=-1), values)
    return context, keys, values


def stepwise(queries, keys, values):
    """Causal attention one position at a time.

    queries: (batch, num_keys, d_k)
    keys: (batch, num_keys, d_k)
    values: (batch, num_keys, d_v)
    """
    contexts, cache = [], (None, None)
    for t in range(queries.shape[1]):
        now = slice(t, t + 1)
        new = queries[:, now], keys[:, now], values[:, now]
        outputs = attend_with_cache(*new, *cache)
        context, *cache = outputs
        contexts.append(context)
    return nd.concat(*contexts, dim=1)
