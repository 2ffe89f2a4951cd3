"""Exact attention in less memory, in PyTorch."""

import math

import torch

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
    scores = torch.bmm(scaled, keys.transpose(1, 2))
    return torch.bmm(scores.softmax(dim=-1), values)


def causal_attention(queries, keys, values):
    """The same, but query i attends to the keys 0 to i.

    queries: (batch, num_keys, d_k)
    keys: (batch, num_keys, d_k)
    values: (batch, num_keys, d_v)
    """
    scaled = queries / math.sqrt(queries.shape[-1])
    scores = torch.bmm(scaled, keys.transpose(1, 2))
    num_keys, device = keys.shape[1], keys.device
    positions = torch.arange(num_keys, device=device)
    future = positions > positions.reshape((-1, 1))
    scores = scores - 1e6 * future.float()
    return torch.bmm(scores.softmax(dim=-1), values)


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
    largest = scores.amax(dim=-1, keepdim=True)
    highest = torch.maximum(maximum, largest)
    # The old sums are relative to the old maximum.
    shrink = torch.exp(maximum - highest)
    exps = torch.exp(scores - highest)
    sums = exps.sum(dim=-1, keepdim=True)
    total = total * shrink + sums
    context = context * shrink + torch.bmm(exps, values)
    return highest, total, context


def tiled_attention(queries, keys, values, tile):
    """Attention that holds the scores of one tile.

    queries: (batch, num_queries, d_k)
    keys: (batch, num_keys, d_k)
    values: (batch, num_keys, d_v)
    tile: how many keys are read at a time
    """
    queries = queries / math.sqrt(queries.shape[-1])
    total = torch.zeros_like(queries[:, :, :1])
    maximum, context = total - math.inf, 0
    for start in range(0, keys.shape[1], tile):
        now = slice(start, start + tile)
        k, v = keys[:, now], values[:, now]
        scores = torch.bmm(queries, k.transpose(1, 2))
        largest = scores.amax(dim=-1, keepdim=True)
        highest = torch.maximum(maximum, largest)
        shrink = torch.exp(maximum - highest)
        exps = torch.exp(scores - highest)
        sums = exps.sum(dim=-1, keepdim=True)
        total = total * shrink + sums
        context = context * shrink + torch.bmm(exps, v)
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
    return torch.cat(blocks, dim=1)


def tiled_state(queries, keys, values, tile):
    """The running state after all tiles.

    queries: (batch, num_queries, d_k)
    keys: (batch, num_keys, d_k)
    values: (batch, num_keys, d_v)
    tile: how many keys are read at a time
    """
    queries = queries / math.sqrt(queries.shape[-1])
    total = torch.zeros_like(queries[:, :, :1])
    state = total - math.inf, total, 0
    for start in range(0, keys.shape[1], tile):
        now = slice(start, start + tile)
        k, v = keys[:, now], values[:, now]
        scores = torch.bmm(queries, k.transpose(1, 2))
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
    along = along.sum(dim=-1, keepdim=True)
    d_queries, d_keys, d_values = 0, [], []
    for first in range(0, keys.shape[1], tile):
        part = slice(first, first + tile)
        k, v = keys[:, part], values[:, part]
        again = torch.bmm(queries, k.transpose(1, 2))
        weights = torch.exp(again * scale - log_sum)
        slope = torch.bmm(d_context, v.transpose(1, 2))
        slope = weights * (slope - along) * scale
        d_queries = d_queries + torch.bmm(slope, k)
        slope = slope.transpose(1, 2)
        d_keys.append(torch.bmm(slope, queries))
        weights = weights.transpose(1, 2)
        d_values.append(torch.bmm(weights, d_context))
    d_keys = torch.cat(d_keys, dim=1)
    return d_queries, d_keys, torch.cat(d_values, dim=1)


class TiledAttention(torch.autograd.Function):
    """Tiled attention; backward computes weights anew."""

    @staticmethod
    def forward(ctx, queries, keys, values, tile):
        inputs = queries, keys, values
        maximum, total, context = tiled_state(*inputs, tile)
        context = context / total
        log_sum = maximum + total.log()
        ctx.save_for_backward(*inputs, context, log_sum)
        ctx.tile = tile
        return context

    @staticmethod
    def backward(ctx, d_context):
        saved = ctx.saved_tensors
        grads = tiled_gradients(*saved, d_context, ctx.tile)
        return *grads, None


def merge_partial(context, log_sum, context_2, log_sum_2):
    """Attention over two groups of keys together.

    context, context_2: (batch, num_queries, d_v), of each
    log_sum, log_sum_2: (batch, num_queries, 1),
        the logarithm of the sum of exp(score) of each
    """
    highest = torch.maximum(log_sum, log_sum_2)
    part = torch.exp(log_sum - highest)
    part_2 = torch.exp(log_sum_2 - highest)
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
        keys = torch.cat([cached_keys, key], dim=1)
        values = torch.cat([cached_values, value], dim=1)
    query = query / math.sqrt(query.shape[-1])
    scores = torch.bmm(query, keys.transpose(1, 2))
    context = torch.bmm(scores.softmax(dim=-1), values)
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
    return torch.cat(contexts, dim=1)
