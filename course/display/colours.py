"""Colour scales: straight lines in OKLab, so that equal steps of a weight look equally large.

OKLab (Björn Ottosson, 2020) is computed here, since none of the pinned libraries has it: matplotlib
mixes colours in sRGB, where equal steps look unequal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from course.display.weights import Floats

# From linear RGB to the responses of the three cones, and from their cube roots to OKLab.
_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
INKS_MEET = 1.05**0.5 * 0.05**0.5 - 0.05  # the luminance on which black and white are equally legible


def _linear(colour: str) -> Floats:
    """Return the linear red, green and blue of '#rrggbb'."""
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.asarray(np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4))


def _oklab(colour: str) -> Floats:
    return np.asarray(_TO_LAB @ np.cbrt(_TO_LMS @ _linear(colour)))


@dataclass(frozen=True)
class Scale:
    """A colour scale from -1 (`low`) over 0 (`zero`) to 1 (`high`)."""

    low: str
    zero: str
    high: str

    def linear(self, positions: Floats) -> Floats:
        """Return linear RGB, shape (*positions.shape, 3), of positions in -1..1."""
        t = positions[..., None]
        low, zero, high = map(_oklab, (self.low, self.zero, self.high))
        lab = zero + np.maximum(t, 0) * (high - zero) + np.maximum(-t, 0) * (low - zero)
        return np.asarray(np.clip((lab @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_LMS).T, 0, 1))

    def rgb(self, positions: Floats) -> Floats:
        """Return sRGB in 0..1, shape (*positions.shape, 3), of positions in -1..1."""
        linear = self.linear(positions)
        return np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)

    def luminance(self, positions: Floats) -> Floats:
        """Return the relative luminance (WCAG) of positions in -1..1."""
        return np.asarray(self.linear(positions) @ _LUMINANCE)

    def turn(self, sign: int) -> float:
        """Return how far from zero, towards `sign`, the ink changes between black and white."""
        distances = np.linspace(0, 1, 4001)
        return float(distances[np.argmin(abs(self.luminance(sign * distances) - INKS_MEET))])


# High is the green that weights have in the whole book (`--weight` in _static/palette.css): no framework and no other
# role has it. Low, in maps of scores, differs from it in lightness too; outlines have the colour of the text.
LIGHT = Scale(low="#a8380a", zero="#f1f4f8", high="#1a6200")
DARK = Scale(low="#ffb38a", zero="#262d36", high="#8bd47b")
