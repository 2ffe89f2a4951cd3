"""The mask that makes a decoder: without it a later word changes what is computed for earlier words."""

import numpy as np

from tools.drawings.kit import Drawing

WORDS = ("The", "FBI", "is", "chasing")
CELL, TOP, LEFT, WIDE = 58, 92, 112, 356


def draw() -> Drawing:
    """Which of four words each attends to, without and with the mask, and which change with the last word."""
    size = len(WORDS)
    ways = {
        "without a mask": np.ones((size, size), bool),
        "with the mask": np.tril(np.ones((size, size), bool)),
    }
    moved = [int(visible[:, -1].sum()) for visible in ways.values()]
    made = Drawing(
        "errata_mask",
        "Without a mask all words change when the last one does; with the mask that hides the future, only the last",
        f"Two squares of four queries by four keys, the words {', '.join(WORDS)}. The last word is changed. Without a "
        f"mask every query attends to it, and {moved[0]} rows change; with the mask only the last query does, and "
        f"{moved[1]} row changes.",
        height=TOP + size * CELL + 58,
    )
    for j, (name, visible) in enumerate(ways.items()):
        x = LEFT + WIDE * j
        made.text(x + size * CELL / 2, 22, name, kind="strong")
        made.text(x + (size - 0.5) * CELL, TOP - 20, "changed", "context", kind="small")
        for i, row in enumerate(visible):
            y, changes = TOP + CELL * i, bool(row[-1])
            role = "context" if changes else "ink"
            made.text(x - 10, y + CELL / 2, WORDS[i], role, "end", "small strong" if changes else "small")
            for k, seen in enumerate(row):
                part = "context" if seen and k == size - 1 else "weight"
                kind = "shape" if seen else "empty dashed"
                made.box(x + CELL * k + 2, y + 2, CELL - 4, CELL - 4, part if seen else "mute", kind=kind)
        made.text(x + size * CELL / 2, TOP + size * CELL + 28, f"{moved[j]} of {size} rows change", "context")
    return made
