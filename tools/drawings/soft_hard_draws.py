"""Four draws, the estimate of the gradient that each gives, and their mean, which is the exact gradient."""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax
from tools.drawings.kit import Drawing, number, share

WEIGHTS, REWARDS = np.array([0.5, 0.25, 0.125, 0.125]), np.array([-0.2, -1.0, -2.0, -1.8])  # the chapter's
LEFT, STEP, UNIT, ROW, TOP = 326, 95, 24, 82, 84


def draw() -> Drawing:
    """Draw the chapter's four patches: the estimates from one draw each, and their mean over the draws."""
    alpha = softmax(np.log(WEIGHTS))
    estimates = REWARDS[:, None] * (np.eye(4) - alpha)
    mean = alpha @ estimates
    svg = Drawing(
        "The estimates from single draws differ in size and in sign; only their mean is the gradient",
        f"A row for each patch that may be drawn, with its probability and its reward, and the estimate that the draw "
        f"gives: a bar for the score of each patch, upwards where the score is raised. The draw of the first patch, which "
        f"has the best reward, lowers its score: {number(estimates[0, 0])}. The last row is the mean, each row weighted by "
        f"its probability: {', '.join(number(v, 3) for v in mean)}. It raises the score of the first patch alone.",
        height=TOP + 5 * ROW - 20,
    )
    svg.text(60, 24, "drawn", kind="strong")
    svg.text(160, 24, "chance", "weight", kind="strong")
    svg.text(262, 24, "reward", "value", kind="strong")
    svg.text(LEFT + 1.9 * STEP, 24, "change of each patch's score", kind="strong")
    for i, (chance, reward, row) in enumerate(zip(alpha, REWARDS, estimates, strict=True)):
        high = TOP + i * ROW
        svg.text(60, high, f"patch {i}", kind="small")
        svg.text(160, high, share(chance, 3), "weight", kind="small")
        svg.text(262, high, number(reward), "value", kind="small")
        _bars(svg, high, row, "ink")
    high = TOP + 4 * ROW + 16
    svg.line([(10, high - ROW / 2 - 6), (710, high - ROW / 2 - 6)], "mute", 1)
    svg.text(20, high, "mean: the gradient", "context", "start", "strong")
    _bars(svg, high, mean, "context")
    return svg


def _bars(svg: Drawing, high: float, values: np.ndarray, role: str) -> None:
    """Draw bars up or down from a line, each with its number beside it."""
    svg.line([(LEFT - 10, high), (LEFT + 4 * STEP - 12, high)], "mute", 1)
    for j, value in enumerate(values):
        x, tall = LEFT + j * STEP, abs(value) * UNIT
        svg.bar(x, high - (tall if value > 0 else 0), 24, tall, role)
        svg.text(x + 30, high + (-12 if value > 0 else 13), number(float(value), 3), role, "start", "small")
