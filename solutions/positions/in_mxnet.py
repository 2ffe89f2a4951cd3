"""Rotated queries and keys, and biases by distance, in MXNet."""

from mxnet import nd

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
    even = nd.arange(0, d, 2).reshape((1, 1, -1))
    frequencies = 1 / base ** (even / d)
    # (batch, num_tokens, d / 2)
    angles = positions.expand_dims(-1) * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = X[:, :, 0::2], X[:, :, 1::2]
    rotated = (
        first * cos - second * sin,
        second * cos + first * sin,
    )
    # A pair side by side again
    return nd.stack(*rotated, axis=-1).reshape(X.shape)


def relative_bias(scores, table):
    """Add a learned bias for each head and distance.

    scores: (batch, num_heads, num_tokens, num_tokens)
    table: (num_heads, 2 * most + 1)
    """
    most = table.shape[1] // 2
    key = nd.arange(scores.shape[2]).reshape((1, -1))
    query = key.reshape((-1, 1))
    distance = (key - query).clip(-most, most)
    # (num_heads, num_tokens, num_tokens)
    bias = nd.take(table, distance + most, axis=1)
    return scores + bias.expand_dims(0)


def linear_bias(scores):
    """Causal weights; scores fall with the distance.

    scores: (batch, num_heads, num_tokens, num_tokens)
    """
    num_heads, num_tokens = scores.shape[1:3]
    head = nd.arange(1, num_heads + 1)
    slopes = 2.0 ** (-8 * head / num_heads)
    slopes = slopes.reshape((1, -1, 1, 1))
    key = nd.arange(num_tokens).reshape((1, 1, 1, -1))
    query = key.reshape((1, 1, -1, 1))
    distance = query - key
    biased = scores - slopes * distance
    visible = nd.broadcast_like(distance >= 0, scores)
    hidden = nd.full(scores.shape, -1e6)
    filled = nd.where(visible, biased, hidden)
    return filled.softmax(axis=-1)
