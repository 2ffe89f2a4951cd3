"""The figures that compute in the page: their numbers beside NumPy's, and what a reader can do with them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from live_figures import names, script, still
from playwright.sync_api import Browser, Page
from scipy.spatial import ConvexHull

from autograder.book.contents import FIGURES, chapters, notebook_of, source
from autograder.book.markdown import Links, plain_markdown
from autograder.copies.start import start
from autograder.model.errors import ToolError
from autograder.model.paths import ROOT
from solutions.efficient.in_numpy import online_softmax_step
from solutions.global_local import in_numpy as local
from solutions.looking_inside import in_numpy as inside
from solutions.masked_softmax.in_numpy import masked_softmax_or_zero, softmax
from solutions.score_functions import in_numpy as scores
from solutions.self_attention import in_numpy as positions
from solutions.sparse.in_numpy import sparse_pattern
from tests.book import axe
from tests.faces import book_faces, load_faces
from tests.support import PATIENCE
from tools.drawings import efficient as drawn_tiles
from tools.drawings import self_attention as drawn
from tools.first_page import QUERY, sentence_part

pytestmark = pytest.mark.xdist_group("live_figures")
CAPTION = "Move it, and *look*."
WIDE, NARROW = 1400, 420
# One has an element of its own, and what it computes with comes over http: tests/book/test_model_figure.py.
OF_THE_KIT = [name for name in names() if name != "model"]


@pytest.fixture(scope="module")
def blank(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()


def computed(page: Page, name: str, expression: str, *arguments: object) -> Any:
    """The value of an expression with the names of a figure's script, and `arguments` as `given`."""
    page.set_content("<!doctype html>")
    inputs = json.dumps(arguments)
    code = f"{script(name)}\nconst given = {inputs};\nwindow.found = JSON.stringify({expression});"
    page.add_script_tag(type="module", content=code)
    page.wait_for_function("() => window.found")
    return json.loads(page.evaluate("() => window.found"))


# --- What they compute -----------------------------------------------------------------------------


def test_five_scores_give_the_weights_that_numpy_gives(blank: Page):
    queries = np.array([[2.0, 0.0], [0.0, 0.0], [-3.1, 1.7], [4.0, 4.0]])
    result = computed(blank, "keys", "[KEYS.map((key) => key[1]), given[0].map(weightsOf)]", queries.tolist())
    keys = np.array(result[0])
    q, k = queries[None], keys[None]
    gaps = q[:, :, None] - k[:, None]
    expected = {
        "dot": scores.dot_score(q, k),
        "scaled dot": scores.scaled_dot_score(q, k),
        "cosine": scores.cosine_score(q, k),
        "additive": scores.additive_score(q, k, np.eye(2), np.eye(2), np.ones((1, 2))),
        "distance": -(gaps**2).sum(-1) / 2,
    }
    assert set(result[1][0]) == set(expected)
    for name, values in expected.items():
        np.testing.assert_allclose([row[name] for row in result[1]], softmax(values)[0], atol=1e-12)


def test_the_window_its_gaussian_and_their_product_are_those_of_numpy(blank: Page):
    settings = [(0, 1), (3.6, 2), (2.9, 2), (3, 2), (7.5, 4), (8, 1)]
    values, results = computed(
        blank, "window", "[SCORES, given[0].map(([p, D]) => localWeights(SCORES, p, D))]", settings
    )
    for (centre, D), weights in zip(settings, results, strict=True):
        row = np.array(values, dtype=float).reshape(1, 1, -1)
        expected = local.window_weights(row, np.array([[centre]]), np.array([8]), D)[0, 0]
        bell = local.gaussian_factor(np.arange(8) - centre, D)
        np.testing.assert_allclose(weights["softened"], expected, atol=1e-12)
        np.testing.assert_allclose(weights["gaussian"], bell, atol=1e-12)
        np.testing.assert_allclose(weights["product"], expected * bell, atol=1e-12)


def test_the_hands_of_the_clocks_are_the_positional_encoding(blank: Page):
    pairs = [(0, 0), (2, 5), (100, 124)]
    results = computed(
        blank, "clocks", "given[0].map(([a, b]) => [encodingOf(a), encodingOf(b), productsOf(a, b)])", pairs
    )
    table = positions.positional_encoding(125, 16)
    for (a, b), (one, other, products) in zip(pairs, results, strict=True):
        np.testing.assert_allclose([one, other], table[[a, b]], atol=1e-12)
        np.testing.assert_allclose(np.sum(products), table[a] @ table[b], atol=1e-12)


@pytest.mark.parametrize("octave", [-4, 0, 2.25, 5])
def test_one_querys_scores_weights_and_context_are_those_of_the_chapter(blank: Page, octave: float):
    Q, K, V = (np.array(drawn.X) @ np.array(W) for W in (drawn.W_Q, drawn.W_K, drawn.W_V))
    words, result = computed(
        blank,
        "geometry",
        "[WORDS, attend({ ...figure.start, query: flattened([QUERY])[0], octave: given[0] })]",
        octave,
    )
    assert tuple(words) == drawn.WORDS
    scores = Q[drawn.ASKING] @ K.T / 2 / 2**octave
    np.testing.assert_allclose(result["products"], Q[drawn.ASKING] @ K.T, atol=1e-12)
    np.testing.assert_allclose(result["scores"], scores, atol=1e-12)
    np.testing.assert_allclose(result["weights"], softmax(scores), atol=1e-12)
    np.testing.assert_allclose(result["context"], softmax(scores) @ V, atol=1e-12)


def test_the_query_begins_beside_each_key_in_the_plane_that_is_shown(blank: Page):
    query, keys, products = computed(
        blank, "geometry", "[figure.start.query, figure.start.keys, attend(figure.start).products]"
    )
    np.testing.assert_allclose(products, np.array(drawn.X) @ np.array(drawn.W_K) @ QUERY, atol=1e-12)
    assert min(np.hypot(*(np.array(keys) - query).T)) > 0.7  # a third of its length


