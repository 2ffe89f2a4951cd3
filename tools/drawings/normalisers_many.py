"""The softmax among many keys: what the two good ones keep."""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax
from tools.drawings.kit import Drawing, share

GOOD, MORE = (1.5, 1.0), (1, 10, 100, 1000)  # the chapter's scores; keys of score 0
LEFT, LONG, STEP, HIGH = 190, 500, 74, 44


def draw() -> Drawing:
    """Draw a bar of length 1 for each number of keys of score 0, in parts for the two good keys and for all others."""
    rows = [masked_softmax(np.array([[[*GOOD, *np.zeros(more)]]]), None)[0, 0] for more in MORE]
    parts = [(float(row[0]), float(row[1]), float(row[2:].sum())) for row in rows]
    svg = Drawing(
        "The weight of two good keys among more and more keys of score 0: together the others take nearly all",
        "Four bars of the same length, one for 1, 10, 100 and 1000 keys of score 0. The part of all keys of score 0 "
        f"together is {', '.join(share(part[2]) for part in parts)} of the bar; what is left is shared by the two good keys.",
        height=370,
    )
    svg.text(14, 22, "keys of score 0", "mute", "start", "small")
    svg.text(LEFT, 22, "score 1.5", "key", "start", "strong")
    svg.text(LEFT + 130, 22, "score 1", "key", "start")
    svg.text(LEFT + LONG, 22, "all keys of score 0", "mute", "end", "strong")
    for i, (more, part) in enumerate(zip(MORE, parts, strict=True)):
        high, x = 50 + i * STEP, float(LEFT)
        svg.text(LEFT - 20, high + HIGH / 2, f"{more}", anchor="end")
        for weight, role, kind in zip(
            part, ("weight", "weight", "mute"), ("shape thick", "shape", "empty"), strict=True
        ):
            svg.box(x, high, weight * LONG, HIGH, role, share(weight) if weight > 0.1 else "", kind=kind)
            x += weight * LONG
    return svg
