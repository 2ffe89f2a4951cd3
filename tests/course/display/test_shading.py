"""Shaded words: legible, said in words too, and safe in a page."""

import re
from pathlib import Path

import numpy as np
import pytest

from course.display import shading
from course.display.colours import DARK, LIGHT


def example(**more):
    rows = [
        shading.ShadedText(
            "praise <b>", ["a", "<script>", "good", "film"], [0.1, 0.0, 0.7, 0.2], [0, 0, 1, 0]
        ),
        shading.ShadedText("blame", ["dull"], [-2.0]),
    ]
    return shading.Shading("Words & weights", rows, **more)


def test_words_titles_and_labels_are_escaped():
    html = example().html()
    assert "<script>" not in html and "&lt;script&gt;" in html
    assert "praise &lt;b&gt;" in html and "Words &amp; weights" in html


def test_shading_is_said_in_words_too():
    html, text = example().html(), example().text()
    for output in (html, text):
        assert "strongest: good 0.70, film 0.20, a 0.10" in output
        assert "strongest: dull −2.00" in output
    assert "<u" in html and "underlined" in html and "evidence" in html


def test_the_strongest_word_of_each_row_is_fully_shaded_and_zero_is_not():
    html = example().html()
    assert '<u class="for" style="--s:100%" title="0.70">good</u>' in html
    assert '<span title="0.00">&lt;script&gt;</span>' in html
    assert '<span class="against" style="--s:100%" title="−2.00">dull</span>' in html
    assert '<u class="for" style="--s:35%"' in example(together=True).html()


def test_a_word_with_next_to_nothing_is_not_among_the_strongest():
    text = shading.Shading("t", [shading.ShadedText("all on one", ["a", "b"], [0.999, 0.001])]).text()
    assert text.endswith("strongest: a 1.00")
    nothing = shading.Shading("t", [shading.ShadedText("nowhere", ["a", "b"], [0, 0])]).text()
    assert nothing.endswith("strongest: a 0.00")


def test_weights_that_do_not_fit_are_refused():
    for row in (
        shading.ShadedText("a", ["x", "y"], [1.0]),
        shading.ShadedText("a", ["x"], [np.nan]),
        shading.ShadedText("a", ["x"], [1.0], [True, False]),
    ):
        with pytest.raises(ValueError, match="'t', 'a'"):
            shading.Shading("t", [row])
    with pytest.raises(ValueError, match="at least one row"):
        shading.Shading("t", [])
    with pytest.raises(ValueError, match="more than 2000 words"):
        shading.Shading("t", [shading.ShadedText("a", ["x"] * 2001, np.zeros(2001))])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_shade_keeps_a_contrast_of_at_least_4_5(scheme):
    """Ink on paper mixed with 45 percent of a colour, as shading.css mixes it."""
    css = Path(shading.__file__).with_name("shading.css").read_text()
    inks = re.search(r"--ink: light-dark\((#\w+), (#\w+)\)", css)
    share = float(re.search(r"var\(--s\) \* ([\d.]+)", css).group(1))
    scale = {"light": LIGHT, "dark": DARK}[scheme]
    ink = inks.group(1 if scheme == "light" else 2)
    for paper in {"light": ["#ffffff"], "dark": ["#14181e", "#111111", "#121212"]}[scheme]:
        for colour in (scale.high, scale.low):
            for strength in np.linspace(0, 1, 11):
                mixed = [
                    strength * share * c + (1 - strength * share) * p
                    for c, p in zip(rgb(colour), rgb(paper), strict=True)
                ]
                assert contrast(rgb(ink), mixed) >= 4.5


def rgb(colour):
    return [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]


def contrast(one, other):
    def luminance(colour):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
