"""Merges in the order in which they were learned, and in another: the tokens of one word differ."""

from solutions.language_model.common import merge_pair
from tools.drawings.kit import Drawing
from tools.drawings.language_model_whole import strip

WORD, MERGES = "the", ("he", "th")  # as the text says: `he` was learned first
CELL, HIGH, TOP, ROW = 58, 40, 126, 84
LEFTS = (24, 396)


def draw() -> Drawing:
    """Draw the same word, encoded with the merges as learned and the other way round."""
    pairs = {merge: (tuple(merge.encode()), 256 + i) for i, merge in enumerate(MERGES)}
    ways = {"as they were learned": MERGES, "from the left": MERGES[::-1]}
    ends = [" and ".join(_rows(order, pairs)[-1]) for order in ways.values()]
    svg = Drawing(
        "One word, encoded with the merges in the order in which they were learned, and from the left",
        f"Twice the letters {', '.join(WORD)}, in three rows. With the merges as they were learned, first {MERGES[0]} and "
        f"then {MERGES[1]}, the word ends as {ends[0]}: when {MERGES[1]} comes, its second letter is in a token "
        f"already. With the first pair from the left merged first it ends as {ends[1]}.",
        height=TOP + 3 * ROW - 20,
    )
    strip(svg, "tokens")
    for left, (way, order) in zip(LEFTS, ways.items(), strict=True):
        svg.text(left, 74, way, anchor="start", kind="strong")
        titles = ["letters", *(f"merge {merge}" for merge in order)]
        rows = _rows(order, pairs)
        for i, (words, row) in enumerate(zip(titles, rows, strict=True)):
            y, x = TOP + ROW * i, float(left)
            idle = i > 0 and row == rows[i - 1]
            svg.text(left, y - 16, f"{words}: not there" if idle else words, "mute", "start", "small")
            for token in row:
                marked = i > 0 and token == order[i - 1]
                svg.box(
                    x, y, CELL * len(token) - 6, HIGH, "context" if marked else "key", token, words="strong"
                )
                x += CELL * len(token)
    return svg


def _rows(order: tuple[str, ...], pairs: dict[str, tuple[tuple[int, ...], int]]) -> list[list[str]]:
    """Return the tokens of the word as text: its letters, then after each merge."""
    names = {ord(letter): letter for letter in WORD} | {new: merge for merge, (_, new) in pairs.items()}
    tokens = list(WORD.encode())
    rows = [[names[token] for token in tokens]]
    for merge in order:
        tokens = merge_pair(tokens, *pairs[merge])
        rows.append([names[token] for token in tokens])
    return rows
