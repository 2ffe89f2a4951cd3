"""Multi-head attention: features are split into heads, each attends by itself, and the heads are joined."""

import numpy as np

from solutions.multi_head.in_numpy import join_heads, split_heads
from tools.drawings.kit import Drawing, number

HEADS, STEPS, FEATURES = 2, 3, 4
CELL, HIGH = 44, 38


def draw() -> Drawing:
    """The first sentence of the chapter, whose numbers tell where they stand."""
    count = np.arange(1, FEATURES + 1)
    X = (100 + 10 * count[:STEPS, None] + count)[None]
    heads = split_heads(X, HEADS)
    made = Drawing(
        "multi_head",
        "The features of every word are split into heads, each head attends by itself, and the results are joined",
        f"A sentence of {STEPS} words with {FEATURES} features each. The left half of the features goes to head 1, "
        f"the right half to head 2; every word is in both. Each head computes attention weights of its own and a "
        f"context of its own. The contexts are joined side by side, so that each word has {FEATURES} features again.",
        height=404,
    )
    top, left = 160, 14
    ends = (left + CELL * FEATURES, 250)
    made.text(left + 2 * CELL, 22, "features", kind="strong")
    made.text(left + 2 * CELL, 48, "of each word", kind="small")
    made.text(294, 22, "split", kind="strong")
    made.text(414, 22, "attend", kind="strong")
    made.text(618, 22, "joined", "context", kind="strong")
    for h, (y, name) in enumerate(((84, "head 1"), (252, "head 2"))):
        kind = "shape" if h == 0 else "empty"
        middle = y + 1.5 * HIGH
        part = X[0][:, 2 * h : 2 * h + 2]
        assert (part == heads[h]).all()
        made.cells(left + 2 * CELL * h, top, _text(part), "ink", CELL, HIGH, kind)
        made.bend((ends[0], top + 1.5 * HIGH), (ends[1] - 8, middle))
        made.head((ends[1], middle), 0)
        made.cells(ends[1], y, _text(heads[h]), "ink", CELL, HIGH, kind)
        made.text(ends[1] + CELL, y - 18, name, kind="small")
        made.arrow([(ends[1] + 2 * CELL, middle), (366, middle)])
        made.box(366, y + 14, 100, 86, "ink", "own", "weights")
        made.bend((466, middle), (522, top + 1.5 * HIGH), "context")
        made.cells(530 + 2 * CELL * h, top, [[""] * 2] * STEPS, "context", CELL, HIGH, kind)
    made.head((530, top + 1.5 * HIGH), 0, "context")
    joined = join_heads(heads, HEADS)
    assert joined.shape == X.shape
    made.text(left + CELL, top - 20, "head 1", "ink", kind="small")
    made.text(left + 3 * CELL, top - 20, "head 2", "ink", kind="small")
    made.text(530 + CELL, top - 20, "head 1", "context", kind="small")
    made.text(530 + 3 * CELL, top - 20, "head 2", "context", kind="small")
    made.text(left + 2 * CELL, top + 3 * HIGH + 22, f"({STEPS}, {FEATURES})", "mute", kind="small")
    made.text(ends[1] + CELL, 252 + 3 * HIGH + 20, f"({STEPS}, {heads.shape[2]})", "mute", kind="small")
    made.text(530 + 2 * CELL, top + 3 * HIGH + 22, f"({STEPS}, {joined.shape[2]})", "mute", kind="small")
    return made


def _text(rows: np.ndarray) -> list[list[str]]:
    return [[number(v) for v in row] for row in rows]
