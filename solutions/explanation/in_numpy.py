"""What the attention of a classifier explains, the float64 reference.

The verdict of a classifier that attends is Σ α_t (v · h_t + b): a sum over the steps of a review, in which
step t has the weight α_t and the vote v · h_t + b.
"""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax


def leave_one_out(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    """The verdict less the verdict without a step, for each step.

    scores, votes: (batch, num_steps); valid_length: (batch,), each at least 1.
    Without a step the other weights sum to 1, so they are computed anew; without any step
    the verdict is 0. Returns importance (batch, num_steps), 0 for padding.
    Jain and Wallace (2019), section 4.1, call the size of this difference leave-one-out.
    """
    num_steps = scores.shape[1]
    positions = np.arange(num_steps)
    mask = positions < valid_length[:, None]
    filled = np.where(mask, scores, -1e30)
    verdict = softmax(filled) * votes
    verdict = verdict.sum(axis=1)
    # Row t of a review is the review without step t.
    other_steps = ~np.eye(num_steps, dtype=bool)
    present = mask[:, None] & other_steps
    left = np.where(present, scores[:, None], -1e30)
    weights = softmax(left) * present
    without = weights * votes[:, None]
    without = without.sum(axis=-1)
    return (verdict[:, None] - without) * mask


def change_when_permuted(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    """How far the probability of praise moves when the weights are permuted, on average.

    weights, votes: (batch, num_steps).
    orders: (num_orders, batch, num_steps): in order k, step t of review b takes the weight of step
        orders[k, b, t].
    Returns (batch,). Jain and Wallace (2019), algorithm 2, take the median over the orders of the
    same distance: the total variation of two probabilities of praise is their difference.
    """
    permuted = np.take_along_axis(weights[None], orders, axis=2)
    before = sigmoid((weights * votes).sum(axis=1))
    after = sigmoid((permuted * votes).sum(axis=-1))
    return np.abs(after - before).mean(axis=0)


def sigmoid(logits: np.ndarray) -> np.ndarray:
    """The probability of praise for a verdict; any shape."""
    return 1 / (1 + np.exp(-logits))