def test_the_shaded_region_is_the_convex_hull_of_the_values_and_holds_the_context(blank: Page):
    rng = np.random.default_rng(0)
    states = [{"query": q.tolist(), "keys": k.tolist(), "values": v.tolist(), "octave": 0}
              for q, k, v in zip(*(rng.normal(size=(30, *size)) for size in ((2,), (4, 2), (4, 2))), strict=True)]  # fmt: skip
    results = computed(blank, "geometry", "given[0].map((s) => [hull(s.values), attend(s).context])", states)
    for state, (corners, context) in zip(states, results, strict=True):
        points = np.array(state["values"])
        assert {tuple(corner) for corner in corners} == {
            tuple(p) for p in points[ConvexHull(points).vertices]
        }
        assert (ConvexHull(points).equations @ [*context, 1] < 1e-12).all()


# The weights of PRESETS in `mask.mjs` that the chapter on sparse attention has: window, gap, first tokens.
SPARSE = {
    "causal": (12, 1, 0),
    "window of 4": (4, 1, 0),
    "3 keys, gaps of 2": (3, 2, 0),
    "window of 2, first token": (2, 1, 1),
}


def layered(X: np.ndarray, mask: np.ndarray, layers: int, late: bool) -> np.ndarray:
    """Self-attention with tokens as queries, keys and values, the mask before the softmax or after it."""
    for _ in range(layers):
        scores = X @ X.T / 2
        weights = softmax(scores) * mask if late else softmax(np.where(mask, scores, -np.inf))
        X = weights @ X
    return X


def test_the_masks_to_begin_with_are_those_of_the_chapters_and_reach_as_far(blank: Page):
    masks, shares, counted = computed(
        blank, "mask", "[PRESETS, Object.values(PRESETS).map((m) => [1, 3, 5].map((l) => reach(m, l))),"
        "Object.values(PRESETS).map(pairs)]",
    )  # fmt: skip
    for name, arguments in SPARSE.items():
        np.testing.assert_array_equal(masks[name], sparse_pattern(12, *arguments))
    for mask, share, count in zip(map(np.array, masks.values()), shares, counted, strict=True):
        step = mask / mask.sum(axis=1, keepdims=True)
        assert count == mask.sum()
        for layers, matrix in zip((1, 3, 5), share, strict=True):
            np.testing.assert_allclose(matrix, np.linalg.matrix_power(step, layers), atol=1e-12)


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("late", [False, True])
def test_the_lamp_for_leaks_shows_what_moves_in_numpy(blank: Page, layers: int, late: bool):
    settings = {"layers": layers, "late": late}
    masks, plain, changed, results = computed(
        blank, "mask",
        "[PRESETS, tokens(), tokens(4), Object.values(PRESETS).map((mask) => [outputs(tokens(), mask, given[0].layers,"
        " given[0].late), moves({ mask, ...given[0] }, 4), leaks({ mask, ...given[0] })])]", settings,
    )  # fmt: skip
    X = np.array(plain)
    np.testing.assert_array_equal(np.array(changed)[4], -2 * X[4])
    for mask, (outputs, moved, leak) in zip(map(np.array, masks.values()), results, strict=True):
        np.testing.assert_allclose(outputs, layered(X, mask, layers, late), atol=1e-12)
        after = layered(np.array(changed), mask, layers, late)
        assert moved == (np.abs(after - layered(X, mask, layers, late)) > 1e-12).any(axis=1).tolist()
        assert leak == (late or bool(np.triu(mask, 1).any()))


@pytest.mark.parametrize(("task", "distances", "message"), [
    (1, {0: 12}, "not everything"), (1, {0: 12, 6: 12, 5: 12}, ""), (1, dict.fromkeys(range(12), 12), "78 pairs"),
    (1, {0: 12, 6: 12, 5: 12, -1: 11}, "a leak"), (1, {0: 12, 11: 12}, "token 1 itself"), (2, {0: 12, 1: 12, 3: 12, 5: 12}, ""), (2, {0: 12, 1: 12, 4: 12}, "not everything"),
])  # fmt: skip
def test_each_task_can_be_done_and_says_what_is_missing(
    blank: Page, task: int, distances: dict[int, int], message: str
):
    mask = np.array([[i - j in distances for j in range(12)] for i in range(12)])
    messages = computed(blank, "mask", "missing(given[0], { mask: given[1], late: 0 })", task, mask.tolist())
    assert message in " ".join(messages) and bool(messages) == bool(message)


@pytest.mark.parametrize(("n", "tile"), [(6, 2), (6, 3), (12, 4), (1024, 64)])
def test_tiles_carry_the_states_of_numpy_and_end_in_exact_attention(blank: Page, n: int, tile: int):
    rows, states = computed(
        blank,
        "tiles",
        "[[0, 1].map((i) => scoresOf(i, given[0])), [0, 1].map((i) => walk(i, ...given))]",
        n,
        tile,
    )
    scores, values = np.array([rows]), 10.0 * np.arange(1, n + 1)[None, :, None]
    state = np.full((1, 2, 1), -np.inf), np.zeros((1, 2, 1)), np.zeros((1, 2, 1))
    for t, first in enumerate(range(0, n, tile)):
        part = slice(first, first + tile)
        state = online_softmax_step(*state, scores[..., part], values[:, part])
        for i in (0, 1):
            numbers = [states[i][t][name] for name in ("maximum", "total", "context")]
            np.testing.assert_allclose(numbers, [float(array[0, i, 0]) for array in state])
    np.testing.assert_allclose((state[2] / state[1])[0, :, 0], softmax(scores[0]) @ values[0, :, 0])


