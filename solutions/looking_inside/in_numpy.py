"""What a head attends to, and what a model does without it, the float64 reference.

Elhage et al. (2021), "A Mathematical Framework for Transformer Circuits": a layer's result is a sum over heads,
and an induction head attends to the token after an earlier occurrence. Michel et al. (2019), section 2.3: a
mask over heads.
"""

import numpy as np

from solutions.looking_inside.common import equal_weights_score as equal_weights_score
from solutions.looking_inside.common import scores_near_one as scores_near_one


def previous_token_score(weights: np.ndarray) -> np.ndarray:
    """The mean weight that each head gives to the token before.

    weights: (batch, num_heads, num_tokens, num_tokens), with at least two tokens.
    Returns (num_heads,). The first token of a sequence has none before it and does not count.
    Raises ValueError for a single token.
    """
    if weights.shape[2] < 2:
        raise ValueError("there must be at least two tokens: the first has none before it")
    before = np.diagonal(weights, -1, 2, 3)
    return before.mean(axis=(0, 2))


def induction_score(weights: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """The mean weight that each head gives to what came after earlier occurrences of the query's token.

    weights: (batch, num_heads, num_tokens, num_tokens); tokens: (batch, num_tokens), whole numbers, of which
    at least one occurs twice in its sequence.
    Returns (num_heads,): the sum over such keys, as the mean over the queries that have one.
    """
    same = tokens[:, :, None] == tokens[:, None]
    earlier = np.tril(same, -1)
    # One column on: the token after an occurrence
    after = np.zeros_like(earlier)
    after[:, :, 1:] = earlier[:, :, :-1]
    asking = after.max(axis=2)
    hits = weights * after[:, None]
    return hits.sum(axis=(0, 2, 3)) / asking.sum()


def remove_heads(contexts: np.ndarray, W_o: np.ndarray, kept: np.ndarray, instead: np.ndarray) -> np.ndarray:
    """The result of a layer with other contexts for the heads that are removed.

    contexts: (batch, num_heads, num_tokens, head_size); W_o: (num_hiddens, num_hiddens), with num_hiddens =
    num_heads * head_size, features of the result first; kept: (num_heads,), 1 or 0; instead: (num_heads,
    head_size), the context of a removed head at every token.
    Returns (batch, num_tokens, num_hiddens).
    """
    kept = kept.reshape((1, -1, 1, 1))
    instead = instead[None, :, None]
    left = kept * contexts + (1 - kept) * instead
    return joined(left) @ W_o.T


def joined(contexts: np.ndarray) -> np.ndarray:
    """The heads of each token side by side, (batch, num_tokens, num_heads * head_size)."""
    batch, _, num_tokens, _ = contexts.shape
    return np.swapaxes(contexts, 1, 2).reshape(batch, num_tokens, -1)
