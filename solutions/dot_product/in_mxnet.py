"""Dot-product attention in MXNet."""

from math import sqrt

from mxnet import gluon, nd

from solutions.dot_product.common import (
    score_spread,  # noqa: F401
    weights_after,  # noqa: F401
)
from solutions.masked_softmax.in_mxnet import masked_softmax


def scaled_scores(queries, keys):
    """Dot products of queries and keys, over sqrt(d_k).

    queries: (batch, num_queries, d_k)
    keys: (batch, num_keys, d_k)
    """
    d_k = queries.shape[-1]
    # (batch, num_queries, num_keys)
    scores = nd.batch_dot(queries, keys, transpose_b=True)
    return scores / sqrt(d_k)


class DotProductAttention(gluon.nn.Block):
    """Scaled dot-product attention.

    dropout: the share of weights dropped in training
    """

    def __init__(self, dropout):
        super().__init__()
        self.dropout = gluon.nn.Dropout(dropout)

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
        dots = nd.batch_dot(queries, keys, transpose_b=True)
        scores = dots / sqrt(queries.shape[-1])
        weights = masked_softmax(scores, valid_length)
        self.attention_weights = weights
        return nd.batch_dot(self.dropout(weights), values)
