"""How many positions a window of D on each side holds: around a real place, and around a whole one."""

import numpy as np

from solutions.global_local.in_numpy import window_mask
from tools.drawings.kit import Drawing, number

D, NUM, PLACES = 2, 9, (3.6, 4.0)
LEFT, STEP, TOP, ROW = 46, 76, 92, 146


def draw() -> Drawing:
    """Draw nine positions, and the same window at two places."""
    windows = [window_mask(np.array([[p]]), np.array([NUM]), NUM, D)[0, 0] for p in PLACES]
    sentences = [
        f"Around {number(p)} it holds the positions {', '.join(str(i) for i in np.nonzero(row)[0])}, which are {row.sum()}"
        for p, row in zip(PLACES, windows, strict=True)
    ]
    svg = Drawing(
        "A window of D on each side holds 2D positions around a real place, and 2D + 1 around a whole one",
        f"Twice a line with the positions 0 to {NUM - 1}, and a window that reaches {D} to each side of a place. {'. '.join(sentences)}. "
        "Positions inside are filled.",
        height=TOP + ROW + 66,
    )
    for i, (place, row) in enumerate(zip(PLACES, windows, strict=True)):
        y, x = TOP + ROW * i, LEFT + STEP * place
        name = f"{row.sum()} = " + ("2D" if row.sum() == 2 * D else "2D + 1")
        svg.text(LEFT - 20, y - 66, f"p = {number(place)}: {name} positions", anchor="start", kind="strong")
        svg.bar(x - D * STEP, y - 30, 2 * D * STEP, 60, "mute")
        svg.line([(LEFT - 20, y), (LEFT + STEP * (NUM - 1) + 20, y)], "mute")
        svg.line([(x, y - 30), (x, y + 30)], "query", 4)
        for j, inside in enumerate(row):
            svg.dot(LEFT + STEP * j, y, "weight" if inside else "mute", 9 if inside else 5)
            svg.text(LEFT + STEP * j, y + 48, str(j), "ink" if inside else "mute", kind="small")
    return svg
