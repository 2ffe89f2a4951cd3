"""Feed-forward attention pooling, the float64 reference.

Raffel and Ellis (2015), "Feed-Forward Networks with Attention Can Solve Some Long-Term Memory
Problems", equation 1: e_t = a(h_t), α = softmax(e), c = Σ_t α_t h_t.
"""

import math

import numpy as np

from solutions.self_attention.in_numpy import softmax


def masked_weights(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Softmax over the steps that count; a row without any is zero.

    scores, mask: (batch, num_steps), the mask true where a step counts.
    Returns weights (batch, num_steps).
    """
    filled = np.where(mask, scores, -np.inf)
    highest = filled.max(axis=1, keepdims=True)
    exps = np.exp(filled - np.where(np.isfinite(highest), highest, 0))
    total = exps.sum(axis=1, keepdims=True)
    return np.asarray(exps / np.where(total > 0, total, 1))


def feed_forward_pooling(
    X: np.ndarray, mask: np.ndarray | None, features: int, score: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """One learned score for each step, the same at every position, and the weighted sum of the steps.

    X: (batch, num_steps, features).
    mask: None or (batch, num_steps), true where a step counts.
    score: the learned row, (1, features). It has no bias: a number added to every score cancels
        in the softmax.
    Returns context (batch, features) and weights (batch, num_steps); both are zero for a sequence
    without valid steps. Raffel and Ellis (2015), equation 1.
    """
    scores = (X @ score.T).squeeze(axis=-1)
    if mask is None:
        mask = np.ones_like(scores, dtype=bool)
    low = np.finfo(X.dtype).min
    filled = np.where(mask, scores, low)
    # A sequence without valid steps gets zero weights.
    weights = softmax(filled, axis=1) * mask
    context = (weights[..., None] * X).sum(axis=1)
    return context, weights


def guarded_pooling_weights(scores: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    """The weights of the pooling notes, corrected: exp(tanh(score)), masked, over a sum that is never zero.

    The pooling notes are "Attention Mechanism", after a Keras layer shared on Kaggle.

    scores, mask: (batch, num_steps), the mask true where a step counts.
    epsilon: what keeps the sum of a row without valid steps from being zero.
    Returns weights (batch, num_steps); such a row is zero.
    """
    a = np.exp(np.tanh(scores)) * mask
    return a / (a.sum(axis=1, keepdims=True) + epsilon)


def largest_pooling_weight(num_steps: int, bound: int) -> float:
    """The largest softmax weight that one of `num_steps` scores in [-bound, bound] can get.

    It is reached by one score at bound and all others at -bound.
    """
    ratio = math.exp(2 * bound)
    return ratio / (ratio + num_steps - 1)


def mean_pooling(X: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The unweighted mean of the steps that count: Raffel and Ellis (2015), equation 2.

    X: (batch, num_steps, features); mask: (batch, num_steps), at least one true in each row.
    Returns context (batch, features).
    """
    counts = mask.sum(axis=1, keepdims=True)
    return np.asarray((X * mask[..., None]).sum(axis=1) / counts)


def adding_problem(
    num_examples: int, lengths: tuple[int, int], seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sequences of (value, mark): the answer is the sum of the two values whose mark is 1.

    A miniature of the addition problem of Hochreiter and Schmidhuber (1997), as Raffel and Ellis
    (2015, section 2) use it; the two marks may stand anywhere.
    lengths: the shortest and the longest sequence; each is drawn in between and padded with zeros.
    Returns X (num_examples, longest, 2), mask (num_examples, longest), answers (num_examples, 1).
    """
    rng = np.random.default_rng(seed)
    shortest, longest = lengths
    drawn = rng.integers(shortest, longest + 1, num_examples)
    mask = np.arange(longest) < drawn[:, None]
    values = rng.uniform(size=mask.shape) * mask
    # The two highest of random numbers: two different steps, each as likely as any other.
    places = np.argsort(np.where(mask, rng.uniform(size=mask.shape), -1), axis=1)[:, -2:]
    marks = np.zeros(mask.shape)
    np.put_along_axis(marks, places, 1.0, axis=1)
    answers = (values * marks).sum(axis=1, keepdims=True)
    return np.stack([values, marks], axis=-1).astype(np.float32), mask, answers.astype(np.float32)
