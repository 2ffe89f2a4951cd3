"""Addressing by location: weights found by content, moved by one slot, and made sharp again."""

import numpy as np

from solutions.memory.in_numpy import location_addressing
from tools.drawings.kit import Drawing, number

MEMORY = np.array([[0, 1], [1, 0], [1, 1], [-1, 0], [0, -1]], dtype=float)  # the chapter's slots and key
KEY, STRENGTH, SHIFT, POWER = np.array([1.0, 0.0]), 12, np.array([[0.05, 0.1, 0.85]]), 2
LEFT, STEP, UNIT, BASE = 12, 246, 150, 230


def draw() -> Drawing:
    """Draw the weights of five slots: by content, shifted, sharpened."""
    exps = np.exp(STRENGTH * MEMORY @ KEY / np.linalg.norm(MEMORY, axis=1))
    content = (exps / exps.sum())[None]
    one = np.ones((1, 1))
    steps = [content] + [
        location_addressing(content, content, one, SHIFT, power * one) for power in (1, POWER)
    ]
    names = ("by content", "shifted by +1", f"power {POWER}")
    svg = Drawing(
        "Weights of five slots: found by content, shifted to the next slot, and sharpened",
        "Three times five bars, one for each slot. "
        + ". ".join(
            f"{name}: {', '.join(number(float(w)) for w in weights[0])}"
            for name, weights in zip(names, steps, strict=True)
        )
        + ". The largest weight moves from slot 1 to slot 2, becomes smaller, and then larger again.",
        height=300,
    )
    for i, (name, weights) in enumerate(zip(names, steps, strict=True)):
        x = LEFT + i * STEP
        svg.text(x + 105, 22, name, kind="strong")
        svg.bars(x, BASE, weights[0], UNIT, "weight", [str(slot) for slot in range(5)], 42)
        if i:
            svg.arrow([(x - 34, 130), (x - 6, 130)])
    svg.text(LEFT + STEP + 105, 282, "slots", "mute")
    return svg
