"""What chapters draw with: heat maps with sliders, heat maps of matplotlib, and the style of plots."""

from course.display.heatmap import heatmap
from course.display.palette import FRAMEWORKS, WEIGHT
from course.display.style import pixels, style
from course.display.weight_map import WeightMap
from course.display.weights import Slider

__all__ = ["FRAMEWORKS", "WEIGHT", "Slider", "WeightMap", "heatmap", "pixels", "style"]
