"""A transpose turns keys into columns; a reshape only cuts the same numbers at other places."""

import numpy as np

from tools.drawings import dot_product
from tools.drawings.kit import Drawing, number

KEYS = np.array(dot_product.KEYS)
LEFT, CELL, HIGH = (20, 290, 530), 50, 44


def draw() -> Drawing:
    """Draw the chapter's three keys; the numbers of the first are filled."""
    turned, cut = KEYS.T, KEYS.reshape(4, 3)
    svg = Drawing(
        "Three keys as rows; in the transpose each is a column, in the reshape a column holds numbers of all three",
        f"On the left a matrix of three keys with four features, the first of them {_row(KEYS[0])}. In the middle "
        f"its transpose, whose first column is this key. On the right a reshape to the same four rows of three: its "
        f"first column is {_row(cut[:, 0])}, with numbers of all three keys.",
        height=260,
    )
    first = np.arange(KEYS.size).reshape(KEYS.shape) < KEYS.shape[1]
    parts = (("keys", KEYS, first), ("transpose", turned, first.T), ("reshape", cut, first.reshape(4, 3)))
    for x, (name, matrix, first_key) in zip(LEFT, parts, strict=True):
        svg.text(x + matrix.shape[1] * CELL / 2, 22, name, "key" if name == "keys" else "ink", kind="strong")
        svg.cells(x, 52, matrix, "key", CELL, HIGH, where=first_key, otherwise=("key", "empty", "ink"))
    svg.text(LEFT[0] + 100, 52 + 3 * HIGH + 24, "filled: key 1", "mute", kind="small")
    return svg


def _row(row: np.ndarray) -> str:
    return ", ".join(number(float(x)) for x in row)
