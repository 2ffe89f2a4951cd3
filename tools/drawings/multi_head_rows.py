"""The projections of two heads, one below the other, are one matrix; its product is cut into the heads."""

from tools.drawings.kit import Drawing

WORDS, HIDDENS, SIZE = 3, 4, 2  # the chapter's sizes
X, W, Q = 30, 252, 526
TOP, CELL = 116, 40


def draw() -> Drawing:
    """Draw three words of four features, projected by one matrix for both heads."""
    svg = Drawing(
        "One product with a matrix of all heads' rows computes the queries of all heads",
        f"X has {WORDS} words of {HIDDENS} features. The matrix W q has {HIDDENS} rows: the first {SIZE} are head 1's, "
        f"the other {SIZE} head 2's, and each row has an entry for every feature of X. In the product X times W q "
        f"transposed the first {SIZE} columns are the queries of head 1, the others those of head 2. So each head sees "
        f"all features, and the cut comes after the projection.",
        height=330,
    )
    svg.text(X + 80, 24, "X", kind="strong")
    svg.text(X + 80, 51, "words × features", "mute", kind="small")
    svg.cells(X, TOP, [[""] * HIDDENS] * WORDS, "ink", CELL, CELL)
    svg.text(W + 80, 24, "W", kind="strong", index="q")
    svg.text(W + 80, 51, "a row per feature of Q", "mute", kind="small")
    svg.text(Q + 80, 24, "Q", kind="strong")
    svg.text(Q + 80, 51, "X Wᵀ, then cut", "mute", kind="small")
    svg.text((X + 4 * CELL + W) / 2, TOP + 60, "·", kind="strong", size=40)
    svg.arrow([(W + 4 * CELL + 24, TOP + 60), (Q - 22, TOP + 60)])
    for head, (role, kind) in enumerate((("query", "shape"), ("query", "empty"))):
        high = 86 + head * (SIZE * CELL + 14)
        svg.cells(W, high, [[""] * HIDDENS] * SIZE, role, CELL, CELL, kind)
        svg.text(
            W + 4 * CELL + 10, high + (12 if head == 0 else 68), f"head {head + 1}", role, "start", "small"
        )
        left = Q + head * (SIZE * CELL + 14)
        svg.cells(left, TOP, [[""] * SIZE] * WORDS, role, CELL, CELL, kind)
        svg.text(left + CELL, TOP + WORDS * CELL + 22, f"head {head + 1}", role, kind="small")
    svg.text(360, 306, "each row of W has an entry for every feature of X", "ink", kind="small")
    return svg
