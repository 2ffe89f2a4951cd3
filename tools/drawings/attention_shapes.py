"""The shapes of a batch: one axis of the scores comes from the queries, the other from the keys."""

from tools.drawings.kit import Drawing

SIZES = {"num_queries": 2, "num_keys": 4, "d_k": 3, "d_v": 2}  # small, and no two alike
CELL, TOP = 30, 118


def draw() -> Drawing:
    """One element of the batch: queries and keys, scores, values, context."""
    queries, keys, wide, value = SIZES.values()
    made = Drawing(
        "attention_shapes",
        "Scores have a row for each query and a column for each key; the context has a row for each query, as wide as a value",
        f"For one element of the batch, as matrices. Queries have {queries} rows of {wide}, keys {keys} rows of {wide}. "
        f"The scores have {queries} rows and {keys} columns: d_k is gone. Each row of weights sums to 1. Values have "
        f"{keys} rows of {value}, and the context has {queries} rows of {value}: num_keys is gone.",
        height=312,
    )
    _matrix(made, 90, queries, wide, "query", "queries", "num_queries × d_k")
    _matrix(made, 248, keys, wide, "key", "keys", "num_keys × d_k")
    made.arrow([(316, TOP + CELL), (362, TOP + CELL)])
    _matrix(made, 440, queries, keys, "weight", "weights", "num_queries × num_keys")
    made.text(440, TOP + 2 * CELL + 22, "a row sums to 1", "weight", kind="small")
    _matrix(made, 624, keys, value, "value", "values", "num_keys × d_v")
    made.arrow([(440, TOP + 2 * CELL + 40), (440, 236)])
    made.arrow([(624, TOP + 4 * CELL + 8), (624, 270), (478, 270)], "value")
    made.cells(440 - value * CELL / 2, 240, [[""] * value] * queries, "context", CELL, CELL)
    made.text(440 - value * CELL / 2 - 12, 258, "context", "context", "end", "strong")
    made.text(440 - value * CELL / 2 - 12, 284, "num_queries × d_v", "mute", "end", "small")
    return made


def _matrix(made: Drawing, middle: float, rows: int, columns: int, role: str, name: str, shape: str) -> None:
    """Empty cells below a name and, above a narrow matrix in two lines, a shape."""
    first, last = shape.split(" × ")
    made.text(middle, 22, name, role, kind="strong")
    made.text(middle, 50, f"{first} ×", "mute", kind="small")
    made.text(middle, 74, last, "mute", kind="small")
    made.cells(middle - columns * CELL / 2, TOP, [[""] * columns] * rows, role, CELL, CELL)
