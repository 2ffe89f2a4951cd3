"""Sentiment: each word has a weight and a vote; their products add up to the verdict."""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax
from tools.drawings.kit import Drawing, number, share

WORDS, SCORES, VOTES = ("the", "film", "was", "dull"), [0.0, 0, 2, 1], [0.0, 0.5, 0, -3]
UNIT = 30  # pixels of a vote of 1


def draw() -> Drawing:
    """Draw the chapter's review of four words."""
    weights, votes = softmax(np.array(SCORES)), np.array(VOTES)
    shares = weights * votes
    verdict = float(shares.sum())
    word = "praise" if verdict > 0 else "blame"
    svg = Drawing(
        "Each word has a weight and a vote; the products add up to one verdict",
        "; ".join(
            f"“{w}” has the weight {share(a)} and the vote {number(v, 1)}"
            for w, a, v in zip(WORDS, weights, votes, strict=True)
        )
        + f". The products add up to the verdict {number(verdict)}: {word}. The word with the largest weight, "
        f"“{WORDS[int(weights.argmax())]}”, has the vote 0 and adds nothing.",
        height=400,
    )
    svg.texts((66, 232, 446, 616), 24, ("word", "weight", "vote", "product"), kind="strong")
    svg.texts((340, 543), 24, ("×", "="), "mute")
    center = 436
    for y, name, weight, vote, part in zip((88, 152, 216, 280), WORDS, weights, votes, shares, strict=True):
        svg.box(10, y - 25, 112, 50, "key", name, words="word")
        svg.box(150, y - 12, 104, 24, "mute", kind="empty faint")
        svg.bar(150, y - 12, 104 * weight, 24, "weight")
        svg.text(288, y, share(weight))
        left, right = sorted((center, center + UNIT * vote))
        svg.bar(left, y - 12, right - left, 24, "value")
        svg.text(506, y, number(vote, 1))
        svg.text(616, y, number(part) if part else "0", "ink" if part else "mute")
    svg.line([(center, 46), (center, 306)], "mute", 1.5)
    svg.line([(546, 312), (686, 312)], "ink", 2)
    svg.text(center - 12, 54, "blame", "mute", "end", "small")
    svg.text(center + 12, 54, "praise", "mute", "start", "small")
    svg.box(518, 330, 196, 56, "context", f"{number(verdict)}: {word}", words="strong")
    return svg
