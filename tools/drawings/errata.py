"""Errata: a formula as published, with its wrong place marked, and as it should be."""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax
from tools.drawings.kit import Drawing, number, share

WORDS, D, D_K, SEED, ASKING = ("The", "FBI", "is", "chasing"), 6, 2, 2, 3


def _scores() -> np.ndarray:
    """The scores of the last word of the chapter's four, not yet divided."""
    rng = np.random.default_rng(SEED)
    embeddings = rng.normal(size=(1, len(WORDS), D)).astype(np.float32)
    W_q, W_k, _ = rng.normal(size=(3, D_K, D)).astype(np.float32)
    return ((embeddings @ W_q.T) @ (embeddings @ W_k.T).swapaxes(1, 2))[0, ASKING]


def draw() -> Drawing:
    """Erratum 18: a softmax divided by the root, in the place of scores divided by it."""
    published, right = softmax(_scores()) / np.sqrt(D_K), softmax(_scores() / np.sqrt(D_K))
    made = Drawing(
        "errata",
        "A published formula divides in the wrong place; the numbers show it, since the weights do not sum to 1",
        f"Published: the softmax of the scores, over the square root of d_k. The weights of “{WORDS[ASKING]}” are "
        f"{', '.join(share(w) for w in published)}, and their sum is {number(published.sum())}. Right: the root stands "
        f"inside the softmax, below the scores; the weights are {', '.join(share(w) for w in right)}, and their sum is "
        f"{number(right.sum())}.",
        height=444,
    )
    for left, name, row in ((14, "published", published), (384, "right", right)):
        sums = abs(row.sum() - 1) < 1e-6
        made.text(left, 24, name, "ink", "start", "strong")
        _formula(made, left, divided_after=not sums)
        for y, word, weight in zip(range(192, 192 + 48 * len(WORDS), 48), WORDS, row, strict=True):
            made.text(left, y, word, "key", "start", "word")
            made.box(left + 104, y - 14, 140, 28, "mute", kind="empty faint")
            made.bar(left + 104, y - 14, 140 * weight, 28)
            made.text(left + 256, y, share(weight), anchor="start")
        made.line([(left + 104, 366), (left + 310, 366)])
        made.text(left, 398, "sum", anchor="start")
        words = number(row.sum()) if sums else f"{number(row.sum())}, not 1"
        made.box(left + 104, 376, 206, 46, "ink" if sums else "context", words, words="strong")
    made.line([(357, 14), (357, 424)], "mute", 1.5, "faint")
    return made


def _formula(made: Drawing, left: float, divided_after: bool) -> None:
    """The formula of the weights, its root in one place or in the other; the wrong one in a frame."""
    start, end = (left, left + 190) if divided_after else (left + 118, left + 192)
    middle = (start + end) / 2
    made.text(middle, 72, "softmax(Q Kᵀ)" if divided_after else "Q Kᵀ")
    made.line([(start, 93), (end, 93)])
    made.text(middle, 117, "√d", index="k")
    if divided_after:
        made.box(middle - 36, 101, 72, 36, "context", kind="empty thick")
        made.text(middle + 48, 120, "wrong place", "context", "start", "small")
        return
    made.text(left, 93, "softmax", anchor="start")
    for x, parenthesis in ((start - 14, "("), (end + 14, ")")):
        made.text(x, 90, parenthesis, size=56)
