"""What a head attends to, and what a model does without it, the float64 reference.

Elhage et al. (2021), "A Mathematical Framework for Transformer Circuits": a layer's result is a sum over heads,
and an induction head attends to the token after an earlier occurrence. Michel et al. (2019), section 2.3: a
mask over heads.
"""

import numpy as np


def previous_token_score(weights: np.ndarray) -> np.ndarray:
    """The mean weight that each head gives to the token before.

    weights: (batch, num_heads, num_tokens, num_tokens), with at least two tokens.
    Returns (num_heads,). The first token of a sequence has none before it and does not count.
    Raises ValueError for a single token.
    """
    if weights.shape[2] < 2:
        raise ValueError("there must be at least two tokens: the first has none before it")
    return np.asarray(np.diagonal(weights, -1, 2, 3).mean(axis=(0, 2)))


def induction_score(weights: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """The mean weight that each head gives to what came after earlier occurrences of the query's token.

    weights: (batch, num_heads, num_tokens, num_tokens); tokens: (batch, num_tokens), whole numbers, of which
    at least one occurs twice in its sequence.
    Returns (num_heads,): the sum over such keys, as the mean over the queries that have one.
    """
    after = behind(occurred(tokens))
    return np.asarray((weights * after[:, None]).sum(axis=(0, 2, 3)) / after.any(axis=2).sum())


def remove_heads(contexts: np.ndarray, W_o: np.ndarray, kept: np.ndarray, instead: np.ndarray) -> np.ndarray:
    """The result of a layer with other contexts for the heads that are removed.

    contexts: (batch, num_heads, num_tokens, head_size); W_o: (num_hiddens, num_hiddens), with num_hiddens =
    num_heads * head_size, features of the result first; kept: (num_heads,), 1 or 0; instead: (num_heads,
    head_size), the context of a removed head at every token.
    Returns (batch, num_tokens, num_hiddens).
    """
    left = np.where(kept[:, None, None] == 1, contexts, instead[:, None])
    return joined(left) @ W_o.T


def occurred(tokens: np.ndarray) -> np.ndarray:
    """Whether an earlier place (column) has the token of a place (row), (batch, num_tokens, num_tokens)."""
    return np.tril(tokens[:, :, None] == tokens[:, None, :], -1)


def behind(places: np.ndarray) -> np.ndarray:
    """Each mark one column further to the right."""
    moved = np.zeros_like(places)
    moved[..., 1:] = places[..., :-1]
    return moved


def joined(contexts: np.ndarray) -> np.ndarray:
    """The heads of each token side by side, (batch, num_tokens, num_heads * head_size)."""
    batch, _, num_tokens, _ = contexts.shape
    return np.swapaxes(contexts, 1, 2).reshape(batch, num_tokens, -1)
