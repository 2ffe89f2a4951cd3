"""What may stand in place of the softmax, the float64 reference.

Martins and Astudillo (2016), "From Softmax to Sparsemax", algorithm 1; Peters et al. (2019), "Sparse
Sequence-to-Sequence Models"; Jang et al. (2017), "Categorical Reparameterization with Gumbel-Softmax";
Bengio et al. (2013) for the straight-through estimator.
"""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax, softmax
from solutions.normalisers.common import gap_to_zero as gap_to_zero
from solutions.normalisers.common import gumbel_proof_step as gumbel_proof_step


def sparsemax(scores: np.ndarray) -> np.ndarray:
    """Scores moved down by one number for each row and cut at zero, such that each row sums to one.

    scores: any shape; the keys are the last axis. Returns weights of that shape.
    """
    ordered = -np.sort(-scores, axis=-1)
    rank = np.arange(1, scores.shape[-1] + 1)
    thresholds = (np.cumsum(ordered, axis=-1) - 1) / rank
    support = (ordered > thresholds).sum(axis=-1, keepdims=True)
    threshold = np.take_along_axis(thresholds, support - 1, axis=-1)
    return np.maximum(scores - threshold, 0)


def entmax(scores: np.ndarray, alpha: float = 1.5, halvings: int = 50) -> np.ndarray:
    """alpha-entmax by bisection: 1 < alpha, where 2 is sparsemax and 1 would be the softmax.

    scores: any shape; the keys are the last axis. Returns weights of that shape.
    """
    scaled = (alpha - 1) * scores
    low = scaled.max(axis=-1, keepdims=True) - 1
    high = low + 1
    for _ in range(halvings):
        middle = (low + high) / 2
        enough = (np.maximum(scaled - middle, 0) ** (1 / (alpha - 1))).sum(axis=-1, keepdims=True) >= 1
        low, high = np.where(enough, middle, low), np.where(enough, high, middle)
    raised = np.maximum(scaled - low, 0) ** (1 / (alpha - 1))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def straight_through(scores: np.ndarray, noise: np.ndarray, temperature: float) -> np.ndarray:
    """A one-hot vector of the largest score with noise; its gradient is that of `relaxed`.

    scores, noise: (batch, num_queries, num_keys). temperature: above 0; the values do not depend on it.
    Returns (batch, num_queries, num_keys).
    """
    noisy = (scores + noise) / temperature
    best = noisy.argmax(axis=-1)
    hard = np.eye(scores.shape[-1])[best]
    return hard


def relaxed(scores: np.ndarray, noise: np.ndarray, temperature: float) -> np.ndarray:
    """The softmax of scores with noise, divided by the temperature: what stands in for the choice.

    scores, noise, result: (batch, num_queries, num_keys). temperature: above 0.
    """
    return softmax((scores + noise) / temperature)


def softmax_with_zero(scores: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    """exp(score) / (1 + the sum of exp over the valid keys): a row may sum to less than one.

    scores: (batch, num_queries, num_keys). valid_length: (batch,), 0 allowed.
    Returns weights of the scores' shape.
    """
    zero = np.zeros_like(scores[:, :, :1])
    # The zero stands before the keys and always counts.
    longer = np.concatenate((zero, scores), axis=-1)
    weights = masked_softmax(longer, valid_length + 1)
    return weights[:, :, 1:]
