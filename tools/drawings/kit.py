"""What all drawings are made of: text, boxes, rows of cells, lines and arrows, each with a role.

A role is a colour and a word: query, key, value, weight, context; `ink` and `mute` are for all else. The styles of
a drawing hold for its own id alone, since several stand on one page. In a page they follow its theme; as a
file they follow that of the system, on paper of their own. Units are those of the viewBox, WIDTH across.
"""

from collections.abc import Sequence
from html import escape
from math import atan2, cos, pi, sin
from typing import Any

import numpy as np

Point = tuple[float, float]

WIDTH = 720
SIZE, SMALL = 22, 20  # a drawing is shown 360 pixels wide on a phone, where this is 11 and 10 pixels
HEAD = 11.0  # the length of an arrow's head
LIGHT = "--paper:#fff;--query:#7a3db8;--key:#00707a;--value:#8a5a00;--context:#b0246f;--weight:#1a6200;--ink:#1c2430;--mute:#5b6470"
DARK = "--paper:#14181e;--query:#c9a2f2;--key:#5cd0cc;--value:#f0bd5a;--context:#ff8fc2;--weight:#8bd47b;--ink:#e8edf2;--mute:#a9b3bf"
STYLE = """\
{id}{{{light}}}
@media (prefers-color-scheme:dark){{{id}{{{dark}}}}}
html[data-theme=light] {id}{{{light};--paper:none}}
html[data-theme=dark] {id}{{{dark};--paper:none}}
@media print{{{id},html[data-theme] {id}{{{light}}}}}
{id} .paper{{fill:var(--paper)}}
{roles}
{id} text{{font:{size}px system-ui,sans-serif;fill:var(--c)}}
{id} .small{{font-size:{small}px}}
{id} .strong{{font-weight:600}}
{id} .word{{font-style:italic}}
{id} .shape{{fill:var(--c);fill-opacity:.12;stroke:var(--c);stroke-width:2}}
{id} .empty{{fill:none;stroke:var(--c);stroke-width:2}}
{id} .thick{{stroke-width:4}}
{id} .solid{{fill:var(--c)}}
{id} .bar{{fill:var(--c);fill-opacity:.45}}
{id} .line{{fill:none;stroke:var(--c);stroke-linecap:butt}}
{id} .dashed{{stroke-dasharray:6 5}}
{id} .faint{{opacity:.45}}"""
ROLES = ("query", "key", "value", "weight", "context", "ink", "mute")
PALE = (
    "mute",
    "empty dashed",
    "mute",
)  # the look of cells that do not count: role, kind and role of the text


def number(value: float, digits: int = 2) -> str:
    """Return a number as a drawing shows it: rounded, with no more digits than it needs, and a real minus sign."""
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return ("0" if text in ("-0", "") else text).replace("-", "−")


def share(weight: float, digits: int = 2) -> str:
    """Return a weight with as many digits as its neighbours; a weight of exactly zero is `0`."""
    return f"{weight:.{digits}f}" if weight else "0"


def vector(values: Sequence[float] | np.ndarray, digits: int = 2) -> str:
    """Return numbers between parentheses."""
    return f"({', '.join(number(float(v), digits) for v in values)})"


def middles(words: Sequence[str], letter: float, gap: float) -> list[float]:
    """Return where words that stand side by side have their middles, all of them in the middle of a drawing.

    letter: the width of a letter; gap: from one word to the next.
    """
    widths = [letter * len(word) for word in words]
    left = (WIDTH - sum(widths) - gap * (len(words) - 1)) / 2
    centres = []
    for width in widths:
        centres.append(left + width / 2)
        left += width + gap
    return centres


def centres(left: float, step: float, count: int) -> list[float]:
    """Return the middles of so many columns of one width, side by side."""
    return [left + (i + 0.5) * step for i in range(count)]


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


