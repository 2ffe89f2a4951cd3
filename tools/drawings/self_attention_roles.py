"""One embedding, three matrices: the query, the key and the value of a word."""

import numpy as np

from tools.drawings.kit import Drawing, vector

WORDS, PLOTTED = ("The", "FBI", "is", "chasing"), (1, 3)  # the chapter's words, of which two are drawn
X = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, -1]])
MATRICES = {
    "query": np.array([[1.0, 1, 0, 1], [0, 1, 0, 1], [0, -1, -1, 1]]),
    "key": np.array([[1.0, 0, 1, 1], [1, 2, 1, 0], [0, 1, 2, -1]]),
    "value": np.array([[0.0, 1], [4, 0], [0, 2]]),
}
LEFT, MIDDLE, RIGHT, STEP = 20, 320, 520, 56


def draw() -> Drawing:
    """Draw the embeddings of FBI and chasing, and the three vectors that each of them gets."""
    svg = Drawing(
        "Each word has one embedding, and three learned matrices make its query, its key and its value of it",
        " ".join(
            f"{WORDS[i]} has the embedding {vector(X[i])}; its query is {vector(X[i] @ MATRICES['query'])}, its key "
            f"{vector(X[i] @ MATRICES['key'])} and its value {vector(X[i] @ MATRICES['value'])}."
            for i in PLOTTED
        ),
        height=400,
    )
    svg.text(LEFT + 75, 22, "embedding", kind="strong")
    for i, word in enumerate(PLOTTED):
        high = 118 + i * 190
        svg.text(LEFT + 75, high - 42, WORDS[word], kind="word")
        svg.box(LEFT, high - 24, 150, 48, "ink", vector(X[word]))
        for j, (role, matrix) in enumerate(MATRICES.items()):
            end = high + (j - 1) * STEP
            svg.bend((LEFT + 150, high), (MIDDLE - 60, end), role, 3)
            svg.text(MIDDLE - 10, end, f"× W_{role[0]}", role)
            svg.arrow([(MIDDLE + 44, end), (RIGHT - 90, end)], role)
            svg.box(RIGHT - 90, end - 22, 170, 44, role, vector(X[word] @ matrix))
            svg.text(RIGHT + 96, end, role, role, "start", "strong")
    return svg
