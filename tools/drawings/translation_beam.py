"""A step of beam search: all continuations of two hypotheses, ranked together."""

import numpy as np

from solutions.translation.in_numpy import beam_step
from tools.drawings.kit import Drawing, number, share

FIRST, THEN = np.array([0.6, 0.4]), np.array([[0.4, 0.35, 0.25], [0.05, 0.05, 0.9]])  # the chapter's table
HYPOTHESES, WORDS = ("a", "the"), ("dog", "cat", "end")
START, MIDDLE, RIGHT, STEP = 20, 180, 420, 62


def draw() -> Drawing:
    """Draw the chapter's two hypotheses, the six continuations and the two that are kept."""
    totals, rows, words = beam_step(np.log(THEN), np.log(FIRST), np.zeros(2), end=2)
    ranks = {(int(row), int(word)): rank for rank, (row, word) in enumerate(zip(rows, words, strict=True))}
    best = ", ".join(
        f"{HYPOTHESES[r]} {WORDS[w]} with {number(float(np.exp(t)))}"
        for (r, w), t in zip(ranks, totals, strict=True)
    )
    svg = Drawing(
        "A beam of two: every hypothesis is continued by every word, and the two best of all continuations are kept",
        f"From the start two hypotheses: a, with the probability {FIRST[0]}, and the, with {FIRST[1]}. Each is "
        f"continued by dog, cat and the end; the probabilities are multiplied. Kept are {best}. Greedy decoding "
        f"would have followed the first hypothesis alone.",
        height=440,
    )
    svg.text(MIDDLE + 55, 20, "two hypotheses", kind="strong")
    svg.text(RIGHT + 130, 20, "all continuations", kind="strong")
    svg.box(START, 209, 90, 44, "mute", "start", kind="empty")
    for row, (name, chance) in enumerate(zip(HYPOTHESES, FIRST, strict=True)):
        high = 231 + (row - 0.5) * 3 * STEP
        svg.bend((START + 90, 231), (MIDDLE, high), width=12 * chance)
        svg.box(MIDDLE, high - 22, 110, 44, "ink", f"{name} {number(chance)}")
        for word, follow in enumerate(THEN[row]):
            _continuation(svg, (MIDDLE + 110, high), 231 + (row * 3 + word - 2.5) * STEP, row, word, ranks)
            svg.text(
                RIGHT + 136, 231 + (row * 3 + word - 2.5) * STEP, number(chance * follow), anchor="start"
            )
    return svg


def _continuation(
    svg: Drawing,
    start: tuple[float, float],
    high: float,
    row: int,
    word: int,
    ranks: dict[tuple[int, int], int],
) -> None:
    rank = ranks.get((row, word))
    role = "mute" if rank is None else "context"
    svg.bend(start, (RIGHT, high), role, 12 * FIRST[row] * THEN[row, word] + 1)
    word_and_share = f"{WORDS[word]} {share(THEN[row, word])}"
    kind = "empty dashed" if rank is None else "shape"
    svg.box(RIGHT, high - 20, 120, 40, role, word_and_share, kind=kind)
    if rank is not None:
        svg.text(RIGHT + 200, high, ("best", "second")[rank], "context", "start", "small")
