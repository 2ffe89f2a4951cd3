"""Solutions on compressed keys and values in MXNet."""

import math

from mxnet import nd

from solutions.compressed.common import (
    cache_numbers,  # noqa: F401
    still_absorbed,  # noqa: F401
)


def latent_attention(
    queries,
    rotary_queries,
    latents,
    rotary_keys,
    W_k,
    W_v,
):
    """Attention with keys and values made from latents.

    queries: (batch, num_heads, num_queries, d_k)
    rotary_queries: (batch, num_heads, num_queries, d_r)
    latents: (batch, num_keys, rank)
    rotary_keys: (batch, num_keys, d_r), for all heads
    W_k: (num_heads, rank, d_k)
    W_v: (num_heads, rank, d_v)
    """
    batch, num_heads, num_queries = queries.shape[:3]
    # Heads as batch elements: a row of heads a sequence
    latents = latents.repeat(num_heads, axis=0)
    W_k = W_k.tile((batch, 1, 1))
    W_v = W_v.tile((batch, 1, 1))
    # A key and a value for each head and position
    keys = nd.batch_dot(latents, W_k)
    values = nd.batch_dot(latents, W_v)
    shared = rotary_keys.repeat(num_heads, axis=0)
    keys = nd.concat(keys, shared, dim=-1)
    queries = nd.concat(queries, rotary_queries, dim=-1)
    d = queries.shape[-1]
    queries = queries.reshape((-1, num_queries, d))
    scores = nd.batch_dot(queries, keys, transpose_b=True)
    scores = scores / math.sqrt(d)
    key = nd.arange(latents.shape[1])
    # The queries stand at the last positions.
    place = key[len(key) - num_queries :]
    later = key > place.expand_dims(1)
    hidden = scores - 1e6 * later.expand_dims(0)
    weights = hidden.softmax(axis=-1)
    heads = (batch, num_heads, num_queries, -1)
    return nd.batch_dot(weights, values).reshape(heads)


def absorbed_attention(
    queries,
    rotary_queries,
    latents,
    rotary_keys,
    W_k,
    W_v,
):
    """The same, and no key or value of a head is made.

    queries: (batch, num_heads, num_queries, d_k)
    rotary_queries: (batch, num_heads, num_queries, d_r)
    latents: (batch, num_keys, rank)
    rotary_keys: (batch, num_keys, d_r), for all heads
    W_k: (num_heads, rank, d_k)
    W_v: (num_heads, rank, d_v)
    """
    batch, num_heads, num_queries, d_k = queries.shape
    d = d_k + rotary_queries.shape[-1]
    W_k = W_k.tile((batch, 1, 1))
    W_v = W_v.tile((batch, 1, 1))
    # Now as wide as a latent
    queries = queries.reshape((-1, num_queries, d_k))
    queries = nd.batch_dot(queries, W_k, transpose_b=True)
    heads = (batch, num_heads, num_queries, -1)
    queries = queries.reshape(heads)
    queries = nd.concat(queries, rotary_queries, dim=-1)
    # All heads ask the same keys: more rows of queries
    rows = (batch, num_heads * num_queries, -1)
    queries = queries.reshape(rows)
    keys = nd.concat(latents, rotary_keys, dim=-1)
    scores = nd.batch_dot(queries, keys, transpose_b=True)
    scores = scores / math.sqrt(d)
    key = nd.arange(latents.shape[1])
    place = key[len(key) - num_queries :]
    later = key > place.expand_dims(1)
    later = later.tile((num_heads, 1))
    hidden = scores - 1e6 * later.expand_dims(0)
    context = nd.batch_dot(hidden.softmax(axis=-1), latents)
    # A row of heads for each sequence again
    by_head = (-1, num_queries, context.shape[-1])
    context = nd.batch_dot(context.reshape(by_head), W_v)
    return context.reshape(heads)


def quantised_cache(X):
    """Whole numbers of 8 bits, and a scale for each token.

    X: (batch, num_tokens, d), keys or values
    """
    largest = X.abs().max(axis=-1, keepdims=True)
    # A token of zeros has the scale 1.
    scale = largest / 127 + (largest == 0)
    whole = (X / scale).round()
    return whole.astype("int8"), scale
