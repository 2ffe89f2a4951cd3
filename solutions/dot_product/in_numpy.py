"""Dot-product attention, the float64 reference (Vaswani et al. 2017, section 3.2.1, eq. 1)."""

from math import sqrt

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax


def scaled_scores(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """The dot product of each query with each key, divided by the square root of their length.

    queries: (batch, num_queries, d_k).
    keys: (batch, num_keys, d_k).
    Returns scores (batch, num_queries, num_keys).
    """
    d_k = queries.shape[-1]
    scores: np.ndarray = queries @ keys.swapaxes(1, 2)
    return scores / sqrt(d_k)


def dot_product_attention(
    queries: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    valid_length: np.ndarray | None = None,
    dropout: float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Attention in evaluation mode, where dropout changes nothing (eq. 1).

    queries: (batch, num_queries, d_k).
    keys: (batch, num_keys, d_k).
    values: (batch, num_keys, d_v).
    valid_length: None, (batch,) or (batch, num_queries), each at least 1.
    Returns context (batch, num_queries, d_v) and weights (batch, num_queries, num_keys).
    """
    dots = queries @ keys.swapaxes(1, 2)
    scores = dots / sqrt(queries.shape[-1])
    weights = masked_softmax(scores, valid_length)
    return weights @ values, weights


def weights_after(change: str) -> str:
    """What the weights of scaled dot-product attention do when queries and keys are changed.

    change: one of those in the table.
    Returns "same", "sharper" or "flatter" (the keys in the same order, the largest weight larger or
    smaller), or "other".
    """
    return {
        "a vector added to all keys": "same",
        "a vector added to all queries": "other",
        "queries doubled": "sharper",
        "queries doubled, keys halved": "same",
        "a feature of 0 for both": "flatter",
        "every feature twice": "sharper",
        "features of both in one new order": "same",
        "features of the keys in a new order": "other",
    }[change]


def score_spread(d: int, query_std: float, key_std: float, scaled: bool) -> float:
    """The standard deviation of a score whose components are independent with mean zero.

    d: the number of components of the query and of the key.
    query_std, key_std: the standard deviation of each component.
    scaled: whether the score is divided by the square root of d (footnote 4).
    """
    variance = d * query_std**2 * key_std**2
    return sqrt(variance / d) if scaled else sqrt(variance)
