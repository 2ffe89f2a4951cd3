"""Soft and hard attention, the float64 reference, after Xu et al. (2015).

A "patch" is what the paper calls a location, and its features are the annotation vector.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from solutions.masked_softmax.in_numpy import softmax


def soft_context(features: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The expected patch, sum_i alpha_i a_i (Xu et al. 2015, eq. 13).

    features: (batch, num_patches, d); scores: (batch, num_patches).
    Returns context (batch, d) and weights (batch, num_patches).
    """
    weights = softmax(scores)
    parts = weights[:, :, None] * features
    return parts.sum(axis=1), weights


def draw(weights: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Sample one patch from each row of weights (Xu et al. 2015, eq. 8).

    weights: (batch, num_patches); u: (batch,), uniform in [0, 1). Returns (batch,), whole numbers.
    """
    below = np.cumsum(weights, axis=-1) < np.asarray(u)[:, None]
    index: np.ndarray = np.minimum(below.sum(axis=-1), weights.shape[-1] - 1)
    return index


def hard_context(features: np.ndarray, index: np.ndarray) -> np.ndarray:
    """The sampled patch alone, as the context (Xu et al. 2015, eq. 9).

    features: (batch, num_patches, d); index: (batch,). Returns (batch, d).
    """
    context: np.ndarray = features[np.arange(len(features)), index]
    return context


def reinforce_loss(
    scores: np.ndarray, index: np.ndarray, rewards: Sequence[float], baseline: float
) -> np.ndarray:
    """A loss whose gradient estimates that of minus the expected reward (Xu et al. 2015, eq. 11 and 12).

    scores: (batch, num_patches); index: (batch,), the patches that were sampled.
    rewards: one number for each; baseline: one number for all. Returns (batch,).
    """
    log_weights = np.log(softmax(scores))
    picked: np.ndarray = log_weights[np.arange(len(scores)), index]
    advantage = np.asarray(rewards) - baseline
    return -advantage * picked


def doubly_stochastic_penalty(weights: np.ndarray) -> np.ndarray:
    """The squared distances of the patches' sums from 1, added up (Xu et al. 2015, eq. 14).

    weights: (batch, num_steps, num_patches). Returns (batch,).
    """
    return ((1 - weights.sum(axis=1)) ** 2).sum(axis=-1)


def kind_of_attention(mechanism: str) -> str:
    """Whether backpropagation alone trains it ("soft"), or the choice needs an estimator ("hard").

    mechanism: "global", "local-m", "local-p", "weighted patches", "sampled patch" or "best patch".
    """
    choosing = ("sampled patch", "best patch")
    return "hard" if mechanism in choosing else "soft"


def expected_gradient(scores: np.ndarray, rewards: np.ndarray) -> np.ndarray:
    """The gradient of the expected reward sum_i alpha_i r_i with respect to the scores.

    scores, rewards: (..., num_patches), the reward that each patch would bring.
    Returns alpha_i (r_i - sum_j alpha_j r_j), of the same shape.
    """
    weights = softmax(scores)
    centred = rewards - (weights * rewards).sum(axis=-1, keepdims=True)
    gradient: np.ndarray = weights * centred
    return gradient


def all_estimates(scores: np.ndarray, rewards: np.ndarray, baseline: float) -> np.ndarray:
    """REINFORCE's estimate of that gradient for every patch that could be sampled.

    scores, rewards: (num_patches,). Returns (num_patches, num_patches), one estimate in each row.
    """
    estimates: np.ndarray = (rewards - baseline)[:, None] * (np.eye(len(scores)) - softmax(scores))
    return estimates


def variance(scores: np.ndarray, rewards: np.ndarray, baseline: float) -> float:
    """The exact variance of that estimate, summed over the scores: every patch is enumerated.

    scores, rewards: (num_patches,).
    """
    estimates = all_estimates(scores, rewards, baseline)
    mean = expected_gradient(scores, rewards)
    return float(softmax(scores) @ ((estimates - mean) ** 2).sum(axis=-1))


def reader(patches: np.ndarray, weights: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Features and scores of patches, as `Reader` in the frameworks computes them.

    patches: (batch, num_patches, pixels); weights: the reader's parameters by name.
    Returns features (batch, num_patches, units) and scores (batch, num_patches).
    """
    features = np.maximum(patches @ weights["feature.weight"].T + weights["feature.bias"], 0)
    hidden = np.tanh(features @ weights["W_a.weight"].T + weights["W_a.bias"])
    return features, (hidden @ weights["v_a.weight"].T)[..., 0]


def log_probabilities(context: np.ndarray, weights: Mapping[str, np.ndarray]) -> np.ndarray:
    """The logarithm of the reader's probability of each class, from a context.

    context: (..., units); weights: the reader's parameters by name. Returns (..., classes).
    """
    log_p: np.ndarray = np.log(softmax(context @ weights["out.weight"].T + weights["out.bias"]))
    return log_p
