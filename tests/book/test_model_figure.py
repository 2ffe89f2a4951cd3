"""The language model in the page, without Python: its numbers beside PyTorch's, and what a reader can do with it."""

from __future__ import annotations

import random
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from live_figures import open_empty, script
from playwright.sync_api import Browser, Page, expect

from autograder.book.contents import FIGURES
from autograder.model.paths import ROOT
from course.data.prose import STORED, stored_model, text
from solutions.language_model import in_numpy, in_torch
from solutions.language_model.common import decode, encode
from tests.book import axe
from tests.book.browsing import serve
from tests.faces import book_faces, load_faces
from tests.support import PATIENCE

sys.path.insert(0, str(ROOT / "_ext"))
from figures import closing, opening

pytestmark = pytest.mark.xdist_group("model_figure")
TEXTS = [
    "The context is a weighted",
    "A",
    "Attention is a weighted mean of the values, and its weights come from queries and keys, one",
    "東京 <b>naïve</b>\n\tx_1 = 0.5;  ...",
]
OFF = [(0, 1), (2, 3)]
MILLISECONDS = 100  # for one key


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """An empty page in which the figure's functions are `glass`."""
    page = browser.new_page()
    open_empty(page)
    names = "model, answer, readers, topP, drawn, START"
    page.add_script_tag(
        type="module", content=f"{script('model')}\nawait figure.ready();\nwindow.glass = {{{names}}};"
    )
    page.wait_for_function("() => window.glass")
    yield page
    page.close()


def tokens_of(words: str) -> list[int]:
    return encode(words, stored_model().merges)[-32:]


def texts_of_all_kinds() -> list[str]:
    rng = random.Random(0)
    alphabets = ["ab th.", " \t\n\x1c\x85\xa0\u2003_-", "äß0½²ⅷ一", "e\u0301\u200b\ufeff😀"]
    random_texts = ["".join(rng.choices("".join(alphabets), k=rng.randrange(12))) for _ in range(200)]
    return [*TEXTS, "", text()[:20_000], *random_texts]


def test_a_text_has_the_tokens_that_python_gives_and_comes_back(page: Page):
    texts = texts_of_all_kinds()
    encodings = page.evaluate("(texts) => texts.map((text) => glass.model.tokeniser.encode(text))", texts)
    merges = stored_model().merges
    assert encodings == [encode(one, merges) for one in texts]
    several = [[200, 101, 300], [65, 195], *encodings]
    back = page.evaluate("(all) => all.map((tokens) => glass.model.tokeniser.decode(tokens))", several)
    assert back == [decode(tokens, merges) for tokens in several]


READING = """([tokens, off]) => {
    const reader = glass.model.reader(new Set(off));
    glass.model.read(reader, tokens);
    const weights = reader.columns.map(({ blocks }) => blocks.map(({ heads }) => heads.map((head) => head.weights)));
    return [glass.model.logits(reader), weights];
}"""


@pytest.mark.parametrize("words", TEXTS)
def test_the_logits_are_those_of_pytorch_and_the_weights_those_of_numpy(page: Page, words: str):
    stored, tokens = stored_model(), tokens_of(words)
    learned = {name: torch.tensor(array) for name, array in stored.weights.items()}
    with torch.inference_mode():
        expected = in_torch.language_model(torch.tensor([tokens]), learned, stored.num_heads)[0, -1]
    logits, weights = page.evaluate(READING, [tokens, []])
    np.testing.assert_allclose(logits, expected.numpy(), atol=1e-5)
    exact = {name: array.astype(float) for name, array in stored.weights.items()}
    _, maps = in_numpy.language_model(np.array([tokens]), exact, stored.num_heads)
    for row, blocks in enumerate(weights):
        np.testing.assert_allclose(blocks, maps[:, 0, :, row, : row + 1], atol=1e-12)
    changed, _ = in_numpy.language_model(np.array([tokens]), exact, stored.num_heads, OFF)
    without, _ = page.evaluate(READING, [tokens, [f"{b},{h}" for b, h in OFF]])
    np.testing.assert_allclose(without, changed[0, -1], atol=1e-10)
    assert np.abs(np.subtract(without, logits)).max() > 0.1


GROWING = """([tokens, other]) => {
    const reader = glass.model.reader();
    const counts = tokens.map((_, i) => glass.model.read(reader, tokens.slice(0, i + 1)));
    const logits = glass.model.logits(reader);
    return [counts, logits, glass.model.read(reader, other), glass.model.read(reader, other.slice(0, 3))];
}"""


def test_a_token_more_computes_one_column_and_gives_what_all_at_once_gives(page: Page):
    tokens = tokens_of(TEXTS[2])
    other = [*tokens[:4], 65, *tokens[5:]]
    counts, logits, behind_a_change, shorter = page.evaluate(GROWING, [tokens, other])
    assert counts == [1] * len(tokens)
    assert logits == page.evaluate(READING, [tokens, []])[0]
    assert (behind_a_change, shorter) == (len(tokens) - 4, 0)


