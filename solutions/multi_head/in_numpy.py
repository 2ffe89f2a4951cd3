"""Multi-head attention, the float64 reference (Vaswani et al. 2017, section 3.2.2)."""

import math

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
    # (batch, num_steps, num_heads, head_size)
    X = X.reshape((batch, num_steps, num_heads, size))
    # (batch, num_heads, num_steps, head_size)
    X = X.swapaxes(1, 2)
    return X.reshape((batch * num_heads, num_steps, size))


def join_heads(X: np.ndarray, num_heads: int) -> np.ndarray:
    """Undo `split_heads`: (batch * num_heads, num_steps, size) to (batch, num_steps, num_heads * size)."""
    _, num_steps, size = X.shape
    # Out of the batch: heads are an axis again.
    X = X.reshape((-1, num_heads, num_steps, size))
    # After the steps: a step's features in one row.
    X = X.swapaxes(1, 2)
    return X.reshape((-1, num_steps, num_heads * size))


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
    if valid_length is not None:
        # [2, 5] for two heads is [2, 2, 5, 5].
        valid_length = np.repeat(valid_length, num_heads, axis=0)
    scores = np.matmul(Q, K.swapaxes(1, 2))
    scores = scores / math.sqrt(Q.shape[-1])
    weights = masked_softmax(scores, valid_length)
    context = np.matmul(weights, V)
    return join_heads(context, num_heads) @ W_o.T, weights


def head_sizes(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    """Three whole numbers, known before anything runs.

    Returns the features of one head, the parameters of the layer (no biases), and the attention
    weights that it computes when one sentence of num_steps words attends to itself.
    """
    head_size = num_hiddens // num_heads
    # W_q, W_k, W_v and W_o of all heads together
    parameters = 4 * num_hiddens * num_hiddens
    weights = num_heads * num_steps * num_steps
    return head_size, parameters, weights
