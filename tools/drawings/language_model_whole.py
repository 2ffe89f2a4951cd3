"""The whole model, from text to the next token, with its shapes; `strip` is the same, small, with a place marked."""

from course.data.prose import stored_model
from solutions.language_model.in_numpy import num_blocks
from tools.drawings.kit import Drawing

STAGES = (
    ("text", 62),
    ("tokens", 86),
    ("embedding", 126),
    ("blocks", 86),
    ("logits", 80),
    ("next token", 128),
)
GAP, LEFT = 28, 6
ROW, HIGH = 78, 44


def strip(svg: Drawing, here: str, y: float = 8) -> None:
    """Draw the stages of the model in a row, the one that a drawing is about marked."""
    x = float(LEFT)
    for stage, width in STAGES:
        marked = stage == here
        kind, role = ("shape thick", "context") if marked else ("empty", "mute")
        svg.box(x, y, width, 36, role, kind=kind)
        svg.text(x + width / 2, y + 18, stage, "ink small strong" if marked else "mute small")
        if stage != STAGES[-1][0]:
            svg.arrow([(x + width + 2, y + 18), (x + width + GAP - 2, y + 18)], "mute", 1.5)
        x += width + GAP


def draw() -> Drawing:
    """Draw the stored model of the chapter, from above to below."""
    stored = stored_model()
    vocabulary, width = stored.weights["embedding"].shape
    blocks, hidden = num_blocks(stored.weights), stored.weights["block0_W_gate"].shape[1]
    batch = "(batch, num_tokens"
    rows = (
        ("text", "ink", "“The weights …”"),
        ("tokens", "key", f"{batch})"),
        ("embedding", "value", f"{batch}, {width})"),
        (f"{blocks} blocks", "ink", f"{batch}, {width})"),
        ("RMSNorm", "mute", f"{batch}, {width})"),
        ("embedding, transposed", "value", f"{batch}, {vocabulary})"),
        ("softmax", "context", "a probability for each token"),
    )
    svg = Drawing(
        "The whole model from a text to the probabilities of the next token, with the shape after each step",
        f"From above to below: a text is cut into tokens, {batch}); each gets its row of the embedding, of {width} "
        f"features; {blocks} blocks follow, each with a norm, attention to the tokens before it, and a second norm with "
        f"feed-forward layers of {hidden} units, both added to the residual path; a last norm; the transposed embedding "
        f"gives {vocabulary} logits, and the softmax a probability for each token.",
        height=ROW * (len(rows) + 1) - 12,
    )
    y = 6.0
    for i, (name, role, shape) in enumerate(rows):
        high = HIGH + ROW if i == 3 else HIGH
        if i == 3:
            _block(svg, y, high, name, hidden, stored.num_heads)
        else:
            svg.box(20, y, 280, high, role, name)
        svg.text(326, y + high / 2 + (38 if i == 3 else 0), shape, "mute", "start", "small")
        if i < len(rows) - 1:
            svg.arrow([(160, y + high), (160, y + high + ROW - HIGH)])
        y += high + ROW - HIGH
    return svg


def _block(svg: Drawing, y: float, high: float, name: str, hidden: int, num_heads: int) -> None:
    """Draw what a block holds, beside the residual path."""
    svg.box(20, y, 280, high, "ink", kind="empty dashed")
    svg.text(38, y + high / 2, name, "ink", "start", "strong")
    svg.line([(160, y), (160, y + high)])
    for at, words, more in ((34, "attention", f"{num_heads} heads"), (88, "SwiGLU", f"{hidden} units")):
        svg.arrow([(160, y + at - 20), (190, y + at - 20), (190, y + at - 12)], width=1.5)
        svg.box(176, y + at - 12, 116, 28, "context", kind="shape")
        svg.text(234, y + at + 2, words, kind="small")
        svg.text(326, y + at + 2 - (14 if at == 88 else 0), f"{words}: {more}", "mute", "start", "small")
        svg.arrow([(190, y + at + 16), (190, y + at + 26), (161, y + at + 26)], width=1.5)
