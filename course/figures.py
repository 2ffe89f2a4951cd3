"""Every picture of the course: heat maps that move, and the style of still plots.

A `WeightMap` as the last expression of a cell shows itself: as HTML in the book and in JupyterLab, as
PNG in print, as text elsewhere. All numbers and frames are computed here; `figure.js` only chooses the
frame, and `figure.css` only draws it.
"""

from __future__ import annotations

import io
import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray
from PIL import Image

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

DECIMALS = 3  # of a number that is read out; a cell shows one less
MOST_DATA = 200_000  # characters of data in one figure: a page must load at once, and a notebook must diff
MOST_COLUMNS_WITH_NUMBERS = 14  # beyond, a cell shows its colour only
LONGEST_FLAT_LABEL = 6  # characters; longer column labels stand upright
SIDES = "nesw"
INK, QUIET_INK = "#1f2630", "#56616e"

STYLE = {
    "figure.dpi": 120,
    "savefig.dpi": 120,
    "figure.figsize": [6.4, 3.6],
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "figure.constrained_layout.use": True,
    "font.family": ["DejaVu Sans"],  # the font that matplotlib brings: the same picture on every machine
    "font.size": 12,
    "axes.titlesize": 13,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.titlepad": 10,
    "axes.labelsize": 12,
    "axes.labelcolor": INK,
    "axes.edgecolor": "#7b8794",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e3e8ee",
    "grid.linewidth": 0.8,
    "xtick.color": QUIET_INK,
    "ytick.color": QUIET_INK,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 2.2,
    "lines.markersize": 6,
    "legend.frameon": False,
    # MXNet's blue and PyTorch's orange as in the book, then three that stay apart for every kind of sight.
    "axes.prop_cycle": cycler(color=["#1f6fb2", "#d9480f", "#12876f", "#a61e4d", "#7b8794"]),
    "svg.hashsalt": "attention",
}


def style() -> None:
    """Set the course's matplotlib style for all plots that follow: call it once in a chapter."""
    mpl.rcParams.update(STYLE)


# ---- Colours: straight lines in OKLab, so that equal steps of a weight look equally large ----

_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
_INKS_MEET = 1.05**0.5 * 0.05**0.5 - 0.05  # the luminance on which black and white are equally legible


def _linear(colour: str) -> Floats:
    """The linear red, green and blue of '#rrggbb'."""
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.asarray(np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4))


def _oklab(colour: str) -> Floats:
    return np.asarray(_TO_LAB @ np.cbrt(_TO_LMS @ _linear(colour)))


@dataclass(frozen=True)
class Scale:
    """A colour scale from -1 (`low`) over 0 (`zero`) to 1 (`high`)."""

    low: str
    zero: str
    high: str

    def linear(self, positions: Floats) -> Floats:
        """Linear RGB, shape (*positions.shape, 3), of positions in -1..1."""
        t = positions[..., None]
        low, zero, high = map(_oklab, (self.low, self.zero, self.high))
        lab = zero + np.maximum(t, 0) * (high - zero) + np.maximum(-t, 0) * (low - zero)
        return np.asarray(np.clip((lab @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_LMS).T, 0, 1))

    def rgb(self, positions: Floats) -> Floats:
        """sRGB in 0..1, shape (*positions.shape, 3), of positions in -1..1."""
        linear = self.linear(positions)
        return np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)

    def luminance(self, positions: Floats) -> Floats:
        """Relative luminance (WCAG) of positions in -1..1."""
        return np.asarray(self.linear(positions) @ _LUMINANCE)

    def turn(self, sign: int) -> float:
        """How far from zero, towards `sign`, the ink changes between black and white."""
        distances = np.linspace(0, 1, 4001)
        return float(distances[np.argmin(abs(self.luminance(sign * distances) - _INKS_MEET))])


# Blue and orange stay apart for every kind of colour vision; the outlines are drawn in the ink of the text.
LIGHT = Scale(low="#a8380a", zero="#f1f4f8", high="#0a4fb0")
DARK = Scale(low="#ffb38a", zero="#262d36", high="#8fc7ff")


def _origin_and_span(limits: tuple[float, float]) -> tuple[float, float]:
    """The value that takes the colour `zero`, and the distance from there to the end of the scale."""
    low, high = limits
    return (0.0, max(-low, high)) if low < 0 else (low, high - low)


def _default_limits(weights: Floats) -> tuple[float, float]:
    low, high = float(weights.min()), float(weights.max())
    return (low, max(high, 0.0)) if low < 0 else (0.0, high or 1.0)


