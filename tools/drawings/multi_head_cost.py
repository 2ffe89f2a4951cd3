"""What more heads cost: as many parameters as before, and more weights."""

from solutions.multi_head.in_numpy import head_sizes
from tools.drawings.kit import Drawing

STEPS, HIDDENS = 3, 4  # the chapter's sentence
COUNTS = (1, 2, 4)
TOP, ROW, CELL = 78, 124, 22
MATRIX, MAPS = 112, 366


def draw() -> Drawing:
    """Draw one of the four matrices, cut among 1, 2 and 4 heads, and the weights of one sentence."""
    sizes = {n: head_sizes(STEPS, HIDDENS, n) for n in COUNTS}
    costs = "; ".join(f"with {n}, {size[1]} parameters and {size[2]} weights" for n, size in sizes.items())
    svg = Drawing(
        "More heads: the same matrices are cut into more parts, and each head has a map of weights of its own",
        f"Three rows, for {', '.join(map(str, COUNTS))} heads. Left one of the four matrices, of {HIDDENS} rows, divided among the heads; "
        f"right a map of {STEPS} times {STEPS} weights for each head. For one sentence: {costs}.",
        height=TOP + ROW * len(COUNTS) - 12,
    )
    svg.text(MATRIX + 2 * CELL, 24, "W", kind="strong", index="q")
    svg.text(MATRIX + 4 * CELL + 18, 24, "parameters", "mute", "start", "small")
    svg.text(MAPS, 24, "weights of one sentence", "weight", "start", "strong")
    for i, (count, (size, parameters, weights)) in enumerate(sizes.items()):
        y = TOP + i * ROW
        svg.text(10, y + 44, f"{count} head{'s' * (count > 1)}", anchor="start")
        for h in range(count):
            kind, top = "empty" if h % 2 else "shape", y + h * (size * CELL + 5) - 2.5 * (count - 1)
            svg.cells(MATRIX, top, [[""] * HIDDENS] * size, "query", CELL, CELL, kind)
            svg.cells(MAPS + h * 78, y + 11, [[""] * STEPS] * STEPS, "weight", CELL, CELL)
        words = f"4 · {parameters // 4} = {parameters}"
        svg.text(MATRIX + 4 * CELL + 18, y + 44, words, anchor="start")
        svg.text(712, y + 44, str(weights), "weight", "end", "strong")
    return svg
