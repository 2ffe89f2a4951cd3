"""The weight map: what a page carries, what it refuses, and what a browser shows."""

import base64
import io
import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import numpy as np
import pytest
from PIL import Image

from course.display.colours import DARK, LIGHT
from course.display.weight_map import WeightMap
from course.display.weights import Slider

LENGTHS, TEMPERATURES = (1, 2, 3, 4), (0.5, 1.0, 2.0)


def masked_weights() -> np.ndarray:
    """Softmax weights of shape (lengths, temperatures, 3 queries, 4 keys)."""
    scores = np.array([[0.3, -1.2, 2.1, 0.7], [1.5, 0.2, -0.4, 0.9], [-0.8, 1.1, 0.6, -1.7]])
    weights = np.zeros((len(LENGTHS), len(TEMPERATURES), 3, 4))
    for i, length in enumerate(LENGTHS):
        for j, temperature in enumerate(TEMPERATURES):
            powers = np.exp(scores[:, :length] / temperature)
            weights[i, j, :, :length] = powers / powers.sum(-1, keepdims=True)
    return weights


def moving_map(**changes: Any) -> WeightMap:
    """A small figure with two sliders, captions, marks and sums."""
    marks = np.zeros((4, 3, 3, 4), dtype=bool)
    for i, length in enumerate(LENGTHS):
        marks[i, :, :, length:] = True
    arguments: dict[str, Any] = {
        "title": "Masked softmax",
        "weights": masked_weights(),
        "rows": ["the", "cat", "sat"],
        "columns": ["a", "b", "c", "d"],
        "sliders": [Slider("valid length", LENGTHS, 2), Slider("temperature", TEMPERATURES, 1)],
        "captions": [f"length {n}, temperature {t:g}" for n in LENGTHS for t in TEMPERATURES],
        "marks": marks,
        "mark_label": "padding",
        "row_sums": True,
    }
    return WeightMap(**(arguments | changes))


def still_map(weights: Any, **arguments: Any) -> WeightMap:
    """A figure without sliders."""
    rows, columns = np.shape(weights)
    names = {"rows": [f"q{i}" for i in range(rows)], "columns": [f"k{i}" for i in range(columns)]}
    return WeightMap("Still", weights, **(names | arguments))


def data_in(html: str) -> dict[str, Any]:
    """What a page's figure carries for its script."""
    script = re.search(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)
    assert script is not None
    return json.loads(script[1])


# ---- What a figure carries ----


def test_every_frame_is_embedded_rounded_to_three_decimals():
    data = data_in(moving_map().html())
    embedded, weights = np.array(data["frames"]), masked_weights().reshape(12, 12)
    np.testing.assert_array_equal(np.round(embedded, 3), np.round(weights, 3))
    assert all(len(json.dumps(number)) <= 6 for number in embedded.ravel().tolist())
    assert data["values"] == [["1", "2", "3", "4"], ["0.5", "1", "2"]]
    assert data["starts"] == [2, 1]
    assert data["captions"][7] == "length 3, temperature 1"


def test_sums_are_those_of_the_weights_not_of_rounded_numbers():
    data = data_in(still_map(np.full((1, 7), 1 / 7), row_sums=True).html())
    assert data["sums"] == [[1]]
    assert sum(data["frames"][0]) != 1


def test_the_table_shows_the_first_frame_without_a_script():
    html = moving_map().html()
    cells = re.findall(r"<td style[^>]*>([^<]*)</td>", html)
    np.testing.assert_allclose(np.array(cells, dtype=float), masked_weights()[2, 1].ravel(), atol=0.005)
    assert "<output>3</output>" in html
    assert "<output>1</output>" in html
    assert '<p class="caption" aria-live="polite">length 3, temperature 1</p>' in html
    assert html.count('class="mark') == 3


