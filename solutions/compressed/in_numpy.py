"""References on compressed keys and values: latent attention, absorbed, and a cache of eight bits.

Multi-head latent attention (MLA): DeepSeek-AI (2024), DeepSeek-V2, sections 2.1.2 and 2.1.3. Numbers in a cache: its
table 1.
"""

import math

import numpy as np

from solutions.compressed.common import still_absorbed as still_absorbed
from solutions.masked_softmax.in_numpy import softmax


def latent_attention(
    queries: np.ndarray,
    rotary_queries: np.ndarray,
    latents: np.ndarray,
    rotary_keys: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
) -> np.ndarray:
    """Causal attention whose keys and values are made of latents; the queries are those of the last positions.

    queries: (batch, num_heads, num_queries, d_k); rotary_queries: (batch, num_heads, num_queries, d_r), rotated.
    latents: (batch, num_keys, rank); rotary_keys: (batch, num_keys, d_r), rotated, the same for all heads.
    W_k: (num_heads, rank, d_k); W_v: (num_heads, rank, d_v). num_queries is at most num_keys.
    Returns (batch, num_heads, num_queries, d_v). DeepSeek-AI (2024), equations 10, 11 and 16 to 18.
    """
    num_heads = queries.shape[1]
    keys = latents[:, None] @ W_k
    values = latents[:, None] @ W_v
    shared = rotary_keys[:, None].repeat(num_heads, axis=1)
    keys = np.concatenate([keys, shared], axis=-1)
    queries = np.concatenate([queries, rotary_queries], axis=-1)
    scores = queries @ keys.swapaxes(2, 3)
    scores = scores / math.sqrt(queries.shape[-1])
    key = np.arange(latents.shape[1])
    place = key[len(key) - queries.shape[2] :]
    later = key > place[:, None]
    filled = np.where(later, -np.inf, scores)
    return softmax(filled) @ values


def absorbed_attention(
    queries: np.ndarray,
    rotary_queries: np.ndarray,
    latents: np.ndarray,
    rotary_keys: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
) -> np.ndarray:
    """The same as latent_attention, without a key or a value of any head: the queries are compared with the cache.

    Shapes as in latent_attention. DeepSeek-AI (2024), section 2.1.2: W_k is absorbed into the queries, W_v is applied
    to the context.
    """
    batch, num_heads, num_queries, d_k = queries.shape
    d = d_k + rotary_queries.shape[-1]
    queries = queries @ W_k.swapaxes(1, 2)
    queries = np.concatenate([queries, rotary_queries], axis=-1)
    queries = queries.reshape((batch, num_heads * num_queries, -1))
    keys = np.concatenate([latents, rotary_keys], axis=-1)
    scores = queries @ keys.swapaxes(1, 2)
    scores = scores / math.sqrt(d)
    key = np.arange(latents.shape[1])
    place = key[len(key) - num_queries :]
    later = np.tile(key > place[:, None], (num_heads, 1))
    filled = np.where(later, -np.inf, scores)
    context = softmax(filled) @ latents
    context = context.reshape((batch, num_heads, num_queries, -1))
    return np.asarray(context @ W_v)


def quantised_cache(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Keys or values as whole numbers from -127 to 127, with a scale for each token: whole * scale is about X.

    X: (batch, num_tokens, d). A token of zeros has the scale 1.
    Returns the whole numbers (batch, num_tokens, d) as int8, and the scales (batch, num_tokens, 1).
    """
    largest = abs(X).max(axis=-1, keepdims=True)
    scale = largest / 127 + (largest == 0)
    whole = (X / scale).round()
    return whole.astype("int8"), scale


def cache_numbers(num_heads: int, num_groups: int, d: int, rank: int, d_r: int) -> tuple[int, int, int, int]:
    """Numbers that one layer caches for each token: of many heads, of groups, of one set for all, and as a latent.

    num_heads: heads of queries; num_groups: sets of keys and values that groups of heads share; d: numbers in a key
    and in a value; rank: in a latent; d_r: in a rotary key.
    """
    # A key and a value for each head, each group, once
    multi_head = 2 * num_heads * d
    grouped = 2 * num_groups * d
    multi_query = 2 * d
    # Keys and values are made of one vector.
    latent = rank + d_r
    return multi_head, grouped, multi_query, latent
