"""The up-projection absorbed: the matrix is applied to every latent, or once to the query."""

from tools.drawings.kit import Drawing

ROWS, HIGH = 6, 26


def draw() -> Drawing:
    """Draw two ways to the same scores, one above the other."""
    svg = Drawing(
        "Two ways to the same scores: the matrix makes a key of every latent, or it is applied once to the query",
        f"Above, {ROWS} latents go through the matrix W and become {ROWS} keys, which are compared with the query q. "
        f"Below, the query q goes through the transposed matrix, once, and is compared with the {ROWS} latents.",
        height=446,
    )
    for top, absorbed in ((44, False), (252, True)):
        middle = top + ROWS * HIGH / 2
        words = "1 product with W" if absorbed else f"{ROWS} products with W"
        svg.text(16, top - 22, words, anchor="start", kind="strong")
        svg.cells(568, top, [["", "", ""]] * ROWS, "context", width=32, height=HIGH)
        svg.text(616, top + ROWS * HIGH + 20, "latents", "context")
        svg.cells(16, middle - 19, [["", ""]], "query")
        svg.text(60, middle + 38, "q", "query")
        if absorbed:
            svg.box(176, middle - 32, 72, 64, "mute", "Wᵀ", kind="empty")
            svg.arrow([(104, middle), (176, middle)], "query")
            svg.arrow([(248, middle), (300, middle)], "query")
            svg.cells(300, middle - 19, [["", "", ""]], "query", width=32)
            start = 396
        else:
            for row in range(ROWS):
                y = top + (row + 0.5) * HIGH
                svg.arrow([(568, y), (520, y)], "context")
                svg.arrow([(448, y), (402, y)], "key")
            svg.box(448, top, 72, ROWS * HIGH, "mute", "W", kind="empty")
            svg.cells(338, top, [["", ""]] * ROWS, "key", width=32, height=HIGH)
            svg.text(370, top + ROWS * HIGH + 20, "keys", "key")
            start = 104
        end = 568 if absorbed else 338
        for row in range(ROWS):
            svg.bend((start, middle), (end, top + (row + 0.5) * HIGH), "mute")
    return svg
