"""What a page draws of a wrong answer: its result beside the right one, on a small input, as the book draws weights."""

from itertools import product

import numpy as np
from markupsafe import Markup, escape

from autograder.diagnose.counterexample import Example, value_text
from autograder.judge.axis_lengths import axis_names
from autograder.judge.compare import right_entries
from autograder.model.exercise import Exercise, Output

MAX_SIDE, MAX_LINE = 12, 60
KEYS = 3  # so many columns show more than one or two do
MAX_BARS = 3  # rows of weights that are bars; more are a map
WIDE, HIGH, CELL = 46, 56, 30  # a column, a bar of weight 1, the height of a cell


def least(exercise: Exercise) -> dict[str, int]:
    """Return how long the last axis of each result stays, where a case is made smaller to be drawn."""
    shapes = (axis_names(output.description, count) for output in exercise.returns for count in (2, 3))
    return {shape[-1]: KEYS for shape in shapes if shape}


def drawing(exercise: Exercise, example: Example) -> str:
    """Return an answer's result and the right one as HTML; empty where neither is small enough to be read."""
    lines = [f"{name} = {value_text(value)}" for name, value in example.inputs.items()]
    inputs = [f"<code>{escape(line)}</code>" for line in lines if len(line) <= MAX_LINE]
    for output in exercise.returns:
        if output.name in example.got and (panels := _panels(output, example)):
            return Markup(f"<div>{''.join(inputs)}</div><div>{panels}</div>")
    return ""


def _panels(output: Output, example: Example) -> str:
    """Return the two matrices of a result; of an array with more axes those with the largest difference."""
    values = example.got[output.name], example.expected[output.name]
    if not all(isinstance(value, np.ndarray | np.number | int | float) for value in values):
        return ""
    got, right = map(np.asarray, values)
    if not all(array.dtype.kind in "iuf" for array in (got, right)):
        return ""
    wrong = ~right_entries(output, example.case, got, right)
    gap = np.where(wrong, np.nan_to_num(np.abs(got - right), nan=np.inf), -1)
    outer = np.unravel_index(gap.argmax(), gap.shape)[:-2]
    mine, expected, differ = (np.atleast_2d(array[outer]) for array in (got, right, wrong))
    if max(expected.shape) > MAX_SIDE:
        return ""
    place = f"[{', '.join(map(str, outer))}]" if outer else ""
    names = [f"{whose}: {output.name}{place}" for whose in ("yours", "right")]
    weights = expected if _are_weights(output, expected) else None
    column = (axis_names(output.description, got.ndim) or [""])[-1]
    panels = zip(names, (mine, expected), (differ, np.zeros_like(differ)), strict=True)
    return "".join(_panel(*panel, weights, column) for panel in panels)


def _panel(name: str, rows: np.ndarray, differ: np.ndarray, weights: np.ndarray | None, column: str) -> str:
    """Return one matrix with its name. weights: the right ones, where it is made of weights."""
    as_bars = weights is not None and len(rows) <= MAX_BARS
    draw, (top, across, down, below) = (_bar, (18, 54, 98, -6)) if as_bars else (_cell, (2, 49, 33, 15))
    right = np.full(rows.shape, None) if weights is None else weights
    places = product(*map(range, rows.shape))
    drawn = [draw(1 + across * j, top + down * i, rows[i, j], right[i, j], differ[i, j]) for i, j in places]
    width, height = across * rows.shape[1], top + down * len(rows) + below
    if column.isidentifier():
        drawn.append(_text(width / 2 - 3, height, column.removeprefix("num_"), "mute"))
    label = escape(f"{name} = {value_text(rows)}")
    return (
        f'<div><div aria-hidden="true"><b>{escape(name)}</b></div><svg viewBox="0 0 {width} {height + 5}" width="{width}" '
        f'height="{height + 5}" role="img" aria-label="{label}">{"".join(drawn)}</svg></div>'
    )


def _are_weights(output: Output, matrix: np.ndarray) -> bool:
    """Return whether each row of a result that is drawn as a map, or named so, shares 1 among its entries."""
    shares = (matrix >= 0).all() and np.allclose(matrix.sum(axis=-1), 1, atol=1e-3)
    return bool(shares) and (output.map or "weight" in output.name)


def _bar(x: float, y: float, weight: float, right: float | None, differs: bool) -> str:
    """Return a weight as a bar; in a dashed frame where the right one is 0."""
    high = HIGH * _share(weight)
    ground = _box(x, y, HIGH, "slot" if right else "masked") + _box(x, y + HIGH - high, high, "weight")
    mark = _text(x + WIDE / 2, y - 7, "✗") if differs else ""
    return ground + mark + _number(x, y + HIGH + 15, weight, differs)


def _cell(x: float, y: float, number: float, right: float | None, differs: bool) -> str:
    """Return a number in its cell, which a weight makes green."""
    look = "wrong" if differs else "masked" if right == 0 else "cell"
    shade = "" if right is None else f'<g opacity="{_share(number):.2f}">{_box(x, y, CELL, "weight")}</g>'
    return shade + _box(x, y, CELL, look) + _number(x, y + CELL / 2 + 5, number, differs)


def _share(weight: float) -> float:
    return float(np.clip(np.nan_to_num(weight), 0, 1))


def _number(x: float, y: float, number: float, differs: bool) -> str:
    words = f"{number + 0.0:.2f}".removesuffix(".00").replace("-", "−")
    return _text(x + WIDE / 2, y, words, "wrong" if differs else "")


def _box(x: float, y: float, height: float, look: str) -> str:
    return f'<rect class="{look}" x="{x}" y="{y:.1f}" width="{WIDE}" height="{height:.1f}"/>'


def _text(x: float, y: float, words: str, look: str = "") -> str:
    return f'<text class="{look}" x="{x}" y="{y}">{escape(words)}</text>'
