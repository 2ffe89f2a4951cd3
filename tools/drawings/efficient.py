"""Efficient attention: a tile of scores at a time, and three running numbers."""

import numpy as np

from solutions.efficient.in_numpy import online_softmax_step, plain_attention
from tools.drawings.kit import Drawing, number

SCORES, VALUES, TILE = [2.0, 1.0, 4.0, 3.0, 0.0, 3.0], [10.0, 20.0, 30.0, 40.0, 50.0, 60.0], 2
LEFT, CELL, HIGH, STEP = 126, 86, 44, 204


def draw() -> Drawing:
    """Draw one query and six keys, in tiles of two."""
    scores, values = np.array([[SCORES]]), np.array(VALUES)[None, :, None]
    state = np.full((1, 1, 1), -np.inf), np.zeros((1, 1, 1)), np.zeros((1, 1, 1))
    states = []
    for first in range(0, len(SCORES), TILE):
        tile = slice(first, first + TILE)
        state = online_softmax_step(*state, scores[..., tile], values[:, tile])
        states.append([float(part[0, 0, 0]) for part in state])
    whole = plain_attention(np.ones((1, 1, 1)), np.array(SCORES)[None, :, None], values)[0, 0, 0]
    results = [number(c / total, 3) for _, total, c in states]
    assert results[-1] == number(whole, 3)
    svg = Drawing(
        "A tile moves over the scores, and three running numbers make the same context as the whole matrix",
        f"One row of the scores, {', '.join(map(number, SCORES))}, of which only {TILE} at a time are held, a tile. "
        f"After each tile three numbers are kept: the largest score so far, the sum of the exponentials and the sum "
        f"of the exponentials times the values. Sum of values over sum is {', then '.join(results)}, which is exactly "
        f"the context of the whole row. The whole matrix is never held.",
        height=420,
    )
    return _filled(svg, states, results)


def _filled(svg: Drawing, states: list[list[float]], results: list[str]) -> Drawing:
    xs = [LEFT + i * STEP for i in range(len(states))]
    svg.text(14, 82, "scores", "key", "start", "strong")
    svg.text(14, 196, "largest", anchor="start")
    svg.text(14, 230, "sum", anchor="start")
    svg.text(14, 324, "context", "context", "start", "strong")
    svg.text(14, 350, "so far", "context", "start", "small")
    for i, (x, (highest, total, _), result) in enumerate(zip(xs, states, results, strict=True)):
        last = i == len(xs) - 1
        svg.text(
            x + CELL, 22, "tile held now" if last else "tile dropped", "ink" if last else "mute", kind="small"
        )
        cells = [[number(s) for s in SCORES[TILE * i : TILE * i + TILE]]]
        svg.cells(
            x, 60, cells, "key", CELL, HIGH, "shape" if last else "empty dashed", "ink" if last else "mute"
        )
        if last:
            svg.box(x - 6, 54, 2 * CELL + 12, HIGH + 12, "key", kind="empty thick")
        svg.arrow([(x + CELL, 116 if last else 106), (x + CELL, 164)])
        svg.box(x, 166, 2 * CELL, 94, "ink", kind="shape")
        svg.texts([x + CELL], 196, [number(highest)])
        svg.texts([x + CELL], 230, [number(total, 3)])
        if not last:
            svg.arrow([(x + 2 * CELL, 213), (x + STEP, 213)])
        svg.arrow([(x + CELL, 260), (x + CELL, 308)], "context")
        kind, words = ("shape", "strong") if last else ("empty dashed", "")
        svg.box(x, 310, 2 * CELL, 52, "context", result, kind=kind, words=words)
    svg.text(LEFT + STEP + CELL, 396, "exactly the context of the whole row", "mute")
    return svg
