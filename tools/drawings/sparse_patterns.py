"""Four patterns of pairs: all, a window, a window with gaps, and a first token that all see."""

from solutions.sparse.in_numpy import sparse_pattern
from tools.drawings.kit import Drawing

TOKENS = 6
KINDS = {
    "all": (6, 1, 0),
    "window": (2, 1, 0),
    "gaps": (3, 2, 0),
    "first": (2, 1, 1),
}  # the chapter's settings
LEFT, WIDE, CELL, TOP = 14, 177, 26, 60


def draw() -> Drawing:
    """Draw the chapter's four patterns for six tokens, with the number of their pairs."""
    patterns = {kind: sparse_pattern(TOKENS, *settings) for kind, settings in KINDS.items()}
    svg = Drawing(
        "Four causal patterns for six tokens: all pairs, a window, a window with gaps, and a token that all see",
        f"Four grids of {TOKENS} queries, one to a row, and {TOKENS} keys. Filled are the pairs that are computed: "
        + ", ".join(f"{kind} {int(pairs.sum())}" for kind, pairs in patterns.items())
        + ". The last row is the question.",
        height=300,
    )
    for i, (kind, pairs) in enumerate(patterns.items()):
        x = LEFT + i * WIDE
        svg.text(x + 3 * CELL, 22, kind, kind="strong")
        for row in range(TOKENS):
            for column in range(TOKENS):
                look = "shape" if pairs[row, column] else "empty faint"
                role = "query" if row == TOKENS - 1 and pairs[row, column] else "ink"
                svg.cells(x + column * CELL, TOP + row * CELL, [[""]], role, CELL, CELL, look)
        svg.text(x + 3 * CELL, TOP + TOKENS * CELL + 26, f"{int(pairs.sum())} pairs", "mute", kind="small")
    svg.text(LEFT, 278, "rows: queries, the last is the question", "query", "start", "small")
    return svg
