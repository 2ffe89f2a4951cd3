"""What may stand in place of the softmax, in PyTorch."""

import torch

from solutions.masked_softmax.in_torch import masked_softmax
from solutions.normalisers.common import gap_to_zero as gap_to_zero
from solutions.normalisers.common import gumbel_proof_step as gumbel_proof_step


def sparsemax(scores):
    """Scores moved down and cut at 0; rows sum to 1.

    scores: (batch, num_queries, num_keys)
    """
    ordered = scores.sort(dim=-1, descending=True).values
    num_keys, device = scores.shape[-1], scores.device
    rank = torch.arange(1, num_keys + 1, device=device)
    thresholds = (ordered.cumsum(dim=-1) - 1) / rank
    support = (ordered > thresholds).sum(dim=-1)
    last = (support - 1).unsqueeze(-1)
    threshold = thresholds.gather(-1, last)
    return (scores - threshold).relu()


def straight_through(scores, noise, temperature):
    """One-hot of the largest sum; the softmax's gradient.

    scores: (batch, num_queries, num_keys)
    noise: the same shape
    temperature: a number above 0
    """
    noisy = (scores + noise) / temperature
    soft = noisy.softmax(dim=-1)
    best = noisy.argmax(dim=-1)
    one_hot = torch.nn.functional.one_hot
    hard = one_hot(best, scores.shape[-1])
    return (hard - soft).detach() + soft


def softmax_with_zero(scores, valid_length):
    """Softmax with one more score, which is always 0.

    scores: (batch, num_queries, num_keys)
    valid_length: (batch,), 0 allowed
    """
    zero = torch.zeros_like(scores[:, :, :1])
    # The zero stands before the keys and always counts.
    longer = torch.cat((zero, scores), dim=-1)
    weights = masked_softmax(longer, valid_length + 1)
    return weights[:, :, 1:]