def test_sums_that_are_not_rescaled_give_the_wrong_context_of_the_chapter(blank: Page):
    assert computed(blank, "tiles", "scoresOf(0, 6)") == drawn_tiles.SCORES
    last = computed(blank, "tiles", "[true, false].map((right) => walk(0, 6, 2, right).at(-1))")
    right, wrong = (state["context"] / state["total"] for state in last)
    assert round(right, 3) == 36.125 and round(wrong, 3) == 27.246  # what the chapter prints


@pytest.mark.parametrize(("n", "tile", "d"), [(6, 2, 4), (12, 4, 16), (1024, 256, 64)])
def test_the_costs_are_those_of_a_loop_that_counts(blank: Page, n: int, tile: int, d: int):
    """The loop over tiles reads and writes arrays; each that passes between the memories is counted here."""
    moved, products, largest = 0, 0, 0
    for first in range(0, n, tile):
        rows = min(tile, n - first)
        moved += rows * d  # queries
        for start_of_keys in range(0, n, tile):
            keys = min(tile, n - start_of_keys)
            moved += 2 * keys * d
            largest = max(largest, rows * keys)
            products += 2 * rows * keys * d + rows * (d + 1)  # scores, sums; rescaling
        moved += rows * d  # context
    costs = computed(blank, "tiles", "costs(...given)", n, tile, d)
    assert costs["tiled"] == {"largest": largest, "moved": 4 * moved, "products": products}
    assert costs["plain"] == {"largest": n * n, "moved": 16 * (n * d + n * n), "products": 2 * n * n * d}


def letter_pairs(word: str) -> Counter[str]:
    marked = f"^{word.lower()}$"
    return Counter(a + b for a, b in pairwise(marked))


def test_a_sentences_weights_are_a_masked_softmax_of_cosines_of_letter_pairs(blank: Page):
    words = ["The", "cat", "sat", "on", "the", "mat", "mama"]
    counts = [letter_pairs(word) for word in words]
    every = sorted(set().union(*counts))
    vectors = np.array([[[count[pair] for pair in every] for count in counts]], dtype=float)
    cosines = scores.cosine_score(vectors, vectors)[0]
    results = computed(
        blank,
        "sentence",
        "given[0].map((_, i) => [0, 1, 2].map((m) => weightsOf(given[0], i, 0.3, m)))",
        words,
    )
    for asking, (free, before, without_itself) in enumerate(results):
        row = cosines[asking] / 0.3
        np.testing.assert_allclose(free, softmax(row), atol=1e-12)
        masked = masked_softmax_or_zero(row[None, None], np.array([asking + 1]))[0, 0]
        np.testing.assert_allclose(before, masked, atol=1e-12)
        assert without_itself[asking] == 0
        np.testing.assert_allclose(
            np.delete(without_itself, asking), softmax(np.delete(row, asking)), atol=1e-12
        )


def test_a_word_that_may_look_at_no_other_has_weights_of_zero_and_says_so(blank: Page):
    state = "{ sentence: 'alone', word: 0, temperature: 1, mask: 2 }"
    weights, text = computed(blank, "sentence", f"[weightsOf(['alone'], 0, 1, 2), figure.say({state})]")
    assert weights == [0] and text.endswith("all its weights are 0.")


@pytest.mark.parametrize(("text", "words"), [
    ("  one  two ", ["one", "two"]), ("", ["…"]), ("a " * 20, ["a"] * 12),
])  # fmt: skip
def test_a_sentence_has_one_to_twelve_words(blank: Page, text: str, words: list[str]):
    assert computed(blank, "sentence", "wordsOf(given[0])", text) == words


# --- The files, and the copies ---------------------------------------------------------------------


@pytest.mark.parametrize("name", names())
def test_the_still_picture_is_what_the_figure_draws_at_first(blank: Page, name: str):
    stored = (FIGURES / f"{name}.svg").read_text(encoding="utf-8")
    assert stored == still(blank, name), "run `python _ext/live_figures.py`"


def test_a_figure_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(ToolError, match=r"no figure 'unknown'.*clocks, .*keys, "):
        script("unknown")


def shown_in(topic: str) -> list[str]:
    cells = [cell for cell in notebook_of(topic)["cells"] if cell["cell_type"] == "markdown"]
    return [name for cell in cells for name in re.findall(r"^```\{live-figure\} (\w+)$", source(cell), re.M)]


def test_each_figure_stands_in_a_chapter():
    assert sorted({name for topic in chapters() for name in shown_in(topic)}) == names()


@pytest.mark.slow
def test_a_copy_shows_the_still_with_its_title_and_caption(tmp_path: Path):
    text = plain_markdown("Before.\n\n```{live-figure} keys\nDrag *it*.\n```", Links())
    image = re.search(r"!\[([^\]]+)\]\(drawings/keys\.svg\)", text)
    assert image and image[1].startswith("A query among five keys")
    assert text.endswith("Drag *it*.") and "{" not in text
    start(tmp_path, "torch")
    for name in names():
        assert (tmp_path / "drawings" / f"{name}.svg").read_bytes() == (FIGURES / f"{name}.svg").read_bytes()


# --- In a built page, opened as a file ---------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page with all figures, built by Sphinx."""
    folder = tmp_path_factory.mktemp("figures")
    (folder / "faces.css").write_text(book_faces())
    (folder / "conf.py").write_text(
        "extensions = ['myst_parser', 'figures']\nhtml_theme = 'basic'\nhtml_theme_options = {'body_max_width': 'none'}\n"
        f"html_static_path = [{str(FIGURES)!r}, 'faces.css']\nhtml_css_files = ['figures.css', 'faces.css']\n"
    )
    blocks = "\n\n".join(f"```{{live-figure}} {name}\n{CAPTION}\n```" for name in names())
    skip = '```{raw} html\n<div id="pst-skip-link"><a href="#figures">Skip to main content</a></div>\n```'
    (folder / "index.md").write_text(f"# Figures\n\n{skip}\n\n{blocks}\n")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", str(folder), str(folder / "html")]
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / '_ext'}", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return (folder / "html" / "index.html").as_uri()


