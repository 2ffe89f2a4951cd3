"""What the state of one word depends on: the whole review, or a window of five words."""

from tools.drawings.kit import Drawing, centres

WORDS = ("the", "pace", "felt", "hardly", "very", "silly", "for", "me")  # of a review of the chapter
REACH, AT = 2, 3
LEFT, STEP, TOPS = 14, 87, (70, 256)


def draw() -> Drawing:
    """Draw one state of each encoder, and a line from each word that it depends on."""
    inside = WORDS[AT - REACH : AT + REACH + 1]
    svg = Drawing(
        "The state of a word: from an LSTM in both directions it depends on all words, from a convolution on five",
        f"Twice the words {' '.join(WORDS)}, and above each row the state of “{WORDS[AT]}”. With an LSTM in both "
        f"directions lines lead to it from all {len(WORDS)} words. With a convolution lines lead to it from {len(inside)}: "
        f"{', '.join(inside)}.",
        height=386,
    )
    xs = centres(LEFT, STEP, len(WORDS))
    ways = {
        "Recurrent: all words": range(len(WORDS)),
        "Convolution: five words": range(AT - REACH, AT + REACH + 1),
    }
    for top, (name, visible) in zip(TOPS, ways.items(), strict=True):
        svg.text(LEFT, top - 46, name, anchor="start", kind="strong")
        for i, (x, word) in enumerate(zip(xs, WORDS, strict=True)):
            svg.box(x - 38, top - 2, 76, 30, "mute", kind="empty faint")
            if i in visible:
                svg.drop((xs[AT], top + 28), (x, top + 84), "key", 3)
            role = "key" if i in visible else "mute"
            svg.text(x, top + 102, word, role, kind="small strong" if i == AT else "small")
        svg.box(xs[AT] - 38, top - 2, 76, 30, "context", "state", text="context", words="small")
    return svg
