"""Soft and hard attention in PyTorch."""

import torch

from solutions.soft_hard.common import (
    kind_of_attention,  # noqa: F401
)


def soft_context(features, scores):
    """The mean of all patches, weighted.

    features: (batch, num_patches, d)
    scores: (batch, num_patches)
    """
    weights = scores.softmax(dim=-1)
    parts = weights.unsqueeze(-1) * features
    return parts.sum(dim=1), weights


def draw(weights, u):
    """Sample one patch from each row of weights.

    weights: (batch, num_patches)
    u: (batch,), uniform in [0, 1)
    """
    last = weights.shape[-1] - 1
    below = weights.cumsum(dim=1) < u.unsqueeze(-1)
    return below.sum(dim=-1).clamp(0, last)


def hard_context(features, index):
    """The sampled patch alone, as the context.

    features: (batch, num_patches, d)
    index: (batch,)
    """
    batch = torch.arange(len(index), device=index.device)
    return features[batch, index]


def reinforce_loss(scores, index, rewards, baseline):
    """A loss with REINFORCE's gradient.

    scores: (batch, num_patches)
    index: (batch,), the patches that were drawn
    rewards: a number for each, without a gradient
    baseline: a number for all
    """
    log_weights = scores.log_softmax(dim=-1)
    picked = log_weights.gather(1, index.unsqueeze(1))
    advantage = scores.new_tensor(rewards) - baseline
    return -advantage * picked.squeeze(1)


def doubly_stochastic_penalty(weights):
    """The squared distance of each patch's sum from 1.

    weights: (batch, num_steps, num_patches)
    """
    return ((1 - weights.sum(dim=1)) ** 2).sum(dim=-1)


class Reader(torch.nn.Module):
    """Features and scores of patches, and a classifier.

    patches: (batch, num_patches, pixels)
    """

    def __init__(self, pixels, units, hidden, classes):
        super().__init__()
        self.feature = torch.nn.Linear(pixels, units)
        self.W_a = torch.nn.Linear(units, hidden)
        self.v_a = torch.nn.Linear(hidden, 1, bias=False)
        self.out = torch.nn.Linear(units, classes)

    def forward(self, patches):
        features = self.feature(patches).relu()
        hidden = self.W_a(features).tanh()
        return features, self.v_a(hidden).squeeze(-1)


def load(module, weights):
    """Give a module its weights, by name.

    weights: NumPy arrays
    """
    found = {k: torch.tensor(v) for k, v in weights.items()}
    module.load_state_dict(found)
    return module


def read(reader, patches, hard):
    """Answers and weights as NumPy arrays.

    patches: (batch, num_patches, pixels), NumPy
    hard: only the patch with the largest weight
    """
    with torch.no_grad():
        features, scores = reader(torch.tensor(patches))
        context, weights = soft_context(features, scores)
        if hard:
            best = scores.argmax(dim=-1)
            context = hard_context(features, best)
        answers = reader.out(context).argmax(dim=-1)
    return answers.numpy(), weights.numpy()
