"""Linear biases: with equal scores, each head's weights fall with the distance at a rate of its own."""

import numpy as np

from solutions.positions.in_numpy import linear_bias
from tools.drawings.kit import Drawing, share

HEADS, TOKENS, PLOTTED = 8, 8, (1, 3, 8)
LEFT, WIDE, UNIT, BASE = 4, 244, 420, 260


def draw() -> Drawing:
    """Draw the weights of the last of eight tokens in three of eight heads."""
    weights = linear_bias(np.zeros((1, HEADS, TOKENS, TOKENS)))[0, :, -1]
    svg = Drawing(
        "Linear biases: the weights of a head fall with the distance, in the first head fast and in the last hardly",
        f"Three groups of {TOKENS} bars, the weights of the last of {TOKENS} tokens with equal scores. "
        + " ".join(
            f"Head {head}, with the slope 1/{2**head}: from {share(weights[head - 1, 0])} for the first token to "
            f"{share(weights[head - 1, -1])} for the last."
            for head in PLOTTED
        ),
        height=330,
    )
    for i, head in enumerate(PLOTTED):
        x = LEFT + i * WIDE
        svg.text(x + 106, 22, f"slope 1/{2**head}", kind="strong")
        for token, weight in enumerate(weights[head - 1]):
            svg.bar(x + token * 27 + 3, BASE - weight * UNIT, 22, weight * UNIT, "weight")
        svg.line([(x, BASE), (x + TOKENS * 27, BASE)], "mute")
        last = weights[head - 1, -1]
        svg.text(x + 7.5 * 27 - 4, BASE - last * UNIT - 16, share(last), kind="small")
        svg.text(x + 14, BASE + 22, "7", "mute", kind="small")
        svg.text(x + 7.5 * 27 - 4, BASE + 22, "0", "mute", kind="small")
    svg.text(LEFT + WIDE + 106, 312, "distance of the key", "mute")
    return svg
