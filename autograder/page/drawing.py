"""What a page draws of a wrong answer: its result beside the right one, on a small input, as the book draws weights."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from markupsafe import Markup, escape

from autograder.diagnose.counterexample import Example, value_text
from autograder.judge.compare import right_entries
from autograder.judge.sizes import axes
from autograder.model.exercise import Exercise, Output

MAX_SIDE, MAX_LINE = 12, 60
KEYS = 3  # so many columns show more than one or two do
MAX_BARS = 3  # rows of weights that are bars; more are a map
WIDE, HIGH, CELL, GAP = 46, 56, 30, 8


def least(exercise: Exercise) -> dict[str, int]:
    """Return how long the last axis of each result stays, where a case is made smaller to be drawn."""
    shapes = (axes(output.description, count) for output in exercise.returns for count in (2, 3))
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
    name = output.name + (f"[{', '.join(map(str, outer))}]" if outer else "")
    column = (axes(output.description, got.ndim) or [""])[-1]
    titles = (f"yours: {name}", mine, differ), (f"right: {name}", expected, np.zeros_like(differ))
    return "".join(_panel(*title, expected, output, column) for title in titles)


def _panel(
    title: str, rows: np.ndarray, differ: np.ndarray, right: np.ndarray, output: Output, column: str
) -> str:
    are_weights = _are_weights(output, right)
    as_bars = are_weights and len(rows) <= MAX_BARS
    left, top, step = (
        (22 if len(rows) > 1 else 1),
        (18 if as_bars else 2),
        (HIGH + 44 if as_bars else CELL + GAP),
    )
    width, height = left + (WIDE + GAP) * rows.shape[1], top + step * len(rows) + (0 if as_bars else 14)
    drawn: list[str] = []
    for i, j in product(*map(range, rows.shape)):
        x, y = left + (WIDE + GAP) * j, top + step * i
        if as_bars:
            drawn += _bar(x, y, rows[i, j], right[i, j], differ[i, j])
        else:
            drawn += _cell(x, y, rows[i, j], are_weights, differ[i, j])
    if column.isidentifier():
        drawn.append(_text((left + width - GAP) / 2, height - 7, column.removeprefix("num_"), "mute"))
    label = escape(f"{title} = {value_text(rows)}")
    return (
        f'<div><div><b>{escape(title)}</b></div><svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{label}">{"".join(drawn)}</svg></div>'
    )


def _are_weights(output: Output, matrix: np.ndarray) -> bool:
    """Return whether each row of a result that is drawn as a map, or named so, shares 1 among its entries."""
    shares = (matrix >= 0).all() and np.allclose(matrix.sum(axis=-1), 1, atol=1e-3)
    return bool(shares) and (output.map or "weight" in output.name)


def _bar(x: float, y: float, weight: float, right: float, differs: bool) -> Iterator[str]:
    """Yield a weight as a bar; in a dashed frame where the right one is 0."""
    high = HIGH * _share(weight)
    yield _box(x, y, HIGH, "slot" if right else "masked")
    yield _box(x, y + HIGH - high, high, "weight")
    yield _text(x + WIDE / 2, y - 7, "✗") if differs else ""
    yield _text(x + WIDE / 2, y + HIGH + 15, _number(weight), "wrong" if differs else "")


def _cell(x: float, y: float, number: float, is_weight: bool, differs: bool) -> Iterator[str]:
    """Yield a number in its cell, which a weight makes green."""
    yield f'<g opacity="{_share(number):.2f}">{_box(x, y, CELL, "weight")}</g>' if is_weight else ""
    yield _box(x, y, CELL, "wrong" if differs else "cell")
    yield _text(x + WIDE / 2, y + CELL / 2 + 5, _number(number), "wrong" if differs else "")


def _share(weight: float) -> float:
    return float(np.clip(np.nan_to_num(weight), 0, 1))


def _number(number: float) -> str:
    return f"{number + 0.0:.2f}".removesuffix(".00").replace("-", "−")


def _box(x: float, y: float, height: float, look: str) -> str:
    return f'<rect class="{look}" x="{x}" y="{y:.1f}" width="{WIDE}" height="{height:.1f}"/>'


def _text(x: float, y: float, words: str, look: str = "") -> str:
    return f'<text class="{look}" x="{x}" y="{y}">{escape(words)}</text>'
