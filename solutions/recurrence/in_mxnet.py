"""Attention as a recurrence, in MXNet."""

from mxnet import nd

from solutions.recurrence.common import numbers_held as numbers_held
from solutions.recurrence.common import value_after_writing as value_after_writing


def decayed_attention(queries, keys, values, decays):
    """Linear attention with decays, as a masked matrix.

    queries, keys: (batch, num_tokens, d_k)
    values: (batch, num_tokens, d_v)
    decays: (batch, num_tokens), above 0 and at most 1
    """
    sums = nd.cumsum(decays.log(), axis=1)
    gaps = sums.expand_dims(2) - sums.expand_dims(1)
    place = nd.arange(sums.shape[1])
    later = place > place.expand_dims(1)
    later = nd.broadcast_like(later.expand_dims(0), gaps)
    gaps = nd.where(later, nd.full(gaps.shape, -1e6), gaps)
    scores = nd.batch_dot(queries, keys, transpose_b=True)
    return nd.batch_dot(scores * gaps.exp(), values)


def delta_rule(queries, keys, values, rates, decays):
    """The gated delta rule, token by token.

    queries, keys: (batch, num_tokens, d_k)
    values: (batch, num_tokens, d_v)
    rates, decays: (batch, num_tokens)
    """
    batch, num_tokens, d_k = keys.shape
    S = nd.zeros((batch, d_k, values.shape[2]))
    contexts = []
    for t in range(num_tokens):
        now = slice(t, t + 1)
        q = queries[:, now]
        k, v = keys[:, now], values[:, now]
        rate = rates[:, now].expand_dims(2)
        S = S * decays[:, now].expand_dims(2)
        # What the state gives for this key is too little.
        error = v - nd.batch_dot(k, S)
        step = rate * error
        S = S + nd.batch_dot(k, step, transpose_a=True)
        contexts.append(nd.batch_dot(q, S))
    return nd.concat(*contexts, dim=1)


def chunked(queries, keys, values, decays, chunk):
    """Decayed attention, one chunk of tokens at a time.

    queries, keys: (batch, num_tokens, d_k)
    values: (batch, num_tokens, d_v)
    decays: (batch, num_tokens), above 0 and at most 1
    chunk: how many tokens are read at a time
    """
    batch, num_tokens, d_k = keys.shape
    S = nd.zeros((batch, d_k, values.shape[2]))
    contexts = []
    for first in range(0, num_tokens, chunk):
        now = slice(first, first + chunk)
        q = queries[:, now]
        k, v = keys[:, now], values[:, now]
        inside = decayed_attention(q, k, v, decays[:, now])
        sums = nd.cumsum(decays[:, now].log(), axis=1)
        sums = sums.expand_dims(2)
        end = sums[:, -1:]
        before = nd.exp(sums) * nd.batch_dot(q, S)
        contexts.append(inside + before)
        k = k * nd.exp(end - sums)
        S = S * nd.exp(end)
        S = S + nd.batch_dot(k, v, transpose_a=True)
    return nd.concat(*contexts, dim=1)


def written_values(keys, values, rates, decays):
    """What each token adds to an empty state.

    keys: (batch, num_tokens, d_k)
    values: (batch, num_tokens, d_v)
    rates, decays: (batch, num_tokens)
    """
    place = nd.arange(keys.shape[1])
    earlier = place < place.expand_dims(1)
    one = nd.eye(keys.shape[1]).tile((len(keys), 1, 1))
    # With the identity as values: the weights of pairs
    pairs = decayed_attention(keys, keys, one, decays)
    rates = rates.expand_dims(2)
    system = one + rates * pairs * earlier.expand_dims(0)
    return nd.linalg.trsm(system, rates * values)


def chunked_delta(
    queries,
    keys,
    values,
    rates,
    decays,
    chunk,
):
    """The gated delta rule, a chunk of tokens at a time.

    queries, keys: (batch, num_tokens, d_k)
    values: (batch, num_tokens, d_v)
    rates, decays: (batch, num_tokens)
    chunk: how many tokens are read at a time
    """
    batch, num_tokens, d_k = keys.shape
    S = nd.zeros((batch, d_k, values.shape[2]))
    contexts = []
    for first in range(0, num_tokens, chunk):
        now = slice(first, first + chunk)
        q = queries[:, now]
        k, v = keys[:, now], values[:, now]
        rate, g = rates[:, now], decays[:, now]
        sums = nd.cumsum(g.log(), axis=1).expand_dims(2)
        end = sums[:, -1:]
        old = nd.exp(sums) * nd.batch_dot(k, S)
        added = written_values(k, v - old, rate, g)
        inside = decayed_attention(q, k, added, g)
        before = nd.exp(sums) * nd.batch_dot(q, S)
        contexts.append(inside + before)
        k = k * nd.exp(end - sums)
        S = S * nd.exp(end)
        S = S + nd.batch_dot(k, added, transpose_a=True)
    return nd.concat(*contexts, dim=1)
