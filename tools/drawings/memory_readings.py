"""What one reading gives in four stories: both pairs of stories have the same sum."""

import numpy as np

from tools.drawings.kit import Drawing, centres, number

STORIES = (("John", "garden"), ("Mary", "kitchen"), ("John", "kitchen"), ("Mary", "garden"))
WEIGHTS, NAMES = (0.5, 0.3, 0.2), ("John", "Mary", "garden", "kitchen")  # the chapter's
LEFT, CELL, HIGH, ROWS = 304, 100, 42, (64, 112, 222, 270)


def draw() -> Drawing:
    """Draw the chapter's four stories; the first two have the ball in the garden, the others in the kitchen."""
    other = {"garden": "kitchen", "kitchen": "garden"}
    read = np.zeros((len(STORIES), len(NAMES)))
    for row, (holder, place) in zip(read, STORIES, strict=True):
        for weight, name in zip(WEIGHTS, (holder, place, other[place]), strict=True):
            row[NAMES.index(name)] += weight
    sums = [read[:2].sum(axis=0), read[2:].sum(axis=0)]
    assert np.allclose(*sums)
    words = [f"{holder} has it, John: {place}" for holder, place in STORIES]
    svg = Drawing(
        "What one reading gives in four stories: both pairs have the same sum, so no linear answer can tell them apart",
        f"Four rows of numbers for {', '.join(NAMES)}. "
        + ". ".join(
            f"{word}: {', '.join(number(float(x)) for x in row)}"
            for word, row in zip(words, read, strict=True)
        )
        + f". The ball is in the garden in the first two and in the kitchen in the last two; both pairs have the sum {', '.join(number(float(x)) for x in sums[0])}.",
        height=378,
    )
    svg.texts(centres(LEFT, CELL, 4), 24, NAMES, "value", "small strong")
    for y, word, row in zip(ROWS, words, read, strict=True):
        svg.text(10, y + HIGH / 2, word, anchor="start", kind="small")
        svg.cells(LEFT, y, [row], "value", CELL, HIGH, where=[row != 0])
    for y, total, place in zip((ROWS[1], ROWS[3]), sums, ("garden", "kitchen"), strict=True):
        svg.text(10, y + HIGH + 26, f"ball in the {place}; sum", "context", "start", "small strong")
        for j, entry in enumerate(total):
            svg.text(LEFT + (j + 0.5) * CELL, y + HIGH + 26, number(float(entry)), "context", kind="strong")
    return svg
