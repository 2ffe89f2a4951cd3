"""The weights in another order, the votes in their places: another verdict."""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax
from tools.drawings.kit import Drawing, number, share
from tools.drawings.sentiment import SCORES, VOTES, WORDS

ORDER = (0, 2, 3, 1)  # step t takes the weight of step ORDER[t]
LEFTS, TOP, ROW = (124, 470), 72, 56


def draw() -> Drawing:
    """Draw the review of four words, with its weights and with the same weights in another order."""
    weights, votes = softmax(np.array(SCORES)), np.array(VOTES)
    ways = {"its weights": weights, "permuted": weights[list(ORDER)]}
    verdicts = {name: float(row @ votes) for name, row in ways.items()}
    chances = {name: 1 / (1 + np.exp(-verdict)) for name, verdict in verdicts.items()}
    sentences = [
        f"{name}: {', '.join(share(float(w)) for w in row)}, verdict {number(verdicts[name])}, probability of praise {share(chances[name])}"
        for name, row in ways.items()
    ]
    svg = Drawing(
        "The same weights in another order, with the votes in their places, give another verdict",
        f"The words {', '.join(WORDS)}, with the votes {', '.join(number(v, 1) for v in VOTES)}, twice. {'. '.join(sentences)}.",
        height=TOP + ROW * len(WORDS) + 92,
    )
    for j, (left, (name, row)) in enumerate(zip(LEFTS, ways.items(), strict=True)):
        svg.text(left, 24, name, "weight", "start", "strong")
        for i, (word, weight, vote) in enumerate(zip(WORDS, row, votes, strict=True)):
            y = TOP + ROW * i
            if not j:
                svg.text(left - 22, y, word, "key", "end", "word")
            svg.bar(left, y - 14, 120 * float(weight), 28, "weight")
            svg.text(left + 120 * float(weight) + 10, y, share(float(weight)), anchor="start", kind="small")
            svg.text(left + 226, y, number(float(vote), 1), "value", "end")
        y = TOP + ROW * len(WORDS) + 6
        words = f"verdict {number(verdicts[name])}", f"praise {share(chances[name])}"
        svg.box(left, y, 230, 66, "context", *words, words="strong")
    for to, source in enumerate(ORDER):
        role, kind = ("mute", "dashed") if to == source else ("weight", "")
        svg.bend((LEFTS[0] + 240, TOP + ROW * source), (LEFTS[1] - 8, TOP + ROW * to), role, 3, kind)
    for left in LEFTS:
        svg.text(left + 226, 24, "votes", "value", "end", "strong")
    return svg
