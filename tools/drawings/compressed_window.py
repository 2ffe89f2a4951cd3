"""Windows between full layers: what six layers keep of sixteen tokens."""

from tools.drawings.kit import Drawing

LAYERS, TOKENS, WINDOW = 6, 16, 4
LEFT, TOP, SIZE, HIGH = 150, 40, 28, 34


def draw() -> Drawing:
    """Draw a row for each layer; what it still keeps is filled."""
    svg = Drawing(
        "Five layers keep the last four tokens, the sixth keeps all sixteen",
        f"A grid with a row for each of {LAYERS} layers and a column for each of {TOKENS} tokens. In five rows only the "
        f"last {WINDOW} cells are filled, in the last row all. On the right stand the numbers of tokens kept.",
        height=TOP + LAYERS * HIGH + 40,
    )
    total = 0
    for layer in range(LAYERS):
        full = layer == LAYERS - 1
        y, cached = TOP + layer * HIGH, TOKENS if full else WINDOW
        total += cached
        svg.text(LEFT - 14, y + HIGH / 2 - 3, "full" if full else "window", anchor="end")
        if cached < TOKENS:
            svg.cells(LEFT, y, [[""] * (TOKENS - cached)], "mute", SIZE, HIGH - 6, kind="empty faint")
        svg.cells(LEFT + (TOKENS - cached) * SIZE, y, [[""] * cached], "key", SIZE, HIGH - 6)
        svg.text(LEFT + TOKENS * SIZE + 40, y + HIGH / 2 - 3, str(cached))
    svg.text(LEFT, 20, "tokens read so far", "mute", "start", "small")
    svg.text(LEFT + TOKENS * SIZE + 40, 20, "kept", "mute", kind="small")
    x, y = LEFT + TOKENS * SIZE + 60, TOP + LAYERS * HIGH + 16
    svg.text(x, y, f"{total} in place of {LAYERS * TOKENS}", anchor="end", kind="strong")
    return svg
