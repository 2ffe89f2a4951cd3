"""Multi-head attention in PyTorch."""

import math

import torch

from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.common import (
    head_sizes,  # noqa: F401
    join_heads,
    split_heads,
)


class MultiHeadAttention(torch.nn.Module):
    """Scaled dot-product attention in several heads.

    num_hiddens: features of every input and of the result
    num_heads: must divide num_hiddens
    """

    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        sizes = (num_hiddens, num_hiddens)
        self.W_q = torch.nn.Linear(*sizes, bias=False)
        self.W_k = torch.nn.Linear(*sizes, bias=False)
        self.W_v = torch.nn.Linear(*sizes, bias=False)
        self.W_o = torch.nn.Linear(*sizes, bias=False)

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
            repeat = valid_length.repeat_interleave
            valid_length = repeat(self.num_heads, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2))
        scores = scores / math.sqrt(Q.shape[-1])
        # (batch * num_heads, num_queries, num_keys)
        weights = masked_softmax(scores, valid_length)
        self.attention_weights = weights
        context = torch.bmm(weights, V)
        return self.W_o(join_heads(context, self.num_heads))
