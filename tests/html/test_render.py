"""A verdict as a page."""

import numpy as np

from autograder.html.render import maps
from autograder.model.verdict import Difference


def test_scores_are_shaded_by_what_is_expected_and_weights_from_0_to_1():
    def shades(expected):
        got = np.array(expected)
        pictures = maps(Difference("scores", (0, 0), 0.0, 0.0, got, got))
        return [round(shade, 2) for _, shade, _ in pictures[1][1][0]]

    assert shades([[0.0, 0.5, 1.0]]) == [0, 0.25, 0.5]
    assert shades([[-6.0, 0.0, 2.0]]) == [0, 0.38, 0.5]
    assert shades([[-np.inf, 0.0, 1.0]]) == [0, 0, 0.5]
