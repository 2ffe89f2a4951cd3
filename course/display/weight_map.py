"""Heat maps with sliders and buttons.

A `WeightMap` as the last expression of a cell is displayed: as HTML in the book and in JupyterLab, as
PNG in print, as text elsewhere. All numbers and frames are computed here; `weight_map.js` only chooses the
frame, and `weight_map.css` only draws it.
"""

from __future__ import annotations

import base64
import io
import json
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from course.display.colours import DARK, LIGHT
from course.display.heatmap import SIDES, bordered_sides, heatmap
from course.display.palette import INK
from course.display.style import STYLE, in_256_colours
from course.display.weights import (
    UNNAMED,
    LabelledWeights,
    digits_in_cell,
    formatted,
    origin_and_span,
    rounded,
)

MOST_DATA = 200_000  # characters of data in one figure: a page must load at once, and a notebook must diff


@dataclass(frozen=True, eq=False)
class WeightMap(LabelledWeights):
    """Attention weights, or any other matrix, as a heat map with sliders.

    The arguments are those of `LabelledWeights`, and one more:
        pictures: what the weights look at, beside them: one for each value of the first slider, of shape
            (number of values, height, width), from 0 (white) to 1 (black).

    Raises ValueError as `LabelledWeights` does, for marks without a label, which the legend needs, for pictures
    of another shape, and for too much data.
    """

    pictures: ArrayLike | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.marks is not None and self.mark_label == UNNAMED:
            raise ValueError(
                f"{self.title!r} has marks: say by mark_label, in a word or two, what they mean."
            )
        if self.pictures is not None:
            object.__setattr__(self, "pictures", self._checked_pictures())
        if len(self._data) > MOST_DATA:
            raise ValueError(
                f"{self.title!r} would carry {len(self._data) // 1000} KB of data, and at most "
                f"{MOST_DATA // 1000} KB keep a page quick: give fewer slider values, rows or columns."
            )

    def _checked_pictures(self) -> NDArray[np.float64]:
        """Return the pictures as numbers from 0 to 1, one for each value of the first slider."""
        pictures = np.array(self.pictures, dtype=np.float64)
        count = len(self.sliders[0].values) if self.sliders else 0
        if pictures.ndim != 3 or len(pictures) != count or not ((pictures >= 0) & (pictures <= 1)).all():
            raise ValueError(
                f"{self.title!r}: pictures have the shape {pictures.shape}, but must be {count} matrices of "
                "numbers from 0 to 1, one for each value of the first slider."
            )
        return pictures

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str | bytes]:
        return {"text/html": self.html(), "image/png": self.png(), "text/plain": self.text()}

    def html(self) -> str:
        """Return the figure for a page: a table that is complete without JavaScript, and the script for its sliders."""
        classes = " dense" * self.dense + " upright" * self.upright
        origin, span = origin_and_span(self.ends)
        return "\n".join(
            [
                f'<attention-map class="{classes.strip()}" '
                f'style="--origin:{origin:g};--span:{span:g};--columns:{len(self.columns)}"><figure>',
                f"<figcaption>{escape(self.title)}</figcaption>",
                *self._settings_html(),
                *self._picture_html(),
                f'<div class="scroll"><table aria-label="{escape(self.title)}">',
                self._head_html(),
                *self._body_html(),
                "</tbody></table></div>" + "</div>" * (self.pictures is not None),
                self._foot_html(),
                f'</figure><script type="application/json">{self._data}</script>',
                f"<style>{_stylesheet()}</style><script>{_file('weight_map.js')}</script></attention-map>",
            ]
        )

    def png(self) -> bytes:
        """Return the first frame as a picture for print."""
        with mpl.rc_context(STYLE):
            figure = Figure(figsize=self._inches())
            axes = figure.subplots()
            heatmap(
                axes,
                self.first,
                self.rows,
                self.columns,
                row_label=self.row_label,
                column_label=self.column_label,
                limits=self.limits,
                marks=self.first_marks,
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
        """Return the first frame in plain characters."""
        sums = [f"{total:.{self.digits}f}" for total in self.sums[self.first_index]]
        grid = [["", *self.columns, *(["sum"] if self.row_sums else [])]]
        for index, (label, row) in enumerate(zip(self.rows, rounded(self.first), strict=True)):
            numbers = [f"{number:.{self.digits}f}" for number in row]
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

    @property
    def _data(self) -> str:
        """Return what the script needs to show any frame, as JSON."""
        flat = rounded(self.frames).reshape(len(self.frames), -1)
        marks = (
            []
            if self.frame_marks is None
            else [_encoded(bordered_sides(frame)) for frame in self.frame_marks]
        )
        plays = [slider.play for slider in self.sliders]
        return _json(
            {
                "values": [slider.labels for slider in self.sliders],
                "starts": [slider.start for slider in self.sliders],
                "captions": list(self.captions),
                "labels": [self.row_label, self.column_label, self.mark_label],
                "digits": [digits_in_cell(self.digits), self.digits],
                "marks": marks,
                "sums": [[_plain(total) for total in frame] for frame in self.sums] if self.row_sums else [],
                "frames": [[_plain(number) for number in frame] for frame in flat],
                **({"plays": plays} if any(plays) else {}),
                **({"pictures": self._picture_addresses()} if self.pictures is not None else {}),
            }
        )

    def _inches(self) -> tuple[float, float]:
        """Return the size of the picture: so much for each cell, and for each letter of the longest label."""
        cell_width, cell_height = (0.26, 0.26) if self.dense else (0.56, 0.38)
        width = 1.0 + 0.09 * max(map(len, self.rows)) + cell_width * (len(self.columns) + self.row_sums)
        letters = max(map(len, self.columns)) if self.upright else 2
        return max(width, 5.0), 1.2 + 0.09 * letters + cell_height * len(self.rows)

    def _caption(self) -> str:
        return self.captions[self.first_index] if self.captions else ""

    def _settings_text(self) -> str:
        return ", ".join(f"{slider.name}: {slider.labels[slider.start]}" for slider in self.sliders)

    def _legend_text(self) -> str:
        return "" if self.marks is None else f"outlined: {self.mark_label}"

    # The parts of the page.

    def _settings_html(self) -> list[str]:
        """Return each slider's name and value; the script adds the slider itself."""
        settings = [
            f"<div><label>{escape(slider.name)}</label><output>{escape(slider.labels[slider.start])}</output></div>"
            for slider in self.sliders
        ]
        return [f'<div class="settings">{"".join(settings)}</div>'] if settings else []

    def _picture_html(self) -> list[str]:
        """Return the picture of the first frame, before the table that it stands beside."""
        if self.pictures is None:
            return []
        first = self.sliders[0]
        words = escape(f"{first.name}: {first.labels[first.start]}")
        address = self._picture_addresses()[first.start]
        return [f'<div class="beside"><img class="picture" alt="{words}" src="{address}">']

    def _picture_addresses(self) -> list[str]:
        """Return the pictures as PNG in data addresses."""
        return [_data_address(picture) for picture in np.asarray(self.pictures)]

    def _head_html(self) -> str:
        names = "".join(f'<th scope="col">{escape(label)}</th>' for label in self.columns)
        total = '<th class="sum" scope="col" rowspan="2">sum</th>' if self.row_sums else ""
        return (
            f'<thead><tr><th class="corner" scope="col" rowspan="2">{escape(self.row_label)}</th>'
            f'<th scope="colgroup" colspan="{len(self.columns)}">{escape(self.column_label)}</th>{total}</tr>'
            f'<tr class="names">{names}</tr></thead><tbody>'
        )

    def _body_html(self) -> list[str]:
        """Return the first frame, one line for each row."""
        shape = (len(self.rows), len(self.columns))
        sides = bordered_sides(self.first_marks if self.first_marks is not None else np.zeros(shape, bool))
        return [self._row_html(row, sides[row * shape[1] : (row + 1) * shape[1]]) for row in range(shape[0])]

    def _row_html(self, index: int, sides: Sequence[str | None]) -> str:
        cells = "".join(
            f'<td style="--v:{_plain(number)}"{_class(side)}>{formatted(number, digits_in_cell(self.digits))}</td>'
            for number, side in zip(rounded(self.first)[index], sides, strict=True)
        )
        total = f'<td class="sum">{formatted(self.sums[self.first_index, index], self.digits)}</td>'
        label = f'<th scope="row">{escape(self.rows[index])}</th>'
        return f"<tr>{label}{cells}{total if self.row_sums else ''}</tr>"

    def _foot_html(self) -> str:
        """Return the sentence of the frame, then what the outline and the colours mean."""
        origin, span = origin_and_span(self.ends)
        low = -span if self.ends[0] < 0 else origin
        diverging = " diverging" * (self.ends[0] < 0)
        caption = f'<p class="caption" aria-live="polite">{escape(self._caption())}</p>'
        legend = f'<span class="legend"><i></i>{escape(self.mark_label)}</span>'
        scale = f'<span class="scale{diverging}">{_short(low)}<i></i>{_short(origin + span)}</span>'
        return (
            f"{caption if self.captions else ''}"
            f'<div class="foot">{scale}{legend if self.marks is not None else ""}</div>'
        )


def _data_address(picture: NDArray[np.float64]) -> str:
    """Return a matrix of numbers from 0 (white) to 1 (black) as a grey PNG in a data address."""
    file = io.BytesIO()
    Image.fromarray(np.round(255 * (1 - picture)).astype(np.uint8)).save(file, format="png", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def _class(sides: str | None) -> str:
    return "" if sides is None else f' class="{" ".join(["mark", *sides])}"'


def _encoded(sides: list[str | None]) -> str:
    """Return one character for each cell: a dot, or the drawn sides as one hexadecimal digit."""
    bits = (None if cell is None else sum(1 << SIDES.index(side) for side in cell) for cell in sides)
    return "".join("." if cell is None else f"{cell:x}" for cell in bits)


def _plain(number: float) -> float | int:
    """Return the shortest JSON number."""
    return int(number) if float(number).is_integer() else float(number)


def _json(data: object) -> str:
    """Return compact JSON that cannot end the element it stands in."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


@cache
def _file(name: str) -> str:
    """Return a file of this folder in one line, without comments and indentation."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/|^\s*//.*?$", "", text, flags=re.DOTALL | re.MULTILINE)
    return " ".join(text.split())


@cache
def _stylesheet() -> str:
    """Return the style of all figures, with the colours of `LIGHT` and `DARK`."""
    colours = "".join(
        f"--{name}:light-dark({getattr(LIGHT, name)},{getattr(DARK, name)});"
        for name in ("low", "zero", "high")
    )
    turns = "".join(
        f"--turn-{end}-{mode}:{scale.turn(sign):.5g};"
        for mode, scale in (("light", LIGHT), ("dark", DARK))
        for end, sign in (("low", -1), ("high", 1))
    )
    return f"attention-map{{{colours}{turns}}} {_file('weight_map.css')}"


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _small_png(figure: Figure) -> bytes:
    whole = io.BytesIO()
    figure.savefig(whole, format="png")
    return in_256_colours(whole.getvalue())
