"""Additive attention in PyTorch."""

import torch

from solutions.additive.common import (
    score_bytes,  # noqa: F401
)
from solutions.masked_softmax.in_torch import masked_softmax


def additive_scores(queries, keys, W_q, W_k, w_v):
    """The score w_v . tanh(W_q q + W_k k) of each pair.

    queries: (batch, num_queries, d_q)
    keys: (batch, num_keys, d_k)
    W_q: (units, d_q)
    W_k: (units, d_k)
    w_v: (1, units)
    """
    # (batch, num_queries, 1, units)
    from_query = (queries @ W_q.T).unsqueeze(2)
    # (batch, 1, num_keys, units)
    from_key = (keys @ W_k.T).unsqueeze(1)
    # Added first: one tanh of the sum of both terms.
    features = (from_query + from_key).tanh()
    return (features @ w_v.T).squeeze(dim=-1)


class AdditiveAttention(torch.nn.Module):
    """Attention with the additive score.

    units: the length of W_q q, of W_k k and of w_v
    dropout: the share of weights dropped in training
    """

    def __init__(self, units, dropout):
        super().__init__()
        # The width of the input is found at the first call.
        self.W_q = torch.nn.LazyLinear(units, bias=False)
        self.W_k = torch.nn.LazyLinear(units, bias=False)
        self.w_v = torch.nn.Linear(units, 1, bias=False)
        self.dropout = torch.nn.Dropout(dropout)

    def forward(
        self,
        queries,  # (batch, num_queries, d_q)
        keys,  # (batch, num_keys, d_k)
        values,  # (batch, num_keys, d_v)
        valid_length=None,
    ):
        """Context, (batch, num_queries, d_v).

        valid_length: None, (batch,) or (batch, num_queries)
        Each length is at least 1.
        Keeps attention_weights, as they are before dropout.
        """
        # (batch, num_queries, 1, units)
        from_query = self.W_q(queries).unsqueeze(2)
        # (batch, 1, num_keys, units)
        from_key = self.W_k(keys).unsqueeze(1)
        # Added first: one tanh of the sum of both terms.
        features = (from_query + from_key).tanh()
        scores = self.w_v(features).squeeze(dim=-1)
        weights = masked_softmax(scores, valid_length)
        self.attention_weights = weights
        return torch.bmm(self.dropout(weights), values)
