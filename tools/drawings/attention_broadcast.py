"""Broadcasting: a column and a row, each repeated until they fit, give the differences of all pairs."""

import numpy as np

from tools.drawings.kit import Drawing, number

NUMBERS = np.arange(3.0)  # the first row of the chapter's array
LEFTS, TOP, CELL = (30, 266, 502), 96, 60


def draw() -> Drawing:
    """Draw the chapter's three numbers as a column, as a row, and what they give."""
    column, row = NUMBERS[:, None], NUMBERS[None]
    gaps = column - row
    differences = "; ".join(", ".join(number(float(g)) for g in line) for line in gaps)
    svg = Drawing(
        "Broadcasting: a column and a row are each repeated until they fit, which gives the differences of all pairs",
        f"On the left a column of shape (3, 1) with the numbers {', '.join(number(float(n)) for n in NUMBERS)}, repeated "
        "to the right; in the middle a row of shape (1, 3) with the same numbers, repeated downwards. On the right "
        f"their difference, of shape (3, 3): {differences}.",
        height=346,
    )
    heads = (("column", "query", column), ("row", "key", row), ("all pairs", "weight", gaps))
    for left, (head, role, array) in zip(LEFTS, heads, strict=True):
        svg.text(left, 24, head, role, "start", "strong")
        svg.text(left, 56, f"({array.shape[0]}, {array.shape[1]})", "mute", "start", "small")
        original = np.pad(np.ones(array.shape, dtype=bool), [(0, 3 - size) for size in array.shape])
        svg.cells(left, TOP, np.broadcast_to(array, gaps.shape), role, CELL, CELL, where=original)
    svg.text((LEFTS[0] + 3 * CELL + LEFTS[1]) / 2, TOP + 1.5 * CELL, "−", kind="strong", size=34)
    svg.text((LEFTS[1] + 3 * CELL + LEFTS[2]) / 2, TOP + 1.5 * CELL, "=", kind="strong", size=34)
    svg.text(
        LEFTS[0], TOP + 3 * CELL + 38, "dashed: repeated, without being stored", "mute", "start", "small"
    )
    return svg
