"""A location-based score: the row of the matrix is chosen by a key's position, and the key itself is not read."""

import numpy as np

from tools.drawings.kit import Drawing, number, vector

QUERY, W = np.array([2.0, 0.0]), np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 1.0], [0.5, 0.0]])
WORDS, SECOND = ("we", "see", "snow"), ("snow", "we", "see")
TOP, HIGH = 78, 58


def draw() -> Drawing:
    """Draw one query, four rows, and two sources of three words that get the same scores."""
    scores = W @ QUERY
    results = ", ".join(number(s) for s in scores[: len(WORDS)])
    svg = Drawing(
        "A location-based score belongs to a position: other words at the same positions get the same scores",
        f"The query {vector(QUERY)} is multiplied by a matrix that has a row for each position. The results are the "
        f"scores of the positions: {results}. Beside them stand two sources, “{' '.join(WORDS)}” and "
        f"“{' '.join(SECOND)}”: the words are others at each position, the scores are the same. The row beyond the end "
        f"of the source is left out.",
        height=TOP + 4 * HIGH + 8,
    )
    svg.text(70, 24, "query", "query", kind="strong")
    svg.text(250, 24, "W", kind="strong")
    svg.text(402, 24, "scores", "weight", kind="strong")
    svg.text(588, 24, "two sources", "key", kind="strong")
    svg.box(14, TOP + HIGH + 8, 112, 52, "query", vector(QUERY))
    for i, (row, score) in enumerate(zip(W, scores, strict=True)):
        high, inside = TOP + i * HIGH, i < len(WORDS)
        role, kind = ("ink", "shape") if inside else ("mute", "empty dashed")
        svg.bend(
            (126, TOP + HIGH + 34), (190, high), "query" if inside else "mute", 2, "" if inside else "dashed"
        )
        svg.box(190, high - 20, 120, 40, role, vector(row), kind=kind, text=role)
        if inside:
            svg.arrow([(310, high), (366, high)], "weight")
            svg.text(402, high, number(score), "weight", kind="strong")
            svg.box(470, high - 20, 108, 40, "key", WORDS[i])
            svg.box(600, high - 20, 108, 40, "key", SECOND[i], kind="empty")
        else:
            svg.text(402, high, "left out", "mute", kind="small")
    return svg
