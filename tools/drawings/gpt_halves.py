"""The pairs of features that are rotated together: neighbours, and half a head apart."""

import numpy as np

from solutions.positions.in_numpy import rotary
from tools.drawings.gpt import HEADS, D
from tools.drawings.kit import Drawing, number

SIZE = D // HEADS
LEFT, CELL, HIGH, OURS, THEIRS = 36, 54, 40, 64, 206


def draw() -> Drawing:
    """Draw a head of the chapter's model; below each pair the angle between one position and the next."""
    turned = rotary(np.eye(SIZE)[None, ::2], np.ones((1, SIZE // 2)))[0]
    angles = [
        number(float(np.arctan2(row[2 * m + 1], row[2 * m])), 5 if m == SIZE // 2 - 1 else 4)
        for m, row in enumerate(turned)
    ]
    half = SIZE // 2
    svg = Drawing(
        "Features that are rotated together: neighbours in our head, half a head apart in that of the package",
        f"A head of {SIZE} features, twice. Above, six pairs of neighbours: 0 and 1, 2 and 3, up to {SIZE - 2} and "
        f"{SIZE - 1}. Below, the two halves of a head, one below the other: 0 and {half}, 1 and {half + 1}, up to "
        f"{half - 1} and {SIZE - 1}. The angles of the six pairs from one position to the next are the same in both: "
        f"{', '.join(angles)}.",
        height=372,
    )
    svg.text(LEFT, 24, "ours: neighbours", anchor="start", kind="strong")
    svg.text(LEFT, 162, "theirs: half a head apart", anchor="start", kind="strong")
    for m, angle in enumerate(angles):
        x = LEFT + m * (2 * CELL + 4)
        svg.cells(x, OURS - 18, [[str(2 * m), str(2 * m + 1)]], "query", CELL - 3, HIGH)
        svg.line([(x + CELL / 2, OURS + 30), (x + CELL * 1.5 - 6, OURS + 30)], "query", 4)
        svg.cells(x + 24, THEIRS - 18, [[str(m)]], "query", CELL, HIGH)
        svg.cells(x + 24, THEIRS + 52, [[str(m + half)]], "query", CELL, HIGH)
        svg.line([(x + 24 + CELL / 2, THEIRS + 22), (x + 24 + CELL / 2, THEIRS + 52)], "query", 4)
        svg.text(x + 24 + CELL / 2, THEIRS + 118, angle, kind="small")
    words = "angle of each pair from one position to the next: the same in both"
    svg.text(360, THEIRS + 150, words, "mute", kind="small")
    return svg
