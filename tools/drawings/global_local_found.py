"""The windows at the beginning of a training: partners outside get no weight, and so no gradient."""

import numpy as np

from solutions.global_local.in_numpy import sigmoid, window_mask
from tools.drawings.global_local_window import WORDS
from tools.drawings.kit import Drawing, centres, number

TARGET = ["we", "see", "a", "small", "dog", "in", "the", "garden", "today"]
PARTNERS, D, SEED = (2, 1, 3, 4, 5, 6, 6, 7, 0), 2, 0  # the chapter's
LEFT, STEP, TOP, ROW = 130, 72, 74, 36


def draw() -> Drawing:
    """Draw the first positions of the chapter's nine words, their windows, and their partners."""
    rng = np.random.default_rng(SEED)
    states = rng.normal(size=(len(TARGET), 6)).astype(np.float32)
    W_p = (rng.normal(size=(12, 6)) / 2).astype(np.float32)
    v_p = (rng.normal(size=12) / 10).astype(np.float32)
    positions = len(WORDS) * sigmoid(np.tanh(states @ W_p.T) @ v_p)
    windows = window_mask(positions[None], np.array([len(WORDS)]), len(WORDS), D)[0]
    outside = [word for word, row, partner in zip(TARGET, windows, PARTNERS, strict=True) if not row[partner]]
    svg = Drawing(
        "At first all windows lie in the middle: a partner outside its window has no weight, and no gradient moves the window",
        f"Nine rows, one for each English word, over the eight German words. A bar covers the words of its window, of "
        f"{D} on each side of the first position, all of which lie between {number(float(positions.min()), 1)} and "
        f"{number(float(positions.max()), 1)}. A dot marks the partner. It lies outside for {', '.join(outside)}.",
        height=TOP + ROW * len(TARGET) + 40,
    )
    xs = centres(LEFT, STEP, len(WORDS))
    svg.texts(xs[::2], 22, WORDS[::2], "key", "small")
    svg.texts(xs[1::2], 46, WORDS[1::2], "key", "small")
    for i, (word, row, partner, position) in enumerate(
        zip(TARGET, windows, PARTNERS, positions, strict=True)
    ):
        y = TOP + ROW * i + 10
        inside = bool(row[partner])
        svg.text(LEFT - 16, y, word, "query" if inside else "context", "end", "" if inside else "strong")
        (full,) = np.nonzero(row)
        svg.bar(LEFT + int(full[0]) * STEP, y - 12, len(full) * STEP, 24, "mute")
        x = LEFT + (float(position) + 0.5) * STEP
        svg.line([(x, y - 12), (x, y + 12)], "query", 4)
        svg.dot(xs[partner], y, "key" if inside else "context", 9)
    bottom = TOP + ROW * len(TARGET) + 20
    svg.text(
        LEFT, bottom, "dot: the partner; strong: outside the window at first", "context", "start", "small"
    )
    return svg
