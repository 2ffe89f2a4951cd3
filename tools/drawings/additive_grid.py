"""Every query meets every key: one entry of the grid for each pair."""

import numpy as np

from tools.drawings.kit import Drawing, number, vector

W_Q, W_K, W_V = np.array([[-2, 1], [-2, -1]]), np.array([[2], [2]]), np.array([3, -3])  # the chapter's
QUERIES, KEYS = np.array([[0, 1], [1, 1], [2, 1]]), np.array([[0], [1], [2], [3]])
LEFT, TOP, CELL, HIGH = 230, 110, 118, 64


def draw() -> Drawing:
    """Draw the chapter's three queries and four keys, their terms, and the scores."""
    from_query, from_key = QUERIES @ W_Q.T, KEYS @ W_K.T
    scores = np.tanh(from_query[:, None] + from_key) @ W_V
    svg = Drawing(
        "The term of each query is added to the term of each key; the tanh of each sum gives one score",
        f"A grid of three rows and four columns. At the left the term of each query: {', '.join(map(vector, from_query))}. "
        f"Above, the term of each key: {', '.join(map(vector, from_key))}. Each cell holds the score of its sum; the "
        f"largest of each row, {number(float(scores.max()))}, stands at the key at the query's own place.",
        height=350,
    )
    svg.text(120, 70, "query terms", "query", kind="strong")
    svg.text(LEFT + 2 * CELL, 22, "key terms", "key", kind="strong")
    for j, term in enumerate(from_key):
        svg.box(LEFT + j * CELL + 10, 48, CELL - 20, 44, "key", vector(term))
    for i, term in enumerate(from_query):
        svg.box(60, TOP + i * HIGH + 10, 120, HIGH - 20, "query", vector(term))
        svg.text(206, TOP + (i + 0.5) * HIGH, "+", "mute")
        best = scores[i] == scores[i].max()
        svg.cells(
            LEFT,
            TOP + i * HIGH,
            [scores[i]],
            "ink",
            CELL,
            HIGH,
            where=[best],
            otherwise=("mute", "empty", "ink"),
        )
    svg.text(LEFT + 2 * CELL, 326, "scores: 3 · tanh(first) − 3 · tanh(second)", "mute")
    return svg
