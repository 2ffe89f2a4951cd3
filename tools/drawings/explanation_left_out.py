"""What the verdict is without a word: the weights of the others are computed anew."""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax
from tools.drawings.kit import Drawing, centres, number, share

WORDS, SCORES, VOTES = ("the", "film", "was", "dull"), np.array([0.0, 0, 2, 1]), np.array([0, 0.5, 0, -3])
LEFT, STEP, UNIT = 170, 92, 74


def draw() -> Drawing:
    """Draw the chapter's four words: all of them, and without `was`, and without `dull`."""
    rows = [
        (name, _weights(left_out))
        for name, left_out in (("all words", None), ("without was", 2), ("without dull", 3))
    ]
    svg = Drawing(
        "Without a word the weights of the others are larger, and the verdict is another",
        "Three rows of bars, the weights of the words the, film, was and dull. "
        + " ".join(
            f"{name.capitalize()}: {', '.join(share(w) for w in weights)}, and the verdict is {number(weights @ VOTES, 3)}."
            for name, weights in rows
        ),
        height=440,
    )
    svg.text(LEFT + 4 * STEP + 80, 22, "verdict", "context", kind="strong")
    svg.text(14, 22, "vote", "value", "start")
    svg.texts(centres(LEFT, STEP, 4), 22, [number(v) for v in VOTES], "value")
    for i, (name, weights) in enumerate(rows):
        base = 140 + i * 126
        svg.text(14, base - 24, name, anchor="start")
        svg.bars(LEFT, base, weights, UNIT, "weight", WORDS, STEP)
        svg.text(LEFT + 4 * STEP + 80, base - 24, number(float(weights @ VOTES), 3), "context", kind="strong")
    return svg


def _weights(left_out: int | None) -> np.ndarray:
    """Return the softmax of the scores that are left, and 0 for the word that is left out."""
    words = [t for t in range(len(SCORES)) if t != left_out]
    weights = np.zeros(len(SCORES))
    weights[words] = masked_softmax(SCORES[None, None, words], None)[0, 0]
    return weights
