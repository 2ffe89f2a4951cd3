"""Memory: two readings, the second of which asks for what the first one found."""

from itertools import pairwise

import numpy as np

from solutions.masked_softmax.in_numpy import softmax
from solutions.memory.in_numpy import memory_hops
from tools.drawings.kit import Drawing, number, share

NAMES = ("ball", "John", "Mary", "garden", "kitchen")
FACTS = (("Mary", "kitchen"), ("ball", "John"), ("John", "garden"))
KEY_LENGTH, VALUE_LENGTH = 5, 2
ROWS, PANEL = (70, 116, 162), 214  # of the facts; from the first reading to the second


def draw() -> Drawing:
    """Draw three facts, read twice; the numbers are those of the chapter, with values of length 2."""
    hot = dict(zip(NAMES, np.eye(len(NAMES)), strict=True))
    keys = KEY_LENGTH * np.array([hot[name] for name, _ in FACTS])
    values = VALUE_LENGTH * np.array([hot[name] for _, name in FACTS])
    states = [hot["ball"]]
    for hops in (1, 2):
        states.append(memory_hops(hot["ball"][None, None], keys[None], values[None], hops, None)[0, 0])
    weights = [softmax(keys @ state) for state in states[:2]]
    read = [after - before for before, after in pairwise(states)]
    svg = Drawing(
        "The first reading finds who has the ball, and only then can the second reading find where that person is",
        "Three facts are stored, each as a key and a value: Mary, kitchen; ball, John; John, garden. The question is "
        f"“ball”. The first reading gives the weights {', '.join(share(w) for w in weights[0])}, and finds "
        f"{_largest(read[0])}, which is added to the question. The second gives the weights "
        f"{', '.join(share(w) for w in weights[1])}, and finds {_largest(read[1])}.",
        height=400,
    )
    svg.text(84, 22, "question", "query", kind="strong")
    svg.text(260, 22, "key", "key", kind="strong")
    svg.text(366, 22, "value", "value", kind="strong")
    svg.text(466, 22, "weight", "weight", kind="strong")
    svg.text(628, 22, "what is read", "context", kind="strong")
    for i, (weight, result) in enumerate(zip(weights, read, strict=True)):
        _reading(svg, i * PANEL, ("ball",) if i == 0 else ("ball", f"+ {_largest(read[0])}"), weight, result)
    svg.arrow([(628, 148), (628, 208), (84, 208), (84, 298)], "context")
    svg.text(366, 230, "added to the question", "context", kind="small")
    return svg


def _reading(
    svg: Drawing, top: float, question: tuple[str, ...], weights: np.ndarray, read: np.ndarray
) -> None:
    """Draw one reading of the facts, from the question to what is read."""
    svg.box(8, top + 84, 156, 64, "query", *question)
    for y, (key, value), weight in zip(ROWS, FACTS, weights, strict=True):
        svg.bend((164, top + 116), (210, top + y), "query", 2)
        svg.box(210, top + y - 19, 100, 38, "key", key)
        svg.box(314, top + y - 19, 108, 38, "value", value)
        svg.text(462, top + y, share(weight))
        svg.bend((492, top + y), (548, top + 116), "weight", 22 * weight, "faint")
    svg.box(548, top + 84, 160, 64, "context", _largest(read))


def _largest(vector: np.ndarray) -> str:
    """Return the name with the largest number in a vector, and this number."""
    best = int(vector.argmax())
    return f"{number(float(vector[best]))} {NAMES[best]}"
