"""Dropout on weights: some become 0, and the others grow, so that their sum stays the same on average."""

import numpy as np

from tools.drawings.kit import Drawing, number

KEYS, P, DROPPED = 8, 0.25, (3, 5)
LEFT, STEP, UNIT, BASE, ROW = 170, 62, 420, 116, 128


def draw() -> Drawing:
    """Draw eight equal weights, as the chapter has them, in use and in training."""
    weights = np.full(KEYS, 1 / KEYS)
    thinned = weights / (1 - P)
    thinned[list(DROPPED)] = 0
    svg = Drawing(
        "In use all weights stay; in training dropout sets some to zero and makes the others larger",
        f"Two rows of {KEYS} bars. In use each weight is {number(weights[0], 3)}. In training, with p = {P}, "
        f"{len(DROPPED)} of them are 0 and the others are {number(thinned[0], 3)}, which is {number(weights[0], 3)} divided "
        f"by {1 - P}. The sums are {number(weights.sum())} and {number(thinned.sum())}.",
        height=BASE + ROW + 44,
    )
    for i, (name, row) in enumerate((("in use", weights), ("in training", thinned))):
        base = BASE + ROW * i
        svg.text(14, base - 34, name, "ink", "start", "strong")
        svg.text(14, base - 8, f"sum {number(row.sum())}", "mute", "start", "small")
        for j, weight in enumerate(row):
            x = LEFT + STEP * j
            if weight:
                svg.bar(x + 6, base - UNIT * weight, STEP - 12, UNIT * weight, "weight")
            else:
                high = UNIT * weights[j]
                svg.box(x + 6, base - high, STEP - 12, high, "mute", kind="empty dashed")
            svg.text(x + STEP / 2, base - UNIT * (weight or weights[j]) - 14, number(weight, 3), kind="small")
        svg.line([(LEFT, base), (LEFT + STEP * KEYS, base)], "mute", 1.5)
    svg.text(LEFT + STEP * KEYS / 2, BASE + ROW + 24, f"{KEYS} keys, p = {P}", "mute", kind="small")
    return svg
