"""A row whose scores are all masked: what two fills make of it, and the rule of the course."""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax_or_zero
from tools.drawings.kit import Drawing, number

SCORES = (1.0, 2.0, 3.0, 4.0)  # the chapter's row
LEFT, CELL, HIGH, TOP, ROW = 330, 92, 44, 104, 66


def draw() -> Drawing:
    """Draw the chapter's row with a length of 0."""
    scores = np.array(SCORES)
    ways = {
        "filled with −1,000,000": np.full_like(scores, -1e6),
        "filled with minus infinity": np.full_like(scores, -np.inf),
    }
    rows = {}
    with np.errstate(invalid="ignore"):
        for name, filled in ways.items():
            exps = np.exp(filled - filled.max())
            rows[name] = exps / exps.sum()
    rows["by the rule"] = masked_softmax_or_zero(scores[None, None], np.array([0]))[0, 0]
    words = {name: ["NaN" if np.isnan(w) else number(float(w)) for w in row] for name, row in rows.items()}
    svg = Drawing(
        "A row with nothing to attend to: equal weights on padding, no numbers at all, or by the rule weights of 0",
        f"The scores {', '.join(map(number, SCORES))}, all of them masked, and below them the weights in three ways. "
        + ". ".join(f"{name}: {', '.join(row)}" for name, row in words.items())
        + ".",
        height=TOP + ROW * len(rows),
    )
    svg.text(LEFT - 18, 40, "scores, all masked", "key", "end")
    svg.cells(LEFT, 18, [[number(s) for s in SCORES]], "mute", CELL, HIGH, "empty dashed", "mute")
    for i, (name, row) in enumerate(words.items()):
        y, ruled = TOP + ROW * i, i == len(words) - 1
        svg.text(LEFT - 18, y + HIGH / 2, name, anchor="end", kind="small strong" if ruled else "small")
        svg.cells(LEFT, y, [row], "weight" if ruled else "context", CELL, HIGH, "shape")
    return svg
