"""Positions: query and key turn with their places, and their product knows the distance alone."""

import math

import numpy as np

from solutions.positions.in_numpy import rotary
from tools.drawings.kit import Drawing, number

QUERY, KEY = (1.0, 0.0), (0.8, 0.6)
PLACES = ((1, 3), (4, 6))  # of the query and of the key, in the two panels
RADIUS, MIDDLE = 118, 196


def draw() -> Drawing:
    """Draw two clocks: the same query and key, at two pairs of places with the same distance."""
    hands = {place: [_at(QUERY, place[0]), _at(KEY, place[1])] for place in PLACES}
    products = [number(float(np.dot(*hand))) for hand in hands.values()]
    svg = Drawing(
        "Query and key are turned by their positions, and their dot product depends on the distance alone",
        f"Two circles with two arrows each. In the first the query stands at position {PLACES[0][0]} and the key at "
        f"{PLACES[0][1]}, in the second at {PLACES[1][0]} and {PLACES[1][1]}. All arrows have turned further, "
        f"the angle between the two is the same, and so is their dot product: {products[0]} and {products[1]}.",
        height=420,
    )
    for x, (place, hand), product in zip((190, 530), hands.items(), products, strict=True):
        svg.line([_on(x, RADIUS, turn / 24 * math.pi) for turn in range(49)], "mute", 1.5)
        for name, role, end in (("q", "query", hand[0]), ("k", "key", hand[1])):
            angle = math.atan2(end[1], end[0])
            svg.arrow([(x, MIDDLE), _on(x, RADIUS - 4, angle)], role, 4)
            svg.text(*_on(x, RADIUS + 24, angle), name, role, kind="strong")
        svg.text(x, 24, f"query at {place[0]}, key at {place[1]}", kind="strong")
        svg.text(x, 368, f"product: {product}", "context", kind="strong")
        svg.text(x, 398, f"distance: {place[1] - place[0]}", "mute", kind="small")
    return svg


def _at(vector: tuple[float, float], position: int) -> np.ndarray:
    """Return a vector of one pair, turned by its position."""
    return rotary(np.array([[vector]]), np.array([[position]]))[0, 0]


def _on(x: float, radius: float, angle: float) -> tuple[float, float]:
    """Return a point of the clock around (x, MIDDLE), counter-clockwise from the right."""
    return x + radius * math.cos(angle), MIDDLE - radius * math.sin(angle)
