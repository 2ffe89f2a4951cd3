"""Gumbel noise: a random number is added to each score, and the largest sum is chosen."""

import numpy as np

from solutions.normalisers.in_numpy import relaxed, straight_through
from tools.drawings.kit import Drawing, number

ALPHA = np.array([4, 2, 1, 1]) / 8  # the chapter's four patches, and its third draw
DRAWS, DRAW, TEMPERATURE = 100_000, 2, 0.5
LEFT, STEP, CELL, HIGH = 220, 120, 104, 46


def draw() -> Drawing:
    """Draw the scores, the noise of one draw, their sums, the choice, and its soft form."""
    u = np.random.default_rng(0).random((DRAWS, 1, 4))[DRAW]
    scores, noise = np.log(ALPHA)[None, None], -np.log(-np.log(u))[None]
    rows = (
        ("scores", "query", scores),
        ("+ noise", "mute", noise),
        ("= sums", "ink", scores + noise),
        ("largest", "context", straight_through(scores, noise, TEMPERATURE)),
        (f"softmax, T = {TEMPERATURE}", "mute", relaxed(scores, noise, TEMPERATURE)),
    )
    svg = Drawing(
        "Noise is added to each score, and the largest sum is chosen; the softmax of the sums is its soft form",
        "A table with four columns, one for each patch. "
        + " ".join(f"{name}: {', '.join(number(x) for x in row[0, 0])}." for name, _, row in rows),
        height=330,
    )
    for i, (name, role, row) in enumerate(rows):
        high = 14 + i * 62
        svg.text(14, high + HIGH / 2, name, role, "start")
        for j, entry in enumerate(row[0, 0]):
            is_largest = i in (2, 3) and j == int(rows[3][2][0, 0].argmax())
            kind = "shape" if is_largest else "empty" if i < 4 else "empty dashed"
            svg.box(
                LEFT + j * STEP, high, CELL, HIGH, "context" if is_largest else role, number(entry), kind=kind
            )
    return svg
