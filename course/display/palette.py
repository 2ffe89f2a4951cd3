"""The colours of still plots; `_static/plots.css` has their counterparts for the dark."""

INK, QUIET_INK, EDGE, GRID, GROUND = "#1f2630", "#56616e", "#7b8794", "#e3e8ee", "#ffffff"
# MXNet's blue and PyTorch's orange as in the book, then three that stay apart for every kind of sight.
SERIES = ("#1f6fb2", "#d9480f", "#12876f", "#a61e4d", "#7b8794")
