"""Translation with attention: before each word, the decoder's state is the query for the encoder's outputs."""

import numpy as np

from solutions.additive.in_numpy import additive_attention
from tools.drawings.kit import Drawing, share, vector

OUTPUTS, STATE, LENGTH = [[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]], [-1.0, 1.0], 2
READ, OUTPUT = ("jetzt", "darf", "padding"), "now"


def draw() -> Drawing:
    """Draw the step by hand of the chapter: a state, two outputs and one of padding."""
    outputs, same = np.array([OUTPUTS]), np.eye(2)
    context, weights = additive_attention(
        np.array([[STATE]]), outputs, outputs, same, same, np.ones((1, 2)), np.array([LENGTH])
    )
    row, result = weights[0, 0], context[0, 0]
    parts = [share(w) for w in row]
    svg = Drawing(
        "Before each word, the decoder's state is compared with the encoder's outputs; their weighted sum is the context",
        f"The encoder has left a vector for each source word: {vector(OUTPUTS[0])} for “{READ[0]}”, "
        f"{vector(OUTPUTS[1])} for “{READ[1]}”, and one of padding, which is masked. The decoder's state, "
        f"{vector(STATE)}, is the query. It gets the weights {', '.join(parts)} and the context {vector(result)}, from "
        f"which come the next word, “{OUTPUT}”, and the new state, the query for the word after it.",
        height=408,
    )
    ys = (100, 186, 272)
    svg.text(78, 22, "decoder", "query", kind="strong")
    svg.text(78, 48, "state: query", "query", kind="small")
    svg.text(282, 22, "encoder", "key", kind="strong")
    svg.text(282, 48, "keys and values", "key", kind="small")
    svg.text(436, 22, "weights", "weight", kind="strong")
    svg.text(592, 22, "context", "context", kind="strong")
    svg.box(10, 152, 136, 68, "query", vector(STATE))
    for i, (y, word, part, weight) in enumerate(zip(ys, READ, parts, row, strict=True)):
        real = i < LENGTH
        svg.bend((146, 186), (194, y), "query" if real else "mute", 2, "" if real else "dashed")
        kind, ink = ("shape", "ink") if real else ("empty dashed", "mute")
        role = "key" if real else "mute"
        svg.box(194, y - 32, 176, 64, role, word, vector(OUTPUTS[i]), kind=kind, text=ink)
        svg.text(426, y, part, ink)
        if real:
            svg.bend((460, y), (518, 143), "weight", 22 * weight, "faint")
    svg.box(518, 109, 148, 68, "context", vector(result))
    svg.arrow([(592, 177), (592, 238)], "context")
    svg.box(518, 238, 148, 68, "ink", "new state,", "next word")
    svg.arrow([(592, 306), (592, 366), (78, 366), (78, 220)])
    svg.text(335, 346, f"writes “{OUTPUT}”, and its new state is the next query", "ink", kind="small")
    return svg