# ---- Marks: only the border of a marked region is drawn ----


def _sides(marks: Bools) -> list[str | None]:
    """For each cell of marks (rows, columns): the sides where its region ends; None if unmarked."""
    padded = np.pad(marks, 1)
    around = {"n": padded[:-2, 1:-1], "e": padded[1:-1, 2:], "s": padded[2:, 1:-1], "w": padded[1:-1, :-2]}
    return [
        "".join(side for side in SIDES if not around[side][cell]) if marks[cell] else None
        for cell in np.ndindex(marks.shape)
    ]


def _encoded(sides: list[str | None]) -> str:
    """One character for each cell: a dot, or the drawn sides as one hexadecimal digit."""
    bits = (None if cell is None else sum(1 << SIDES.index(side) for side in cell) for cell in sides)
    return "".join("." if cell is None else f"{cell:x}" for cell in bits)


# ---- Numbers and files as they are embedded ----


def _rounded(numbers: Floats) -> Floats:
    """Numbers with three decimals, without negative zeros.

    A cell shows two of them. Where the third is a 5, a fourth tells on which side of it the number lies,
    so that rounding twice gives what rounding once gives.
    """
    near = np.round(numbers, DECIMALS)
    halfway = np.round(near * 10**DECIMALS) % 10 == 5
    side = np.sign(numbers - near) / 10 ** (DECIMALS + 1)
    return np.where(halfway, np.round(near + side, DECIMALS + 1), near) + 0.0


