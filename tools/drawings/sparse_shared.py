"""Heads that share keys and values: each its own, two groups, one set for all."""

from tools.drawings.kit import Drawing

HEADS, LEFT, WIDE, STEP, SIZE = 4, 18, 240, 52, 44
KINDS = (("multi-head", 4), ("grouped-query", 2), ("multi-query", 1))  # sets of keys and values


def draw() -> Drawing:
    """Draw four heads, with four, two and one set of keys and values."""
    svg = Drawing(
        "Four heads of queries with four, two and one set of keys and values: the cache holds only the sets",
        "Three drawings, each with four heads of queries above. Multi-head attention has a set of keys and values for "
        "each head, grouped-query attention one for each group of two heads, and multi-query attention one for all; "
        "the cache holds four, two and one sets.",
        height=340,
    )
    for i, (name, sets) in enumerate(KINDS):
        x = LEFT + i * WIDE
        svg.text(x + 2 * STEP - 4, 22, name, kind="strong")
        for head in range(HEADS):
            centre = x + head * STEP
            group = head * sets // HEADS
            middle = x + (group + 0.5) * HEADS * STEP / sets - 4
            svg.box(centre, 56, SIZE, SIZE, "query")
            svg.drop((centre + SIZE / 2, 100), (middle, 180), "mute")
        for group in range(sets):
            middle = x + (group + 0.5) * HEADS * STEP / sets - 4
            svg.box(middle - SIZE / 2, 180, SIZE, 36, "key")
            svg.box(middle - SIZE / 2, 222, SIZE, 36, "value")
        svg.text(x + 2 * STEP - 4, 290, f"cache: {sets} of {HEADS}", "mute", kind="small")
    svg.text(LEFT, 324, "queries", "query", "start", "small")
    svg.text(LEFT + 100, 324, "keys", "key", "start", "small")
    svg.text(LEFT + 170, 324, "values", "value", "start", "small")
    return svg
