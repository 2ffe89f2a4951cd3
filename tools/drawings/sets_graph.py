"""A graph with its mask, and where the nonlinearity stands in the scores of GAT and GATv2."""

from math import cos, pi, sin

import numpy as np

from tools.drawings.kit import Drawing

NODES = 5
EDGES = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (1, 4))
CELL, X, Y, RADIUS = 31, 116, 176, 90
STEPS = {"GAT": ("sum", "product with a", "LeakyReLU"), "GATv2": ("sum", "LeakyReLU", "product with w")}


def mask() -> np.ndarray:
    """Return which node attends to which: along each edge in both directions, and to itself."""
    svg = np.eye(NODES, dtype=bool)
    for i, j in EDGES:
        svg[i, j] = svg[j, i] = True
    return svg


def draw() -> Drawing:
    """Draw the graph, its mask, and two columns of steps."""
    svg = Drawing(
        "Where the nonlinearity stands in GAT and in GATv2, and a graph of five nodes with its mask",
        f"Left, a graph of five nodes with the edges {', '.join(f'{i}–{j}' for i, j in EDGES)}. Beside it its mask: in the "
        "row of a node the columns of its neighbours, and its own, are filled. Right, the steps of a score from above to "
        + "; ".join(f"below in {name}: {', '.join(steps)}" for name, steps in STEPS.items())
        + ".",
        height=336,
    )
    places = [
        (X + RADIUS * sin(2 * pi * i / NODES), Y - RADIUS * cos(2 * pi * i / NODES)) for i in range(NODES)
    ]
    for i, j in EDGES:
        svg.line(_between(np.array(places[i]), np.array(places[j])), "weight", 3)
    for i, (x, y) in enumerate(places):
        svg.box(x - 20, y - 20, 40, 40, "key", str(i), words="strong")
    left, top = 262, Y - NODES * CELL / 2
    for i, j in np.argwhere(mask()):
        svg.bar(left + j * CELL, top + i * CELL, CELL - 2, CELL - 2, "weight")
    svg.box(left - 2, top - 2, NODES * CELL + 2, NODES * CELL + 2, "mute", kind="empty")
    for i in range(NODES):
        svg.text(left - 14, top + (i + 0.5) * CELL, str(i), "query", kind="small")
        svg.text(left + (i + 0.5) * CELL, top - 16, str(i), "key", kind="small")
    for x, (name, steps) in zip((438, 582), STEPS.items(), strict=True):
        svg.text(x + 66, 28, name, kind="strong")
        for k, step in enumerate(steps):
            y = 56 + 90 * k
            role = "context" if step == "LeakyReLU" else "ink"
            first, *rest = step.split(" ", 1)
            svg.box(x, y, 132, 62, role, first, *rest, kind="shape thick" if role == "context" else "shape")
            if k:
                svg.arrow([(x + 66, y - 28), (x + 66, y)], "mute")
    return svg


def _between(start: np.ndarray, end: np.ndarray) -> list[tuple[float, float]]:
    """Return the two ends of a line that leaves the boxes of both nodes free."""
    direction = (end - start) / np.abs(end - start).max()
    return [tuple(start + 20 * direction), tuple(end - 20 * direction)]
