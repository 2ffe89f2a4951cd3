"""How a memory is addressed, read several times, and copied from, the float64 reference.

Graves et al. (2014), "Neural Turing Machines", section 3.3.2; Sukhbaatar et al. (2015), "End-To-End Memory
Networks", section 2; See et al. (2017), "Get To The Point", section 2.2.
"""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax


def location_addressing(
    content: np.ndarray, previous: np.ndarray, gate: np.ndarray, shift: np.ndarray, sharpness: np.ndarray
) -> np.ndarray:
    """Weights over the slots of a memory: interpolated, shifted around the ring, sharpened.

    content, previous: weights (batch, num_slots); gate: (batch, 1), between 0 and 1.
    shift: (batch, 3), the shares of the shifts -1, 0 and +1; sharpness: (batch, 1), at least 1.
    Returns (batch, num_slots). Graves et al. (2014), equations 7 to 9.
    """
    mixed = gate * content + (1 - gate) * previous
    down = np.roll(mixed, -1, axis=1)
    up = np.roll(mixed, 1, axis=1)
    shifted = shift[:, 0:1] * down + shift[:, 1:2] * mixed
    shifted = shifted + shift[:, 2:3] * up
    raised = shifted**sharpness
    return raised / raised.sum(axis=1, keepdims=True)


def memory_hops(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, hops: int, valid_length: np.ndarray | None
) -> np.ndarray:
    """The state after reading a memory several times; each reading is added to the state.

    queries: (batch, num_queries, d), the first state; keys, values: (batch, num_keys, d).
    hops: at least 1; valid_length: None or (batch,), each at least 1.
    Returns (batch, num_queries, d). Sukhbaatar et al. (2015), equations 1, 2 and 4.
    """
    state = queries
    for _ in range(hops):
        scores = state @ np.swapaxes(keys, 1, 2)
        weights = masked_softmax(scores, valid_length)
        state = state + weights @ values
    return state


def copy_distribution(
    vocabulary: np.ndarray, weights: np.ndarray, tokens: np.ndarray, generate: np.ndarray, size: int
) -> np.ndarray:
    """The distribution over all words, those of the vocabulary and those of the source.

    vocabulary: (batch, vocabulary_size), a distribution; weights: (batch, num_keys), attention weights.
    tokens: (batch, num_keys), the words of the source; generate: (batch, 1), between 0 and 1.
    size: how many words there are; those from vocabulary_size on stand in the source alone.
    Returns (batch, size). See et al. (2017), equation 9.
    """
    batch, num_words = vocabulary.shape
    extra = np.zeros((batch, size - num_words))
    generated = np.concatenate([vocabulary, extra], axis=1)
    places = np.eye(size)[tokens]
    copied = (weights[:, None] @ places).squeeze(1)
    return generate * generated + (1 - generate) * copied
