"""Plots follow the page's theme: in the dark no white panel is left, and every line can be told from its ground."""

from __future__ import annotations

import io
import re
from xml.etree.ElementTree import Comment, fromstring

import matplotlib as mpl
import nbformat
import numpy as np
import pytest
from matplotlib.figure import Figure
from playwright.sync_api import Page
from plots import VARIABLES, XLINK, inline, letters, themed  # _ext is in pytest's path

from autograder.frameworks import frameworks
from course.display.colours import INKS_MEET, LIGHT
from course.display.heatmap import heatmap
from course.display.palette import FRAMEWORKS, SERIES, WEIGHT
from course.display.style import STYLE
from tests.book.sample_book import ROOT
from tools.drawings.kit import LIGHT as LIGHT_ROLES

STYLES = (ROOT / "_static" / "plots.css").read_text(encoding="utf-8")
LEAST_CONTRAST = 3  # WCAG 1.4.11, for what is needed to understand a graphic


def figure_svg(title: str = "a title", *, image: bool = False) -> str:
    """A figure as the chapters draw them, with a line and a bar of every colour, as matplotlib's SVG."""
    file = io.StringIO()
    with mpl.rc_context(STYLE):
        figure = Figure()
        axes = figure.subplots()
        if image:
            heatmap(axes, [[0.0, 1.0]], ["row"], ["a", "b"])
        else:
            axes.plot([1], [1], "o", color="black")
            for place in range(len(SERIES)):
                axes.plot([0, 1], [place, place + 1], gid=f"line-{place}")
                axes.bar(place, 1, hatch="//", edgecolor="white")
            axes.set_title(title)
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def luminance(colour: str) -> float:
    red, green, blue = (int(part) / 255 for part in re.findall(r"\d+", colour)[:3])
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue)]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(first: str, second: str) -> float:
    darker, lighter = sorted([luminance(first), luminance(second)])
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_of_a_plot_has_contrast_in_both_themes(page: Page, sample: str, theme: str):
    page.goto(f"{sample}/masked_softmax.html")
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    page.add_style_tag(content=STYLES)
    page.evaluate(
        "(svg) => document.querySelector('article').insertAdjacentHTML('afterbegin', svg)",
        inline(figure_svg(), "x", "p"),
    )
    ground = page.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor")
    strokes = page.locator("svg.plot [id*=line-] > path").evaluate_all(
        "(lines) => lines.map((line) => getComputedStyle(line).stroke)"
    )
    assert len(strokes) == len(SERIES)
    ink = page.locator("svg.plot text").first.evaluate("(text) => getComputedStyle(text).fill")
    assert all(contrast(colour, ground) >= LEAST_CONTRAST for colour in strokes)
    assert contrast(ink, ground) >= 7


def test_the_lines_of_a_plot_have_the_colours_of_the_drawings_and_none_a_frameworks():
    assert set(SERIES[:4]) == {
        re.search(rf"--{role}:(#\w+)", LIGHT_ROLES)[1] for role in ("query", "key", "value", "context")
    }
    assert not set(FRAMEWORKS.values()) & {*SERIES, WEIGHT} and f"--weight:{WEIGHT}" in LIGHT_ROLES
    assert {(f.title, f.colours[0]) for f in frameworks().values()} >= set(FRAMEWORKS.items())
    counts = {name: STYLES.count(f"--plot-{name}:") for name in VARIABLES.values()}
    assert set(counts.values()) == {2}, "each has a colour on a light page and one on a dark page"


def test_no_ground_of_its_own_hides_the_page(page: Page):
    page.set_content(f"<style>{STYLES}</style>{inline(figure_svg(), 'what it shows', 'p')}")
    whole = page.locator("svg.plot").bounding_box()
    covering = page.locator("svg.plot > g > g > path").evaluate_all(
        "(paths) => paths.filter((path) => getComputedStyle(path).fill !== 'none').map((p) => p.getBoundingClientRect().width)"
    )
    assert whole is not None and all(width < whole["width"] / 2 for width in covering)
    assert page.get_by_role("img", name="what it shows").count() == 1


def test_the_letters_of_a_plot_are_text_where_their_outlines_were():
    svg = inline(figure_svg(), "x", "p")
    words = re.findall(r"<text [^>]*>(.*?)</text>", svg)
    assert words[-1] == "a title" and words[0] == "0" and "DejaVu" not in svg
    assert re.findall(r'text-anchor="(\w+)"', svg)[-2:] == ["end", "start"]  # the last label, the title