def _shown(number: float, digits: int) -> str:
    """A number with `digits` decimals, rounded as JavaScript's toFixed does it: halves go up."""
    return str(Decimal(float(number)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def _plain(number: float) -> float | int:
    """The shortest JSON number."""
    return int(number) if float(number).is_integer() else float(number)


def _json(data: object) -> str:
    """Compact JSON that cannot end the element it stands in."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


@cache
def _file(name: str) -> str:
    """A file of this folder in one line, without comments and indentation."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/|^\s*//.*?$", "", text, flags=re.DOTALL | re.MULTILINE)
    return " ".join(text.split())


@cache
def _stylesheet() -> str:
    """The style of all figures, with the colours of `LIGHT` and `DARK`."""
    colours = "".join(
        f"--{name}:light-dark({getattr(LIGHT, name)},{getattr(DARK, name)});"
        for name in ("low", "zero", "high")
    )
    turns = "".join(
        f"--turn-{end}-{mode}:{scale.turn(sign):.5g};"
        for mode, scale in (("light", LIGHT), ("dark", DARK))
        for end, sign in (("low", -1), ("high", 1))
    )
    return f"attention-map{{{colours}{turns}}} {_file('figure.css')}"


# ---- The figures ----


@dataclass(frozen=True)
class Slider:
    """One quantity that the reader may move: its name, its values, and the index shown first."""

    name: str
    values: Sequence[float | int | str]
    start: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        if not 0 <= self.start < len(self.values):
            raise ValueError(
                f"slider {self.name!r} starts at index {self.start}, but has {len(self.values)} values."
            )

    @property
    def labels(self) -> list[str]:
        """The values as the reader sees them."""
        return [value if isinstance(value, str) else f"{value:g}" for value in self.values]


@dataclass(frozen=True, eq=False)
class WeightMap:
    """Attention weights, or any other matrix, as a heat map that can move.

    Arguments:
        title: what the figure shows, in a few words.
        weights: shape (*number of values of each slider, num_rows, num_columns), finite.
        rows, columns: the labels of queries and of keys.
        sliders: one for each leading axis of `weights`, in that order.
        captions: a sentence for each frame, in C order, or none.
        marks: cells to outline, of shape (num_rows, num_columns) or that of `weights`.
        mark_label: what the outline means, in a word or two: "padding", "gold alignment".
        row_label, column_label: the singular noun for a row and a column.
        limits: ends of the colour scale, by default 0 and the maximum; it diverges from 0 if low < 0.
        row_sums: show the sum of each row in a last column.

    Raises:
        ValueError: shapes that do not fit each other, numbers that are not finite, or too much data.
    """

    title: str
    weights: ArrayLike
    rows: Sequence[str]
    columns: Sequence[str]
    sliders: Sequence[Slider] = ()
    captions: Sequence[str] = ()
    marks: ArrayLike | None = None
    mark_label: str = "outlined"
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
        if len(self.captions) not in (0, len(self._frames)):
            raise ValueError(
                f"{self.title!r} has {len(self._frames)} frames and {len(self.captions)} captions: "
                "give one caption for each frame, or none."
            )
        if len(self._data) > MOST_DATA:
            raise ValueError(
                f"{self.title!r} would carry {len(self._data) // 1000} KB of data, and at most "
                f"{MOST_DATA // 1000} KB keep a page quick: give fewer slider values, rows or columns."
            )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str | bytes]:
        return {"text/html": self.html(), "image/png": self.png(), "text/plain": self.text()}

    def html(self) -> str:
        """The figure for a page: a table that reads without JavaScript, and what makes it move."""
        classes = " dense" * self._dense + " upright" * self._upright
        origin, span = _origin_and_span(self._limits)
        return "\n".join(
            [
                f'<attention-map class="{classes.strip()}" '
                f'style="--origin:{origin:g};--span:{span:g};--columns:{len(self.columns)}"><figure>',
                f"<figcaption>{escape(self.title)}</figcaption>",
                *self._settings_html(),
                f'<div class="scroll"><table aria-label="{escape(self.title)}">',
                self._head_html(),
                *self._body_html(),
                "</tbody></table></div>",
                self._foot_html(),
                f'</figure><script type="application/json">{self._data}</script>',
                f"<style>{_stylesheet()}</style><script>{_file('figure.js')}</script></attention-map>",
            ]
        )

    def png(self) -> bytes:
        """The first frame as a picture for print."""
        with mpl.rc_context(STYLE):
            figure = Figure(figsize=self._inches())
            axes = figure.subplots()
            heatmap(
                axes,
                self._first,
                self.rows,
                self.columns,
                row_label=self.row_label,
                column_label=self.column_label,
                limits=self.limits,
                marks=self._first_marks,
                row_sums=self.row_sums,
            )
            # So many characters of the bold title and of the notes fit in an inch.
            title = textwrap.fill(self.title, int(figure.get_figwidth() * 8))
            figure.suptitle(title, x=0.02, ha="left", size=13, weight="bold", color=INK)
            notes = [self._settings_text(), self._caption(), self._legend_text()]
            lines = [textwrap.fill(note, int(figure.get_figwidth() * 10)) for note in notes if note]
            figure.supxlabel("\n".join(lines), x=0.02, ha="left", size=11, color=INK)
            return _small_png(figure)

    def text(self) -> str:
        """The first frame in plain characters."""
        sums = [f"{total:.{self._digits}f}" for total in self._sums[self._start]]
        grid = [["", *self.columns, *(["sum"] if self.row_sums else [])]]
        for index, (label, row) in enumerate(zip(self.rows, _rounded(self._first), strict=True)):
            numbers = [f"{number:.{self._digits}f}" for number in row]
            grid.append([label, *numbers, *([sums[index]] if self.row_sums else [])])
        widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
        lines = [
            "  ".join(
                cell.rjust(width) if index else cell.ljust(width)
                for index, (cell, width) in enumerate(zip(line, widths, strict=True))
            )
            for line in grid
        ]
        notes = (self._settings_text(), f"rows: {self.row_label}; columns: {self.column_label}")
        return "\n".join([self.title, *filter(None, notes), *lines, *filter(None, [self._caption()])])

    # What is derived from the checked arguments.

    @property
    def _limits(self) -> tuple[float, float]:
        assert self.limits is not None
        return self.limits

    @property
    def _frames(self) -> Floats:
        """(num_frames, num_rows, num_columns)"""
        return np.asarray(self.weights).reshape(-1, len(self.rows), len(self.columns))

    @property
    def _marks(self) -> Bools | None:
        """(1 or num_frames, num_rows, num_columns)"""
        if self.marks is None:
            return None
        return np.asarray(self.marks).reshape(-1, len(self.rows), len(self.columns))

    @property
    def _first_marks(self) -> Bools | None:
        marks = self._marks
        return None if marks is None else np.asarray(marks[self._start % len(marks)])

    @property
    def _sums(self) -> Floats:
        """(num_frames, num_rows): of the weights themselves, not of their rounded values"""
        return _rounded(self._frames.sum(-1))

    @property
    def _start(self) -> int:
        """The index of the frame shown first."""
        shape = tuple(len(slider.values) for slider in self.sliders)
        return int(np.ravel_multi_index([slider.start for slider in self.sliders], shape)) if shape else 0

    @property
    def _first(self) -> Floats:
        return np.asarray(self._frames[self._start])

    @property
    def _digits(self) -> int:
        """Decimals where there is room for an exact number: none when all numbers are whole."""
        return DECIMALS if np.any(_rounded(self._frames) % 1) else 0

    @property
    def _dense(self) -> bool:
        """Whether cells are too many to hold their numbers."""
        return len(self.columns) > MOST_COLUMNS_WITH_NUMBERS

    @property
    def _upright(self) -> bool:
        """Whether column labels are too long to lie flat."""
        return self._dense or max(map(len, self.columns)) > LONGEST_FLAT_LABEL

    @property
    def _data(self) -> str:
        """What the script needs to show any frame, as JSON."""
        flat = _rounded(self._frames).reshape(len(self._frames), -1)
        marks = [] if self._marks is None else [_encoded(_sides(frame)) for frame in self._marks]
        return _json(
            {
                "values": [slider.labels for slider in self.sliders],
                "starts": [slider.start for slider in self.sliders],
                "captions": list(self.captions),
                "labels": [self.row_label, self.column_label, self.mark_label],
                "digits": [_in_cell(self._digits), self._digits],
                "marks": marks,
                "sums": [[_plain(total) for total in frame] for frame in self._sums] if self.row_sums else [],
                "frames": [[_plain(number) for number in frame] for frame in flat],
            }
        )

    def _inches(self) -> tuple[float, float]:
        """The size of the picture: so much for each cell, and for each letter of the longest label."""
        cell_width, cell_height = (0.26, 0.26) if self._dense else (0.56, 0.38)
        width = 1.0 + 0.09 * max(map(len, self.rows)) + cell_width * (len(self.columns) + self.row_sums)
        letters = max(map(len, self.columns)) if self._upright else 2
        return max(width, 5.0), 1.2 + 0.09 * letters + cell_height * len(self.rows)

    def _caption(self) -> str:
        return self.captions[self._start] if self.captions else ""

    def _settings_text(self) -> str:
        return ", ".join(f"{slider.name}: {slider.labels[slider.start]}" for slider in self.sliders)

    def _legend_text(self) -> str:
        return "" if self.marks is None else f"outlined: {self.mark_label}".removesuffix(": outlined")

    # The parts of the page.

    def _settings_html(self) -> list[str]:
        """Each slider's name and value; the script adds the slider itself."""
        settings = [
            f"<div><label>{escape(slider.name)}</label><output>{escape(slider.labels[slider.start])}</output></div>"
            for slider in self.sliders
        ]
        return [f'<div class="settings">{"".join(settings)}</div>'] if settings else []

    def _head_html(self) -> str:
        names = "".join(f'<th scope="col">{escape(label)}</th>' for label in self.columns)
        total = '<th class="sum" scope="col" rowspan="2">sum</th>' if self.row_sums else ""
        return (
            f'<thead><tr><th class="corner" scope="col" rowspan="2">{escape(self.row_label)}</th>'
            f'<th scope="colgroup" colspan="{len(self.columns)}">{escape(self.column_label)}</th>{total}</tr>'
            f'<tr class="names">{names}</tr></thead><tbody>'
        )

    def _body_html(self) -> list[str]:
        """The first frame, one line for each row."""
        shape = (len(self.rows), len(self.columns))
        sides = _sides(self._first_marks if self._first_marks is not None else np.zeros(shape, bool))
        return [self._row_html(row, sides[row * shape[1] : (row + 1) * shape[1]]) for row in range(shape[0])]

    def _row_html(self, index: int, sides: Sequence[str | None]) -> str:
        cells = "".join(
            f'<td style="--v:{_plain(number)}"{_class(side)}>{_shown(number, _in_cell(self._digits))}</td>'
            for number, side in zip(_rounded(self._first)[index], sides, strict=True)
        )
        total = f'<td class="sum">{_shown(self._sums[self._start, index], self._digits)}</td>'
        label = f'<th scope="row">{escape(self.rows[index])}</th>'
        return f"<tr>{label}{cells}{total if self.row_sums else ''}</tr>"

    def _foot_html(self) -> str:
        """The sentence of the frame, then what the outline and the colours mean."""
        origin, span = _origin_and_span(self._limits)
        low = -span if self._limits[0] < 0 else origin
        diverging = " diverging" * (self._limits[0] < 0)
        caption = f'<p class="caption" aria-live="polite">{escape(self._caption())}</p>'
        legend = f'<span class="legend"><i></i>{escape(self.mark_label)}</span>'
        scale = f'<span class="scale{diverging}">{_short(low)}<i></i>{_short(origin + span)}</span>'
        return (
            f"{caption if self.captions else ''}"
            f'<div class="foot">{scale}{legend if self.marks is not None else ""}</div>'
        )


