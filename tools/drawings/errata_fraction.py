"""What stands in the braces of a fraction, and the weights of two readings."""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax
from tools.drawings.errata import ASKING, D_K, WORDS, _scores
from tools.drawings.kit import Drawing, number, share

LEFTS, BASE, UNIT, STEP = (14, 384), 318, 120, 82


def draw() -> Drawing:
    """Draw the accused formula, and the last word of the chapter's four, divided before and after the softmax."""
    scores, root = _scores(), np.sqrt(D_K)
    right, wrong = softmax(scores / root), softmax(scores) / root
    svg = Drawing(
        "The braces end the fraction before V: the root divides the scores, as it should, and not the weights",
        f"The formula as its source has it: softmax, then in braces the product of queries and keys over the root, then V. A bracket below the "
        f"braces says that the fraction is inside. Below, the weights of “{WORDS[ASKING]}” in two readings: the scores divided, "
        f"{', '.join(share(float(w)) for w in right)}, which sum to {number(float(right.sum()))}; the weights divided, "
        f"{', '.join(share(float(w)) for w in wrong)}, which sum to {number(float(wrong.sum()))}.",
        height=396,
    )
    svg.text(164, 28, "softmax", anchor="end")
    svg.text(182, 28, "{", "query", kind="strong")
    svg.text(300, 28, "(Q Kᵀ)  \\over  √d", index="k")
    svg.text(418, 28, "}", "query", kind="strong")
    svg.text(444, 28, "V", "value", kind="strong")
    svg.line([(182, 50), (182, 60), (418, 60), (418, 50)], "query", 3)
    svg.text(300, 84, "the fraction ends here, before V", "query", kind="small")
    heads = ("as it is: scores divided", "as this book read it")
    for left, head, row, role in zip(LEFTS, heads, (right, wrong), ("weight", "mute"), strict=True):
        svg.text(left, 136, head, anchor="start", kind="strong")
        svg.bars(left, BASE, row, UNIT, role, WORDS, STEP)
        svg.text(left, BASE + 58, f"sum {number(float(row.sum()))}", role, "start", "strong")
    return svg
