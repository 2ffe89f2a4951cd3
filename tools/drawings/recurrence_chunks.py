"""Nine tokens in chunks of three: pairs inside of a chunk by a matrix, all earlier ones by the state."""

from tools.drawings.kit import Drawing

CHUNKS, CHUNK, CELL, LEFT, TOP = 3, 3, 30, 60, 66


def draw() -> Drawing:
    """Draw the triangle of pairs with its blocks, and the state that goes from chunk to chunk."""
    side = CHUNK * CELL
    inside = CHUNKS * CHUNK * (CHUNK + 1) // 2
    pairs = CHUNKS * CHUNK * (CHUNKS * CHUNK + 1) // 2
    svg = Drawing(
        "Nine tokens in three chunks: a triangle of pairs inside of each, and a state for all earlier tokens",
        f"A square of nine queries by nine keys, cut into blocks of three by three. In the three blocks on the diagonal "
        f"{inside} pairs are filled: they are computed as a masked matrix. The blocks below the diagonal, with the other "
        f"{pairs - inside} pairs, are only outlined: their part comes from the state S. At the right a state goes from "
        "each chunk to the next; it is decayed, and the chunk's keys and values are added.",
        height=384,
    )
    for row in range(CHUNKS):
        for column in range(row):
            svg.box(LEFT + column * side, TOP + row * side, side, side, "mute", kind="empty dashed")
        for i in range(CHUNK):
            for j in range(i + 1):
                x, y = LEFT + row * side + j * CELL, TOP + row * side + i * CELL
                svg.cells(x, y, [[""]], "key", CELL, CELL)
    for column, row in ((0, 1), (0, 2), (1, 2)):
        svg.text(LEFT + (column + 0.5) * side, TOP + (row + 0.5) * side, "by S", "mute", kind="small")
    svg.text(LEFT + 1.5 * side, 26, "keys", "key", kind="strong")
    svg.text(26, TOP + 1.5 * side, "q", "query", kind="strong")
    x = 520
    for chunk in range(CHUNKS):
        high = TOP + (chunk + 0.5) * side
        svg.box(x - 130, high - 26, 130, 52, "key", f"chunk {chunk + 1}", words="small")
        svg.arrow([(x, high), (x + 86, high)], "context", 2)
        svg.text(x + 150, high, "contexts", "context", kind="small")
        if chunk:
            svg.arrow([(x - 65, high - side + 26), (x - 65, high - 28)], "ink", 3)
            svg.text(x - 42, high - side / 2, "S", kind="strong")
    svg.text(LEFT, 362, "filled: pairs in a matrix · dashed: by the state", "mute", "start", "small")
    return svg
