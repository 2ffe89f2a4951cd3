"""What the sources get wrong, made right: the float64 reference.

The formula of self-attention is Vaswani et al. 2017, equation 1, in the notation
of the Keras notebook ("Attention mechanism in keras").
"""

import numpy as np

Letters = tuple[str, ...]
Answers = tuple[bool, ...]


def mended_attention(embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> np.ndarray:
    """Self-attention with the scale where it belongs.

    embeddings: (batch, num_words, D).
    W_q, W_k: (d_k, D); W_v: (d_v, D).
    Returns the context (batch, num_words, d_v): softmax(Q Kᵀ / √d_k) V.
    """
    queries, keys, values = embeddings @ W_q.T, embeddings @ W_k.T, embeddings @ W_v.T
    scores = queries @ keys.swapaxes(1, 2) / np.sqrt(W_k.shape[0])
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True) @ values


WRONG_LINES = {
    "normaliser": "b",
    "shift": "c",
    "bias": "a",
    "scale": "b",
    "mask": "b",
    "order": "c",
    "base": "none",
}
CLAIMS = {
    "twelve": False,
    "variance": True,
    "concat": True,
    "symmetric": False,
    "length": False,
    "window": False,
    "million": True,
    "bounded": True,
}


def wrong_lines(questions: Letters) -> Letters:
    """Which of three lines is wrong, "a", "b", "c" or "none", for each question by its name."""
    return tuple(WRONG_LINES[question] for question in questions)


def claims_that_hold(claims: Letters) -> Answers:
    """Whether each claim is true, by its name."""
    return tuple(CLAIMS[claim] for claim in claims)
