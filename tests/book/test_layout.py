"""Where things stand on a page: one measure, and pictures that stay in view."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from playwright.sync_api import Page

from tests.book.browsing import NARROW, WIDE
from tests.book.legible import use_scheme
from tests.book.test_every_page import OVERLAPS

IN_VIEW = """() => [...document.querySelectorAll(".stays")].map((picture) => {
    const [at, room] = [picture, picture.parentElement].map((e) => e.getBoundingClientRect());
    return { top: at.top, bottom: at.bottom, left: at.left, right: at.right, until: room.bottom, from: room.top };
})"""


@pytest.mark.parametrize("choice", ["", "?framework=torch"])
def test_a_picture_stays_in_view_beside_the_text_and_covers_nothing(page: Page, book: str, choice: str):
    page.goto(f"{book}/chapters/attention.html{choice}", timeout=60_000)
    for number, place in enumerate(page.evaluate(IN_VIEW)):
        scrolled = page.evaluate("scrollY")
        middle = scrolled + (place["from"] + place["until"]) / 2 - 300
        page.evaluate(f"scrollTo({{top: {middle}, behavior: 'instant'}})")
        now = page.evaluate(IN_VIEW)[number]
        if place["until"] - place["from"] > 1000:
            assert 0 < now["top"] < 200, "it scrolls away with its text"
        covered = page.evaluate(
            """([x, y, number]) => document.querySelectorAll(".stays")[number].contains(document.elementFromPoint(x, y))""",
            [(now["left"] + now["right"]) / 2, max(now["top"], 70) + 20, number],
        )
        assert covered, "something lies on it"
        page.evaluate(f"scrollTo({{top: {scrolled}, behavior: 'instant'}})")


@pytest.mark.parametrize("choice", ["", "?framework=torch"])
def test_nothing_lies_on_a_picture_when_all_folds_are_open(page: Page, book: str, choice: str):
    page.goto(f"{book}/chapters/attention.html{choice}", timeout=60_000)
    page.evaluate("() => document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
    assert page.locator(".tries .frameworks:visible").count() > 1
    assert page.evaluate(OVERLAPS) == []


def test_prose_code_and_boxes_have_one_measure_and_without_a_margin_pictures_stand_in_the_text(
    page: Page, book: str
):
    page.goto(f"{book}/chapters/attention.html", timeout=60_000)
    for width in (WIDE, 1200, 768, NARROW):
        page.set_viewport_size({"width": width, "height": 900})
        edges = page.locator("article section > :is(p, .admonition, .cell)").evaluate_all(
            "found => found.filter((e) => e.checkVisibility() && !e.parentElement.closest('.exercise')).map((e) => Math.round(e.getBoundingClientRect().right))"
        )
        assert len(edges) > 40 and (max(edges) - min(edges) <= 1 or width == NARROW)
        if width > 768:
            continue
        parts = page.locator("p:has(+ .picture), .picture, .picture + *").all()[:3]
        boxes = [part.bounding_box() for part in parts]
        assert [box["x"] for box in boxes] == [boxes[0]["x"]] * 3
        for upper, lower in pairwise(boxes):
            assert upper["y"] + upper["height"] <= lower["y"]


def test_no_picture_has_a_frame_and_its_code_stands_below_it(page: Page, book: str):
    page.goto(f"{book}/chapters/pooling.html", timeout=60_000)
    cells = page.locator(".cell:has(svg.plot, attention-map)").all()
    assert len(cells) == 3
    looks = [(WIDE, "light"), (WIDE, "dark"), (NARROW, "light")]
    for (width, scheme), cell in product(looks, cells):
        use_scheme(page, scheme)
        page.set_viewport_size({"width": width, "height": 900})
        assert cell.evaluate("(cell) => getComputedStyle(cell).borderWidth") == "0px"
        ground = cell.locator("figure > :first-child").first.evaluate(
            "(box) => getComputedStyle(box).backgroundColor"
        )
        assert ground == "rgba(0, 0, 0, 0)", "it stands on a panel of its own"
        picture, code = cell.locator(".cell_output"), cell.locator("summary")
        assert picture.bounding_box()["y"] < code.bounding_box()["y"]


def test_code_that_a_cell_shows_begins_as_high_as_what_another_prints(page: Page, book: str):
    page.goto(f"{book}/chapters/pooling.html", timeout=60_000)
    first = "(found) => found.filter((box) => box.checkVisibility()).map((box) => box.querySelector('.line').getBoundingClientRect().top - box.getBoundingClientRect().top)"
    tops = page.locator(".cell_output:has(> .highlight-python)").evaluate_all(first)
    printed = page.locator(".cell_output:has(> .stream)").evaluate_all(first)
    assert tops and max(tops) <= max(printed) + 1


def test_a_chapter_opens_with_its_question_in_larger_letters(page: Page, book: str):
    page.goto(f"{book}/chapters/memory.html", timeout=60_000)
    question = page.locator("h1 ~ p > em").first
    assert float(question.evaluate("(words) => parseFloat(getComputedStyle(words).fontSize)")) > 20


def test_all_lines_of_a_work_but_the_first_begin_at_one_place(page: Page, book: str):
    page.goto(f"{book}/chapters/bibliography.html", timeout=60_000)
    lefts = page.evaluate("""() => [...document.querySelectorAll(".citation p")].slice(0, 20).map((words) => {
        const range = document.createRange();
        range.selectNodeContents(words.firstChild);
        return [...range.getClientRects()].slice(1).map((line) => Math.round(line.left));
    })""")
    assert sum(len(lines) > 1 for lines in lefts) > 5
    assert all(len(set(lines)) <= 1 for lines in lefts)


def test_lines_of_code_are_equally_far_from_each_other_where_they_wrap(page: Page, book: str):
    page.set_viewport_size({"width": WIDE, "height": 900})
    page.goto(f"{book}/chapters/prerequisites.html", timeout=60_000)
    lines = page.evaluate(
        "() => [...document.querySelectorAll('.highlight .line')].map((line) =>"
        " [getComputedStyle(line).fontSize, line.getBoundingClientRect().height])"
    )
    # Code in columns is smaller than code across the page.
    single = {size: min(height for other, height in lines if other == size) for size, _ in lines}
    parts = {round(height / single[size], 2) for size, height in lines}
    assert len(parts) > 1 and parts == set(map(round, parts))


def test_the_books_faces_are_small_and_arrive_with_the_page(page: Page, book_as_it_is: str):
    sizes: list[int] = []
    page.on(
        "response",
        lambda answer: sizes.append(len(answer.body())) if "/faces/" in answer.url else None,
    )
    page.goto(f"{book_as_it_is}/chapters/masked_softmax.html", wait_until="networkidle", timeout=60_000)
    if not sizes:
        pytest.skip("npm did not bring the faces when the book was built")
    assert len(sizes) == 4 and sum(sizes) < 200_000
    assert page.evaluate(
        "() => [...document.fonts].filter((f) => f.family.includes('Book')).every((f) => f.status === 'loaded')"
    )
