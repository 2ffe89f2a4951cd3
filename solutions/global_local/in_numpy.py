"""Global and local attention, the float64 reference, after Luong et al. (2015).

Positions count from 0, so the words of a sentence of length S stand at 0, 1, ..., S - 1.
"""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)), for any shape."""
    return np.asarray(1 / (1 + np.exp(-x)))


def dot_score(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """The score `dot`, h_t . h_s (Luong et al. 2015, section 3.1).

    queries: (batch, num_queries, d); keys: (batch, num_keys, d).
    Returns (batch, num_queries, num_keys).
    """
    scores: np.ndarray = queries @ np.swapaxes(keys, 1, 2)
    return scores


def general_score(queries: np.ndarray, keys: np.ndarray, W_a: np.ndarray) -> np.ndarray:
    """The score `general`, h_t . W_a h_s (Luong et al. 2015, section 3.1).

    queries: (batch, num_queries, d_q); keys: (batch, num_keys, d_k); W_a: (d_q, d_k).
    Returns (batch, num_queries, num_keys).
    """
    return dot_score(queries, keys @ W_a.T)


def concat_score(
    queries: np.ndarray, keys: np.ndarray, W_a: np.ndarray, v_a: np.ndarray, **sizes: int
) -> np.ndarray:
    """The score `concat`, v_a . tanh(W_a [h_t; h_s]) (Luong et al. 2015, section 3.1).

    queries: (batch, num_queries, d_q); keys: (batch, num_keys, d_k).
    W_a: (units, d_q + d_k); v_a: (1, units). sizes: d_q, d_k and units, if they are given.
    Returns (batch, num_queries, num_keys).
    """
    m, n = queries.shape[1], keys.shape[1]
    # Every query with every key.
    q = queries[:, :, None].repeat(n, axis=2)
    k = keys[:, None].repeat(m, axis=1)
    both = np.concatenate([q, k], axis=-1)
    hidden = np.tanh(both @ W_a.T)
    return (hidden @ v_a.T).squeeze(-1)


def attentional_state(context: np.ndarray, queries: np.ndarray, W_c: np.ndarray, **sizes: int) -> np.ndarray:
    """The attentional hidden state tanh(W_c [c_t; h_t]) (Luong et al. 2015, eq. 5).

    context: (batch, num_queries, d_v); queries: (batch, num_queries, d_q).
    W_c: (units, d_v + d_q). sizes: d_v, d_q and units, if they are given.
    Returns (batch, num_queries, units).
    """
    both = np.concatenate([context, queries], axis=-1)
    return np.asarray(np.tanh(both @ W_c.T))


def window_mask(positions: np.ndarray, valid_length: np.ndarray, num_keys: int, D: int) -> np.ndarray:
    """True for the words within D of each position, where there are any.

    positions: (batch, num_queries), real numbers; valid_length: (batch,).
    Returns (batch, num_queries, num_keys).
    """
    keys = np.arange(num_keys)
    near = np.abs(keys - np.asarray(positions)[:, :, None]) <= D
    mask: np.ndarray = near & (keys < np.asarray(valid_length)[:, None, None])
    return mask


def window_weights(scores: np.ndarray, positions: np.ndarray, valid_length: np.ndarray, D: int) -> np.ndarray:
    """Softmax over the window [p_t - D, p_t + D] (Luong et al. 2015, section 3.2).

    scores: (batch, num_queries, num_keys); positions: p_t, (batch, num_queries).
    valid_length: (batch,). The window ends where the sentence ends; a window without any
    word has weights of zero. Returns weights of the scores' shape.
    """
    keys = np.arange(scores.shape[-1])
    lengths = valid_length.reshape(-1, 1, 1)
    distance = keys - positions[:, :, None]
    inside = (np.abs(distance) <= D) & (keys < lengths)
    filled = np.where(inside, scores, np.finfo(np.float64).min)
    # The product makes a window without a word zero.
    return softmax(filled) * inside


def gaussian_factor(distance: np.ndarray, D: int) -> np.ndarray:
    """exp(-(s - p_t)^2 / (2 sigma^2)) with sigma = D / 2 (Luong et al. 2015, eq. 10).

    distance: s - p_t, of any shape, which is that of the result.
    """
    sigma = D / 2
    gaussian: np.ndarray = np.exp(-(distance**2) / (2 * sigma**2))
    return gaussian


def local_predictive(
    queries: np.ndarray,
    scores: np.ndarray,
    valid_length: np.ndarray,
    D: int,
    W_p: np.ndarray,
    v_p: np.ndarray,
    **sizes: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Local attention with a predicted position: p_t = S times a sigmoid.

    Luong et al. (2015), eq. 9 and 10. sizes: d_q and units, if they are given.
    queries: (batch, num_queries, d_q); scores: (batch, num_queries, num_keys); valid_length: (batch,).
    Returns weights of the scores' shape, which do not sum to one, and positions (batch, num_queries).
    """
    S = valid_length.reshape(-1, 1, 1)
    hidden = np.tanh(queries @ W_p.T)
    positions = S * sigmoid(hidden @ v_p.T)
    keys = np.arange(scores.shape[-1])
    distance = keys - positions
    inside = (np.abs(distance) <= D) & (keys < S)
    filled = np.where(inside, scores, np.finfo(np.float64).min)
    weights = softmax(filled) * inside
    sigma = D / 2
    gauss = np.exp(-(distance**2) / (2 * sigma**2))
    return weights * gauss, positions.squeeze(-1)


def window_attention(
    queries: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    positions: np.ndarray,
    valid_length: np.ndarray,
    D: int,
    gaussian: bool = False,
) -> np.ndarray:
    """Local attention with dot scores that reads only the words in the window, one query at a time.

    queries: (batch, num_queries, d); keys: (batch, num_keys, d); values: (batch, num_keys, d_v).
    positions: (batch, num_queries); valid_length: (batch,).
    gaussian: whether to multiply the weights by the Gaussian of eq. 10.
    Returns context (batch, num_queries, d_v).
    """
    context = np.zeros((*queries.shape[:2], values.shape[-1]))
    for b, t in np.ndindex(context.shape[:2]):
        p = positions[b, t]
        first = max(int(np.ceil(p - D)), 0)
        last = min(int(np.floor(p + D)), int(valid_length[b]) - 1)
        if first > last:
            continue
        weights = softmax(keys[b, first : last + 1] @ queries[b, t])
        if gaussian:
            weights = weights * gaussian_factor(np.arange(first, last + 1) - p, D)
        context[b, t] = weights @ values[b, first : last + 1]
    return context
