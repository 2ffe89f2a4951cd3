"""How much each output changes when the later tokens do, in four models."""

import numpy as np

from solutions.self_attention.in_numpy import causal_self_attention, self_attention
from tools.drawings.kit import Drawing, number

SEED, SIZES, POSITION = 2, ((2, 6, 8), (8, 4), (8, 4), (8, 5)), 3  # the chapter's draws
LEFT, CELL, HIGH, TOP, ROW = 210, 82, 42, 116, 54


def draw() -> Drawing:
    """Draw the chapter's four models on its first sequence; the tokens from one position on are changed."""
    rng = np.random.default_rng(SEED)
    draws = [rng.normal(size=size) / 3 for size in SIZES]
    X, (W_q, W_k, W_v) = draws[0][:1], draws[1:]
    tokens = X.shape[1]

    def late(X: np.ndarray) -> np.ndarray:
        return self_attention(X, W_q, W_k, W_v)[1] * np.tri(tokens)

    def outputs(X: np.ndarray) -> dict[str, np.ndarray]:
        masked = late(X)
        return {
            "no mask": self_attention(X, W_q, W_k, W_v)[0],
            "scores masked": causal_self_attention(X, W_q, W_k, W_v, None)[0],
            "weights masked": masked @ (X @ W_v),
            "… divided anew": masked / masked.sum(axis=-1, keepdims=True) @ (X @ W_v),
        }

    changed = X.copy()
    changed[:, POSITION:] *= -2
    before, after = outputs(X), outputs(changed)
    changes = {name: np.abs(after[name] - before[name])[0].max(axis=-1).round(9) for name in before}
    leaking = [name for name, row in changes.items() if row[:POSITION].any()]
    svg = Drawing(
        "Later tokens are changed: in a model that leaks, outputs of earlier tokens change too",
        f"A row of {tokens} tokens, of which those from {POSITION} on are changed, and below it a row for each of four "
        "models with the largest change of each output. "
        + ". ".join(f"{name}: {', '.join(number(float(c), 3) for c in row)}" for name, row in changes.items())
        + f". Outputs before token {POSITION} change in the models {' and '.join(leaking)}: these leak.",
        height=TOP + ROW * len(changes) + 34,
    )
    svg.text(LEFT - 14, 44, "tokens", "key", "end", "strong")
    for j in range(tokens):
        role, words = ("key", str(j)) if j < POSITION else ("ink", f"{j}, new")
        svg.cells(LEFT + j * CELL, 22, [[words]], role, CELL, HIGH)
    svg.text(LEFT - 14, TOP - 20, "largest change", "mute", "end", "small")
    for i, (name, row) in enumerate(changes.items()):
        y = TOP + ROW * i
        svg.text(LEFT - 14, y + HIGH / 2, name, anchor="end", kind="small strong")
        for j, change in enumerate(row):
            leak = j < POSITION and change > 0
            role, kind = ("context", "shape thick") if leak else ("mute", "empty")
            entry, ink = [[number(float(change), 3)]], "ink" if change else "mute"
            svg.cells(LEFT + j * CELL, y, entry, role, CELL, HIGH, kind, ink)
    svg.line(
        [(LEFT + POSITION * CELL, 12), (LEFT + POSITION * CELL, TOP + ROW * len(changes))], "ink", 3, "dashed"
    )
    words = "a change on the left of the line: a leak"
    svg.text(LEFT, TOP + ROW * len(changes) + 14, words, "context", "start", "small")
    return svg
