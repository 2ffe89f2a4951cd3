"""Lengths of batch elements, handed to all queries: each repeated, or the whole list."""

import numpy as np

from tools.drawings.kit import Drawing

LENGTHS, QUERIES, KEYS = np.array([2, 4]), 2, 4  # the chapter's example
LEFT, WIDE, CELL, TOP = 150, 340, 44, 62


def draw() -> Drawing:
    """Draw two sentences of two queries and four keys, with their own lengths and with mixed ones."""
    svg = Drawing(
        "The lengths 2 and 4 of two sentences with two queries each: 2, 2, 4, 4 is right, and 2, 4, 2, 4 is not",
        "Two matrices of four rows, two rows for each of two sentences, and four keys. On the left the rows of the "
        "first sentence have two valid keys and those of the second four. On the right the lengths alternate, so "
        "the second query of the first sentence attends to padding, and the first of the second misses two words.",
        height=330,
    )
    for left, name, lengths in (
        (LEFT, "each repeated", np.repeat(LENGTHS, QUERIES)),
        (LEFT + WIDE, "the list repeated", np.tile(LENGTHS, QUERIES)),
    ):
        right = np.repeat(LENGTHS, QUERIES)
        svg.text(left + 2 * CELL, 22, name, kind="strong")
        for row, (length, expected) in enumerate(zip(lengths, right, strict=True)):
            high = TOP + row * CELL + (row // QUERIES) * 26
            for key in range(KEYS):
                role = "key" if key < expected else "mute"
                svg.cells(
                    left + key * CELL, high, [[""]], role, CELL, CELL, "shape" if key < length else "empty"
                )
            wrong = length != expected
            svg.text(left + KEYS * CELL + 22, high + CELL / 2, str(length), "context" if wrong else "ink")
    for sentence in range(len(LENGTHS)):
        high = TOP + sentence * (QUERIES * CELL + 26) + CELL
        svg.text(14, high, f"sentence {sentence + 1}", anchor="start")
    svg.text(
        LEFT + WIDE / 2 + 80, 300, "filled: keys that the row attends to; grey: padding", "mute", kind="small"
    )
    return svg
