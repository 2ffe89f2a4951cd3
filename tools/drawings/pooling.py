"""Attention pooling: one vector from a sequence, by the mean, the maximum and attention."""

import numpy as np

from solutions.pooling.in_numpy import feed_forward_pooling, mean_pooling
from solutions.sentiment.in_numpy import pool_over_time
from tools.drawings.kit import Drawing, share, vector

STEPS, REAL, SCORE = [[0.0, 4.0], [2.0, 1.0], [1.0, 0.0], [3.0, 9.0]], [True, True, True, False], [[1.0, 0.0]]
COLUMNS, FULL = (250, 420, 590), 120  # where the methods stand, and the length of a weight of 1


def draw() -> Drawing:
    """Draw the chapter's three steps and one of padding."""
    X, mask = np.array([STEPS]), np.array([REAL])
    count = sum(REAL)
    mean, maximum = mean_pooling(X, mask)[0], pool_over_time(X, np.array([count]))[1][0]
    context, weights = (array[0] for array in feed_forward_pooling(X, mask, X.shape[-1], np.array(SCORE)))
    svg = Drawing(
        "Several steps become one vector: by their mean, by their maximum, or by weights that attention computes",
        f"Three steps, {', '.join(vector(s) for s in STEPS[:count])}, and one of padding, which does not count. The "
        f"mean gives each step the weight {share(1 / count)}: {vector(mean)}. The maximum takes the largest number "
        f"of each feature: {vector(maximum)}. Attention computes a weight for each step, "
        f"{', '.join(share(w) for w in weights[:count])}: {vector(context)}.",
        height=424,
    )
    ys = (94, 164, 234, 304)
    svg.text(84, 24, "steps", "value", kind="strong")
    svg.texts(COLUMNS, 24, ("mean", "maximum", "attention"), kind="strong")
    for i, (y, step, real) in enumerate(zip(ys, STEPS, REAL, strict=True)):
        kind, role, ink = ("shape", "value", "ink") if real else ("empty dashed", "mute", "mute")
        svg.box(14, y - 26, 140, 52, role, vector(step), kind=kind, text=ink)
        if not real:
            svg.text(COLUMNS[1], y, "padding does not count", "mute", kind="word")
            continue
        for x, weight in ((COLUMNS[0], 1 / count), (COLUMNS[2], weights[i])):
            svg.box(x - FULL / 2, y - 26, FULL, 22, "mute", kind="empty faint")
            svg.bar(x - FULL / 2, y - 26, FULL * weight, 22, "weight")
            svg.text(x, y + 14, share(weight))
        largest, otherwise = np.equal(step, maximum), ("mute", "empty faint", "mute")
        svg.cells(COLUMNS[1] - 44, y - 20, [step], "ink", where=[largest], otherwise=otherwise)
    for x, result in zip(COLUMNS, (mean, maximum, context), strict=True):
        svg.arrow([(x, 326), (x, 356)], "context")
        svg.box(x - 76, 358, 152, 52, "context", vector(result))
    svg.text(84, 384, "one vector", "context", kind="strong")
    return svg
