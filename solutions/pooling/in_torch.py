"""Feed-forward attention pooling in PyTorch."""

import torch

from solutions.pooling.common import (
    largest_pooling_weight,  # noqa: F401
)


class FeedForwardPooling(torch.nn.Module):
    """Pool a sequence by one learned score per step.

    features: the size of a step
    """

    def __init__(self, features):
        super().__init__()
        # No bias: the softmax would cancel it.
        self.score = torch.nn.Linear(
            features,
            1,
            bias=False,
        )

    def forward(self, X, mask):
        """Context (batch, features) and the weights.

        X: (batch, num_steps, features)
        mask: None or (batch, num_steps), true if valid
        """
        scores = self.score(X).squeeze(dim=-1)
        if mask is None:
            mask = torch.ones_like(scores, dtype=torch.bool)
        low = torch.finfo(X.dtype).min
        filled = scores.masked_fill(~mask, low)
        # A sequence without valid steps gets zero weights.
        weights = filled.softmax(dim=1) * mask
        context = (weights.unsqueeze(-1) * X).sum(dim=1)
        return context, weights


def guarded_pooling_weights(scores, mask, epsilon):
    """Bounded weights whose sum cannot be zero.

    scores: (batch, num_steps)
    mask: (batch, num_steps), true where a step counts
    epsilon: a small number
    """
    a = scores.tanh().exp() * mask
    return a / (a.sum(dim=1, keepdim=True) + epsilon)


def mean_pooling(X, mask):
    """The plain mean of the steps that count.

    X: (batch, num_steps, features)
    mask: (batch, num_steps), true where a step counts
    """
    total = (X * mask.unsqueeze(-1)).sum(dim=1)
    return total / mask.sum(dim=1, keepdim=True)
