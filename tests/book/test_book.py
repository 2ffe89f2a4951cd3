"""The book's machinery, in a small sample and in the book itself, in a real browser."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from playwright.sync_api import Browser, Page, expect
from sphinx_book_theme.header_buttons import update_context_with_repository_info

from autograder import __version__
from autograder.book.contents import file_of
from tests.book.browsing import NARROW, WIDE, pages_of_toc, wait_until
from tests.book.legible import IN_CELLS, faint_texts
from tests.book.sample_book import ROOT, SIXTY, build, write_sample_book

sys.path.insert(0, str(ROOT / "_ext"))
from side_by_side import SideBySide, framework_of, groups_in, head
from side_by_side.folds import shown_once
from side_by_side.head import outdated, published

CHAPTERS = sorted((ROOT / "chapters").glob("*.ipynb"))


# --- The extension ---------------------------------------------------------------------------------


def cell(*tags: str) -> nodes.container:
    """A code cell as myst-nb hands it to the extension."""
    return nodes.container("", nb_element="cell_code", cell_metadata={"tags": list(tags)})


def cells(frameworks: str) -> list[nodes.Node]:
    """Nodes by letter: m, t and k are tagged cells, u is an untagged cell and p is a paragraph."""
    tags = {"m": "framework-mxnet", "t": "framework-torch", "k": "framework-keras"}
    untagged = {"u": cell, "p": nodes.paragraph}
    return [cell("check", tags[letter]) if letter in tags else untagged[letter]() for letter in frameworks]


def letters(group: list[nodes.container]) -> str:
    return "".join(str(framework_of(node))[0] for node in group)


@pytest.mark.parametrize(
    ("page", "groups"),
    [
        ("mt", ["mt"]),
        ("mmtt", ["mmtt"]),
        ("mtmt", ["mt", "mt"]),
        ("mtktk", ["mtk", "tk"]),
        ("mtpmt", ["mt", "mt"]),
        ("mut", ["m", "t"]),
        ("tm", ["t", "m"]),
        ("pu", []),
    ],
)
def test_adjacent_cells_form_groups_until_prose_or_an_earlier_framework(page: str, groups: list[str]):
    assert [letters(group) for group in groups_in(cells(page))] == groups


@pytest.mark.parametrize(
    "node",
    [
        cell(),
        cell("framework-jax"),
        nodes.container("", nb_element="cell_code"),
        nodes.container(),
        nodes.paragraph(),
    ],
)
def test_only_a_cell_tagged_for_a_known_framework_has_a_framework(node: nodes.Node):
    assert framework_of(node) is None


def transformed(children: list[nodes.Node]) -> nodes.Element:
    """A section with these children, inside a document, after the transform."""
    document = new_document("chapter")
    section = nodes.section("", nodes.paragraph(), *children)
    document += section
    SideBySide(document).run()
    return section


def test_all_cells_of_a_framework_stand_in_its_tab_in_their_order():
    children = cells("mmttk")
    section = transformed(children)
    items = section[1].children
    assert [item[0].astext() for item in items] == ["MXNet", "PyTorch", "Keras"]
    assert [item[0]["sync_id"] for item in items] == ["mxnet", "torch", "keras"]
    assert [list(item[1].children) for item in items] == [children[:2], children[2:4], children[4:]]


def test_a_framework_alone_stays_as_it_is():
    children = cells("ttpm")
    assert transformed(children).children[1:] == children


def test_a_solution_that_is_the_same_in_all_frameworks_is_shown_once():
    def answer(framework: str, code: str) -> nodes.container:
        node = cell(f"framework-{framework}", "exercise:count")
        node += nodes.container("", nodes.literal_block(code, code), nb_element="cell_code_source")
        return node

    same = [answer("mxnet", "n = 1"), answer("torch", "n = 1")]
    checks = [cell("framework-mxnet"), cell("framework-torch")]
    group = [same[0], checks[0], same[1], checks[1]]
    assert shown_once(group) == [same[0], *checks] and framework_of(same[0]) is None
    other = [answer("mxnet", "n = 1"), answer("torch", "n = 2")]
    assert shown_once(other) == other


def test_what_stands_around_a_group_keeps_its_place():
    children = cells("umtpu")
    section = transformed(children)
    assert [section[1], *section[3:]] == [children[0], *children[3:]]


def test_groups_inside_another_node_are_found():
    exercise = nodes.container("", *cells("mt"))
    transformed([exercise])
    assert exercise[0]["design_component"] == "tab-set"


@pytest.mark.parametrize("host", ["https://github.com", "https://git.example.org", "https://gitlab.com"])
def test_the_project_may_lie_on_any_host(monkeypatch: pytest.MonkeyPatch, host: str):
    monkeypatch.setenv("BOOK_REPOSITORY", f"{host}/course/attention")
    config = SimpleNamespace(
        html_baseurl="",
        book_repository="",
        html_theme_options={},
        html_context={},
        templates_path=[],
        html_additional_pages={},
    )
    app = SimpleNamespace(builder=SimpleNamespace(), config=config, confdir=str(ROOT))
    published(app, config)
    update_context_with_repository_info(app)
    assert config.html_theme_options["use_issues_button"]
    # The theme warns of a Colab that cannot read the host, and a warning stops the book.
    assert ("colab_url" in config.html_theme_options["launch_buttons"]) == (host == "https://github.com")


@pytest.mark.slow
def test_binder_and_colab_open_the_copy_of_a_chapter_where_the_project_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample_folder: Path
):
    write_sample_book(tmp_path)
    monkeypatch.setenv("BOOK_REPOSITORY", "https://github.com/course/attention")
    build(tmp_path)
    pages = "_build/html/chapters"
    html = (tmp_path / pages / "masked_softmax.html").read_text()
    (address,) = re.findall(r'href="(https://mybinder[^"]*)"', html)
    copy = f"learn/{file_of('masked_softmax')}"
    assert address == f"https://mybinder.org/v2/gh/course/attention/HEAD?urlpath=lab/tree/{copy}"
    (address,) = re.findall(r'href="(https://colab[^"]*)"', html)
    published = f"course/attention/blob/learn/{file_of('masked_softmax')}"
    assert address == f"https://colab.research.google.com/github/{published}"
    for html in (tmp_path / pages / "index.html", sample_folder / pages / "masked_softmax.html"):
        assert "mybinder" not in html.read_text() and "colab.research" not in html.read_text()


# --- The sample: what a reader sees and chooses ------------------------------------------------------


def open_notes(page: Page) -> None:
    """Open the folds at the end of a page."""
    page.locator("details.notes").evaluate_all("(folds) => folds.forEach((fold) => { fold.open = true })")


def visible_frameworks(page: Page) -> list[list[str]]:
    """For each group outside the folds of exercises, the frameworks whose code can be seen; the notes are opened."""
    open_notes(page)
    return page.evaluate(
        """() => [...document.querySelectorAll(".frameworks:not(.fold .frameworks)")].map((group) =>
            [...group.querySelectorAll(":scope > label")]
                .filter((label) => label.nextElementSibling.checkVisibility())
                .map((label) => label.dataset.syncId))"""
    )


def choose(page: Page, name: str) -> None:
    """Use the switch in the page's header."""
    page.locator(".framework-switch").get_by_label(re.compile(f"^{name}")).check(force=True)


