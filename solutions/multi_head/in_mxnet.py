"""Multi-head attention in MXNet."""

import math

from mxnet import gluon, nd

from solutions.masked_softmax.in_mxnet import masked_softmax
from solutions.multi_head.common import (
    head_sizes,  # noqa: F401
    join_heads,
    split_heads,
)


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
