"""Why the root: without it the softmax of long dot products gives nearly all to one key."""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax
from tools.drawings.kit import Drawing, share

WIDTHS, KEYS, SEED = (4, 64, 512), 5, 3
LEFT, WIDE, STEP, UNIT, BASES = 140, 196, 34, 90, (160, 310)


def draw() -> Drawing:
    """Draw the weights of one query over five keys, for three numbers of features, without and with the divisor."""
    rng = np.random.default_rng(SEED)
    vectors = [(rng.normal(size=(1, 1, d)), rng.normal(size=(1, KEYS, d))) for d in WIDTHS]
    scores = [queries @ keys.swapaxes(1, 2) for queries, keys in vectors]
    scaled = [of_width / d**0.5 for d, of_width in zip(WIDTHS, scores, strict=True)]
    rows = [[masked_softmax(of_width, None)[0, 0] for of_width in row] for row in (scores, scaled)]
    largest = [[share(weights.max()) for weights in row] for row in rows]
    svg = Drawing(
        "Weights of dot products of 4, 64 and 512 features: without the root the largest takes all, with it not",
        f"Two rows of bars, the weights of one random query over {KEYS} random keys, for {WIDTHS[0]}, {WIDTHS[1]} and "
        f"{WIDTHS[2]} features. Without the divisor the largest weights are {', '.join(largest[0])}; divided by the "
        f"root of the number of features, {', '.join(largest[1])}.",
        height=370,
    )
    for i, (name, row, base) in enumerate(zip(("q · k", "q · k / √d"), rows, BASES, strict=True)):
        svg.text(14, base - 30, name, "ink" if i == 0 else "context", "start", "strong")
        for j, weights in enumerate(row):
            x = LEFT + j * WIDE
            if i == 0:
                svg.text(x + KEYS * STEP / 2, 22, f"d = {WIDTHS[j]}", kind="strong")
            for k, weight in enumerate(weights):
                svg.bar(x + k * STEP + 4, base - weight * UNIT, STEP - 8, weight * UNIT, "weight")
            svg.line([(x, base), (x + KEYS * STEP, base)], "mute")
            top = int(weights.argmax())
            svg.text(
                x + (top + 0.5) * STEP, base - weights.max() * UNIT - 14, share(weights.max()), kind="small"
            )
    svg.text(LEFT + WIDE + KEYS * STEP / 2, 344, f"weights of {KEYS} keys", "mute")
    return svg
