"""Masked softmax, the float64 reference."""

import numpy as np


def valid_mask(valid_length: np.ndarray, num_queries: int, num_keys: int) -> np.ndarray:
    """True where a key is valid.

    valid_length: (batch,), one length for all queries of a batch element, or (batch, num_queries).
    Returns (batch, num_queries, num_keys).
    """
    lengths = np.asarray(valid_length)
    if lengths.ndim == 1:
        lengths = np.repeat(lengths[:, None], num_queries, axis=1)
    return np.arange(num_keys) < lengths[:, :, None]


def softmax(scores: np.ndarray) -> np.ndarray:
    """Softmax over the last axis; any shape."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def masked_softmax(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    """Softmax over the keys, zero beyond each valid length.

    X: scores (batch, num_queries, num_keys).
    valid_length: None, (batch,) or (batch, num_queries), each at least 1.
    Returns weights of X's shape; each row sums to one.
    """
    if valid_length is None:
        return softmax(X)
    mask = valid_mask(valid_length, X.shape[1], X.shape[2])
    return softmax(np.where(mask, X, -np.inf))


def masked_softmax_or_zero(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    """The same for lengths that may be 0: such a row attends to nothing, so its weights are zero.

    Works in half precision too, since no finite number stands in for minus infinity.
    """
    mask = valid_mask(valid_length, X.shape[1], X.shape[2])
    scores = np.where(mask, X, -np.inf)
    highest = scores.max(axis=-1, keepdims=True)
    exps = np.exp(scores - np.where(np.isfinite(highest), highest, 0))
    total = exps.sum(axis=-1, keepdims=True)
    return exps / np.where(total > 0, total, 1)
