"""One layer of attention with rotary positions, shared keys and a cache, with its shapes."""

from tools.drawings.gpt import HEADS, KV_HEADS, D, strip
from tools.drawings.kit import Drawing

TOP, STEP, HIGH, WIDE = 104, 64, 38, 196
COLUMNS = (("W_q", "query", HEADS), ("W_k", "key", KV_HEADS), ("W_v", "value", KV_HEADS))


def draw() -> Drawing:
    """Draw from above to below: queries, keys and values, each in a column."""
    size, group = D // HEADS, HEADS // KV_HEADS
    svg = Drawing(
        f"The attention of a block: {HEADS} heads of queries, {KV_HEADS} of keys and values, rotary, with a cache",
        f"The parts of the model in a row, both blocks marked. Below, from above to below: the {D} features of a token "
        f"go through W_q, which gives {HEADS} heads of {size} features, and through W_k and W_v, which give {KV_HEADS} "
        f"heads each. Queries and keys are rotated. Keys and values go into the cache, {KV_HEADS} times {size} features "
        f"each for a token, and come out for all tokens so far; each head is repeated {group} times. The masked softmax "
        f"of the scores weights the values, and W_o gives {D} features again.",
        height=TOP + 6 * STEP + HIGH + 4,
    )
    strip(svg, "block")
    y = [float(TOP + i * STEP) for i in range(7)]
    middles = [124.0, 360.0, 596.0]
    svg.text(360, y[0], f"X: (b, n, {D}), new tokens only", kind="small")
    svg.line([(360, y[0] + 14), (360, y[0] + 26)])
    svg.line([(middles[0] - 1, y[0] + 26), (middles[2] + 1, y[0] + 26)])
    for x, (name, role, heads) in zip(middles, COLUMNS, strict=True):
        svg.arrow([(x, y[0] + 26), (x, y[1] - 18)], role)
        svg.box(x - WIDE / 2, y[1] - 18, WIDE, HIGH, role, f"{name}: {heads} × {size}")
        if role == "value":
            svg.arrow([(x, y[1] - 18 + HIGH), (x, y[3] - 18)], role)
            continue
        svg.arrow([(x, y[1] - 18 + HIGH), (x, y[2] - 18)], role)
        svg.box(x - WIDE / 2, y[2] - 18, WIDE, HIGH, role, "rotary", kind="empty")
        svg.arrow([(x, y[2] - 18 + HIGH), (x, (y[5] if role == "query" else y[3]) - 18)], role)
    for i, words in ((3, f"cache: {KV_HEADS} heads of all tokens so far"), (4, f"each head {group} times")):
        kind = "shape thick" if i == 3 else "empty"
        svg.box(360 - WIDE / 2, y[i] - 18, 236 + WIDE, HIGH, "ink", words, kind=kind)
        for x, (_, role, _) in zip(middles[1:], COLUMNS[1:], strict=True):
            svg.arrow([(x, y[i] - 18 + HIGH), (x, y[i + 1] - 18)], role)
    svg.box(26, y[5] - 18, 668, HIGH, "weight", "masked softmax of the scores, and the sum of the values")
    svg.arrow([(360, y[5] - 18 + HIGH), (360, y[6] - 18)], "context")
    svg.box(360 - WIDE / 2, y[6] - 18, WIDE, HIGH, "context", f"W_o: {D}")
    return svg
