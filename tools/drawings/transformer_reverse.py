"""A sequence and its reverse: where the weights of cross-attention should be is known before the training."""

from tools.drawings.kit import Drawing, centres

SOURCE = (6, 6, 3, 4, 3, 4, 8)  # the chapter's first sequence
LEFT, CELL, TOP, RIGHT, SIDE = 20, 46, 92, 418, 38


def draw() -> Drawing:
    """Draw the tokens with lines to those that they are copied to, and the same as a map."""
    target, last = SOURCE[::-1], len(SOURCE) - 1
    svg = Drawing(
        "To reverse a sequence, the first token that is written needs the last of the source: a diagonal of the map",
        f"On the left the source, {', '.join(map(str, SOURCE))}, and below it what is to be written, {', '.join(map(str, target))}; "
        "a line leads from each token to the place where it is written, and all lines cross. On the right a map with a "
        "row for each token that is written and a column for each of the source: the filled cells are a diagonal from "
        "the top right to the bottom left.",
        height=410,
    )
    svg.text(LEFT, 50, "source", "key", "start", "strong")
    svg.text(LEFT, 348, "to be written", "query", "start", "strong")
    for i in range(len(SOURCE)):
        svg.drop(
            (LEFT + (i + 0.5) * CELL, TOP + 28), (LEFT + (last - i + 0.5) * CELL, 280), "weight", 4, "faint"
        )
    svg.cells(LEFT, TOP - 18, [[str(token) for token in SOURCE]], "key", CELL, 46)
    svg.cells(LEFT, 280, [[str(token) for token in target]], "query", CELL, 46)
    svg.text(RIGHT + 3.5 * SIDE, 24, "weights to be learned", "weight", kind="strong")
    svg.texts(centres(RIGHT, SIDE, len(SOURCE)), 60, [str(t) for t in SOURCE], "key", "small")
    for i, token in enumerate(target):
        svg.text(RIGHT - 16, 80 + (i + 0.5) * SIDE, str(token), "query", kind="small")
        svg.cells(RIGHT, 80 + i * SIDE, [[""] * len(SOURCE)], "mute", SIDE, SIDE, "empty faint")
        svg.bar(RIGHT + (last - i) * SIDE + 2, 80 + i * SIDE + 2, SIDE - 4, SIDE - 4, "weight")
    svg.text(RIGHT, 80 + 7 * SIDE + 26, "a row: a token that is written;", "mute", "start", "small")
    svg.text(RIGHT, 80 + 7 * SIDE + 52, "a column: one of the source", "mute", "start", "small")
    return svg
