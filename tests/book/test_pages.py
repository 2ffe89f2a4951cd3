"""Pages as readers meet them: folded answers, the first paint, keys, paper, and eyes of every kind."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page, Response, expect
from side_by_side.lines import (  # _ext is in pytest's path
    break_names,
    drop_last_line,
    keep_options,
    keep_punctuation,
    keep_short_code,
    mark_lines,
)

from autograder.book.contents import chapters
from tests.book.browsing import NARROW, WIDE, QuietHandler, serve, wait_until
from tests.book.sample_book import ROOT

# --- Folds -----------------------------------------------------------------------------------------


def test_an_exercise_is_question_hints_and_solution_with_its_check(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    titles = page.locator("#ex-attend + .tries details > summary").all_inner_texts()
    assert titles == ["Hint 1", "Solution"]
    solution = page.locator("details.fold")
    assert not solution.locator("pre").first.is_visible()
    assert not solution.locator(".verdict").first.is_visible()
    solution.locator("summary").first.click()
    assert solution.locator("pre").all_inner_texts()[0].startswith("from solutions import needed")
    assert [pre.is_visible() for pre in solution.locator("pre").all()] == [True] * 6
    assert [verdict.is_visible() for verdict in solution.locator(".verdict").all()] == [True, True]


def test_what_belongs_to_an_exercise_stands_in_one_row_and_opens_below_it(page: Page, sample: str):
    for width in (WIDE, NARROW):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{sample}/masked_softmax.html")
        row = page.locator("#ex-attend + .tries")
        hint, solution = row.locator("summary").all()[:2]
        assert hint.bounding_box()["y"] == solution.bounding_box()["y"]
        hint.focus()
        page.keyboard.press("Enter")
        words = row.get_by_text("Think.")
        words.wait_for()
        assert words.bounding_box()["y"] >= solution.bounding_box()["y"] + solution.bounding_box()["height"]
        assert hint.bounding_box()["y"] == solution.bounding_box()["y"]


def test_six_buttons_are_no_wider_than_the_text_and_an_answer_is_as_wide(page: Page, book: str):
    page.goto(f"{book}/chapters/attention.html")
    wait_until(page, "document.querySelectorAll('.tries').length > 3")
    right = "(parts) => Math.max(...parts.map((part) => part.getBoundingClientRect().right))"
    rows = [
        row.locator("> details > summary, > .in-page > details > summary")
        for row in page.locator(".tries").all()
    ]
    assert max(row.count() for row in rows) == 6
    for width in (WIDE, 1200):
        page.set_viewport_size({"width": width, "height": 900})
        text = page.locator("section > p").evaluate_all(right)
        shown = [row for row in rows if row.count() and row.first.is_visible()]
        assert all(row.evaluate_all(right) <= text + 1 for row in shown)
    page.locator(".in-page summary", has_text="Write it").first.click()
    for width in (1200, NARROW):
        page.set_viewport_size({"width": width, "height": 900})
        boxes = [page.locator(part).first.bounding_box() for part in (".exercise", ".in-page-field")]
        assert boxes[0]["x"] == boxes[1]["x"] and abs(boxes[0]["width"] - boxes[1]["width"]) <= 1


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_icon_of_the_search_does_not_lie_on_its_words(page: Page, sample: str, width: int):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{sample.removesuffix('/chapters')}/search.html")
    form = page.locator(".bd-search-container form.bd-search, article form.bd-search").first
    icon = form.locator("svg, i").first.bounding_box()
    field = form.locator("input[type=search]")
    words = field.bounding_box()["x"] + field.evaluate("(e) => parseFloat(getComputedStyle(e).paddingLeft)")
    assert icon["x"] + icon["width"] <= words


def test_what_uses_an_answer_stands_open_behind_its_folds(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    behind = page.locator(".tries + .frameworks")
    outputs = behind.locator(".cell_output").all_inner_texts()
    assert [output.strip() for output in outputs] == ["used in MXNet", "used in PyTorch"]


def test_imports_and_the_code_of_pictures_are_folded_with_what_prepares_it(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    folded = {
        details.locator("summary").inner_text(): details.locator("pre").all_text_contents()
        for details in page.locator("section > .cell > details.hide").all()
    }
    assert list(folded) == ["Imports", "Show the code that draws this"]
    drawings = page.locator("details.hide", has_text="Show the code that draws this")
    assert [len(drawing.locator("pre").all()) for drawing in drawings.all()] == [2, 1]
    assert page.locator(".cell > .cell_input", has_text="kept = attend(key)").is_visible()
    assert page.locator(".cell > .cell_input", has_text="shown = attend(query)").is_visible()
    assert page.locator("attention-map").is_visible()


def test_a_chapter_begins_with_its_text_and_its_frame_is_folded_and_printed(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    fold, sources = page.locator("details.before"), page.locator("#sources")
    assert fold.locator("summary").inner_text().split("\n") == [
        "Before you begin",
        "about 5 minutes to read, and 3 for its exercise",
    ]
    assert sources.get_by_role("heading").is_visible()
    inside = [fold.get_by_text("You need"), sources.get_by_text("A paper.")]
    assert not any(words.is_visible() for words in inside)
    for summary in (fold.locator("summary"), sources.locator("summary")):
        summary.click()
    assert all(words.is_visible() for words in inside)
    imports = page.locator("section > .cell", has=page.locator("summary", has_text="Imports"))
    assert imports.evaluate("(cell) => cell.parentElement.id") == "two-frameworks"
    assert imports.evaluate("(cell) => cell.nextElementSibling.matches('.frameworks')")
    for fold in page.locator("details:is(.before, .notes)").all():
        fold.evaluate("(fold) => { fold.open = false; }")
    page.emulate_media(media="print")
    assert all(words.evaluate("(words) => words.getBoundingClientRect().height > 0") for words in inside)


# A page's text, its styles and scripts as a server sends them, in bytes; not the model that a figure of *A language
# model* computes with, which comes when the page can be read.
MOST = {"glossary": 250_000, "masked_softmax": 300_000, "attention": 400_000, "language_model": 400_000}


@pytest.mark.parametrize(("name", "most"), MOST.items())
def test_a_page_is_small_and_its_icons_stand_in_it(page: Page, book_as_it_is: str, name: str, most: int):
    sizes: dict[str, int] = {}

    def note(answer: Response) -> None:
        if answer.url.endswith("prose_model.npz"):
            return
        body = answer.body()
        sizes[answer.url] = min(len(body), len(gzip.compress(body, 6)))

    page.on("response", note)
    page.goto(f"{book_as_it_is}/chapters/{name}.html", wait_until="networkidle")
    page.wait_for_load_state("networkidle")
    assert sum(sizes.values()) < most, sorted(sizes.items(), key=lambda item: -item[1])[:8]
    assert any("mathjax" in url for url in sizes) == (name != "glossary")
    assert not [url for url in sizes if re.search(r"webfonts|searchindex|mathjax.*\.js", url)]
    icons = page.locator(
        ".bd-header svg, .bd-header-article svg.drawn-icon, .bd-sidebar-primary svg.drawn-icon"
    )
    assert icons.count() > 4 and page.locator(":is(i, span)[class*=fa-]:not(:has(svg))").count() == 0


def test_words_of_a_role_light_up_its_parts_in_the_first_eleven_chapters(page: Page, book: str):
    for chapter in chapters()[:11]:
        html = (ROOT / "_build" / "html" / "chapters" / f"{chapter}.html").read_text(encoding="utf-8")
        assert html.count('class="role ') >= 2, chapter
    page.goto(f"{book}/chapters/attention.html")
    word = page.locator("section > p .role.key").first
    drawing = page.locator("svg.drawing").first
    faint = "(svg) => [...svg.querySelectorAll('rect')].map((part) => [part.matches('.key'), getComputedStyle(part).opacity])"
    word.hover()
    shown = drawing.evaluate(faint)
    assert {(is_key, opacity == "1") for is_key, opacity in shown} == {(True, True), (False, False)}
    page.locator(".bd-article h1").hover()
    assert {opacity for _, opacity in drawing.evaluate(faint)} == {"1"}


def test_a_fold_is_named_by_what_a_reader_sees(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    assert page.locator("summary[aria-label]").count() == 0


def test_without_a_script_folds_open(browser: Browser, sample: str):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{sample}/masked_softmax.html")
    solution = page.locator("details.fold").first
    assert not solution.locator("pre").first.is_visible()
    solution.locator("summary").click()
    assert solution.locator("pre").first.is_visible()
    context.close()


def test_a_signature_is_a_block_that_wraps(page: Page, sample: str):
    for width in (WIDE, NARROW):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{sample}/masked_softmax.html")
        signature = page.locator("#ex-attend p.signature code")
        assert signature.evaluate("(code) => getComputedStyle(code).display") == "block"
        long = page.locator("#ex-attend code", has_text="scaled_dot_product_attention")
        for code in (signature, long):
            right = "(node) => Math.max(...[...node.getClientRects()].map((rect) => rect.right))"
            box = page.locator("#ex-attend").evaluate(right)
            assert code.locator(".pre").last.evaluate(right) <= box


def test_the_rule_of_an_argument_follows_its_shape_and_on_a_phone_stands_below(page: Page, sample: str):
    top, left = (f"(node) => node.getBoundingClientRect().{side}" for side in ("top", "left"))
    for width in (WIDE, NARROW):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{sample}/masked_softmax.html")
        cells = page.locator("#ex-attend td")
        name, shape, rule = cells.nth(0), cells.nth(1), cells.nth(2)
        assert name.evaluate(top) == shape.evaluate(top)
        assert (rule.evaluate(top) > shape.evaluate(top)) is (width == NARROW)
        assert (rule.evaluate(left) > shape.evaluate(left)) is (width == WIDE)
        assert "signature" not in (name.locator("p").get_attribute("class") or "")


def test_a_progress_bar_that_has_ended_leaves_no_empty_box(page: Page, sample: str):
    page.goto(f"{sample}/dot_product.html")
    trained = page.locator(".cell", has_text="for step in progress")
    assert trained.locator(".cell_input").is_visible() and not trained.locator(".cell_output").is_visible()
    trained.locator(".output").evaluate("(bar) => bar.after(bar.cloneNode())")  # two bars in one cell
    assert not trained.locator(".cell_output").is_visible()
    assert page.locator(".cell_output", has_text="torch on page two").is_visible()


# --- The first second ------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_is_right_when_the_page_is_first_painted(browser: Browser, sample: str, scheme: str):
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    # No script file arrives: only what stands in the page itself may set the theme.
    page.route("**/*.js*", lambda route: route.abort())
    page.goto(f"{sample}/masked_softmax.html")
    assert page.locator("html").get_attribute("data-theme") == scheme
    ground = page.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor")
    assert (min(map(int, re.findall(r"\d+", ground)[:3])) > 200) == (scheme == "light")
    context.close()


def test_a_chosen_theme_is_kept(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    page.evaluate("localStorage.setItem('mode', 'dark')")
    page.goto(f"{sample}/dot_product.html")
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_no_script_file_holds_up_the_text(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    waiting = page.evaluate(
        "() => [...document.head.querySelectorAll('script[src]:not([defer], [async])')].map((s) => s.src)"
    )
    assert [address for address in waiting if "documentation_options" not in address] == []
    assert page.locator("script[src*=fontawesome]").count() == 0


def test_mathematics_is_set_without_a_script(browser: Browser, sample: str):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{sample}/index.html")
    assert page.locator(".math").count() == page.locator(".math mjx-container").count() > 1
    assert page.locator("link[href*='mathjax/formulas.css']").count() == 1
    page.goto(f"{sample}/dot_product.html")
    assert page.locator(":is(script, link):is([src*=mathjax], [href*=mathjax])").count() == 0
    context.close()


def test_search_still_finds(page: Page, sample: str):
    page.goto(f"{sample}/../search.html?q=padding")
    page.locator("#search-results li a").first.wait_for()
    page.goto(f"{sample}/dot_product.html")
    page.keyboard.press("Control+k")
    page.locator("#pst-search-dialog input").wait_for(state="visible")


@pytest.mark.parametrize("query", ["masked_softmax", "masked softmax", "Softmax"])
def test_search_lists_the_page_of_that_name_first(page: Page, sample: str, query: str):
    """The page before it by the alphabet holds the words too."""
    page.goto(f"{sample}/../search.html?q={query}")
    page.locator("#search-results li a").nth(1).wait_for()
    titles = page.locator("#search-results li a").all_inner_texts()
    assert titles.index("Masked softmax") == 0 and "Dot product" in titles


# What people type, and the chapter that must come first.
SEARCHED = {
    "masked_softmax": ("padding", "padding mask", "masked_fill", "valid_length"),
    "dot_product": ("sqrt(d_k)", "scaled dot-product", "F.scaled_dot_product_attention", "dropout"),
    "additive": ("Bahdanau attention", "additive attention"),
    "global_local": ("Luong attention", "window_weights"),
    "soft_hard": ("hard attention", "REINFORCE"),
    "self_attention": ("causal mask", "positional encoding", "self-attention", "sinusoidal"),
    "multi_head": ("multi-head attention", "nn.MultiheadAttention"),
    "transformer": (
        "layer norm",
        "cross-attention",
        "decoder",
        "attention is all you need",
        "learning rate warmup",
    ),
    "translation": ("beam search", "BLEU", "seq2seq"),
    "sentiment": ("LSTM",),
    "memory": ("pointer network",),
    "positions": ("RoPE", "ALiBi", "rotary position embedding", "YaRN"),
    "normalisers": ("sparsemax", "Gumbel", "attention sink", "gated attention", "differential attention"),
    "efficient": ("KV cache", "FlashAttention", "FlexAttention", "online softmax", "online_softmax_step"),
    "sparse": ("GQA", "MQA", "grouped-query attention", "sliding window", "linear attention"),
    "compressed": ("MLA", "latent attention", "PagedAttention", "quantisation", "DeepSeek"),
    "recurrence": ("Mamba", "delta rule"),
    "sets": ("Set Transformer", "Perceiver", "vision transformer", "DETR", "graph attention", "Hopfield"),
    "language_model": (
        "BPE",
        "top-p sampling",
        "perplexity",
        "SwiGLU",
        "RMSNorm",
        "weight tying",
        "speculative decoding",
    ),
    "gpt": ("GPT", "prefill"),
    "looking_inside": ("induction head",),
}


def test_what_people_type_finds_the_chapter_that_teaches_it_first(page: Page, book: str):
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(f"{book}/search.html?q=rotary")  # with its index, which all searches share
    results = page.locator("#search-results")
    summary = results.locator(".search-summary").filter(has_text="found")
    results.locator("li:nth-of-type(3) .context").wait_for()
    excerpts = results.locator(".context").all_inner_texts()
    assert not any(re.search(r"\\[(a-z]", text) for text in excerpts), "TeX is for machines"
    widths = [box.bounding_box()["width"] for box in results.locator("li").all()]
    assert max(widths) < 620 and errors == []
    # Each page that is found is fetched for a few of its words, on which no order depends.
    page.evaluate("() => { window.fetch = () => new Promise(() => {}); }")
    wrong = {}
    for chapter, terms in SEARCHED.items():
        for term in terms:
            summary.wait_for()
            results.evaluate("(results) => results.replaceChildren()")
            page.evaluate(
                """(asked) => {
                    history.replaceState(null, "", `?${new URLSearchParams({ q: asked })}`);
                    Search.performSearch(asked);
                }""",
                term,
            )
            summary.wait_for()
            pages = results.locator("li > a").evaluate_all("links => links.map((link) => link.pathname)")
            if f"/{chapter}.html" not in (pages or [""])[0] or len(set(pages)) < len(pages):
                wrong[term] = pages[:3]
    assert sum(map(len, SEARCHED.values())) >= 60 and not wrong


def test_the_index_leads_to_where_an_abbreviation_is_introduced(page: Page, book: str):
    page.goto(f"{book}/genindex.html")
    for short, chapter in (("RoPE", "positions"), ("GQA", "sparse"), ("MoE", "language_model")):
        entry = page.get_by_role("link", name=short, exact=True)
        assert f"/{chapter}.html#" in (entry.first.get_attribute("href") or "").replace("chapters", "")


def test_templates_of_the_theme_are_not_published(sample_folder: Path):
    static = sample_folder / "_build" / "html" / "_static"
    assert (static / "side_by_side.css").is_file() and not list(static.glob("*macros.html"))


# --- Keys, type and paper --------------------------------------------------------------------------


def test_tab_through_the_header_keeps_the_place(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    page.evaluate("scrollTo({top: 600, behavior: 'instant'})")
    page.locator(".framework-switch input:checked").evaluate("(input) => input.focus({preventScroll: true})")
    before = page.evaluate("scrollY")
    for _ in range(3):
        page.keyboard.press("Tab")
        page.wait_for_timeout(150)
        assert page.evaluate("scrollY") == before


def test_every_control_shows_that_it_has_the_focus(page: Page, book: str):
    page.goto(f"{book}/chapters/masked_softmax.html")
    page.locator(".bd-header-article .dropdown > button").first.click()
    page.locator(".bd-header-article .dropdown-item").last.focus()
    script = """() => {
        const focused = document.activeElement;
        const near = [focused, ...(focused.labels ?? []), focused.nextElementSibling, focused.parentElement];
        const shows = (part, pseudo) => {
            const style = getComputedStyle(part, pseudo);
            return (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none";
        };
        const found = near.some((part) => part && [null, "::before", "::after"].some((name) => shows(part, name)));
        return [focused === document.body, found, focused.className + focused.textContent.trim()];
    }"""
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert page.evaluate(script)[1]  # Print this page
    page.keyboard.press("Escape")
    page.evaluate("() => document.activeElement.blur()")
    unseen, stops = [], 0
    for _ in range(300):
        page.keyboard.press("Tab")
        outside, focus_shown, name = page.evaluate(script)
        if outside:
            break
        stops += 1
        unseen += [] if focus_shown else [name]
    assert stops > 60 and unseen == []


def test_forced_colours_show_what_is_chosen_what_is_open_and_what_is_wrong(page: Page, sample: str):
    page.emulate_media(forced_colors="active")
    page.goto(f"{sample}/masked_softmax.html")
    active = page.locator(".framework-switch input:checked + span")
    inactive = page.locator(".framework-switch input:not(:checked) + span")
    ground = "part => getComputedStyle(part).backgroundColor"
    assert active.count() == 1 and inactive.count() > 1
    assert active.evaluate(ground) not in [other.evaluate(ground) for other in inactive.all()]
    fold = page.locator(".tries details > summary").first
    closed = fold.evaluate(ground)
    fold.click()
    assert fold.evaluate(ground) != closed


def test_what_scrolls_in_an_opened_fold_is_reached_by_keyboard(page: Page, sample: str):
    page.set_viewport_size({"width": NARROW, "height": 900})
    page.goto(f"{sample}/masked_softmax.html")
    page.locator(".frameworks > label", has_text="PyTorch").nth(3).click()
    fold = page.locator("details.hide", has_text="0.1234").first
    fold.locator("summary").click()
    printed = fold.locator(".output")
    assert printed.evaluate("(table) => table.scrollWidth > table.clientWidth")
    expect(printed).to_have_attribute("tabindex", "0")


def test_a_line_of_code_goes_on_further_in_than_it_began(page: Page, sample: str):
    page.set_viewport_size({"width": NARROW, "height": 900})
    page.goto(f"{sample}/masked_softmax.html")
    line = page.locator(".frameworks .line:visible", has_text="scores = softmax").nth(2)
    lefts = line.evaluate("""(line) => {
        const range = document.createRange();
        range.selectNodeContents(line);
        return [...range.getClientRects()].filter((box) => box.width > 1).map((box) => [box.top, box.left]);
    }""")
    first = min(left for top, left in lefts if top == lefts[0][0])
    later = [left for top, left in lefts if top > lefts[0][0] + 5]
    assert later and min(later) > first


def test_lines_of_code_are_marked_without_a_change_to_their_words():
    code = '<div class="highlight-ipython3 notranslate"><div class="highlight"><pre><span></span><span class="k">if</span> a:\n    <span class="s">&quot;&quot;&quot;b\n    c&quot;&quot;&quot;</span>\n</pre>'
    marked = mark_lines(code)
    assert BeautifulSoup(marked, "html.parser").text == BeautifulSoup(code, "html.parser").text
    lines = BeautifulSoup(marked, "html.parser").select(".line")
    assert [line.get("style") for line in lines] == [None, "--indent:4", "--indent:4"]
    assert [line.select_one("[class=s]") is not None for line in lines] == [False, True, True]


def test_printed_lines_say_how_long_they_are_if_smaller_letters_let_them_fit():
    printed = '<div class="output stream notranslate"><div class="highlight"><pre><span></span>{}\n</pre>'
    for line, style in (("a" * 40, "--columns:40"), ("a" * 75 + "&lt;", "--columns:76"), ("a" * 81, None)):
        (marked,) = BeautifulSoup(mark_lines(printed.format(line)), "html.parser").select("pre")
        assert marked.get("style") == style and marked.text == BeautifulSoup(f"{line}\n", "html.parser").text


def test_a_heading_that_a_link_leads_to_is_not_below_the_header(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html#a-wide-table")
    wait_until(page, "scrollY > 0")
    page.wait_for_timeout(300)  # what comes late moves nothing
    top = page.locator("h2", has_text="A wide table").bounding_box()["y"]
    assert top >= page.locator(".bd-header-article").bounding_box()["height"]


@pytest.mark.parametrize(("width", "least"), [(WIDE, 11.9), (768, 13), (NARROW, 13)])
def test_code_is_legible(page: Page, sample: str, width: int, least: float):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{sample}/masked_softmax.html")
    for pre in page.locator(
        "section > :is(.cell, .frameworks):not(.exercise *) .cell_input pre:visible"
    ).all():
        size, height = pre.evaluate(
            "(pre) => [getComputedStyle(pre).fontSize, getComputedStyle(pre).lineHeight].map(parseFloat)"
        )
        assert size >= least
        assert height / size == pytest.approx(1.5, abs=0.01)


def test_a_line_of_prose_has_65_to_75_characters(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    page.evaluate(
        "document.querySelector('section > p').textContent = 'the quick brown fox jumps over a dog '.repeat(200)"
    )
    lines = page.locator("section > p").first.evaluate(
        "(p) => p.getBoundingClientRect().height / parseFloat(getComputedStyle(p).lineHeight)"
    )
    assert 65 <= 37 * 200 / lines <= 75


def test_a_small_table_is_no_wider_than_it_needs(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    page.evaluate("document.querySelectorAll('table.table td').forEach((cell) => (cell.textContent = '1'))")
    page.evaluate("document.querySelectorAll('table.table th').forEach((cell) => (cell.textContent = 'a'))")
    page.locator("details.notes").evaluate_all("(folds) => folds.forEach((fold) => { fold.open = true })")
    table = page.locator(
        "xpath=//table[@class='table'][not(ancestor::*[contains(@class, 'exercise')])]"
    ).first
    assert table.bounding_box()["width"] < 300
    left_edge = "(element) => element.getBoundingClientRect().left"
    assert table.evaluate(left_edge) - table.locator("xpath=ancestor::section[1]").evaluate(left_edge) < 5


def test_a_formula_keeps_the_full_stop_behind_it():
    formula = '<span class="math notranslate nohighlight">\\(a &lt; b\\)</span>'
    assert keep_punctuation(f"<p>{formula}. So</p>") == f'<p><span class="unbroken">{formula}.</span> So</p>'
    assert keep_punctuation(f"<p>{formula} so.</p>") == f"<p>{formula} so.</p>"


def test_the_option_of_a_command_keeps_its_hyphens():
    option = '<span class="pre">--version</span>'
    assert (
        keep_options(f"<code>{option}</code>") == '<code><span class="pre unbroken">--version</span></code>'
    )
    for word in ("no_option", "a-word-that-is-far-too-long-for-a-line"):
        assert keep_options(f'<span class="pre">{word}</span>') == f'<span class="pre">{word}</span>'


def test_a_word_with_hyphens_stays_whole_where_a_line_of_code_wraps():
    code = '<div class="highlight-sh notranslate"><div class="highlight"><pre>a --per-case "low-rank" a-{}\n</pre>'
    unbroken = [
        part.text
        for part in BeautifulSoup(mark_lines(code.format("b" * 30)), "html.parser").select(".unbroken")
    ]
    assert unbroken == ["--per-case", "low-rank"]


def test_a_short_piece_of_code_stays_in_one_line():
    def code(*words: str) -> str:
        return f'<code class="docutils literal notranslate">{" ".join(f"<span>{word}</span>" for word in words)}</code>'

    assert 'notranslate unbroken">' in keep_short_code(code("2", "*", "width**2"))
    for text in (code("width"), code("2", "*", "width**2", "+", "1")):
        assert keep_short_code(text) == text


def test_a_block_of_code_ends_with_no_empty_line():
    assert drop_last_line("<pre>a\n\nb\n\n</pre>\n\n") == "<pre>a\n\nb\n</pre>\n\n"


def test_a_number_in_a_table_stays_whole():
    cells = '<tr><td>a</td><td><code><span class="pre">nd.array(1.0,dtype)</span></code></td></tr>'
    assert "nd.<wbr>array(<wbr>1.0,<wbr>dtype" in break_names(cells)


def test_a_shape_in_a_table_breaks_at_its_blanks_alone():
    words = "(batch, num_queries, num_keys)", "scores.masked_fill(valid, 0)"
    codes = [" ".join(f'<span class="pre">{word}</span>' for word in code.split()) for code in words]
    cells = [f"<tr><td>a</td><td><code>{code}</code></td></tr>" for code in codes]
    assert break_names(cells[0]) == cells[0]
    assert "scores.<wbr>masked_<wbr>fill(<wbr>valid,</span>" in break_names(cells[1])


def test_a_long_name_in_a_table_breaks_between_its_parts(page: Page, sample: str):
    name = '<code><span class="pre">torch.nn.MultiheadAttention</span></code>'
    assert break_names(name) == name
    row = f"<tr><td><p>{name}</p></td><td><p>{name}</p></td></tr>"
    page.set_viewport_size({"width": NARROW, "height": 900})
    page.goto(f"{sample}/masked_softmax.html")
    page.evaluate(
        "(table) => document.querySelector('article section').insertAdjacentHTML('beforeend', table)",
        break_names(f'<table id="narrow" style="width: 1px">{row}</table>'),
    )
    whole, broken = page.locator("#narrow .pre").evaluate_all(
        """(names) => names.map((name) => [...name.childNodes].map((part) => {
            const range = document.createRange();
            range.selectNodeContents(part);
            return [part.textContent, range.getClientRects().length, name.getClientRects().length];
        }).filter(([text]) => text))"""
    )
    for parts in (whole, broken):
        assert [part[0] for part in parts] == ["torch.", "nn.", "Multihead", "Attention"]
        assert all(lines == 1 for _, lines, _ in parts) and parts[0][2] > 1
    page.set_viewport_size({"width": WIDE, "height": 900})
    tops = "(name) => new Set([...name.getClientRects()].map((box) => box.top)).size"
    assert [page.locator("#narrow .pre").nth(place).evaluate(tops) for place in (0, 1)] == [1, 3]
    short = name.replace("torch.nn.Multihead", "Multihead"[:4])
    assert break_names(f"<tr><td>{short}</td></tr>") == f"<tr><td>{short}</td></tr>"


def test_code_of_the_prerequisites_needs_no_scrolling(page: Page, book: str):
    page.goto(f"{book}/chapters/prerequisites.html")
    hidden = page.locator("article pre").evaluate_all(
        "all => all.map((pre) => pre.scrollWidth - pre.clientWidth)"
    )
    assert len(hidden) > 5 and max(hidden) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_is_white_and_shows_of_an_exercise_what_is_open(page: Page, sample: str, scheme: str):
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{sample}/masked_softmax.html")
    wait_until(page, "document.documentElement.dataset.theme")
    page.emulate_media(color_scheme=scheme, media="print")
    wait_until(page, "document.documentElement.dataset.theme === 'light'")
    row, solution = page.locator("#ex-attend + .tries"), page.locator(".hide.above-input").first
    assert not row.is_visible() and not solution.is_visible()
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    assert row.locator("details.fold pre").first.is_visible() and solution.is_visible()
    heights = row.locator(".verdict").evaluate_all("found => found.map((v) => v.clientHeight)")
    assert len(heights) == 2 and all(height > 10 for height in heights)
    after = page.locator(".bd-article h2").evaluate_all(
        "found => found.map((heading) => getComputedStyle(heading).breakAfter)"
    )
    assert set(after) == {"avoid"}, "a heading may stand alone at the foot of a page"
    for part in (".sd-tab-label", "div.cell.container"):
        room = page.locator(f".bd-article {part}:visible").evaluate_all(
            "found => found.map((part) => getComputedStyle(part, '::before')).map(({ breakInside, height }) => [breakInside, parseFloat(height) > 50])"
        )
        assert room and all(one == ["avoid", True] for one in room), f"{part} may stand there alone too"
    blocks = page.locator(".cell:visible .highlight").evaluate_all(
        "found => found.map((code) => getComputedStyle(code.parentElement).breakInside)"
    )
    assert set(blocks) == {"auto"}, "code may leave the rest of a page empty"
    page.emulate_media(color_scheme=scheme, media="screen")
    wait_until(page, f"document.documentElement.dataset.theme === '{scheme}'")


def test_a_page_says_what_it_is_and_offers_no_source(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    assert page.title() == "Masked softmax – Attention, Side by Side"
    description = page.locator("meta[name=description]").get_attribute("content")
    assert description.startswith("Weights are positive and sum to one") and len(description) <= 202
    assert page.locator("meta[property='og:title']").get_attribute("content") == page.title()
    # The sample is published nowhere, so no address is made up.
    assert (
        page.locator("meta[property='og:url'], meta[property='og:image'], link[rel=canonical]").count() == 0
    )
    assert page.locator("a[href*=_sources]").count() == 0
    page.goto(f"{sample}/index.html")
    assert page.title().count("Side by Side") <= 1


# --- Eyes and hands of every kind ------------------------------------------------------------------


def test_a_phone_shows_each_name_of_the_notation_in_one_piece(page: Page, book: str):
    page.set_viewport_size({"width": NARROW, "height": 900})
    page.goto(f"{book}/chapters/notation.html")
    pieces = "() => [...document.querySelectorAll('td:first-child code')].map((name) => name.getClientRects().length)"
    assert set(page.evaluate(pieces)) == {1}
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW


# --- What a page may load and run ------------------------------------------------------------------


def test_each_page_has_a_policy_before_anything_that_it_loads(sample_folder: Path):
    for path in (sample_folder / "_build" / "html").rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        assert page.count("Content-Security-Policy") == 1, path
        before, _, after = page.partition('<meta http-equiv="Content-Security-Policy" content="')
        assert "<script" not in before and "<link" not in before and "<style" not in before, path
        allowed = dict(part.split(" ", 1) for part in after.partition('"')[0].split("; "))
        assert (allowed["default-src"], allowed["connect-src"]) == ("'none'", "'self'")
        assert not {"'unsafe-inline'", "'unsafe-eval'", "http:", "https:", "data:", "blob:"} & set(
            allowed["script-src"].split()
        )


@pytest.mark.parametrize("from_file", [False, True], ids=["over http", "from a file"])
def test_a_page_runs_its_own_scripts_and_no_others(
    page: Page, sample: str, sample_folder: Path, from_file: bool
):
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    folder = (sample_folder / "_build" / "html" / "chapters").as_uri() if from_file else sample
    page.goto(f"{folder}/masked_softmax.html")
    page.locator("attention-map input").fill("7")
    expect(page.locator("attention-map td")).to_have_text("7")  # its script stands in the page
    page.locator("summary:visible").first.click()
    page.goto(f"{folder}/index.html")
    wait_until(page, "() => document.querySelectorAll('mjx-container').length > 1")
    assert refused == []
    page.evaluate("""() => {
        window.ran = 0;
        const script = document.createElement("script");
        script.textContent = "ran += 1";
        document.body.append(script);
        document.body.insertAdjacentHTML("beforeend", '<img src="data:," onerror="ran += 1">');
        document.body.insertAdjacentHTML("beforeend", '<button id="hostile" onclick="ran += 1">x</button>');
        document.getElementById("hostile").click();
    }""")
    page.wait_for_timeout(300)
    assert page.evaluate("window.ran") == 0
    assert len(refused) == 3


class StrictHandler(QuietHandler):
    """A host that allows no style and no script in a page."""

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", "default-src 'self'")
        super().end_headers()


def test_under_a_strict_policy_of_the_host_drawings_keep_their_colours(page: Page, book_folder: Path):
    look = "(part) => { const { fill, stroke } = getComputedStyle(part); return [fill, stroke]; }"
    parts = (".drawing text.key", ".drawing .weight.line", ".plot use", ".plot text")
    looks = []
    for handler in (StrictHandler, QuietHandler):
        for address in serve(book_folder, handler):
            page.goto(f"{address}/chapters/attention.html")
            looks.append([page.locator(part).first.evaluate(look) for part in parts])
            says = page.locator(".no-scripts")
            expect(says).to_be_visible(visible=handler is StrictHandler)
            if handler is StrictHandler:
                assert "answers cannot be checked" in says.inner_text()
                assert page.locator(".still text.query").first.evaluate(look) == ["rgb(122, 61, 184)", "none"]
                page.locator(".in-page summary", has_text="Write it").first.click()
                field = page.locator(".in-page-field").first
                expect(field.locator("[role=status]")).to_contain_text("forbids what checks an answer here")
                expect(field.get_by_role("button", name="Check")).to_be_disabled()
                assert page.locator(".cm-editor").count() == 0  # its styles could not be set
    assert looks[0] == looks[1]
    assert looks[0][0] == ["rgb(0, 112, 122)", "none"]
