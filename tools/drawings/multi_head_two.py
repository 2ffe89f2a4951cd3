"""One row of weights gives one mixture; two rows keep two numbers apart."""

import numpy as np

from tools.drawings.kit import Drawing, number

SENTENCES = np.array([[1.0, 0, 5], [5, 0, 1]])  # the chapter's
ONE, TWO = np.array([[0.5, 0, 0.5]]), np.array([[1.0, 0, 0], [0, 0, 1]])
LEFT, WIDE, CELL, STEP, TOP = 30, 370, 64, 100, 66


def draw() -> Drawing:
    """Draw two sentences of three numbers, by one row of weights and by two."""
    results = [[sentence @ rows.T for rows in (ONE, TWO)] for sentence in SENTENCES]
    svg = Drawing(
        "One row of weights gives both sentences the same number; two rows give each its two numbers",
        "Two sentences, 1, 0, 5 and 5, 0, 1, each drawn twice. On the left one row of weights takes half of the "
        f"first and half of the last number: {number(results[0][0][0])} for both sentences. On the right two heads "
        f"take the first and the last number: {_pair(results[0][1])} and {_pair(results[1][1])}.",
        height=400,
    )
    for i, (name, rows) in enumerate((("one row of weights", ONE), ("two heads", TWO))):
        svg.text(LEFT + i * WIDE + 150, 22, name, kind="strong")
        for j, sentence in enumerate(SENTENCES):
            _mixed(svg, LEFT + i * WIDE, TOP + j * 170, sentence, rows)
    return svg


def _mixed(svg: Drawing, x: float, y: float, sentence: np.ndarray, rows: np.ndarray) -> None:
    """Draw the numbers above, the mixtures below; a line is as wide as its weight."""
    places = [x + 50 + k * STEP for k in range(len(sentence))]
    ends = [x + 150] if len(rows) == 1 else [x + 100, x + 200]
    for place, entry in zip(places, sentence, strict=True):
        svg.box(place - CELL / 2, y, CELL, 42, "value", number(entry))
    for end, weights in zip(ends, rows, strict=True):
        for place, weight in zip(places, weights, strict=True):
            if weight:
                svg.drop((place, y + 42), (end, y + 98), "weight", 10 * weight + 1)
        svg.box(end - CELL / 2, y + 98, CELL, 42, "context", number(weights @ sentence), words="strong")


def _pair(numbers: np.ndarray) -> str:
    return " and ".join(number(x) for x in numbers)
