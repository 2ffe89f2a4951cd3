"""Scores that are symmetric, and weights that are not."""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax
from solutions.score_functions.in_numpy import symmetric_score
from tools.drawings.kit import Drawing, number, share

SEED, D = 1, (1.5, -0.5)  # the chapter's
LEFTS, CELL, HIGH, TOP = (30, 420), 90, 56, 66
PAIR = ((0, 1), (1, 0))


def draw() -> Drawing:
    """Draw the chapter's three words; one pair of words is marked in both matrices."""
    rng = np.random.default_rng(SEED)
    shared, words = rng.normal(size=(2, 5)), rng.normal(size=(1, 3, 5))
    scores = symmetric_score(words, words, shared, np.array(D))[0]
    weights = softmax(scores)
    sums = [number(float(np.exp(row - scores[0, 0]).sum()), 1) for row in scores]
    svg = Drawing(
        "A symmetric score gives two words the same score both ways, and yet the weights differ: each row has its own sum",
        "On the left the scores of three words with each other, on the right their weights, the softmax of each row. "
        + "; ".join(
            f"word {i} with word {j}: score {number(float(scores[i, j]))}, weight {share(float(weights[i, j]))}"
            for i, j in PAIR
        )
        + f". The sums of the exponentials of the rows are in the ratio {' to '.join(sums[:2])}.",
        height=326,
    )
    marked = [[(i, j) in PAIR for j in range(len(scores))] for i in range(len(scores))]
    for left, head, role, texts in (
        (LEFTS[0], "scores", "key", [[number(float(s)) for s in row] for row in scores]),
        (LEFTS[1], "weights", "weight", [[share(float(w)) for w in row] for row in weights]),
    ):
        svg.text(left, 24, head, role, "start", "strong")
        otherwise = ("mute", "empty", "ink")
        svg.cells(left, TOP, texts, role, CELL, HIGH, "shape thick", where=marked, otherwise=otherwise)
    svg.arrow([(LEFTS[0] + 3 * CELL + 12, TOP + 1.5 * HIGH), (LEFTS[1] - 14, TOP + 1.5 * HIGH)])
    svg.text(360, TOP + 1.5 * HIGH - 44, "softmax", kind="small")
    svg.text(360, TOP + 1.5 * HIGH - 20, "by row", kind="small")
    svg.text(LEFTS[0], TOP + 3 * HIGH + 34, "the same both ways", "key", "start")
    svg.text(LEFTS[1], TOP + 3 * HIGH + 34, "not the same", "weight", "start")
    svg.text(LEFTS[0], TOP + 3 * HIGH + 70, "marked: words 0 and 1 with each other", "mute", "start", "small")
    return svg
