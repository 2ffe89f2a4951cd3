"""The hyperbolic tangent bounds the largest weight among many steps."""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax
from tools.drawings.kit import Drawing, share

STEPS, HIGH_SCORE = (3, 10, 100), 50.0  # the chapter's scores: one very high, all others very low
LEFT, WIDE, UNIT, BASE = 150, 190, 170, 240


def draw() -> Drawing:
    """Draw the largest weight of 3, 10 and 100 steps, with free scores and through tanh."""
    free = [softmax(_scores(n))[0] for n in STEPS]
    bent = [softmax(np.tanh(_scores(n)))[0] for n in STEPS]
    svg = Drawing(
        "The weight of one step with a very high score: through a tanh it falls with the number of other steps",
        f"Three pairs of bars, for {STEPS[0]}, {STEPS[1]} and {STEPS[2]} steps. With free scores the largest weight "
        f"is {', '.join(share(w) for w in free)}; through tanh it is {', '.join(share(w) for w in bent)}.",
        height=310,
    )
    for i, (n, pair) in enumerate(zip(STEPS, zip(free, bent, strict=True), strict=True)):
        x = LEFT + i * WIDE
        for j, (weight, role) in enumerate(zip(pair, ("mute", "weight"), strict=True)):
            svg.bar(x + j * 70, BASE - weight * UNIT, 54, weight * UNIT, role)
            svg.text(x + j * 70 + 27, BASE - weight * UNIT - 14, share(weight), role, kind="small")
        svg.line([(x - 10, BASE), (x + 134, BASE)], "mute")
        svg.text(x + 62, BASE + 24, f"{n} steps", kind="small")
    svg.text(14, 90, "free", "mute", "start", "strong")
    svg.text(14, 190, "tanh", "weight", "start", "strong")
    svg.text(LEFT + WIDE + 62, 292, "largest weight", "mute", kind="small")
    return svg


def _scores(n: int) -> np.ndarray:
    return np.array([HIGH_SCORE] + (n - 1) * [-HIGH_SCORE])
