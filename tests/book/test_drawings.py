"""Each chapter begins with a drawing: current, with words for those who do not see it, legible in a browser."""

from __future__ import annotations

import json
import re
import shutil
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest
from docutils import nodes
from docutils.utils import new_document
from playwright.sync_api import Browser, Page
from sphinx_design.shared import PassthroughTextElement

from autograder.book.contents import chapters, notebook_of, source
from autograder.copies.start import start
from autograder.model.errors import ToolError
from autograder.model.paths import ROOT
from tests.faces import book_faces, load_faces
from tools.drawings import CARDS, FOLDER, changes, drawing, names
from tools.drawings.kit import HEAD, ROLES, SMALL, WIDTH, Drawing, number, share, vector
from tools.drawings.thumbnails import thumbnail

sys.path.insert(0, str(ROOT / "_ext"))
from drawings import BROWSER, InlineDrawings, PlainCards, printed

SVG = "{http://www.w3.org/2000/svg}"
IMAGE = re.compile(r"!\[([^\]]+)\]\((drawings/\w+\.svg)\)")
KINDS = {
    "small",
    "strong",
    "word",
    "shape",
    "empty",
    "thick",
    "solid",
    "bar",
    "line",
    "dashed",
    "faint",
    "paper",
}
# Every text of a drawing: its words, and its box in units of the viewBox.
BOXES = """() => [...document.querySelectorAll("text")].map((text) => {
    const box = text.getBBox();
    return [text.textContent, box.x, box.y, box.x + box.width, box.y + box.height];
})"""
# Paper, by its ink.
ON = {"rgb(28, 36, 48)": "rgb(255, 255, 255)", "rgb(232, 237, 242)": "rgb(20, 24, 30)"}
# A side of the picture, not a right answer: "on the right patch".
SIDES = re.compile(
    r"\b(?:[Oo]n|[Aa]t) the (?:left|right)(?= (?:are|the|two|all|not|only)\b|[.,;*])|\((?:left|right)\b|; (?:left|right), |\bLeft:|\*Below:"
)
SLACK = 5  # a line of text is higher than its letters


def parsed(topic: str) -> ET.Element:
    return ET.fromstring((ROOT / FOLDER / f"{topic}.svg").read_text(encoding="utf-8"))


# --- The files -------------------------------------------------------------------------------------


def test_every_drawing_is_what_its_module_makes_and_none_is_left_over():
    assert changes() == {}
    assert sorted(path.stem for path in (ROOT / FOLDER).glob("*")) == sorted(names())


def test_a_further_drawing_has_the_name_of_a_topic_in_front_and_its_chapter_shows_it():
    for name in names()[len(chapters()) :]:
        topics = [topic for topic in chapters() if name.startswith(f"{topic}_")]
        texts = [source(cell) for topic in topics for cell in notebook_of(topic)["cells"]]
        links = [link for text in texts for link in IMAGE.findall(text)]
        assert (drawing(name).title, f"drawings/{name}.svg") in links


@pytest.mark.slow
def test_a_drawing_that_was_edited_or_is_missing_is_written_anew(tmp_path: Path):
    for folder in (FOLDER, CARDS):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / FOLDER / "pooling.svg").write_text("edited")
    (tmp_path / FOLDER / "attention.svg").unlink()
    files = changes(tmp_path)
    assert {path.name for path in files} == {"attention.svg", "pooling.svg"}
    assert files[tmp_path / FOLDER / "pooling.svg"] == drawing("pooling").svg()


def test_every_chapter_has_a_small_drawing_for_the_first_page_and_no_word_of_it_lies_on_another(page: Page):
    for topic in chapters():
        small = thumbnail(topic, drawing(topic).title)
        root = ET.fromstring(small.svg())
        assert root.find(f"{SVG}title").text == drawing(topic).title and root.find(f"{SVG}desc") is None
        show(page, small.svg())
        boxes = page.evaluate(BOXES)
        assert overlaps(boxes, small.height) == [] and all(right <= small.width for *_, right, _ in boxes)
        used = {name for part in root.iter() if part is not root for name in part.get("class", "").split()}
        assert used <= KINDS | set(ROLES)
    with pytest.raises(ToolError, match=r"thumbnails\.py must have a sketch of unknown"):
        thumbnail("unknown", "A title")


def test_a_chapter_without_a_module_that_draws_says_which_file_is_missing():
    with pytest.raises(ToolError, match=r"tools/drawings/unknown\.py is missing.*: write it\."):
        drawing("unknown")


@pytest.mark.parametrize("topic", names())
def test_a_drawing_has_a_title_a_description_and_classes_that_its_styles_know(topic: str):
    root = parsed(topic)
    assert root.get("role") == "img" and root.get("viewBox", "").split()[2] == str(WIDTH)
    parts = {part.get("id"): part for part in root.iter() if part.get("id")}
    title, description = (parts[name] for name in root.get("aria-labelledby", "").split())
    assert (title.tag, description.tag) == (f"{SVG}title", f"{SVG}desc")
    assert 40 < len(title.text or "") < 130 < len(description.text or "")
    assert all(name.startswith(f"drawing-{topic}") for name in parts)
    used = {name for part in root.iter() if part is not root for name in part.get("class", "").split()}
    assert used <= KINDS | set(ROLES)


