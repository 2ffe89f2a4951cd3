"""The losses of two sentences of unequal length: what each of three means adds up, and by what it divides."""

import numpy as np

from tools.drawings.kit import Drawing, number

LOSSES = np.array([[2.0, 1.0, 3.0, 2.0], [4.0, 2.0, 0.1, 0.1]])  # the chapter's
COUNTS = np.array([[1, 1, 1, 1], [1, 1, 0, 0]])
LEFT, TOP, CELL, HIGH, RIGHT = 130, 56, 62, 46, 420


def draw() -> Drawing:
    """Draw the chapter's losses, with the mask, and the mean that padding does not enter."""
    words = (LOSSES * COUNTS).sum()
    means = (
        ("all steps", LOSSES.sum(), LOSSES.size, "mute"),
        ("masked, by all steps", words, LOSSES.size, "mute"),
        ("masked, by the words", words, COUNTS.sum(), "context"),
    )
    sentences = [
        f"{name}: {number(top)} by {below} is {number(top / below, 3)}" for name, top, below, _ in means
    ]
    svg = Drawing(
        "The losses of padding belong neither to the sum nor to the number by which it is divided",
        f"On the left the losses of two sentences, one of four words and one of two with two steps of padding, whose "
        f"losses are small. On the right three means. {'; '.join(sentences)}. Only the last is the mean over the words.",
        height=250,
    )
    svg.text(LEFT + 2 * CELL, 24, "losses", kind="strong")
    svg.text(RIGHT + 130, 24, "three means", kind="strong")
    for i, row in enumerate(LOSSES):
        high = TOP + i * (HIGH + 12)
        svg.text(LEFT - 14, high + HIGH / 2, f"sentence {i + 1}", "ink", "end", "small")
        svg.cells(LEFT, high, [row], "value", CELL, HIGH, where=[COUNTS[i]])
    svg.text(LEFT + 3 * CELL, TOP + 2 * HIGH + 34, "padding", "mute", kind="small")
    for i, (name, top, below, role) in enumerate(means):
        high = TOP + 12 + i * 66
        svg.text(RIGHT, high, name, role, "start", "small")
        words = f"{number(top)} / {below} = {number(top / below, 3)}"
        svg.text(RIGHT, high + 27, words, role, "start", "strong" if role == "context" else "")
    return svg
