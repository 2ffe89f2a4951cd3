"""Score functions in MXNet, behind one interface.

Every score(queries, keys) takes queries of the shape
(batch, num_queries, d) and keys (batch, num_keys, d), and
gives scores (batch, num_queries, num_keys).
"""

import math

from mxnet import autograd, gluon, init, nd

from solutions.masked_softmax.in_mxnet import masked_softmax
from solutions.score_functions.common import (
    unchanged_weights,  # noqa: F401
)


def cosine_score(queries, keys):
    """The cosine between every query and every key.

    queries: (batch, num_queries, d)
    keys: (batch, num_keys, d)
    """
    # The floor keeps a key of zeros from being 0 / 0.
    tiny = 1e-12
    squares = (queries**2).sum(axis=-1, keepdims=True)
    queries = queries / nd.maximum(squares, tiny).sqrt()
    squares = (keys**2).sum(axis=-1, keepdims=True)
    keys = keys / nd.maximum(squares, tiny).sqrt()
    return nd.batch_dot(queries, keys, transpose_b=True)


class ContentScore(gluon.Block):
    """beta cos(q, k), the key strength beta learned"""

    def __init__(self):
        super().__init__()
        begin = {"shape": (1,), "init": init.Constant(10)}
        self.beta = self.params.get("beta", **begin)

    def forward(self, queries, keys):
        """Scores (batch, num_queries, num_keys).

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d)
        """
        cosines = cosine_score(queries, keys)
        return self.beta.data() * cosines


class DotScore(gluon.Block):
    """q.k"""

    def forward(self, queries, keys):
        """Scores (batch, num_queries, num_keys).

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d)
        """
        return nd.batch_dot(queries, keys, transpose_b=True)


class ScaledDotScore(gluon.Block):
    """q.k / sqrt(d)"""

    def forward(self, queries, keys):
        """Scores (batch, num_queries, num_keys).

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d)
        """
        dots = nd.batch_dot(queries, keys, transpose_b=True)
        return dots / math.sqrt(queries.shape[-1])


class AdditiveScore(gluon.Block):
    """v.tanh(W_q q + W_k k), with a bias if asked for"""

    def __init__(self, d, units, bias=False):
        super().__init__()
        # All axes but the last stay.
        opts = {"use_bias": False, "flatten": False}
        self.W_q = gluon.nn.Dense(units, in_units=d, **opts)
        self.v = gluon.nn.Dense(1, in_units=units, **opts)
        opts["use_bias"] = bias
        self.W_k = gluon.nn.Dense(units, in_units=d, **opts)

    def forward(self, queries, keys):
        """Scores (batch, num_queries, num_keys).

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d)
        """
        Q, K = self.W_q(queries), self.W_k(keys)
        # (batch, num_queries, num_keys, units)
        Q, K = Q.expand_dims(2), K.expand_dims(1)
        features = (Q + K).tanh()
        return self.v(features).squeeze(axis=-1)


class LocationScore(gluon.Block):
    """Entry i of W q is the score of position i."""

    def __init__(self, d, longest):
        super().__init__()
        # No bias; all axes but the last stay.
        opts = {"use_bias": False, "flatten": False}
        self.W = gluon.nn.Dense(longest, in_units=d, **opts)

    def forward(self, queries, keys):
        """Score positions from the query alone.

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d), num_keys <= longest
        """
        # A key counts by its position, not its content.
        return self.W(queries)[:, :, : keys.shape[1]]


class GeneralScore(gluon.Block):
    """q.W k, also called bilinear or multiplicative"""

    def __init__(self, d):
        super().__init__()
        # No bias; all axes but the last stay.
        opts = {"use_bias": False, "flatten": False}
        self.W = gluon.nn.Dense(d, in_units=d, **opts)

    def forward(self, queries, keys):
        """Scores (batch, num_queries, num_keys).

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d)
        """
        # A layer multiplies by W from the left: W k.
        K = self.W(keys)
        return nd.batch_dot(queries, K, transpose_b=True)


