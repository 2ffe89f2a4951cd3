"""Masked softmax in MXNet."""

import numpy as np
from mxnet import nd


def masked_softmax(X, valid_length):
    """Softmax over the keys, zero beyond the valid length.

    X: (batch, num_queries, num_keys)
    valid_length: None, (batch,) or (batch, num_queries)
    Each length is at least 1.
    """
    if valid_length is None:
        return X.softmax(axis=-1)
    if valid_length.ndim == 1:
        valid_length = valid_length.expand_dims(1)
    positions = nd.arange(X.shape[-1]).reshape((1, 1, -1))
    mask = positions < valid_length.expand_dims(-1)
    mask = nd.broadcast_like(mask, X)
    padding = nd.full(X.shape, -1e6)
    return nd.where(mask, X, padding).softmax(axis=-1)


def masked_softmax_or_zero(X, valid_length):
    """The same, but a row of length 0 gets weights of zero.

    X: (batch, num_queries, num_keys), half precision too
    valid_length: (batch,) or (batch, num_queries)
    """
    if valid_length.ndim == 1:
        valid_length = valid_length.expand_dims(1)
    positions = nd.arange(X.shape[-1]).reshape((1, 1, -1))
    mask = positions < valid_length.expand_dims(-1)
    mask = nd.broadcast_like(mask.astype(X.dtype), X)
    lowest = float(np.finfo(X.dtype).min)
    filled = nd.where(mask, X, nd.ones_like(X) * lowest)
    return filled.softmax(axis=-1) * mask
