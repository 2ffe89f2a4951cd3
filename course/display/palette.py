"""The colours of still plots; `_static/plots.css` has their counterparts for the dark."""

INK, QUIET_INK, EDGE, GRID, GROUND = "#1f2630", "#56616e", "#7b8794", "#e3e8ee", "#ffffff"
# Those of the drawings, in an order in which neighbours stay apart for every kind of sight: query, value, key, context.
SERIES = ("#7a3db8", "#8a5a00", "#00707a", "#b0246f", EDGE)
WEIGHT = "#1a6200"
# Each framework's own, as `autograder.frameworks` has it; no other line has it.
FRAMEWORKS = {"MXNet": "#1f6fb2", "PyTorch": "#d9480f"}
