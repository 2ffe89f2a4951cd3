"""Masked softmax in PyTorch."""

import torch


def masked_softmax(X, valid_length):
    """Softmax over the keys, zero beyond the valid length.

    X: (batch, num_queries, num_keys)
    valid_length: None, (batch,) or (batch, num_queries)
    Each length is at least 1.
    """
    if valid_length is None:
        return X.softmax(dim=-1)
    if valid_length.ndim == 1:
        valid_length = valid_length.unsqueeze(1)
    positions = torch.arange(X.shape[-1], device=X.device)
    mask = positions < valid_length.unsqueeze(-1)
    return X.masked_fill(~mask, -1e6).softmax(dim=-1)


def masked_softmax_or_zero(X, valid_length):
    """The same, but a row of length 0 gets weights of zero.

    X: (batch, num_queries, num_keys), half precision too
    valid_length: (batch,) or (batch, num_queries)
    """
    if valid_length.ndim == 1:
        valid_length = valid_length.unsqueeze(1)
    positions = torch.arange(X.shape[-1], device=X.device)
    mask = positions < valid_length.unsqueeze(-1)
    lowest = torch.finfo(X.dtype).min
    filled = X.masked_fill(~mask, lowest)
    return filled.softmax(dim=-1) * mask
