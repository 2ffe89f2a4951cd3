"""Solutions on compressed keys and values in PyTorch."""

import math

import torch

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
    num_heads = queries.shape[1]
    # A key and a value for each head and position
    keys = latents.unsqueeze(1) @ W_k
    values = latents.unsqueeze(1) @ W_v
    shared = rotary_keys.unsqueeze(1)
    shared = shared.repeat(1, num_heads, 1, 1)
    keys = torch.cat([keys, shared], dim=-1)
    queries = torch.cat([queries, rotary_queries], dim=-1)
    scores = queries @ keys.transpose(2, 3)
    scores = scores / math.sqrt(queries.shape[-1])
    num_keys, device = latents.shape[1], latents.device
    key = torch.arange(num_keys, device=device)
    # The queries stand at the last positions.
    place = key[len(key) - queries.shape[2] :]
    later = key > place.unsqueeze(1)
    hidden = scores.masked_fill(later, -1e6)
    return hidden.softmax(dim=-1) @ values


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
    # Now as wide as a latent
    queries = queries @ W_k.transpose(1, 2)
    queries = torch.cat([queries, rotary_queries], dim=-1)
    # All heads ask the same keys: more rows of queries
    rows = (batch, num_heads * num_queries, -1)
    queries = queries.reshape(rows)
    keys = torch.cat([latents, rotary_keys], dim=-1)
    scores = torch.bmm(queries, keys.transpose(1, 2))
    scores = scores / math.sqrt(d)
    num_keys, device = latents.shape[1], latents.device
    key = torch.arange(num_keys, device=device)
    place = key[len(key) - num_queries :]
    later = key > place.unsqueeze(1)
    later = later.repeat(num_heads, 1)
    hidden = scores.masked_fill(later, -1e6)
    context = torch.bmm(hidden.softmax(dim=-1), latents)
    # (batch, num_heads, num_queries, rank)
    heads = (batch, num_heads, num_queries, -1)
    return context.reshape(heads) @ W_v


def quantised_cache(X):
    """Whole numbers of 8 bits, and a scale for each token.

    X: (batch, num_tokens, d), keys or values
    """
    largest = X.abs().amax(dim=-1, keepdim=True)
    # A token of zeros has the scale 1.
    scale = largest / 127 + (largest == 0)
    whole = (X / scale).round()
    return whole.to(torch.int8), scale
