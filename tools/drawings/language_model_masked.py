"""Predicting what is hidden beside predicting what comes: what each token sees, and which of them are predicted."""

from tools.drawings.kit import Drawing

WORDS = ("the", "weights", "of", "each", "row")
HIDDEN = 2
CELL, TOP, LEFTS = 44, 96, (108, 468)


def draw() -> Drawing:
    """Draw both masks over one sentence, and below each what is predicted."""
    count, hidden = len(WORDS), WORDS[HIDDEN]
    svg = Drawing(
        "The same words under a causal mask and under none: what comes is predicted at each word, what is hidden at one",
        f"Two squares of {count} by {count} cells, with a row for each of the words {', '.join(WORDS)}. In the first "
        f"a word sees itself and those before it, and at each word the next one is predicted. In the second all "
        f"words see all, “{hidden}” is replaced by a mask token, and it alone is predicted, from both sides.",
        height=TOP + CELL * count + 76,
    )
    for left, title in zip(LEFTS, ("what comes", "what is hidden"), strict=True):
        causal = left == LEFTS[0]
        svg.text(left + CELL * count / 2, 22, title, kind="strong")
        svg.text(left + CELL * count / 2, 60, "keys", "key", kind="small")
        words = WORDS if causal else [word if word != hidden else "[MASK]" for word in WORDS]
        for i, word in enumerate(words):
            svg.text(
                left - 12, TOP + CELL * (i + 0.5), word, "mute" if "[" in word else "ink", "end", "small"
            )
        sees = [[not causal or j <= i for j in range(count)] for i in range(count)]
        svg.cells(left, TOP, [[""] * count] * count, "weight", CELL, CELL, where=sees)
        below = TOP + CELL * count
        predicted = f"predicted: {', '.join(WORDS[1:3])}, …" if causal else f"predicted: {hidden}"
        svg.text(left + CELL * count / 2, below + 28, predicted, "context", kind="small")
        parts = f"{count - 1} of {count} words" if causal else f"1 of {count} words"
        svg.text(left + CELL * count / 2, below + 56, parts, "mute", kind="small")
    return svg