def test_each_line_of_a_title_is_text():
    words = re.findall(r"<text [^>]*>(.*?)</text>", inline(figure_svg("two\nlines"), "x", "p"))
    assert words[-2:] == ["two", "lines"]


def test_a_power_of_ten_is_raised():
    comment = Comment(" $\\mathdefault{10^{−3}}$ ")
    outlines = fromstring(
        '<g transform="translate(1 2) scale(0.1 -0.1)"><use transform="translate(60 0)"/></g>'
    )
    for use in outlines:
        use.attrib[XLINK] = "#DejaVuSans-14"
        use.tag = "{svg}use"
    raised = letters(comment, outlines, "xtick_1")
    assert "".join(raised.itertext()) == "10−3" and raised[0].tag == "tspan"


def test_two_plots_of_a_page_do_not_share_ids_or_styles():
    first, second = (inline(figure_svg(), "x", prefix) for prefix in ("p", "q"))
    ids = [set(re.findall(r' id="([^"]+)"', svg)) for svg in (first, second)]
    assert ids[0] and not ids[0] & ids[1]
    for svg, names in zip((first, second), ids, strict=True):
        used = set(re.findall(r'(?:href="|url\()#([^")]+)', svg))
        assert used and used <= names
        assert "<style" not in svg and "metadata" not in svg and "xmlns" not in svg and "ns0:" not in svg


def test_no_colour_of_the_style_is_left_as_it_was():
    assert not {colour for colour in SERIES if colour in inline(figure_svg(), "x", "p")}


def test_numbers_on_a_heat_map_have_the_inks_of_their_cells():
    svg = inline(figure_svg(image=True), "x", "p")
    assert "var(--plot-on-light)" in svg and "var(--plot-on-dark)" in svg


# What the page shows in the place of a bitmap's colours; `drawImage` keeps to the filter as an element does.
SHOWN_COLOURS = """(image, colours) => {
  const made = () => Object.assign(document.createElement("canvas"), { width: colours.length, height: 1 });
  const [plain, shown] = [made().getContext("2d"), made().getContext("2d")];
  colours.forEach((colour, i) => { plain.fillStyle = `rgb(${colour})`; plain.fillRect(i, 0, 1, 1); });
  shown.filter = getComputedStyle(image).filter;
  shown.drawImage(plain.canvas, 0, 0);
  return colours.map((_, i) => "rgb(" + shown.getImageData(i, 0, 1, 1).data.slice(0, 3).join() + ")");
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_heat_map_has_the_pages_ground_and_legible_numbers_in_both_themes(
    page: Page, sample: str, theme: str
):
    page.goto(f"{sample}/masked_softmax.html")
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    page.evaluate(
        "(svg) => document.querySelector('article').insertAdjacentHTML('afterbegin', svg)",
        inline(figure_svg(image=True), "x", "p"),
    )
    positions = np.linspace(-1, 1, 201)
    colours = [",".join(str(round(255 * part)) for part in colour) for colour in LIGHT.rgb(positions)]
    visible_colours = page.locator("svg.plot image").first.evaluate(SHOWN_COLOURS, colours)
    ground = page.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor")
    assert contrast(visible_colours[100], ground) < 1.2  # a weight of zero
    inks = page.evaluate(
        """() => ['light', 'dark'].map((on) => {
            document.body.style.color = `var(--plot-on-${on})`;
            return getComputedStyle(document.body).color;
        })"""
    )
    for colour, luminance_in_light in zip(visible_colours, LIGHT.luminance(positions), strict=True):
        assert contrast(colour, inks[int(luminance_in_light <= INKS_MEET)]) > 4.3


def test_colours_that_are_not_of_the_style_stay():
    assert themed("fill: #123456; stroke: #7a3db8") == "fill: #123456; stroke: var(--plot-0)"


def test_every_stored_plot_is_kept_in_both_forms():
    count = 0
    for path in sorted((ROOT / "chapters").glob("*.ipynb")):
        for place, cell in enumerate(nbformat.read(path, as_version=4).cells):
            for data in (output.get("data", {}) for output in cell.get("outputs", [])):
                if "image/png" in data and "text/html" not in data:
                    assert "image/svg+xml" in data, f"{path.name}, cell {place}: run the chapter again"
                    count += 1
    assert count > 20
