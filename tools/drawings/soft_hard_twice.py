"""Four ways to look at four patches: what the patches get in all, and what it costs."""

import numpy as np

from solutions.soft_hard.in_numpy import doubly_stochastic_penalty
from tools.drawings.kit import Drawing, centres, number

PATCHES = 4
READERS = {
    "one patch": np.eye(PATCHES)[[0, 0, 0, 0]],
    "once each": np.eye(PATCHES),
    "uniform": np.full((4, PATCHES), 0.25),
    "two words": np.full((2, PATCHES), 0.25),
}  # the chapter's
LEFT, STEP, CELL, TOP = 34, 174, 36, 62


def draw() -> Drawing:
    """Draw the chapter's four matrices of weights, a row for each word, with the sums of the patches."""
    costs = {name: float(doubly_stochastic_penalty(w[None])[0]) for name, w in READERS.items()}
    sums = {name: [number(float(s)) for s in w.sum(axis=0)] for name, w in READERS.items()}
    svg = Drawing(
        "The weights of a word sum to 1; the term is small if those of each patch, over all words, sum to 1 as well",
        "Four squares of weights, a row for each word and a column for each of four patches. "
        + ". ".join(
            f"{name}: the patches get {', '.join(sums[name])}, which costs {number(costs[name])}"
            for name in READERS
        )
        + ".",
        height=330,
    )
    for i, (name, weights) in enumerate(READERS.items()):
        x = LEFT + i * STEP
        svg.text(x + 2 * CELL, 22, name, kind="strong")
        for row, line in enumerate(weights):
            for column, weight in enumerate(line):
                svg.cells(x + column * CELL, TOP + row * CELL, [[""]], "mute", CELL, CELL, "empty faint")
                if weight:
                    side = (CELL - 6) * float(weight) ** 0.5
                    shift = (CELL - side) / 2
                    svg.bar(x + column * CELL + shift, TOP + row * CELL + shift, side, side, "weight")
        svg.line([(x, TOP + 4 * CELL + 16), (x + 4 * CELL, TOP + 4 * CELL + 16)], "ink", 2)
        words = [s.lstrip("0") or "0" for s in sums[name]]
        svg.texts(centres(x, CELL, PATCHES), TOP + 4 * CELL + 36, words, "weight", "small")
        svg.text(x + 2 * CELL, TOP + 4 * CELL + 80, f"costs {number(costs[name])}", "context", kind="strong")
    legend = "below each square: the sum of each patch over all words"
    svg.text(LEFT, TOP + 4 * CELL + 110, legend, "mute", "start", "small")
    return svg
