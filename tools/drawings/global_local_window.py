"""A window before the softmax, and one after it."""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax
from tools.drawings.kit import Drawing, number, share

WORDS = ["heute", "sehen", "wir", "einen", "kleinen", "Hund", "im", "Garten"]
SCORES, CENTRE, D = np.array([0.0, 1, 0, 1, 3, 1, 0, 0]), 3, 2  # the chapter's
LEFT, STEP, UNIT, BASES = 18, 86, 130, (170, 380)


def draw() -> Drawing:
    """Draw the chapter's sentence: weights dropped outside the window, and the softmax inside it."""
    inside = np.abs(np.arange(len(WORDS)) - CENTRE) <= D
    late = softmax(SCORES) * inside
    right = np.zeros(len(WORDS))
    right[inside] = softmax(SCORES[inside])
    svg = Drawing(
        "A window of five words: taken after the softmax the weights do not sum to 1, taken before it they do",
        f"The eight words of the sentence, twice. Above, the softmax of all scores, of which only the window from "
        f"word 1 to word 5 is kept; the weights sum to {number(late.sum(), 3)}. Below, the softmax of the scores in "
        f"the window; kleinen has {share(right.max(), 3)}, and the weights sum to {number(right.sum(), 3)}.",
        height=456,
    )
    for name, weights, base in (
        (f"all scores, then the window: sum {number(late.sum(), 3)}", late, BASES[0]),
        (f"the window, then the softmax: sum {number(right.sum(), 3)}", right, BASES[1]),
    ):
        svg.text(LEFT, base - 148, name, anchor="start")
        svg.bars(LEFT, base, weights, UNIT, "weight", WORDS, STEP)
        edges = [LEFT + (CENTRE - D) * STEP + 2, LEFT + (CENTRE + D + 1) * STEP - 2]
        svg.line([(edges[0], base + 40), (edges[1], base + 40)], "query", 4)
    svg.text(LEFT + (CENTRE + 0.5) * STEP, BASES[1] + 54, "the window", "query", kind="small")
    return svg
