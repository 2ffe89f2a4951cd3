"""A step of training: all gradients in one row, and all arrays in another."""

from solutions.gpt.in_numpy import initial_weights
from tools.drawings.gpt import BLOCKS, HEADS, HIDDEN, KV_HEADS, VOCABULARY, D
from tools.drawings.kit import Drawing

HIGH, GRADIENTS, ARRAYS, STATE = 44, 10, 104, 190
LEFTS, WIDTHS = (6, 118, 324, 582), (80, 174, 222, 132)


def draw() -> Drawing:
    """Draw the gradients above, and below the arrays that AdamW changes, and what it keeps for the next step."""
    sizes = [a.size for a in initial_weights(VOCABULARY, D, HEADS, KV_HEADS, HIDDEN, BLOCKS).values()]
    count, total = len(sizes), f"{sum(sizes):,}"
    svg = Drawing(
        f"A step of training: {count} gradients in one row are clipped, and AdamW changes the row of all arrays",
        f"Above: from the loss come the gradients of the model's {count} arrays, which are joined in one row of {total} "
        f"numbers and clipped to a norm of at most 1. Below: the {count} arrays are joined in one row of {total} too; AdamW "
        "changes it by the clipped gradients, and the row goes back into the arrays. The state, with mean, square and "
        "step, goes into AdamW and comes out for the next step.",
        height=STATE + HIGH + 6,
    )
    gradients = ("loss", f"{count} gradients", f"one row of {total}", "clip to 1")
    for left, width, words in zip(LEFTS, WIDTHS, gradients, strict=True):
        svg.box(left, GRADIENTS, width, HIGH, "ink", words, kind="empty")
    for left, width, right in zip(LEFTS, WIDTHS, LEFTS[1:], strict=False):
        svg.arrow([(left + width, GRADIENTS + HIGH / 2), (right, GRADIENTS + HIGH / 2)])
    arrays = (f"{count} arrays", f"one row of {total}", "AdamW")
    for left, width, words in zip(LEFTS[1:], WIDTHS[1:], arrays, strict=True):
        svg.box(left, ARRAYS, width, HIGH, "context", words)
    middle = LEFTS[3] + WIDTHS[3] / 2
    svg.arrow([(middle, GRADIENTS + HIGH), (middle, ARRAYS)])
    for left, width, right in zip(LEFTS[1:], WIDTHS[1:], LEFTS[2:], strict=False):
        svg.arrow([(left + width, ARRAYS + 14), (right, ARRAYS + 14)], "context")
        svg.arrow([(right, ARRAYS + HIGH - 14), (left + width, ARRAYS + HIGH - 14)], "context")
    svg.box(
        LEFTS[2] + 60, STATE, 714 - LEFTS[2] - 60, HIGH, "mute", "state: mean, square, step", kind="empty"
    )
    svg.arrow([(middle - 16, STATE), (middle - 16, ARRAYS + HIGH)], "mute")
    svg.arrow([(middle + 16, ARRAYS + HIGH), (middle + 16, STATE)], "mute")
    return svg
