"""The shifted target: what the decoder is given at each step, and what it must write there."""

import numpy as np

from solutions.transformer.in_numpy import shift_right
from tools.drawings.kit import Drawing

TARGET, START = np.array([[7, 5, 3, 9]]), 0
LEFT, STEP, CELL, HIGH = 170, 138, 96, 46


def draw() -> Drawing:
    """Draw the target of the chapter's table, given one step later."""
    inputs = ["start", *(str(token) for token in shift_right(TARGET, START)[0, 1:])]
    targets = [str(token) for token in TARGET[0]]
    svg = Drawing(
        "The shifted target: at each step the decoder is given the token before, and must write the next",
        f"Above, what is given at the four steps: {', '.join(inputs)}. Below, what must be written: "
        f"{', '.join(targets)}. An arrow leads from each token that was to be written to the next step, where it is "
        "given. In training all steps are computed at once, from the target; in use a step waits for the last.",
        height=340,
    )
    xs = [LEFT + i * STEP for i in range(len(targets))]
    svg.text(14, 61, "given", "query", "start", "strong")
    svg.text(14, 165, "decoder", anchor="start")
    svg.text(14, 267, "to write", "context", "start", "strong")
    for i, (x, before, after) in enumerate(zip(xs, inputs, targets, strict=True)):
        svg.text(x + CELL / 2, 20, f"step {i}", "mute", kind="small")
        svg.box(x, 38, CELL, HIGH, "query", before)
        svg.arrow([(x + CELL / 2, 84), (x + CELL / 2, 142)])
        svg.box(x, 142, CELL, HIGH, "ink")
        svg.arrow([(x + CELL / 2, 188), (x + CELL / 2, 244)], "context")
        svg.box(x, 244, CELL, HIGH, "context", after)
        if i + 1 < len(xs):
            svg.line([(x + CELL, 267), (x + CELL + 16, 267), (x + CELL + 16, 61)], "mute", 2, "dashed")
            svg.arrow([(x + CELL + 16, 61), (x + STEP, 61)], "mute")
    svg.text(LEFT + 1.5 * STEP + CELL / 2, 316, "each token is given one step later", "mute")
    return svg
