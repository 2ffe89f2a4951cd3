"""Attention as a weighted sum, the float64 reference.

Everywhere: queries (batch, num_queries, d_k), keys (batch, num_keys, d_k), values (batch, num_keys, d_v).
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Shape = tuple[int, ...]


def softmax(scores: Array, axis: int = -1) -> Array:
    """Softmax over one axis; any shape."""
    exps = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return exps / exps.sum(axis=axis, keepdims=True)


def attention_pooling(weights: Array, values: Array) -> Array:
    """The values, each times its weight, added up (Bahdanau et al. 2015, eq. 5).

    weights: (batch, num_queries, num_keys); rows need not sum to one.
    values: (batch, num_keys, d_v).
    Returns the context (batch, num_queries, d_v).
    """
    return weights @ values


def nadaraya_watson(queries: Array, keys: Array, values: Array, width: Array) -> Array:
    """Kernel regression with a Gaussian kernel (Nadaraya 1964, eq. 1; Watson 1964).

    width: (1,), the standard deviation of the kernel, in the unit of the keys.
    Returns the context (batch, num_queries, d_v).
    """
    gaps = queries[:, :, None] - keys[:, None]
    distances = (gaps**2).sum(axis=-1)
    scores = -distances / (2 * width**2)
    weights = softmax(scores)
    return weights @ values


def predict_shapes(
    batch: int, num_queries: int, num_keys: int, d_k: int, d_v: int
) -> tuple[Shape, Shape, int]:
    """The shape of the scores, that of the context, and how many weights each query has."""
    scores = (batch, num_queries, num_keys)
    context = (batch, num_queries, d_v)
    return scores, context, num_keys


def after_permuting(moved: str) -> str:
    """What happens to the context when these inputs are put into another order.

    moved: inputs named together all get the same new order.
    Returns "same" (the very same numbers), "moved" (the same rows in the new order) or "other".
    """
    return {
        "keys and values": "same",
        "keys": "other",
        "values": "other",
        "queries": "moved",
        "queries, keys and values": "moved",
    }[moved]
