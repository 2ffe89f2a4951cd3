"""Frequencies for longer texts, in NumPy: no framework is needed."""

import numpy as np


def slowed(rates, s, longest, low, high):
    """Divide the rates of slow pairs by s.

    longest: tokens of a text before
    low, high: turns in it. With fewer than low a pair is
        slow, with more than high it stays as it is.
    """
    turns = longest * rates / (2 * np.pi)
    shares = np.clip((turns - low) / (high - low), 0, 1)
    return shares * rates + (1 - shares) * rates / s


def bases_of(rates):
    """The base of each pair that gives it its rate."""
    even = np.arange(0, 2 * len(rates), 2)
    exponents = -len(even) * 2 / np.maximum(even, 1)
    return rates**exponents
