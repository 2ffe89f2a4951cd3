"""Score functions: one query, three keys, and the weights that three scores give."""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax
from solutions.score_functions.in_numpy import cosine_score, dot_score, scaled_dot_score
from tools.drawings.kit import Drawing, share, vector

QUERY, KEYS = (2.0, 0.0), {"short": (1.0, 0.0), "long": (3.0, 3.0), "north": (0.0, 2.0)}
COLUMNS = {"dot": dot_score, "scaled": scaled_dot_score, "cosine": cosine_score}
X, Y, UNIT = 36, 314, 78  # where the map's origin is, and the pixels of a step


def draw() -> Drawing:
    """Draw the chapter's query and keys as arrows on a map, and beside it their weights."""
    query, keys = np.array([[QUERY]]), np.array([list(KEYS.values())])
    weights = {name: softmax(score(query, keys))[0, 0] for name, score in COLUMNS.items()}
    rows = "; ".join(f"{name}: {', '.join(share(w) for w in row)}" for name, row in weights.items())
    svg = Drawing(
        "The same query and the same keys get other weights from another score function",
        f"On the left a query and three keys as arrows: the query {vector(QUERY)} points east, a short key "
        f"{vector(KEYS['short'])} too, a long key {vector(KEYS['long'])} points north-east, and a third "
        f"{vector(KEYS['north'])} north. On the right the weights of the three keys, in this order, by three scores. "
        f"{rows}.",
        height=392,
    )
    svg.line([(X - 20, Y), (X + 3.3 * UNIT, Y)], "mute", 1, "faint")
    svg.line([(X, Y + 20), (X, Y - 3.3 * UNIT)], "mute", 1, "faint")
    svg.arrow([(X, Y + 5), (X + UNIT * QUERY[0], Y + 5)], "query", 4)
    svg.text(X + UNIT * QUERY[0], Y + 25, "query", "query", "end", "strong")
    for (name, key), (x, y) in zip(
        KEYS.items(), ((X + UNIT + 8, Y - 16), (X + 132, Y - 212), (X + 12, Y - 172)), strict=True
    ):
        rise = -5 if name == "short" else 0  # beside the query's arrow
        svg.arrow([(X, Y + rise), (X + UNIT * key[0], Y - UNIT * key[1] + rise)], "key", 4)
        svg.text(x, y, name, "key", "start")
    svg.text(X, 372, "query and keys", "ink", "start", "strong")
    left, step, full = 412, 105, 86
    svg.text(left + 1.5 * step - 10, 372, "weights of the keys", kind="strong")
    for i, (name, row) in enumerate(weights.items()):
        x = left + i * step
        svg.text(x + full / 2, 74, name)
        for y, weight in zip((118, 200, 282), row, strict=True):
            best = weight == row.max()
            svg.box(x, y, full, 28, "mute", kind="empty" if best else "empty faint")
            svg.bar(x, y, full * weight, 28, "weight")
            svg.text(x + full / 2, y + 44, share(weight), kind="strong" if best else "")
    for y, name in zip((132, 214, 296), KEYS, strict=True):
        svg.text(left - 14, y, name, "key", "end")
    svg.text(left + 1.5 * step - 10, 30, "score function", "mute")
    return svg
