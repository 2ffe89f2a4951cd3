"""Heads as elements of the batch, and heads as an axis of their own: who needs a length."""

import numpy as np

from tools.drawings.kit import Drawing

LENGTHS, HEADS = np.array([2, 3]), 2  # the chapter's
TOP, STEP, WIDE, HIGH = 122, 58, 108, 44
LENGTH, GRID = 176, 406


def draw() -> Drawing:
    """Draw two sentences of two heads, in both forms."""
    repeated = np.repeat(LENGTHS, HEADS)
    svg = Drawing(
        "Heads in the batch need a length each; heads on an axis of their own share the length of their sentence",
        f"On the left {len(repeated)} boxes below each other, the heads of both sentences as elements of the batch, each "
        f"with a length: {', '.join(map(str, repeated))}. On the right a grid with a row for each sentence and a column "
        f"for each head; each row has one length, {' and '.join(map(str, LENGTHS))}, for both its heads.",
        height=372,
    )
    svg.text(14, 26, "in the batch", anchor="start", kind="strong")
    svg.text(14, 56, "(batch · heads, …)", "mute", "start", "small")
    svg.text(LENGTH + 20, 92, "lengths", "value", kind="small")
    for i, length in enumerate(repeated):
        y, (sentence, head) = TOP + i * STEP, divmod(i, HEADS)
        _head(svg, 14, y, sentence, head)
        svg.line([(18 + WIDE, y + HIGH / 2), (LENGTH - 4, y + HIGH / 2)], "value")
        svg.box(LENGTH, y, 40, HIGH, "value", str(length), words="strong")
    svg.text(GRID, 26, "an axis of their own", anchor="start", kind="strong")
    svg.text(GRID, 56, "(batch, heads, …)", "mute", "start", "small")
    svg.text(706, 92, "lengths", "value", "end", "small")
    for sentence, length in enumerate(LENGTHS):
        y = TOP + 2 * sentence * STEP + STEP // 2
        for head in range(HEADS):
            x = GRID + head * (WIDE + 18)
            _head(svg, x, y, sentence, head)
            svg.line([(x + WIDE + 3, y + HIGH / 2), (x + WIDE + 15, y + HIGH / 2)], "value")
        svg.box(660, y, 40, HIGH, "value", str(length), words="strong")
    svg.text(GRID, 346, "broadcast over the heads", "value", "start", "small")
    return svg


def _head(svg: Drawing, x: float, y: float, sentence: int, head: int) -> None:
    """Draw one head of one sentence, filled for the first sentence."""
    words = f"{sentence + 1}, head {head + 1}"
    svg.box(x, y, WIDE, HIGH, "query", words, words="small", kind="empty" if sentence else "shape")
