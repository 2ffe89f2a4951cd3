"""Mean, maximum and last state of a padded review, with the padding and without."""

import numpy as np

from solutions.sentiment.in_numpy import pool_over_time
from tools.drawings.kit import Drawing, number

STATES, LENGTH = np.array([-2.0, -1.0, 0.0, 0.0]), 2  # the chapter's review of two steps in a row of four
LEFT, CELL, HIGH = 110, 74, 46


def draw() -> Drawing:
    """Draw the chapter's row, and what three ways of pooling make of it."""
    right = [float(part[0, 0]) for part in pool_over_time(STATES[None, :, None], np.array([LENGTH]))]
    wrong = [STATES.mean(), STATES.max(), STATES[-1]]
    svg = Drawing(
        "Mean, maximum and last state of a review of two steps, computed over the padding too and without it",
        f"A row of four states, {', '.join(map(number, STATES))}, of which the last two are padding. With the "
        f"padding the mean is {number(wrong[0])}, the maximum {number(wrong[1])} and the last {number(wrong[2])}; "
        f"without it {number(right[0])}, {number(right[1])} and {number(right[2])}.",
        height=330,
    )
    svg.text(LEFT + CELL, 22, "the review", "key", kind="strong")
    svg.text(LEFT + 3 * CELL, 22, "padding", "mute", kind="strong")
    for i, state in enumerate(STATES):
        role, kind = ("key", "shape") if i < LENGTH else ("mute", "empty dashed")
        svg.box(LEFT + i * CELL + 4, 44, CELL - 8, HIGH, role, number(state), kind=kind)
    for i, (name, over_all, of_review) in enumerate(
        zip(("mean", "maximum", "last"), wrong, right, strict=True)
    ):
        high = 158 + i * 62
        svg.text(LEFT, high, name, anchor="start")
        svg.box(LEFT + 150, high - 22, 120, 44, "mute", number(over_all), kind="empty dashed", text="mute")
        svg.box(LEFT + 350, high - 22, 120, 44, "context", number(of_review), words="strong")
    svg.text(LEFT + 210, 118, "of the whole row", "mute", kind="small")
    svg.text(LEFT + 410, 118, "of the review", "context", kind="small")
    return svg
