"""A window of four in each of three layers: from which tokens something can arrive at the last one."""

import numpy as np

from solutions.sparse.in_numpy import sparse_pattern
from tools.drawings.kit import Drawing

TOKENS, WINDOW, LAYERS = 16, 4, 3  # the chapter's pattern
LEFT, STEP, BOTTOM, HIGH = 144, 34, 276, 82


def draw() -> Drawing:
    """Draw the chapter's sixteen tokens, through three layers."""
    step = sparse_pattern(TOKENS, WINDOW) > 0
    reached = [np.linalg.matrix_power(step.astype(int), depth)[-1] > 0 for depth in range(LAYERS + 1)]
    counts = [int(row.sum()) for row in reached]
    svg = Drawing(
        f"With a window of {WINDOW} each layer lets the last token depend on {WINDOW - 1} more tokens",
        f"Four rows of {TOKENS} tokens: the words, and {LAYERS} layers above them. A token of a layer looks at itself and "
        f"the {WINDOW - 1} before it in the row below. Followed down from the last token of the highest row, "
        f"{', '.join(map(str, counts[1:-1]))} and {counts[-1]} tokens are reached.",
        height=306,
    )
    for layer in range(LAYERS + 1):
        high, tokens = BOTTOM - layer * HIGH, reached[LAYERS - layer]
        svg.text(8, high, "the tokens" if layer == 0 else f"layer {layer}", "ink", "start", "small")
        if layer:
            for i in np.flatnonzero(tokens).tolist():
                for j in np.flatnonzero(step[i]).tolist():
                    svg.line([(LEFT + i * STEP, high + 9), (LEFT + j * STEP, high + HIGH - 9)], "weight", 1.5)
        for i in range(TOKENS):
            svg.dot(LEFT + i * STEP, high, "key" if tokens[i] else "mute", 8 if tokens[i] else 3)
    for depth, count in enumerate(counts):
        svg.text(712, BOTTOM - (LAYERS - depth) * HIGH, str(count), "key", "end", "strong")
    return svg
