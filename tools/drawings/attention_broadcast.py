"""Broadcasting: a column and a row, each repeated until they fit, give the differences of all pairs."""

import numpy as np

from tools.drawings.kit import Drawing, number

PLACES, STATIONS = np.array([2.0, 0.0]), np.array([0.0, 1.0, 3.0])  # the queries and keys of the chapter
LEFTS, TOP, CELL = (30, 266, 502), 96, 60


def draw() -> Drawing:
    """Draw the places asked about as a column, the stations as a row, and how far they are apart."""
    column, row = PLACES[:, None], STATIONS[None]
    gaps = column - row
    differences = "; ".join(map(_list, gaps))
    svg = Drawing(
        "Broadcasting: a column and a row are each repeated until they fit, which gives the differences of all pairs",
        f"On the left the queries {_list(PLACES)} as a column of shape (2, 1), repeated to the right; in the middle the "
        f"keys {_list(STATIONS)} as a row of shape (1, 3), repeated downwards. On the right their differences, of shape "
        f"(2, 3): {differences}.",
        height=TOP + 2 * CELL + 70,
    )
    heads = (("queries", "query", column), ("keys", "key", row), ("all pairs", "weight", gaps))
    for left, (head, role, array) in zip(LEFTS, heads, strict=True):
        svg.text(left, 24, head, role, "start", "strong")
        svg.text(left, 56, f"({array.shape[0]}, {array.shape[1]})", "mute", "start", "small")
        original = np.pad(
            np.ones(array.shape, dtype=bool),
            [(0, whole - size) for whole, size in zip(gaps.shape, array.shape, strict=True)],
        )
        svg.cells(left, TOP, np.broadcast_to(array, gaps.shape), role, CELL, CELL, where=original)
    svg.text((LEFTS[0] + 3 * CELL + LEFTS[1]) / 2, TOP + CELL, "−", kind="strong", size=34)
    svg.text((LEFTS[1] + 3 * CELL + LEFTS[2]) / 2, TOP + CELL, "=", kind="strong", size=34)
    svg.text(
        LEFTS[0], TOP + 2 * CELL + 38, "dashed: repeated, without being stored", "mute", "start", "small"
    )
    return svg


def _list(numbers: np.ndarray) -> str:
    return ", ".join(number(float(n)) for n in numbers)
