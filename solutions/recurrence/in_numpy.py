"""Attention as a recurrence: the float64 reference.

Sun et al. (2023), "Retentive Network"; Yang et al. (2023), "Gated Linear Attention Transformers with
Hardware-Efficient Training"; Dao and Gu (2024), "Transformers are SSMs"; Schlag et al. (2021), "Linear Transformers
Are Secretly Fast Weight Programmers"; Yang et al. (2024), "Parallelizing Linear Transformers with the Delta Rule
over Sequence Length"; Yang et al. (2025), "Gated Delta Networks".
"""

import numpy as np

from solutions.recurrence.common import numbers_held as numbers_held
from solutions.recurrence.common import value_after_writing as value_after_writing


def decayed_attention(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, decays: np.ndarray
) -> np.ndarray:
    """Causal linear attention whose state is multiplied by a decay at each token, as a masked matrix.

    queries, keys: (batch, num_tokens, d_k); values: (batch, num_tokens, d_v); decays: (batch, num_tokens), above 0
    and at most 1. Returns (batch, num_tokens, d_v). Dao and Gu (2024): structured masked attention.
    """
    sums = np.cumsum(np.log(decays), axis=1)
    gaps = sums[:, :, None] - sums[:, None]
    place = np.arange(sums.shape[1])
    later = place > place[:, None]
    gaps = np.where(later, -np.inf, gaps)
    scores = queries @ keys.swapaxes(1, 2)
    return scores * np.exp(gaps) @ values


def delta_rule(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, rates: np.ndarray, decays: np.ndarray
) -> np.ndarray:
    """The gated delta rule, token by token: with decays of 1 it is the delta rule.

    queries, keys: (batch, num_tokens, d_k); values: (batch, num_tokens, d_v); rates, decays: (batch, num_tokens).
    Returns (batch, num_tokens, d_v). Yang et al. (2025): gated delta rule.
    """
    batch, num_tokens, d_k = keys.shape
    S = np.zeros((batch, d_k, values.shape[2]))
    contexts = []
    for t in range(num_tokens):
        now = slice(t, t + 1)
        q = queries[:, now]
        k, v = keys[:, now], values[:, now]
        rate = rates[:, now, None]
        S = S * decays[:, now, None]
        # What the state gives for this key is too little.
        error = v - k @ S
        step = rate * error
        S = S + k.swapaxes(1, 2) @ step
        contexts.append(q @ S)
    return np.concatenate(contexts, axis=1)


def chunked(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, decays: np.ndarray, chunk: int
) -> np.ndarray:
    """Decayed attention in chunks: a masked matrix inside of each, a state between them.

    queries, keys: (batch, num_tokens, d_k); values: (batch, num_tokens, d_v); decays: (batch, num_tokens).
    chunk: how many tokens are read at a time; the last chunk may be shorter. Returns (batch, num_tokens, d_v).
    """
    batch, num_tokens, d_k = keys.shape
    S = np.zeros((batch, d_k, values.shape[2]))
    contexts = []
    for first in range(0, num_tokens, chunk):
        now = slice(first, first + chunk)
        q = queries[:, now]
        k, v = keys[:, now], values[:, now]
        inside = decayed_attention(q, k, v, decays[:, now])
        sums = np.cumsum(np.log(decays[:, now]), axis=1)
        sums = sums[:, :, None]
        end = sums[:, -1:]
        before = np.exp(sums) * (q @ S)
        contexts.append(inside + before)
        k = k * np.exp(end - sums)
        S = S * np.exp(end)
        S = S + k.swapaxes(1, 2) @ v
    return np.concatenate(contexts, axis=1)


def written_values(keys: np.ndarray, values: np.ndarray, rates: np.ndarray, decays: np.ndarray) -> np.ndarray:
    """What each token adds to an empty state by the gated delta rule, found by one triangular system.

    keys: (batch, num_tokens, d_k); values: (batch, num_tokens, d_v); rates, decays: (batch, num_tokens).
    Returns (batch, num_tokens, d_v). Yang et al. (2024); Yang et al. (2025).
    """
    batch, num_tokens, _ = keys.shape
    one = np.broadcast_to(np.eye(num_tokens), (batch, num_tokens, num_tokens))
    # With the identity as values: the weights of all pairs of keys
    pairs = np.tril(decayed_attention(keys, keys, one, decays), -1)
    rates = rates[:, :, None]
    return np.linalg.solve(one + rates * pairs, rates * values)


def chunked_delta(
    queries: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    rates: np.ndarray,
    decays: np.ndarray,
    chunk: int,
) -> np.ndarray:
    """The gated delta rule in chunks: decayed attention to what each token adds, found by a triangular system.

    Shapes as for `delta_rule`; chunk as for `chunked`. Yang et al. (2024); Yang et al. (2025).
    """
    batch, num_tokens, d_k = keys.shape
    S = np.zeros((batch, d_k, values.shape[2]))
    contexts = []
    for first in range(0, num_tokens, chunk):
        now = slice(first, first + chunk)
        q = queries[:, now]
        k, v = keys[:, now], values[:, now]
        rate, g = rates[:, now], decays[:, now]
        sums = np.cumsum(np.log(g), axis=1)[:, :, None]
        end = sums[:, -1:]
        old = np.exp(sums) * (k @ S)
        added = written_values(k, v - old, rate, g)
        inside = decayed_attention(q, k, added, g)
        before = np.exp(sums) * (q @ S)
        contexts.append(inside + before)
        k = k * np.exp(end - sums)
        S = S * np.exp(end)
        S = S + k.swapaxes(1, 2) @ added
    return np.concatenate(contexts, axis=1)
