"""Dot-product attention: all scores are one product, queries times the transposed keys."""

import numpy as np

from solutions.dot_product.in_numpy import scaled_scores
from tools.drawings.kit import Drawing, number

# The query of "chasing" and those of two words before it, and the keys of all three.
QUERIES = {"chasing": [1, 2, 1, 0], "The": [1, 1, 0, 1], "FBI": [0, 1, 0, 1]}
WORDS = ("The", "FBI", "is")
KEYS = [[1, 0, 1, 1], [1, 2, 1, 0], [0, 1, 2, -1]]
CELL, HIGH = 44, 40
LEFT, MIDDLE, TOP, BELOW = 100, 304, 84, 284


def draw() -> Drawing:
    """Draw the three queries and three keys of the chapter, and their scores."""
    queries, keys = np.array([*QUERIES.values()]), np.array(KEYS)
    query = queries[0]
    scores = scaled_scores(queries[None], keys[None])[0]
    size = queries.shape[1]
    dot = int(query @ keys[0])
    terms = " + ".join(f"{q}·{k}" for q, k in zip(query, keys[0], strict=True))
    svg = Drawing(
        "Queries times transposed keys: each row of queries with each column of keys makes one score",
        f"Below on the left the queries, a matrix of shape (num_queries, d_k); above them on the right the keys, "
        f"transposed, (d_k, num_keys). Where the row of a query meets the column of a key stands their score, so the "
        f"scores are (num_queries, num_keys). The first of them: {terms} = {dot}, divided by the square root of "
        f"{size}, is {number(scores[0, 0])}.",
        height=466,
    )
    svg.cells(MIDDLE, TOP, [[number(k) for k in row] for row in keys.T], "key", CELL, HIGH)
    svg.cells(LEFT, BELOW, [[number(q) for q in row] for row in queries], "query", CELL, HIGH)
    svg.cells(MIDDLE, BELOW, [[number(s, 1) for s in row] for row in scores], "ink", CELL, HIGH)
    svg.box(MIDDLE - 4, TOP - 4, CELL + 8, 4 * HIGH + 8, "key", kind="empty thick")
    svg.box(LEFT - 4, BELOW - 4, 4 * CELL + 8, HIGH + 8, "query", kind="empty thick")
    svg.box(MIDDLE - 4, BELOW - 4, CELL + 8, HIGH + 8, "ink", kind="empty thick")
    svg.text(MIDDLE + 1.5 * CELL, 22, "keys, transposed", "key", kind="strong")
    for i, (word, asking) in enumerate(zip(WORDS, QUERIES, strict=True)):
        svg.text(MIDDLE + (i + 0.5) * CELL, TOP - 20, word, "key", kind="small")
        svg.text(LEFT - 12, BELOW + (i + 0.5) * HIGH, asking, "query", "end", "small")
    svg.text(MIDDLE + 3 * CELL + 14, TOP + 2 * HIGH, "(d_k, num_keys)", "key", "start", "small")
    svg.text(LEFT + 2 * CELL, BELOW - 36, "queries", "query", kind="strong")
    svg.text(LEFT - 24, BELOW + 3 * HIGH + 26, "(num_queries, d_k)", "query", "start", "small")
    svg.text(MIDDLE, BELOW + 3 * HIGH + 26, "(num_queries, num_keys)", "ink", "start", "small")
    svg.text(MIDDLE + 3 * CELL + 14, BELOW + 20, "scores", "ink", "start", "strong")
    svg.text(MIDDLE + 3 * CELL + 14, BELOW + 58, f"{terms} = {dot}", "ink", "start", "small")
    scaled = f"{dot} / √{size} = {number(scores[0, 0])}"
    svg.text(MIDDLE + 3 * CELL + 14, BELOW + 92, scaled, "ink", "start", "small")
    return svg
