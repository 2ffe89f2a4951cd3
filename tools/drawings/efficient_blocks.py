"""Tiles that a mask leaves: below the diagonal, and in a window along it."""

import numpy as np

from tools.drawings.kit import Drawing

N, SIDE, WINDOW = 4096, 128, 256  # the chapter's
CELL, TOP, LEFTS = 9, 64, (40, 400)


def draw() -> Drawing:
    """Draw the tiles of the chapter's two masks that hold a pair, row after row."""
    place = np.arange(N)
    distance = place[:, None] - place
    masks = {"causal": distance >= 0, f"window of {WINDOW}": (distance >= 0) & (distance < WINDOW)}
    rows = N // SIDE
    tiles = {
        name: np.array(pairs.reshape(rows, SIDE, rows, SIDE).any(axis=(1, 3)))
        for name, pairs in masks.items()
    }
    svg = Drawing(
        "Of the tiles of a large mask only those that hold a pair are computed: half with a causal mask, few with a window",
        f"Two squares of {rows} by {rows} tiles, for {N:,} queries, one row to {SIDE} of them, and as many keys. Filled are the tiles "
        "that hold at least one pair: "
        + " and ".join(f"{name} {held.sum()} of {held.size}" for name, held in tiles.items())
        + ". The causal mask fills the lower triangle, the window a narrow band along the diagonal.",
        height=TOP + rows * CELL + 56,
    )
    for left, (name, held) in zip(LEFTS, tiles.items(), strict=True):
        svg.text(left, 22, name, anchor="start", kind="strong")
        svg.text(left, 46, "a row: queries; a column: keys", "mute", "start", "small")
        svg.box(left, TOP, rows * CELL, rows * CELL, "mute", kind="empty")
        for i in range(rows):
            (full,) = np.nonzero(held[i])
            for j in full if len(full) < 5 else full[-1:]:
                svg.cells(left + j * CELL, TOP + i * CELL, [[""]], "weight", CELL, CELL, "bar")
            if len(full) >= 5:
                svg.bar(left, TOP + i * CELL, (len(full) - 1) * CELL, CELL, "weight")
        svg.text(left, TOP + rows * CELL + 28, f"{held.sum()} of {held.size:,} tiles", anchor="start")
    return svg
