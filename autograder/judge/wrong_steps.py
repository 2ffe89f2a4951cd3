"""Wrong ways to do a step that many references have: weights from scores, with a mask or without.

An edit puts one of them in the place of the right step, so they are plain functions on NumPy arrays.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray
# What stands for minus infinity where a whole row or column may be masked.
LOW = -1e6


def _mask(X: Array, lengths: Any) -> Array:
    """True where an entry of X (batch, rows, columns) counts: columns below the length of its row."""
    if lengths is None:
        return np.ones(X.shape, dtype=bool)
    lengths = np.asarray(lengths)
    if lengths.ndim == 1:
        lengths = lengths[:, None]
    return np.broadcast_to(np.arange(X.shape[-1]) < lengths[:, :, None], X.shape)


def _softmax(X: Array, axis: int = -1) -> Array:
    X = np.where(np.isneginf(X), LOW, X)
    exps = np.exp(X - X.max(axis=axis, keepdims=True))
    return np.asarray(exps / exps.sum(axis=axis, keepdims=True))


def _filled(X: Array, lengths: Any) -> Array:
    return np.where(_mask(X, lengths), X, LOW)


def over_axis_1(X: Array, lengths: Any = None) -> Array:
    """A softmax over the rows."""
    return _softmax(_filled(X, lengths), axis=-2)


def over_the_batch(X: Array, lengths: Any = None) -> Array:
    """A softmax over the batch."""
    return _softmax(_filled(X, lengths), axis=0)


def over_everything(X: Array, lengths: Any = None) -> Array:
    """One softmax over all entries of a batch element."""
    flat = _filled(X, lengths).reshape(len(X), -1)
    return _softmax(flat).reshape(X.shape)


def late(X: Array, lengths: Any) -> Array:
    """A softmax, then the mask."""
    return _softmax(X) * _mask(X, lengths)


def late_shared(X: Array, lengths: Any) -> Array:
    """A softmax, then the mask, then a division by the sum."""
    weights = late(X, lengths)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def over_axis_1_late(X: Array, lengths: Any) -> Array:
    """A softmax over the rows, then the mask."""
    return _softmax(X, axis=-2) * _mask(X, lengths)


def zero_filled(X: Array, lengths: Any) -> Array:
    """A softmax in which masked scores are 0."""
    return _softmax(X * _mask(X, lengths))


def inverted(X: Array, lengths: Any) -> Array:
    """A softmax over what should be masked."""
    return _softmax(np.where(_mask(X, lengths), LOW, X)) if lengths is not None else _softmax(X)


def whole_rows(X: Array, lengths: Any) -> Array:
    """The mask is put on the rows, not on the columns."""
    if lengths is None or np.ndim(lengths) > 1:
        return _softmax(_filled(X, lengths))
    rows = np.arange(X.shape[-2])[:, None] < np.asarray(lengths)[:, None, None]
    return _softmax(np.where(rows, X, LOW))


def without_the_sum(X: Array, lengths: Any = None) -> Array:
    """The exponentials, not divided by their sum."""
    return np.exp(X) * _mask(X, lengths)


def over_the_sum_of_scores(X: Array, lengths: Any = None) -> Array:
    """The scores divided by their sum, without exponentials."""
    kept = np.where(np.isneginf(X), 0, X) * _mask(X, lengths)
    return np.asarray(kept / kept.sum(axis=-1, keepdims=True))


def sigmoid(X: Array, lengths: Any = None) -> Array:
    """A sigmoid of each score."""
    return np.asarray(1 / (1 + np.exp(-X)) * _mask(X, lengths))


def log_weights(X: Array, lengths: Any = None) -> Array:
    """The logarithm of the weights."""
    return np.log(_softmax(_filled(X, lengths)))


def hard(X: Array, lengths: Any = None) -> Array:
    """All weight on the largest score."""
    return np.eye(X.shape[-1])[_filled(X, lengths).argmax(axis=-1)]


def alike(X: Array, lengths: Any = None) -> Array:
    """The same weight for all that counts."""
    counted = ~np.isneginf(X) & _mask(X, lengths)
    return np.asarray(counted / counted.sum(axis=-1, keepdims=True))


def of_the_square_root(X: Array, lengths: Any = None) -> Array:
    """A softmax of scores that are divided by the square root of their number."""
    return _softmax(_filled(X / np.sqrt(X.shape[-1]), lengths))


def negative(X: Array, lengths: Any = None) -> Array:
    """A softmax of the scores with the other sign."""
    return _softmax(_filled(np.where(np.isneginf(X), X, -X), lengths))


def twice(X: Array, lengths: Any = None) -> Array:
    """A softmax of the weights."""
    counted = ~np.isneginf(X) & _mask(X, lengths)
    return _softmax(np.where(counted, _softmax(_filled(X, lengths)), LOW))


def twice_unmasked(X: Array, lengths: Any = None) -> Array:
    """A second softmax, of the weights, without the mask."""
    return _softmax(_softmax(_filled(X, lengths)))


# What is said of each, for steps from scores to weights; those that need lengths stand apart.
WEIGHTS: dict[Callable[..., Array], str] = {
    over_axis_1: "the softmax is taken over axis 1 and not over the last one",
    over_the_batch: "the softmax is taken over the batch and not over the last axis",
    over_everything: "one softmax is taken over the last two axes together",
    without_the_sum: "the exponentials are not divided by their sum",
    over_the_sum_of_scores: "the scores are divided by their sum, without exponentials",
    sigmoid: "a sigmoid of each score stands in place of the softmax",
    log_weights: "a logarithm follows the softmax",
    hard: "all weight goes to the largest score",
    alike: "all entries that count get the same weight, whatever their scores",
    of_the_square_root: "the scores are divided by the square root of their number before the softmax",
    negative: "the scores have the other sign before the softmax",
    twice: "the softmax is taken twice",
    twice_unmasked: "the softmax is taken twice, the second time without the mask",
}
MASKED: dict[Callable[..., Array], str] = {
    late: "the mask comes after the softmax",
    late_shared: "the mask comes after the softmax, and each row is then divided by its sum",
    over_axis_1_late: "the softmax is taken over axis 1 and the mask comes after it",
    zero_filled: "masked scores are set to 0 and not to minus infinity",
    inverted: "the mask is inverted",
    whole_rows: "the mask is put on the rows and not on the columns",
}
# Under which names edited functions find them.
NAMES = {f"_wrong_{step.__name__}": step for step in (*WEIGHTS, *MASKED)}
