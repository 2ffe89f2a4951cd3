"""Soft attention mixes all patches; hard attention takes one."""

from collections.abc import Sequence

import numpy as np

from solutions.soft_hard.in_numpy import draw as drawn
from solutions.soft_hard.in_numpy import hard_context, soft_context
from tools.drawings.kit import Drawing, number, vector

FEATURES, SCORES, CHANCE = [[4.0, 0.0], [0.0, 4.0], [8.0, 8.0], [0.0, -8.0]], np.log([4.0, 2, 1, 1]), 0.6
PATCH, HIGH, LEFT, BARS, ROW = 104, 76, 12, 336, 40  # sizes and places in pixels


def draw() -> Drawing:
    """Draw the chapter's four patches, once mixed, and once drawn by the number 0.6."""
    features = np.array([FEATURES])
    context, weights = soft_context(features, SCORES[None])
    index = drawn(weights, np.array([CHANCE]))
    patch = hard_context(features, index)[0]
    row = [number(w, 3) for w in weights[0]]
    svg = Drawing(
        "Soft attention takes a little of every patch; hard attention draws one patch and takes it alone",
        f"A picture is cut into four patches with the features {', '.join(vector(f) for f in FEATURES)} and the "
        f"weights {', '.join(row)}. Soft attention adds up all patches, each times its weight: {vector(context[0])}. "
        f"Hard attention draws one patch, with the weights as probabilities, here patch {index[0]}, counted from 0, "
        f"and takes its features as they are: {vector(patch)}.",
        height=464,
    )
    _half(svg, 16, "soft: a little of every patch", weights[0], range(len(FEATURES)), vector(context[0]))
    _half(svg, 246, "hard: one patch, drawn by its weight", weights[0], [int(index[0])], vector(patch))
    return svg


def _half(
    svg: Drawing, top: float, name: str, weights: np.ndarray, patches: Sequence[int], result: str
) -> None:
    """Draw one way: the picture and its patches, their weights, and the context; what is not taken is faint."""
    svg.text(LEFT, top + 8, name, "ink", "start", "strong")
    first = top + 38
    middle = first + HIGH
    for i, (features, weight) in enumerate(zip(FEATURES, weights, strict=True)):
        words, y = vector(features), first + 16 + ROW * i
        role, kind, ink = ("value", "shape", "ink") if i in patches else ("mute", "empty dashed", "mute")
        svg.box(
            LEFT + PATCH * (i % 2), first + HIGH * (i // 2), PATCH, HIGH, role, words, kind=kind, text=ink
        )
        svg.text(BARS - 12, y, words, ink, "end", "small")
        svg.box(BARS, y - 11, 100, 22, "mute", kind="empty faint")
        svg.bar(BARS, y - 11, 100 * weight, 22, "weight" if role == "value" else role)
        svg.text(BARS + 110, y, number(weight, 3), ink, "start", "small")
        if i in patches:
            svg.bend(
                (BARS + 174, y), (572, middle), "weight", 28 * weight if len(patches) > 1 else 4, "faint"
            )
    svg.box(572, middle - 36, 134, 72, "context", result, words="strong")
