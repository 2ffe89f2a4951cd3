"""Multi-head attention, the float64 reference (Vaswani et al. 2017, section 3.2.2)."""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax


def split_heads(X: np.ndarray, num_heads: int) -> np.ndarray:
    """Cut the features into heads, and make each head a batch element of its own.

    X: (batch, num_steps, num_hiddens); head i gets the i-th block of neighbouring features.
    Returns (batch * num_heads, num_steps, num_hiddens / num_heads): all heads of the first
    batch element, then all of the second, and so on.
    """
    batch, num_steps, num_hiddens = X.shape
    size = num_hiddens // num_heads
    heads = X.reshape(batch, num_steps, num_heads, size).transpose(0, 2, 1, 3)
    return heads.reshape(batch * num_heads, num_steps, size)


def join_heads(X: np.ndarray, num_heads: int) -> np.ndarray:
    """Undo `split_heads`: (batch * num_heads, num_steps, size) to (batch, num_steps, num_heads * size)."""
    _, num_steps, size = X.shape
    heads = X.reshape(-1, num_heads, num_steps, size).transpose(0, 2, 1, 3)
    return heads.reshape(-1, num_steps, num_heads * size)


def multi_head_attention(
    queries: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    valid_length: np.ndarray | None,
    num_hiddens: int,
    num_heads: int,
    W_q: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
    W_o: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Concat(head_1, …, head_h) W_o, where head_i attends with the i-th block of W_q, W_k and W_v.

    queries: (batch, num_queries, num_hiddens). keys, values: (batch, num_keys, num_hiddens).
    valid_length: None, (batch,) or (batch, num_queries), each at least 1.
    W_q, W_k, W_v, W_o: (num_hiddens, num_hiddens), applied as X @ W.T.
    Returns the result (batch, num_queries, num_hiddens) and the weights
    (batch * num_heads, num_queries, num_keys).
    """
    Q = split_heads(queries @ W_q.T, num_heads)
    K = split_heads(keys @ W_k.T, num_heads)
    V = split_heads(values @ W_v.T, num_heads)
    lengths = None if valid_length is None else np.repeat(valid_length, num_heads, axis=0)
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(num_hiddens / num_heads)
    weights = masked_softmax(scores, lengths)
    return join_heads(weights @ V, num_heads) @ W_o.T, weights


def head_sizes(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    """Three whole numbers, known before anything runs.

    Returns the features of one head, the parameters of the layer (no biases), and the attention
    weights that it computes when one sentence of num_steps words attends to itself.
    """
    return num_hiddens // num_heads, 4 * num_hiddens * num_hiddens, num_heads * num_steps * num_steps
