"""Additive attention, the float64 reference (Bahdanau et al. 2015, appendix A.1.2)."""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax


def additive_scores(
    queries: np.ndarray, keys: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, w_v: np.ndarray
) -> np.ndarray:
    """The score w_vᵀ tanh(W_q q + W_k k) of each query with each key.

    queries: (batch, num_queries, d_q).
    keys: (batch, num_keys, d_k).
    W_q: (units, d_q). W_k: (units, d_k). w_v: (1, units).
    Returns scores (batch, num_queries, num_keys).
    """
    from_query = (queries @ W_q.T)[:, :, None]
    from_key = (keys @ W_k.T)[:, None]
    features = np.tanh(from_query + from_key)
    return (features @ w_v.T).squeeze(axis=-1)


def additive_attention(
    queries: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    W_q: np.ndarray,
    W_k: np.ndarray,
    w_v: np.ndarray,
    valid_length: np.ndarray | None = None,
    units: int | None = None,
    dropout: float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Attention with the additive score, in evaluation mode.

    queries: (batch, num_queries, d_q).
    keys: (batch, num_keys, d_k).
    values: (batch, num_keys, d_v).
    valid_length: None, (batch,) or (batch, num_queries), each at least 1.
    Returns context (batch, num_queries, d_v) and weights (batch, num_queries, num_keys).
    """
    from_query = (queries @ W_q.T)[:, :, None]
    from_key = (keys @ W_k.T)[:, None]
    features = np.tanh(from_query + from_key)
    scores = (features @ w_v.T).squeeze(axis=-1)
    weights = masked_softmax(scores, valid_length)
    return weights @ values, weights


def score_bytes(batch: int, num_queries: int, num_keys: int, units: int) -> tuple[int, int]:
    """Bytes of the largest float32 array on the way to the scores: additive, dot product."""
    pairs = batch * num_queries * num_keys
    additive = 4 * pairs * units
    dot_product = 4 * pairs
    return additive, dot_product
