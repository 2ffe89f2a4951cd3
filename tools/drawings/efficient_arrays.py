"""The arrays of plain attention, of tiles, and of blocks and tiles, to scale."""

from tools.drawings.kit import Drawing

BATCH, N, D, TILE = 2, 2000, 64, 128  # the chapter's largest case
SIDE, TOP = 250, 96
COLUMNS = (24, 312, 452, 592)


def draw() -> Drawing:
    """Draw the scores that are held at once, as areas, and the result."""
    shapes = {"plain": (N, N), "tiles": (N, TILE), "blocks": (TILE, TILE)}
    sizes = {name: f"{BATCH * rows * columns * 4 // 2**10:,} KiB" for name, (rows, columns) in shapes.items()}
    result = f"{BATCH * N * D * 4 // 2**10:,} KiB"
    svg = Drawing(
        "The scores that are held at once, to scale: the whole matrix, a tile of keys, a tile of queries and keys",
        f"For {N:,} queries and as many keys, in two sequences. Plain: a square of {N:,} by {N:,} scores, "
        f"{sizes['plain']}. Tiles: a strip of {N:,} by {TILE}, {sizes['tiles']}. Blocks: a small square of {TILE} by "
        f"{TILE}, {sizes['blocks']}, beside which the result itself, a strip of {N:,} by {D} with {result}, is the "
        "largest array.",
        height=446,
    )
    for x, (name, (rows, columns)) in zip(COLUMNS, shapes.items(), strict=False):
        wide, high = SIDE * columns / N, SIDE * rows / N
        svg.text(x, 24, name, anchor="start", kind="strong")
        svg.text(x, 54, f"{rows:,} × {columns:,}", "mute", "start", "small")
        svg.cells(x, TOP, [[""]], "weight", wide, high)
        svg.text(x, TOP + SIDE + 28, sizes[name], anchor="start", kind="strong")
    svg.text(COLUMNS[-1], 24, "result", "context", "start", "strong")
    svg.text(COLUMNS[-1], 54, f"{N:,} × {D}", "mute", "start", "small")
    svg.cells(COLUMNS[-1], TOP, [[""]], "context", SIDE * D / N, SIDE)
    svg.text(COLUMNS[-1], TOP + SIDE + 28, result, "context", "start", "strong")
    svg.text(24, 404, "green: scores that are held at once, for two sequences", "weight", "start", "small")
    svg.text(24, 430, "with blocks the result is the largest array", "context", "start", "small")
    return svg
