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


def _dots(made: Drawing, points: Sequence[Point], role: str, radius: float = 6) -> None:
    for x, y in points:
        made.dot(x, y, role, radius)


def _row(
    made: Drawing, x: float, y: float, count: int, role: str, kind: str = "shape", step: float = 20
) -> None:
    """Boxes side by side."""
    for i in range(count):
        made.box(x + step * i, y, step - 4, 16, role, kind=kind)


def _columns(
    made: Drawing, x: float, y: float, values: Sequence[float], unit: float, step: float = 22
) -> None:
    """Upright bars of weights on a line."""
    for i, value in enumerate(values):
        made.bar(x + step * i, y - unit * value, step - 6, unit * value, "weight")
    made.line([(x - 4, y), (x + step * len(values) - 2, y)], "mute", 1.5)


def _pattern(made: Drawing, x: float, y: float, visible: np.ndarray, cell: float) -> None:
    """A square of pairs, those that are compared filled."""
    size = len(visible)
    for i, j in np.argwhere(visible):
        made.bar(x + j * cell, y + i * cell, cell - 1, cell - 1, "weight")
    made.box(x - 1, y - 1, size * cell + 1, size * cell + 1, "mute", kind="empty")


def attention(made: Drawing) -> None:
    for y, weight in zip((22, 56, 90), _weights(0, 1.5, 1), strict=True):
        made.bend((38, 56), (92, y), "query", 1.5)
        made.line([(112, y), (156, y)], "weight", 16 * weight)
        made.bend((176, y), (214, 56), "weight", 16 * weight)
        _dots(made, [(102, y)], "key", 9)
        _dots(made, [(166, y)], "value", 9)
    _dots(made, [(28, 56)], "query", 11)
    _dots(made, [(226, 56)], "context", 11)


def masked_softmax(made: Drawing) -> None:
    _columns(made, 22, 74, _weights(1, 1.6, 0.4, 1.2), 130, 36)
    for i in range(6):
        kind, role = ("shape", "key") if i < 4 else ("empty dashed", "mute")
        made.box(18 + 36 * i, 84, 30, 18, role, kind=kind)
    made.text(196, 52, "0", "mute", kind="small")
    made.text(232, 52, "0", "mute", kind="small")


def dot_product(made: Drawing) -> None:
    made.line([(50, 94), (236, 94)], "query", 2, "faint")
    made.line([(50, 94), (150, 94)], "weight", 9)
    made.arrow([(50, 94), (222, 94)], "query", 4)
    made.arrow([(50, 94), (150, 24)], "key", 4)
    made.line([(150, 24), (150, 94)], "mute", 1.5, "dashed")
    made.text(168, 26, "k", "key", kind="strong")
    made.text(236, 76, "q", "query", kind="strong")


def additive(made: Drawing) -> None:
    xs = np.linspace(-4, 4, 60)

    def curve(heights: Sequence[float]) -> list[Point]:
        return [(128 + 28 * float(x), 70 - 34 * h) for x, h in zip(xs, heights, strict=True)]

    up, down = [tanh(x + 1) for x in xs], [-tanh(x - 1) for x in xs]
    made.line(curve(up), "query", 1.5, "dashed")
    made.line(curve(down), "key", 1.5, "dashed")
    made.line(curve([a + b - 0.6 for a, b in zip(up, down, strict=True)]), "ink", 3)


def score_functions(made: Drawing) -> None:
    for x, scores in ((22, (0.2, 3, 0)), (96, (0.6, 2, 0.4)), (170, (1.4, 1.2, 0.4))):
        _columns(made, x, 92, _weights(*scores), 76, 22)


def global_local(made: Drawing) -> None:
    xs = [24 + 30 * i for i in range(8)]
    near = [np.exp(-((i - 4.4) ** 2) / 2) for i in range(8)]
    made.box(xs[3] - 12, 12, 88, 92, "query", kind="empty dashed")
    for x, height in zip(xs, near, strict=True):
        made.bar(x - 9, 82 - 60 * height, 18, 60 * height, "weight")
    _dots(made, [(x, 94) for x in xs], "key", 5)


