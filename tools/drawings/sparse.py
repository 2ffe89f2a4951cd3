"""Fewer pairs: the last token asks for the first, by all pairs, by two sparse patterns, and by running sums."""

import math

import numpy as np

from solutions.self_attention.in_numpy import softmax
from solutions.sparse.in_numpy import linear_attention, sparse_pattern
from tools.drawings.kit import Drawing, number

ROOMS = (12.0, 7.0, 3.0, 9.0, 5.0, 0.0)
GUESTS = ("Ana 12", "Ben 7", "Cleo 3", "Dan 9", "Eva 5", "Ana?")
TITLES = ("all pairs", "window", "+ first token", "two sums")
PATTERNS = ((6, 1, 0), (2, 1, 0), (2, 1, 1))  # window, dilation, num_global
LEFT, TOP, CELL, STEP = 94, 118, 21, 164


def draw() -> Drawing:
    """Draw three patterns of six queries and six keys, and the sums that stand in their place."""
    answers, pairs = _answers(), [int(sparse_pattern(6, *settings).sum()) for settings in PATTERNS]
    below = [f"{count} pairs" for count in pairs] + ["no pairs"]
    svg = Drawing(
        "All pairs, a window, a window with the first token, and running sums in the place of pairs",
        f"A list of guests with their rooms, {', '.join(GUESTS[:5])}, and then a question for Ana's room. Three squares "
        f"of six queries by six keys show which pairs are compared: all {pairs[0]} that are not later, {pairs[1]} in a "
        f"window of two, {pairs[2]} in a window of two and the first token. In the last row the pair that is needed "
        f"is marked, and the window has not got it. In the fourth picture keys and values flow into two sums, S and z, "
        f"which the query reads. The answers are {', '.join(answers)}; the right one is {number(ROOMS[0])}.",
        height=346,
    )
    svg.texts([64 + 118 * i for i in range(6)], 22, GUESTS, "ink", "small")
    svg.text(10, TOP + 2.5 * CELL, "queries", "query", "start", "small")
    for i, (title, answer, words) in enumerate(zip(TITLES, answers, below, strict=True)):
        x = LEFT + i * STEP
        middle = x + 3 * CELL
        svg.text(middle, 68, title, kind="small strong")
        if i < len(PATTERNS):
            svg.text(middle, TOP - 20, "keys", "key", kind="small")
            _grid(svg, x, sparse_pattern(6, *PATTERNS[i]))
        else:
            _sums(svg, x)
        svg.text(middle, TOP + 6 * CELL + 34, words, "mute", kind="small")
        svg.text(middle, TOP + 6 * CELL + 76, answer, "context", kind="strong")
    svg.text(10, TOP + 6 * CELL + 76, "answer", "context", "start", "small")
    return svg


def _answers() -> list[str]:
    """Return what the question for Ana finds: by each pattern, and by linear attention."""
    angles = 2 * math.pi * np.arange(5) / 5
    names = 3 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    keys, rooms = np.vstack([names, np.zeros(2)]), np.array(ROOMS)
    scores = keys @ names[0]
    results = [float(softmax(np.where(sparse_pattern(6, *p)[5], scores, -np.inf)) @ rooms) for p in PATTERNS]
    queries = np.broadcast_to(names[0], (1, 6, 2))
    results.append(float(linear_attention(queries, keys[None], rooms[None, :, None])[0, 5, 0]))
    return [number(room, 1) for room in results]


def _grid(svg: Drawing, x: float, visible: np.ndarray) -> None:
    svg.cells(x, TOP, [[""] * 6] * 6, "mute", CELL, CELL, "empty faint")
    for i, j in np.argwhere(visible):
        svg.bar(x + j * CELL, TOP + i * CELL, CELL, CELL, "key")
    svg.box(x, TOP + 5 * CELL, CELL, CELL, "query", kind="empty thick")


def _sums(svg: Drawing, x: float) -> None:
    middle, high = x + 3 * CELL, TOP + 3 * CELL
    svg.text(middle, TOP - 20, "k, v", "key", kind="small")
    svg.arrow([(middle, TOP), (middle, high - 24)], "key", 3)
    svg.box(middle - 32, high - 22, 64, 44, "ink", "S, z")
    svg.text(x - 12, high, "q", "query", kind="strong")
    svg.arrow([(x, high), (middle - 34, high)], "query", 3)
    svg.arrow([(middle, high + 24), (middle, TOP + 6 * CELL)], "context", 3)
