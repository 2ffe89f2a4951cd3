"""Looking inside: a head that copies the word before, and a head that uses it to find what came next."""

from math import cos, pi, sin

import numpy as np

from solutions.self_attention.in_numpy import softmax
from tools.drawings.kit import Drawing, share

WORDS = ("·", "the", "dog", "ran", "and", "the", "dog")
FACTOR = 6.0  # the score of a match; all other scores are 0
LEFT, WIDTH, HEIGHT = 8, 88, 44
BOX = 78
WORDS_AT, COPIES_AT = 150, 234  # the tops of the two rows


def draw() -> Drawing:
    """Draw seven words, what the first layer writes beside each, and what the last word finds."""
    weights, guess = induction(WORDS)
    match, last = int(weights.argmax()), len(WORDS) - 1
    svg = Drawing(
        "Two heads in two layers find what came after an earlier occurrence of the last word",
        f"The words {' '.join(WORDS)} in a row. Below each stands what a head of the first layer has copied there: "
        f"the word before it. A head of the second layer looks for the last word, {WORDS[-1]}, among these copies, "
        f"finds it below {WORDS[match]}, to which it gives the weight {share(float(weights[match]))}, and so the "
        f"model predicts {guess}, the word that came after {WORDS[-1]} before; it stands, dashed, after the last word.",
        height=370,
    )
    centres = [LEFT + WIDTH * (i + 0.5) for i in range(len(WORDS))]
    for i, (x, word) in enumerate(zip(centres, WORDS, strict=True)):
        role = {last: "query", match: "value"}.get(i, "ink")
        svg.box(
            x - BOX / 2, WORDS_AT, BOX, HEIGHT, role, word, kind="shape" if i in (last, match) else "empty"
        )
    for before, after, word in zip(centres, centres[1:], WORDS, strict=False):
        same = after == centres[match]
        svg.arrow([(before, WORDS_AT + HEIGHT), (after - 22, COPIES_AT)], "key" if same else "mute", 2)
        svg.box(after - BOX / 2, COPIES_AT, BOX, HEIGHT, "key", word, kind="shape thick" if same else "empty")
    radius, middle = (centres[last] - centres[match]) / 2, (centres[last] + centres[match]) / 2
    turns = [pi * k / 40 for k in range(41)]
    svg.line(
        [(middle + radius * cos(t), WORDS_AT - 4 - 84 * sin(t)) for t in turns], "weight", 10 * weights[match]
    )
    svg.text(middle, 34, f"layer 2: weight {share(float(weights[match]))}", "weight", kind="strong")
    svg.text(centres[last] + 12, WORDS_AT + HEIGHT + 20, "query", "query", kind="small")
    ahead = centres[last] + WIDTH
    svg.box(
        ahead - BOX / 2, WORDS_AT, BOX, HEIGHT, "context", guess, kind="empty dashed thick", words="strong"
    )
    svg.text(ahead, WORDS_AT + HEIGHT + 20, "next", "context", kind="small")
    svg.text(LEFT, COPIES_AT + HEIGHT + 34, "layer 1 copies the word before: the keys", "key", "start")
    words = f"the key “{WORDS[-1]}” stands below “{guess}”: “{guess}” is predicted"
    svg.text(LEFT, COPIES_AT + HEIGHT + 70, words, anchor="start")
    return svg


def induction(words: tuple[str, ...]) -> tuple[np.ndarray, str]:
    """Return the weights of the last word in the second layer, and the word that gets the most of them."""
    names = sorted(set(words))
    X = np.array([[float(w == name) for name in names] for w in words])
    before = _causal(FACTOR * np.eye(len(words), k=-1)) @ X
    weights = _causal(FACTOR * X @ before.T)[-1]
    return weights, names[int((weights @ X).argmax())]


def _causal(scores: np.ndarray) -> np.ndarray:
    return softmax(np.where(np.tri(len(scores)) > 0, scores, -np.inf))
