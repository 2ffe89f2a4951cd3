"""Is attention explanation? The weight of each word, and what the verdict is without it."""

import numpy as np

from solutions.explanation.in_numpy import leave_one_out
from solutions.masked_softmax.in_numpy import softmax
from tools.drawings.kit import Drawing, number, share
from tools.drawings.sentiment import SCORES, VOTES, WORDS

UNIT = 128  # pixels of a verdict of 1
ZERO = 625  # where the verdict is 0
TOP, STEP = 92, 62


def draw() -> Drawing:
    """Draw the four words of the chapter on sentiment: the weights, and the verdict without each word."""
    weights, votes = softmax(np.array(SCORES)), np.array(VOTES)
    verdict = float(weights @ votes)
    importance = leave_one_out(np.array([SCORES]), votes[None], np.array([len(WORDS)]))[0]
    without = verdict - importance
    svg = Drawing(
        "The weight of each word, and where the verdict moves without it",
        f"The verdict is {number(verdict)}: blame. "
        + " ".join(
            f"“{w}” has the weight {share(a)}, and without it the verdict is {number(float(v))}."
            for w, a, v in zip(WORDS, weights, without, strict=True)
        )
        + f" Without “{WORDS[int(weights.argmax())]}”, which has the largest weight, the verdict is more blame than "
        f"before; without “{WORDS[int(without.argmax())]}” it is praise.",
        height=420,
    )
    svg.texts((66, 224, 520), 24, ("word", "weight", "verdict without the word"), kind="strong")
    bottom = TOP + STEP * (len(WORDS) - 1) + 34
    at = ZERO + UNIT * verdict
    svg.line([(ZERO, 52), (ZERO, bottom)], "mute", 1.5)
    svg.line([(at, 52), (at, bottom + 46)], "context", 2.5, "dashed")
    for i, (word, weight, now) in enumerate(zip(WORDS, weights, without, strict=True)):
        y, end = TOP + STEP * i, ZERO + UNIT * float(now)
        svg.box(10, y - 25, 112, 50, "key", word, words="word")
        svg.box(150, y - 12, 90, 24, "mute", kind="empty faint")
        svg.bar(150, y - 12, 90 * weight, 24, "weight")
        svg.text(274, y, share(weight))
        svg.arrow([(at, y), (end, y)], "value", 5)
        left = end < at
        svg.text(end - 12 if left else end + 14, y, number(float(now)), anchor="end" if left else "start")
    svg.text(ZERO - 8, bottom + 20, "blame", "mute", "end", "small")
    svg.text(ZERO + 8, bottom + 20, "praise", "mute", "start", "small")
    svg.box(at - 118, bottom + 48, 236, 50, "context", f"all words: {number(verdict)}", words="strong")
    return svg
