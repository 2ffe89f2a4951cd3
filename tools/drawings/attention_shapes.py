"""The shapes of a batch: one axis of the scores comes from the queries, the other from the keys."""

from tools.drawings.kit import Drawing

SIZES = {"num_queries": 2, "num_keys": 4, "d_k": 3, "d_v": 2}  # small, and no two alike
CELL, TOP = 30, 118


def draw() -> Drawing:
    """Draw one element of the batch: queries and keys, scores, values, context."""
    queries, keys, wide, value = SIZES.values()
    svg = Drawing(
        "Scores have a row for each query and a column for each key; the context has a row for each query, as wide as a value",
        f"For one element of the batch, as matrices. Queries have {queries} rows of {wide}, keys {keys} rows of {wide}. "
        f"The scores have {queries} rows and {keys} columns: d_k is gone. Each row of weights sums to 1. Values have "
        f"{keys} rows of {value}, and the context has {queries} rows of {value}: num_keys is gone.",
        height=312,
    )
    _matrix(svg, 90, queries, wide, "query", "queries", "num_queries × d_k")
    _matrix(svg, 248, keys, wide, "key", "keys", "num_keys × d_k")
    svg.arrow([(316, TOP + CELL), (362, TOP + CELL)])
    _matrix(svg, 440, queries, keys, "weight", "weights", "num_queries × num_keys")
    svg.text(440, TOP + 2 * CELL + 22, "a row sums to 1", "weight", kind="small")
    _matrix(svg, 624, keys, value, "value", "values", "num_keys × d_v")
    svg.arrow([(440, TOP + 2 * CELL + 40), (440, 236)])
    svg.arrow([(624, TOP + 4 * CELL + 8), (624, 270), (478, 270)], "value")
    svg.cells(440 - value * CELL / 2, 240, [[""] * value] * queries, "context", CELL, CELL)
    svg.text(440 - value * CELL / 2 - 12, 258, "context", "context", "end", "strong")
    svg.text(440 - value * CELL / 2 - 12, 284, "num_queries × d_v", "mute", "end", "small")
    return svg


def _matrix(svg: Drawing, middle: float, rows: int, columns: int, role: str, name: str, shape: str) -> None:
    """Draw empty cells below a name and, above a narrow matrix in two lines, a shape."""
    first, last = shape.split(" × ")
    svg.text(middle, 22, name, role, kind="strong")
    svg.text(middle, 50, f"{first} ×", "mute", kind="small")
    svg.text(middle, 74, last, "mute", kind="small")
    svg.cells(middle - columns * CELL / 2, TOP, [[""] * columns] * rows, role, CELL, CELL)