def soft_hard(made: Drawing) -> None:
    weights = _weights(0, 1, 0.4, 0.6, 2, 0.2, 0.1, 0.9, 0)
    for i, weight in enumerate(weights):
        x, y = 26 + 30 * (i % 3), 12 + 30 * (i // 3)
        made.box(x, y, 28, 28, "value", kind="empty faint")
        side = 28 * (weight / max(weights)) ** 0.5
        made.bar(x + 14 - side / 2, y + 14 - side / 2, side, side, "weight")
        made.box(x + 116, y, 28, 28, "value", kind="empty faint")
    made.box(172, 42, 28, 28, "weight", kind="shape thick")
    _dots(made, [(186, 56)], "weight", 7)


def pooling(made: Drawing) -> None:
    for i, weight in enumerate(_weights(0, 1.4, 0.2, 2, 0.6)):
        y = 14 + 20 * i
        made.box(24, y - 7, 52, 14, "value")
        made.bend((76, y), (176, 56), "weight", max(18 * weight, 1.5))
    made.box(176, 40, 56, 32, "context")


def self_attention(made: Drawing) -> None:
    xs = (34, 96, 158, 220)
    for x, weight in zip(xs, _weights(1, 3, 2, -1), strict=True):
        made.drop((xs[3], 26), (x, 86), "weight", max(16 * weight, 1.5))
    for x in xs[:3]:
        for other in xs:
            made.drop((x, 26), (other, 86), "mute", 1, "faint")
    _dots(made, [(x, 20) for x in xs], "query", 8)
    _dots(made, [(x, 92) for x in xs], "key", 8)


def multi_head(made: Drawing) -> None:
    size = 6
    i, j = np.indices((size, size))
    for x, visible in ((20, i == j), (94, j == np.maximum(i - 1, 0)), (168, (j == 2) | (j == 5))):
        _pattern(made, x, 22, visible, 11.5)


def transformer(made: Drawing) -> None:
    for x, tops in ((40, (38, 74)), (156, (14, 46, 78))):
        for top, below in zip(tops, (*tops[1:], 108), strict=True):
            made.box(x, top, 60, 20, "ink")
            made.line([(x + 30, top + 20), (x + 30, below)], "ink", 2)
        made.line([(x + 30, 4), (x + 30, tops[0])], "ink", 2)
    made.line([(70, 18), (118, 18), (118, 56)], "key", 2.5)
    made.arrow([(118, 56), (155, 56)], "key", 2.5)


def translation(made: Drawing) -> None:
    pairs = ((0, 0), (1, 2), (2, 3), (3, 1), (4, 5), (5, 4))
    for i, j in pairs:
        made.drop((28 + 40 * i, 30), (28 + 40 * j, 82), "weight", 5)
        made.box(14 + 40 * i, 12, 28, 16, "query")
        made.box(14 + 40 * i, 84, 28, 16, "key")


def sentiment(made: Drawing) -> None:
    made.line([(150, 8), (150, 104)], "mute", 1.5)
    for i, (weight, vote) in enumerate(zip(_weights(0, 0, 2, 1), (0, 0.4, 0.1, -0.9), strict=True)):
        y = 20 + 24 * i
        made.bar(20, y - 7, 100 * weight, 14, "weight")
        made.bar(150 + min(100 * vote, 0), y - 7, abs(100 * vote), 14, "value")


def explanation(made: Drawing) -> None:
    for i, (weight, effect) in enumerate(zip(_weights(0, 0, 2, 1), (0.1, 0.06, 0.3, 0.8), strict=True)):
        y = 20 + 24 * i
        made.bar(108 - 90 * weight, y - 7, 90 * weight, 14, "weight")
        made.bar(148, y - 7, 90 * effect, 14, "ink")
    made.text(128, 56, "≠", kind="strong")


def memory(made: Drawing) -> None:
    for i in range(4):
        made.box(96, 8 + 25 * i, 64, 20, "key")
    made.bend((36, 56), (96, 43), "query", 3)
    made.bend((160, 43), (210, 56), "weight", 6)
    made.line([(214, 62), (214, 104), (28, 104), (28, 66)], "context", 2, "dashed")
    _dots(made, [(28, 56)], "query", 9)
    _dots(made, [(214, 56)], "context", 9)


def positions(made: Drawing) -> None:
    for x, turn in ((66, 0.3), (190, 1.7)):
        made.line([(x + 44 * cos(pi * k / 30), 56 + 44 * sin(pi * k / 30)) for k in range(61)], "mute", 1.5)
        for role, angle in (("query", turn), ("key", turn + 0.9)):
            made.arrow([(x, 56), (x + 40 * cos(angle), 56 - 40 * sin(angle))], role, 4)


def normalisers(made: Drawing) -> None:
    scores = np.array([1.5, 1.0, 0.6, 0.0])
    _columns(made, 24, 92, softmax(scores).tolist(), 110, 24)
    _columns(made, 146, 92, sparsemax(scores).tolist(), 110, 24)
    made.text(226, 80, "0", "mute", kind="small")


def efficient(made: Drawing) -> None:
    made.box(84, 10, 92, 92, "mute", kind="empty dashed")
    made.box(130, 10, 23, 92, "mute", kind="shape")
    made.box(130, 56, 23, 23, "weight", kind="shape thick")
    made.box(50, 56, 22, 23, "query")
    made.box(188, 56, 22, 23, "context")
    made.arrow([(72, 67), (84, 67)], "mute", 1.5)
    made.arrow([(176, 67), (188, 67)], "mute", 1.5)


def sparse(made: Drawing) -> None:
    for x, (window, dilation, globals_) in ((34, (8, 1, 0)), (140, (2, 1, 1))):
        _pattern(made, x, 16, sparse_pattern(8, window, dilation, globals_), 10)


def compressed(made: Drawing) -> None:
    for i in range(4):
        _row(made, 20, 14 + 22 * i, 3, "key")
        _row(made, 82, 14 + 22 * i, 3, "value")
    made.arrow([(150, 56), (180, 56)], "mute", 2.5)
    made.box(190, 46, 40, 20, "context", kind="shape thick")


def recurrence(made: Drawing) -> None:
    for i, x in enumerate((36, 110, 184)):
        made.box(x, 38, 36, 36, "ink")
        made.arrow([(x + 18, 104), (x + 18, 76)], "value", 1.5)
        made.arrow([(x + 18, 36), (x + 18, 8)], "context", 1.5)
        if i:
            made.arrow([(x - 38, 56), (x - 2, 56)], "ink", 2)


def sets(made: Drawing) -> None:
    queries, keys = (34, 78), (16, 42, 70, 96)
    for y, scores in zip(queries, ((2, 0.6, -1, -1), (-1, 0, 1.4, 1)), strict=True):
        for other, weight in zip(keys, _weights(*scores), strict=True):
            made.line([(88, y), (166, other)], "weight", 12 * weight)
    for y in queries:
        made.box(52, y - 11, 36, 22, "query")
    for y in keys:
        made.box(166, y - 9, 36, 18, "key")


def language_model(made: Drawing) -> None:
    _row(made, 16, 48, 5, "key", step=24)
    made.box(136, 48, 20, 16, "context", kind="empty dashed")
    for i, weight in enumerate(_weights(2, 1.6, 0.8, 0)):
        made.bar(174, 18 + 22 * i, 110 * weight, 14, "ink")
    made.arrow([(170, 25), (146, 25), (146, 46)], "context", 2)


def gpt(made: Drawing) -> None:
    for i, (role, wide) in enumerate(
        (("value", 96), ("ink", 130), ("ink", 130), ("ink", 130), ("value", 96))
    ):
        made.box(128 - wide / 2, 88 - 20 * i, wide, 15, role)
    made.line([(56, 80), (48, 80), (48, 30), (56, 30)], "mute", 2)


def looking_inside(made: Drawing) -> None:
    words = ("A", "B", "·", "·", "A", "B")
    for i, word in enumerate(words):
        look = "empty dashed" if i == 5 else "shape"
        made.box(14 + 40 * i, 66, 30, 30, "context" if i == 5 else "key", word, kind=look, words="strong")
        arc = [(129 + 60 * cos(pi * k / 40), 62 - 42 * sin(pi * k / 40)) for k in range(41)]
    made.line(arc, "weight", 5)


def errata(made: Drawing) -> None:
    made.box(24, 20, 96, 72, "mute", "QKᵀ / D", kind="empty")
    made.line([(34, 80), (110, 32)], "context", 4)
    made.box(136, 20, 96, 72, "weight", "QKᵀ / √d")


SKETCHES: dict[str, Callable[[Drawing], None]] = {
    sketch.__name__: sketch
    for sketch in (
        attention, masked_softmax, dot_product, additive, score_functions, global_local, soft_hard, pooling,
        self_attention, multi_head, transformer, translation, sentiment, explanation, memory, positions, normalisers,
        efficient, sparse, compressed, recurrence, sets, language_model, gpt, looking_inside,
        errata,
    )
}  # fmt: skip


def thumbnail(topic: str, title: str) -> Drawing:
    """The sketch of a chapter. title: what the drawing at the chapter's head shows.

    Raises ToolError where there is none.
    """
    if topic not in SKETCHES:
        raise ToolError(
            f"tools/drawings/thumbnails.py must have a sketch of {topic} for the first page: write it."
        )
    made = Drawing(f"{topic}-small", title, "", HEIGHT, WIDTH, LETTERS)
    SKETCHES[topic](made)
    return made
