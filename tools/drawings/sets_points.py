"""Seven tokens that attend to each other in all pairs, and by way of three learned points."""

from tools.drawings.kit import Drawing

TOKENS, POINTS, SIZE = 7, 3, 30
TOP, LOW = 74, 286


def draw() -> Drawing:
    """Draw two panels of lines, one for each score."""
    svg = Drawing(
        "Seven tokens compared in all pairs, and by way of three points",
        f"Left, {TOKENS} tokens below and {TOKENS} contexts above, with a line for each pair: {TOKENS**2}. Right, "
        f"{TOKENS} tokens below, {POINTS} latents in the middle, {TOKENS} contexts above: {TOKENS * POINTS} lines from "
        f"tokens to latents, and as many from latents to contexts.",
        height=346,
    )
    for left, words in ((30, f"{TOKENS**2} scores"), (390, f"2 · {TOKENS * POINTS} scores")):
        svg.text(left + 150, 24, words, kind="strong")
        xs = [left + 15 + 45 * i for i in range(TOKENS)]
        middles = [left + 60 + 90 * i for i in range(POINTS)]
        pairs = [((x, LOW), (y, TOP + SIZE), "weight") for x in xs for y in xs]
        if left > 100:
            pairs = [((x, LOW), (m, 195), "query") for x in xs for m in middles]
            pairs += [((m, 165), (x, TOP + SIZE), "weight") for x in xs for m in middles]
        for start, end, role in pairs:
            svg.line([start, end], role, 1.5)
        for x in xs:
            svg.box(x - SIZE / 2, LOW, SIZE, SIZE, "key")
            svg.box(x - SIZE / 2, TOP, SIZE, SIZE, "context")
        if left > 100:
            for m in middles:
                svg.box(m - SIZE / 2, 165, SIZE, SIZE, "query", kind="shape thick")
            svg.text(left, 180, "latents", "query", kind="small")
    svg.text(360, LOW + 44, "tokens below, their contexts above", "mute", kind="small")
    return svg
