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


def softmax(scores: np.ndarray, axis: int | tuple[int, ...] = -1) -> np.ndarray:
    """Softmax over the last axis, or over others; any shape."""
    exps = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return np.asarray(exps / exps.sum(axis=axis, keepdims=True))


def masked_softmax(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    """Softmax over the keys, zero beyond each valid length.

    X: scores (batch, num_queries, num_keys).
    valid_length: None, (batch,) or (batch, num_queries), each at least 1.
    Returns weights of X's shape; each row sums to one.
    """
    if valid_length is None:
        return softmax(X)
    if valid_length.ndim == 1:
        valid_length = valid_length[:, None]
    positions = np.arange(X.shape[-1])
    mask = positions < valid_length[..., None]
    return softmax(np.where(mask, X, -np.inf))


def masked_softmax_or_zero(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    """The same for lengths that may be 0: such a row attends to nothing, so its weights are zero.

    Works in half precision too: masked scores become the lowest finite number of X's type.
    """
    if valid_length.ndim == 1:
        valid_length = valid_length[:, None]
    positions = np.arange(X.shape[-1])
    mask = positions < valid_length[..., None]
    filled = np.where(mask, X, np.finfo(X.dtype).min)
    return softmax(filled) * mask
