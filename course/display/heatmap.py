"""A heat map drawn by matplotlib, without sliders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from course.display.colours import INKS_MEET, LIGHT
from course.display.palette import INK, QUIET_INK
from course.display.weights import (
    Bools,
    Floats,
    LabelledWeights,
    digits_in_cell,
    formatted,
    origin_and_span,
    rounded,
)

SIDES = "nesw"
# Inks on a cell: neither pure black nor white, so that the book's pages can tell them from other ink in the dark,
# where a cell's lightness is exchanged and its ink with it (`_ext/plots.py`).
DARK_INK, LIGHT_INK = "#010101", "#fefefe"


def heatmap(
    ax: Any,
    weights: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    row_label: str = "query",
    column_label: str = "key",
    limits: tuple[float, float] | None = None,
    marks: ArrayLike | None = None,
    row_sums: bool = False,
    numbers: bool = True,
) -> None:
    """Draw `weights` (num_rows, num_columns) on matplotlib's `ax`, in the colours of `WeightMap`.

    numbers: whether cells hold their numbers where there is room; several small maps in a plot leave them out.
    The other arguments are those of `WeightMap`, which also checks them: ValueError if they do not fit.
    """
    checked = LabelledWeights("heat map", weights, rows, columns, marks=marks, limits=limits)
    matrix = np.asarray(checked.weights)
    origin, span = origin_and_span(checked.ends)
    positions = np.clip((matrix - origin) / span, -1, 1)
    ax.imshow(LIGHT.rgb(positions), aspect="auto")
    _draw_axes(ax, checked, row_label, column_label)
    if numbers and not checked.dense:
        _draw_numbers(ax, checked, LIGHT.luminance(positions))
    if row_sums:
        _draw_sums(ax, checked)
    if checked.frame_marks is not None:
        _draw_marks(ax, checked.frame_marks[0])


def _draw_axes(ax: Any, figure: LabelledWeights, row_label: str, column_label: str) -> None:
    """Draw labels above and to the left, thin white lines between the cells."""
    num_rows, num_columns = len(figure.rows), len(figure.columns)
    ax.set_xticks(range(num_columns), figure.columns, rotation=90 if figure.upright else 0)
    ax.set_yticks(range(num_rows), figure.rows)
    ax.set_xticks(np.arange(1, num_columns) - 0.5, minor=True)
    ax.set_yticks(np.arange(1, num_rows) - 0.5, minor=True)
    ax.grid(False)
    ax.grid(which="minor", color="white", linewidth=1.5)
    ax.tick_params(which="both", length=0, top=True, labeltop=True, labelbottom=False)
    ax.spines[:].set_visible(False)
    ax.set_xlabel(column_label, loc="left", labelpad=8, color=QUIET_INK)
    ax.set_ylabel(row_label, loc="top", labelpad=8, color=QUIET_INK)
    ax.xaxis.set_label_position("top")


def _draw_numbers(ax: Any, figure: LabelledWeights, luminance: Floats) -> None:
    digits = digits_in_cell(figure.digits)
    for (row, column), number in np.ndenumerate(rounded(figure.first)):
        ink = DARK_INK if luminance[row, column] > INKS_MEET else LIGHT_INK
        ax.text(column, row, formatted(float(number), digits), ha="center", va="center", color=ink, size=10)


def _draw_sums(ax: Any, figure: LabelledWeights) -> None:
    """Draw a last column without colours."""
    edge = len(figure.columns) - 0.35
    ax.text(edge, -0.62, "sum", va="bottom", color=QUIET_INK, size=11)
    for row, total in enumerate(figure.sums[0]):
        ax.text(edge, row, formatted(total, figure.digits), va="center", color=QUIET_INK, size=10)


def _draw_marks(ax: Any, marks: Bools) -> None:
    """Draw the border of each marked region."""
    lines: Mapping[str, tuple[tuple[float, float], tuple[float, float]]] = {
        "n": ((-0.5, 0.5), (-0.5, -0.5)),
        "e": ((0.5, 0.5), (-0.5, 0.5)),
        "s": ((-0.5, 0.5), (0.5, 0.5)),
        "w": ((-0.5, -0.5), (-0.5, 0.5)),
    }
    for (row, column), sides in zip(np.ndindex(marks.shape), bordered_sides(marks), strict=True):
        for side in sides or "":
            across, down = lines[side]
            ax.plot(
                np.add(column, across),
                np.add(row, down),
                color=INK,
                linewidth=2,
                solid_capstyle="projecting",
                clip_on=False,
            )


def bordered_sides(marks: Bools) -> list[str | None]:
    """Return of each cell of marks (rows, columns): the sides where its region ends; None if unmarked."""
    padded = np.pad(marks, 1)
    around = {"n": padded[:-2, 1:-1], "e": padded[1:-1, 2:], "s": padded[2:, 1:-1], "w": padded[1:-1, :-2]}
    return [
        "".join(side for side in SIDES if not around[side][cell]) if marks[cell] else None
        for cell in np.ndindex(marks.shape)
    ]