def open_tab(page: Page, name: str, group: int = 0) -> None:
    page.locator(".frameworks").nth(group).locator("> label", has_text=name).click()


# --- The sample: layout ----------------------------------------------------------------------------


def test_a_wide_page_shows_every_framework_of_a_group(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    pair, three = ["mxnet", "torch"], ["mxnet", "torch", "keras"]
    assert visible_frameworks(page) == [pair, pair, pair, pair, pair, three, pair]


def test_twin_cells_stand_next_to_each_other(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    contents = page.locator(".frameworks").nth(1).locator("> .sd-tab-content")
    boxes = [[cell.bounding_box() for cell in contents.nth(i).locator("> .cell").all()] for i in (0, 1)]
    assert [len(column) for column in boxes] == [2, 2]
    for left, right in zip(*boxes, strict=True):
        assert left["y"] == pytest.approx(right["y"], abs=1)
        assert left["x"] + left["width"] < right["x"]


def test_a_third_framework_stands_below_the_pair(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    contents = page.locator(".frameworks-3 > .sd-tab-content")
    left, right, below = (contents.nth(i).bounding_box() for i in range(3))
    assert left["y"] == right["y"]
    assert below["y"] >= max(left["y"] + left["height"], right["y"] + right["height"])


@pytest.mark.parametrize("width", [1200, WIDE, 1920])
def test_two_columns_of_sixty_characters_need_no_scrolling(page: Page, sample: str, width: int):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{sample}/masked_softmax.html")
    assert len(SIXTY) == 60
    blocks = page.locator("section > .frameworks .cell_input pre", has_text=SIXTY)
    assert blocks.count() == 4
    sizes = blocks.evaluate_all("found => found.map((pre) => [pre.scrollWidth, pre.clientWidth])")
    assert all(0 < needed <= width_of_client for needed, width_of_client in sizes)


def test_a_narrow_page_shows_one_framework_and_its_tabs_move_together(page: Page, sample: str):
    page.set_viewport_size({"width": NARROW, "height": 900})
    page.goto(f"{sample}/masked_softmax.html")
    assert visible_frameworks(page) == [["torch"]] * 7
    open_tab(page, "MXNet", group=1)
    assert visible_frameworks(page) == [["mxnet"]] * 7
    page.goto(f"{sample}/dot_product.html")
    assert visible_frameworks(page) == [["mxnet"]]


def test_hidden_cells_open_inside_a_group_and_removed_cells_are_gone(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    hidden = page.locator(".frameworks details", has_text="hidden_input_mxnet")
    assert not hidden.locator("pre").is_visible()
    assert hidden.locator("summary").inner_text() == "Show the code"
    hidden.locator("summary").click()
    assert hidden.locator("pre").is_visible()
    assert "0.1234" in page.locator(".frameworks details", has_text="0.1234").text_content()
    assert "removed_cell" not in page.content()


def test_paper_shows_the_frameworks_side_by_side_or_the_chosen_one(page: Page, sample: str):
    page.emulate_media(media="print")
    page.goto(f"{sample}/masked_softmax.html")
    contents = page.locator(".frameworks").first.locator("> .sd-tab-content")
    first, second = (contents.nth(i).bounding_box() for i in range(2))
    assert first["y"] == second["y"] and first["x"] + first["width"] <= second["x"]
    imports = page.locator(".cell", has=page.locator("summary", has_text="Imports"))
    assert imports.count() == 1 and not imports.is_visible()
    page.goto(f"{sample}/masked_softmax.html?framework=torch")
    assert visible_frameworks(page)[0] == ["torch"]
    assert page.locator(".frameworks > label:visible").all_text_contents()[0].strip() == "PyTorch"


# A4 with both frameworks; the hints and solutions of the page alone would fill ten.
@pytest.mark.parametrize(
    ("chapter", "most"), [("attention", 21), ("self_attention", 17), ("language_model", 19)]
)
def test_a_chapter_is_printed_on_few_pages_and_without_hints_or_solutions(
    page: Page, book: str, chapter: str, most: int
):
    page.goto(f"{book}/chapters/{chapter}.html")
    pdf = page.pdf(format="A4", margin=dict.fromkeys(("top", "bottom", "left", "right"), "12mm"))
    assert len(re.findall(rb"/Type /Page\b", pdf)) <= most
    page.emulate_media(media="print")
    exercises = page.locator(".exercise")
    assert page.locator(".exercise:visible").count() == exercises.count() > 3
    assert page.locator(".tries details:visible").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize("changed", ["_static/style.css", "_ext/extension.py", "exercises/topic.py", None])
def test_all_pages_are_written_again_where_style_extensions_or_exercises_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str | None
):
    monkeypatch.setattr(head, "ROOT", tmp_path)
    sources = ("_static/style.css", "_ext/extension.py", "exercises/topic.py")
    for name, time in (*((name, 1) for name in sources), ("built/index.html", 2)):
        path = tmp_path / name
        path.parent.mkdir()
        path.touch()
        os.utime(path, (time, time))
    if changed:
        os.utime(tmp_path / changed, (3, 3))
    config = SimpleNamespace(root_doc="index", html_static_path=["_static"])
    app = SimpleNamespace(confdir=tmp_path, outdir=tmp_path / "built", config=config)
    assert outdated(app, SimpleNamespace(found_docs={"index"}), set()) == ({"index"} if changed else set())


def test_latex_holds_the_frameworks_one_after_the_other(sample_folder: Path):
    build(sample_folder, "--builder", "latex")
    text = "".join(path.read_text() for path in (sample_folder / "_build" / "latex").glob("*.tex"))
    order = re.findall(r"MXNet again|PyTorch again|pooled in \w+", text)
    assert order == [
        "MXNet again",
        "PyTorch again",
        *(f"pooled in {name}" for name in ("MXNet", "PyTorch", "Keras")),
    ]
    # Hints and solutions follow behind all pages, each below the title of its exercise.
    flow, _, appendix = text.partition("Hints and solutions")
    assert "{Hint 1}" not in flow and "{Solution}" not in flow
    assert appendix.index("{Exercise 1 (Attend)}") < appendix.index("{Hint 1}") < appendix.index("{Solution}")


# --- The sample: the reader's choice ---------------------------------------------------------------


def test_the_switch_shows_one_framework_here_and_on_the_next_page(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    choose(page, "PyTorch")
    assert visible_frameworks(page) == [["torch"]] * 7
    page.goto(f"{sample}/dot_product.html")
    assert visible_frameworks(page) == [["torch"]]
    choose(page, "both")
    page.goto(f"{sample}/masked_softmax.html")
    assert visible_frameworks(page)[0] == ["mxnet", "torch"]


OF_BOTH = {"Said of both.", "a cell that compares"}
OF_ONE = {
    "mxnet": {"Said of MXNet, a[0].", "An item of MXNet", "MXNet", "axis", "recording", "record"},
    "torch": {
        "Said of PyTorch.",
        "An item of PyTorch",
        "PyTorch",
        "dim",
        "A cell of PyTorch.",
        "A cell of Keras.",
    },
}


def visible_words(page: Page) -> set[str]:
    """What can be seen of the words of one framework, or of both; an item or a row without words takes no room."""
    return set(
        page.evaluate(
            """() => {
                const found = [...document.querySelectorAll("article p, article li, article td, article th, article span, article pre")]
                    .filter((e) => !e.closest(".frameworks, .framework-switch, summary") && e.checkVisibility());
                return found.map((e) => e.innerText.trim());
            }"""
        )
    ) & {*OF_BOTH, *OF_ONE["mxnet"], *OF_ONE["torch"]}


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_text_follows_the_switch_as_cells_do(page: Page, sample: str, width: int):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{sample}/dot_product.html")
    everything = OF_BOTH | OF_ONE["mxnet"] | OF_ONE["torch"]
    assert visible_words(page) == everything
    for name, title in (("mxnet", "MXNet"), ("torch", "PyTorch")):
        choose(page, title)
        assert visible_words(page) == OF_ONE[name]
        assert visible_frameworks(page) == [[name]]
        page.reload()
        assert visible_words(page) == OF_ONE[name]
    assert page.get_by_role("listitem").filter(has_text="item").filter(visible=True).count() == 1
    assert page.get_by_role("row").filter(visible=True).count() == 2
    page.goto(f"{sample}/index.html")
    assert page.locator("html").get_attribute("data-framework") is None
    page.goto(f"{sample}/dot_product.html")
    choose(page, "both")
    assert visible_words(page) == everything


def test_pytorch_comes_first_in_the_switch_and_in_the_tabs(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    names = page.locator(".framework-switch label").all_inner_texts()
    assert names == ["PyTorch", "MXNet", "Keras", "both"]
    page.set_viewport_size({"width": NARROW, "height": 900})
    open_notes(page)
    tabs = page.locator(".frameworks-3 > label").all()
    places = {tab.inner_text(): tab.bounding_box()["x"] for tab in tabs}
    assert sorted(places, key=places.__getitem__) == ["PyTorch", "MXNet", "Keras"]


def test_pytorch_comes_first_where_a_map_offers_frameworks(page: Page, book: str):
    page.goto(f"{book}/chapters/translation.html", timeout=60_000)
    choice = page.locator("attention-map fieldset", has_text="framework").first
    assert choice.locator("label").all_inner_texts() == ["PyTorch", "MXNet"]
    choice.get_by_label("MXNet").check(force=True)
    assert choice.locator("input:checked").evaluate("(input) => input.labels[0].innerText") == "MXNet"


def test_a_formula_stops_tab_only_where_it_scrolls(page: Page, sample: str):
    stops = "() => [...document.querySelectorAll('article .math, article .math *')].filter((e) => e.tabIndex >= 0).length"
    page.goto(f"{sample}/index.html")
    wait_until(page, "() => document.querySelectorAll('article mjx-container').length > 2")
    assert page.evaluate(stops) == 0
    page.set_viewport_size({"width": 320, "height": 900})
    wait_until(page, f"() => ({stops})() === 1")


def test_chapters_have_numbers_that_their_figures_share(book: str):
    html = (ROOT / "_build" / "html" / "chapters" / "dot_product.html").read_text(encoding="utf-8")
    assert "<title>3\u2002Dot-product attention – Attention, Side by Side</title>" in html
    assert re.search(r'<h1><span class="section-number">3\u2002</span>Dot-product attention', html)
    assert ">2\u2002Masked softmax</a>" in html and ">Glossary</a>" in html
    assert set(re.findall(r'caption-number">(?:Fig\.|Exercise) (\d+)\.\d', html)) == {"3"}


def test_the_switch_works_from_the_keyboard_and_shows_its_focus(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    page.locator(".framework-switch input:checked").focus()
    page.keyboard.press("ArrowRight")
    assert visible_frameworks(page)[0] == ["torch"]
    focused = page.locator(".framework-switch input:focus-visible + span")
    assert focused.text_content() == "PyTorch"
    assert focused.evaluate("(span) => getComputedStyle(span).outlineStyle") == "solid"


def test_tabs_work_from_the_keyboard_and_show_their_focus(page: Page, sample: str):
    page.set_viewport_size({"width": NARROW, "height": 900})
    page.goto(f"{sample}/dot_product.html")
    page.locator(".frameworks > input:checked").focus()
    page.keyboard.press("ArrowRight")
    assert visible_frameworks(page) == [["mxnet"]]
    focused = page.locator(".frameworks > input:focus-visible + label")
    assert focused.evaluate("(label) => getComputedStyle(label).outlineStyle") == "solid"


def test_the_switch_follows_a_tab(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    choose(page, "PyTorch")
    open_tab(page, "MXNet")
    assert page.locator(".framework-switch input:checked").get_attribute("value") == "mxnet"


def test_the_address_chooses_a_framework(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html?framework=torch")
    assert visible_frameworks(page) == [["torch"]] * 7
    assert page.locator(".framework-switch input:checked").get_attribute("value") == "torch"


def test_a_framework_that_a_page_lacks_leaves_nothing_empty(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html?framework=keras")
    assert visible_frameworks(page)[4:6] == [["torch"], ["keras"]]
    page.goto(f"{sample}/dot_product.html")
    assert visible_frameworks(page) == [["torch"]]
    assert page.locator(".framework-switch input:checked").get_attribute("value") == "torch"


def test_a_page_without_groups_has_no_switch(page: Page, sample: str):
    page.goto(f"{sample}/index.html")
    assert page.locator(".framework-switch").count() == 0


def test_blocked_storage_does_not_break_the_switch(page: Page, sample: str):
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('blocked'); }})"
    )
    page.goto(f"{sample}/dot_product.html")
    choose(page, "PyTorch")
    assert visible_frameworks(page) == [["torch"]]
    assert not [error for error in errors if "side_by_side" in error]


@pytest.mark.parametrize(("width", "first"), [(WIDE, ["mxnet", "torch"]), (NARROW, ["torch"])])
def test_without_javascript_every_framework_can_be_reached(
    browser: Browser, sample: str, width: int, first: list[str]
):
    # Chromium still answers the test's own questions when the page may run no script.
    context = browser.new_context(java_script_enabled=False, viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(f"{sample}/dot_product.html")
    assert visible_frameworks(page) == [first]
    assert visible_words(page) == OF_BOTH | OF_ONE["mxnet"] | OF_ONE["torch"]
    if width == NARROW:
        open_tab(page, "MXNet")
        assert visible_frameworks(page) == [["mxnet"]]
    context.close()


# --- The sample: legible ---------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["columns", "tabs"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_code_labels_and_verdicts_have_enough_contrast(page: Page, sample: str, scheme: str, layout: str):
    query = "?framework=torch" if layout == "tabs" else ""
    page.goto(f"{sample}/masked_softmax.html{query}")
    labels = ".frameworks > label, .framework-switch span, summary p, .extra_footer, #pst-back-to-top"
    assert page.locator(labels).count() > 10
    # The theme shows this button to who scrolls back.
    page.evaluate("document.getElementById('pst-back-to-top').style.display = 'block'")
    assert faint_texts(page, scheme, f"{IN_CELLS}, {labels}") == []
    assert page.locator("html").get_attribute("data-theme") == scheme


@pytest.mark.parametrize("width", [1200, WIDE, 1920])
def test_the_contents_of_a_page_open_beside_it(page: Page, sample: str, width: int):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{sample}/masked_softmax.html")
    link = page.get_by_role("link", name="One framework alone")
    assert not link.is_visible()
    page.locator(".secondary-toggle").click()
    link.wait_for(state="visible")


def test_licences_and_version_stand_below_every_page(page: Page, sample: str):
    page.goto(f"{sample}/dot_product.html")
    footer = page.locator(".extra_footer").text_content().strip()
    assert footer.startswith(f"Text: CC BY 4.0 · Code: Apache-2.0 · Version {__version__}")


# --- The book itself -------------------------------------------------------------------------------


def test_a_link_to_a_folded_section_opens_it(page: Page, book: str):
    page.goto(f"{book}/chapters/errata.html#erratum-5")
    folds = page.locator("details.notes:has(> summary h3)")
    expect(folds.filter(has_text="5 · Two swapped names")).to_have_attribute("open", "")
    page.locator('a[href="#erratum-6"]').first.click()
    expect(folds.filter(has_text="6 · A vector of unknown length")).to_have_attribute("open", "")
    assert page.locator("details.notes[open]").count() == 2


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_choice_follows_the_reader_through_the_book(page: Page, book: str, width: int):
    html = {name: (ROOT / "_build" / "html" / f"{name}.html").read_text() for name in pages_of_toc()}
    paired = [name for name in html if 'data-sync-id="torch"' in html[name]]
    if len(paired) < 2:
        pytest.skip("the book has fewer than two pages with groups")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{book}/{paired[0]}.html")
    if width == WIDE:
        choose(page, "PyTorch")
    else:
        open_tab(page, "PyTorch")
    for name in paired[:2]:
        page.goto(f"{book}/{name}.html")
        groups = visible_frameworks(page)
        assert groups
        assert all(len(visible) == 1 for visible in groups)
        assert ["torch"] in groups


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_chapter_begins_with_its_drawing_as_wide_as_fits_and_in_the_pages_theme(
    page: Page, book: str, width: int
):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark")
    page.goto(f"{book}/chapters/attention.html")
    drawing = page.get_by_role("img", name="A query is compared with every key")
    place, text = drawing.bounding_box(), page.locator("article p").first.bounding_box()
    assert place["y"] + place["height"] < 900
    if width == WIDE:
        assert place["x"] > text["x"] + text["width"] and place["width"] > 420
    else:
        assert place["width"] == pytest.approx(text["width"], abs=1)
    ink = "svg => getComputedStyle(svg.querySelector('text.ink')).fill"
    assert drawing.evaluate(ink) == "rgb(232, 237, 242)"
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    assert drawing.evaluate(ink) == "rgb(28, 36, 48)"
