"""The tanh inside each term: the scores of all queries differ by a constant, and their weights are equal."""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax
from tools.drawings.additive_grid import KEYS, QUERIES, W_K, W_Q, W_V
from tools.drawings.kit import Drawing, share

LEFT, WIDE, CELL, HIGH, TOP = 130, 312, 66, 52, 62


def draw() -> Drawing:
    """Draw the weights of the chapter's three queries, with the tanh after the sum and in each term."""
    from_query, from_key = QUERIES @ W_Q.T, KEYS @ W_K.T
    right = masked_softmax((np.tanh(from_query[:, None] + from_key) @ W_V)[None], None)[0]
    blind = masked_softmax(((np.tanh(from_query)[:, None] + np.tanh(from_key)) @ W_V)[None], None)[0]
    svg = Drawing(
        "With the tanh after the sum each query has weights of its own; with it in each term all rows are equal",
        f"Two tables of weights, of three queries over four keys. With the tanh after the sum the largest weights of "
        f"the rows are {', '.join(share(row.max()) for row in right)}, each at another key. With the tanh in each "
        f"term every weight of every row is {share(blind[0, 0])}.",
        height=270,
    )
    for i, (name, weights) in enumerate((("tanh(query + key)", right), ("tanh(query) + tanh(key)", blind))):
        x = LEFT + i * WIDE
        svg.text(x + 2 * CELL, 22, name, "ink" if i == 0 else "mute", kind="small")
        for j, row in enumerate(weights):
            for k, weight in enumerate(row):
                kind = "shape" if weight == row.max() and i == 0 else "empty"
                svg.cells(x + k * CELL, TOP + j * HIGH, [[share(weight)]], "weight", CELL, HIGH, kind)
    for j in range(len(QUERIES)):
        svg.text(LEFT - 16, TOP + (j + 0.5) * HIGH, f"query {j}", "query", "end")
    svg.text(LEFT + 2 * CELL, TOP + 3 * HIGH + 26, "weights of four keys", "mute", kind="small")
    svg.text(LEFT + WIDE + 2 * CELL, TOP + 3 * HIGH + 26, "blind to the query", "mute", kind="small")
    return svg
