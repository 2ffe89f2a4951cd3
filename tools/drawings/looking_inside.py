"""Looking inside: a head that copies the word before, and a head that uses it to find what came next."""

from itertools import pairwise

import numpy as np

from solutions.self_attention.in_numpy import softmax
from tools.drawings.kit import Drawing, share

WORDS = ("·", "the", "dog", "ran", "and", "the", "dog")
FACTOR = 6.0  # the score of a match; all other scores are 0
LEFT, WIDTH, HEIGHT = 16, 98, 44
ABOVE, BELOW = 60, 196  # the tops of the two rows


def draw() -> Drawing:
    """Seven words, what the first layer writes beside each, and what the last word finds."""
    weights, guess = induction(WORDS)
    found = int(weights.argmax())
    made = Drawing(
        "looking_inside",
        "Two heads in two layers find what came after an earlier occurrence of the last word",
        f"The words {' '.join(WORDS)} in a row. Below each stands what a head of the first layer has copied there: "
        f"the word before it. A head of the second layer looks for the last word, {WORDS[-1]}, among these copies, "
        f"finds it below {WORDS[found]}, to which it gives the weight {share(float(weights[found]))}, and so the "
        f"model says {guess}, the word that came after {WORDS[-1]} before.",
        height=440,
    )
    centres = [LEFT + WIDTH * (i + 0.5) for i in range(len(WORDS))]
    made.text(LEFT, 26, "the words", anchor="start", kind="strong")
    made.cells(LEFT, ABOVE, [list(WORDS)], "value", WIDTH, HEIGHT)
    for before, after in pairwise(centres):
        made.arrow([(before, ABOVE + HEIGHT), (after, BELOW)], "mute", 2)
    made.text(LEFT, 262, "layer 1: each word gets a copy of the word before it", "key", "start", "strong")
    made.cells(LEFT + WIDTH, BELOW, [list(WORDS[:-1])], "key", WIDTH, HEIGHT, "empty")
    made.box(LEFT + WIDTH * found, BELOW, WIDTH, HEIGHT, "key", kind="empty thick")
    made.text(
        LEFT, 412, f"layer 2: the last “{WORDS[-1]}” looks for “{WORDS[-1]}”", "query", "start", "strong"
    )
    return _found(made, centres, found, float(weights[found]), guess)


def _found(made: Drawing, centres: list[float], found: int, weight: float, guess: str) -> Drawing:
    """What the last word attends to, and what the model says."""
    x, y = centres[found], 330
    made.line([(centres[-1], ABOVE + HEIGHT), (centres[-1], y)], "query", 3, "dashed")
    made.arrow([(centres[-1], y), (x, y), (x, BELOW + HEIGHT)], "query", 4)
    made.text((x + centres[-1]) / 2, y + 24, f"weight {share(weight)}", "query", kind="strong")
    made.text(centres[-1], 412, f"→ {guess}", "context", kind="strong")
    return made


def induction(words: tuple[str, ...]) -> tuple[np.ndarray, str]:
    """The weights of the last word in the second layer, and the word that gets the most of them."""
    names = sorted(set(words))
    X = np.array([[float(w == name) for name in names] for w in words])
    before = _causal(FACTOR * np.eye(len(words), k=-1)) @ X
    weights = _causal(FACTOR * X @ before.T)[-1]
    return weights, names[int((weights @ X).argmax())]


def _causal(scores: np.ndarray) -> np.ndarray:
    return softmax(np.where(np.tri(len(scores)) > 0, scores, -np.inf))