@pytest.mark.parametrize("topic", chapters())
def test_the_first_cell_shows_the_drawing_and_says_what_it_shows(topic: str):
    paragraphs = source(notebook_of(topic)["cells"][0]).split("\n\n")
    assert paragraphs[1].startswith("*") and paragraphs[1].endswith("*")
    assert IMAGE.fullmatch(paragraphs[2]).groups() == (drawing(topic).title, f"drawings/{topic}.svg")


@pytest.mark.parametrize("topic", chapters())
def test_captions_name_parts_and_not_sides_since_a_phone_shows_them_one_above_the_other(topic: str):
    cells = [source(cell) for cell in notebook_of(topic)["cells"] if cell["cell_type"] == "markdown"]
    captions = [
        part for text in cells for part in text.split("\n\n") if part.startswith(("*", "```{live-figure}"))
    ]
    assert [SIDES.findall(caption) for caption in captions if SIDES.search(caption)] == []


def test_ids_are_unique_on_a_page_that_shows_all_drawings():
    ids = Counter(part.get("id") for name in names() for part in parsed(name).iter() if part.get("id"))
    assert set(ids.values()) == {1}


def test_the_drawing_of_a_number_is_short_and_has_a_real_minus():
    assert [number(v) for v in (2.0, -0.001, -3.0, 0.666, 100.0)] == ["2", "0", "−3", "0.67", "100"]
    assert [share(v) for v in (0.1, 0.0, 0.004)] == ["0.10", "0", "0.00"]
    assert vector([-1.0, 0.5]) == "(−1, 0.5)"


def test_an_arrow_ends_at_its_last_point_and_words_are_escaped():
    sketch = Drawing("A < B", "a & b", 100, name="sample")
    sketch.arrow([(10, 20), (60, 20)])
    sketch.text(50, 50, "x < y")
    root = ET.fromstring(sketch.svg())
    tip, *_ = root.find(f"{SVG}polygon").get("points").split()
    assert tip == "60,20"
    end = float(root.find(f"{SVG}path").get("d").split()[-2].removeprefix("L"))
    assert 60 - HEAD < end < 60
    assert [root.find(f"{SVG}{tag}").text for tag in ("title", "desc", "text")] == ["A < B", "a & b", "x < y"]


# --- In a browser ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page(browser: Browser, request: pytest.FixtureRequest):
    """A page as wide as a drawing, in the book's faces or in those of a parameter."""
    page = browser.new_page(viewport={"width": WIDTH, "height": 800})
    faces = getattr(request, "param", book_faces)()
    page.set_content(f"<!doctype html><style>{faces}\nbody{{margin:0}}</style>")
    load_faces(page)
    yield page
    page.close()


def show(page: Page, text: str, theme: str = "light") -> None:
    page.evaluate(
        "([text, theme]) => { document.body.innerHTML = text; document.documentElement.dataset.theme = theme; }",
        [text, theme],
    )


@pytest.mark.parametrize("topic", names())
@pytest.mark.parametrize("page", [book_faces, str], indirect=True, ids=["page", "copy"])
def test_no_word_lies_on_another_or_outside_or_is_too_small(page: Page, topic: str):
    sketch = drawing(topic)
    show(page, sketch.svg())
    assert overlaps(page.evaluate(BOXES), sketch.height) == []
    sizes = page.eval_on_selector_all(
        "text", "all => all.map(text => parseFloat(getComputedStyle(text).fontSize))"
    )
    assert min(sizes) >= SMALL


def overlaps(boxes: list[tuple[str, float, float, float, float]], height: float) -> list[tuple[str, ...]]:
    """The words that leave the drawing, and the pairs of words that lie on each other."""
    wrong: list[tuple[str, ...]] = []
    for i, (words, left, top, right, bottom) in enumerate(boxes):
        if left < 0 or right > WIDTH or top + SLACK < 0 or bottom - SLACK > height:
            wrong.append((words,))
        for other, left2, top2, right2, bottom2 in boxes[i + 1 :]:
            high, low = max(top, top2) + SLACK, min(bottom, bottom2) - SLACK
            if max(left, left2) < min(right, right2) and high < low:
                wrong.append((words, other))
    return wrong


def test_words_on_each_other_and_words_outside_are_found(page: Page):
    sketch = Drawing("A title", "A description", 100, name="sample")
    for x, y, words in (
        (100, 50, "one"),
        (110, 54, "two"),
        (300, 50, "apart"),
        (715, 50, "cut off"),
        (400, 99, "low"),
    ):
        sketch.text(x, y, words)
    show(page, sketch.svg())
    assert overlaps(page.evaluate(BOXES), 100) == [("one", "two"), ("cut off",), ("low",)]


