"""The block of the chapter, with the parameters of each part."""

from solutions.gpt.in_numpy import initial_weights
from tools.drawings.gpt import BLOCKS, HEADS, HIDDEN, KV_HEADS, VOCABULARY, D, strip
from tools.drawings.kit import Drawing

PATH, TOP, HIGH = 122, 186, 40
PARTS = (
    (("norm1", "mute", "norm1"), ("attention", "ink", "attention")),
    (("norm2", "mute", "norm2"), ("gated layers", "ink", "W_")),
)


def draw() -> Drawing:
    """Draw from left to right: the thick line is X; what is added to it stands below."""
    arrays = initial_weights(VOCABULARY, D, HEADS, KV_HEADS, HIDDEN, BLOCKS)
    sizes = {
        name.removeprefix("blocks.0."): a.size for name, a in arrays.items() if name.startswith("blocks.0.")
    }
    counts = {
        start: sum(sizes[n] for n in sizes if n.startswith(start)) for _, _, start in [*PARTS[0], *PARTS[1]]
    }
    total = sum(sizes.values())
    svg = Drawing(
        f"A block of the GPT: X goes through two sums only, and its four parts have {total:,} parameters",
        f"The parts of the model in a row, both blocks marked. Below, a thick line from X to the result, both of {D} "
        f"features, with two sums on it. Beside the line, norm1 with {counts['norm1']} parameters, then attention with "
        f"{counts['attention']:,}, whose result is added; norm2 with {counts['norm2']}, then gated layers with "
        f"{counts['W_']:,}, whose result is added.",
        height=TOP + HIGH + 96,
    )
    strip(svg, "block")
    svg.text(6, PATH, f"X: {D}", anchor="start", kind="small")
    svg.line([(76, PATH), (638, PATH)], "ink", 5)
    svg.head((650, PATH), 0, "ink")
    svg.text(714, PATH, f"{D}", anchor="end", kind="small")
    for left, parts in zip((92, 372), PARTS, strict=True):
        (norm, _, first), (layer, _, second) = parts
        svg.arrow([(left + 38, PATH), (left + 38, TOP)], "mute")
        svg.box(left, TOP, 86, HIGH, "mute", norm, kind="empty", text="mute")
        svg.arrow([(left + 86, TOP + HIGH / 2), (left + 106, TOP + HIGH / 2)], "mute")
        svg.box(left + 106, TOP, 146, HIGH, "context", layer)
        svg.arrow([(left + 226, TOP), (left + 226, PATH + 3)], "context")
        svg.text(left + 226, PATH - 22, "+", "context", kind="strong")
        svg.text(left + 43, TOP + HIGH + 20, f"{counts[first]:,}", "mute", kind="small")
        svg.text(left + 179, TOP + HIGH + 20, f"{counts[second]:,}", "mute", kind="small")
    svg.text(360, TOP + HIGH + 64, f"parameters, {total:,} in a block", "mute", kind="small")
    return svg
