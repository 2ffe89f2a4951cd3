"""Self-attention, causal mask and positions in PyTorch."""

import math

import torch


def self_attention(X, W_q, W_k, W_v):
    """Every token attends to all tokens.

    X: (batch, num_tokens, d_model)
    W_q, W_k: (d_model, d_k)
    W_v: (d_model, d_v)
    """
    queries = X @ W_q
    keys = X @ W_k
    values = X @ W_v
    # (batch, num_queries, num_keys)
    scores = torch.bmm(queries, keys.transpose(1, 2))
    scores = scores / math.sqrt(keys.shape[-1])
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), weights


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    """Every token attends to itself and what came before.

    X: (batch, num_tokens, d_model)
    W_q, W_k: (d_model, d_k)
    W_v: (d_model, d_v)
    valid_length: None or (batch,)
    """
    queries = X @ W_q
    keys = X @ W_k
    values = X @ W_v
    scores = torch.bmm(queries, keys.transpose(1, 2))
    scores = scores / math.sqrt(keys.shape[-1])
    # Keys along the last axis, queries along the middle.
    key = torch.arange(X.shape[1], device=X.device)
    query = key.reshape((1, -1, 1))
    visible = key <= query
    if valid_length is not None:
        real = key < valid_length.reshape((-1, 1, 1))
        visible = visible & real
    filled = scores.masked_fill(~visible, -1e6)
    weights = filled.softmax(dim=-1)
    return torch.bmm(weights, values), weights


def leaks(model, X):
    """Whether a later token changes an earlier output.

    model: (batch, num_tokens, d_model) to (..., d_v)
    X: (batch, num_tokens, d_model)
    """
    before = model(X)
    for position in range(1, X.shape[1]):
        changed = X.clone()
        # Other tokens from this position on ...
        changed[:, position:] = -2 * X[:, position:]
        change = (model(changed) - before).abs()
        # ... may change earlier outputs by rounding only.
        if change[:, :position].max().item() > 1e-5:
            return True
    return False


def which_leaks(before, after, position):
    """The one of three models whose past outputs change.

    before: (3, num_tokens, d_v)
    after: the same, with new tokens from position on
    position: int
    """
    change = (after - before).abs()[:, :position]
    largest = change.amax(dim=(1, 2))
    leaking = largest > 1e-5
    return "abc"[int(leaking.int().argmax(dim=0).item())]


def positional_encoding(num_positions, d):
    """Sines in even columns, cosines in odd ones.

    num_positions: int
    d: int, at least 2
    """
    positions = torch.arange(num_positions).unsqueeze(1)
    # 2i for each pair of columns
    even = torch.arange(0, d, 2).unsqueeze(0)
    angles = positions / 10000 ** (even / d)
    encoding = torch.zeros((num_positions, d))
    encoding[:, 0::2] = angles.sin()
    # An odd d has one cosine less.
    encoding[:, 1::2] = angles.cos()[:, : d // 2]
    return encoding
