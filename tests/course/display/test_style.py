"""The style of the figures."""

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course.display import style as module
from course.display.style import STYLE, pixels, style


def test_style_sets_every_parameter_that_it_names():
    with mpl.rc_context():
        style()
        assert {name: mpl.rcParams[name] for name in STYLE} == STYLE


def test_a_style_sheet_for_the_dark_is_shown_where_it_is_asked_for(monkeypatch):
    displays = []
    monkeypatch.setattr(module, "get_ipython", object)
    monkeypatch.setattr(module, "set_matplotlib_formats", lambda *formats, **options: None)
    monkeypatch.setattr(module, "display", displays.append)
    with mpl.rc_context():
        style()
        assert displays == [], "a chapter of the book stores nothing of the kind"
        style(follow_theme=True)
    (sheet,) = displays
    # It holds in a notebook that has it, in the dark alone, and for what cells draw.
    assert (
        '[data-jp-theme-light="false"] .jp-Notebook:has(.plots-in-the-dark) .jp-OutputArea-output'
        in sheet.data
    )
    assert 'class="plots-in-the-dark"' in sheet.data and "@media screen" in sheet.data


def test_a_plot_becomes_pixels_in_which_ink_is_one():
    figure = Figure(figsize=(1, 2), dpi=10, facecolor="white")
    figure.add_artist(Rectangle((0, 0), 1, 0.5, color="black"))
    image = pixels(figure)
    assert image.shape == (20, 10)
    assert (image[1:9] == 0).all() and (image[11:19] == 1).all()
