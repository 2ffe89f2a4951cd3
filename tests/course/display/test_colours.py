"""The colour scales: even steps of lightness, legible numbers."""

import numpy as np
import pytest

from course.display.colours import DARK, LIGHT, Scale


def contrasts(scale: Scale, positions: np.ndarray) -> np.ndarray:
    """The better of black and white ink, as WCAG counts it."""
    luminance = scale.luminance(positions)
    return np.maximum((luminance + 0.05) / 0.05, 1.05 / (luminance + 0.05))


@pytest.mark.parametrize("scale", [LIGHT, DARK])
def test_equal_steps_change_the_lightness_equally_and_keep_numbers_legible(scale):
    positions = np.linspace(0, 1, 101)
    for sign in (-1, 1):
        assert contrasts(scale, sign * positions).min() > 4.5
        steps = np.diff(np.cbrt(scale.luminance(sign * positions)))
        assert np.all(np.sign(steps) == np.sign(steps[0]))
        assert np.ptp(steps) < 0.5 * abs(steps).max()
