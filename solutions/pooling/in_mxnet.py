"""Feed-forward attention pooling in MXNet."""

import numpy as np
from mxnet import gluon, nd

from solutions.pooling.common import (
    largest_pooling_weight,  # noqa: F401
)


class FeedForwardPooling(gluon.nn.Block):
    """Pool a sequence by one learned score per step.

    features: the size of a step
    """

    def __init__(self, features):
        super().__init__()
        # No bias: the softmax would cancel it.
        self.score = gluon.nn.Dense(
            1,
            use_bias=False,
            flatten=False,
            in_units=features,
        )

    def forward(self, X, mask):
        """Context (batch, features) and the weights.

        X: (batch, num_steps, features)
        mask: None or (batch, num_steps), true if valid
        """
        scores = self.score(X).squeeze(axis=-1)
        if mask is None:
            mask = nd.ones_like(scores)
        low = nd.ones_like(scores) * np.finfo(X.dtype).min
        filled = nd.where(mask, scores, low)
        # A sequence without valid steps gets zero weights.
        weights = filled.softmax(axis=1) * mask
        context = (weights.expand_dims(-1) * X).sum(axis=1)
        return context, weights


def guarded_pooling_weights(scores, mask, epsilon):
    """Bounded weights whose sum cannot be zero.

    scores: (batch, num_steps)
    mask: (batch, num_steps), true where a step counts
    epsilon: a small number
    """
    a = scores.tanh().exp() * mask
    return a / (a.sum(axis=1, keepdims=True) + epsilon)


def mean_pooling(X, mask):
    """The plain mean of the steps that count.

    X: (batch, num_steps, features)
    mask: (batch, num_steps), true where a step counts
    """
    total = (X * mask.expand_dims(-1)).sum(axis=1)
    return total / mask.sum(axis=1, keepdims=True)
