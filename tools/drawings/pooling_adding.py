"""The adding problem: the ideal weights are known before any training."""

from solutions.pooling.in_numpy import adding_problem
from tools.drawings.kit import Drawing, number

LEFT, CELL, HIGH, ROWS = 160, 92, 46, (40, 100, 160)


def draw() -> Drawing:
    """Draw the chapter's example of five steps."""
    X, _, answers = adding_problem(1, (5, 5), seed=3)
    values, marks = X[0].T
    weights = marks / marks.sum()
    mean = float(weights @ values)
    svg = Drawing(
        "The adding problem: two of the steps are marked, and with a weight of one half on each the sum can be read",
        f"Five steps with the values {', '.join(number(float(v)) for v in values)} and the marks "
        f"{', '.join(number(float(m)) for m in marks)}. The ideal weights are {', '.join(number(float(w)) for w in weights)}. The weighted sum "
        f"of the values is {number(mean)}, and twice that is the answer, {number(float(answers[0, 0]))}.",
        height=322,
    )
    rows = (("values", "value", values), ("marks", "key", marks), ("weights", "weight", weights))
    for y, (name, role, entries) in zip(ROWS, rows, strict=True):
        svg.text(LEFT - 18, y + HIGH / 2, name, role, "end", "strong")
        svg.cells(
            LEFT, y, [entries], role, CELL, HIGH, where=[marks != 0], otherwise=("mute", "empty", "mute")
        )
    middle = LEFT + 2.5 * CELL
    for j in (i for i, mark in enumerate(marks) if mark):
        svg.drop((LEFT + (j + 0.5) * CELL, ROWS[2] + HIGH), (middle, 252), "weight", 8, "faint")
    words = f"{number(mean)}, twice that is {number(float(answers[0, 0]))}"
    svg.box(middle - 190, 252, 380, 56, "context", words, words="strong")
    return svg
