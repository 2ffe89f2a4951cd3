"""The style of the figures."""

import matplotlib as mpl

from course.display.style import STYLE, style


def test_style_sets_every_parameter_that_it_names():
    with mpl.rc_context():
        style()
        assert {name: mpl.rcParams[name] for name in STYLE} == STYLE
