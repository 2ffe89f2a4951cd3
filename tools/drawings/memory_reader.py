"""A cell that is multiplied at each step, and a reader that goes back to it."""

import numpy as np

from tools.drawings.kit import Drawing, number, share

FORGET, SCORES = 0.9, np.array([3.0, 0.0, 0.0])  # the chapter's gate, and its scores of three cells
CELLS = np.array([[1.0, 0.0], [0.2, 0.5], [0.0, 1.0]])
LEFT, STEP, WIDE = 150, 190, 120


def draw() -> Drawing:
    """Draw the chapter's three cells: the LSTM keeps the last, the reader a weighted sum of all."""
    weights = np.exp(SCORES) / np.exp(SCORES).sum()
    last_cell, read = FORGET * CELLS[-1], FORGET * weights @ CELLS
    svg = Drawing(
        "An LSTM goes on from its last cell; a machine reader goes on from a weighted sum of all cells",
        f"Three cells of two numbers, one for each step. Above, the LSTM takes the last one times {FORGET}: "
        f"{_pair(last_cell)}. Below, the reader takes the sum of all three with the weights "
        f"{', '.join(share(w) for w in weights)}, times {FORGET}: {_pair(read)}. The first cell's 1 is there still.",
        height=440,
    )
    xs = [LEFT + i * STEP for i in range(3)]
    svg.text(14, 200, "cells", "value", "start", "strong")
    for i, (x, cell) in enumerate(zip(xs, CELLS, strict=True)):
        svg.cells(x, 180, [[number(v) for v in cell]], "value", WIDE / 2, 44)
        svg.line([(x + WIDE / 2, 224), (x + WIDE / 2, 262)], "weight", 12 * weights[i] + 1)
        svg.text(x + WIDE / 2, 282, share(weights[i]), kind="small")
    svg.text(14, 282, "weights", "weight", anchor="start")
    svg.arrow([(xs[2] + WIDE / 2, 180), (xs[2] + WIDE / 2, 96)], "value", 4)
    svg.text(xs[2] + WIDE / 2 - 14, 138, f"× {FORGET}", anchor="end", kind="small")
    svg.box(xs[2] - 10, 48, WIDE + 20, 46, "ink", _pair(last_cell))
    svg.text(xs[2] - 26, 71, "the LSTM goes on from", anchor="end")
    for x, weight in zip(xs, weights, strict=True):
        svg.drop((x + WIDE / 2, 304), (xs[2] + WIDE / 2, 384), "weight", 12 * weight + 1)
    svg.box(xs[2] - 20, 384, WIDE + 40, 46, "context", _pair(read), words="strong")
    svg.text(xs[2] - 36, 412, "the reader goes on from", "context", "end")
    return svg


def _pair(cell: np.ndarray) -> str:
    return f"({number(cell[0])}, {number(cell[1])})"
