"""What a causal mask alone tells: the share of the start token at each position."""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax
from tools.drawings.kit import Drawing, number

TOKENS, LEFT, STEP, CELL, TOP = 6, 190, 84, 40, 56


def draw() -> Drawing:
    """Draw equal scores under a causal mask, and the context where the value of the start token alone is 1."""
    weights = masked_softmax(np.zeros((1, TOKENS, TOKENS)), np.arange(1, TOKENS + 1)[None])[0]
    shares = weights @ np.eye(TOKENS)[0]
    svg = Drawing(
        "Under a causal mask with equal scores, position t receives the share 1/t of the start token",
        f"Six columns, for the positions 1 to {TOKENS}. Above, the tokens that a position attends to, from one to "
        f"{TOKENS}; the start token, whose value is 1, is the lowest. Below, what the position receives: "
        f"{', '.join(number(s) for s in shares)}.",
        height=440,
    )
    svg.text(14, TOP + 5.5 * CELL, "start token", "value", "start")
    svg.text(14, TOP + 3.5 * CELL, "attends to", anchor="start")
    svg.text(14, 400, "receives", "context", "start", "strong")
    for place in range(TOKENS):
        x = LEFT + place * STEP
        svg.text(x + 30, 22, str(place + 1), "mute", kind="small")
        for token in range(place + 1):
            role = "ink" if token else "value"
            svg.box(x, TOP + (TOKENS - 1 - token) * CELL + 3, 60, CELL - 6, role)
        svg.arrow([(x + 30, TOP + TOKENS * CELL + 4), (x + 30, 366)], "context")
        svg.text(x + 30, 400, number(float(shares[place])), "context", kind="strong")
    svg.text(14, 22, "position", "mute", "start", "small")
    return svg
