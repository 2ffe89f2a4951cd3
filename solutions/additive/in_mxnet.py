"""Additive attention in MXNet."""

from mxnet import gluon, nd

from solutions.additive.common import (
    score_bytes,  # noqa: F401
)
from solutions.masked_softmax.in_mxnet import masked_softmax


def additive_scores(queries, keys, W_q, W_k, w_v):
    """The score w_v . tanh(W_q q + W_k k) of each pair.

    queries: (batch, num_queries, d_q)
    keys: (batch, num_keys, d_k)
    W_q: (units, d_q)
    W_k: (units, d_k)
    w_v: (1, units)
    """
    # (batch, num_queries, 1, units)
    from_query = nd.dot(queries, W_q.T).expand_dims(2)
    # (batch, 1, num_keys, units)
    from_key = nd.dot(keys, W_k.T).expand_dims(1)
    # Added first: one tanh of the sum of both terms.
    features = (from_query + from_key).tanh()
    return nd.dot(features, w_v.T).squeeze(axis=-1)


class AdditiveAttention(gluon.nn.Block):
    """Attention with the additive score.

    units: the length of W_q q, of W_k k and of w_v
    dropout: the share of weights dropped in training
    """

    def __init__(self, units, dropout):
        super().__init__()
        # The width of the input is found at the first call.
        dense = {"use_bias": False, "flatten": False}
        self.W_q = gluon.nn.Dense(units, **dense)
        self.W_k = gluon.nn.Dense(units, **dense)
        self.w_v = gluon.nn.Dense(1, **dense)
        self.dropout = gluon.nn.Dropout(dropout)

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
        from_query = self.W_q(queries).expand_dims(2)
        # (batch, 1, num_keys, units)
        from_key = self.W_k(keys).expand_dims(1)
        # Added first: one tanh of the sum of both terms.
        features = (from_query + from_key).tanh()
        scores = self.w_v(features).squeeze(axis=-1)
        weights = masked_softmax(scores, valid_length)
        self.attention_weights = weights
        return nd.batch_dot(self.dropout(weights), values)
