"""The heat map for Matplotlib."""

import io

import numpy as np
import pytest
from matplotlib.figure import Figure

from course.display.heatmap import heatmap


@pytest.mark.parametrize("columns", [1, 8, 30])
def test_heatmap_draws_on_any_axes(columns):
    figure = Figure()
    weights = np.linspace(-1, 1, 2 * columns).reshape(2, columns)
    heatmap(figure.subplots(), weights, ["x", "y"], [str(i) for i in range(columns)], marks=weights > 0.5)
    figure.savefig(io.BytesIO(), format="png")


@pytest.mark.parametrize(("numbers", "texts"), [(True, ["0.25", "0.75"]), (False, [])])
def test_small_maps_may_leave_their_numbers_out(numbers, texts):
    ax = Figure().subplots()
    heatmap(ax, [[0.25, 0.75]], ["x"], ["y", "z"], numbers=numbers)
    assert [text.get_text() for text in ax.texts] == texts


def test_heatmap_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="2 rows and 1 columns need"):
        heatmap(Figure().subplots(), np.zeros((3, 3)), ["x", "y"], ["z"])
