"""Attention with fewer pairs, or with none: the float64 reference.

Child et al. (2019), "Generating Long Sequences with Sparse Transformers"; Beltagy et al. (2020), "Longformer";
Katharopoulos et al. (2020), "Transformers are RNNs"; Shazeer (2019), "Fast Transformer Decoding";
Ainslie et al. (2023), "GQA"; DeepSeek-AI (2025), "DeepSeek-V3.2".
"""

import math

import numpy as np

from solutions.self_attention.in_numpy import softmax
from solutions.sparse.common import bound_proof_step as bound_proof_step
from solutions.sparse.common import window_costs as window_costs


def sparse_pattern(num_tokens: int, window: int, dilation: int = 1, num_global: int = 0) -> np.ndarray:
    """Which keys (columns) each query (row) sees: a causal window with gaps, and the first tokens.

    window: how many keys, the query's own included; dilation: the distance from one to the next;
    num_global: how many tokens at the start are seen by all later ones.
    Returns (num_tokens, num_tokens), of truth values.
    """
    key = np.arange(num_tokens)
    distance = key[:, None] - key
    near = (distance < window * dilation) & (distance % dilation == 0)
    return np.asarray((near | (key < num_global)) & (distance >= 0))


def sparse_weights(scores: np.ndarray, window: int, dilation: int, num_global: int) -> np.ndarray:
    """The softmax over what the sparse pattern leaves visible.

    scores: (batch, num_tokens, num_tokens). Returns the weights, in the same shape.
    """
    key = np.arange(scores.shape[2])
    distance = key[:, None] - key
    near = distance < window * dilation
    near = near & (distance % dilation == 0)
    visible = (near | (key < num_global)) & (distance >= 0)
    filled = np.where(visible, scores, -np.inf)
    return softmax(filled)


def features(X: np.ndarray) -> np.ndarray:
    """elu(x) + 1, number by number: positive, x + 1 above zero and exp(x) below.

    Katharopoulos et al. (2020), equation 7.
    """
    return np.where(X > 0, X + 1, np.exp(np.minimum(X, 0)))


def linear_attention(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Causal linear attention by running sums.

    queries, keys: (batch, num_tokens, d_k); values: (batch, num_tokens, d_v).
    Returns (batch, num_tokens, d_v). Katharopoulos et al. (2020), equations 9 to 12.
    """
    queries = features(queries)
    keys = features(keys)
    S = z = np.asarray(0)
    contexts = []
    for t in range(queries.shape[1]):
        now = slice(t, t + 1)
        q, k = queries[:, now], keys[:, now]
        v = values[:, now]
        # (batch, d_k, d_v) and (batch, 1, d_k)
        S = S + k.swapaxes(1, 2) @ v
        z = z + k
        sums = (q * z).sum(axis=-1, keepdims=True)
        contexts.append(q @ S / sums)
    return np.concatenate(contexts, axis=1)


def grouped_query(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Causal scaled dot-product attention whose heads share keys and values in groups of neighbours.

    queries: (batch, num_heads, num_tokens, d_k); keys: (batch, num_groups, num_tokens, d_k);
    values: (batch, num_groups, num_tokens, d_v). num_groups divides num_heads.
    Returns (batch, num_heads, num_tokens, d_v). Ainslie et al. (2023), section 2.2.
    """
    per_group = queries.shape[1] // keys.shape[1]
    # Each group as often as it has heads, side by side
    keys = keys.repeat(per_group, axis=1)
    values = values.repeat(per_group, axis=1)
    scores = queries @ keys.swapaxes(2, 3)
    scores = scores / math.sqrt(queries.shape[-1])
    position = np.arange(queries.shape[2])
    later = position > position[:, None]
    filled = np.where(later, -np.inf, scores)
    return softmax(filled) @ values


def indexed_weights(
    scores: np.ndarray, queries: np.ndarray, keys: np.ndarray, head_weights: np.ndarray, top_k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The scores of an indexer, and the softmax over the keys that it chooses.

    scores: (batch, num_tokens, num_tokens), those of attention; of the indexer, queries:
    (batch, num_heads, num_tokens, d), keys: (batch, num_tokens, d), head_weights: (batch, num_tokens, num_heads).
    Returns index, where later keys have 0, and weights, both (batch, num_tokens, num_tokens).
    DeepSeek-AI (2025), equations 1 and 2.
    """
    products = queries @ keys[:, None].swapaxes(2, 3)
    products = np.maximum(products, 0)
    gates = head_weights.swapaxes(1, 2)[..., None]
    index = (products * gates).sum(axis=1)
    place = np.arange(scores.shape[1])
    later = place > place[:, None]
    masked = np.where(later, -np.inf, index)
    ordered = -np.sort(-masked, axis=-1)
    least = ordered[:, :, :top_k][:, :, -1:]
    hidden = (masked < least) | later
    filled = np.where(hidden, -np.inf, scores)
    return np.where(later, 0, index), softmax(filled)