@pytest.mark.slow
def test_a_pdf_shows_the_still_above_the_caption(tmp_path: Path):
    (tmp_path / "conf.py").write_text("extensions = ['myst_parser', 'figures', 'drawings']\n")
    (tmp_path / "index.md").write_text(f"# Figures\n\n```{{live-figure}} keys\n{CAPTION}\n```\n")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "-b",
        "latex",
        str(tmp_path),
        str(tmp_path / "pdf"),
    ]
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / '_ext'}", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (text,) = [path.read_text() for path in (tmp_path / "pdf").glob("*.tex")]
    assert "{{keys}.pdf}" in text and (tmp_path / "pdf" / "keys.pdf").exists()


@contextmanager
def opening(browser: Browser, built: str) -> Iterator[Any]:
    """A function that opens one figure of the built page; any error of a script fails what closes the pages."""
    pages, errors = [], []

    def opened(name: str, theme: str = "light", script: bool = True, **options: Any) -> Any:
        context = browser.new_context(**({"viewport": {"width": WIDE, "height": 900}} | options),
                                      java_script_enabled=script)  # fmt: skip
        context.set_default_timeout(PATIENCE)
        pages.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.goto(built)
        if script:
            load_faces(page)
            page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        return page.locator(f'figure.live[data-name="{name}"]')

    yield opened
    for context in pages:
        context.close()
    assert errors == []


@pytest.fixture
def figure(browser: Browser, built: str) -> Iterator[Any]:
    """A function that opens one figure on a page of its own."""
    with opening(browser, built) as opened:
        yield opened


@pytest.fixture(scope="module")
def figure_among_others(browser: Browser, built: str) -> Iterator[Any]:
    """A function that gives a figure of one page for all: for tests that do nothing beside their figure."""
    with opening(browser, built) as opened:
        page_of = cache(lambda script: opened(OF_THE_KIT[0], script=script).page)
        yield lambda name, script=True: page_of(script).locator(f'figure.live[data-name="{name}"]')


def heard(place: Any, words: str) -> None:
    """Wait until the figure announces words."""
    place.page.wait_for_function(
        "([place, words]) => place.textContent.includes(words)",
        arg=[place.locator(".values").element_handle(), words],
    )


@pytest.mark.parametrize("name", OF_THE_KIT)
def test_with_a_script_the_figure_moves_and_without_one_its_still_stands(figure_among_others: Any, name: str):
    moving, quiet = figure_among_others(name), figure_among_others(name, script=False)
    assert moving.locator(".panel svg").count() and not moving.locator(".still").count()
    assert moving.locator(".values").get_attribute("aria-live") == "polite"
    assert quiet.locator(".still > svg").is_visible() and not quiet.locator("input").count()
    for place in (moving, quiet):
        assert place.locator("figcaption").inner_text() == "Move it, and look."


@pytest.mark.parametrize("name", OF_THE_KIT)
def test_every_control_has_a_name_and_changes_the_drawing_by_keyboard(figure_among_others: Any, name: str):
    place = figure_among_others(name)
    stage = place.locator(".stage")
    for control in place.locator("input[type=range]").all():
        assert control.evaluate("input => input.labels[0].textContent.trim()")
        before = stage.inner_html()
        control.press("ArrowRight" if control.input_value() != control.get_attribute("max") else "ArrowLeft")
        assert stage.inner_html() != before
        assert control.evaluate("input => document.activeElement === input")
    for group in place.locator("fieldset").all():
        before = stage.inner_html()
        group.locator("input:checked").press("ArrowRight")
        assert stage.inner_html() != before
        assert group.locator("input:checked").evaluate("input => document.activeElement === input")


def test_the_query_is_dragged_by_a_mouse_and_says_where_it_is(figure: Any):
    place = figure("keys")
    place.scroll_into_view_if_needed()
    plane = place.locator(".panel").first.bounding_box()
    unit, mouse = plane["width"] / 9, place.page.mouse
    middle = plane["x"] + plane["width"] / 2, plane["y"] + plane["height"] / 2
    mouse.move(middle[0] + 2 * unit, middle[1])
    mouse.down()
    mouse.move(middle[0] + 1 * unit, middle[1] - 1 * unit)
    mouse.move(middle[0] - 3 * unit, middle[1] - 2 * unit)
    mouse.up()
    heard(place, "Query (−3.0, 2.0).")
    assert place.locator("output").all_inner_texts() == ["−3.0", "2.0"]


def test_a_tap_moves_the_query_and_a_finger_beside_it_scrolls(figure: Any):
    place = figure("keys", viewport={"width": NARROW, "height": 900}, has_touch=True)
    place.scroll_into_view_if_needed()
    panel = place.locator(".panel").first
    plane = panel.bounding_box()
    unit = plane["width"] / 9
    panel.tap(position={"x": plane["width"] / 2 - unit, "y": plane["height"] / 2 + 2 * unit})
    heard(place, "Query (−1.0, −2.0).")
    held = """([panel, x, y]) => {
        const place = panel.getBoundingClientRect();
        const touch = new Touch({ identifier: 1, target: panel, clientX: place.left + x, clientY: place.top + y });
        return !panel.dispatchEvent(new TouchEvent("touchstart", { touches: [touch], cancelable: true, bubbles: true }));
    }"""
    at_query = [plane["width"] / 2 - unit, plane["height"] / 2 + 2 * unit]
    handle = panel.element_handle()
    assert place.page.evaluate(held, [handle, *at_query])
    assert not place.page.evaluate(held, [handle, at_query[0] + 4 * unit, at_query[1]])


def dragged(place: Any, panel: int, start: tuple[float, float], end: tuple[float, float]) -> None:
    """A mouse drags from one point of a panel's drawing to another."""
    place.scroll_into_view_if_needed()
    svg, mouse = place.locator(".panel > svg").nth(panel), place.page.mouse
    box = svg.bounding_box()
    scale = box["width"] / float(svg.get_attribute("width"))
    for i, (x, y) in enumerate((start, end)):
        mouse.move(box["x"] + scale * x, box["y"] + scale * y)
        (mouse.up if i else mouse.down)()


