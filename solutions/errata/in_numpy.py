"""What the sources get wrong, made right: the float64 reference.

The formula of self-attention is Vaswani et al. 2017, equation 1, in the notation
of the Keras notebook ("Attention mechanism in keras").
"""

import math

import numpy as np

from solutions.attention.in_numpy import softmax

Letters = tuple[str, ...]
Answers = tuple[bool, ...]


def mended_attention(embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> np.ndarray:
    """Self-attention with the scale where it belongs.

    embeddings: (batch, num_words, D).
    W_q, W_k: (d_k, D); W_v: (d_v, D).
    Returns the context (batch, num_words, d_v): softmax(Q Kᵀ / √d_k) V.
    """
    queries = embeddings @ W_q.T
    keys = embeddings @ W_k.T
    values = embeddings @ W_v.T
    scores = queries @ keys.swapaxes(1, 2)
    scores = scores / math.sqrt(keys.shape[-1])
    return softmax(scores) @ values


def wrong_lines(questions: Letters) -> Letters:
    """Which of three lines is wrong, "a", "b", "c" or "none", for each question by its name."""
    answers = {
        "normaliser": "b",
        "shift": "c",
        "bias": "a",
        "scale": "b",
        "mask": "b",
        "order": "c",
        "base": "none",
    }
    return tuple(answers[name] for name in questions)


def claims_that_hold(claims: Letters) -> Answers:
    """Whether each claim is true, by its name."""
    answers = {
        "twelve": False,
        "variance": True,
        "concat": True,
        "symmetric": False,
        "length": False,
        "window": False,
        "million": True,
        "bounded": True,
    }
    return tuple(answers[name] for name in claims)
