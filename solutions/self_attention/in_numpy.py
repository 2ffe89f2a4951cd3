"""Self-attention, the causal mask and positional encoding, the float64 reference.

Vaswani et al. (2017), "Attention Is All You Need", sections 3.2.1, 3.2.3 and 3.5.
"""

import math
from collections.abc import Callable

import numpy as np


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Softmax over one axis; any shape."""
    exps = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return np.asarray(exps / exps.sum(axis=axis, keepdims=True))


def self_attention(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Every token attends to all tokens: softmax(Q Kᵀ / √d_k) V, with Q, K and V from one X.

    X: (batch, num_tokens, d_model); W_q, W_k: (d_model, d_k); W_v: (d_model, d_v).
    Returns context (batch, num_tokens, d_v) and weights (batch, num_tokens, num_tokens).
    Vaswani et al. (2017), equation 1.
    """
    queries = X @ W_q
    keys = X @ W_k
    values = X @ W_v
    scores = np.matmul(queries, keys.swapaxes(1, 2))
    scores = scores / math.sqrt(keys.shape[-1])
    weights = softmax(scores)
    return np.matmul(weights, values), weights


def causal_self_attention(
    X: np.ndarray,
    W_q: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
    valid_length: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray]:
    """The same, but no token attends to a later one, nor to padding.

    valid_length: None or (batch,), each at least 1, so that every row keeps its first key.
    Vaswani et al. (2017), section 3.2.3.
    """
    queries = X @ W_q
    keys = X @ W_k
    values = X @ W_v
    scores = np.matmul(queries, keys.swapaxes(1, 2))
    scores = scores / math.sqrt(keys.shape[-1])
    # Keys along the last axis, queries along the middle.
    key = np.arange(X.shape[1]).reshape((1, 1, -1))
    query = key.reshape((1, -1, 1))
    visible = key <= query
    if valid_length is not None:
        real = key < valid_length.reshape((-1, 1, 1))
        visible = visible & real
    filled = np.where(visible, scores, -np.inf)
    weights = softmax(filled)
    return np.matmul(weights, values), weights


def leaks(model: Callable[[np.ndarray], np.ndarray], X: np.ndarray) -> bool:
    """Whether any later token changes an earlier output.

    model: takes (batch, num_tokens, d_model), gives (batch, num_tokens, d_v).
    X: (batch, num_tokens, d_model), without rows of zeros.
    """
    before = model(X)
    for position in range(1, X.shape[1]):
        changed = X.copy()
        changed[:, position:] *= -2
        if (np.abs(model(changed) - before)[:, :position] > 1e-5).any():
            return True
    return False


def which_leaks(before: np.ndarray, after: np.ndarray, position: int) -> str:
    """The one of three models, "a", "b" or "c", whose earlier outputs change with later tokens.

    before: (3, num_tokens, d_v), what the models give for a sequence.
    after: the same once the tokens from `position` on have been exchanged.
    """
    change = np.abs(after - before)[:, :position]
    largest = change.max(axis=(1, 2))
    leaking = largest > 1e-5
    return "abc"[int(leaking.argmax())]


def positional_encoding(num_positions: int, d: int) -> np.ndarray:
    """Sines in the even columns and cosines in the odd ones, a pair for each frequency.

    Column 2i is sin(pos / 10000^(2i/d)), column 2i + 1 its cosine; an odd d ends with a sine.
    Returns (num_positions, d). Vaswani et al. (2017), section 3.5.
    """
    positions = np.arange(num_positions)[:, None]
    # 2i for each pair of columns
    even = np.arange(0, d, 2)[None]
    angles = positions / 10000 ** (even / d)
    encoding = np.zeros((num_positions, d))
    encoding[:, 0::2] = np.sin(angles)
    # An odd d has one cosine less.
    encoding[:, 1::2] = np.cos(angles)[:, : d // 2]
    return encoding


def rotation(offset: float, d: int) -> np.ndarray:
    """The matrix R with PE(pos + offset) = R PE(pos) for every pos: one rotation for each pair.

    d: even, since an odd one leaves a sine without its cosine.
    Returns (d, d).
    """
    if d % 2:
        raise ValueError(f"d is {d}; a rotation needs pairs of columns, so it must be even.")
    R = np.zeros((d, d))
    for i in range(0, d, 2):
        angle = offset / 10000 ** (i / d)
        R[i, i] = R[i + 1, i + 1] = math.cos(angle)
        R[i, i + 1], R[i + 1, i] = math.sin(angle), -math.sin(angle)
    return R
