"""One more score, which is always 0 and belongs to no key: a row may give nothing."""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax
from solutions.normalisers.in_numpy import softmax_with_zero
from tools.drawings.kit import Drawing, number, share

ROWS = ((2.0, 1.0), (-4.0, -4.0, -4.0))  # the chapter's
LEFT, LONG, HIGH = 190, 500, 40


def draw() -> Drawing:
    """Draw two rows of scores, each by the softmax and with an extra zero."""
    svg = Drawing(
        "With one more score of 0 a row can give less than 1: keys that do not match get nearly nothing",
        " ".join(_sentence(row) for row in ROWS),
        height=380,
    )
    for i, row in enumerate(ROWS):
        high = 40 + i * 182
        svg.text(14, high - 14, f"scores {', '.join(number(x) for x in row)}", anchor="start", kind="strong")
        for j, (name, weights) in enumerate(_ways(row).items()):
            top, x = high + 12 + j * 62, float(LEFT)
            svg.text(14, top + HIGH / 2, name, anchor="start")
            for weight in weights:
                svg.box(x, top, weight * LONG, HIGH, "weight", share(weight) if weight > 0.1 else "")
                x += float(weight) * LONG
            if j:
                rest = LEFT + LONG - x
                words = f"no key {share(rest / LONG)}" if rest > 100 else ""
                svg.box(x, top, rest, HIGH, "mute", words, kind="empty dashed")
    return svg


def _ways(row: tuple[float, ...]) -> dict[str, np.ndarray]:
    scores = np.array([[row]])
    return {
        "softmax": masked_softmax(scores, None)[0, 0],
        "extra zero": softmax_with_zero(scores, np.array([len(row)]))[0, 0],
    }


def _sentence(row: tuple[float, ...]) -> str:
    softmax, zero = (", ".join(share(w, 3) for w in weights) for weights in _ways(row).values())
    return f"For the scores {', '.join(number(x) for x in row)} the softmax gives {softmax}; with an extra zero it is {zero}, and the rest is given to no key."
