"""Global and local attention, the float64 reference, after Luong et al. (2015).

Positions count from 0, so the words of a sentence of length S stand at 0, 1, ..., S - 1.
"""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax


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


def concat_score(queries: np.ndarray, keys: np.ndarray, W_a: np.ndarray, v_a: np.ndarray) -> np.ndarray:
    """The score `concat`, v_a . tanh(W_a [h_t; h_s]) (Luong et al. 2015, section 3.1).

    queries: (batch, num_queries, d_q); keys: (batch, num_keys, d_k).
    W_a: (units, d_q + d_k); v_a: (1, units).
    Returns (batch, num_queries, num_keys).
    """
    scores = np.zeros((len(queries), queries.shape[1], keys.shape[1]))
    for b, t, s in np.ndindex(scores.shape):
        pair = np.concatenate([queries[b, t], keys[b, s]])
        scores[b, t, s] = v_a[0] @ np.tanh(W_a @ pair)
    return scores


def attentional_state(context: np.ndarray, queries: np.ndarray, W_c: np.ndarray) -> np.ndarray:
    """The attentional hidden state tanh(W_c [c_t; h_t]) (Luong et al. 2015, eq. 5).

    context: (batch, num_queries, d_v); queries: (batch, num_queries, d_q).
    W_c: (units, d_v + d_q). Returns (batch, num_queries, units).
    """
    state: np.ndarray = np.tanh(np.concatenate([context, queries], axis=-1) @ W_c.T)
    return state


def window_mask(positions: np.ndarray, valid_length: np.ndarray, num_keys: int, D: int) -> np.ndarray:
    """True for the words within D of each position, where there are any.

    positions: (batch, num_queries), real numbers; valid_length: (batch,).
    Returns (batch, num_queries, num_keys).
    """
    keys = np.arange(num_keys)
    near = np.abs(keys - np.asarray(positions)[:, :, None]) <= D
    mask: np.ndarray = near & (keys < np.asarray(valid_length)[:, None, None])
    return mask


def masked_weights(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Softmax over the keys where the mask is true; zero elsewhere, and in a row without any.

    scores, mask: (batch, num_queries, num_keys).
    """
    highest = np.where(mask, scores, -np.inf).max(axis=-1, keepdims=True)
    exps = np.where(mask, np.exp(np.where(mask, scores, 0) - np.where(np.isfinite(highest), highest, 0)), 0)
    total = exps.sum(axis=-1, keepdims=True)
    weights: np.ndarray = exps / np.where(total > 0, total, 1)
    return weights


def window_weights(scores: np.ndarray, positions: np.ndarray, valid_length: np.ndarray, D: int) -> np.ndarray:
    """Softmax over the window [p_t - D, p_t + D] (Luong et al. 2015, section 3.2).

    scores: (batch, num_queries, num_keys); positions: p_t, (batch, num_queries).
    valid_length: (batch,). The window ends where the sentence ends; a window without any
    word has weights of zero. Returns weights of the scores' shape.
    """
    return masked_weights(scores, window_mask(positions, valid_length, scores.shape[-1], D))


def predicted_positions(
    queries: np.ndarray, valid_length: np.ndarray, W_p: np.ndarray, v_p: np.ndarray
) -> np.ndarray:
    """p_t = S sigmoid(v_p . tanh(W_p h_t)) (Luong et al. 2015, eq. 9).

    queries: (batch, num_queries, d_q); valid_length: S, (batch,).
    W_p: (units, d_q); v_p: (1, units). Returns (batch, num_queries), between 0 and S.
    """
    logits = (np.tanh(queries @ W_p.T) @ v_p.T)[..., 0]
    positions: np.ndarray = np.asarray(valid_length)[:, None] / (1 + np.exp(-logits))
    return positions


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
) -> tuple[np.ndarray, np.ndarray]:
    """Local attention with a predicted position (Luong et al. 2015, eq. 9 and 10).

    queries: (batch, num_queries, d_q); scores: (batch, num_queries, num_keys); valid_length: (batch,).
    Returns weights of the scores' shape, which do not sum to one, and positions (batch, num_queries).
    """
    positions = predicted_positions(queries, valid_length, W_p, v_p)
    weights = window_weights(scores, positions, valid_length, D)
    distance = np.arange(scores.shape[-1]) - positions[:, :, None]
    return weights * gaussian_factor(distance, D), positions


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
