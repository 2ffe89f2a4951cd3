"""Decayed attention as a masked matrix: scores times decays are weights, and these times the values the contexts."""

import numpy as np

from solutions.recurrence.in_numpy import decayed_attention
from tools.drawings.kit import Drawing, number
from tools.drawings.recurrence import DECAY, KEYS, ROOMS

CELL, HIGH, TOP = 50, 44, 76


def draw() -> Drawing:
    """Draw the three matrices of the chapter's example, its values and its contexts."""
    decays = np.full((1, 3), DECAY)
    keys = KEYS[None]
    # With the identity as values, decayed attention gives its weights.
    weights = decayed_attention(keys, keys, np.eye(3)[None], decays)[0]
    one = np.ones((1, 3, 1))
    mask = decayed_attention(one, one, np.eye(3)[None], decays)[0]
    contexts = decayed_attention(keys, keys, ROOMS[None, :, None], decays)[0, :, 0]
    svg = Drawing(
        "Scores times a triangle of decays are the weights; the weights times the values are the contexts",
        "Three matrices of three rows and columns. The scores of the tokens Ana, Ben, Ana are multiplied, entry by "
        f"entry, by decays: 1 on the diagonal, {number(DECAY)} beside it, {number(DECAY**2)} in the corner, 0 above. The "
        f"products are the weights. With the values {', '.join(number(float(room)) for room in ROOMS)} they give the "
        f"contexts {', '.join(number(float(c), 1) for c in contexts)}.",
        height=262,
    )
    scores = KEYS @ KEYS.T
    columns = (
        (12, "scores", _rows(scores), "query"),
        (192, "decays", _rows(mask, hide=True), "ink"),
        (372, "weights", _rows(weights, hide=True), "weight"),
        (552, "values", [[number(float(room))] for room in ROOMS], "value"),
        (638, "contexts", [[number(float(c), 1)] for c in contexts], "context"),
    )
    for x, title, rows, role in columns:
        wide = CELL if title != "contexts" else 62
        svg.text(x + len(rows[0]) * wide / 2, 34, title, role, kind="small strong")
        svg.cells(x, TOP, rows, role, wide, HIGH)
    for x, sign in ((177, "×"), (357, "="), (537, "·"), (620, "=")):
        svg.text(x, TOP + 1.5 * HIGH, sign, kind="strong")
    svg.text(12, 238, "rows: queries · columns: keys · × entry by entry", "mute", "start", "small")
    return svg


def _rows(matrix: np.ndarray, hide: bool = False) -> list[list[str]]:
    """Return the entries as text; with hide, later keys are empty."""
    return [
        ["" if hide and j > i else number(float(entry)) for j, entry in enumerate(row)]
        for i, row in enumerate(matrix)
    ]