@pytest.mark.parametrize(("panel", "start", "end", "moved"), [
    (0, (229, 151), (124, 80), ["right (query)", "0.0", "up (query)", "2.0"]),
    (0, (155, 76), (78, 172), ["right (key of is)", "−1.0", "up (key of is)", "0.0"]),
    (1, (302, 200), (248, 146), ["right (value of FBI)", "3.0", "up (value of FBI)", "1.0"]),
])  # fmt: skip
def test_a_query_a_key_and_a_value_are_dragged(
    figure: Any, panel: int, start: tuple[float, float], end: tuple[float, float], moved: list[str]
):
    place = figure("geometry")
    before = place.locator(".values").inner_text()
    dragged(place, panel, start, end)
    assert place.locator(".range :is(span, output)").all_inner_texts()[:4] == moved
    wait = "([place, before]) => place.textContent !== before"
    place.page.wait_for_function(wait, arg=[place.locator(".values").element_handle(), before])


def test_planes_are_reached_by_few_keys_and_arrows_move_what_has_a_ring(figure: Any):
    place = figure("geometry")
    place.get_by_role("button", name="Nothing: only the direction counts").focus()
    keyboard = place.page.keyboard
    keyboard.press("ArrowRight")
    assert place.get_by_role("button", name="They become more equal").evaluate(
        "b => b === document.activeElement"
    )
    keyboard.press("Tab")  # over the other answers
    assert place.locator(".panel").first.evaluate("panel => panel === document.activeElement")
    keyboard.press("ArrowUp")
    heard(place, "The query is at (2.30, 0.50).")
    keyboard.press("Space")
    keyboard.press("Space")
    keyboard.press("ArrowLeft")
    heard(place, "The key of FBI is at (2.00, 1.20).")
    keyboard.press("ArrowRight")  # where it was, not only nearly
    heard(place, "The key of FBI is at (2.12, 1.22).")
    keyboard.press("Tab")
    keyboard.press("ArrowDown")
    heard(place, "The value of FBI is at (4.00, −0.10).")
    assert "arrow keys move what has a ring" in place.locator(".by-keys").inner_text()


def test_a_link_at_the_head_leads_to_the_first_figure(figure: Any):
    page = figure("geometry").page
    page.get_by_role("link", name="Skip to main content").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    first = page.locator("figure.live").first
    assert first.evaluate("place => place.contains(document.activeElement)")
    assert page.get_by_role("link", name="Skip to the figure").count() == 1
    assert -1 < first.bounding_box()["y"] < 200


def test_the_query_of_the_chapter_is_found_by_its_place(figure: Any):
    place = figure("geometry")
    place.get_by_label("right (query)").fill("2.1")
    place.get_by_label("up (query)").fill("1.2")
    heard(place, "The: score 2.00, weight 0.09; FBI: score 6.00, weight 0.66;")


def test_the_words_of_the_first_page_show_the_weights_of_the_moment(figure: Any):
    place = figure("geometry")
    html = sentence_part().split("\n")[1]
    place.evaluate(
        """(place, html) => {
            const whole = document.createElement("div");
            whole.className = "first-figure";
            whole.innerHTML = html;
            place.replaceWith(whole);
            whole.append(place);
        }""",
        html,
    )
    shares = place.page.locator(".first-sentence small")
    assert shares.all_inner_texts() == ["16\u00a0%", "64\u00a0%", "15\u00a0%", "5\u00a0%"]
    dragged(place, 0, (229, 151), (124, 80))  # straight up
    heard(place, "The query is at (0.00, 2.00).")
    weights = re.findall(r"weight (\d\.\d\d)", place.locator(".values").inner_text())
    percentages = [float(share.rstrip("\u00a0%")) / 100 for share in shares.all_inner_texts()]
    assert (
        percentages == pytest.approx([float(weight) for weight in weights], abs=0.011)
        and percentages[1] != 0.64
    )
    marks = place.page.locator(".first-sentence > span").evaluate_all(
        "all => all.map((word) => Number(word.style.getPropertyValue('--share')))"
    )
    assert marks == pytest.approx([float(weight) for weight in weights], abs=0.0051)


# For each panel, whether it and the controls, on a phone the one at hand, can be scrolled into view together, below the
# header of a page.
TOGETHER = """(place) => [...place.querySelectorAll(".panel")].map((panel) => {
    const header = 60;
    const box = () => panel.getBoundingClientRect();
    return [() => box().top - header, () => box().bottom - innerHeight].some((far) => {
        scrollBy({ top: far(), behavior: "instant" });
        const [a, b] = [box(), place.querySelector(innerWidth < 1260 ? ".at-hand" : ".settings").getBoundingClientRect()];
        const free = a.right <= b.left || a.bottom <= b.top + 1;
        return free && Math.min(a.top, b.top) >= header - 1 && Math.max(a.bottom, b.bottom) <= innerHeight + 1;
    });
})"""


@pytest.mark.parametrize("size", [(WIDE, 900), (NARROW, 800)])
@pytest.mark.parametrize("name", OF_THE_KIT)
def test_a_control_is_seen_together_with_each_picture_that_it_changes(
    figure: Any, name: str, size: tuple[int, int]
):
    place = figure(name, viewport=dict(zip(("width", "height"), size, strict=True)))
    visible = place.evaluate(TOGETHER)
    assert visible and all(visible), visible


HEIGHTS = """() => [...document.querySelectorAll("figure.live:has(.works)")].map((place) => {
    const parts = [...place.querySelectorAll(".stage, .settings, .values")].map((part) => part.getBoundingClientRect());
    return [place.dataset.name, Math.max(...parts.map(({ bottom }) => bottom)) - place.getBoundingClientRect().top];
})"""
PINNED = """() => [...document.querySelectorAll("figure.live .settings > *")].map((control) => [
    control.querySelector("span, legend").textContent, getComputedStyle(control).position, control.offsetHeight,
]).filter(([, position]) => position === "sticky")"""


