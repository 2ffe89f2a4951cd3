"""Two sentences cut into two heads each: the length that belongs to each of the four, repeated rightly and wrongly."""

import numpy as np

from tools.drawings.kit import Drawing

LENGTHS, HEADS, STEPS = np.array([2, 3]), 2, 3  # the chapter's
TOP, HIGH, CELL = 74, 52, 38
WORDS, RIGHT, WRONG = 240, 470, 610


def draw() -> Drawing:
    """Draw the batch after the split, with the lengths by `repeat` and by `tile`."""
    right, wrong = np.repeat(LENGTHS, HEADS), np.tile(LENGTHS, HEADS)
    svg = Drawing(
        "After the split a sentence's heads are neighbours in the batch, so its length is needed twice in a row",
        f"The batch has four elements: both heads of sentence 1, then both heads of sentence 2. Of the first sentence "
        f"{LENGTHS[0]} words are real, of the second {LENGTHS[1]}. Each length repeated gives {_list(right)}. The list "
        f"repeated gives {_list(wrong)}: the second head of sentence 1 attends to padding, and the first head of "
        f"sentence 2 misses a word.",
        height=288,
    )
    svg.text(WORDS + STEPS * CELL / 2, 22, "its words", kind="strong")
    svg.text(RIGHT, 22, "each length", "weight", kind="strong")
    svg.text(RIGHT, 47, "repeated", "weight", kind="small")
    svg.text(WRONG, 22, "the list", "mute", kind="strong")
    svg.text(WRONG, 47, "repeated", "mute", kind="small")
    for i, (good, bad) in enumerate(zip(right, wrong, strict=True)):
        sentence, head = divmod(i, HEADS)
        high = TOP + i * HIGH + (10 if sentence else 0)
        svg.text(12, high + 19, f"sentence {sentence + 1}, head {head + 1}", "ink", "start", "small")
        real = np.arange(STEPS) < LENGTHS[sentence]
        svg.cells(WORDS, high, [[""] * STEPS], "key", CELL, 38, where=[real])
        svg.text(RIGHT, high + 19, str(good), "weight", kind="strong")
        svg.text(WRONG, high + 19, str(bad), "mute", kind="strong" if good != bad else "")
        if good != bad:
            svg.text(WRONG + 22, high + 19, "✗", "ink", "start")
    return svg


def _list(lengths: np.ndarray) -> str:
    return ", ".join(map(str, lengths))
