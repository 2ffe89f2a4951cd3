"""The feed-forward layers: the same two layers at each position, and no position hears of another."""

import numpy as np

from solutions.transformer.in_numpy import initial_weights
from tools.drawings.kit import Drawing, number

WORDS, CHANGED = 5, 2
D, HEADS, FFN = 32, 4, 64  # the chapter's sizes
LEFT, STEP, WIDE = 150, 116, 92


def draw() -> Drawing:
    """Draw five words, of which the third is another; how far each result moves."""
    moved = _moved()
    changes = ", ".join(number(float(value)) for value in moved)
    svg = Drawing(
        "The same two layers at each position: with another third word only the third result is another",
        f"Five columns, one for each position. At the bottom a word, above it the layer W1 with a ReLU, then the layer "
        f"W2, and at the top the result. The boxes are the same in all columns, and no line leads from one column to "
        f"another. With another third word the results move by {changes}.",
        height=320,
    )
    for name, y in (("moves by", 24), ("W₂", 110), ("ReLU", 150), ("W₁", 190), ("word", 284)):
        svg.text(8, y, name, "mute", "start", "small")
    for i in range(WORDS):
        x, here = LEFT + i * STEP, i == CHANGED
        middle = x + WIDE / 2 - 6
        role = "context" if here else "mute"
        svg.text(middle, 24, number(float(moved[i])), role, kind="strong" if here else "")
        for upper, lower in ((42, 88), (132, 168), (212, 262)):
            svg.arrow([(middle, lower), (middle, upper)], role, 3 if here else 2)
        svg.box(x - 6, 88, WIDE, 44, "key", f"{FFN} → {D}", words="small")
        svg.box(x - 6, 168, WIDE, 44, "key", f"{D} → {FFN}", words="small")
        word, kind = ("another", "shape") if here else ("same", "empty")
        svg.box(x - 6, 262, WIDE, 44, role, word, kind=kind, words="small")
    return svg


def _moved() -> np.ndarray:
    """Return the largest change of a feature at each position, as the chapter computes it."""
    weights = initial_weights(10, D, FFN, 1, 0)
    first_block = {name.removeprefix("encoder.0."): value for name, value in weights.items()}
    sentence = np.random.default_rng(0).normal(size=(1, WORDS, D))
    other = sentence.copy()
    other[0, CHANGED] += 1
    before, after = (
        np.maximum(X @ first_block["ffn1.weight"].T + first_block["ffn1.bias"], 0)
        @ first_block["ffn2.weight"].T
        + first_block["ffn2.bias"]
        for X in (sentence, other)
    )
    moved: np.ndarray = np.abs(after - before).max(axis=-1)[0]
    return moved
