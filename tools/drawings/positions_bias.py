"""A learned bias for each distance: a table, and the matrix that it becomes."""

import numpy as np

from solutions.positions.in_numpy import relative_bias
from tools.drawings.kit import Drawing, number

TABLE, TOKENS = np.array([[0.5, 3.0, 1.0, -1.0, -2.0]]), 5  # the chapter's
FILLED = -1  # the distance whose diagonal is filled
LEFT, CELL, TOP = 290, 68, 66


def draw() -> Drawing:
    """Draw the chapter's table of five numbers, and the biases of five tokens."""
    bias = relative_bias(np.zeros((1, 1, TOKENS, TOKENS)), TABLE)[0, 0]
    most = TABLE.shape[1] // 2
    svg = Drawing(
        "A table with a number for each distance, and the matrix of biases: each diagonal holds one number",
        f"On the left a table: for the distances −2, −1, 0, 1 and 2 the numbers "
        f"{', '.join(number(x) for x in TABLE[0])}. On the right the matrix for {TOKENS} queries and keys. Each "
        f"diagonal holds the number of its distance (that of −1 is filled); what is farther away than 2 has the number of the distance 2.",
        height=460,
    )
    svg.text(90, 22, "table", kind="strong")
    svg.text(LEFT + TOKENS * CELL / 2, 22, "keys", "key", kind="strong")
    for i, entry in enumerate(TABLE[0]):
        svg.text(62, TOP + (i + 0.5) * CELL, number(i - most), "mute", "end")
        kind = "shape" if i - most == FILLED else "empty"
        svg.box(80, TOP + i * CELL + 6, 90, CELL - 12, "ink", number(entry), kind=kind)
    svg.text(14, 436, "distance: key minus query", "mute", "start", "small")
    filled = np.eye(TOKENS, k=FILLED) > 0
    svg.cells(LEFT, TOP, bias, "ink", CELL, CELL, where=filled, otherwise=("ink", "empty", "ink"))
    svg.text(LEFT - 14, TOP + TOKENS * CELL / 2, "queries", "query", "end", "strong")
    return svg
