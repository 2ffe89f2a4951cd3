"""Global attention weighs every word; local attention a window around a predicted place."""

import numpy as np

from solutions.global_local.in_numpy import gaussian_factor, window_mask, window_weights
from solutions.masked_softmax.in_numpy import softmax
from tools.drawings.kit import Drawing, number, share

WORDS = ["heute", "sehen", "wir", "einen", "kleinen", "Hund", "im", "Garten"]
SCORES, WIDTH_OF_WINDOW, LOGIT = [0.0, 1, 0, 1, 3, 1, 0, 0], 2, -0.2
LEFT, STEP, MIDDLE, UNIT = 52, 88, 190, 130


def draw() -> Drawing:
    """Draw the chapter's German sentence while "small" is written: weights above, window and Gaussian below."""
    scores, length = np.array([[SCORES]]), np.array([len(WORDS)])
    place = len(WORDS) / (1 + np.exp(-LOGIT))
    places = np.array([[place]])
    everywhere = softmax(scores)[0, 0]
    inside = window_mask(places, length, len(WORDS), WIDTH_OF_WINDOW)[0, 0]
    distance = np.arange(len(WORDS)) - place
    weights = window_weights(scores, places, length, WIDTH_OF_WINDOW)[0, 0] * gaussian_factor(
        distance, WIDTH_OF_WINDOW
    )
    svg = Drawing(
        "Global attention weighs every word; local attention only a window of words around a place",
        f"The German words {' '.join(WORDS)}, while the word “small” is written. Above them bars for the weights of "
        f"global attention, {', '.join(share(w) for w in everywhere)}: every word has some. Below them local attention: "
        f"a window of {WIDTH_OF_WINDOW} words to each side of the place {number(place)}, with a Gaussian around it. "
        f"Outside the window the weights are zero; all are {', '.join(share(w) for w in weights)}.",
        height=396,
    )
    xs = [LEFT + STEP * i for i in range(len(WORDS))]
    svg.text(14, 26, "global: every word", "ink", "start", "strong")
    svg.text(14, 370, "local: a window", "ink", "start", "strong")
    first, last = (xs[int(np.flatnonzero(inside)[i])] for i in (0, -1))
    svg.box(first - 44, MIDDLE - 24, last - first + 88, 176, "query", kind="empty dashed")
    for x, word, above, below, near in zip(xs, WORDS, everywhere, weights, inside, strict=True):
        svg.text(x, MIDDLE, word, "key" if near else "ink", kind="small")
        svg.bar(x - 24, MIDDLE - 32 - UNIT * above, 48, UNIT * above, "weight")
        svg.text(x, MIDDLE - 46 - UNIT * above, share(above), kind="small")
        if near:
            svg.bar(x - 24, MIDDLE + 24, 48, UNIT * below, "weight")
            svg.text(x, MIDDLE + 36 + UNIT * below, share(below), kind="small")
        else:
            svg.text(x, MIDDLE + 36, "0", "mute", kind="small")
    center = LEFT + STEP * place
    svg.head((center, MIDDLE + 152), -np.pi / 2, "query")
    svg.text(center, MIDDLE + 180, f"around place {number(place)}", "query")
    return svg
