"""Attention with fewer pairs, or with none, in MXNet."""

import math

from mxnet import nd

from solutions.sparse.common import bound_proof_step as bound_proof_step
from solutions.sparse.common import window_costs as window_costs


def sparse_weights(scores, window, dilation, num_global):
    """Causal weights over a window and the first tokens.

    scores: (batch, num_tokens, num_tokens)
    window: how many keys, the query's own included
    dilation: the distance from one to the next
    num_global: how many first tokens all later ones see
    """
    key = nd.arange(scores.shape[2]).reshape((1, 1, -1))
    distance = key.reshape((1, -1, 1)) - key
    near = distance < window * dilation
    near = near * (distance % dilation == 0)
    allowed = nd.broadcast_maximum(near, key < num_global)
    visible = allowed * (distance >= 0)
    visible = nd.broadcast_like(visible, scores)
    hidden = nd.full(scores.shape, -1e6)
    filled = nd.where(visible, scores, hidden)
    return filled.softmax(axis=-1)


def linear_attention(queries, keys, values):
    """Causal attention by running sums, without scores.

    queries, keys: (batch, num_tokens, d_k)
    values: (batch, num_tokens, d_v)
    """
    elu = {"act_type": "elu", "slope": 1.0}
    queries = nd.LeakyReLU(queries, **elu) + 1
    keys = nd.LeakyReLU(keys, **elu) + 1
    S = z = 0
    contexts = []
    for t in range(queries.shape[1]):
        now = slice(t, t + 1)
        q, k = queries[:, now], keys[:, now]
        v = values[:, now]
        # (batch, d_k, d_v) and (batch, 1, d_k)
        S = S + nd.batch_dot(k, v, transpose_a=True)
        z = z + k
        total = (q * z).sum(axis=-1, keepdims=True)
        contexts.append(nd.batch_dot(q, S) / total)
    return nd.concat(*contexts, dim=1)


def all_at_once(queries, keys, values):
    """Causal linear attention of all tokens at once.

    queries, keys: (batch, num_tokens, d_k)
    values: (batch, num_tokens, d_v)
    """
    both = nd.concat(queries, keys, dim=-1)
    both = nd.LeakyReLU(both, act_type="elu", slope=1) + 1
    q, k = both.split(num_outputs=2, axis=-1)
    place = nd.arange(q.shape[1])
    mask = place <= place.expand_dims(1)
    weights = nd.batch_dot(q, k, transpose_b=True)
    weights = weights * mask.expand_dims(0)
    total = weights.sum(axis=-1, keepdims=True)
    return nd.batch_dot(weights / total, values)


def grouped_query(queries, keys, values):
    """Causal attention; a group of heads shares its keys.

    queries: (batch, num_heads, num_tokens, d_k)
    keys: (batch, num_groups, num_tokens, d_k)
    values: (batch, num_groups, num_tokens, d_v)
    """
    num_tokens, d_k = queries.shape[2:]
    per_group = queries.shape[1] // keys.shape[1]
    # Each group as often as it has heads, side by side
    keys = keys.repeat(per_group, axis=1)
    values = values.repeat(per_group, axis=1)
    # Heads as batch elements
    rows = (-1, num_tokens, d_k)
    q, k = queries.reshape(rows), keys.reshape(rows)
    columns = (-1, num_tokens, values.shape[3])
    scores = nd.batch_dot(q, k, transpose_b=True)
    scores = scores / math.sqrt(d_k)
    position = nd.arange(num_tokens)
    later = position > position.expand_dims(1)
    hidden = scores - 1e6 * later.expand_dims(0)
    weights = hidden.softmax(axis=-1)
    context = nd.batch_dot(weights, values.reshape(columns))
    return context.reshape(values.shape)


def indexed_weights(
    scores, queries, keys, head_weights, top_k
):  # fmt: skip
    """An indexer's scores, and the weights of its keys.

    scores: (batch, num_tokens, num_tokens), of attention
    queries: (batch, num_heads, num_tokens, d)
    keys: (batch, num_tokens, d), shared by the heads
    head_weights: (batch, num_tokens, num_heads)
    top_k: how many keys a query attends to, at most
    """
    num_heads, num_tokens, d = queries.shape[1:]
    # Heads as batch elements
    keys = keys.repeat(num_heads, axis=0)
    queries = queries.reshape((-1, num_tokens, d))
    products = nd.batch_dot(queries, keys, transpose_b=True)
    products = products.relu()
    shape = (-1, num_heads, num_tokens, num_tokens)
    products = products.reshape(shape)
    gates = head_weights.swapaxes(1, 2).expand_dims(3)
    index = (products * gates).sum(axis=1)
    place = nd.arange(num_tokens)
    later = place > place.expand_dims(1)
    later = nd.broadcast_like(later.expand_dims(0), index)
    masked = index - 1e6 * later
    ordered = masked.sort(axis=-1, is_ascend=False)
    least = ordered[:, :, :top_k][:, :, -1:]
    hidden = nd.maximum(masked < least, later)
    floor = nd.full(index.shape, -1e6)
    filled = nd.where(hidden, floor, scores)
    return index * (1 - later), filled.softmax(axis=-1)