def test_a_key_is_answered_in_time(page: Page):
    """The best of several, since other work shares the processor."""
    took = page.evaluate(
        """(text) => [1, 2, 3, 4, 5].map(() => {
            const kept = glass.readers();
            const state = { ...glass.START, off: new Set(["1,2"]) };
            glass.answer({ ...state, text }, kept);
            const begin = performance.now();
            glass.answer({ ...state, text: `${text} s` }, kept);
            return performance.now() - begin;
        })""",
        TEXTS[2],
    )
    assert min(took) < MILLISECONDS


def test_top_p_and_the_draw_are_those_of_numpy(page: Page):
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.dirichlet(np.ones(9), size=6), np.full((1, 9), 1 / 9), np.eye(9)[:1]])
    ps, numbers = [0.05, 0.5, 0.9, 1.0], [0.0, 0.3, 0.999]
    results = page.evaluate(
        "([rows, ps]) => ps.map((p) => rows.map((row) => glass.topP(row, p)))", [rows.tolist(), ps]
    )
    for p, probabilities in zip(ps, results, strict=True):
        np.testing.assert_allclose(probabilities, in_numpy.top_p(rows, p), atol=1e-12)
    draws = page.evaluate(
        "([rows, numbers]) => numbers.map((u) => rows.map((row) => glass.drawn(row, u)))",
        [rows.tolist(), numbers],
    )
    for number, tokens in zip(numbers, draws, strict=True):
        expected = in_numpy.draw_token(
            np.log(np.maximum(rows, 1e-300)), 1.0, 1.0, np.full((len(rows), 1), number)
        )
        assert tokens == expected[:, 0].tolist()


# --- In a page -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A page with the figure, over http."""
    folder = tmp_path_factory.mktemp("glass")
    figures = folder / "_static" / "figures"
    figures.mkdir(parents=True)
    shutil.copyfile(STORED, figures / STORED.name)
    shutil.copyfile(FIGURES / "figures.css", figures / "figures.css")
    still = (FIGURES / "model.svg").read_text(encoding="utf-8")
    (folder / "index.html").write_text(
        '<!doctype html><html lang="en" data-content_root="./"><meta charset="utf-8"><title>The model</title>'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="_static/figures/figures.css">'
        "<style>:root { --pst-color-border: #888; --pst-color-text-base: #111; --pst-color-background: #fff } "
        f"* {{ box-sizing: border-box }}\n{book_faces()}</style>"
        f"<main><h1>The model</h1>{opening('model', still)}<p>Look.</p>{closing('model')}</main></html>"
    )
    yield from (f"{server}/index.html" for server in serve(folder))