class LowRankScore(gluon.Block):
    """Uq.Vk: a bilinear form of rank `units`"""

    def __init__(self, d, units):
        super().__init__()
        # No bias; all axes but the last stay.
        opts = {"use_bias": False, "flatten": False}
        self.U = gluon.nn.Dense(units, in_units=d, **opts)
        self.V = gluon.nn.Dense(units, in_units=d, **opts)

    def forward(self, queries, keys):
        """Scores (batch, num_queries, num_keys).

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d)
        """
        Q, K = self.U(queries), self.V(keys)
        return nd.batch_dot(Q, K, transpose_b=True)


class SymmetricScore(gluon.Block):
    """Wq.D Wk: s(q, k) = s(k, q)."""

    def __init__(self, d, units):
        super().__init__()
        # No bias; all axes but the last stay.
        opts = {"use_bias": False, "flatten": False}
        self.W = gluon.nn.Dense(units, in_units=d, **opts)
        ones = {"shape": (units,), "init": "ones"}
        self.D = self.params.get("D", **ones)

    def forward(self, queries, keys):
        """Scores (batch, num_queries, num_keys).

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d)
        """
        Q, K = self.W(queries), self.W(keys)
        Q = Q * self.D.data()
        return nd.batch_dot(Q, K, transpose_b=True)


class ReluScore(gluon.Block):
    """ReLU(Wq).D ReLU(Wk)"""

    def __init__(self, d, units):
        super().__init__()
        # No bias; all axes but the last stay.
        opts = {"use_bias": False, "flatten": False}
        self.W = gluon.nn.Dense(units, in_units=d, **opts)
        ones = {"shape": (units,), "init": "ones"}
        self.D = self.params.get("D", **ones)

    def forward(self, queries, keys):
        """Scores of every query with every key.

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d)
        """
        Q, K = self.W(queries).relu(), self.W(keys).relu()
        # After the ReLU, so that D may be negative.
        Q = Q * self.D.data()
        return nd.batch_dot(Q, K, transpose_b=True)


# Each name with its class, and the sizes it asks for.
SCORES = {
    "content-based": (ContentScore, ()),
    "additive": (AdditiveScore, ("d", "units")),
    "location-based": (LocationScore, ("d", "longest")),
    "general": (GeneralScore, ("d",)),
    "dot": (DotScore, ()),
    "scaled dot": (ScaledDotScore, ()),
    "low-rank": (LowRankScore, ("d", "units")),
    "symmetric": (SymmetricScore, ("d", "units")),
    "ReLU": (ReluScore, ("d", "units")),
}


def make_score(name, **sizes):
    """A score function by its name in SCORES.

    sizes: d, units and longest; it takes what it needs
    """
    kind, needed = SCORES[name]
    return kind(**{size: sizes[size] for size in needed})


class Attention(gluon.Block):
    """Attention with any score function."""

    def __init__(self, score):
        super().__init__()
        self.score = score

    def forward(self, queries, keys, values, valid_length):
        """Contexts (batch, num_queries, d_v).

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d)
        values: (batch, num_keys, d_v)
        valid_length: None, (batch,) or (batch, num_queries)
        """
        scores = self.score(queries, keys)
        self.weights = masked_softmax(scores, valid_length)
        return nd.batch_dot(self.weights, values)


def train(score, queries, keys, target):
    """Train a score to find keys: 150 steps of Adam.

    queries: (batch, 1, d)
    keys: (batch, num_keys, d)
    target: (batch,), the right key of each query
    """
    parameters = score.collect_params()
    # Some scores have no parameters.
    if parameters.keys():
        rule = {"learning_rate": 0.02}
        trainer = gluon.Trainer(parameters, "adam", rule)
        entropy = gluon.loss.SoftmaxCrossEntropyLoss()
        for _ in range(150):
            with autograd.record():
                scores = score(queries, keys)[:, 0]
                loss = entropy(scores, target).mean()
            loss.backward()
            trainer.step(1)


def accuracy(score, queries, keys, target):
    """The share of queries whose target scores highest.

    Arguments as for train.
    """
    best = score(queries, keys)[:, 0].argmax(axis=-1)
    return (best == target).mean().asscalar()