@pytest.mark.parametrize("number", [0.125, 0.375, 2.5, -0.125, -0.875])
def test_halves_are_rounded_as_the_script_rounds_them(number):
    html = still_map([[number, 1.001]]).html()
    away = np.sign(number) * (np.floor(abs(number) * 100 + 0.5) / 100)
    assert f">{away:.2f}</td>" in html


@pytest.mark.slow
def test_rounding_twice_gives_what_rounding_once_gives():
    numbers = 10 + np.random.default_rng(0).normal(size=(1000, 10))
    html = still_map(numbers).html()
    cells = re.findall(r"<td style[^>]*>([^<]*)</td>", html)
    assert cells == [f"{number:.2f}" for number in numbers.ravel()]
    assert [f"{number:.3f}" for number in data_in(html)["frames"][0]] == [f"{n:.3f}" for n in numbers.ravel()]


def test_whole_numbers_are_shown_whole():
    html = still_map([[1, 0], [0, 12]]).html()
    assert re.findall(r"<td style[^>]*>([^<]*)</td>", html) == ["1", "0", "0", "12"]


def test_a_marked_region_has_a_border_only_at_its_edge():
    marks = np.array([[True, True, False], [True, True, False]])
    data = data_in(still_map(np.ones((2, 3)), marks=marks, mark_label="padding").html())
    n, e, s, w = 1, 2, 4, 8
    assert data["marks"] == [f"{n + w:x}{n + e:x}.{s + w:x}{s + e:x}."]


def test_small_figures_stay_small():
    html = moving_map().html()
    assert len(html) < 16_000
    assert len(moving_map().png()) < 40_000


def test_output_is_deterministic():
    first, second = moving_map()._repr_mimebundle_(), moving_map()._repr_mimebundle_()
    assert first == second
    assert set(first) == {"text/html", "image/png", "text/plain"}


def test_the_page_asks_nothing_of_the_network():
    assert not re.search(r"https?:|\bsrc=|\bhref=|url\(|@import|fetch\(", moving_map().html())


def test_labels_are_escaped():
    evil = "</script><script>alert('x')</script>\"&"
    figure = WeightMap(
        evil,
        [[[1.0]], [[2.0]]],
        rows=[evil],
        columns=[evil],
        sliders=[Slider(evil, [evil, "b"])],
        captions=[evil, evil],
        marks=[[True]],
        mark_label=evil,
        row_label=evil,
        column_label=evil,
    )
    html = figure.html()
    assert "<script>alert" not in html
    assert html.count("</script>") == 2
    assert data_in(html)["values"][0][0] == evil
    assert evil in unescape(re.findall(r'<th scope="row">(.*?)</th>', html)[0])


def test_the_text_alternative_holds_the_numbers():
    text = moving_map().text()
    lines = text.splitlines()
    assert lines[:3] == ["Masked softmax", "valid length: 3, temperature: 1", "rows: query; columns: key"]
    assert lines[3].split() == ["a", "b", "c", "d", "sum"]
    for line, row in zip(lines[4:7], masked_weights()[2, 1], strict=True):
        assert [float(number) for number in line.split()[1:]] == [*np.round(row, 3), 1.0]
    assert lines[7] == "length 3, temperature 1"


