"""Coverage: the weights of four steps, one on the other, without and with what was read already."""

import numpy as np

from tools.drawings.kit import Drawing, number

SCORES, STEPS, FACTORS = np.array([6.0, 4.5, 3.0, 1.5]), 4, (0, 8)  # the chapter's example
LEFT, WIDE, STEP, UNIT, BASE = 30, 370, 76, 64, 270


def draw() -> Drawing:
    """Draw four positions; at each a part for each step's weight."""
    every = [_weights(factor) for factor in FACTORS]
    sums = [[number(x) for x in weights.sum(axis=0)] for weights in every]
    svg = Drawing(
        "What four steps read of four positions: without coverage the first again and again, with it every position",
        f"Two times four columns, one for each position; in each column the weights of the four steps stand one on "
        f"the other. Without coverage the sums are {', '.join(sums[0])}, with it {', '.join(sums[1])}.",
        height=340,
    )
    for left, name, weights in zip(
        (LEFT, LEFT + WIDE), ("without coverage", "with coverage"), every, strict=True
    ):
        svg.text(left + 2 * STEP, 20, name, kind="strong")
        for position in range(len(SCORES)):
            base = float(BASE)
            for weight in weights[:, position]:
                svg.box(left + position * STEP + 10, base - weight * UNIT, STEP - 20, weight * UNIT, "weight")
                base -= float(weight) * UNIT
            svg.text(
                left + (position + 0.5) * STEP, base - 14, number(weights[:, position].sum()), kind="small"
            )
            svg.text(left + (position + 0.5) * STEP, BASE + 20, str(position + 1), "mute", kind="small")
        svg.line([(left, BASE), (left + 4 * STEP, BASE)], "mute")
    words = "positions of the source; each part is the weight of one step"
    svg.text(LEFT + (WIDE + 4 * STEP) / 2, 318, words, "mute")
    return svg


def _weights(factor: float) -> np.ndarray:
    """Return the weights of each step, (STEPS, positions); what was read before lowers a score."""
    rows: list[np.ndarray] = []
    for _ in range(STEPS):
        exps = np.exp(SCORES - factor * np.sum(rows, axis=0))
        rows.append(exps / exps.sum())
    return np.stack(rows)
