"""Pictures: a number and a caption for each, and a text for those who do not see it."""

import json
import re
import sys

import nbformat
import pytest
from docutils import nodes
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from sphinx.application import Sphinx

from autograder.book.contents import tags
from autograder.copies.start import CLAIMS
from autograder.model.paths import ROOT
from tests.book.sample_book import white_png

sys.path.insert(0, str(ROOT / "_ext"))

CHAPTERS = sorted((ROOT / "chapters").glob("*.ipynb"))
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
CAPTION = re.compile(r"\*[^*\s][^*]*[.?!]\*(?=\s|$)")
SENTENCE = re.compile(r"[A-Z].{40,}\.", re.DOTALL)
# Of one theme only, or of where a picture happens to stand.
OF_ONE_THEME = re.compile(r"\b(dark|darker|darkest|light|lighter|black|white)\b")


def text_of(cell):
    return "".join(cell["source"])


def forms(cell):
    """The forms of a cell's outputs, each output's by itself."""
    return [set(output.get("data", {})) for output in cell.get("outputs", [])]


def pictures(chapter):
    """(cell, the cell behind it) for each cell that shows a plot or a map."""
    cells = [c for c in json.loads(chapter.read_text(encoding="utf-8"))["cells"] if not tags(c, CLAIMS)]
    for cell, following in zip(cells, [*cells[1:], None], strict=True):
        if any("image/png" in output for output in forms(cell)):
            yield cell, following


@each_chapter
def test_every_picture_is_followed_by_its_caption(chapter):
    for cell, following in pictures(chapter):
        assert following and CAPTION.match(text_of(following)), text_of(cell)
        caption = CAPTION.match(text_of(following))[0]
        assert not OF_ONE_THEME.search(caption), f"the other theme turns it round: {caption}"


@each_chapter
def test_every_plot_has_a_text_that_says_what_it_shows(chapter):
    """A map needs none: on the page it is a table."""
    for cell, _ in pictures(chapter):
        if any("image/png" in output and "text/html" not in output for output in forms(cell)):
            alternative = cell["metadata"].get("mystnb", {}).get("image", {}).get("alt", "")
            assert SENTENCE.fullmatch(alternative), f"{text_of(cell)}\nhas the text {alternative!r}"


def test_a_picture_has_a_name_if_the_text_refers_to_it():
    names = [
        cell["metadata"]["figure"]
        for c in CHAPTERS
        for cell, _ in pictures(c)
        if "figure" in cell["metadata"]
    ]
    referred = {
        name for c in CHAPTERS for name in re.findall(r"\{ref\}`[^`<]*<(fig-[\w-]+)>`", c.read_text("utf-8"))
    }
    assert set(names) == referred and len(set(names)) == len(names)


def picture(**metadata):
    output = new_output("display_data", data={"image/png": white_png(), "text/plain": "a plot"})
    return new_code_cell("plot()", metadata=metadata, outputs=[output], execution_count=1)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The tree and the HTML of a page with pictures of each kind."""
    folder = tmp_path_factory.mktemp("figures")
    cells = [
        new_markdown_cell("# Pictures\n\nAs {ref}`the slope <fig-slope>` shows."),
        picture(figure="fig-slope", mystnb={"image": {"alt": "A grey slope."}}),
        new_markdown_cell("*A slope, with $x$.* It rises."),
        picture(),
        new_markdown_cell(
            "*Another slope.*\n\n## A heading\n\n![A box](drawings/box.svg)\n\n*A drawing.* It is empty."
        ),
        picture(),
        new_markdown_cell("No caption, *but* emphasis."),
        new_code_cell("print(1)", outputs=[new_output("stream", text="1\n")], execution_count=1),
        new_markdown_cell("*Emphasis behind a number.*"),
    ]
    (folder / "drawings").mkdir()
    (folder / "drawings" / "box.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    nbformat.write(new_notebook(cells=cells), folder / "index.ipynb")
    settings = {
        "extensions": ["myst_nb", "figure_numbers"],
        "nb_execution_mode": "off",
        "numfig": True,
        "myst_enable_extensions": ["dollarmath"],
    }
    app = Sphinx(str(folder), None, str(folder / "out"), str(folder / "trees"), "html", settings, status=None)
    app.build()
    return app.env.get_doctree("index"), (folder / "out" / "index.html").read_text(encoding="utf-8")


def test_a_picture_or_a_drawing_and_its_caption_become_a_figure(page):
    tree, html = page
    captions = [figure.next_node(nodes.caption).astext() for figure in tree.findall(nodes.figure)]
    assert captions == ["A slope, with x.", "Another slope.", "A drawing."]
    assert re.findall(r'caption-number">(Fig\. \d) ', html) == ["Fig. 1", "Fig. 2", "Fig. 3"]
    assert 'alt="A grey slope."' in html and html.count("<img ") == 4


def test_what_follows_a_caption_stays_and_nothing_else_is_taken(page):
    tree, _ = page
    paragraphs = [p.astext() for p in tree.findall(nodes.paragraph)]
    assert "It rises." in paragraphs and "It is empty." in paragraphs
    assert "No caption, but emphasis." in paragraphs and "Emphasis behind a number." in paragraphs
    assert "Another slope." not in paragraphs


def test_a_named_figure_can_be_referred_to(page):
    _, html = page
    assert 'href="#fig-slope"' in html and 'id="fig-slope"' in html