# ---- What a figure refuses ----


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"weights": np.zeros((3, 4))},
            r"weights have the shape \(3, 4\), but 2 sliders.* need \(4, 3, 3, 4\)",
        ),
        ({"rows": ["one"]}, r"1 rows and 4 columns need \(4, 3, 1, 4\)"),
        ({"rows": [], "weights": np.zeros((4, 3, 0, 4))}, "at least one row and one column"),
        (
            {"weights": np.full((4, 3, 3, 4), np.nan)},
            r"weights\[0, 0, 0, 0\] is nan; every number must be finite",
        ),
        ({"weights": np.full((4, 3, 3, 4), np.inf)}, "is inf; every number must be finite"),
        ({"captions": ["only one"]}, "12 frames and 1 captions: give one caption for each frame, or none"),
        ({"marks": np.zeros((2, 2), bool)}, r"marks have the shape \(2, 2\).* bool of the shape \(3, 4\) or"),
        ({"marks": np.zeros((3, 4))}, "the type float64, but must be bool"),
        ({"limits": (1, 1)}, r"limits are \(1, 1\), but must grow"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_sentence(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        moving_map(**changes)


def test_marks_need_a_label():
    with pytest.raises(ValueError, match="'Still' has marks: say by mark_label"):
        still_map([[1.0]], marks=[[True]])


def test_a_slider_must_start_at_one_of_its_values():
    with pytest.raises(ValueError, match="'step' starts at index 3, but has 2 values"):
        Slider("step", [1, 2], 3)


def test_a_choice_of_one_is_not_shown():
    sliders = [Slider("framework", ["PyTorch"]), Slider("step", [0, 1])]
    moving = WeightMap(
        "Training", [[[[0.2]], [[0.8]]]], ["a"], ["b"], sliders=sliders, marks=[[True]], mark_label="m"
    )
    assert "framework" not in moving.text()
    data = data_in(moving.html())
    assert data["values"] == [["0", "1"]] and data["frames"] == [[0.2], [0.8]]


@pytest.mark.parametrize("pictures", [np.zeros((3, 2, 2)), np.zeros((4, 2)), np.full((4, 2, 2), 1.5)])
def test_pictures_must_be_one_for_each_value_of_the_first_slider(pictures):
    with pytest.raises(ValueError, match="must be 4 matrices of numbers from 0 to 1"):
        moving_map(pictures=pictures)


def test_too_many_frames_are_refused():
    weights = np.random.default_rng(0).random((100, 20, 20))
    names = [str(i) for i in range(20)]
    with pytest.raises(ValueError, match=r"would carry \d+ KB of data.* give fewer slider values"):
        WeightMap("Large", weights, names, names, sliders=[Slider("step", range(100))])


def test_the_picture_for_print_is_a_png_in_the_colours_of_the_scale():
    with Image.open(io.BytesIO(still_map([[0.0, 1.0], [1.0, 0.5]]).png())) as image:
        assert image.format == "PNG"
        colours = {colour for _, colour in image.convert("RGB").getcolors(1 << 20)}
    for position in (0.0, 0.5, 1.0):
        expected = np.round(LIGHT.rgb(np.array([position]))[0] * 255)
        assert min(np.abs(expected - colour).max() for colour in colours) <= 1


# ---- In a browser ----


@pytest.fixture
def show(browser: Any) -> Iterator[Any]:
    """A function that opens figures on a page whose own table style is loud, and fails on any error."""
    pages, errors = [], []

    def open_page(
        *figures: WeightMap,
        theme: str = "light",
        width: int = 1000,
        script: bool = True,
        before: str = "",
        **device: bool,
    ) -> Any:
        page = browser.new_page(
            viewport={"width": width, "height": 900},
            reduced_motion="reduce",
            java_script_enabled=script,
            **device,
        )
        pages.append(page)
        page.on("pageerror", lambda error: errors.append(error))
        loud = (
            "<style>body .x table td, body .x tr:nth-child(odd) { background: lime; display: block }</style>"
        )
        body = "".join(figure.html() for figure in figures)
        page.set_content(
            f'<!doctype html><html data-theme="{theme}">{loud}<body>{before}<div class="x">{body}</div>'
        )
        return page

    yield open_page
    for page in pages:
        page.close()
    assert not errors


def numbers_on(page: Any) -> np.ndarray:
    return np.array(page.locator("td:not(.sum)").all_inner_texts(), dtype=float).reshape(3, 4)


def test_sliders_choose_the_frame(show):
    page, weights = show(moving_map()), masked_weights()
    length, temperature = page.locator("input").all()
    for i, j in np.ndindex(4, 3):
        length.fill(str(i))
        temperature.fill(str(j))
        np.testing.assert_allclose(numbers_on(page), weights[i, j], atol=0.005)
        assert page.locator(".mark").count() == 3 * (4 - LENGTHS[i])
        assert (
            page.locator(".caption").inner_text() == f"length {LENGTHS[i]}, temperature {TEMPERATURES[j]:g}"
        )
    assert page.locator("output").all_inner_texts() == ["4", "2"]
    assert temperature.get_attribute("aria-valuetext") == "2"
    assert page.get_by_label("valid length").count() == 1


def test_eight_columns_and_a_name_fit_on_a_phone(show):
    figure = still_map(np.eye(8), rows=["sparsemax"] * 8, columns=[str(i) for i in range(8)])
    scroll = show(figure, width=362).locator(".scroll")  # 420 pixels without the margins of a page
    assert scroll.evaluate("e => e.scrollWidth <= e.clientWidth")


PAGE = """<fieldset class="framework-switch">
<label><input type="radio" name="s" value="mxnet"><span>MXNet</span></label>
<label><input type="radio" name="s" value="torch"><span>PyTorch</span></label></fieldset>
<div class="frameworks"><input type="radio" name="t" id="a"><label for="a">MXNet</label>
<input type="radio" name="t" id="b" checked><label for="b">PyTorch</label></div>"""


def training_map() -> WeightMap:
    """Weights of two frameworks at three steps: the framework's index and the step in the first cell."""
    weights = np.array([[[[10.0 * i + step, 0.5]] for step in range(3)] for i in range(2)])
    sliders = Slider("framework", ["MXNet", "PyTorch"]), Slider("step", [0, 5, 10], play=True)
    pictures = np.stack([np.zeros((2, 2)), np.ones((2, 2))])
    names = {"rows": ["q"], "columns": ["a", "b"]}
    return WeightMap("Training", weights, sliders=sliders, pictures=pictures, row_sums=True, **names)


def first_cell(page: Any) -> float:
    return float(page.locator("td").first.inner_text())


def test_names_are_chosen_by_buttons_and_numbers_by_a_slider(show):
    page = show(training_map(), training_map())
    assert page.get_by_role("slider").count() == page.get_by_role("radio").count() / 2 == 2
    first = page.locator("attention-map").first
    group = first.get_by_role("group", name="framework")
    assert group.locator("input:checked").evaluate("input => input.labels[0].textContent") == "MXNet"
    group.get_by_label("PyTorch").check(force=True)
    assert first_cell(page) == 10
    assert first.get_by_role("img").get_attribute("alt") == "framework: PyTorch"
    assert page.locator("attention-map").last.locator("input:checked").get_attribute("value") == "0"
    group.get_by_label("PyTorch").press("ArrowLeft")
    assert first_cell(page) == 0


def test_play_goes_through_the_training_stops_at_its_end_and_begins_anew(show):
    page = show(training_map())
    page.get_by_role("button", name="Play").click()
    assert page.get_by_role("button", name="Stop").count() == 1
    page.wait_for_function("() => document.querySelector('td').textContent === '2.00'")
    assert page.get_by_role("button", name="Play").count() == 1
    assert page.locator("output").inner_text() == "10"
    page.get_by_role("button", name="Play").click()
    assert first_cell(page) == 0
    page.get_by_role("slider").fill("1")
    assert page.get_by_role("button", name="Play").count() == 1
    assert first_cell(page) == 1


def test_a_choice_of_frameworks_follows_the_pages(show):
    page = show(training_map(), before=PAGE)
    page.wait_for_function("() => document.querySelector('td').textContent === '10.00'")
    page.locator(".framework-switch input").first.check()
    assert first_cell(page) == 0
    page.locator(".frameworks input").first.check()
    page.locator(".frameworks input").last.check()
    assert first_cell(page) == 10
    page.get_by_role("group", name="framework").get_by_label("MXNet").check(force=True)
    assert first_cell(page) == 0


def test_a_picture_stands_beside_the_weights_without_a_script_too(show):
    page = show(training_map(), script=False)
    assert page.get_by_role("img", name="framework: MXNet").bounding_box()["width"] > 100
    html = training_map().html()
    pngs = [base64.b64decode(code) for code in re.findall(r'base64,([^"]+)"', html)]
    levels = [np.unique(Image.open(io.BytesIO(png))).tolist() for png in pngs]
    assert levels == [[255], [255], [0]]  # the first one stands in the page and in the data
    assert html.count("<div") == html.count("</div>")


def test_on_a_phone_the_sums_stay_in_sight_and_controls_are_large_enough(show):
    names = [f"word {i}" for i in range(12)]
    weights = np.full((3, 2, 12), 1 / 12)
    sliders = [Slider("step", [0, 1, 2], play=True)]
    wide = WeightMap("Wide", weights, ["a", "b"], names, sliders=sliders, row_sums=True)
    page = show(wide, training_map(), width=420)
    for total in page.locator("attention-map").first.locator(".sum").all():
        box = total.bounding_box()
        assert box["x"] + box["width"] <= 420
    for control in page.locator("input[type=range], button, fieldset span").all():
        assert control.bounding_box()["height"] >= 24
    assert page.locator("input[type=range]").first.bounding_box()["width"] > 150


def test_a_finger_is_told_to_tap_and_reads_a_cell_so(show):
    page = show(moving_map(), width=420, has_touch=True, is_mobile=True)
    readout = page.locator(".readout")
    assert readout.inner_text() == "Tap a cell to read it."
    page.locator("td:not(.sum)").nth(5).tap()
    assert readout.inner_text() == f"query ‘cat’ → key ‘b’: {masked_weights()[2, 1, 1, 1]:.3f}"
    assert show(moving_map()).locator(".readout").inner_text().startswith("Point at a cell")


def test_paper_shows_the_name_that_was_chosen(show):
    page = show(training_map())
    page.emulate_media(media="print")
    assert [span.is_visible() for span in page.locator("fieldset span").all()] == [True, False]
    assert not page.get_by_role("button", name="Play").is_visible()


def test_a_caption_that_changes_is_announced(show):
    page = show(moving_map())
    assert page.locator(".caption").get_attribute("aria-live") == "polite"


def test_sliders_move_by_keyboard_and_the_readout_follows(show):
    page, weights = show(moving_map()), masked_weights()
    page.locator("td:not(.sum)").nth(5).hover()
    page.locator("input").first.press("ArrowLeft")
    readout = page.locator(".readout")
    assert readout.inner_text() == f"query ‘cat’ → key ‘b’: {weights[1, 1, 1, 1]:.3f}"
    page.locator("input").first.press("ArrowLeft")
    assert readout.inner_text() == "query ‘cat’ → key ‘b’: 0.000 (padding)"
    assert readout.get_attribute("aria-live") == "polite"


def test_keys_move_over_the_cells(show):
    page, weights = show(moving_map()), masked_weights()[2, 1]
    cells = page.locator("td:not(.sum)")
    cells.first.focus()
    steps = [
        ("ArrowRight", 0, 1),
        ("ArrowDown", 1, 1),
        ("End", 1, 3),
        ("ArrowRight", 1, 3),
        ("Home", 1, 0),
        ("ArrowLeft", 1, 0),
        ("ArrowUp", 0, 0),
        ("ArrowUp", 0, 0),
        ("Control+End", 2, 3),
        ("ArrowDown", 2, 3),
        ("Control+Home", 0, 0),
    ]
    for key, row, column in steps:
        page.keyboard.press(key)
        where = f"query ‘{['the', 'cat', 'sat'][row]}’ → key ‘{'abcd'[column]}’: {weights[row, column]:.3f}"
        assert page.locator(".readout").inner_text().startswith(where)
        assert (
            cells.evaluate_all("cells => cells.findIndex((cell) => cell.tabIndex === 0)") == 4 * row + column
        )
        assert page.locator('td[tabindex="0"]').count() == 1


def test_the_style_of_the_page_does_not_reach_the_table(show):
    page = show(moving_map())
    look = "parts => parts.map((part) => [getComputedStyle(part).display, getComputedStyle(part).backgroundColor])"
    assert {display for display, _ in page.locator("td").evaluate_all(look)} == {"table-cell"}
    assert page.locator("tbody tr").first.evaluate_all(look) == [["table-row", "rgba(0, 0, 0, 0)"]]


def test_many_figures_share_a_page(show):
    page = show(moving_map(), still_map([[0.25, 0.75]]), moving_map())
    assert page.locator(".readout").count() == 3
    assert page.locator("input").count() == 4
    page.locator("td:not(.sum)").nth(13).hover()
    assert page.locator(".readout").nth(1).inner_text() == "query ‘q0’ → key ‘k1’: 0.750"


def test_it_reads_without_scripts(show):
    page = show(moving_map(), script=False)
    assert page.locator("output").all_inner_texts() == ["3", "1"]
    np.testing.assert_allclose(numbers_on(page), masked_weights()[2, 1], atol=0.005)
    assert page.locator("input").count() == 0


PIXELS = """cells => cells.map((cell) => {
    const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const { backgroundColor, color } = getComputedStyle(cell);
    return [backgroundColor, color].map((style) => {
        context.fillStyle = style;
        context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    });
})"""


def contrast_of(background: Any, ink: Any) -> float:
    """WCAG's contrast of two sRGB colours of bytes."""
    levels = []
    for colour in (background, ink):
        rgb = np.array(colour) / 255
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        levels.append(float(linear @ [0.2126, 0.7152, 0.0722]))
    return (max(levels) + 0.05) / (min(levels) + 0.05)


@pytest.mark.parametrize(("theme", "scale"), [("light", LIGHT), ("dark", DARK)])
def test_cells_have_the_scale_of_the_theme_and_legible_numbers(show, theme, scale):
    positions = np.linspace(-1, 1, 201).round(3)
    rows = positions.reshape(-1, 3)
    page = show(still_map(rows, limits=(-1, 1)), theme=theme)
    pixels = page.locator("td").evaluate_all(PIXELS)
    expected = scale.rgb(positions) * 255
    np.testing.assert_allclose([background for background, _ in pixels], expected, atol=1.5)
    assert min(contrast_of(background, ink) for background, ink in pixels) >= 4.5


def test_words_are_legible_in_dark_mode(show):
    page = show(moving_map(), theme="dark")
    paper = page.locator("attention-map").evaluate_all(PIXELS)[0][0]
    words = page.locator("figcaption, label, output, th, .sum, .caption, .readout, .legend, .scale")
    for _, ink in words.evaluate_all(PIXELS):
        assert contrast_of(paper, ink) >= 4.5


def test_a_wide_figure_scrolls_inside_itself_on_a_phone(show):
    names = [f"a rather long word {i}" for i in range(24)]
    page = show(WeightMap("Wide", np.eye(24), names, names), moving_map(), theme="dark", width=420)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator(".scroll").first.evaluate("scroll => scroll.scrollWidth > scroll.clientWidth")


def test_print_shows_the_frame_without_the_sliders(show):
    page = show(moving_map(), theme="dark")
    page.locator("input").first.fill("0")
    page.emulate_media(media="print")
    assert not page.locator("input").first.is_visible()
    assert not page.locator(".readout").is_visible()
    assert page.locator("output").first.inner_text() == "1"
    assert page.locator("attention-map").evaluate_all(PIXELS)[0][0] == [255, 255, 255]
