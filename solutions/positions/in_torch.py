"""Rotated queries and keys, and biases by distance, in PyTorch."""

import torch

from solutions.positions.common import rotary_proof_line as rotary_proof_line
from solutions.positions.common import turn_length as turn_length


def rotary(X, positions, base=10000):
    """Rotate each pair of features by its position.

    X: (batch, num_tokens, d), with d even
    positions: (batch, num_tokens)
    base: pair m has the frequency base^(-2m/d)
    """
    d = X.shape[-1]
    # 2m for pair m of features
    even = torch.arange(0, d, 2, device=X.device)
    frequencies = 1 / base ** (even / d)
    # (batch, num_tokens, d / 2)
    angles = positions.unsqueeze(-1) * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = X[..., 0::2], X[..., 1::2]
    rotated = (
        first * cos - second * sin,
        second * cos + first * sin,
    )
    # A pair side by side again
    return torch.stack(rotated, dim=-1).reshape(X.shape)


def relative_bias(scores, table):
    """Add a learned bias for each head and distance.

    scores: (batch, num_heads, num_tokens, num_tokens)
    table: (num_heads, 2 * most + 1)
    """
    most = table.shape[1] // 2
    n, device = scores.shape[2], scores.device
    key = torch.arange(n, device=device)
    query = key.reshape((-1, 1))
    distance = (key - query).clip(-most, most)
    # (num_heads, num_tokens, num_tokens)
    bias = table[:, distance + most]
    return scores + bias.unsqueeze(0)


def linear_bias(scores):
    """Causal weights; scores fall with the distance.

    scores: (batch, num_heads, num_tokens, num_tokens)
    """
    num_heads, num_tokens = scores.shape[1:3]
    device = scores.device
    head = torch.arange(1, num_heads + 1, device=device)
    slopes = 2.0 ** (-8 * head / num_heads)
    slopes = slopes.reshape((1, -1, 1, 1))
    key = torch.arange(num_tokens, device=device)
    query = key.reshape((1, 1, -1, 1))
    distance = query - key
    biased = scores - slopes * distance
    hidden = biased.masked_fill(distance < 0, -1e6)
    return hidden.softmax(dim=-1)
