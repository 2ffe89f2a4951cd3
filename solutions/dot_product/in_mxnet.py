"""Dot-product attention in MXNet."""

from math import sqrt

from mxnet import gluon, nd

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
        Keeps attention_weights, as they are before dropout.
        """
        # (batch, num_queries, num_keys)
        dots = nd.batch_dot(queries, keys, transpose_b=True)
        scores = dots / sqrt(queries.shape[-1])
        weights = masked_softmax(scores, valid_length)
        self.attention_weights = weights
        return nd.batch_dot(self.dropout(weights), values)


def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    """The shapes of scores, weights and context."""
    scores = (batch, num_queries, num_keys)
    # The softmax keeps the shape; d_k is summed away.
    weights = scores
    context = (batch, num_queries, d_v)
    return scores, weights, context


def score_spread(d, query_std, key_std, scaled):
    """The standard deviation of a score.

    d: the number of components, independent, of mean zero
    query_std, key_std: the spread of each component
    scaled: whether the score is divided by sqrt(d)
    """
    # Variances multiply in each of d products, and add up.
    variance = d * query_std**2 * key_std**2
    return sqrt(variance / d) if scaled else sqrt(variance)