@pytest.mark.parametrize(("theme", "scheme", "media", "ink"), [
    ("light", "dark", "screen", "rgb(28, 36, 48)"),
    ("dark", "light", "screen", "rgb(232, 237, 242)"),
    ("auto", "dark", "screen", "rgb(232, 237, 242)"),
    ("dark", "dark", "print", "rgb(28, 36, 48)"),
])  # fmt: skip
def test_the_ink_follows_the_page_then_the_system_and_is_dark_on_paper(
    page: Page, theme: str, scheme: str, media: str, ink: str
):
    page.emulate_media(color_scheme=scheme, media=media)
    show(page, drawing("attention").svg(), theme)
    fill = page.eval_on_selector("text.ink", "text => getComputedStyle(text).fill")
    paper = page.eval_on_selector("rect.paper", "rect => getComputedStyle(rect).fill")
    page.emulate_media(color_scheme="light", media="screen")
    assert fill == ink
    assert paper == ("none" if theme != "auto" and media == "screen" else ON[ink])


def test_a_drawing_leaves_the_styles_of_its_page_alone(page: Page):
    show(page, '<p class="ink small">text</p>' + drawing("attention").svg() + drawing("pooling").svg())
    alone = page.eval_on_selector("p", "p => [getComputedStyle(p).fontSize, getComputedStyle(p).fill]")
    assert alone == ["16px", "rgb(0, 0, 0)"]


# --- In the page and in copies ---------------------------------------------------------------------


class Environment:
    """As much of Sphinx's as the transform asks for."""

    srcdir = ROOT


def replaced(uri: str) -> nodes.Node:
    document = new_document("chapter")
    document.settings.env = Environment
    document += nodes.paragraph("", "", nodes.image(uri=uri))
    transform = InlineDrawings(document)
    transform.run()
    return document[0][0]


def test_in_a_page_the_drawing_itself_stands_in_the_place_of_its_image():
    node = replaced("chapters/drawings/attention.svg")
    assert isinstance(node, nodes.raw) and node["format"] == "html"
    assert node.astext() == (ROOT / FOLDER / "attention.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("uri", ["chapters/other/attention.svg", "chapters/drawings/photo.png", "logo.svg"])
def test_other_images_stay(uri: str):
    assert isinstance(replaced(uri), nodes.image)


def test_only_html_takes_the_drawing_in():
    assert InlineDrawings.formats == ("html",)


def test_for_paper_a_browser_prints_a_drawing_in_its_size(tmp_path: Path):
    if shutil.which(BROWSER) is None:
        pytest.skip(f"{BROWSER} prints the drawings: install it (apt install chromium)")
    for topic in ("attention", "transformer"):
        svg, pdf = FOLDER / f"{topic}.svg", tmp_path / f"{topic}.pdf"
        width, height = map(float, re.search(r'width="(\d+)" height="(\d+)"', svg.read_text()).groups())
        assert printed(svg, pdf)
        boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf.read_bytes())
        assert len(boxes) == 1  # one page; a PDF counts 72 points where a page counts 96 pixels
        assert [float(n) / 0.75 for n in boxes[0]] == pytest.approx([width, height], abs=2)


def test_on_paper_cards_hold_no_drawings_and_no_links_over_them():
    document = new_document("page")
    link = PassthroughTextElement("", nodes.reference(refuri="attention.html"))
    image = nodes.image(uri="drawings/attention.svg")
    card = nodes.container("", image, nodes.paragraph(), link, classes=["sd-card"])
    document += [card, nodes.image(uri="drawings/attention.svg")]
    PlainCards(document).run()
    assert [type(child) for child in card.children] == [nodes.paragraph]
    assert len(list(document.findall(nodes.image))) == 1


def test_a_copy_has_its_drawing_beside_it(tmp_path: Path):
    start(tmp_path)
    for topic, path in zip(chapters(), sorted(tmp_path.glob("[0-9]*.ipynb")), strict=True):
        links = [link for _, link in IMAGE.findall(source(notebook_cells(path)[0]))]
        assert links[0] == f"drawings/{topic}.svg"  # behind it there may be the still of a figure
    for name in names():
        copied = tmp_path / "drawings" / f"{name}.svg"
        assert copied.read_bytes() == (ROOT / FOLDER / f"{name}.svg").read_bytes()


@pytest.mark.slow
def test_a_start_anew_brings_the_drawings_of_today(tmp_path: Path):
    start(tmp_path, "torch")
    (tmp_path / "drawings" / "pooling.svg").write_text("of an older course")
    (tmp_path / "drawings" / "attention.svg").unlink()
    start(tmp_path, "torch")
    for name in ("pooling.svg", "attention.svg"):
        assert (tmp_path / "drawings" / name).read_bytes() == (ROOT / FOLDER / name).read_bytes()


def notebook_cells(path: Path) -> list[dict]:
    return json.loads(path.read_text(encoding="utf-8"))["cells"]
