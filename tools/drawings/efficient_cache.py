"""Decoding with a cache: of the scores of a step, the last row alone is new."""

from solutions.efficient.in_numpy import decoding_cost
from tools.drawings.kit import Drawing

STEPS, LEFT, RIGHT, CELL, TOP = 4, 40, 410, 48, 150
WORDS = ("the", "cat", "sat", "down")


def draw() -> Drawing:
    """Draw the fourth step of a decoder, without a cache and with one."""
    again, cached, _ = decoding_cost(STEPS, 1, 0)  # with d_k = 1 and no values: the scores themselves
    svg = Drawing(
        "Decoding: without a cache all scores are computed again at each step, with one only the new row",
        f"Step {STEPS} of a decoder, twice. On the left, without a cache, the keys of all {STEPS} words and all "
        f"{STEPS} times {STEPS} scores are computed again. On the right the keys of the words before stand in the "
        f"cache; one key is added, and one row of {STEPS} scores is computed. In all steps together these are "
        f"{again} scores and {cached} scores.",
        height=440,
    )
    svg.text(LEFT + 2 * CELL + 72, 20, "without a cache", kind="strong")
    svg.text(RIGHT + 2 * CELL + 72, 20, "with a cache", kind="strong")
    for left, new in ((LEFT, range(STEPS)), (RIGHT, range(STEPS - 1, STEPS))):
        svg.text(left + 2 * CELL + 76, 54, "keys", "key", kind="small")
        for i in range(STEPS):
            role, kind = ("key", "shape") if i in new else ("key", "empty")
            svg.box(left + 76 + i * CELL, 70, CELL - 6, 54, role, kind=kind)
            svg.text(
                left + 64, TOP + (i + 0.5) * CELL, WORDS[i], "query" if i in new else "mute", "end", "small"
            )
            svg.cells(
                left + 73, TOP + i * CELL, [[""] * STEPS], "query", CELL, CELL, where=[[i in new] * STEPS]
            )
    svg.line([(RIGHT + 76, 134), (RIGHT + 70 + 3 * CELL, 134)], "key", 3)
    svg.text(RIGHT + 62, 98, "cached", "key", "end", "small")
    svg.text(LEFT + 2 * CELL + 76, 372, f"{STEPS} × {STEPS} scores in this step")
    svg.text(RIGHT + 2 * CELL + 76, 372, f"{STEPS} scores in this step")
    svg.text(LEFT + 2 * CELL + 76, 404, f"{again} in {STEPS} steps", "mute")
    svg.text(RIGHT + 2 * CELL + 76, 404, f"{cached} in {STEPS} steps", "mute")
    return svg
