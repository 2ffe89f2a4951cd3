"""A GPT from tokens to logits, with the shapes between its parts; `strip` is the same, small, with a place marked."""

from collections.abc import Iterable
from itertools import accumulate

from tools.drawings.kit import Drawing

D, HEADS, KV_HEADS, HIDDEN, BLOCKS, VOCABULARY = 48, 4, 2, 128, 2, 512  # the chapter's model
LEFT, WIDE, RIGHT = 70, 310, 420
HEIGHT, STEP, BEHIND = 44, 76, 556
STAGES = (
    ("tokens", 80, "(b, n)"),
    ("embedding", 124, f"(b, n, {D})"),
    *[("block", 72, "")] * BLOCKS,
    ("norm", 68, ""),
    ("embedding", 124, f"(b, n, {VOCABULARY})"),
    ("logits", 70, ""),
)
GAP = 16


def strip(svg: Drawing, here: str, y: float = 8) -> None:
    """Draw the parts of the model in a row, with the shape of what they give; those named `here` are marked.

    It is 72 high: b is the batch, n the number of tokens.
    """
    for i, (x, (stage, width, shape)) in enumerate(zip(middles(), STAGES, strict=True)):
        left, right = x - width / 2, x + width / 2
        marked = stage == here
        kind, role = ("shape thick", "context") if marked else ("empty", "mute")
        if 0 < i < len(STAGES) - 1:
            svg.box(left, y, width, 36, role, kind=kind)
        svg.text(x, y + 18, stage, "ink" if marked else "mute", kind="small strong" if marked else "small")
        if shape:
            svg.text(x, y + 56, shape, "mute", kind="small")
        if i < len(STAGES) - 1:
            svg.arrow([(right, y + 18), (right + GAP, y + 18)], "mute", 1.5)


def middles() -> list[float]:
    """Return where each part of the row has its middle."""
    lefts = accumulate((width + GAP for _, width, _ in STAGES), initial=7)
    return [left + width / 2 for left, (_, width, _) in zip(lefts, STAGES, strict=False)]


def draw() -> Drawing:
    """Read from above to below; beside each part what it gives."""
    size = D // HEADS
    svg = Drawing(
        "A GPT: tokens are embedded, go through blocks of attention and gated layers, and the embedding gives logits",
        f"From above to below: tokens; the embedding gives {D} features to each; in each of {BLOCKS} blocks an RMS "
        f"norm, attention with {HEADS} heads of queries and {KV_HEADS} of keys and values, which is added to what went "
        f"into the norm, and a second norm with gated layers of {HIDDEN} units, added in the same way; a last norm; and "
        f"the same embedding, transposed, which gives {VOCABULARY} logits for each token. A cache beside the attention "
        f"keeps keys and values of {size} features for each of its {KV_HEADS} heads.",
        height=740,
    )
    svg.text(LEFT + WIDE / 2, 14, "tokens", kind="strong")
    svg.text(RIGHT, 14, "(batch, num_tokens)", "mute", "start", "small")
    _part(svg, 62, "embedding", f"(batch, num_tokens, {D})", "value")
    svg.line([(LEFT + WIDE / 2, 62 + HEIGHT), (LEFT + WIDE / 2, 160)])
    svg.box(LEFT - 46, 144, WIDE + 64, 378, "mute", kind="empty dashed")
    svg.text(RIGHT, 176, f"{BLOCKS} blocks, one after the other", "mute", "start", "small")
    _sublayer(svg, 190, "norm", "attention", (f"{HEADS} heads of queries,", f"{KV_HEADS} of keys and values"))
    _sublayer(svg, 372, "norm", "gated layers", (f"{HIDDEN} units inside,", f"{D} features again"))
    svg.box(RIGHT + 20, 300, 244, HEIGHT, "key", "cache: keys, values", text="key")
    svg.arrow([(LEFT + WIDE, 282), (RIGHT + 142, 282), (RIGHT + 142, 300)], "key")
    _part(svg, BEHIND, "norm", f"(batch, num_tokens, {D})", "ink")
    _part(svg, BEHIND + STEP, "embedding, transposed", f"(batch, num_tokens, {VOCABULARY})", "value")
    svg.arrow([(LEFT + WIDE / 2, BEHIND + STEP + HEIGHT), (LEFT + WIDE / 2, 706)])
    svg.text(LEFT + WIDE / 2, 722, "logits of the next token", kind="strong")
    return svg


def _part(svg: Drawing, y: float, name: str, shape: str, role: str) -> None:
    """Draw a part with an arrow into it, and the shape of what it gives."""
    svg.arrow([(LEFT + WIDE / 2, y - 32), (LEFT + WIDE / 2, y)])
    svg.box(LEFT, y, WIDE, HEIGHT, role, name)
    svg.text(RIGHT, y + HEIGHT / 2, shape, "mute", "start", "small")


def _sublayer(svg: Drawing, y: float, norm: str, name: str, words: Iterable[str]) -> None:
    """Draw a norm with a layer behind it, and the input that goes round both."""
    middle, layer = LEFT + WIDE / 2, y + 70
    svg.arrow([(middle, y - 34), (middle, y)])
    svg.box(LEFT, y, WIDE, 38, "mute", norm, kind="empty", text="mute")
    svg.arrow([(middle, y + 38), (middle, layer)])
    svg.box(LEFT, layer, WIDE, HEIGHT, "ink", name)
    svg.line([(middle, layer + HEIGHT), (middle, layer + HEIGHT + 44)])
    around, end = LEFT - 26, layer + HEIGHT + 16
    svg.arrow([(middle, y - 20), (around, y - 20), (around, end), (middle, end)], "mute")
    for i, line in enumerate(words):
        svg.text(RIGHT, y + 26 + 26 * i, line, "mute", "start", "small")
