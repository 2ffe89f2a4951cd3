"""Dot-product attention: all scores are one product, queries times the transposed keys."""

import numpy as np

from solutions.dot_product.in_numpy import scaled_scores
from tools.drawings.kit import Drawing, number

QUERY = [1, 0, 2, 1]
KEYS = [[1, 1, 1, 1], [0, 1, 1, 0], [-1, 2, 0, 1]]
CELL, HIGH = 48, 40
LEFT, MIDDLE, TOP, BELOW = 16, 270, 62, 262


def draw() -> Drawing:
    """Draw the three queries and three keys of the chapter, and their scores."""
    query, keys = np.array(QUERY), np.array(KEYS)
    queries = np.stack([query, np.roll(query, 1), -query])
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
        height=444,
    )
    svg.cells(MIDDLE, TOP, [[number(k) for k in row] for row in keys.T], "key", CELL, HIGH)
    svg.cells(LEFT, BELOW, [[number(q) for q in row] for row in queries], "query", CELL, HIGH)
    svg.cells(MIDDLE, BELOW, [[number(s, 1) for s in row] for row in scores], "ink", CELL, HIGH)
    svg.box(MIDDLE - 4, TOP - 4, CELL + 8, 4 * HIGH + 8, "key", kind="empty thick")
    svg.box(LEFT - 4, BELOW - 4, 4 * CELL + 8, HIGH + 8, "query", kind="empty thick")
    svg.box(MIDDLE - 4, BELOW - 4, CELL + 8, HIGH + 8, "ink", kind="empty thick")
    svg.text(MIDDLE + 1.5 * CELL, 22, "keys, transposed", "key", kind="strong")
    svg.text(MIDDLE + 3 * CELL + 18, TOP + 2 * HIGH, "(d_k, num_keys)", "key", "start", "small")
    svg.text(LEFT + 2 * CELL, BELOW - 36, "queries", "query", kind="strong")
    svg.text(LEFT, BELOW + 3 * HIGH + 26, "(num_queries, d_k)", "query", "start", "small")
    svg.text(MIDDLE, BELOW + 3 * HIGH + 26, "(num_queries, num_keys)", "ink", "start", "small")
    svg.text(MIDDLE + 3 * CELL + 18, BELOW + 20, "scores", "ink", "start", "strong")
    svg.text(MIDDLE + 3 * CELL + 18, BELOW + 58, f"{terms} = {dot}", "ink", "start", "small")
    scaled = f"{dot} / √{size} = {number(scores[0, 0])}"
    svg.text(MIDDLE + 3 * CELL + 18, BELOW + 92, scaled, "ink", "start", "small")
    return svg
