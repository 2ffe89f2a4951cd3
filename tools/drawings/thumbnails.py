"""The small drawings on the cards of the first page, one for each chapter: `chapters/thumbnails/<topic>.svg`.

They are sketches, made for their size: few parts, hardly a word. Weights are those of a softmax of the scores beside
them; patterns are those of the references.
"""

from collections.abc import Callable, Sequence
from math import cos, pi, sin, tanh

import numpy as np

from autograder.model.errors import ToolError
from solutions.attention.in_numpy import softmax
from solutions.normalisers.in_numpy import sparsemax
from solutions.sparse.in_numpy import sparse_pattern
from tools.drawings.kit import Drawing, Point

WIDTH, HEIGHT, LETTERS = 256, 112, (16, 16)


def _weights(*scores: float) -> list[float]:
    return softmax(np.array(scores)).tolist()


def _dots(svg: Drawing, points: Sequence[Point], role: str, radius: float = 6) -> None:
    for x, y in points:
        svg.dot(x, y, role, radius)


def _row(
    svg: Drawing, x: float, y: float, count: int, role: str, kind: str = "shape", step: float = 20
) -> None:
    """Draw boxes side by side."""
    for i in range(count):
        svg.box(x + step * i, y, step - 4, 16, role, kind=kind)


def _columns(
    svg: Drawing, x: float, y: float, values: Sequence[float], unit: float, step: float = 22
) -> None:
    """Draw upright bars of weights on a line."""
    for i, value in enumerate(values):
        svg.bar(x + step * i, y - unit * value, step - 6, unit * value, "weight")
    svg.line([(x - 4, y), (x + step * len(values) - 2, y)], "mute", 1.5)


def _pattern(svg: Drawing, x: float, y: float, visible: np.ndarray, cell: float) -> None:
    """Draw a square of pairs, those that are compared filled."""
    size = len(visible)
    for i, j in np.argwhere(visible):
        svg.bar(x + j * cell, y + i * cell, cell - 1, cell - 1, "weight")
    svg.box(x - 1, y - 1, size * cell + 1, size * cell + 1, "mute", kind="empty")


def attention(svg: Drawing) -> None:
    for y, weight in zip((22, 56, 90), _weights(0, 1.5, 1), strict=True):
        svg.bend((38, 56), (92, y), "query", 1.5)
        svg.line([(112, y), (156, y)], "weight", 16 * weight)
        svg.bend((176, y), (214, 56), "weight", 16 * weight)
        _dots(svg, [(102, y)], "key", 9)
        _dots(svg, [(166, y)], "value", 9)
    _dots(svg, [(28, 56)], "query", 11)
    _dots(svg, [(226, 56)], "context", 11)


def masked_softmax(svg: Drawing) -> None:
    _columns(svg, 22, 74, _weights(1, 1.6, 0.4, 1.2), 130, 36)
    for i in range(6):
        kind, role = ("shape", "key") if i < 4 else ("empty dashed", "mute")
        svg.box(18 + 36 * i, 84, 30, 18, role, kind=kind)
    svg.text(196, 52, "0", "mute", kind="small")
    svg.text(232, 52, "0", "mute", kind="small")


def dot_product(svg: Drawing) -> None:
    svg.line([(50, 94), (236, 94)], "query", 2, "faint")
    svg.line([(50, 94), (150, 94)], "weight", 9)
    svg.arrow([(50, 94), (222, 94)], "query", 4)
    svg.arrow([(50, 94), (150, 24)], "key", 4)
    svg.line([(150, 24), (150, 94)], "mute", 1.5, "dashed")
    svg.text(168, 26, "k", "key", kind="strong")
    svg.text(236, 76, "q", "query", kind="strong")


def additive(svg: Drawing) -> None:
    xs = np.linspace(-4, 4, 60)

    def curve(heights: Sequence[float]) -> list[Point]:
        return [(128 + 28 * float(x), 70 - 34 * h) for x, h in zip(xs, heights, strict=True)]

    up, down = [tanh(x + 1) for x in xs], [-tanh(x - 1) for x in xs]
    svg.line(curve(up), "query", 1.5, "dashed")
    svg.line(curve(down), "key", 1.5, "dashed")
    svg.line(curve([a + b - 0.6 for a, b in zip(up, down, strict=True)]), "ink", 3)


def score_functions(svg: Drawing) -> None:
    for x, scores in ((22, (0.2, 3, 0)), (96, (0.6, 2, 0.4)), (170, (1.4, 1.2, 0.4))):
        _columns(svg, x, 92, _weights(*scores), 76, 22)


def global_local(svg: Drawing) -> None:
    xs = [24 + 30 * i for i in range(8)]
    near = [np.exp(-((i - 4.4) ** 2) / 2) for i in range(8)]
    svg.box(xs[3] - 12, 12, 88, 92, "query", kind="empty dashed")
    for x, height in zip(xs, near, strict=True):
        svg.bar(x - 9, 82 - 60 * height, 18, 60 * height, "weight")
    _dots(svg, [(x, 94) for x in xs], "key", 5)


