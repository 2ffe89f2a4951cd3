"""Tokens decoded: a letter of two bytes may stand in two tokens, so all bytes are joined first."""

from solutions.language_model.common import decode
from tools.drawings.kit import Drawing
from tools.drawings.language_model_whole import strip

WORD = "für"
CELL, HIGH, LEFT = 92, 42, 238
ROWS = (78, 158, 238, 318)


def draw() -> Drawing:
    """Draw a word of three letters in four bytes and two tokens, decoded in two ways."""
    by_bytes = WORD.encode()
    merges = [tuple(by_bytes[:2]), tuple(by_bytes[2:])]
    tokens = [256, 257]
    alone, joined = [decode([token], merges) for token in tokens], decode(tokens, merges)
    svg = Drawing(
        "A letter of two bytes in two tokens: decoded token by token it is lost, with all bytes joined first it is there",
        f"Four rows. Two tokens, {tokens[0]} and {tokens[1]}, stand for two bytes each: {', '.join(map(str, by_bytes))}. "
        f"The letter {WORD[1]} is the two bytes in the middle, one of each token. Decoded one by one the tokens give "
        f"{alone[0]} and {alone[1]}, with a mark for a byte that is no letter. With the bytes joined first they give {joined}.",
        height=378,
    )
    strip(svg, "tokens")
    names = ("tokens", "their bytes", "each by itself", "joined first")
    for y, name in zip(ROWS, names, strict=True):
        svg.text(14, y + HIGH / 2, name, anchor="start")
    for i, token in enumerate(tokens):
        svg.box(LEFT + 2 * i * CELL, ROWS[0], 2 * CELL - 8, HIGH, "key", str(token))
        svg.box(LEFT + 2 * i * CELL, ROWS[2], 2 * CELL - 8, HIGH, "mute", alone[i], kind="empty")
    for i, byte in enumerate(by_bytes):
        of_letter = i in (1, 2)
        x = LEFT + i * CELL
        svg.box(x, ROWS[1], CELL - 8, HIGH, "context" if of_letter else "key", str(byte))
        svg.line([(x + CELL / 2 - 4, ROWS[0] + HIGH), (x + CELL / 2 - 4, ROWS[1])], "mute")
    svg.box(LEFT, ROWS[3], CELL - 8, HIGH, "mute", joined[0], kind="empty")
    svg.box(LEFT + CELL, ROWS[3], 2 * CELL - 8, HIGH, "context", joined[1], words="strong")
    svg.box(LEFT + 3 * CELL, ROWS[3], CELL - 8, HIGH, "mute", joined[2], kind="empty")
    svg.text(LEFT + 4 * CELL + 8, ROWS[1] + HIGH / 2, f"{joined[1]}", "context", "start", "strong")
    return svg
