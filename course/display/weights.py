"""Weights with their labels, marks and sliders, checked: what every heat map is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

DECIMALS = 3  # of a number that is read out; a cell shows one less
MOST_COLUMNS_WITH_NUMBERS = 14  # beyond, a cell shows its colour only
LONGEST_FLAT_LABEL = 6  # characters; longer column labels stand upright
UNNAMED = "outlined"  # the label of marks that nobody has named: it says no more than the outline does


@dataclass(frozen=True)
class Slider:
    """One quantity that the reader may change: its name, its values, and the index shown first.

    Values that are numbers get a slider, names get buttons. A choice called `framework` follows that of the
    page. play: whether a slider has a button that moves it through its values.
    """

    name: str
    values: Sequence[float | int | str]
    start: int = 0
    play: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        if not 0 <= self.start < len(self.values):
            raise ValueError(
                f"slider {self.name!r} starts at index {self.start}, but has {len(self.values)} values."
            )

    @property
    def labels(self) -> list[str]:
        """Return the values as the reader sees them."""
        return [value if isinstance(value, str) else f"{value:g}" for value in self.values]


@dataclass(frozen=True, eq=False)
class LabelledWeights:
    """Attention weights, or any other matrix, with labels, for one frame or for many.

    Arguments:
        title: what the figure shows, in a few words.
        weights: shape (*number of values of each slider, num_rows, num_columns), finite.
        rows, columns: the labels of queries and of keys.
        sliders: one for each leading axis of `weights`, in that order; one of a single value is not shown.
        captions: a sentence for each frame, in C order, or none.
        marks: cells to outline, of shape (num_rows, num_columns) or that of `weights`.
        mark_label: what the outline means, in a word or two: "padding", "gold alignment".
        row_label, column_label: the singular noun for a row and a column.
        limits: ends of the colour scale, by default 0 and the maximum; it diverges from 0 if low < 0.
        row_sums: show the sum of each row in a last column.

    Raises:
        ValueError: shapes that do not fit each other, numbers that are not finite.
    """

    title: str
    weights: ArrayLike
    rows: Sequence[str]
    columns: Sequence[str]
    sliders: Sequence[Slider] = ()
    captions: Sequence[str] = ()
    marks: ArrayLike | None = None
    mark_label: str = UNNAMED
    row_label: str = "query"
    column_label: str = "key"
    limits: tuple[float, float] | None = None
    row_sums: bool = False

    def __post_init__(self) -> None:
        for name in ("rows", "columns"):
            object.__setattr__(self, name, tuple(str(label) for label in getattr(self, name)))
        for name in ("sliders", "captions"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "weights", _checked_weights(self))
        object.__setattr__(self, "marks", _checked_marks(self))
        object.__setattr__(self, "limits", _checked_limits(self))
        if len(self.captions) not in (0, len(self.frames)):
            raise ValueError(
                f"{self.title!r} has {len(self.frames)} frames and {len(self.captions)} captions: "
                "give one caption for each frame, or none."
            )
        # As the choice of a framework where there is only one.
        movable = tuple(slider for slider in self.sliders if len(slider.values) > 1)
        object.__setattr__(self, "sliders", movable)

    # What is derived from the checked arguments.

    @property
    def ends(self) -> tuple[float, float]:
        assert self.limits is not None
        return self.limits

    @property
    def frames(self) -> Floats:
        """Return (num_frames, num_rows, num_columns)"""
        return np.asarray(self.weights).reshape(-1, len(self.rows), len(self.columns))

    @property
    def frame_marks(self) -> Bools | None:
        """Return (1 or num_frames, num_rows, num_columns)"""
        if self.marks is None:
            return None
        return np.asarray(self.marks).reshape(-1, len(self.rows), len(self.columns))

    @property
    def first_marks(self) -> Bools | None:
        marks = self.frame_marks
        return None if marks is None else np.asarray(marks[self.first_index % len(marks)])

    @property
    def sums(self) -> Floats:
        """Return (num_frames, num_rows): of the weights themselves, not of their rounded values"""
        return rounded(self.frames.sum(-1))

    @property
    def first_index(self) -> int:
        """Return the index of the frame shown first."""
        shape = tuple(len(slider.values) for slider in self.sliders)
        return int(np.ravel_multi_index([slider.start for slider in self.sliders], shape)) if shape else 0

    @property
    def first(self) -> Floats:
        return np.asarray(self.frames[self.first_index])

    @property
    def digits(self) -> int:
        """Return the decimals where there is room for an exact number: none when all numbers are whole."""
        return DECIMALS if np.any(rounded(self.frames) % 1) else 0

    @property
    def dense(self) -> bool:
        """Return whether cells are too many to hold their numbers."""
        return len(self.columns) > MOST_COLUMNS_WITH_NUMBERS

    @property
    def upright(self) -> bool:
        """Return whether column labels are too long to lie flat."""
        return self.dense or max(map(len, self.columns)) > LONGEST_FLAT_LABEL


def _checked_weights(figure: LabelledWeights) -> Floats:
    """Return the weights as float64, of the shape that sliders and labels ask for."""
    weights = np.array(figure.weights, dtype=np.float64)
    expected = (*(len(slider.values) for slider in figure.sliders), len(figure.rows), len(figure.columns))
    if weights.shape != expected:
        raise ValueError(
            f"{figure.title!r}: weights have the shape {weights.shape}, but {len(figure.sliders)} sliders, "
            f"{len(figure.rows)} rows and {len(figure.columns)} columns need {expected}."
        )
    if 0 in expected:
        raise ValueError(f"{figure.title!r}: at least one row and one column are needed.")
    if not np.isfinite(weights).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(weights))[0])
        raise ValueError(
            f"{figure.title!r}: weights{list(where)} is {weights[where]}; every number must be finite."
        )
    return weights


def _checked_marks(figure: LabelledWeights) -> Bools | None:
    """Return the marks as booleans, for one frame or for all."""
    if figure.marks is None:
        return None
    marks = np.array(figure.marks)
    shapes = ((len(figure.rows), len(figure.columns)), np.shape(figure.weights))
    if marks.dtype != np.bool_ or marks.shape not in shapes:
        raise ValueError(
            f"{figure.title!r}: marks have the shape {marks.shape} and the type {marks.dtype}, but must be "
            f"bool of the shape {' or '.join(map(str, dict.fromkeys(shapes)))}."
        )
    return marks


def _checked_limits(figure: LabelledWeights) -> tuple[float, float]:
    """Return the ends of the colour scale, given or found."""
    if figure.limits is None:
        return _default_limits(np.asarray(figure.weights))
    low, high = map(float, figure.limits)
    if not (np.isfinite([low, high]).all() and low < high):
        raise ValueError(f"{figure.title!r}: limits are ({low:g}, {high:g}), but must grow and be finite.")
    return low, high


def _default_limits(weights: Floats) -> tuple[float, float]:
    low, high = float(weights.min()), float(weights.max())
    return (low, max(high, 0.0)) if low < 0 else (0.0, high or 1.0)


def origin_and_span(limits: tuple[float, float]) -> tuple[float, float]:
    """Return the value that takes the colour `zero`, and the distance from there to the end of the scale."""
    low, high = limits
    return (0.0, max(-low, high)) if low < 0 else (low, high - low)


def rounded(numbers: Floats) -> Floats:
    """Return numbers with three decimals, without negative zeros.

    A cell shows two of them. Where the third is a 5, a fourth tells on which side of it the number lies,
    so that rounding twice gives what rounding once gives.
    """
    near = np.round(numbers, DECIMALS)
    halfway = np.round(near * 10**DECIMALS) % 10 == 5
    side = np.sign(numbers - near) / 10 ** (DECIMALS + 1)
    return np.where(halfway, np.round(near + side, DECIMALS + 1), near) + 0.0


def formatted(number: float, digits: int) -> str:
    """Return a number with `digits` decimals, rounded as JavaScript's toFixed does it: halves go up."""
    return str(Decimal(float(number)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def digits_in_cell(digits: int) -> int:
    """Return a cell has room for one decimal less than the readout."""
    return max(digits - 1, 0)
