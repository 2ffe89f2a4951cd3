"""A pointer-generator: probabilities of the vocabulary and of the source's words, mixed."""

import numpy as np

from solutions.memory.in_numpy import copy_distribution
from tools.drawings.kit import Drawing, number

WORDS = ("the", "dog", "sees", "<unk>", "Kaja")  # the chapter's vocabulary, and the word that it lacks
VOCABULARY, WEIGHTS = np.array([[0.1, 0.2, 0.1, 0.6]]), np.array([[0.4, 0.1, 0.05, 0.05, 0.4]])
TOKENS, GENERATE = np.array([[4, 2, 0, 1, 4]]), 0.25
STEP, UNIT = 64, 110


def draw() -> Drawing:
    """Draw the chapter's example: what is generated, what is copied, and both."""
    every = [
        copy_distribution(VOCABULARY, WEIGHTS, TOKENS, np.array([[share]]), 5)[0]
        for share in (1.0, 0.0, GENERATE)
    ]
    names = (f"generate × {GENERATE}", f"copy × {1 - GENERATE}", "together")
    svg = Drawing(
        "What the vocabulary gives and what is copied from the source, mixed into one distribution over words",
        f"Bars for the words {', '.join(WORDS)}. "
        + " ".join(
            f"{name}: {', '.join(number(float(p)) for p in row)}."
            for name, row in zip(names, every, strict=True)
        )
        + " Kaja is not in the vocabulary, stands twice in the source, and has the largest probability in the mixture.",
        height=440,
    )
    for x, high, name, row, role in (
        (20, 172, names[0], every[0], "ink"),
        (380, 172, names[1], every[1], "weight"),
        (200, 392, names[2], every[2], "context"),
    ):
        svg.text(x + 2.5 * STEP, 22 if high < 200 else 252, name, role, kind="strong")
        svg.bars(x, high, row, UNIT, role, WORDS, STEP)
    svg.arrow([(180, 206), (180, 250), (250, 250)], "mute")
    svg.arrow([(540, 206), (540, 250), (470, 250)], "mute")
    return svg
