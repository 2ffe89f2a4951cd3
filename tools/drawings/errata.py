"""Errata: a formula as published, with its wrong number marked, and as it should be."""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax
from tools.drawings.kit import Drawing, share

WORDS, D, D_K, SEED, ASKING = ("The", "FBI", "is", "chasing"), 6, 2, 2, 3


def _scores() -> np.ndarray:
    """Return the scores of the last word of the chapter's four, not yet divided."""
    rng = np.random.default_rng(SEED)
    embeddings = rng.normal(size=(1, len(WORDS), D)).astype(np.float32)
    W_q, W_k, _ = rng.normal(size=(3, D_K, D)).astype(np.float32)
    return ((embeddings @ W_q.T) @ (embeddings @ W_k.T).swapaxes(1, 2))[0, ASKING]


def draw() -> Drawing:
    """Draw scores divided by the width of the embeddings, in the place of the root of the width of a key."""
    published, right = softmax(_scores() / D), softmax(_scores() / np.sqrt(D_K))
    svg = Drawing(
        "A published formula divides by the wrong number: the weights of a word differ much less than they should",
        f"Published: the softmax of the scores, divided by D, the width of an embedding, here {D}. The weights of "
        f"“{WORDS[ASKING]}” are {', '.join(map(share, published))}. Right: the scores are divided by the square root "
        f"of d_k, where d_k is the width of a key, here {D_K}; the weights are {', '.join(map(share, right))}.",
        height=420,
    )
    for left, name, row in ((14, "published", published), (384, "right", right)):
        svg.text(left, 24, name, "ink", "start", "strong")
        _formula(svg, left, wrong=row is published)
        for y, word, weight in zip(range(222, 222 + 48 * len(WORDS), 48), WORDS, row, strict=True):
            svg.text(left, y, word, "key", "start", "word")
            svg.box(left + 104, y - 14, 140, 28, "mute", kind="empty faint")
            svg.bar(left + 104, y - 14, 140 * weight, 28, "weight")
            svg.text(left + 256, y, share(weight), anchor="start")
    svg.line([(357, 14), (357, 404)], "mute", 1.5, "faint")
    return svg


def _formula(svg: Drawing, left: float, wrong: bool) -> None:
    """Draw the formula of the weights over one of the two numbers, with its name; the wrong one in a frame."""
    start, end = left + 118, left + 192
    middle = (start + end) / 2
    svg.text(left, 93, "softmax", anchor="start")
    svg.text(middle, 72, "Q Kᵀ")
    svg.line([(start, 93), (end, 93)])
    for x, parenthesis in ((start - 14, "("), (end + 14, ")")):
        svg.text(x, 90, parenthesis, size=56)
    if wrong:
        svg.text(middle, 119, "D")
        svg.box(middle - 22, 102, 44, 34, "context", kind="empty thick")
        svg.text(left, 168, f"D = {D}: width of an embedding", "context", "start", "small")
    else:
        svg.text(middle, 119, "√d", index="k")
        svg.text(left, 168, "d", anchor="start", kind="small", index="k")
        svg.text(left + 28, 168, f"= {D_K}: width of a key", anchor="start", kind="small")
