"""Self-attention: the query of every word, and the keys and values of every word."""

import numpy as np

from solutions.self_attention.in_numpy import self_attention
from tools.drawings.kit import Drawing, share, vector

WORDS = ("The", "FBI", "is", "chasing")
X = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, -1]]
W_Q = [[1, 1, 0, 1], [0, 1, 0, 1], [0, -1, -1, 1]]
W_K = [[1, 0, 1, 1], [1, 2, 1, 0], [0, 1, 2, -1]]
W_V = [[0, 1], [4, 0], [0, 2]]
ASKING = 3


def attended() -> tuple[np.ndarray, np.ndarray]:
    """Return the contexts of the chapter's four words, (4, 2), and their weights, (4, 4)."""
    embeddings = np.array([X], dtype=float)
    matrices = (np.array(W, dtype=float) for W in (W_Q, W_K, W_V))
    context, weights = self_attention(embeddings, *matrices)
    return context[0], weights[0]


def draw() -> Drawing:
    """Draw the four words of the chapter; the lines of the last one are strong."""
    context, weights = attended()
    row = [share(w) for w in weights[ASKING]]
    parts = ", ".join(f"{word} {part}" for word, part in zip(WORDS, row, strict=True))
    svg = Drawing(
        "The query of each word is compared with the keys of all words, and their values are averaged with the weights",
        f"The words {', '.join(WORDS)} stand on the left with their queries, and once more on the right with "
        f"their keys and values. A line leads from each to each. The weights of "
        f"“{WORDS[ASKING]}” are {parts}; the values, averaged with them, are its new vector, "
        f"{vector(context[ASKING])}.",
        height=420,
    )
    ys = (98, 188, 278, 368)
    svg.text(70, 22, "query", "query", kind="strong")
    svg.text(324, 22, "key, value", "key", kind="strong")
    svg.text(482, 22, "weights", "weight", kind="strong")
    svg.text(634, 278, "context of", "context", kind="strong")
    svg.text(634, 306, f"“{WORDS[ASKING]}”", "context", kind="strong")
    for i in range(len(WORDS)):
        role, most, kind = ("weight", 22, "") if i == ASKING else ("mute", 9, "faint")
        for y, weight in zip(ys, weights[i], strict=True):
            svg.bend((130, ys[i]), (264, y), role, max(most * weight, 1.5), kind)
    for y, word, part, weight in zip(ys, WORDS, row, weights[ASKING], strict=True):
        svg.box(10, y - 26, 120, 52, "query", word, words="word")
        svg.box(264, y - 26, 120, 52, "key", word, words="word")
        svg.line([(384, y), (448, y)], "weight", max(22 * weight, 1.5), "faint")
        svg.text(482, y, part)
        svg.bend((514, y), (560, ys[ASKING]), "weight", max(22 * weight, 1.5), "faint")
    svg.box(560, ys[ASKING] - 36, 150, 72, "context", vector(context[ASKING]))
    return svg
