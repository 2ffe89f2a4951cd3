"""The block of 2017, and that of today's language models."""

from tools.drawings.kit import Drawing
from tools.drawings.language_model_whole import strip

WAYS = {
    "2017": (("attention", True), ("layer norm", False), ("ReLU layers", True), ("layer norm", False)),
    "today": (("RMSNorm", None), ("attention", True), ("RMSNorm", None), ("SwiGLU", True)),
}
TOP, STEP, HIGH, WIDE = 128, 78, 44, 168


def draw() -> Drawing:
    """Draw two columns; the thick line is the residual path."""
    svg = Drawing(
        "In the block of 2017 the norm stands on the residual path; today it stands in front of each sublayer, beside it",
        "Two columns of four boxes each, with a thick line, the residual path. In 2017: attention is added to the path, "
        "the sum goes through a layer norm, feed-forward layers with ReLU are added, and the sum goes through a second "
        "layer norm, so that no number comes through unchanged. Today: RMSNorm, then attention, whose result is added; "
        "RMSNorm, then SwiGLU, whose result is added; the path itself has only sums.",
        height=TOP + 4 * STEP + 26,
    )
    strip(svg, "blocks")
    for left, (name, parts) in zip((30, 390), WAYS.items(), strict=True):
        path = left + 40
        svg.text(left, 86, name, "ink", "start", "strong")
        # It ends at the norms that stand on it, and begins anew behind them.
        cuts = [TOP - 22, TOP + 4 * STEP - 14]
        cuts += [
            y
            for i, (_, added) in enumerate(parts)
            if added is False
            for y in (TOP + i * STEP, TOP + i * STEP + HIGH)
        ]
        for start, end in zip(*[iter(sorted(cuts))] * 2, strict=True):
            svg.line([(path, start), (path, end)], "ink", 5)
        svg.head((path, TOP + 4 * STEP + 2), 1.5708, "ink")
        for i, (part, added) in enumerate(parts):
            _part(svg, path, TOP + STEP * i, part, added, from_path=name == "2017")
    svg.text(360, TOP + 4 * STEP + 14, "thick: the residual path", "mute", kind="small")
    return svg


def _part(svg: Drawing, path: float, y: float, part: str, added: bool | None, from_path: bool) -> None:
    """added: whether its result is added to the path; None: it goes on to the next part; False: it is on the path."""
    if added is False:
        svg.box(path - 34, y, WIDE, HIGH, "mute", part)
        return
    x = path + 54
    svg.box(x, y, WIDE, HIGH, "mute" if added is None else "context", part)
    if added is None:
        svg.arrow([(path, y + HIGH / 2), (x, y + HIGH / 2)], "ink", 2)
        svg.arrow([(x + WIDE / 2, y + HIGH), (x + WIDE / 2, y + STEP)], "ink", 2)
        return
    svg.arrow([(x + 24, y + HIGH), (x + 24, y + HIGH + 17), (path + 3, y + HIGH + 17)], "context", 2)
    svg.text(path - 18, y + HIGH + 17, "+", "context", kind="strong")
    if from_path:
        svg.arrow([(path, y + HIGH / 2), (x, y + HIGH / 2)], "ink", 2)
