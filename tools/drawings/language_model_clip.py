"""Clipping: a long gradient becomes as long as is allowed, and keeps its direction."""

from math import hypot

import numpy as np

from solutions.language_model.in_numpy import clip_gradients
from tools.drawings.kit import Drawing, number, vector

GRADIENTS, MOST = ((0.6, 0.3), (2.4, 1.8)), 1.0
UNIT, BASE, LEFTS = 108, 250, (40, 330)


def draw() -> Drawing:
    """Draw two gradients of two parameters, before and after."""
    pairs = [(np.array(g), clip_gradients(np.array(g), MOST)) for g in GRADIENTS]
    sentences = [
        f"{vector(before)}, of norm {number(hypot(*before))}, "
        + (
            "stays as it is"
            if np.allclose(before, after)
            else f"becomes {vector(after)}, of norm {number(hypot(*after))}"
        )
        for before, after in pairs
    ]
    svg = Drawing(
        "Clipping: a short gradient stays as it is, a long one keeps its direction and becomes as long as is allowed",
        f"Two planes with a quarter of a circle of radius {number(MOST)}, which is the largest norm that is allowed. "
        f"The gradient {sentences[0]}: its arrow ends inside the circle. The gradient {sentences[1]}: a dashed arrow leaves the "
        "circle, and a thick one on the same line ends at it.",
        height=332,
    )
    circle = [(np.cos(a), np.sin(a)) for a in np.linspace(0, np.pi / 2, 31)]
    for left, wide, (before, after) in zip(LEFTS, (1.7, 3.2), pairs, strict=True):

        def at(point: np.ndarray, left: float = left) -> tuple[float, float]:
            return left + UNIT * float(point[0]), BASE - UNIT * float(point[1])

        svg.line([(left, BASE - UNIT * 2.1), (left, BASE), (left + UNIT * wide, BASE)], "mute")
        svg.line([at(np.array(point)) for point in circle], "mute", 2, "dashed")
        clipped = not np.allclose(before, after)
        if clipped:
            svg.arrow([at(np.zeros(2)), at(before)], "mute", 2, "dashed")
            tip = at(before)
            svg.text(tip[0] + 10, tip[1] - 20, f"norm {number(hypot(*before))}", "mute", "end", "small")
        svg.arrow([at(np.zeros(2)), at(after)], "ink", 4)
        tip = at(after)
        y = tip[1] + (26 if clipped else 4)
        svg.text(tip[0] + 14, y, f"norm {number(hypot(*after))}", "ink", "start", "strong")
        words = f"{vector(before)} → {vector(after)}" if clipped else f"{vector(before)} stays"
        svg.text(left, BASE + 30, words, anchor="start")
    words = "the quarter of a circle: the largest norm that is allowed"
    svg.text(LEFTS[0], BASE + 62, words, "mute", "start", "small")
    return svg