def soft_hard(svg: Drawing) -> None:
    weights = _weights(0, 1, 0.4, 0.6, 2, 0.2, 0.1, 0.9, 0)
    for i, weight in enumerate(weights):
        x, y = 26 + 30 * (i % 3), 12 + 30 * (i // 3)
        svg.box(x, y, 28, 28, "value", kind="empty faint")
        side = 28 * (weight / max(weights)) ** 0.5
        svg.bar(x + 14 - side / 2, y + 14 - side / 2, side, side, "weight")
        svg.box(x + 116, y, 28, 28, "value", kind="empty faint")
    svg.box(172, 42, 28, 28, "weight", kind="shape thick")
    _dots(svg, [(186, 56)], "weight", 7)


def pooling(svg: Drawing) -> None:
    for i, weight in enumerate(_weights(0, 1.4, 0.2, 2, 0.6)):
        y = 14 + 20 * i
        svg.box(24, y - 7, 52, 14, "value")
        svg.bend((76, y), (176, 56), "weight", max(18 * weight, 1.5))
    svg.box(176, 40, 56, 32, "context")


def self_attention(svg: Drawing) -> None:
    xs = (34, 96, 158, 220)
    for x, weight in zip(xs, _weights(1, 3, 2, -1), strict=True):
        svg.drop((xs[3], 26), (x, 86), "weight", max(16 * weight, 1.5))
    for x in xs[:3]:
        for other in xs:
            svg.drop((x, 26), (other, 86), "mute", 1, "faint")
    _dots(svg, [(x, 20) for x in xs], "query", 8)
    _dots(svg, [(x, 92) for x in xs], "key", 8)


def multi_head(svg: Drawing) -> None:
    size = 6
    i, j = np.indices((size, size))
    for x, visible in ((20, i == j), (94, j == np.maximum(i - 1, 0)), (168, (j == 2) | (j == 5))):
        _pattern(svg, x, 22, visible, 11.5)


def transformer(svg: Drawing) -> None:
    for x, tops in ((40, (38, 74)), (156, (14, 46, 78))):
        for top, below in zip(tops, (*tops[1:], 108), strict=True):
            svg.box(x, top, 60, 20, "ink")
            svg.line([(x + 30, top + 20), (x + 30, below)], "ink", 2)
        svg.line([(x + 30, 4), (x + 30, tops[0])], "ink", 2)
    svg.line([(70, 18), (118, 18), (118, 56)], "key", 2.5)
    svg.arrow([(118, 56), (155, 56)], "key", 2.5)


def translation(svg: Drawing) -> None:
    pairs = ((0, 0), (1, 2), (2, 3), (3, 1), (4, 5), (5, 4))
    for i, j in pairs:
        svg.drop((28 + 40 * i, 30), (28 + 40 * j, 82), "weight", 5)
        svg.box(14 + 40 * i, 12, 28, 16, "query")
        svg.box(14 + 40 * i, 84, 28, 16, "key")


def sentiment(svg: Drawing) -> None:
    svg.line([(150, 8), (150, 104)], "mute", 1.5)
    for i, (weight, vote) in enumerate(zip(_weights(0, 0, 2, 1), (0, 0.4, 0.1, -0.9), strict=True)):
        y = 20 + 24 * i
        svg.bar(20, y - 7, 100 * weight, 14, "weight")
        svg.bar(150 + min(100 * vote, 0), y - 7, abs(100 * vote), 14, "value")


def explanation(svg: Drawing) -> None:
    for i, (weight, effect) in enumerate(zip(_weights(0, 0, 2, 1), (0.1, 0.06, 0.3, 0.8), strict=True)):
        y = 20 + 24 * i
        svg.bar(108 - 90 * weight, y - 7, 90 * weight, 14, "weight")
        svg.bar(148, y - 7, 90 * effect, 14, "ink")
    svg.text(128, 56, "≠", kind="strong")


def memory(svg: Drawing) -> None:
    for i in range(4):
        svg.box(96, 8 + 25 * i, 64, 20, "key")
    svg.bend((36, 56), (96, 43), "query", 3)
    svg.bend((160, 43), (210, 56), "weight", 6)
    svg.line([(214, 62), (214, 104), (28, 104), (28, 66)], "context", 2, "dashed")
    _dots(svg, [(28, 56)], "query", 9)
    _dots(svg, [(214, 56)], "context", 9)


def positions(svg: Drawing) -> None:
    for x, turn in ((66, 0.3), (190, 1.7)):
        svg.line([(x + 44 * cos(pi * k / 30), 56 + 44 * sin(pi * k / 30)) for k in range(61)], "mute", 1.5)
        for role, angle in (("query", turn), ("key", turn + 0.9)):
            svg.arrow([(x, 56), (x + 40 * cos(angle), 56 - 40 * sin(angle))], role, 4)


def normalisers(svg: Drawing) -> None:
    scores = np.array([1.5, 1.0, 0.6, 0.0])
    _columns(svg, 24, 92, softmax(scores).tolist(), 110, 24)
    _columns(svg, 146, 92, sparsemax(scores).tolist(), 110, 24)
    svg.text(226, 80, "0", "mute", kind="small")


def efficient(svg: Drawing) -> None:
    svg.box(84, 10, 92, 92, "mute", kind="empty dashed")
    svg.box(130, 10, 23, 92, "mute", kind="shape")
    svg.box(130, 56, 23, 23, "weight", kind="shape thick")
    svg.box(50, 56, 22, 23, "query")
    svg.box(188, 56, 22, 23, "context")
    svg.arrow([(72, 67), (84, 67)], "mute", 1.5)
    svg.arrow([(176, 67), (188, 67)], "mute", 1.5)


def sparse(svg: Drawing) -> None:
    for x, (window, dilation, globals_) in ((34, (8, 1, 0)), (140, (2, 1, 1))):
        _pattern(svg, x, 16, sparse_pattern(8, window, dilation, globals_), 10)


def compressed(svg: Drawing) -> None:
    for i in range(4):
        _row(svg, 20, 14 + 22 * i, 3, "key")
        _row(svg, 82, 14 + 22 * i, 3, "value")
    svg.arrow([(150, 56), (180, 56)], "mute", 2.5)
    svg.box(190, 46, 40, 20, "context", kind="shape thick")


def recurrence(svg: Drawing) -> None:
    for i, x in enumerate((36, 110, 184)):
        svg.box(x, 38, 36, 36, "ink")
        svg.arrow([(x + 18, 104), (x + 18, 76)], "value", 1.5)
        svg.arrow([(x + 18, 36), (x + 18, 8)], "context", 1.5)
        if i:
            svg.arrow([(x - 38, 56), (x - 2, 56)], "ink", 2)


def sets(svg: Drawing) -> None:
    queries, keys = (34, 78), (16, 42, 70, 96)
    for y, scores in zip(queries, ((2, 0.6, -1, -1), (-1, 0, 1.4, 1)), strict=True):
        for other, weight in zip(keys, _weights(*scores), strict=True):
            svg.line([(88, y), (166, other)], "weight", 12 * weight)
    for y in queries:
        svg.box(52, y - 11, 36, 22, "query")
    for y in keys:
        svg.box(166, y - 9, 36, 18, "key")


def language_model(svg: Drawing) -> None:
    _row(svg, 16, 48, 5, "key", step=24)
    svg.box(136, 48, 20, 16, "context", kind="empty dashed")
    for i, weight in enumerate(_weights(2, 1.6, 0.8, 0)):
        svg.bar(174, 18 + 22 * i, 110 * weight, 14, "ink")
    svg.arrow([(170, 25), (146, 25), (146, 46)], "context", 2)


def gpt(svg: Drawing) -> None:
    for i, (role, wide) in enumerate(
        (("value", 96), ("ink", 130), ("ink", 130), ("ink", 130), ("value", 96))
    ):
        svg.box(128 - wide / 2, 88 - 20 * i, wide, 15, role)
    svg.line([(56, 80), (48, 80), (48, 30), (56, 30)], "mute", 2)


def looking_inside(svg: Drawing) -> None:
    words = ("A", "B", "·", "·", "A", "B")
    for i, word in enumerate(words):
        look = "empty dashed" if i == 5 else "shape"
        svg.box(14 + 40 * i, 66, 30, 30, "context" if i == 5 else "key", word, kind=look, words="strong")
        arc = [(129 + 60 * cos(pi * k / 40), 62 - 42 * sin(pi * k / 40)) for k in range(41)]
    svg.line(arc, "weight", 5)


def errata(svg: Drawing) -> None:
    svg.box(24, 20, 96, 72, "mute", "QKᵀ / D", kind="empty")
    svg.line([(34, 80), (110, 32)], "context", 4)
    svg.box(136, 20, 96, 72, "weight", "QKᵀ / √d")


SKETCHES: dict[str, Callable[[Drawing], None]] = {
    sketch.__name__: sketch
    for sketch in (
        attention, masked_softmax, dot_product, additive, score_functions, global_local, soft_hard, pooling,
        self_attention, multi_head, transformer, translation, sentiment, explanation, memory, positions, normalisers,
        efficient, sparse, recurrence, sets, language_model, gpt, compressed, looking_inside,
        errata,
    )
}  # fmt: skip


def thumbnail(topic: str, title: str) -> Drawing:
    """Return the sketch of a chapter. title: what the drawing at the chapter's head shows.

    Raises ToolError where there is none.
    """
    if topic not in SKETCHES:
        raise ToolError(
            f"tools/drawings/thumbnails.py must have a sketch of {topic} for the first page: write it."
        )
    svg = Drawing(title, "", HEIGHT, WIDTH, LETTERS, f"{topic}-small")
    SKETCHES[topic](svg)
    return svg