@pytest.fixture
def place(browser: Browser, address: str) -> Iterator[Any]:
    """The figure as it begins; any error of a script fails the test."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    context.set_default_timeout(PATIENCE)
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    load_faces(page)
    place = page.locator("figure.live")
    expect(place.get_by_role("button", name="Show it")).to_be_visible(timeout=PATIENCE)
    yield place
    context.close()
    assert errors == []


def expect_values(place: Any, words: str) -> None:
    expect(place.locator(".values")).to_contain_text(words, timeout=PATIENCE)


def test_the_reader_guesses_before_the_model_answers(place: Any):
    assert place.get_by_label("Your text").input_value() == TEXTS[0]
    expect(place.get_by_role("img", name="The next token")).to_be_hidden()
    place.get_by_role("button", name="“␣key”").click()
    expect_values(place, "You guessed “␣key”")
    expect_values(place, "Most probable next token: “␣sum” with 0.21.")
    expect(place.get_by_role("img", name="The next token")).to_be_visible()
    place.page.keyboard.press("Space")  # the button that takes the next token has the focus
    expect_values(place, "Of 7 columns of the cache 1 was computed, 6 kept.")
    token = place.get_by_label("Your text").input_value().removeprefix(TEXTS[0]).replace(" ", "␣")
    expect_values(place, f"“{token}” was drawn; it had 0.")
    # The most probable one is framed, and so is the one that was drawn; its name stands above.
    pictures = [
        place.get_by_role("img", name=name) for name in ("The next token", "A language model at work")
    ]
    assert [picture.locator("rect.context.empty").count() for picture in pictures] == [1, 1]
    assert "drawn last: " in pictures[0].text_content()
    place.get_by_label("Your text").fill("The")
    expect_values(place, "Most probable next token")
    expect(place.locator(".values")).not_to_contain_text("was drawn")


def test_controls_are_seen_together_with_what_they_change(place: Any):
    page = place.page
    place.get_by_label("Your text").fill(TEXTS[2])
    for width, height in ((1400, 900), (420, 800)):
        page.set_viewport_size({"width": width, "height": height})
        for name in ("glass", "next", "cache"):
            visible = place.evaluate(
                """(place, name) => {
                    const panel = place.querySelector(`.panel.of-${name} > svg`);
                    scrollTo({ top: scrollY + panel.getBoundingClientRect().top - 60, behavior: "instant" });
                    const settings = place.querySelector(innerWidth < 1260 ? ".at-hand" : ".settings").getBoundingClientRect();
                    const found = panel.getBoundingClientRect();
                    const free = found.right <= settings.left ? innerHeight : settings.top;
                    return [settings.top >= 0 && settings.bottom <= innerHeight, Math.min(found.bottom, free) - found.top];
                }""",
                name,
            )
            assert visible[0] and visible[1] > 70, (width, name, visible)


def test_looking_at_a_head_and_switching_it_off_are_two_things_and_the_change_is_told(place: Any):
    place.get_by_role("button", name="Show it").click()
    head = place.get_by_role("radio", name="block 1, head 2")
    head.check(force=True)
    table = place.locator(".unfolded table")
    expect(table).to_contain_text("block 1, head 2, for “ed”, whose")
    expect_values(place, "“␣sum” with 0.21.")
    expect(place.locator(".values")).not_to_contain_text("Without")
    place.get_by_role("button", name="Switch off block 1, head 2").click()
    expect_values(place, "Without block 1, head 2:")
    head.press("ArrowRight")  # looking at another one leaves it off
    expect(table).to_contain_text("block 1, head 3")
    expect_values(place, "Without block 1, head 2:")
    place.get_by_role("button", name="All heads on").click()
    expect(place.locator(".values")).not_to_contain_text("Without")


def test_a_head_unfolds_into_numbers_that_belong_together(place: Any):
    rows = [row.locator("td").all_inner_texts() for row in place.locator(".unfolded tbody tr").all()]
    *keys, sums = [[cell.replace("−", "-") for cell in row] for row in rows]
    scores, weights = (np.array([float(row[i]) for row in keys]) for i in (0, 2))
    np.testing.assert_allclose(weights, np.exp(scores) / np.exp(scores).sum(), atol=0.02)
    values = np.array([[float(number) for number in row[3].split()] for row in keys])
    np.testing.assert_allclose(weights @ values, [float(number) for number in sums[3].split()], atol=0.1)
    place.get_by_label("token that looks").fill("3")
    masks = [row.locator("td").nth(1).inner_text() for row in place.locator(".unfolded tbody tr").all()]
    assert masks[:6] == ["0"] * 3 + ["−∞"] * 3


def test_any_text_is_read_from_its_end_and_none_is_refused(place: Any):
    area = place.get_by_label("Your text")
    area.fill("")
    expect_values(place, "The text is empty")
    area.fill("<img src=x onerror=alert(1)> 東京 " * 20)
    expect_values(place, "The last 32 tokens are read.")
    assert place.locator("img").count() == 0


def test_the_model_is_as_wide_as_its_place_and_in_view_on_a_laptop(place: Any):
    place.page.set_viewport_size({"width": 1366, "height": 680})
    place.evaluate("(place) => { place.style.width = '1094px'; }")  # as wide as in the book
    place.page.wait_for_timeout(300)
    assert place.locator(".of-glass").bounding_box()["width"] > 700, "beside the question"
    place.get_by_role("button", name="Show it").click()
    expect_values(place, "Most probable")
    boxes = {name: place.locator(name).bounding_box() for name in (".of-glass", ".settings", ".unfolded")}
    assert boxes[".of-glass"]["width"] > 700
    top = place.bounding_box()["y"]
    assert all(box["y"] + box["height"] - top <= 680 - 48 for box in boxes.values()), boxes


@pytest.mark.parametrize("width", [360, 768, 1400])
def test_axe_finds_nothing_and_nothing_is_cut(place: Any, width: int):
    page = place.page
    page.set_viewport_size({"width": width, "height": 900})
    place.get_by_role("button", name="Show it").click()
    place.get_by_role("button", name="Switch off").click()
    expect_values(place, "Without")
    page.evaluate(axe.script())
    assert axe.violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = [
        one.inner_text()
        for one in place.locator(":is(button, .looks label > span, input[type=range])").all()
        if one.is_visible() and min(one.bounding_box()["height"], one.bounding_box()["width"]) < 24
    ]
    assert small == []


def test_from_a_file_and_without_a_script_the_still_stands(browser: Browser, address: str, tmp_path: Path):
    quiet = browser.new_context(java_script_enabled=False).new_page()
    quiet.goto(address)
    expect(quiet.locator(".still > svg")).to_be_visible()
    page = browser.new_page()
    still = (FIGURES / "model.svg").read_text(encoding="utf-8")
    (tmp_path / "index.html").write_text(f"{opening('model', still)}{closing('model')}")
    page.goto((tmp_path / "index.html").as_uri())
    expect(page.locator(".values")).to_contain_text("make serve")
    expect(page.locator(".still > svg")).to_be_visible()
