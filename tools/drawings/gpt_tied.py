"""The table at both ends of the model, with the parameters of each part."""

from solutions.gpt.in_numpy import initial_weights
from tools.drawings.gpt import BLOCKS, HEADS, HIDDEN, KV_HEADS, VOCABULARY, D, middles, strip
from tools.drawings.kit import Drawing

TABLE, COUNTS = 112, 194


def draw() -> Drawing:
    """Draw the model in a row; below it the one table of its two ends, and how large each part is."""
    sizes = {
        name: a.size for name, a in initial_weights(VOCABULARY, D, HEADS, KV_HEADS, HIDDEN, BLOCKS).items()
    }
    total, table, norm = sum(sizes.values()), sizes["embedding.weight"], sizes["norm.weight"]
    block = (total - table - norm) // BLOCKS
    svg = Drawing(
        f"One table serves both ends of the model: {table:,} of its {total:,} parameters, counted once",
        f"The parts of the model in a row, the embedding in front of the blocks and the one after the norm marked. "
        f"Below, one table of {VOCABULARY} times {D}, joined to both: {table:,} parameters. Below the blocks and the "
        f"norm stand theirs: {block:,} in each of {BLOCKS} blocks, and {norm} in the norm.",
        height=COUNTS + 20,
    )
    strip(svg, "embedding")
    first, last = middles()[1], middles()[-2]
    left, right = (first + last) / 2 - 160, (first + last) / 2 + 160
    svg.line([(first, 78), (first, TABLE + 19), (left, TABLE + 19)], "context")
    svg.line([(last, 78), (last, TABLE + 19), (right, TABLE + 19)], "context")
    svg.box(left, TABLE, 320, 38, "context", f"one table: {VOCABULARY} × {D} = {table:,}")
    svg.text(360, COUNTS, f"each block {block:,}, the norm {norm}, in all {total:,}", "mute", kind="small")
    return svg
