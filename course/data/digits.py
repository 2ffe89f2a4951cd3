"""Handwritten digits on cluttered canvases, cut into patches.

The digits are scikit-learn's `load_digits`: 1797 real images of 8 x 8 pixels. Each is placed on a canvas
of 24 x 24 pixels, among fragments of other digits, so that exactly one of 25 patches holds all of it. So the
patch that attention must choose is known before any training.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]
CANVAS, PATCH, STRIDE = 24, 8, 4
PLACES = (CANVAS - PATCH) // STRIDE + 1  # in each direction
NUM_PATCHES = PLACES**2
FRAGMENT = 4  # pixels in each direction
TRAINING_DIGITS = 1400  # the other 397 are for testing only


@dataclass(frozen=True)
class Canvases:
    """Canvases with their digits and places.

    images: (n, 24, 24), ink from 0 to 1
    labels: (n,), the digit
    places: (n,), the patch that holds the digit, counted row by row
    """

    images: Floats
    labels: Integers
    places: Integers

    @property
    def patches(self) -> Floats:
        """Return (n, 25, 64), each patch with its pixels in one row."""
        return patches(self.images)


def canvases(count: int, seed: int, test: bool = False, fragments: int = 8) -> Canvases:
    """Draw `count` canvases; the same seed gives the same ones on every machine.

    test: take digits that no training canvas shows, neither whole nor in fragments.
    fragments: how many pieces of other digits lie around.
    Raises ValueError if `count` is below 1 or `fragments` below 0.
    """
    if count < 1 or fragments < 0:
        raise ValueError(f"count is {count} and fragments {fragments}: at least 1 and 0 are needed.")
    digits = load_digits()
    which = slice(TRAINING_DIGITS, None) if test else slice(TRAINING_DIGITS)
    ink, names = digits.images[which] / 16, digits.target[which]
    rng = np.random.default_rng(seed)
    indices = rng.integers(len(ink), size=count)
    places = rng.integers(NUM_PATCHES, size=count)
    images = np.zeros((count, CANVAS, CANVAS))
    for image, digit, place in zip(images, indices, places, strict=True):
        _scatter(image, ink, fragments, rng)
        top, left = STRIDE * (place // PLACES), STRIDE * (place % PLACES)
        image[top : top + PATCH, left : left + PATCH] = ink[digit]
    return Canvases(images.astype(np.float32), names[indices].astype(np.int64), places)


def _scatter(
    image: NDArray[np.float64], ink: NDArray[np.float64], count: int, rng: np.random.Generator
) -> None:
    """Put square fragments of digits anywhere on a canvas."""
    source = rng.integers(len(ink), size=count)
    corners = rng.integers(PATCH - FRAGMENT + 1, size=(count, 2))
    targets = rng.integers(CANVAS - FRAGMENT + 1, size=(count, 2))
    for digit, (row, column), (top, left) in zip(source, corners, targets, strict=True):
        piece = ink[digit, row : row + FRAGMENT, column : column + FRAGMENT]
        image[top : top + FRAGMENT, left : left + FRAGMENT] = piece


def patches(images: Floats) -> Floats:
    """Return overlapping patches of 8 x 8 pixels, 4 apart: (n, 24, 24) becomes (n, 25, 64), row by row."""
    pixels = STRIDE * np.arange(PLACES)[:, None] + np.arange(PATCH)  # of each place, in one direction
    cut = images[:, pixels[:, None, :, None], pixels[None, :, None, :]]
    return cut.reshape(len(images), NUM_PATCHES, PATCH * PATCH)


@dataclass(frozen=True)
class Pairs:
    """Canvases with two digits each, which do not overlap.

    images: (n, 16, 16), ink from 0 to 1
    labels: (n, 2), the digits
    centres: (n, 2, 2), the row and the column of each digit's middle, in pixels
    """

    images: Floats
    labels: Integers
    centres: Floats


def pairs(count: int, seed: int, test: bool = False) -> Pairs:
    """Draw `count` canvases of 16 x 16 pixels with two digits anywhere, in no order.

    test: take digits that no training canvas shows.
    Raises ValueError if `count` is below 1.
    """
    if count < 1:
        raise ValueError(f"count is {count}: at least 1 is needed.")
    digits = load_digits()
    which = slice(TRAINING_DIGITS, None) if test else slice(TRAINING_DIGITS)
    ink, names = digits.images[which] / 16, digits.target[which]
    rng = np.random.default_rng(seed)
    indices = rng.integers(len(ink), size=(count, 2))
    corners = rng.integers(PATCH + 1, size=(count, 2, 2))
    # Apart in one direction, rows or columns; in the other each lies anywhere.
    canvas, apart = np.arange(count), rng.integers(2, size=count)
    first = rng.integers(2, size=count)
    corners[canvas, first, apart], corners[canvas, 1 - first, apart] = 0, PATCH
    images = np.zeros((count, 2 * PATCH, 2 * PATCH))
    for image, pair, places in zip(images, indices, corners, strict=True):
        for digit, (top, left) in zip(pair, places, strict=True):
            image[top : top + PATCH, left : left + PATCH] = ink[digit]
    centres = (corners + PATCH / 2).astype(np.float32)
    return Pairs(images.astype(np.float32), names[indices].astype(np.int64), centres)
