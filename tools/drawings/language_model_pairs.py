"""Byte pairs: the most frequent pair of neighbours becomes one token, and again."""

from solutions.language_model.common import learn_merges, merge_pair
from tools.drawings.kit import Drawing
from tools.drawings.language_model_whole import strip

TEXT, MERGES = "banana bandana", 3
CELL, HIGH, TOP, ROW = 41, 40, 92, 88
LEFT = 14


def draw() -> Drawing:
    """Draw the chapter's text, as bytes and after each of three merges."""
    tokens = list(TEXT.encode())
    merges = learn_merges([(TEXT, 1)], MERGES)
    names = {token: chr(token).replace(" ", "␣") for token in tokens}
    rows: list[tuple[list[int], int | None]] = [(tokens, None)]
    for new, pair in enumerate(merges, 256):
        names[new] = names[pair[0]] + names[pair[1]]
        tokens = merge_pair(tokens, pair, new)
        rows.append((tokens, new))
    merged = "; ".join(f"with {names[new]} as a token, {len(row)} are left" for row, new in rows if new)
    svg = Drawing(
        "A text as letters, and after each merge of the most frequent pair of neighbours into one new token",
        f"The letters of “{TEXT}” stand in {len(rows[0][0])} cells. In each row below the most frequent pair of "
        f"neighbours has become one token: {merged}.",
        height=TOP + ROW * len(rows) - 14,
    )
    strip(svg, "tokens")
    for i, (row, newest) in enumerate(rows):
        y, x = TOP + ROW * i, float(LEFT)
        words = f"new: {names[newest]}" if newest else "letters"
        svg.text(LEFT, y - 18, words, "context small strong" if newest else "mute small", "start")
        svg.text(706, y - 18, f"{len(row)} tokens", "mute", "end", "small")
        for token in row:
            width = CELL * len(names[token])
            marked = token == newest
            svg.box(x + 2, y, width - 4, HIGH, "context" if marked else "key", names[token])
            x += width * 1.18
    return svg
