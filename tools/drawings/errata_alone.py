"""A softmax of each score alone, and one over all scores of a word."""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax
from tools.drawings.errata import ASKING, D_K, WORDS, _scores
from tools.drawings.kit import Drawing, number, share

LEFTS, BASE, UNIT, STEP = (14, 384), 206, 130, 82


def draw() -> Drawing:
    """Draw the last word of the chapter's four."""
    scores = _scores() / np.sqrt(D_K)
    alone, together = np.array([float(softmax(np.array([s]))[0]) for s in scores]), softmax(scores)
    svg = Drawing(
        "The softmax of a single score is always 1; over all scores of a word together it gives weights that sum to 1",
        f"Twice four bars, for “{WORDS[ASKING]}” with {', '.join(WORDS)}, whose scores are "
        f"{', '.join(number(float(s)) for s in scores)}. Left, as printed, each score alone: "
        f"{', '.join(share(a) for a in alone)}, which sum to {number(float(alone.sum()))}. Right, one softmax over all: "
        f"{', '.join(share(float(w)) for w in together)}.",
        height=288,
    )
    for left, head, row, role in zip(
        LEFTS, ("each score alone", "all four together"), (alone, together), ("mute", "weight"), strict=True
    ):
        svg.text(left, 22, head, anchor="start", kind="strong")
        svg.bars(left, BASE, row, UNIT, role, WORDS, STEP)
        svg.text(left, BASE + 58, f"sum {number(float(row.sum()))}", role, "start", "strong")
    return svg
