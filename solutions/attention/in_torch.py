"""Attention as a weighted sum in PyTorch."""

import torch


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


class LearnedMetric(torch.nn.Module):
    """Kernel regression with a learned distance."""

    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)

    def forward(self, queries, keys, values):
        """Arguments as in nadaraya_watson."""
        # A difference that W maps to 0 has no effect.
        Q, K = self.W(queries), self.W(keys)
        return nadaraya_watson(Q, K, values, torch.ones(1))


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


def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    """Shapes of scores and context; weights per query."""
    scores = (batch, num_queries, num_keys)
    context = (batch, num_queries, d_v)
    # One softmax for each query, over all keys.
    return scores, context, num_keys


def after_permuting(moved):
    """What the context does when inputs change order.

    moved: which inputs do, as the exercise names them
    """
    return {
        # A sum does not depend on the order of its terms.
        "keys and values": "same",
        # Each weight multiplies another key's value.
        "keys": "other",
        "values": "other",
        # One context for each query, wherever it stands.
        "queries": "moved",
        "queries, keys and values": "moved",
    }[moved]
