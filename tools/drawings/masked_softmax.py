"""Masked softmax: padding gets no weight, and the rest sums to one."""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax, valid_mask
from tools.drawings.kit import Drawing, number, share

SCORES, LENGTH = [2.0, 1.0, 0.5, 3.0], 2
LEFT, STEP = 236, 118  # the middle of the first column, and from one to the next


def draw() -> Drawing:
    """Draw a row of four scores, two of them padding."""
    X, length = np.array([[SCORES]]), np.array([LENGTH])
    valid = valid_mask(length, 1, len(SCORES))[0, 0]
    weights = masked_softmax(X, length)[0, 0]
    shares = [share(w, 3) for w in weights]
    svg = Drawing(
        "The scores of padding are masked before the softmax, so padding gets a weight of 0 and the weights of the words sum to 1",
        f"A row of four scores: {', '.join(map(number, SCORES))}. The first two belong to words, the last two to "
        f"padding. The mask puts minus infinity in the place of the scores of padding. The softmax then gives the "
        f"weights {', '.join(shares)}: zero for padding, and the rest sums to 1.",
        height=404,
    )
    xs = [LEFT + STEP * i for i in range(len(SCORES))]
    for x, real in zip(xs, valid, strict=True):
        svg.text(
            x, 24, "word" if real else "padding", "ink" if real else "mute", kind="strong" if real else "word"
        )
    rows = {"scores": 74, "masked": 168, "weights": 262}
    for name, y in rows.items():
        svg.text(14, y, name, anchor="start")
    for x, real, score, part, weight in zip(xs, valid, SCORES, shares, weights, strict=True):
        kind = "shape" if real else "empty dashed"
        role, ink = ("key", "ink") if real else ("mute", "mute")
        for y, words in ((74, number(score)), (168, number(score) if real else "−∞")):
            svg.box(x - 50, y - 25, 100, 50, role, words, kind=kind, text=ink)
        svg.box(x - 50, 237, 100, 50, "weight" if real else "mute", part, kind=kind, text=ink)
        svg.arrow([(x, 101), (x, 141)], role)
        svg.arrow([(x, 195), (x, 235)], role)
        svg.bar(x - 50, 380 - 80 * weight, 100, 80 * weight, "weight")
    svg.text(14, 122, "mask", "mute", "start", "small")
    svg.text(14, 215, "softmax", "mute", "start", "small")
    svg.line([(xs[0] - 50, 380), (xs[-1] + 50, 380)], "mute", 1.5)
    svg.text(14, 345, f"sum: {number(weights.sum())}", "ink", "start", "strong")
    return svg
