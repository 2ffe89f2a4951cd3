"""A key strength in front of the cosine: the larger it is, the more weight has the best key."""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax
from solutions.score_functions.in_numpy import cosine_score
from tools.drawings.kit import Drawing, share

QUERY, KEYS = np.array([[[2.0, 0]]]), np.array([[[1.0, 0], [3, 3], [0, 2]]])  # the chapter's
STRENGTHS, NAMES = (1, 5, 20), ("short", "long", "north")
LEFT, WIDE, STEP, UNIT, BASE = 24, 240, 66, 170, 240


def draw() -> Drawing:
    """Draw the weights of the chapter's three keys, for three strengths."""
    cosines = cosine_score(QUERY, KEYS)[0, 0]
    rows = {strength: softmax(strength * cosines) for strength in STRENGTHS}
    svg = Drawing(
        "Weights from cosines, times a key strength of 1, 5 and 20: flat, clear, and nearly all on the best key",
        "Three groups of three bars, the weights of the short key in the east, the long key in the north-east and "
        "the key in the north. "
        + " ".join(f"Strength {s}: {', '.join(share(w) for w in row)}." for s, row in rows.items()),
        height=310,
    )
    for i, (strength, weights) in enumerate(rows.items()):
        x = LEFT + i * WIDE
        svg.text(x + 1.5 * STEP, 22, f"strength {strength}", kind="strong")
        svg.bars(x, BASE, weights, UNIT, "weight", NAMES, STEP, digits=3)
    return svg
