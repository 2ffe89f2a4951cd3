"""Sentiment with attention, the float64 reference.

A classifier that attends is a weighted vote: with weights α over the states h of a review, the
verdict v · Σ α_t h_t + b equals Σ α_t (v · h_t + b), since the weights sum to one. The number in the
parentheses is the vote of step t.
"""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax_or_zero


def pool_over_time(states: np.ndarray, valid_length: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three ways to make one vector of a sequence without attention.

    states: (batch, num_steps, features).
    valid_length: (batch,), each at least 1.
    Returns the mean, the maximum and the last of the states that count, each (batch, features).
    The mean is equation 2 of Raffel and Ellis (2015).
    """
    mask = np.arange(states.shape[1])[:, None] < valid_length[:, None, None]
    mean = (states * mask).sum(axis=1) / valid_length[:, None]
    maximum = np.where(mask, states, -np.inf).max(axis=1)
    last = states[np.arange(len(states)), valid_length - 1]
    return mean, maximum, last


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
