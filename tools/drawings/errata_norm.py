"""The root of d: the norm of the vector of ones, the standard deviation of a dot product, and what a dot product of ones is."""

import numpy as np

from tools.drawings.kit import Drawing, number

SIZES = (4, 16, 64)
TOP, STEP, HIGH = 54, 104, 26
LEFT, UNIT = 330, 5.0


def draw() -> Drawing:
    """Draw three bars for each d, two of them of one length."""
    svg = Drawing(
        "The norm of the ones is √d, as the deviation of a dot product is; the dot product of the ones is d",
        f"Three bars for each d. {_words()} The first two are √d, and the third is d: the norm has the right number, "
        "but it is not the size of a dot product.",
        height=TOP + len(SIZES) * STEP - 14,
    )
    svg.text(6, 18, "1 is the vector of d ones", "mute", "start", "small")
    for i, d in enumerate(SIZES):
        y = TOP + i * STEP
        svg.text(6, y + HIGH * 1.5, f"d = {d}", anchor="start", kind="strong")
        rows = zip(
            ("norm of 1", "deviation of q·k", "1·1"), ("mute", "ink", "context"), _numbers(d), strict=True
        )
        for j, (name, role, value) in enumerate(rows):
            middle = y + (j + 0.5) * HIGH
            svg.text(LEFT - 14, middle, name, role, "end", "small")
            svg.bar(LEFT, middle - 9, value * UNIT, 18, role)
            svg.text(LEFT + value * UNIT + 10, middle, number(value), role, "start", "small")
    return svg


def _numbers(d: int) -> tuple[float, float, float]:
    """Return the norm of d ones, the deviation of a dot product of unit variance, and the product of the ones."""
    ones = np.ones(d)
    return float(np.linalg.norm(ones)), float(np.sqrt(d * 1.0)), float(ones @ ones)


def _words() -> str:
    rows = ((d, [number(v) for v in _numbers(d)]) for d in SIZES)
    return " ".join(
        f"For d = {d}: the norm of d ones is {norm}, the standard deviation of a dot product of independent numbers of "
        f"variance 1 is {deviation}, the dot product of the ones with themselves is {product}."
        for d, (norm, deviation, product) in rows
    )