class Drawing:
    """A drawing. title, description: what it shows, in a line and, unless that says all, in full.

    width: of the viewBox; letters: the size of its text, and of its small text if that is another; name: that of its
    file, which is set by `tools.drawings.drawing`.
    """

    def __init__(
        self,
        title: str,
        description: str,
        height: float,
        width: float = WIDTH,
        letters: tuple[float, float] = (SIZE, SMALL),
        name: str = "",
    ) -> None:
        self.name, self.title, self.description = name, title, description
        self.height, self.width, self.letters = height, width, letters
        self._parts: list[str] = []

    def text(
        self,
        x: float,
        y: float,
        words: str,
        role: str = "ink",
        anchor: str = "middle",
        kind: str = "",
        size: float | None = None,
        index: str = "",
    ) -> None:
        """Draw a line of text, its middle at height y. kind: `small`, `strong`, `word` or several of them.

        index: what stands behind the last letter, small and lower.
        """
        place = "" if anchor == "start" else f' text-anchor="{anchor}"'
        look = "" if size is None else f' style="font-size:{_n(size)}px"'
        low = f'<tspan dy=".3em" style="font-size:16px">{escape(index, quote=False)}</tspan>' if index else ""
        # Not dominant-baseline, which some programs that show files do not know.
        self._parts.append(
            f'<text x="{_n(x)}" y="{_n(y)}" dy=".35em" class="{f"{role} {kind}".strip()}"{place}{look}>'
            f"{escape(words, quote=False)}{low}</text>"
        )

    def texts(
        self, xs: Sequence[float], y: float, words: Sequence[str], role: str = "ink", kind: str = ""
    ) -> None:
        """Draw several words at one height."""
        for x, word in zip(xs, words, strict=True):
            self.text(x, y, word, role, kind=kind)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        role: str = "ink",
        *lines: str,
        kind: str = "shape",
        text: str = "ink",
        words: str = "",
    ) -> None:
        """Draw a rounded box with lines of text in its middle. kind: how it is filled; words: the kind of its text."""
        self._parts.append(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" rx="6" class="{role} {kind}"/>'
        )
        for i, line in enumerate(lines):
            self.text(x + width / 2, y + height / 2 + (i - (len(lines) - 1) / 2) * 25, line, text, kind=words)

    def cells(
        self,
        x: float,
        y: float,
        rows: Sequence[Sequence[str] | Sequence[float] | np.ndarray] | np.ndarray,
        role: str = "ink",
        width: float = 44,
        height: float = 38,
        kind: str = "shape",
        text: str = "ink",
        where: Any = None,
        otherwise: tuple[str, str, str] = PALE,
    ) -> None:
        """Draw a matrix as rows of cells, its upper left corner at (x, y).

        where: the cells that look so, all if it is None; otherwise: role, kind and role of the text of the others.
        """
        for i, row in enumerate(rows):
            for j, entry in enumerate(row):
                look = (role, kind, text) if where is None or where[i][j] else otherwise
                self._cell(x + j * width, y + i * height, width, height, entry, *look)

    def _cell(
        self, x: float, y: float, width: float, height: float, entry: Any, role: str, kind: str, text: str
    ) -> None:
        """Draw a cell with a text, or with a number in two decimals at most."""
        self._rect(x, y, width, height, f"{role} {kind}")
        words = entry if isinstance(entry, str) else number(float(entry))
        if words:
            self.text(x + width / 2, y + height / 2, words, text, kind="small")

    def _rect(self, x: float, y: float, width: float, height: float, look: str) -> None:
        size = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
        self._parts.append(f'<rect {size} class="{look}"/>')

    def bar(self, x: float, y: float, width: float, height: float, role: str = "ink") -> None:
        """Draw a filled bar."""
        self._rect(x, y, width, height, f"{role} bar")

    def bars(
        self,
        x: float,
        y: float,
        values: Sequence[float] | np.ndarray,
        unit: float,
        role: str = "ink",
        words: Sequence[str] = (),
        step: float = 56,
        digits: int = 2,
    ) -> None:
        """Draw upright bars on a line at height y, each with its number above it. words: what stands below each.

        x: the left end of the line; unit: the height of a 1; step: from one bar to the next.
        """
        for i, value in enumerate(values):
            middle = x + (i + 0.5) * step
            self.bar(middle - step * 0.3, y - value * unit, step * 0.6, value * unit, role)
            self.text(middle, y - value * unit - 14, number(float(value), digits), kind="small")
        self.texts([x + (i + 0.5) * step for i in range(len(words))], y + 20, words, kind="small")
        self.line([(x, y), (x + len(values) * step, y)], "mute")

    def line(self, points: Sequence[Point], role: str = "ink", width: float = 2, kind: str = "") -> None:
        """Draw straight lines through points. kind: `dashed`, `faint` or both."""
        path = " ".join(f"{'L' if i else 'M'}{_n(x)} {_n(y)}" for i, (x, y) in enumerate(points))
        self._path(path, role, width, kind)

    def bend(self, start: Point, end: Point, role: str = "ink", width: float = 2, kind: str = "") -> None:
        """Draw a curve from left to right, level at both ends."""
        middle = (start[0] + end[0]) / 2
        curve = " ".join(_n(v) for v in (middle, start[1], middle, end[1], *end))
        self._path(f"M{_n(start[0])} {_n(start[1])} C{curve}", role, width, kind)

    def drop(self, start: Point, end: Point, role: str = "ink", width: float = 2, kind: str = "") -> None:
        """Draw a curve from above to below, or back, upright at both ends."""
        middle = (start[1] + end[1]) / 2
        curve = " ".join(_n(v) for v in (start[0], middle, end[0], middle, *end))
        self._path(f"M{_n(start[0])} {_n(start[1])} C{curve}", role, width, kind)

    def arrow(self, points: Sequence[Point], role: str = "ink", width: float = 2, kind: str = "") -> None:
        """Draw straight lines through points, with a head at the last."""
        (x0, y0), (x, y) = points[-2:]
        angle = atan2(y - y0, x - x0)
        stop = (x - HEAD * 0.8 * cos(angle), y - HEAD * 0.8 * sin(angle))
        self.line([*points[:-1], stop], role, width, kind)
        self.head((x, y), angle, role)

    def head(self, tip: Point, angle: float, role: str = "ink") -> None:
        """Draw an arrow's head. angle: its direction in radians, clockwise from the right."""
        corners = [tip]
        for side in (-1, 1):
            turned = angle + pi + side * 0.45
            corners.append((tip[0] + HEAD * cos(turned), tip[1] + HEAD * sin(turned)))
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in corners)
        self._parts.append(f'<polygon points="{points}" class="{role} solid"/>')

    def dot(self, x: float, y: float, role: str = "ink", radius: float = 7) -> None:
        """Draw a filled disc."""
        self._parts.append(f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}" class="{role} solid"/>')

    def _path(self, path: str, role: str, width: float, kind: str) -> None:
        self._parts.append(
            f'<path d="{path}" class="{f"{role} line {kind}".strip()}" stroke-width="{_n(width)}"/>'
        )

    def svg(self) -> str:
        """Return the drawing as a file."""
        name = f"drawing-{self.name}"
        selector = f"#{name}"
        style = STYLE.format(
            id=selector,
            light=LIGHT,
            dark=DARK,
            size=self.letters[0],
            small=self.letters[1],
            roles="\n".join(f"{selector} .{role}{{--c:var(--{role})}}" for role in ROLES),
        )
        full = self.description and f"{name}-description"
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" class="drawing" '
                f'width="{_n(self.width)}" height="{_n(self.height)}" '
                f'viewBox="0 0 {_n(self.width)} {_n(self.height)}" role="img" '
                f'aria-labelledby="{f"{name}-title {full}".strip()}">',
                f'<title id="{name}-title">{escape(self.title, quote=False)}</title>',
                *([f'<desc id="{full}">{escape(self.description, quote=False)}</desc>'] if full else []),
                f"<style>\n{style}\n</style>",
                f'<rect width="{_n(self.width)}" height="{_n(self.height)}" class="paper"/>',
                *self._parts,
                "</svg>\n",
            ]
        )
