"""Where things stand on a page: one measure, and pictures that stay in view."""

from __future__ import annotations

from itertools import pairwise

import pytest
from docutils import nodes
from playwright.sync_api import Page
from side_by_side.stretches import stretches_in  # _ext is in pytest's path

from tests.book.browsing import NARROW, WIDE

pytestmark = pytest.mark.xdist_group("book")

DRAWING = nodes.raw("", '<svg class="drawing"></svg>', format="html")
LIVE = '<figure class="live" data-name="keys">'


def paragraph(words: str) -> nodes.paragraph:
    return nodes.paragraph("", words)


def drawing() -> nodes.paragraph:
    return nodes.paragraph("", "", DRAWING.deepcopy())


def pair() -> nodes.container:
    return nodes.container("", design_component="tab-set")


def shape(blocks: list[nodes.Node]) -> list[str]:
    """Each block by its words; a stretch by what stands in each of its parts."""
    shown = []
    for block in blocks:
        if "stretch" not in getattr(block, "attributes", {}).get("classes", []):
            shown.append(block.astext())
            continue
        parts = [f"{part['classes'][-1]}({'|'.join(c.astext() for c in part)})" for part in block]
        shown.append(" ".join([*parts, block["style"]]).replace(DRAWING.astext(), "*"))
    return shown


LONG = "words " * 400


def test_a_picture_takes_the_paragraph_before_it_and_all_that_follows_to_the_next():
    blocks = [
        nodes.title("", "Title"),
        paragraph("lead"),
        drawing(),
        paragraph(LONG),
        drawing(),
        paragraph("end"),
    ]
    assert shape(stretches_in(blocks)) == [
        "Title",
        f"passage(lead) in-margin(*) passage({LONG}) --rows:2;--until:2;--closed:2",
        "in-margin(*) passage(end) --rows:1;--until:1;--closed:1",
    ]


def test_a_picture_ends_above_the_first_pair():
    blocks = [drawing(), paragraph(LONG), pair(), paragraph("after"), pair()]
    (stretch,) = stretches_in(blocks)
    assert stretch["style"] == "--rows:4;--until:1;--closed:1"
    assert [part["classes"][-1] for part in stretch] == ["in-margin", "passage", "pairs", "passage", "pairs"]


def test_a_picture_ends_above_a_section_with_an_exercise_which_is_wide_when_its_solution_shows():
    exercise = nodes.section("", paragraph("text"), nodes.container("", design_component="tries"))
    (stretch,) = stretches_in([drawing(), paragraph(LONG), exercise])
    assert stretch["style"] == "--rows:2;--until:2;--closed:1"
    assert [part["classes"][-1] for part in stretch] == ["in-margin", "passage", "exercises"]


def test_a_picture_much_higher_than_the_text_beside_it_stands_in_the_text():
    high = nodes.paragraph(
        "", "", nodes.raw("", '<svg class="drawing" viewBox="0 0 480 900"></svg>', format="html")
    )
    for blocks, looks in (
        ([paragraph(LONG), high, paragraph("end")], {"stretch"}),
        ([high, paragraph("end")], {"stretch", "alone", "short"}),
        ([high, paragraph("end"), pair(), paragraph(LONG)], {"stretch", "alone"}),
    ):
        found = stretches_in([block.deepcopy() for block in blocks])[-1]
        assert set(found["classes"]) == looks


def test_a_picture_takes_no_text_that_the_picture_above_it_needs():
    high = nodes.paragraph(
        "", "", nodes.raw("", '<svg class="drawing" viewBox="0 0 480 600"></svg>', format="html")
    )
    above, below = stretches_in([high, paragraph(LONG), paragraph("lead"), high.deepcopy(), paragraph("end")])
    assert above[-1].astext() == LONG and below[0].astext() == "lead" and "alone" in below["classes"]


def test_a_picture_with_nothing_but_a_pair_behind_it_stands_in_the_text():
    (stretch,) = stretches_in([drawing(), pair()])
    assert "alone" in stretch["classes"]


def test_a_figure_that_computes_ends_a_stretch_and_a_section_with_one_does_too():
    live = nodes.raw("", LIVE, format="html")
    for block in (
        live,
        nodes.section("", live.deepcopy()),
        nodes.section("", drawing()),
        nodes.section("", pair()),
    ):
        found = stretches_in([drawing(), paragraph(LONG), block, paragraph("after")])
        kept = isinstance(block, nodes.section) and not block.astext()
        assert len(found) == (1 if kept else 3)


def test_the_caption_of_a_drawing_goes_with_it():
    behind = nodes.paragraph("", "", nodes.emphasis("", "What it shows."), nodes.Text(" More."))
    (stretch,) = stretches_in([drawing(), behind])
    assert (
        shape([stretch])[0].startswith("in-margin(*) passage(More.)")
        or "What it shows." in stretch[0].astext()
    )
    assert behind.astext() == "More."


