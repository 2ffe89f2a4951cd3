"""What a weight says, and what it does not: the way from four words to a verdict."""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax
from tools.drawings.kit import Drawing, number, share

WORDS, SCORES, VOTES = ("the", "film", "was", "dull"), np.array([0.0, 0, 2, 1]), np.array([0, 0.5, 0, -3])
TOP, STEP = 104, 66
WORD, STATE, WEIGHT, VOTE, VERDICT = 10, 186, 312, 544, 636


def draw() -> Drawing:
    """Draw the chapter's four words, from left to right."""
    weights = masked_softmax(SCORES[None, None], None)[0, 0]
    verdict = float(weights @ VOTES)
    svg = Drawing(
        "A weight says how much of a state is taken, not on which words the state depends, nor what its vote is",
        f"From left to right: the words {', '.join(WORDS)}; a state for each, with lines from all words; the weights "
        f"{', '.join(share(w) for w in weights)} as bars; the votes {', '.join(number(v) for v in VOTES)}; and the "
        f"verdict {number(verdict, 3)}. Only the bars are what a picture of weights shows.",
        height=412,
    )
    for x, name, role, anchor in (
        (WORD, "words", "ink", "start"),
        (STATE + 30, "states", "key", "middle"),
        (WEIGHT + 60, "weights", "weight", "middle"),
        (VOTE, "votes", "value", "middle"),
        (VERDICT + 38, "verdict", "context", "middle"),
    ):
        svg.text(x, 26, name, role, anchor, "strong")
    for i, (word, weight, vote) in enumerate(zip(WORDS, weights, VOTES, strict=True)):
        y = TOP + i * STEP
        svg.text(WORD, y, word, anchor="start")
        for j in range(len(WORDS)):
            svg.bend((WORD + 58, TOP + j * STEP), (STATE, y), "key", 1.5, "faint")
        svg.box(STATE, y - 18, 62, 36, "key", "state", text="key", words="small")
        svg.bar(WEIGHT, y - 14, float(weight) * 110, 28, "weight")
        svg.text(WEIGHT + float(weight) * 110 + 10, y, share(float(weight)), "weight", "start", "small")
        svg.text(VOTE, y, f"· {number(float(vote))}", "value")
        svg.bend((VOTE + 40, y), (VERDICT - 4, TOP + 1.5 * STEP), "context", 1.5)
    svg.box(VERDICT, TOP + 1.5 * STEP - 22, 80, 44, "context", number(verdict, 2), words="strong")
    svg.line([(WORD, 346), (STATE + 62, 346)], "mute")
    svg.text((WORD + STATE + 62) / 2, 370, "on which words?", "mute")
    svg.text((WORD + STATE + 62) / 2, 396, "it does not say", "mute", kind="small")
    svg.line([(WEIGHT, 346), (WEIGHT + 150, 346)], "weight", 4)
    svg.text(WEIGHT + 75, 370, "how much", "weight", kind="strong")
    svg.text(WEIGHT + 75, 396, "of each state", "weight", kind="small")
    svg.line([(VOTE - 34, 346), (VOTE + 34, 346)], "mute")
    svg.text(VOTE, 370, "which way?", "mute")
    svg.text(VOTE, 396, "it does not say", "mute", kind="small")
    return svg
