"""Two ways to cut four features into two heads: a plain reshape, and a cut of the last axis."""

import numpy as np

from solutions.multi_head.in_numpy import split_heads
from tools.drawings.kit import Drawing

STEPS, HIDDENS, HEADS = 3, 4, 2  # the chapter's first sentence
LEFT, CELL, HIGH, GAP = (20, 270, 520), 45, 40, 40


def draw() -> Drawing:
    """Draw the chapter's numbers: 123 is the third feature of the second word of the first sentence."""
    X = 100 + 10 * np.arange(1, STEPS + 1)[:, None] + np.arange(1, HIDDENS + 1)
    wrong = X.reshape(HEADS, STEPS, HIDDENS // HEADS)
    right = split_heads(X[None].astype(float), HEADS).astype(int)
    svg = Drawing(
        "Features cut into heads: a plain reshape mixes the words, a cut of the last axis keeps each in its row",
        f"On the left the features of three words, a row for each: {_rows(X)}. In the middle what a reshape makes of "
        f"them: the rows of its first head are {_rows(wrong[0])}, two halves of word 1 and one of word 2. On the "
        f"right the last axis is cut: the first head has {_rows(right[0])}, a half of each word.",
        height=420,
    )
    for x, name in zip(LEFT, ("features", "reshape", "right"), strict=True):
        svg.text(x + 90, 22, name, kind="strong")
    for j, row in enumerate(X):
        svg.cells(
            LEFT[0], 140 + j * HIGH, [[str(x) for x in row]], "ink", CELL, HIGH, "empty" if j else "shape"
        )
    for x, heads in ((LEFT[1], wrong), (LEFT[2], right)):
        for i, head in enumerate(heads):
            top = 84 + i * (STEPS * HIGH + GAP + 16)
            svg.text(x + 90, top - 20, f"head {i + 1}", "mute", kind="small")
            where = np.isin(head, X[0])
            svg.cells(x + 45, top, head, "ink", CELL, HIGH, where=where, otherwise=("ink", "empty", "ink"))
    svg.texts([LEFT[0] + 90], 290, ["filled: word 1"], "mute", "small")
    return svg


def _rows(matrix: np.ndarray) -> str:
    return "; ".join(", ".join(map(str, row)) for row in matrix)
