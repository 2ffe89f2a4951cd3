"""Multi-head attention in MXNet."""

import math

from mxnet import gluon, nd

from solutions.masked_softmax.in_mxnet import masked_softmax


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
    # Behind the steps: a step's features in one row.
    X = X.swapaxes(1, 2)
    return X.reshape((-1, num_steps, num_heads * size))


class MultiHeadAttention(gluon.nn.Block):
    """Scaled dot-product attention in several heads.

    num_hiddens: features of every input and of the result
    num_heads: must divide num_hiddens
    """

    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        options = {"use_bias": False, "flatten": False}
        self.W_q = gluon.nn.Dense(num_hiddens, **options)
        self.W_k = gluon.nn.Dense(num_hiddens, **options)
        self.W_v = gluon.nn.Dense(num_hiddens, **options)
        self.W_o = gluon.nn.Dense(num_hiddens, **options)

    def forward(self, queries, keys, values, valid_length):
        """Attend; attention_weights keeps the weights.

        queries: (batch, num_queries, num_hiddens)
        keys: (batch, num_keys, num_hiddens)
        values: (batch, num_keys, num_hiddens)
        valid_length: None, (batch,) or (batch, num_queries)
        """
        # (batch * num_heads, num_queries, head_size)
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            # [2, 5] for two heads is [2, 2, 5, 5].
            repeat = valid_length.repeat
            valid_length = repeat(self.num_heads, axis=0)
        scores = nd.batch_dot(Q, K, transpose_b=True)
        scores = scores / math.sqrt(Q.shape[-1])
        # (batch * num_heads, num_queries, num_keys)
        weights = masked_softmax(scores, valid_length)
        self.attention_weights = weights
        context = nd.batch_dot(weights, V)
        return self.W_o(join_heads(context, self.num_heads))


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
