"""Two results and two digits, paired in the order of the data and by the smallest sum of distances."""

import numpy as np

from tools.drawings.kit import Drawing

# In pixels of a canvas of 16 x 16: column and row
DIGITS = np.array([[12.0, 10.0], [4.0, 5.0]])
RESULTS = np.array([[6.0, 5.5], [11.0, 12.0]])
SIDE, TOP, LEFT = 256, 46, (64, 400)
UNIT = SIDE / 16


def draw() -> Drawing:
    """Draw two canvases with the same points and other arrows."""
    sums = [np.abs(RESULTS - DIGITS[order]).sum() for order in ([0, 1], [1, 0])]
    svg = Drawing(
        "The same two results and two digits, paired in the given order and by the smallest sum of distances",
        "Two canvases, each with two digits as squares and two results as dots. Left, result 1 is paired with digit 1, "
        f"which is far away, and result 2 with digit 2: the distances add up to {sums[0]:.0f} pixels. Right, each result is "
        f"paired with the digit beside it: {sums[1]:.0f} pixels.",
        height=358,
    )
    for left, order, total, name in zip(LEFT, ([0, 1], [1, 0]), sums, ("in order", "matched"), strict=True):
        svg.text(left + SIDE / 2, 22, name, kind="strong")
        svg.box(left, TOP, SIDE, SIDE, "mute", kind="empty")
        digits, results = ((points * UNIT + (left, TOP)).tolist() for points in (DIGITS, RESULTS))
        for i, (x, y) in enumerate(digits):
            svg.box(x - 4 * UNIT, y - 4 * UNIT, 8 * UNIT, 8 * UNIT, "key")
            svg.text(x - 3.3 * UNIT, y - 3.1 * UNIT, f"{i + 1}", "key", kind="strong")
        for i, (x, y) in enumerate(results):
            svg.arrow([(x, y), tuple(digits[order[i]])], "context", 3)
            svg.dot(x, y, "query", 10)
            svg.text(x - 20, y + 18, f"{i + 1}", "query", kind="strong")
        svg.text(left + SIDE / 2, TOP + SIDE + 28, f"distances: {total:.0f} pixels", "context", kind="small")
    return svg