IN_VIEW = """() => [...document.querySelectorAll(".stays")].map((picture) => {
    const [at, room] = [picture, picture.parentElement].map((e) => e.getBoundingClientRect());
    return { top: at.top, bottom: at.bottom, left: at.left, right: at.right, until: room.bottom, from: room.top };
})"""


@pytest.mark.parametrize("choice", ["", "?framework=torch"])
def test_a_picture_stays_in_view_beside_the_text_and_covers_nothing(page: Page, book: str, choice: str):
    page.goto(f"{book}/chapters/attention.html{choice}", timeout=60_000)
    page.evaluate("() => window.MathJax?.startup?.promise")
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


@pytest.mark.parametrize("width", [768, NARROW])
def test_without_a_margin_a_picture_stands_in_the_text(page: Page, book: str, width: int):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{book}/chapters/attention.html", timeout=60_000)
    before, picture, behind = page.locator(".stretch > *").all()[:3]
    boxes = [part.bounding_box() for part in (before, picture, behind)]
    assert [box["x"] for box in boxes] == [boxes[0]["x"]] * 3
    for upper, lower in pairwise(boxes):
        assert upper["y"] + upper["height"] <= lower["y"]


@pytest.mark.parametrize("width", [1200, WIDE, 768])
def test_prose_code_and_boxes_have_one_measure(page: Page, book: str, width: int):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{book}/chapters/attention.html", timeout=60_000)
    blocks = ":is(section, .passage) > :is(p, .admonition, .cell)"
    edges = page.locator(f"article :is({blocks})").evaluate_all(
        "found => found.filter((e) => e.checkVisibility() && !e.parentElement.closest('.exercise')).map((e) => Math.round(e.getBoundingClientRect().right))"
    )
    assert len(edges) > 40 and max(edges) - min(edges) <= 1


MAY_SCROLL = ".cell pre, attention-map .scroll, .pst-scrollable-table-container"
SCROLLS = """(found) => found.filter((part) => part.checkVisibility())
    .map((part) => part.scrollWidth > part.clientWidth && part.textContent)"""


@pytest.mark.parametrize(
    "name",
    ["attention", "pooling", "self_attention", "transformer", "translation", "language_model", "errata"],
)
def test_code_what_it_prints_maps_and_tables_fit_a_phone(page: Page, book: str, name: str):
    page.set_viewport_size({"width": NARROW, "height": 900})
    page.goto(f"{book}/chapters/{name}.html", timeout=60_000)
    scrolls = page.locator(MAY_SCROLL).evaluate_all(SCROLLS)
    assert len(scrolls) > 20 and not any(scrolls), [*filter(None, scrolls)]


@pytest.mark.parametrize(("width", "scheme"), [(WIDE, "light"), (WIDE, "dark"), (NARROW, "light")])
def test_no_picture_has_a_frame_and_its_code_stands_below_it(page: Page, book: str, width: int, scheme: str):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{book}/chapters/pooling.html", timeout=60_000)
    cells = page.locator(".cell:has(svg.plot, attention-map)").all()
    assert len(cells) == 3
    for cell in cells:
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
    shown = page.locator(".cell_output:has(> .highlight-python)").evaluate_all(first)
    printed = page.locator(".cell_output:has(> .stream)").evaluate_all(first)
    assert shown and max(shown) <= max(printed) + 1


def test_a_chapter_opens_with_its_question_in_larger_letters(page: Page, book: str):
    page.goto(f"{book}/chapters/memory.html", timeout=60_000)
    question = page.locator("h1 ~ .stretch p > em").first
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


LINES = """(found) => found.map((line) => [line.textContent,
    line.getBoundingClientRect().height / parseFloat(getComputedStyle(line).lineHeight)])"""


@pytest.mark.parametrize("name", ["explanation", "normalisers", "pooling"])
def test_printed_lines_that_are_a_little_too_long_fit_by_smaller_letters(page: Page, book: str, name: str):
    page.set_viewport_size({"width": WIDE, "height": 900})
    page.goto(f"{book}/chapters/{name}.html", timeout=60_000)
    lines = page.locator(":is(section, .passage) > .cell .cell_output pre[style] .line:visible")
    found = lines.evaluate_all(LINES)
    assert len(found) > 20 and all(rows < 1.5 for _, rows in found), found


def test_lines_of_code_are_equally_far_from_each_other_where_they_wrap(page: Page, book: str):
    page.set_viewport_size({"width": WIDE, "height": 900})
    page.goto(f"{book}/chapters/prerequisites.html", timeout=60_000)
    heights = page.evaluate(
        "() => [...document.querySelectorAll('.highlight .line')].map((line) => line.getBoundingClientRect().height)"
    )
    parts = {round(height / min(heights), 2) for height in heights}
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
