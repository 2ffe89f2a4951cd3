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
    shifted = sum(shift[:, [i]] * np.roll(mixed, i - 1, axis=1) for i in range(3))
    return sharpened(np.asarray(shifted), sharpness)


def sharpened(weights: np.ndarray, sharpness: np.ndarray) -> np.ndarray:
    """Weights (batch, num_slots) to a power, (batch, 1), divided by their sum."""
    raised = weights**sharpness
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


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
        state = state + masked_softmax(state @ np.swapaxes(keys, 1, 2), valid_length) @ values
    return state


def copied(weights: np.ndarray, tokens: np.ndarray, size: int) -> np.ndarray:
    """The weight of each word, (batch, size): the sum over the positions where it stands.

    weights: (batch, num_keys); tokens: (batch, num_keys), whole numbers below size.
    """
    places = tokens.astype(np.intp)  # in a browser 32 bits: bincount takes no int64 there
    return np.stack([np.bincount(t, w, size) for t, w in zip(places, weights, strict=True)])


def copy_distribution(
    vocabulary: np.ndarray, weights: np.ndarray, tokens: np.ndarray, generate: np.ndarray, size: int
) -> np.ndarray:
    """The distribution over all words, those of the vocabulary and those of the source.

    vocabulary: (batch, vocabulary_size), a distribution; weights: (batch, num_keys), attention weights.
    tokens: (batch, num_keys), the words of the source; generate: (batch, 1), between 0 and 1.
    size: how many words there are; those from vocabulary_size on stand in the source alone.
    Returns (batch, size). See et al. (2017), equation 9.
    """
    known = np.pad(vocabulary, ((0, 0), (0, size - vocabulary.shape[1])))
    return np.asarray(generate * known + (1 - generate) * copied(weights, tokens, size))
