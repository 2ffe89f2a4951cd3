"""The transformer, whole: an encoder that reads, a decoder that writes."""

from collections.abc import Iterable

import numpy as np

from solutions.transformer.in_numpy import shift_right
from tools.drawings.kit import Drawing

SOURCE = (4, 7, 1)  # the chapter's task: to reverse a sequence
START = 0
ENCODER, DECODER, WIDE = 44, 396, 280
TOP, SUBLAYER, NORM = 190, 48, 34  # where the blocks begin, and the heights of what they hold
STEP = 126  # from one sublayer to the next


def draw() -> Drawing:
    """Draw figure 1 of Vaswani et al. (2017), read from above to below, for one source of three tokens."""
    answer = np.array([SOURCE[::-1]])
    inputs = ["start", *(str(token) for token in shift_right(answer, START)[0, 1:])]
    svg = Drawing(
        "The transformer: an encoder reads the source, a decoder writes the target and attends to what was read",
        "On the left the encoder: the source is embedded, positions are added, and in each block come "
        "self-attention and a feed-forward layer, each added to its input and followed by layer norm. On the right "
        "the decoder: what is written so far is embedded in the same way; each block has masked self-attention, "
        "then attention with queries of the decoder and keys and values from the encoder, then a feed-forward "
        f"layer. A readout gives the next token. The source here is {_words(map(str, SOURCE))}, what is given "
        f"{_words(inputs)}, and what is written {_words(map(str, answer[0]))}.",
        height=692,
    )
    for x, name in ((ENCODER, "encoder"), (DECODER, "decoder")):
        svg.text(x + WIDE / 2, 20, name, kind="strong")
    svg.text(ENCODER + WIDE / 2, 56, f"source: {_words(map(str, SOURCE))}")
    svg.text(DECODER + WIDE / 2, 56, f"so far: {_words(inputs)}")
    for x in (ENCODER, DECODER):
        svg.arrow([(x + WIDE / 2, 72), (x + WIDE / 2, 94)])
        svg.box(x, 94, WIDE, 46, "mute", "embedding + position")
        svg.line([(x + WIDE / 2, 140), (x + WIDE / 2, TOP - 24)])
    svg.box(ENCODER - 30, TOP - 32, WIDE + 46, 2 * STEP + 8, "mute", kind="empty dashed")
    svg.box(DECODER - 16, TOP - 32, WIDE + 46, 3 * STEP + 8, "mute", kind="empty dashed")
    for i, name in enumerate(("self-attention", "feed-forward")):
        _sublayer(svg, ENCODER, TOP + i * STEP, name, ENCODER - 18)
    for i, name in enumerate(("masked self-attention", "attention to source", "feed-forward")):
        _sublayer(svg, DECODER, TOP + i * STEP, name, DECODER + WIDE + 18)
    end = TOP + STEP + SUBLAYER + 14 + NORM  # of the encoder's last layer norm
    bend = (ENCODER + WIDE + DECODER) / 2
    across = TOP + STEP + SUBLAYER / 2
    svg.line(
        [(ENCODER + WIDE / 2, end), (ENCODER + WIDE / 2, end + 46), (bend, end + 46), (bend, across)],
        "key",
        4,
    )
    svg.arrow([(bend - 2, across), (DECODER, across)], "key", 4)
    svg.text(ENCODER + WIDE / 2, end + 72, "keys and values:", "key")
    svg.text(ENCODER + WIDE / 2, end + 100, "a vector for each source token", "key", kind="small")
    svg.text(ENCODER + WIDE / 2, end + 176, "a dashed frame is a block;", "mute", kind="small")
    svg.text(ENCODER + WIDE / 2, end + 202, "several follow each other", "mute", kind="small")
    middle, below = DECODER + WIDE / 2, TOP + 3 * STEP
    svg.arrow([(middle, below - STEP + SUBLAYER + 14 + NORM), (middle, below)])
    svg.box(DECODER, below, WIDE, 46, "mute", "linear + softmax")
    svg.arrow([(middle, below + 46), (middle, below + 76)])
    svg.text(middle, below + 96, f"written: {_words(map(str, answer[0]))}", kind="strong")
    return svg


def _sublayer(svg: Drawing, x: float, y: float, name: str, side: float) -> None:
    """Draw a sublayer with its layer norm below, and the input that goes round it at the side."""
    middle, norm = x + WIDE / 2, y + SUBLAYER + 14
    queries = name == "attention to source"
    svg.arrow([(middle, y - 30), (middle, y)], "query" if queries else "ink", 4 if queries else 2)
    if queries:
        svg.text(middle - 14, y - 15, "queries", "query", "end", "small")
    svg.box(x, y, WIDE, SUBLAYER, "ink", name)
    svg.line([(middle, y + SUBLAYER), (middle, norm)])
    svg.box(x, norm, WIDE, NORM, "mute", "add, layer norm", kind="empty", text="mute")
    edge = x if side < x else x + WIDE
    svg.arrow([(middle, y - 22), (side, y - 22), (side, norm + NORM / 2), (edge, norm + NORM / 2)], "mute")


def _words(words: Iterable[str]) -> str:
    return " ".join(words)
