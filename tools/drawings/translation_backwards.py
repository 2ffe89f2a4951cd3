"""A padded sentence, backwards: the whole row, and within its length."""

import numpy as np

from tools.drawings.kit import Drawing
from tools.drawings.translation import LENGTH, READ

PADDING, LEFT, CELL, HIGH, TOP, ROW = "padding", 188, 104, 48, 20, 84


def draw() -> Drawing:
    """Draw the two words of the chapter's step by hand, with three steps of padding."""
    words = np.array([*READ[:LENGTH], *[PADDING] * 3])
    within = np.concatenate([words[:LENGTH][::-1], words[LENGTH:]])
    rows = {"forwards": words, "wrong: all": words[::-1], "right: its length": within}
    svg = Drawing(
        "Backwards a short sentence must be read from its last word on: reversed with its padding it begins with padding",
        "Three rows of five steps, read from left to right. "
        + " ".join(f"{name}: {', '.join(map(str, row))}." for name, row in rows.items())
        + " In the second row the state has read three steps of padding before the first word comes.",
        height=TOP + ROW * len(rows) + 14,
    )
    for i, (name, row) in enumerate(rows.items()):
        y = TOP + ROW * i
        svg.text(8, y + HIGH / 2, name, anchor="start", kind="small")
        svg.cells(LEFT, y, [row], "key", CELL, HIGH, where=[row != PADDING])
        steps = LENGTH if i != 1 else len(words)
        role = "context" if i == 1 else "key"
        svg.arrow([(LEFT + 4, y + HIGH + 14), (LEFT + steps * CELL - 4, y + HIGH + 14)], role, 3)
    return svg
