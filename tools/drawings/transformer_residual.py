"""The residual path of a block: what each layer adds to a word's features."""

import numpy as np

from solutions.transformer.in_numpy import layer_norm
from tools.drawings.kit import Drawing, number

FEATURES = np.array([1.0, -1.0, 0.5])
ATTENDED, FED = np.array([0.5, 0.25, -1.0]), np.array([-0.5, 1.0, 0.75])
LEFT, CELL, HIGH = 20, 70, 40


def draw() -> Drawing:
    """Draw a word of three features through the two sublayers of a pre-norm block, with what they add."""
    between = FEATURES + ATTENDED
    states = [FEATURES, between, between + FED]
    normed = [layer_norm(x[None, None], np.ones(3), np.zeros(3))[0, 0] for x in states[:2]]
    svg = Drawing(
        "The residual path of a pre-norm block: attention and the feed-forward layers add to a word's features and do not replace them",
        f"On the left, from above to below, the features of a word: {_row(states[0])}. Attention is given their "
        f"layer norm, {_row(normed[0])}, and its result {_row(ATTENDED)} is added: {_row(states[1])}. The feed-forward "
        f"layers are given the layer norm of that, {_row(normed[1])}, and add {_row(FED)}: {_row(states[2])}.",
        height=500,
    )
    svg.text(LEFT + 1.5 * CELL, 20, "a word's features", kind="strong")
    svg.text(590, 20, "what a layer adds", "mute", kind="strong")
    for i, (state, high) in enumerate(zip(states, (44, 246, 448), strict=True)):
        svg.cells(LEFT, high, [[number(x) for x in state]], "ink", CELL, HIGH)
        if i < 2:
            _sublayer(svg, high + HIGH, ("attention", "feed-forward")[i], normed[i], (ATTENDED, FED)[i])
    return svg


def _sublayer(svg: Drawing, top: float, name: str, normed: np.ndarray, added: np.ndarray) -> None:
    """Draw the path from the features at `top` through norm and layer, and back into the sum."""
    path, plus = LEFT + 1.5 * CELL, top + 114
    svg.line([(path, top), (path, plus - 16)], "ink", 4)
    svg.arrow([(path, plus + 16), (path, top + 162)], "ink", 4)
    svg.arrow([(path, top + 26), (290, top + 26)], "mute")
    svg.cells(290, top + 6, [[number(x, 1) for x in normed]], "mute", CELL, HIGH, "empty")
    svg.text(290 + 1.5 * CELL, top + 64, "layer norm", "mute", kind="small")
    svg.arrow([(290 + 3 * CELL, top + 26), (590, top + 26), (590, top + 44)], "mute")
    svg.box(510, top + 44, 160, 38, "ink", name)
    svg.line([(590, top + 82), (590, top + 94)], "context")
    svg.cells(590 - 1.5 * CELL, top + 94, [[number(x) for x in added]], "context", CELL, HIGH)
    svg.arrow([(590 - 1.5 * CELL, plus), (path + 16, plus)], "context", 4)
    svg.box(path - 16, plus - 16, 32, 32, "ink", "+", kind="empty")


def _row(features: np.ndarray) -> str:
    return ", ".join(number(x) for x in features)
