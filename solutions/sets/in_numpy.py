"""Attention between any two sets: the float64 reference.

Lee et al. (2019), "Set Transformer"; Brody et al. (2022), "How Attentive are Graph Attention Networks?"; Ramsauer et
al. (2021), "Hopfield Networks is All You Need".
"""

from math import log, sqrt

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax, softmax
from solutions.sets.common import order_proof_line as order_proof_line
from solutions.sets.common import point_scores as point_scores


def induced_attention(X: np.ndarray, points: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    """A set attends to itself by way of a few learned points: they attend to the set, then the set to their contexts.

    X: (batch, num_tokens, d); points: (num_points, d), the same for each batch element; valid_length: (batch,), each
    at least 1. Returns (batch, num_tokens, d). Lee et al. (2019): induced set attention, without heads, projections,
    norms, feed-forward layers and sums with what comes in.
    """
    batch, _, d = X.shape
    queries = points[None].repeat(batch, axis=0)
    # The points attend to the set.
    to_set = queries @ X.swapaxes(1, 2)
    scores = to_set / sqrt(d)
    gathered = masked_softmax(scores, valid_length)
    latents = gathered @ X
    # The set attends to what they have gathered.
    to_latents = X @ latents.swapaxes(1, 2)
    returned = softmax(to_latents / sqrt(d))
    return returned @ latents


def graph_attention(
    X: np.ndarray, edges: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, w_v: np.ndarray
) -> np.ndarray:
    """Each node attends to its neighbours; the nonlinearity stands between the sum of both parts and w_v.

    X: (batch, num_nodes, d); edges: (batch, num_nodes, num_nodes), 1 where the node of a row attends to that of a
    column, else 0, with at least one 1 in each row; W_q, W_k: (units, d); w_v: (1, units).
    Returns (batch, num_nodes, units). Brody et al. (2022), GATv2, with a matrix each for query and key.
    """
    queries = X @ W_q.T
    keys = X @ W_k.T
    # (batch, num_nodes, num_nodes, units)
    pairs = queries[:, :, None] + keys[:, None]
    features = np.maximum(pairs, 0.2 * pairs)
    scores = (features @ w_v.T)[..., 0]
    hidden = np.where(edges == 0, -np.inf, scores)
    return softmax(hidden) @ keys


def hopfield_step(states: np.ndarray, patterns: np.ndarray, beta: float) -> tuple[np.ndarray, np.ndarray]:
    """One update of a modern Hopfield network, and the energy of the states before it.

    states: (batch, d); patterns: (num_patterns, d), the store; beta: above 0.
    Returns new states (batch, d) and energies (batch,), of which none is below 0. Ramsauer et al. (2021).
    """
    scores = beta * (states @ patterns.T)
    largest = scores.max(axis=-1, keepdims=True)
    total = np.exp(scores - largest).sum(axis=-1)
    log_sum = (np.log(total) + largest[:, 0]) / beta
    longest = (patterns**2).sum(axis=-1).max()
    spread = log(len(patterns)) / beta
    squares = (states**2).sum(axis=-1)
    energies = squares / 2 - log_sum + spread + longest / 2
    return softmax(scores) @ patterns, energies
