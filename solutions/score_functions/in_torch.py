"""Score functions in PyTorch, behind one interface.

Every score(queries, keys) takes queries of the shape
(batch, num_queries, d) and keys (batch, num_keys, d), and
gives scores (batch, num_queries, num_keys).
"""

import math

import torch

from solutions.masked_softmax.in_torch import masked_softmax
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
    squares = (queries**2).sum(dim=-1, keepdim=True)
    queries = queries / squares.clamp(min=tiny).sqrt()
    squares = (keys**2).sum(dim=-1, keepdim=True)
    keys = keys / squares.clamp(min=tiny).sqrt()
    return torch.bmm(queries, keys.transpose(1, 2))


class ContentScore(torch.nn.Module):
    """beta cos(q, k), the key strength beta learned"""

    def __init__(self):
        super().__init__()
        self.beta = torch.nn.Parameter(torch.tensor([10.0]))

    def forward(self, queries, keys):
        """Scores (batch, num_queries, num_keys).

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d)
        """
        return self.beta * cosine_score(queries, keys)


class DotScore(torch.nn.Module):
    """q.k"""

    def forward(self, queries, keys):
        """Scores (batch, num_queries, num_keys).

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d)
        """
        return torch.bmm(queries, keys.transpose(1, 2))


class ScaledDotScore(torch.nn.Module):
    """q.k / sqrt(d)"""

    def forward(self, queries, keys):
        """Scores (batch, num_queries, num_keys).

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d)
        """
        dots = torch.bmm(queries, keys.transpose(1, 2))
        return dots / math.sqrt(queries.shape[-1])


class AdditiveScore(torch.nn.Module):
    """v.tanh(W_q q + W_k k), with a bias if asked for"""

    def __init__(self, d, units, bias=False):
        super().__init__()
        self.W_q = torch.nn.Linear(d, units, bias=False)
        self.W_k = torch.nn.Linear(d, units, bias=bias)
        self.v = torch.nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        """Scores (batch, num_queries, num_keys).

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d)
        """
        Q, K = self.W_q(queries), self.W_k(keys)
        # (batch, num_queries, num_keys, units)
        Q, K = Q.unsqueeze(2), K.unsqueeze(1)
        features = (Q + K).tanh()
        return self.v(features).squeeze(-1)


class LocationScore(torch.nn.Module):
    """Entry i of W q is the score of position i."""

    def __init__(self, d, longest):
        super().__init__()
        self.W = torch.nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        """Score positions from the query alone.

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d), num_keys <= longest
        """
        # A key counts by its position, not its content.
        return self.W(queries)[:, :, : keys.shape[1]]


class GeneralScore(torch.nn.Module):
    """q.W k, also called bilinear or multiplicative"""

    def __init__(self, d):
        super().__init__()
        self.W = torch.nn.Linear(d, d, bias=False)

    def forward(self, queries, keys):
        """Scores (batch, num_queries, num_keys).

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d)
        """
        # A layer multiplies by W from the left: W k.
        K = self.W(keys)
        return torch.bmm(queries, K.transpose(1, 2))


class LowRankScore(torch.nn.Module):
    """Uq.Vk: a bilinear form of rank `units`"""

    def __init__(self, d, units):
        super().__init__()
        self.U = torch.nn.Linear(d, units, bias=False)
        self.V = torch.nn.Linear(d, units, bias=False)

    def forward(self, queries, keys):
        """Scores (batch, num_queries, num_keys).

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d)
        """
        Q, K = self.U(queries), self.V(keys)
        return torch.bmm(Q, K.transpose(1, 2))


class SymmetricScore(torch.nn.Module):
    """Wq.D Wk: s(q, k) = s(k, q)."""

    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        """Scores (batch, num_queries, num_keys).

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d)
        """
        Q, K = self.W(queries), self.W(keys)
        Q = Q * self.D
        return torch.bmm(Q, K.transpose(1, 2))


class ReluScore(torch.nn.Module):
    """ReLU(Wq).D ReLU(Wk)"""

    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        """Scores of every query with every key.

        queries: (batch, num_queries, d)
        keys: (batch, num_keys, d)
        """
        Q, K = self.W(queries).relu(), self.W(keys).relu()
        # After the ReLU, so that D may be negative.
        Q = Q * self.D
        return torch.bmm(Q, K.transpose(1, 2))


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


class Attention(torch.nn.Module):
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
        return torch.bmm(self.weights, values)


def train(score, queries, keys, target):
    """Train a score to find keys: 150 steps of Adam.

    queries: (batch, 1, d)
    keys: (batch, num_keys, d)
    target: (batch,), the right key of each query
    """
    parameters = list(score.parameters())
    # Some scores have no parameters.
    if parameters:
        optimiser = torch.optim.Adam(parameters, 0.02)
        entropy = torch.nn.functional.cross_entropy
        for _ in range(150):
            optimiser.zero_grad()
            scores = score(queries, keys)[:, 0]
            loss = entropy(scores, target)
            loss.backward()
            optimiser.step()


def accuracy(score, queries, keys, target):
    """The share of queries whose target scores highest.

    Arguments as for train.
    """
    best = score(queries, keys)[:, 0].argmax(dim=-1)
    return (best == target).float().mean().item()
