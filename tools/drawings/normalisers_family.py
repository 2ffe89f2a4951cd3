"""One family: softmax, entmax and sparsemax of the same three scores."""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax
from solutions.normalisers.in_numpy import entmax, sparsemax
from tools.drawings.kit import Drawing, share

SCORES = np.array([[[1.5, 1.0, 0.0]]])  # the chapter's
LEFT, WIDE, UNIT, BASE, STEP = 20, 244, 210, 240, 64


def draw() -> Drawing:
    """Draw the weights of three keys, by each of the three."""
    ways = {
        "softmax": masked_softmax(SCORES, None)[0, 0],
        "entmax, a = 1.5": entmax(SCORES)[0, 0],
        "sparsemax": sparsemax(SCORES)[0, 0],
    }
    svg = Drawing(
        "The same three scores by softmax, entmax and sparsemax: the worst key gets less and less, and then nothing",
        "Three groups of three bars, the weights of keys with the scores 1.5, 1 and 0. "
        + " ".join(f"{name}: {', '.join(share(w, 3) for w in weights)}." for name, weights in ways.items()),
        height=330,
    )
    for i, (name, weights) in enumerate(ways.items()):
        x = LEFT + i * WIDE
        svg.text(x + 1.5 * STEP, 22, name, kind="strong")
        svg.bars(x, BASE, weights, UNIT, "weight", ("1.5", "1", "0"), STEP, digits=3)
    svg.text(LEFT + WIDE + 1.5 * STEP, 300, "scores", "mute")
    return svg
