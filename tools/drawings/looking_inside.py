"""Looking inside: a head that copies the word before, and a head that uses it to find what came next."""

from itertools import pairwise

import numpy as np

from solutions.self_attention.in_numpy import softmax
from tools.drawings.kit import Drawing, share

WORDS = ("·", "the", "dog", "ran", "and", "the", "dog")
FACTOR = 6.0  # the score of a match; all other scores are 0
LEFT, WIDTH, HEIGHT = 16, 93, 44
COPIES, ROW = 84, 196  # the tops of the two rows


def draw() -> Drawing:
    """Seven words, what the first layer writes beside each, and what the last word finds."""
    weights, guess = induction(WORDS)
    found = int(weights.argmax())
    made = Drawing(
        "looking_inside",
        "Two heads in two layers find what came after an earlier occurrence of the last word",
        f"The words {' '.join(WORDS)} in a row. Above each stands what a head of the first layer has copied there: "
        f"the word before it. A head of the second layer looks for the last word, {WORDS[-1]}, among these copies, "
        f"finds it above {WORDS[found]}, to which it gives the weight {share(float(weights[found]))}, and so the "
        f"model says {guess}, the word that came after {WORDS[-1]} before.",
        height=430,
    )
    centres = [LEFT + WIDTH * (i + 0.5) for i in range(len(WORDS))]
    made.text(LEFT, COPIES + HEIGHT / 2, "layer 1", "key", "start", "strong")
    made.cells(LEFT + WIDTH, COPIES, [list(WORDS[:-1])], "key", WIDTH, HEIGHT, "empty")
    made.box(LEFT + WIDTH * found, COPIES, WIDTH, HEIGHT, "key", kind="shape thick")
    for before, after in pairwise(centres):
        made.arrow([(before, ROW), (after, COPIES + HEIGHT)], "mute", 2)
    made.cells(LEFT, ROW, [list(WORDS)], "value", WIDTH, HEIGHT)
    made.text(LEFT, ROW + HEIGHT + 28, "the words", "value", "start", "strong")
    made.text(LEFT, 370, "layer 1: each word gets a copy of the word before it", "key", "start")
    made.text(LEFT, 404, f"layer 2: the last “{WORDS[-1]}” looks for a copy of itself", "query", "start")
    return _found(made, centres[found], float(weights[found]), guess)


def _found(made: Drawing, x: float, weight: float, guess: str) -> Drawing:
    """What the last word attends to, and what the model says."""
    right, middle, top = LEFT + WIDTH * len(WORDS), ROW + HEIGHT / 2, 48
    made.arrow([(right, middle), (right + 26, middle), (right + 26, top), (x, top), (x, COPIES)], "query", 4)
    made.text(x + 20, 22, f"layer 2: weight {share(weight)}", "query", "start", "strong")
    made.arrow([(x, ROW + HEIGHT), (x, 296)], "context", 4)
    made.text(x, 320, f"next: {guess}", "context", kind="strong")
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
