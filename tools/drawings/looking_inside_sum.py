"""A layer's result as a sum over heads, each with its block of columns of the last matrix."""

import numpy as np

from tools.drawings.kit import PALE, Drawing, number, vector

HEADS, SIZE = 2, 2
LEFT, CELL, HIGH = 20, 52, 40


def draw() -> Drawing:
    """Draw one token, two heads of two features: the chapter's random numbers."""
    rng = np.random.default_rng(0)
    heads = rng.normal(size=(HEADS, 3, SIZE))[:, 0]
    matrix = rng.normal(size=(HEADS * SIZE, HEADS * SIZE))
    parts = [head @ matrix[:, SIZE * h : SIZE * (h + 1)].T for h, head in enumerate(heads)]
    whole = np.concatenate(heads) @ matrix.T
    assert np.allclose(sum(parts), whole)
    svg = Drawing(
        "The result of a layer is a sum: each head is multiplied by its own block of columns of the last matrix",
        f"Two rows, one for each head. Its context of {SIZE} numbers is multiplied by its block of the matrix; the "
        f"results are {vector(parts[0])} and {vector(parts[1])}. Their sum is the result of the layer, {vector(whole)}.",
        height=350,
    )
    svg.text(LEFT + CELL, 22, "context", "context", kind="strong")
    svg.text(260, 22, "its columns", kind="strong")
    svg.text(560, 22, "what the head adds", kind="strong")
    for h, (head, part) in enumerate(zip(heads, parts, strict=True)):
        middle = 106 + h * 118
        svg.cells(LEFT, middle - HIGH / 2, [[number(x, 1) for x in head]], "context", CELL, HIGH)
        svg.text(160, middle, "×", "mute")
        for column in range(HEADS * SIZE):
            role, kind, _ = ("ink", "shape", "") if column // SIZE == h else PALE
            svg.box(190 + column * 34, middle - 44, 30, 88, role, kind=kind)
        svg.arrow([(346, middle), (400, middle)])
        svg.cells(414, middle - HIGH / 2, [[number(x) for x in part]], "ink", 70, HIGH)
    svg.cells(414, 292, [[number(x) for x in whole]], "context", 70, HIGH)
    svg.text(400, 312, "sum", "context", "end")
    return svg
