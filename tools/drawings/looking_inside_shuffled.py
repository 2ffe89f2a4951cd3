"""What came after an earlier occurrence: right in a repeated passage, and wrong in the same tokens shuffled."""

import numpy as np

from tools.drawings.kit import PALE, Drawing

VOCABULARY, LENGTH, COUNT = 24, 24, 14  # the chapter's
LEFT, CELL, TOPS = 24, 48, (78, 252)


def passages() -> np.ndarray:
    """Return the chapter's 100 sequences on which the models are measured."""
    rng = np.random.default_rng(9)
    tokens = np.zeros((100, LENGTH), dtype=int)
    periods = rng.integers(4, 11, size=100)
    for row, period in zip(tokens, periods, strict=True):
        passage = 1 + rng.permutation(VOCABULARY - 1)[:period]
        row[1:] = passage[np.arange(LENGTH - 1) % period]
    return tokens


def draw() -> Drawing:
    """Draw the first of the chapter's sequences, and its tokens in random order."""
    sequences = passages()
    repeated, shuffled = sequences[0], sequences[0].copy()
    shuffled[1:] = np.random.default_rng(7).permuted(sequences[:, 1:], axis=1)[0]
    rows = {"a repeated passage": repeated, "the same tokens, shuffled": shuffled}
    sentences, results = [], {}
    for name, row in rows.items():
        guesses = {}
        for t in range(1, COUNT):
            earlier = [s for s in range(1, t) if row[s] == row[t]]
            if earlier:
                guesses[t] = int(row[earlier[-1] + 1])
        right = sum(int(row[t + 1]) == guess for t, guess in guesses.items())
        results[name] = guesses, right
        sentences.append(f"{name}: {right} of {len(guesses)} are the next token")
    svg = Drawing(
        "What came after an earlier occurrence is the next token in a repeated passage, and seldom in shuffled text",
        f"Twice {COUNT} tokens in a row, as letters. Below each token that has occurred before stands the token that came after its last "
        f"occurrence, with a frame if it is indeed the next one. {'; '.join(sentences)}.",
        height=388,
    )
    for top, (name, row) in zip(TOPS, rows.items(), strict=True):
        guesses, right = results[name]
        svg.text(LEFT, top - 52, name, anchor="start", kind="strong")
        svg.text(696, top - 52, f"{right} of {len(guesses)} right", "context", "end", "strong")
        for t in range(COUNT):
            letter = chr(96 + row[t]) if row[t] else "·"
            svg.cells(LEFT + t * CELL, top - 22, [[letter]], "key" if row[t] else "mute", CELL, 42)
            if t in guesses:
                hit = guesses[t] == row[t + 1]
                svg.line([(LEFT + (t + 0.5) * CELL, top + 22), (LEFT + (t + 0.5) * CELL, top + 36)], "mute")
                role, kind, text = ("weight", "shape thick", "ink") if hit else PALE
                x = LEFT + t * CELL + 5
                svg.box(x, top + 36, CELL - 10, 40, role, chr(96 + guesses[t]), kind=kind, text=text)
    svg.text(LEFT, 366, "below: what came after the last occurrence of the token", "mute", "start", "small")
    return svg