def test_a_laptop_shows_each_figure_as_a_whole_and_a_phone_pins_one_row(figure: Any):
    place = figure("keys", viewport={"width": 1366, "height": 680})
    place.page.add_style_tag(content="figure.live { width: 1094px !important }")  # as wide as in the book
    heights = dict(place.page.evaluate(HEIGHTS))
    assert set(heights) == set(OF_THE_KIT) and max(heights.values()) <= 680 - 48, heights  # of the header
    place.page.set_viewport_size({"width": NARROW, "height": 800})
    pinned = place.page.evaluate(PINNED)
    assert len(pinned) == len(OF_THE_KIT) and all(height <= 90 for *_, height in pinned), pinned
    place.get_by_label("query, north").focus()
    assert "query, north" in [label for label, *_ in place.page.evaluate(PINNED)]


def cell(i: int, j: int) -> tuple[float, float]:
    """The middle of a pair of the mask in its panel."""
    return 84 + 22.5 * (j + 0.5), 44 + 22.5 * (i + 0.5)


def test_a_mask_is_painted_by_a_mouse_and_by_keys(figure: Any):
    place = figure("mask")
    dragged(place, 0, cell(0, 11), cell(0, 10))
    heard(place, "Query 1, key 11: seen. 80 of 144 pairs.")
    heard(place, "A leak.")
    assert place.get_by_role("radio", name="your own").is_checked()
    grid = place.get_by_role("application")
    grid.press(" ")
    heard(place, "Query 1, key 11: hidden. 79 of 144 pairs.")
    grid.press("ArrowRight")
    grid.press("ArrowRight")  # the edge
    grid.press(" ")
    heard(place, "Query 1, key 12: hidden. 78 of 144 pairs.")
    assert "No leak." in place.locator(".values").inner_text()
    assert grid.evaluate("panel => document.activeElement === panel")
    grid.press("Tab")
    assert place.locator("fieldset input:focus").count() == 1


def test_a_finger_paints_the_mask(figure: Any):
    place = figure("mask", viewport={"width": NARROW, "height": 900}, has_touch=True)
    place.scroll_into_view_if_needed()
    svg = place.locator(".panel > svg").first
    scale = svg.bounding_box()["width"] / 360
    x, y = cell(2, 6)
    place.locator(".panel").first.tap(position={"x": scale * x, "y": scale * y})
    heard(place, "Query 3, key 7: seen. 79 of 144 pairs.")


def test_where_nothing_is_rescaled_forgetting_says_so_and_when_it_will_be(figure: Any):
    place = figure("tiles")
    fast = place.locator(".panel").nth(1)
    place.get_by_label("forget to rescale").check(force=True)
    heard(place, "Nothing is forgotten yet: the next sums to rescale come at step 2.")
    assert "There are no sums yet that could be rescaled." in fast.locator("svg").text_content()
    for step, words in (
        ("1", "the first tile: there are no old sums to rescale"),
        ("2", "no rescaling: the factor is left out"),
        ("3", "the maximum stays: nothing to rescale"),
    ):
        place.get_by_label("step", exact=True).fill(step)
        assert words in fast.locator("svg").text_content()
    place.get_by_label("1,024").check(force=True)  # each tile holds the largest score
    heard(place, "Nothing is forgotten here: from this step on no maximum moves")


def test_tiles_play_and_forgetting_is_told(figure: Any):
    place = figure("tiles")
    place.get_by_role("button", name="Play").click()
    heard(place, "Query 1 after tile")
    place.get_by_role("button", name="Stop").click()
    place.get_by_label("step", exact=True).fill("3")
    heard(place, "Query 1 after tile 3: maximum 4, sum 1.939, quotient 36.125, the exact context.")
    place.get_by_label("forget to rescale").check(force=True)
    heard(place, "quotient 27.246 and should be 36.125")
    place.get_by_label("1,024").check(force=True)
    assert place.get_by_label("step", exact=True).get_attribute("max") == "64"


def test_the_reader_guesses_before_the_figure_shows_what_is_right(figure: Any):
    place = figure("geometry")
    answer = place.locator(".told")
    assert answer.inner_text() == ""
    place.get_by_role("button", name="Nothing: only the direction counts").click()
    assert answer.inner_text().startswith("Not so: “The largest becomes larger” is right.")
    assert "from 64\u00a0% to 80\u00a0%" in answer.inner_text()
    heard(place, "FBI: score 8.10, weight 0.80")
    place.get_by_role("button", name="Next question").press("Enter")
    assert place.get_by_role("button", name="Yes, a long one").evaluate("b => document.activeElement === b")
    place.get_by_role("button", name="No", exact=True).click()
    assert answer.inner_text().startswith("Yes.")


def test_formula_code_and_picture_light_up_together(figure: Any):
    place = figure("geometry")
    place.scroll_into_view_if_needed()
    dim = ".panel [data-part].dim"
    assert place.locator(dim).count() == 0
    place.locator(".panel").last.locator("[data-part='3'] rect").hover()
    assert place.get_by_role("radio", name="weights").is_checked()
    bright = {part.get_attribute("data-part") for part in place.locator(".panel [data-part]:not(.dim)").all()}
    assert bright == {"3"} and place.locator(dim).count() == 7
    place.locator(".panel").first.hover()  # where one drags, all stays bright
    assert place.locator(dim).count() == 0
    place.locator(".panel").last.locator("[data-part='3'] rect").hover()
    place.locator("figcaption").hover()
    assert place.locator(dim).count() == 0