def _checked_weights(figure: WeightMap) -> Floats:
    """The weights as float64, of the shape that sliders and labels ask for."""
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


def _checked_marks(figure: WeightMap) -> Bools | None:
    """The marks as booleans, for one frame or for all."""
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


def _checked_limits(figure: WeightMap) -> tuple[float, float]:
    """The ends of the colour scale, given or found."""
    if figure.limits is None:
        return _default_limits(np.asarray(figure.weights))
    low, high = map(float, figure.limits)
    if not (np.isfinite([low, high]).all() and low < high):
        raise ValueError(f"{figure.title!r}: limits are ({low:g}, {high:g}), but must grow and be finite.")
    return low, high


def _in_cell(digits: int) -> int:
    """A cell has room for one decimal less than the readout."""
    return max(digits - 1, 0)


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _class(sides: str | None) -> str:
    return "" if sides is None else f' class="{" ".join(["mark", *sides])}"'


def _small_png(figure: Figure) -> bytes:
    """The picture in its 256 commonest colours: a third of the size, since notebooks are committed with it.

    The fills of cells are among the commonest, so they stay exact; only the edges of letters change.
    """
    whole, small = io.BytesIO(), io.BytesIO()
    figure.savefig(whole, format="png")
    with Image.open(whole) as opened:
        pixels = np.asarray(opened.convert("RGB"), dtype=np.int32)
    packed = pixels @ np.array([1 << 16, 1 << 8, 1], dtype=np.int32)
    found, index, counts = np.unique(packed, return_inverse=True, return_counts=True)
    colours = np.stack([found >> 16, found >> 8 & 255, found & 255], axis=1)
    palette = colours[np.argsort(-counts, kind="stable")[:256]]
    nearest = ((colours[:, None] - palette) ** 2).sum(-1).argmin(1).astype(np.uint8)
    image = Image.fromarray(nearest[index].reshape(packed.shape), mode="P")
    image.putpalette(palette.astype(np.uint8).tobytes())
    image.save(small, format="png", optimize=True)
    return small.getvalue()


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
) -> None:
    """Draw `weights` (num_rows, num_columns) on matplotlib's `ax`, in the colours of `WeightMap`.

    The arguments are those of `WeightMap`, which also checks them: ValueError if they do not fit.
    """
    checked = WeightMap("heat map", weights, rows, columns, marks=marks, limits=limits)
    matrix = np.asarray(checked.weights)
    origin, span = _origin_and_span(checked._limits)
    positions = np.clip((matrix - origin) / span, -1, 1)
    ax.imshow(LIGHT.rgb(positions), aspect="auto")
    _draw_axes(ax, checked, row_label, column_label)
    if not checked._dense:
        _draw_numbers(ax, checked, LIGHT.luminance(positions))
    if row_sums:
        _draw_sums(ax, checked)
    if checked._marks is not None:
        _draw_marks(ax, checked._marks[0])


