"""Three ways to tell attention where its tokens stand, the float64 reference.

Su et al. (2021), "RoFormer", section 3.2.2; Shaw et al. (2018), section 3.2, and Raffel et al. (2020),
section 2.1; Press et al. (2022), "Train Short, Test Long", section 3.
"""

import numpy as np

from solutions.self_attention.in_numpy import softmax


def rotary(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Rotate each pair of features by the token's position times the frequency of the pair.

    X: (batch, num_tokens, d), queries or keys, d even; features 2i and 2i + 1 are a pair.
    positions: (batch, num_tokens), whole numbers.
    Returns (batch, num_tokens, d). Su et al. (2021), equations 14 and 15.
    """
    angles = positions[..., None] / 10000 ** (np.arange(0, X.shape[-1], 2) / X.shape[-1])
    first, second = X[..., 0::2], X[..., 1::2]
    rotated = (
        first * np.cos(angles) - second * np.sin(angles),
        second * np.cos(angles) + first * np.sin(angles),
    )
    return np.stack(rotated, axis=-1).reshape(X.shape)


def relative_bias(scores: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Add to each score the number that its head has learned for the distance from query to key.

    scores: (batch, num_heads, num_tokens, num_tokens); table: (num_heads, 2 * most + 1), whose middle
    belongs to distance 0. Distances j - i beyond most count as most, on either side.
    Returns (batch, num_heads, num_tokens, num_tokens).
    """
    most = table.shape[1] // 2
    return np.asarray(scores + table[:, most + np.clip(-distances(scores.shape[2]), -most, most)])


def linear_bias(scores: np.ndarray) -> np.ndarray:
    """Causal weights whose scores fall with the distance, by a fixed slope for each head.

    scores: (batch, num_heads, num_tokens, num_tokens). The slope of head h = 1, …, num_heads is
    2^(-8 h / num_heads).
    Returns the weights, in the same shape. Press et al. (2022), section 3.
    """
    distance = distances(scores.shape[2])
    biased = scores - slopes(scores.shape[1])[:, None, None] * distance
    return softmax(np.where(distance >= 0, biased, -np.inf))


def slopes(num_heads: int) -> np.ndarray:
    """The slope of each head, (num_heads,)."""
    return np.asarray(2.0 ** (-8 * np.arange(1, num_heads + 1) / num_heads))


def distances(num_tokens: int) -> np.ndarray:
    """How many tokens before its query (row) a key (column) stands; below zero for later ones."""
    positions = np.arange(num_tokens)
    return positions[:, None] - positions