@pytest.mark.parametrize(("moves", "pair", "position", "offset"), [("query", 4, 52, 3), ("key", 3, 2, 21)])
def test_a_hand_of_a_clock_is_dragged_by_its_tip(
    figure: Any, moves: str, pair: int, position: int, offset: int
):
    place = figure("clocks")
    place.scroll_into_view_if_needed()
    panel = place.locator(".panel").first.bounding_box()
    scale, mouse = panel["width"] / 360, place.page.mouse
    middle = 46 + 89 * (pair % 4), 76 + 122 * (pair // 4)

    def at(turn: float, length: float) -> tuple[float, float]:
        x, y = middle[0] + length * np.sin(turn), middle[1] - length * np.cos(turn)
        return panel["x"] + scale * x, panel["y"] + scale * y

    step = 10000 ** (-pair / 8)
    start, end = (2, position) if moves == "query" else (5, position + offset)
    mouse.move(*at(step * start, 28 if moves == "query" else 36))
    mouse.down()
    for turn in np.linspace(step * start, step * end, 12):
        mouse.move(*at(turn, 30))
    mouse.up()
    heard(place, f"Positions {position} and {position + offset}:")
    mouse.click(*at(step * end + np.pi, 30))  # beside both hands
    assert place.locator("output").all_inner_texts() == [str(position), str(offset)]


def test_a_finger_turns_a_hand_and_the_page_stays(figure: Any):
    place = figure("clocks", viewport={"width": NARROW, "height": 900}, has_touch=True)
    place.scroll_into_view_if_needed()
    box = place.locator(".panel").first.bounding_box()
    scrolled = place.page.evaluate("scrollY")
    touches = place.page.context.new_cdp_session(place.page)

    def touch(kind: str, x: float, y: float) -> None:
        at = [{"x": box["x"] + x * box["width"] / 360, "y": box["y"] + y * box["width"] / 360}]
        points = [] if kind == "touchEnd" else at
        touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    # Pair 0 at position 2: its hand points to 2 radians; it is turned to 5.
    for i, turn in enumerate(np.linspace(2, 5, 10)):
        touch("touchMove" if i else "touchStart", 46 + 28 * np.sin(turn), 76 - 28 * np.cos(turn))
    touch("touchEnd", 0, 0)
    heard(place, "Positions 5 and 8:")
    assert place.page.evaluate("scrollY") == scrolled


def test_ones_own_sentence_is_read_word_by_word(figure: Any):
    place = figure("sentence")
    place.get_by_label("your sentence").fill("an apple and apples")
    place.get_by_label("2 apple").check(force=True)
    assert place.locator("fieldset").first.locator("label").all_inner_texts() == [
        "1 an", "2 apple", "3 and", "4 apples"]  # fmt: skip
    heard(place, "‘apple’, word 2, gives most to ‘apple’")
    place.get_by_label("all words but itself").check(force=True)
    heard(place, "gives most to ‘apples’")
    panel = place.locator(".panel").bounding_box()
    place.locator(".panel").click(position={"x": 160 * panel["width"] / 360, "y": 135 * panel["width"] / 360})
    heard(place, "‘apples’, word 4, gives most to ‘apple’")


def test_a_sentence_is_shown_as_it_was_written_and_never_run(figure: Any):
    place = figure("sentence")
    place.get_by_label("your sentence").fill("<img/src=x/onerror=alert(1)> <b>b</b>")
    assert place.locator("img, b").count() == 0
    heard(place, "‘<img/src=x/onerror=alert(1)>’")


def test_play_moves_the_position_stops_and_leaves_the_dot_product_alone(figure: Any):
    place = figure("clocks")
    place.locator("input").first.fill("97")
    total = place.locator(".panel").last.locator("text").first.text_content()
    place.get_by_role("button", name="Play").click()
    heard(place, "Positions 100 and 103")
    assert place.get_by_role("button", name="Play").count() == 1
    assert place.locator(".panel").last.locator("text").first.text_content() == total


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_is_cut_on_a_phone_and_controls_are_large_enough(figure: Any, theme: str):
    page = figure("keys", theme, viewport={"width": NARROW, "height": 900}).page
    assert page.evaluate("() => document.documentElement.scrollWidth") <= NARROW
    for control in page.locator(
        "figure.live :is(input[type=range], button, fieldset label, input[type=text])"
    ).all():
        assert control.bounding_box()["height"] >= 24
    ink = page.locator("figure.live text.ink").first.evaluate("text => getComputedStyle(text).fill")
    assert ink == {"light": "rgb(28, 36, 48)", "dark": "rgb(232, 237, 242)"}[theme]


# A line of text is higher than its letters, in the book's faces by 5 pixels.
OUTSIDE = """() => [...document.querySelectorAll("figure.live .panel > svg text")].filter((text) => {
    const [word, panel] = [text, text.closest(".panel > svg")].map((part) => part.getBoundingClientRect());
    return word.left < panel.left - 2 || word.right > panel.right + 2 || word.bottom > panel.bottom + 5;
}).map((text) => text.textContent)"""
CROSSING = """() => [...document.querySelectorAll("figure.live .panel > svg")].flatMap((panel) => {
    const words = [...panel.querySelectorAll("text:not([transform])")].map((text) => [text.textContent, text.getBoundingClientRect()]);
    return words.flatMap(([one, a], i) => words.slice(i + 1).filter(([, b]) =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4
    ).map(([other]) => one + " on " + other));
})"""


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_no_word_of_a_drawing_leaves_its_panel_or_lies_on_another(figure: Any, width: int):
    page = figure("keys", viewport={"width": width, "height": 900}).page
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(CROSSING) == []


@pytest.mark.parametrize("answer", ["The largest becomes larger", "Next question", "No"])
def test_no_word_lies_on_another_where_a_question_leads(figure: Any, answer: str):
    place = figure("geometry")
    for name in ("The largest becomes larger", "Next question", "No"):
        place.get_by_role("button", name=name, exact=True).click()
        if name == answer:
            break
    assert place.page.evaluate(CROSSING) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_the_figures(figure: Any, theme: str):
    page = figure("keys", theme).page
    page.evaluate(axe.script())
    # The page is opened as a file, whose styles no script may read again.
    assert axe.violations(page, {**axe.EVERY_RULE, "rules": {}, "preload": False}) == []


# --- Two heads that form in training -------------------------------------------------------------------


RUN = "[RUN, RUN.steps.map((_, i) => [0, 1].map((layer) => sharp(i, layer))), RUN.letters.map((_, t) => findsOf(t))]"


def printed_in(topic: str, words: str) -> str:
    """What a chapter's cell prints in PyTorch, by words in its source."""
    cell = next(
        cell
        for cell in notebook_of(topic)["cells"]
        if words in source(cell) and "framework-torch" in cell["metadata"].get("tags", [])
    )
    return "".join(line for output in cell["outputs"] for line in output["text"])


def test_the_run_is_the_one_that_the_chapter_shows(blank: Page):
    run, sharp, finds = computed(blank, "induction", RUN)
    table = [line.split() for line in printed_in("looking_inside", "= train(2)").splitlines()[2:]]
    for step, loss, _, _, single, *_ in table:
        place = run["steps"].index(int(step))
        stored = [run[name][place] for name in ("losses", "single")]
        assert stored == pytest.approx([float(loss), float(single)], abs=0.0056)
    means = dict(
        re.findall(r"^(.+?)\s+[\d.]+\s+([\d.]+)$", printed_in("looking_inside", "removals(without"), re.M)
    )
    masks = {"layer 1, head 1": "0111", "layer 1, head 2": "1011", "layer 2, head 1": "1101",
            "layer 2, head 2": "1110", "layer 1, both": "0011", "layer 2, both": "1100"}  # fmt: skip
    # The last is that of the model which the chapter keeps, one step later.
    assert run["kept"]["1111"]["loss"] == pytest.approx(run["losses"], abs=0.01)
    assert {name: f"{run['kept'][one]['loss'][-1]:.2f}" for name, one in masks.items()} == {
        n: means[n] for n in masks
    }
    assert len(run["kept"]) == 16 and run["best"] == [1, 0]
    tokens = np.array([[run["letters"].index(letter) for letter in run["letters"]]])
    for moment, (back, find) in zip(run["maps"], sharp, strict=True):
        weights = np.zeros((1, 2, 14, 14))
        for layer in range(2):
            for t, row in enumerate(moment[layer]):
                assert sum(row) == pytest.approx(100, abs=7)
                weights[0, layer, t, : t + 1] = np.array(row) / 100
        assert back == pytest.approx(inside.previous_token_score(weights)[0])
        assert find == pytest.approx(inside.induction_score(weights, tokens)[1])
    for t, matches in enumerate(finds):
        assert matches == [j + 1 for j in range(t) if run["letters"][j] == run["letters"][t]]


def test_a_guess_is_drawn_before_the_loss_is_shown_and_heads_are_removed(figure: Any):
    place = figure("induction")
    place.scroll_into_view_if_needed()
    panel = place.locator(".panel").first.bounding_box()
    scale, mouse = panel["width"] / 360, place.page.mouse
    assert place.locator(".panel").first.get_by_text("two layers").count() == 0
    mouse.move(panel["x"] + 40 * scale, panel["y"] + 70 * scale)
    mouse.down()
    mouse.move(panel["x"] + 200 * scale, panel["y"] + 70 * scale)
    mouse.up()
    assert place.get_by_label("as drawn").is_checked()
    path = place.locator(".panel path.dashed.ink").first.get_attribute("d")
    heights = [float(point.split()[1]) for point in re.findall(r"[ML]([\d.]+ [\d.]+)", path)]
    assert np.ptp(heights[1:11]) < 2 and heights[-1] > heights[10] + 100
    place.get_by_label("what happened").check(force=True)
    heard(place, "Step 0: loss 3.36")
    heard(place, "0 of 8 predictions right")  # nothing is learnt yet
    assert place.locator(".panel").last.get_by_text("✓").count() == 0
    place.locator("input[type=range]").fill("8")
    heard(place, "Step 80: loss 0.16")
    heard(place, "8 of 8 predictions right")
    place.locator("input[type=range]").fill("20")
    place.get_by_role("group", name="layer 2, head 1").get_by_label("removed").check(force=True)
    heard(place, "Without layer 2, head 1: loss 0.47")
    place.get_by_role("group", name="layer 2, head 2").get_by_label("removed").check(force=True)
    heard(place, "loss 3.21, 0 of 8 predictions right")


def test_paper_shows_the_telling_frame_of_a_figure_that_nobody_touched(figure: Any):
    place = figure("tiles")
    begun = place.locator(".stage").inner_html()
    printed = "() => dispatchEvent(new Event('beforeprint'))"
    place.page.evaluate(printed)
    assert place.locator(".stage").inner_html() != begun
    place.page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert place.locator(".stage").inner_html() == begun
    place.get_by_role("slider", name="step").press("ArrowRight")
    frame = place.locator(".stage").inner_html()
    place.page.evaluate(printed)
    assert place.locator(".stage").inner_html() == frame != begun


@pytest.mark.parametrize("name", ["geometry", "induction", "mask", "tiles"])
def test_in_forced_colours_all_words_and_weights_have_colours_of_the_system(figure: Any, name: str):
    place = figure(name, "dark", forced_colors="active")
    system = """(place) => {
        const probe = place.ownerDocument.body.appendChild(document.createElement("i"));
        const [words, marked] = ["CanvasText", "Highlight"].map((colour) => {
            probe.style.color = colour;
            return getComputedStyle(probe).color;
        });
        const own = [...place.querySelectorAll(".panel text")].map((text) => getComputedStyle(text).fill);
        return own.length > 3 && own.every((fill) => fill === words || fill === marked);
    }"""
    assert place.evaluate(system)
