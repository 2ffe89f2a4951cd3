"""The first steps of AdamW with a gradient that is always 4: its two means, as they are and corrected."""

import numpy as np

from solutions.language_model.in_numpy import adamw_step
from tools.drawings.kit import Drawing, number

GRADIENT, STEPS = 4.0, 5  # the chapter's parameter
LEFTS, BASE, UNIT, STEP = (30, 400), 222, 26, 56


def draw() -> Drawing:
    """Draw how large a step is, in learning rates, with and without the correction."""
    weight = mean = square = np.zeros(1)
    raw, steps = [], []
    for step in range(1, STEPS + 1):
        before = weight
        weight, mean, square = adamw_step(weight, np.array([GRADIENT]), mean, square, step, 1.0, np.zeros(1))
        raw.append(float(mean[0] / np.sqrt(square[0])))
        steps.append(float(before[0] - weight[0]))
    svg = Drawing(
        "Both means of AdamW begin at 0: without the correction the first steps are too long, with it each has one size",
        f"Two groups of {STEPS} bars for a parameter whose gradient is always {number(GRADIENT)}, one for each step. "
        f"Left, the mean over the root of the mean of the squares: {', '.join(number(r) for r in raw)}. Right, with "
        f"both divided by what is missing at the beginning: {', '.join(number(s) for s in steps)}.",
        height=316,
    )
    heads = ("as they are: m / √s", "corrected, as in AdamW")
    for left, head, sizes, role in zip(LEFTS, heads, (raw, steps), ("mute", "context"), strict=True):
        svg.text(left, 22, head, "ink", "start", "strong")
        svg.bars(left, BASE, sizes, UNIT, role, [str(step + 1) for step in range(STEPS)], STEP)
    svg.text(LEFTS[0], BASE + 50, "step", "mute", "start", "small")
    svg.text(LEFTS[0], BASE + 80, "the size of a step, in learning rates", "mute", "start", "small")
    return svg
