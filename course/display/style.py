"""The style of still plots.

Their ink is dark and their ground white; the book's pages, and a learner's copy in JupyterLab, exchange both in
the dark.
"""

from __future__ import annotations

import io

import matplotlib as mpl
import numpy as np
from cycler import cycler
from IPython.core.getipython import get_ipython
from IPython.display import HTML, display
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib_inline.backend_inline import set_matplotlib_formats
from numpy.typing import NDArray
from PIL import Image

from course.display.palette import EDGE, GRID, GROUND, INK, QUIET_INK, SERIES

STYLE = {
    "figure.dpi": 120,
    "savefig.dpi": 120,
    "figure.figsize": [6.4, 3.6],
    "figure.facecolor": GROUND,
    "savefig.facecolor": GROUND,
    "figure.constrained_layout.use": True,
    "font.family": ["DejaVu Sans"],  # the font that matplotlib brings: the same picture on every machine
    "font.size": 12,
    "text.color": INK,
    "axes.facecolor": "none",
    "axes.titlesize": 13,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.titlepad": 10,
    "axes.labelsize": 12,
    "axes.labelcolor": INK,
    "axes.edgecolor": EDGE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": QUIET_INK,
    "ytick.color": QUIET_INK,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 2.2,
    "lines.markersize": 6,
    "legend.frameon": False,
    "axes.prop_cycle": cycler(color=SERIES),
    # Letters as outlines: no machine need have the font, and formulas keep their signs in place.
    "svg.fonttype": "path",
    "svg.hashsalt": "attention",
}


# In JupyterLab's dark theme plots exchange light and dark and keep their hues; "screen" lets the theme's own ground
# through where a plot has none. Only in notebooks whose style was set so, and nowhere on paper.
IN_THE_DARK = """<style class="plots-in-the-dark">
@media screen {
  [data-jp-theme-light="false"] .jp-Notebook:has(.plots-in-the-dark) .jp-OutputArea-output:is(.jp-RenderedSVG, .jp-RenderedImage) img {
    filter: invert(1) hue-rotate(180deg);
    mix-blend-mode: screen;
  }
}
</style>"""


def style(follow_theme: bool = False) -> None:
    """Set the course's matplotlib style for all plots that follow: call it once in a chapter.

    In a notebook a plot is kept as SVG, whose colours the book's pages exchange in the dark, and as PNG,
    which print and notebooks that are not trusted show. follow_theme: exchange them in JupyterLab's dark theme too,
    as learners' copies do; the cell then shows a style sheet, which nobody sees.
    """
    mpl.rcParams.update(STYLE)
    if get_ipython() is not None:
        set_matplotlib_formats("svg", "png", metadata={"Date": None})
        if follow_theme:
            display(HTML(IN_THE_DARK))


def pixels(figure: Figure) -> NDArray[np.float64]:
    """Return a plot as pixels, (height, width), from 0 for white to 1 for black: a picture beside a `WeightMap`."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return 1 - np.asarray(canvas.buffer_rgba())[..., 0] / 255


def in_256_colours(png: bytes) -> bytes:
    """Return a picture, in PNG, at about a third of its size: notebooks are committed with their pictures."""
    small = io.BytesIO()
    with Image.open(io.BytesIO(png)) as opened:
        if opened.mode == "P":
            return png
        reduced = opened.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    reduced.save(small, format="png", optimize=True)
    return small.getvalue()
