"""Numbers that fall with the distance, and the weights that they become when they are divided by their sum."""

import numpy as np

from tools.drawings.attention import READINGS, STATIONS
from tools.drawings.kit import Drawing, number

PLACES = (2.0, 8.0)
LEFT, WIDE, BASE, ROW, UNIT, STEP = 130, 330, 152, 200, 70, 84


def draw() -> Drawing:
    """Draw the chapter's three stations, asked from two places."""
    keys, values = np.array(STATIONS), np.array(READINGS)
    kernels = [np.exp(-((place - keys) ** 2) / 2) for place in PLACES]
    rows = [
        [(kernel, kernel @ values), (kernel / kernel.sum(), kernel @ values / kernel.sum())]
        for kernel in kernels
    ]
    sentences = [
        f"At {number(place)} km: {', '.join(number(float(k), 3) for k in row[0][0])}, with the result "
        f"{number(float(row[0][1]), 1)} °C; divided by their sum {', '.join(number(float(w)) for w in row[1][0])}, with the "
        f"result {number(float(row[1][1]), 1)} °C."
        for place, row in zip(PLACES, rows, strict=True)
    ]
    svg = Drawing(
        "Numbers that fall with the distance give a wrong temperature; divided by their sum they are weights",
        f"Four groups of three bars, one for each weather station. {' '.join(sentences)} Only the weights give a temperature "
        "between those of the stations.",
        height=BASE + ROW + 76,
    )
    for j, head in enumerate(("the numbers", "divided by their sum")):
        svg.text(LEFT + WIDE * j + 1.5 * STEP - 30, 22, head, "weight" if j else "ink", kind="strong")
    for i, (place, row) in enumerate(zip(PLACES, rows, strict=True)):
        base = BASE + ROW * i
        svg.text(14, base - 40, "asked at", "query", "start")
        svg.text(14, base - 12, f"{number(place)} km", "query", "start", "strong")
        for j, (heights, result) in enumerate(row):
            x = LEFT + WIDE * j - 30
            places = [f"{number(value)} °C" for value in READINGS]
            svg.bars(x, base, heights, UNIT, "weight" if j else "mute", places, STEP)
            right = READINGS[0] <= result <= READINGS[-1]
            words = f"{number(float(result), 1)} °C"
            svg.text(x + 1.5 * STEP, base + 54, words, "context strong" if right else "ink")
    return svg
