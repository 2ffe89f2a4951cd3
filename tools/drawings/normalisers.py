"""Sparsemax: all scores are moved down by one threshold and cut at zero, so a key may get no weight at all."""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax
from solutions.normalisers.in_numpy import sparsemax
from tools.drawings.kit import Drawing, number, share

SCORES = (1.5, 1.0, 0.0)
GROUND, HIGH = 320, 150  # where a score of 0 stands, and how long a score of 1 is
LEFT, STEP, WIDE = 76, 104, 64
RIGHT = 432


def draw() -> Drawing:
    """Draw the chapter's three scores with the threshold between them, and the weights beside those of the softmax."""
    scores = np.array(SCORES)
    weights, soft = sparsemax(scores), softmax(scores)
    threshold = float((scores - weights)[0])
    svg = Drawing(
        "Three scores are moved down by the same threshold and cut at zero: two keys have weight, and the third "
        "has none",
        f"On the left three bars, as long as the scores {', '.join(map(number, SCORES))}, and a dashed line at the "
        f"threshold, {number(threshold)}. What lies above the line is the weight: "
        f"{', '.join(share(w) for w in weights)}. On the right the weights of sparsemax, with an exact zero, beside "
        f"those of the softmax: {', '.join(share(w) for w in soft)}.",
        height=440,
    )
    line = GROUND - HIGH * threshold
    for i, (score, weight) in enumerate(zip(scores, weights, strict=True)):
        x = LEFT + STEP * i
        below = min(float(score), threshold)
        svg.bar(x - WIDE / 2, GROUND - HIGH * below, WIDE, HIGH * below, "mute")
        svg.bar(x - WIDE / 2, GROUND - HIGH * score, WIDE, HIGH * weight, "weight")
        svg.text(x, GROUND - HIGH * score - 20, number(float(score)), "key")
        svg.text(x, GROUND + 24, f"key {i + 1}", kind="small")
    svg.line([(LEFT - WIDE / 2 - 12, GROUND), (LEFT + 2 * STEP + WIDE / 2 + 12, GROUND)], "mute", 1.5)
    svg.line([(LEFT - WIDE / 2 - 12, line), (LEFT + 2 * STEP + WIDE / 2 + 12, line)], "ink", 2, "dashed")
    svg.text(LEFT + 2 * STEP, line - 20, f"τ = {number(threshold)}", "ink", kind="strong")
    svg.text(LEFT + STEP, 24, "scores and threshold", kind="strong")
    for name, row, y in (("softmax", soft, 92), ("sparsemax", weights, 252)):
        svg.text(RIGHT, y - 28, name, "ink", "start", "strong")
        for i, weight in enumerate(row):
            top = y + 34 * i
            svg.text(RIGHT, top + 10, f"key {i + 1}", "ink", "start", "small")
            svg.bar(RIGHT + 70, top - 2, 150 * weight, 24, "weight")
            svg.text(RIGHT + 82 + 150 * weight, top + 10, share(weight), "ink", "start", "small")
    svg.text(RIGHT, 24, "weights", "weight", "start", "strong")
    svg.text(360, 410, "What lies above the line is the weight; a row sums to 1.", "mute", kind="small")
    return svg
