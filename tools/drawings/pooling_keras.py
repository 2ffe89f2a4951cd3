"""A mask that travels on, and one that ends where its steps do."""

from tools.drawings.kit import Drawing

WORDS = ((5, 2, 7, 0), (3, 0, 0, 0))  # the chapter's
LEFT, CELL, HIGH, TOP = 24, 52, 44, 78


def draw() -> Drawing:
    """Draw the chapter's two rows of words before the pooling, and the contexts after it."""
    steps = len(WORDS[0])
    svg = Drawing(
        "After the pooling there are no steps: an inherited mask still has them, ours ends there",
        f"On the left two rows of {steps} words, in which 0 is padding, and their mask, true where a word is. An arrow, pooling, leads to "
        f"two contexts, one for each row, of two features. Above, with the inherited method, the mask of shape (2, {steps}) still stands "
        "beside them; below, with ours, there is none.",
        height=352,
    )
    svg.text(LEFT, 24, "words", "key", "start", "strong")
    svg.text(LEFT, 50, f"(2, {steps})", "mute", "start", "small")
    for i, row in enumerate(WORDS):
        for j, word in enumerate(row):
            _cell(svg, LEFT + j * CELL, TOP + i * HIGH, str(word), "key", bool(word))
    svg.text(LEFT, TOP + 2 * HIGH + 34, "mask", anchor="start", kind="strong")
    _mask(svg, LEFT, TOP + 2 * HIGH + 56, CELL)
    for y, name, inherited in ((TOP, "inherited", True), (TOP + 166, "ours", False)):
        svg.arrow([(LEFT + steps * CELL + 10, TOP + 76), (324, y + HIGH)])
        svg.text(336, y - 22, f"{name}: context (2, 2)", "context", "start", "small strong")
        for i in range(len(WORDS)):
            for j in range(2):
                _cell(svg, 336 + j * CELL, y + i * HIGH, "", "context", True)
        svg.text(
            476, y + HIGH, "mask", "ink" if inherited else "mute", "start", "strong" if inherited else ""
        )
        if inherited:
            _mask(svg, 560, y, 38)
        else:
            svg.text(560, y + HIGH, "none", "context", "start", "strong")
    svg.text(712, TOP + 2 * HIGH + 20, f"(2, {steps}): these steps are gone", "mute", "end", "small")
    return svg


def _mask(svg: Drawing, x: float, y: float, width: float) -> None:
    """Draw the mask of the words, true or false."""
    for i, row in enumerate(WORDS):
        for j, word in enumerate(row):
            _cell(svg, x + j * width, y + i * HIGH, "T" if word else "F", "ink", bool(word), width)


def _cell(svg: Drawing, x: float, y: float, words: str, role: str, real: bool, width: float = CELL) -> None:
    kind, text = ("shape", "ink") if real else ("empty dashed", "mute")
    svg.cells(x, y, [[words]], role if real else "mute", width, HIGH, kind, text)
