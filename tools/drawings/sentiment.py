"""Sentiment: each word has a weight and a vote; their products add up to the verdict."""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax
from tools.drawings.kit import Drawing, number, share

WORDS, SCORES, VOTES = ("the", "film", "was", "dull"), [0.0, 0, 2, 1], [0.0, 0.5, 0, -3]
UNIT = 30  # pixels of a vote of 1


def draw() -> Drawing:
    """The chapter's review of four words."""
    weights, votes = softmax(np.array(SCORES)), np.array(VOTES)
    shares = weights * votes
    verdict = float(shares.sum())
    word = "praise" if verdict > 0 else "blame"
    made = Drawing(
        "sentiment",
        "Each word has a weight and a vote; the products add up to one verdict",
        "; ".join(
            f"“{w}” has the weight {share(a)} and the vote {number(v, 1)}"
            for w, a, v in zip(WORDS, weights, votes, strict=True)
        )
        + f". The products add up to the verdict {number(verdict)}: {word}. The word with the largest weight, "
        f"“{WORDS[int(weights.argmax())]}”, has the vote 0 and adds nothing.",
        height=410,
    )
    made.texts((66, 220, 446, 632), 24, ("word", "weight", "vote", "product"), kind="strong")
    made.texts((322, 556), 24, ("×", "="), "mute")
    center = 436
    for y, name, weight, vote, part in zip((84, 150, 216, 282), WORDS, weights, votes, shares, strict=True):
        made.box(10, y - 25, 112, 50, "key", name, words="word")
        made.box(150, y - 24, 140, 24, "mute", kind="empty faint")
        made.bar(150, y - 24, 140 * weight, 24, "ink")
        made.text(220, y + 16, share(weight))
        left, right = sorted((center, center + UNIT * vote))
        made.bar(left, y - 24, right - left, 24, "value")
        made.text(506, y - 12, number(vote, 1))
        made.text(632, y - 12, number(part) if part else "0", "ink" if part else "mute")
    made.line([(center, 52), (center, 302)], "mute", 1.5)
    made.line([(560, 310), (700, 310)], "ink", 2)
    made.text(center - 14, 322, "blame", "mute", "end", "small")
    made.text(center + 14, 322, "praise", "mute", "start", "small")
    made.box(470, 336, 236, 56, "context", f"{number(verdict)}: {word}", words="strong")
    return made
