"""One boolean mask in three hands: what takes part, what is ignored, and numbers that are added."""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax
from tools.drawings.kit import Drawing, share

SEED, MASK = 5, (True, True, False)  # the chapter's three tokens, and its mask
LEFT, CELL, HIGH, RIGHT, TOP, ROW = 236, 76, 42, 486, 66, 84


def draw() -> Drawing:
    """Draw the weights of the first query, with each of three readings of the mask."""
    X = np.random.default_rng(SEED).normal(size=(3, 4))
    scores, mask = X[0] @ X.T / 2, np.array(MASK)
    readings = {
        "the function": ("True: takes part", softmax(np.where(mask, scores, -np.inf))),
        "the layer": ("True: is ignored", softmax(np.where(mask, -np.inf, scores))),
        "as numbers": ("added to the scores", softmax(scores + mask)),
    }
    sentences = [
        f"{name}, {words}: {', '.join(share(float(w)) for w in weights)}"
        for name, (words, weights) in readings.items()
    ]
    svg = Drawing(
        "The same mask means that a key takes part, that it is ignored, or a number that is added to its score",
        f"Three rows with the mask {', '.join(map(str, MASK))}, and the weights of three keys that follow. {'. '.join(sentences)}. In the "
        "first row the last key has no weight, in the second it has all, and in the third no key is masked.",
        height=TOP + ROW * len(readings) - 4,
    )
    svg.text(LEFT + 1.5 * CELL, 24, "mask", kind="strong")
    svg.text(RIGHT + 1.5 * CELL, 24, "weights", "weight", kind="strong")
    for i, (name, (words, weights)) in enumerate(readings.items()):
        y = TOP + ROW * i
        svg.text(8, y + 8, name, anchor="start", kind="strong")
        svg.text(8, y + 36, words, "mute", "start", "small")
        entries = [str(int(part)) for part in MASK] if i == 2 else [str(part) for part in MASK]
        svg.cells(LEFT, y, [entries], "ink", CELL, HIGH)
        svg.arrow([(LEFT + 3 * CELL + 4, y + HIGH / 2), (RIGHT - 6, y + HIGH / 2)])
        for j, weight in enumerate(weights):
            svg.bar(RIGHT + j * CELL, y, CELL * float(weight), HIGH, "weight")
            svg.cells(RIGHT + j * CELL, y, [[share(float(weight))]], "weight", CELL, HIGH, "empty")
    return svg
