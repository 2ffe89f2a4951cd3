"""The style of still plots."""

from __future__ import annotations

import matplotlib as mpl
from cycler import cycler

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
