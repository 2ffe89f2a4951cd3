"""Dot-product attention in PyTorch."""

from math import sqrt

import torch

from solutions.dot_product.common import (
    score_spread,  # noqa: F401
    weights_after,  # noqa: F401
)
from solutions.masked_softmax.in_torch import masked_softmax


def scaled_scores(queries, keys):
    """Dot products of queries and keys, over sqrt(d_k).

    queries: (batch, num_queries, d_k)
    keys: (batch, num_keys, d_k)
    """
    d_k = queries.shape[-1]
    # (batch, num_queries, num_keys)
    scores = torch.bmm(queries, keys.transpose(1, 2))
    return scores / sqrt(d_k)


class DotProductAttention(torch.nn.Module):
    """Scaled dot-product attention.

    dropout: the share of weights dropped in training
    """

    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)

    def forward(
        self,
        queries,  # (batch, num_queries, d_k)
        keys,  # (batch, num_keys, d_k)
        values,  # (batch, num_keys, d_v)
        valid_length=None,
    ):
        """Context, (batch, num_queries, d_v).

        valid_length: None, (batch,) or (batch, num_queries)
        Each length is at least 1.
        Keeps attention_weights, as they are before dropout.
        """
        # (batch, num_queries, num_keys)
        dots = torch.bmm(queries, keys.transpose(1, 2))
        scores = dots / sqrt(queries.shape[-1])
        weights = masked_softmax(scores, valid_length)
        self.attention_weights = weights
        return torch.bmm(self.dropout(weights), values)
