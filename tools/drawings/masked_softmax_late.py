"""A mask on the weights, and a mask on the scores."""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax
from tools.drawings.kit import Drawing, number, share

SCORES, LENGTH = np.array([2.0, 1.0, 0.5, 3.0]), 2  # the chapter's row, of which two keys are words
LEFT, WIDE, UNIT, BASE = 30, 370, 170, 250
WORDS = ("word", "word", "pad", "pad")


def draw() -> Drawing:
    """Draw the weights of the chapter's row, masked after the softmax and before it."""
    row = SCORES[None, None]
    every = masked_softmax(row, None)[0, 0]
    late = every * (np.arange(len(SCORES)) < LENGTH)
    right = masked_softmax(row, np.array([LENGTH]))[0, 0]
    svg = Drawing(
        "Masked after the softmax the weights of the words are too small; masked before it they sum to 1",
        f"Twice four bars, two for words and two for padding. On the left the softmax of all scores, of which the "
        f"weights of the padding are set to 0: {', '.join(share(w, 3) for w in late)}, with the sum "
        f"{number(late.sum(), 3)}. On the right the scores are masked first: {', '.join(share(w, 3) for w in right)}.",
        height=350,
    )
    for left, name, weights in (
        (LEFT, "softmax, then mask", late),
        (LEFT + WIDE, "mask, then softmax", right),
    ):
        svg.text(left + 150, 22, name, kind="strong")
        svg.bars(left, BASE, weights, UNIT, "weight", WORDS, 76)
        svg.text(left + 150, 318, f"sum {number(weights.sum(), 3)}", "context", kind="strong")
    for place in range(LENGTH, len(SCORES)):
        x, high = LEFT + (place + 0.5) * 76, every[place] * UNIT
        svg.box(x - 23, BASE - high, 46, high, "mute", kind="empty dashed")
    svg.text(LEFT + 3.5 * 76, 126, "set to 0", "mute", kind="small")
    return svg
