"""What may stand in place of the softmax, in MXNet."""

from mxnet import nd

from solutions.masked_softmax.in_mxnet import masked_softmax
from solutions.normalisers.common import gap_to_zero as gap_to_zero
from solutions.normalisers.common import gumbel_proof_step as gumbel_proof_step


def sparsemax(scores):
    """Scores moved down and cut at 0; rows sum to 1.

    scores: (batch, num_queries, num_keys)
    """
    ordered = scores.sort(axis=-1, is_ascend=False)
    rank = nd.arange(1, scores.shape[-1] + 1)
    thresholds = (nd.cumsum(ordered, axis=2) - 1) / rank
    support = (ordered > thresholds).sum(axis=-1)
    threshold = thresholds.pick(support - 1, keepdims=True)
    return (scores - threshold).relu()


def straight_through(scores, noise, temperature):
    """One-hot of the largest sum; the softmax's gradient.

    scores: (batch, num_queries, num_keys)
    noise: the same shape
    temperature: a number above 0
    """
    noisy = (scores + noise) / temperature
    soft = noisy.softmax(axis=-1)
    best = noisy.argmax(axis=-1)
    hard = best.one_hot(scores.shape[-1])
    return (hard - soft).detach() + soft


def softmax_with_zero(scores, valid_length):
    """Softmax with one more score, which is always 0.

    scores: (batch, num_queries, num_keys)
    valid_length: (batch,), 0 allowed
    """
    zero = nd.zeros_like(scores[:, :, :1])
    # The zero stands before the keys and always counts.
    longer = nd.concat(zero, scores, dim=-1)
    weights = masked_softmax(longer, valid_length + 1)
    return weights[:, :, 1:]
