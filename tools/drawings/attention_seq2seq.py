"""Sequence to sequence without attention: an encoder, its last state, and a decoder that gets nothing else."""

from tools.drawings.kit import Drawing

READ, OUTPUT = ("das", "ist", "gut"), ("that", "is", "good")
SIDE, TOP, BOTTOM = 72, 150, 210  # the boxes of the steps


def draw() -> Drawing:
    """Draw three words read and three written, with one vector between them."""
    svg = Drawing(
        "An encoder reads a sentence, its last state is handed over, and a decoder writes from this one vector",
        f"The encoder reads “{' '.join(READ)}” word by word; each state is computed from the state before and the new "
        f"word. Its last state is one vector, and all that is handed to the decoder. The decoder begins with it and "
        f"writes “{' '.join(OUTPUT)}”; each word that it has written is read in its next step.",
        height=352,
    )
    svg.text(148, 22, "encoder reads", kind="strong")
    svg.text(360, 22, "one vector", kind="strong")
    svg.text(360, 50, "the last state", "mute", kind="small")
    svg.text(572, 22, "decoder writes", kind="strong")
    _steps(svg, 10, "h", READ)
    svg.arrow([(286, 180), (338, 180)], width=3)
    svg.cells(338, 124, [[""]] * 4, width=44, height=28, kind="shape thick")
    svg.arrow([(382, 180), (434, 180)], width=3)
    _steps(svg, 434, "s", ("start", *OUTPUT[:-1]))
    for i, word in enumerate(OUTPUT):
        x = 434 + 102 * i + SIDE / 2
        svg.arrow([(x, TOP), (x, 108)])
        svg.text(x, 88, word, kind="word")
    svg.text(360, 328, "The decoder learns of the sentence through this vector alone.", kind="small")
    return svg


def _steps(svg: Drawing, left: float, state: str, words: tuple[str, ...]) -> None:
    """Draw steps of a recurrent network, each with the word that it reads below it."""
    for i, word in enumerate(words):
        x = left + 102 * i
        if i:
            svg.arrow([(x - 30, 180), (x, 180)])
        svg.box(x, TOP, SIDE, BOTTOM - TOP)
        svg.text(x + SIDE / 2, 180, state, index=str(i + 1))
        svg.arrow([(x + SIDE / 2, 252), (x + SIDE / 2, BOTTOM)])
        svg.text(x + SIDE / 2, 272, word, "mute" if word == "start" else "ink", kind="word")
