"""Attention as a weighted sum in PyTorch."""

import torch

from solutions.attention.common import (
    after_permuting,  # noqa: F401
    predict_shapes,  # noqa: F401
)


def attention_pooling(weights, values):
    """Weighted sums of the values, one for each query.

    weights: (batch, num_queries, num_keys)
    values: (batch, num_keys, d_v)
    """
    return torch.bmm(weights, values)


def nadaraya_watson(queries, keys, values, width):
    """Kernel regression: near keys count more.

    queries: (batch, num_queries, d_k)
    keys: (batch, num_keys, d_k)
    values: (batch, num_keys, d_v)
    width: (1,), the Gaussian's standard deviation
    """
    # Every query with every key.
    gaps = queries.unsqueeze(2) - keys.unsqueeze(1)
    distances = (gaps**2).sum(dim=-1)
    # Softmax takes the exponential and normalises.
    scores = -distances / (2 * width**2)
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values)


class LearnedWidth(torch.nn.Module):
    """Kernel regression with a learned width."""

    def __init__(self, width):
        super().__init__()
        start = torch.full((1,), width)
        self.width = torch.nn.Parameter(start)

    def forward(self, queries, keys, values):
        """Arguments as in nadaraya_watson."""
        width = self.width
        return nadaraya_watson(queries, keys, values, width)


def fit(model, data, target, rate, steps):
    """Plain gradient descent on the squared error.

    data: queries (n, 1, d), keys and values (n, m, ...)
    target: (n,)
    Returns the last step's loss.
    """
    optimiser = torch.optim.SGD(model.parameters(), rate)
    for _ in range(steps):
        errors = model(*data)[:, 0, 0] - target
        loss = (errors**2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return loss.item()