def _draw_axes(ax: Any, figure: WeightMap, row_label: str, column_label: str) -> None:
    """Labels above and to the left, thin white lines between the cells."""
    num_rows, num_columns = len(figure.rows), len(figure.columns)
    ax.set_xticks(range(num_columns), figure.columns, rotation=90 if figure._upright else 0)
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


def _draw_numbers(ax: Any, figure: WeightMap, luminance: Floats) -> None:
    digits = _in_cell(figure._digits)
    for (row, column), number in np.ndenumerate(_rounded(figure._first)):
        ink = "black" if luminance[row, column] > _INKS_MEET else "white"
        ax.text(column, row, _shown(float(number), digits), ha="center", va="center", color=ink, size=10)


def _draw_sums(ax: Any, figure: WeightMap) -> None:
    """A last column without colours."""
    edge = len(figure.columns) - 0.35
    ax.text(edge, -0.62, "sum", va="bottom", color=QUIET_INK, size=11)
    for row, total in enumerate(figure._sums[0]):
        ax.text(edge, row, _shown(total, figure._digits), va="center", color=QUIET_INK, size=10)


def _draw_marks(ax: Any, marks: Bools) -> None:
    """The border of each marked region."""
    lines: Mapping[str, tuple[tuple[float, float], tuple[float, float]]] = {
        "n": ((-0.5, 0.5), (-0.5, -0.5)),
        "e": ((0.5, 0.5), (-0.5, 0.5)),
        "s": ((-0.5, 0.5), (0.5, 0.5)),
        "w": ((-0.5, -0.5), (-0.5, 0.5)),
    }
    for (row, column), sides in zip(np.ndindex(marks.shape), _sides(marks), strict=True):
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
