"""Multi-head attention: features are split into heads, each attends by itself, and the heads are joined."""

import numpy as np

from solutions.dot_product.in_numpy import scaled_scores
from solutions.multi_head.in_numpy import join_heads, split_heads
from solutions.self_attention.in_numpy import softmax
from tools.drawings.kit import Drawing, number

HEADS = 2
X = ((4.0, 0.0, 0.0, 3.0), (4.0, 1.0, 3.0, 0.0), (0.0, 4.0, 1.0, 3.0))
CELL, HIGH, SIDE = 44, 38, 34
LEFT, TOP = 10, 160  # of the words


def draw() -> Drawing:
    """Draw three words of four features: by the left half the first two are alike, by the right first and last."""
    heads = split_heads(np.array(X)[None], HEADS)
    weights = softmax(scaled_scores(heads, heads))
    joined = join_heads(weights @ heads, HEADS)[0]
    svg = Drawing(
        "The features of every word are split into heads, each head attends by itself, and the results are joined",
        f"A sentence of {len(X)} words with {len(X[0])} features each. The left half of the features goes to head 1, the "
        "right half to head 2; every word is in both. Each head has a square of weights of its own: in head 1 the first "
        "two words take from each other, in head 2 the first and the last. The contexts of both heads are joined side by "
        f"side, so that each word has {len(X[0])} features again.",
        height=404,
    )
    middle, end = TOP + 1.5 * HIGH, LEFT + CELL * len(X[0])
    for x, head, role in (
        (LEFT + 2 * CELL, "features", "ink"),
        (264, "split", "ink"),
        (440, "weights", "weight"),
    ):
        svg.text(x, 22, head, role, kind="strong")
    svg.text(618, 22, "joined", "context", kind="strong")
    for h, (y, name) in enumerate(((84, "head 1"), (252, "head 2"))):
        kind, centre = ("shape", "empty")[h], y + 1.5 * HIGH
        svg.cells(LEFT + 2 * CELL * h, TOP, _text(heads[h]), "value", CELL, HIGH, kind)
        svg.bend((end, middle), (212, centre))
        svg.head((220, centre), 0)
        svg.cells(220, y, _text(heads[h]), "value", CELL, HIGH, kind)
        svg.text(220 + CELL, y - 18, name, kind="small")
        svg.arrow([(220 + 2 * CELL, centre), (384, centre)])
        _square(svg, 388, y, weights[h])
        svg.bend((508, centre), (522, middle), "context")
        svg.cells(530 + 2 * CELL * h, TOP, _text(joined[:, 2 * h : 2 * h + 2]), "context", CELL, HIGH, kind)
        for x, role in ((LEFT, "ink"), (530, "context")):
            svg.text(x + CELL + 2 * CELL * h, TOP - 20, name, role, kind="small")
    svg.head((530, middle), 0, "context")
    shapes = (
        (LEFT + 2 * CELL, TOP, np.shape(X)),
        (220 + CELL, 252, heads.shape[1:]),
        (448, 252, weights.shape[1:]),
    )
    for x, y, shape in (*shapes, (530 + 2 * CELL, TOP, joined.shape)):
        svg.text(x, y + 3 * HIGH + 22, str(tuple(shape)), "mute", kind="small")
    return svg


def _square(svg: Drawing, x: float, y: float, weights: np.ndarray) -> None:
    """Draw a square of weights: the area that is filled in a cell is the weight."""
    for i, row in enumerate(weights):
        for j, weight in enumerate(row.tolist()):
            left, top, side = x + 40 * j, y + HIGH * i, SIDE * weight**0.5
            svg.box(left, top, SIDE, SIDE, "mute", kind="empty faint")
            svg.bar(left + (SIDE - side) / 2, top + (SIDE - side) / 2, side, side, "weight")


def _text(rows: np.ndarray) -> list[list[str]]:
    return [[number(v, 1) for v in row] for row in rows]
