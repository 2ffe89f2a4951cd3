"""How alike the words of a sentence become in a stack of blocks, with residual sums and without."""

import numpy as np

from solutions.multi_head.in_numpy import multi_head_attention
from solutions.transformer.in_numpy import initial_weights, layer_norm
from tools.drawings.kit import Drawing, centres, number

D, HEADS, FFN, DEPTH, SEED = 32, 4, 64, 12, 0  # the chapter's sizes, its first seed
LEFT, STEP, ZERO, UNIT = 96, 50, 316, 236


def draw() -> Drawing:
    """Draw a line for each of both, block after block."""
    ways = {"without sums": _likeness(0), "with sums": _likeness(1)}
    third = {name: number(float(values[2])) for name, values in ways.items()}
    svg = Drawing(
        "The mean correlation of a sentence's words, block after block: without residual sums it is 1 at once",
        f"Two rising lines over {DEPTH} blocks with first weights. Without sums the words have a mean correlation of "
        f"{third['without sums']} after three blocks, with sums of {third['with sums']}. After {DEPTH} blocks both are near 1.",
        height=382,
    )
    svg.text(LEFT - 76, 22, "how alike the words are: the mean correlation of two", anchor="start")
    for value in (0, 0.5, 1):
        y = ZERO - value * UNIT
        svg.line([(LEFT, y), (LEFT + 11.6 * STEP, y)], "mute", 1, "faint")
        svg.text(LEFT - 16, y, number(value), "mute", "end", "small")
    for (name, values), role in zip(ways.items(), ("mute", "context"), strict=True):
        points = [(LEFT + (i + 0.5) * STEP, ZERO - float(v) * UNIT) for i, v in enumerate(values)]
        svg.line(points, role, 3, "dashed" if role == "mute" else "")
        for x, y in points:
            svg.dot(x, y, role, 5)
        x, y = points[3 if role == "context" else 0]
        if role == "context":
            svg.text(x + 22, y + 16, name, role, "start", "strong")
        else:
            svg.text(x + 8, ZERO - UNIT - 24, name, role, "start", "strong")
    svg.texts(centres(LEFT, STEP, DEPTH), ZERO + 22, [str(i + 1) for i in range(DEPTH)], "mute", "small")
    svg.text(LEFT + 6 * STEP, ZERO + 50, "after this many blocks", "mute", kind="small")
    return svg


def _likeness(residual: int) -> np.ndarray:
    """Return the chapter's measure after each block."""
    weights = initial_weights(10, D, FFN, DEPTH, SEED)
    Y, likeness = np.random.default_rng(SEED).normal(size=(1, 8, D)), []
    for block in range(DEPTH):
        block_weights = {n.removeprefix(f"encoder.{block}."): w for n, w in weights.items()}
        W = [block_weights[f"attention.W_{x}.weight"] for x in "qkvo"]
        context, _ = multi_head_attention(Y, Y, Y, None, D, HEADS, *W)
        Y = layer_norm(residual * Y + context, np.ones(D), np.zeros(D))
        hidden = np.maximum(Y @ block_weights["ffn1.weight"].T + block_weights["ffn1.bias"], 0)
        added = hidden @ block_weights["ffn2.weight"].T + block_weights["ffn2.bias"]
        Y = layer_norm(residual * Y + added, np.ones(D), np.zeros(D))
        likeness.append(np.corrcoef(Y[0])[np.triu_indices(8, 1)].mean())
    return np.array(likeness)
