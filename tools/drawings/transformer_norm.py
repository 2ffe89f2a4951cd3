"""Layer norm: the features of a word, made to have mean 0 and variance 1."""

import numpy as np

from solutions.transformer.in_numpy import layer_norm
from tools.drawings.kit import Drawing, number

WORD = np.array([2.0, 4.0, 6.0, 8.0])
LEFT, STEP, UNIT = 20, 250, 15  # of the three pictures, and pixels for a difference of 1
ZERO = 190


def draw() -> Drawing:
    """Draw the chapter's word of four features: as it is, less its mean, over its standard deviation."""
    centred = WORD - WORD.mean()
    normed = layer_norm(WORD[None, None], np.ones(4), np.zeros(4))[0, 0]
    columns = (
        ("the features", WORD, f"mean {number(WORD.mean())}"),
        ("minus the mean", centred, f"variance {number((centred**2).mean())}"),
        (f"over √{number((centred**2).mean())}", normed, "variance 1"),
    )
    svg = Drawing(
        "Layer norm: the mean of a word's features is subtracted, and the rest divided by their standard deviation",
        f"Three groups of four bars. The features {', '.join(map(number, WORD))} have the mean {number(WORD.mean())}. "
        f"Without it they are {', '.join(map(number, centred))}, with the variance {number((centred**2).mean())}. "
        f"Divided by the root of that they are {', '.join(number(x) for x in normed)}.",
        height=300,
    )
    for i, (title, features, below) in enumerate(columns):
        _bars(svg, LEFT + i * STEP, title, features, below)
        if i:
            svg.arrow([(LEFT + i * STEP - 48, ZERO - 50), (LEFT + i * STEP - 10, ZERO - 50)])
    return svg


def _bars(svg: Drawing, x: float, title: str, features: np.ndarray, below: str) -> None:
    svg.text(x + 98, 22, title, kind="strong")
    for i, feature in enumerate(features):
        high, left = float(feature) * UNIT, x + 6 + i * 52
        svg.bar(left, ZERO - max(high, 0), 28, abs(high))
        svg.text(left + 14, ZERO + (18 if high > 0 else -18), number(feature, 1), kind="small")
    svg.line([(x, ZERO), (x + 196, ZERO)])
    svg.line(
        [(x, ZERO - features.mean() * UNIT), (x + 196, ZERO - features.mean() * UNIT)], "context", 3, "dashed"
    )
    svg.text(x + 98, 276, below, "context")
