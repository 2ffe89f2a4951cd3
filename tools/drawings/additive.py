"""Additive attention: one tanh up and one down make a hill, where the query stands."""

import numpy as np

from solutions.additive.in_numpy import additive_scores
from tools.drawings.kit import Drawing, Point, number, share

W_Q, W_K, W_V = np.array([[-2.0, 1], [-2, -1]]), np.array([[2.0], [2]]), np.array([[3.0, -3]])
KEYS, PLACE = (0, 1, 2, 3), 1
LEFT, RIGHT, FIRST, LAST = 40, 560, -0.7, 3.7  # pixels, and the places that they stand for
ZERO, UNIT = 214, 31  # the height of the score 0, and the pixels of a score of 1


def _scores(places: np.ndarray, unit: int | None = None) -> np.ndarray:
    """Return the score of keys at places for the query, or the share of one unit in it."""
    units = slice(None) if unit is None else slice(unit, unit + 1)
    query = np.array([[[PLACE, 1.0]]])
    return additive_scores(query, places[None, :, None], W_Q[units], W_K[units], W_V[:, units])[0, 0]


def _point(place: float, score: float) -> Point:
    return LEFT + (place - FIRST) / (LAST - FIRST) * (RIGHT - LEFT), ZERO - UNIT * score


def draw() -> Drawing:
    """Draw the chapter's four keys on a line, and its query at 1."""
    scores = _scores(np.array(KEYS, dtype=float))
    parts = ", ".join(f"{share(s)} at {k}" for s, k in zip(scores, KEYS, strict=True))
    svg = Drawing(
        "One tanh goes up, another goes down; their sum is a hill, and it stands where the query stands",
        f"Four keys lie on a line at {', '.join(map(number, KEYS))}, the query stands at {PLACE}. The score of a key is "
        f"the sum of two curves over its place: a tanh that rises just before the query and one that falls just "
        f"after it. The sum is a hill at the query. The scores: {parts}.",
        height=436,
    )
    places = np.linspace(FIRST, LAST, 89)
    for unit, name in ((0, "a tanh up"), (1, "a tanh down")):
        curve = [_point(x, y) for x, y in zip(places, _scores(places, unit), strict=True)]
        svg.line(curve, "mute", 2, "dashed")
        svg.text(RIGHT + 10, curve[-1][1], name, "mute", "start")
    svg.line([_point(x, y) for x, y in zip(places, _scores(places), strict=True)], "ink", 4)
    svg.text(RIGHT + 10, ZERO - 18, "their sum:", "ink", "start", "strong")
    svg.text(RIGHT + 10, ZERO + 10, "the score", "ink", "start", "strong")
    x, bottom = _point(PLACE, 0)[0], 352
    svg.text(x, 22, f"query at {PLACE}", "query", kind="strong")
    svg.line([(x, 38), (x, bottom)], "query", 2, "dashed")
    svg.line([(LEFT, bottom), (RIGHT, bottom)], "mute", 1.5)
    for key, score in zip(KEYS, scores, strict=True):
        x, y = _point(key, score)
        svg.dot(x, y, "key")
        side, anchor = (-1, "end") if key < PLACE else (1, "start")
        svg.text(x + 14 * side, y - 20, share(score), "ink", anchor, "small")
        svg.box(x - 24, bottom, 48, 40, "key", number(key))
    svg.text(RIGHT + 10, bottom + 20, "keys", "key", "start", "strong")
    svg.text((LEFT + RIGHT) / 2, 416, "place on the line", "mute", kind="small")
    return svg
