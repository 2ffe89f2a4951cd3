"""The backward pass computes a tile's weights again, from one number for each query."""

import numpy as np

from solutions.efficient.in_numpy import plain_attention
from tools.drawings.efficient import CELL, HIGH, LEFT, SCORES, STEP, TILE, VALUES
from tools.drawings.kit import Drawing, number, share

ROWS = (118, 206, 294)


def draw() -> Drawing:
    """Draw the chapter's query and six keys; the loss is the context itself, so that g is 1."""
    scores, values = np.array(SCORES), np.array(VALUES)
    log_sum = float(np.log(np.exp(scores).sum()))
    weights = np.exp(scores - log_sum)
    context = float(
        plain_attention(np.ones((1, 1, 1)), scores[None, :, None], values[None, :, None])[0, 0, 0]
    )
    slopes = weights * (values - context)
    saved = f"L = {number(log_sum, 3)}"
    svg = Drawing(
        "Backward: the weights of a tile are computed again from its scores and one number that was kept for the query",
        f"One query with the six scores {', '.join(map(number, SCORES))}, in tiles of {TILE}. Kept from the forward "
        f"pass are the logarithm of the sum, {saved}, and the context, {number(context, 3)}. From them each tile gives "
        f"its weights once more, {', '.join(share(float(w)) for w in weights)}, and with g = 1 the gradients of its "
        f"scores, {', '.join(number(float(s)) for s in slopes)}. Only one tile is held at a time.",
        height=418,
    )
    svg.text(6, 26, "kept", kind="small strong", anchor="start")
    svg.box(LEFT, 4, 2 * CELL, HIGH, "ink", saved)
    svg.box(LEFT + STEP, 4, 2 * CELL, HIGH, "context", f"c = {number(context, 3)}", text="context")
    svg.text(LEFT + 2 * STEP, 26, "two numbers", "mute", "start")
    heads = (("scores", "key"), ("weights", "weight"), ("gradients", "ink"))
    for y, (head, role) in zip(ROWS, heads, strict=True):
        svg.text(6, y + HIGH / 2, head, role, "start", "small strong")
    for i in range(len(SCORES) // TILE):
        x, part = LEFT + i * STEP, slice(i * TILE, (i + 1) * TILE)
        held = i == 1
        if held:
            svg.box(
                x - 10, ROWS[0] - 42, 2 * CELL + 20, ROWS[2] - ROWS[0] + HIGH + 52, "ink", kind="empty thick"
            )
        state = "tile held now" if held else "done" if i == 0 else "to come"
        svg.text(x + CELL, ROWS[0] - 22, state, "ink" if held else "mute", kind="small")
        texts = (
            [number(s) for s in SCORES[part]],
            [share(float(w)) for w in weights[part]],
            [number(float(s)) for s in slopes[part]],
        )
        for y, words, (_, role) in zip(ROWS, texts, heads, strict=True):
            kind, ink = ("shape", "ink") if held else ("empty dashed", "mute")
            svg.cells(x, y, [words], role if held else "mute", CELL, HIGH, kind, ink)
        for y in ROWS[:2]:
            svg.arrow([(x + CELL, y + HIGH), (x + CELL, y + 86)], "ink" if held else "mute")
    svg.text(LEFT, 372, "weight: e to the power of (score − L)", "weight", "start", "small")
    svg.text(LEFT, 400, "gradient, where g = 1: weight · (value − c)", "ink", "start", "small")
    return svg
