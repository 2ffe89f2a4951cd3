"""Three ways to tell attention where its tokens stand, the float64 reference.

Su et al. (2021), "RoFormer", section 3.2.2; Shaw et al. (2018), section 3.2, and Raffel et al. (2020),
section 2.1; Press et al. (2022), "Train Short, Test Long", section 3.
"""

import numpy as np

from solutions.positions.common import rotary_proof_line as rotary_proof_line
from solutions.positions.common import turn_length as turn_length
from solutions.self_attention.in_numpy import softmax


def rotary(X: np.ndarray, positions: np.ndarray, base: float = 10000) -> np.ndarray:
    """Rotate each pair of features by the token's position times the frequency of the pair.

    X: (batch, num_tokens, d), queries or keys, d even; features 2i and 2i + 1 are a pair.
    positions: (batch, num_tokens), whole numbers. base: the frequency of pair m is base^(-2m/d).
    Returns (batch, num_tokens, d). Su et al. (2021), equations 14 and 15.
    """
    d = X.shape[-1]
    # 2m for pair m of features
    even = np.arange(0, d, 2)
    frequencies = 1 / base ** (even / d)
    # (batch, num_tokens, d / 2)
    angles = positions[:, :, None] * frequencies
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = X[..., 0::2], X[..., 1::2]
    rotated = (
        first * cos - second * sin,
        second * cos + first * sin,
    )
    # A pair side by side again
    return np.stack(rotated, axis=-1).reshape(X.shape)


def relative_bias(scores: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Add to each score the number that its head has learned for the distance from query to key.

    scores: (batch, num_heads, num_tokens, num_tokens); table: (num_heads, 2 * most + 1), whose middle
    belongs to distance 0. Distances j - i beyond most count as most, on either side.
    Returns (batch, num_heads, num_tokens, num_tokens).
    """
    most = table.shape[1] // 2
    key = np.arange(scores.shape[2]).reshape((1, -1))
    query = key.reshape((-1, 1))
    distance = (key - query).clip(-most, most)
    # (num_heads, num_tokens, num_tokens)
    bias = table[:, distance + most]
    return scores + bias


def linear_bias(scores: np.ndarray) -> np.ndarray:
    """Causal weights whose scores fall with the distance, by a fixed slope for each head.

    scores: (batch, num_heads, num_tokens, num_tokens). The slope of head h = 1, …, num_heads is
    2^(-8 h / num_heads).
    Returns the weights, in the same shape. Press et al. (2022), section 3.
    """
    num_heads, num_tokens = scores.shape[1:3]
    head = np.arange(1, num_heads + 1)
    slopes = 2.0 ** (-8 * head / num_heads)
    slopes = slopes.reshape((1, -1, 1, 1))
    key = np.arange(num_tokens).reshape((1, 1, 1, -1))
    query = key.reshape((1, 1, -1, 1))
    distance = query - key
    biased = scores - slopes * distance
    filled = np.where(distance >= 0, biased, -np.inf)
    return softmax(filled)


def slowed(rates: np.ndarray, s: float, longest: float, low: float, high: float) -> np.ndarray:
    """Divide the rates of slow pairs by s.

    longest: tokens of a text before
    low, high: turns in it. With fewer than low a pair is
        slow, with more than high it stays as it is.
    """
    turns = longest * rates / (2 * np.pi)
    shares = np.clip((turns - low) / (high - low), 0, 1)
    return shares * rates + (1 - shares) * rates / s


def bases_of(rates: np.ndarray) -> np.ndarray:
    """Return the base of each pair that gives it its rate."""
    even = np.arange(0, 2 * len(rates), 2)
    exponents = -len(even) * 2 / np.maximum(even, 1)
    bases: np.ndarray = rates**exponents
    return bases
