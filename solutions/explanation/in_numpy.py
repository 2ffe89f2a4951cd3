"""What the attention of a classifier explains, the float64 reference.

The verdict of a classifier that attends is Σ α_t (v · h_t + b): a sum over the steps of a review, in which
step t has the weight α_t and the vote v · h_t + b.
"""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax_or_zero


def leave_one_out(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    """The verdict less the verdict without a step, for each step.

    scores, votes: (batch, num_steps); valid_length: (batch,), each at least 1.
    Without a step the other weights sum to 1, so they are computed anew; without any step
    the verdict is 0. Returns importance (batch, num_steps), 0 for padding.
    Jain and Wallace (2019), section 4.1, call the size of this difference leave-one-out.
    """
    num_steps = scores.shape[1]
    mask = np.arange(num_steps) < valid_length[:, None]
    verdict = (masked_softmax_or_zero(scores[:, None], valid_length)[:, 0] * votes).sum(axis=1)
    importance = np.zeros(scores.shape)
    for step in range(num_steps):
        others = mask & (np.arange(num_steps) != step)
        filled = np.where(others, scores, -np.inf)
        highest = filled.max(axis=1, keepdims=True)
        exps = np.exp(filled - np.where(np.isfinite(highest), highest, 0))
        total = exps.sum(axis=1)
        without = (exps * votes).sum(axis=1) / np.where(total > 0, total, 1)
        importance[:, step] = (verdict - without) * mask[:, step]
    return importance


def change_when_permuted(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    """How far the probability of praise moves when the weights are permuted, on average.

    weights, votes: (batch, num_steps).
    orders: (num_orders, batch, num_steps): in order k, step t of review b takes the weight of step
        orders[k, b, t].
    Returns (batch,). Jain and Wallace (2019), algorithm 2, take the median over the orders of the
    same distance: the total variation of two probabilities of praise is their difference.
    """
    permuted = np.take_along_axis(weights[None], orders, axis=2)
    before = _sigmoid((weights * votes).sum(axis=-1))
    after = _sigmoid((permuted * votes).sum(axis=-1))
    return np.asarray(np.abs(after - before).mean(axis=0))


def _sigmoid(logits: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-logits)))
