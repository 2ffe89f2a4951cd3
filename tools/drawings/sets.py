"""Queries of one set, keys and values of another: which rows and columns the weights and the result have."""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax
from tools.drawings.kit import Drawing, share

SCORES = np.array([[1.4, 0.2, -0.6], [-0.8, 0.6, 1.2]])
MIDDLE, WIDE, HIGH, LEFT = 236, 62, 44, 236


def draw() -> Drawing:
    """Draw the queries at the left, the keys above, the weights where they meet; then values and the result."""
    weights = softmax(SCORES)
    rows = [[share(float(w)) for w in row] for row in weights]
    svg = Drawing(
        "Queries are made of one set, keys and values of another; the result has a row for each element of the first",
        "At the left two queries, made of the set X. Above three keys, made of the set Y. Where a row and a column meet "
        f"stands a weight: {'; '.join(', '.join(row) for row in rows)}. Times the three values, which are made of Y too, "
        "they give the result, with a row for each query.",
        height=336,
    )
    top = MIDDLE - HIGH
    svg.cells(28, top, [[""] * 4] * 2, "query", width=36, height=HIGH)
    svg.text(100, top - 24, "queries", "query", kind="strong")
    svg.text(100, top + 2 * HIGH + 24, "made of X", "mute", kind="small")
    svg.cells(LEFT, 24, [[""] * 3] * 4, "key", width=WIDE, height=27)
    svg.text(LEFT - 14, 78, "keys", "key", "end", "strong")
    svg.text(LEFT + 3 * WIDE + 14, 78, "made of Y", "mute", "start", "small")
    svg.arrow([(178, MIDDLE), (LEFT - 6, MIDDLE)], "query")
    for j in range(3):
        x = LEFT + (j + 0.5) * WIDE
        svg.arrow([(x, 134), (x, top - 6)], "key")
    svg.cells(LEFT, top, rows, "weight", width=WIDE, height=HIGH)
    svg.text(LEFT + 1.5 * WIDE, top + 2 * HIGH + 24, "weights", "weight", kind="strong")
    values = 482
    svg.text(452, MIDDLE, "·")
    svg.cells(values, MIDDLE - 1.5 * HIGH, [["", ""]] * 3, "value", width=36, height=HIGH)
    svg.text(values + 36, MIDDLE - 1.5 * HIGH - 24, "values", "value", kind="strong")
    svg.text(values + 36, MIDDLE + 1.5 * HIGH + 24, "made of Y", "mute", kind="small")
    svg.text(584, MIDDLE, "=")
    svg.cells(616, top, [["", ""]] * 2, "context", width=36, height=HIGH)
    svg.text(652, top - 24, "result", "context", kind="strong")
    svg.text(652, top + 2 * HIGH + 24, "a row for", "mute", kind="small")
    svg.text(652, top + 2 * HIGH + 46, "each of X", "mute", kind="small")
    return svg
