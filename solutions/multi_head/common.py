"""Heads in and out of the batch, in any framework."""


def split_heads(X, num_heads):
    """Cut the features into heads, each a batch element.

    X: (batch, num_steps, num_hiddens)
    Returns (batch * num_heads, num_steps, head_size)
    """
    batch, num_steps, num_hiddens = X.shape
    size = num_hiddens // num_heads
    # (batch, num_steps, num_heads, head_size)
    X = X.reshape((batch, num_steps, num_heads, size))
    # (batch, num_heads, num_steps, head_size)
    X = X.swapaxes(1, 2)
    return X.reshape((batch * num_heads, num_steps, size))


def join_heads(X, num_heads):
    """Undo split_heads: concatenate the heads.

    X: (batch * num_heads, num_steps, head_size)
    Returns (batch, num_steps, num_hiddens)
    """
    _, num_steps, size = X.shape
    # Out of the batch: heads are an axis again.
    X = X.reshape((-1, num_heads, num_steps, size))
    # After the steps: a step's features in one row.
    X = X.swapaxes(1, 2)
    return X.reshape((-1, num_steps, num_heads * size))


def head_sizes(num_steps, num_hiddens, num_heads):
    """Three whole numbers, known before anything runs.

    Returns the features of one head, the parameters of
    MultiHeadAttention, and the attention weights that it
    computes when one sentence attends to itself
    """
    head_size = num_hiddens // num_heads
    # W_q, W_k, W_v and W_o of all heads together
    parameters = 4 * num_hiddens * num_hiddens
    weights = num_heads * num_steps * num_steps
    return head_size, parameters, weights
