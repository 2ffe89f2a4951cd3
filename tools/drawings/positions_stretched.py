"""Frequencies for longer texts: which pairs of features turn more slowly, in three ways."""

import numpy as np

from tools.drawings.kit import Drawing, number

BASE, D, LONGEST, STRETCH = 10_000.0, 16, 16, 8  # the chapter's heads, and texts of 128 tokens
PAIRS = [0, 1, 3, 7]  # of the eight pairs
LEFT, WIDE, BASELINE, UNIT, STEP = 12, 178, 196, 112, 40


def draw() -> Drawing:
    """Draw the frequencies of four pairs, as parts of those of the training."""
    pair = np.arange(0, D, 2)
    frequencies = BASE ** (-pair / D)
    ramp = np.clip((LONGEST * frequencies / (2 * np.pi) - 0.5) / (2 - 0.5), 0, 1)
    ways = {
        "as trained": frequencies,
        "interpolated": frequencies / STRETCH,
        "NTK-aware": (BASE * STRETCH ** (D / (D - 2))) ** (-pair / D),
        "YaRN": ramp * frequencies + (1 - ramp) * frequencies / STRETCH,
    }
    parts = {name: (way / frequencies)[PAIRS] for name, way in ways.items()}
    slower = {name: [number(float(1 / p), 1) for p in part] for name, part in parts.items()}
    shares = {name: ["1" if by == "1" else f"1/{by}" for by in row] for name, row in slower.items()}
    svg = Drawing(
        "Frequencies for texts eight times as long: interpolation divides all of them, the others leave the fastest alone",
        f"Four groups of {len(PAIRS)} bars, one for each of four pairs of features from the fastest to the slowest; each is its frequency as a part of that of the "
        "training. " + ". ".join(f"{name}: {', '.join(row)}" for name, row in shares.items()) + ".",
        height=288,
    )
    for i, (name, part) in enumerate(parts.items()):
        x = LEFT + WIDE * i
        svg.text(x + 2 * STEP, 22, name, kind="small strong")
        for m, frequency in enumerate(part):
            middle, high = x + (m + 0.5) * STEP, UNIT * float(frequency)
            svg.bar(middle - 12, BASELINE - high, 24, high, "query" if i else "mute")
            svg.text(middle, BASELINE - high - 14, shares[name][m], kind="small")
            svg.text(middle, BASELINE + 20, str(PAIRS[m] + 1), kind="small")
        svg.line([(x, BASELINE), (x + len(PAIRS) * STEP, BASELINE)], "mute")
    words = "pairs 0, 1, 3 and 7, from the fastest to the slowest"
    svg.text(LEFT, BASELINE + 50, words, "mute", "start", "small")
    words = "a bar: the frequency, as a part of that of the training"
    svg.text(LEFT, BASELINE + 78, words, "mute", "start", "small")
    return svg
