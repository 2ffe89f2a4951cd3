"""Every page of the book, visited once in a real browser: healthy, legible, and open to every reader."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import BrowserContext, Page

from autograder.model.catalogue import all_exercises, topics
from tests.book import axe
from tests.book.browsing import NARROW, WIDE, pages_of_toc, serve, wait_until
from tests.book.legible import IN_CELLS, faint_texts, use_scheme
from tests.book.sample_book import ROOT

# The theme notices soon, but not at once, what scrolls and so must be reached by keyboard.
REACHABLE = """() => [...document.querySelectorAll("pre")].every((pre) =>
    !pre.checkVisibility() || pre.scrollWidth <= pre.clientWidth || pre.tabIndex === 0)"""

# A formula that scrolls hides its end behind its number; one in a line of text has no line break of its own.
WIDE_FORMULAS = """() => [...document.querySelectorAll("mjx-container")].filter((formula) => {
    if (formula.hasAttribute("display")) return formula.scrollWidth > formula.clientWidth + 1;
    const [line, table] = [formula.closest("p, li"), formula.closest(".pst-scrollable-table-container")];
    return line && !table && formula.getBoundingClientRect().right > line.getBoundingClientRect().right + 1;
}).map((formula) => formula.textContent)"""

# What is wider than its box scrolls, and is faint at its end to say so.
CUT = """() => [...document.querySelectorAll("article :is(.pst-scrollable-table-container, attention-map .scroll, .cell_output pre)")]
    .filter((box) => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1 && !getComputedStyle(box).maskImage.includes("gradient"))
    .map((box) => box.textContent.trim().slice(0, 40))"""
SMALL_LETTERS = """() => [...document.querySelectorAll("svg.plot")].filter((plot) => plot.checkVisibility()).flatMap((plot) => {
    const scale = plot.getBoundingClientRect().width / plot.viewBox.baseVal.width;
    const sizes = [...plot.querySelectorAll("text")].map((text) => scale * parseFloat(getComputedStyle(text).fontSize));
    return Math.min(...sizes) < 8 ? [`${plot.getAttribute("aria-label").slice(0, 40)}: ${Math.min(...sizes).toFixed(1)} pixels`] : [];
})"""
# In the margin a picture moves in its box alone, so nothing else may lie there.
OVERLAPS = """() => [...document.querySelectorAll(".picture")].flatMap((picture) => {
    const box = picture.getBoundingClientRect();
    return [...document.querySelectorAll("article :is(p, pre, table, .frameworks, figure, .picture)")].filter((other) => {
        const { left, right, top, bottom } = other.getBoundingClientRect();
        return other.checkVisibility() && !picture.contains(other) && !other.contains(picture)
            && right > box.left + 1 && left < box.right - 1 && bottom > box.top + 1 && top < box.bottom - 1;
    }).map((other) => other.textContent.trim().slice(0, 40));
})"""
OUTSIDE = """() => [...document.querySelectorAll("section > div.math .eqno")].filter((number) => {
    const text = number.closest("section").querySelector(":scope > p");
    return text && number.getBoundingClientRect().right > text.getBoundingClientRect().right + 1;
}).map((number) => number.textContent)"""
# What fits a phone in these chapters, and lines that are a little too long for a wide page and fit by smaller letters.
FIT_A_PHONE = (
    "attention",
    "pooling",
    "self_attention",
    "transformer",
    "translation",
    "language_model",
    "errata",
)
NOTES = "(open) => document.querySelectorAll('details.notes').forEach((fold) => (fold.open = open))"
MAY_SCROLL = ".cell pre, attention-map .scroll, .pst-scrollable-table-container"
SCROLLS = """(found) => found.filter((part) => part.checkVisibility())
    .map((part) => part.scrollWidth > part.clientWidth && part.textContent)"""
HAVE_LONG_LINES = ("explanation", "normalisers", "pooling")
PRINTED_LINES = "section > .cell .cell_output pre[class*='look-'] .line:visible"
LINES = """(found) => found.map((line) => [line.textContent,
    line.getBoundingClientRect().height / parseFloat(getComputedStyle(line).lineHeight)])"""
# Where both frameworks are shown, a pair ends the picture beside it; the book promises 4,000, and faces differ.
BARE = """() => [...document.querySelectorAll("article:has(.picture)")].flatMap((article) => {
    const pictures = [...article.querySelectorAll("svg.drawing, svg.plot, figure.live, figure.frames, attention-map, img, .shading")]
        .filter((picture) => picture.checkVisibility() && picture.getBoundingClientRect().height > 24)
        .map((picture) => (picture.closest(".picture") ?? picture).getBoundingClientRect())
        .sort((one, other) => one.top - other.top);
    let { top: end, bottom: top } = article.getBoundingClientRect();
    return [...pictures, { top, bottom: top }].flatMap(({ top, bottom }) => {
        const gap = Math.round(top - end);
        end = Math.max(end, bottom);
        return gap > 4200 ? [`${gap} pixels`] : [];
    });
})"""


class Visit:
    """One visit to a page, and all that was wrong with it."""

    def __init__(self, context: BrowserContext, server: str) -> None:
        self.page = context.new_page()
        self.faults: list[str] = []
        self._server = server
        self.page.on("console", lambda message: self._add(message.type == "error", message.text))
        self.page.on("pageerror", lambda error: self._add(True, str(error)))
        self.page.on("request", lambda request: self._add(self._is_outside(request.url), request.url))
        self.page.on(
            "response",
            lambda response: self._add(response.status >= 400, f"{response.status} {response.url}"),
        )

    def _add(self, wrong: bool, what: str) -> None:
        if wrong:
            self.faults.append(what)

    def _is_outside(self, address: str) -> bool:
        return not address.startswith((f"{self._server}/", "data:", "blob:"))

    def look_at(self, name: str) -> list[str]:
        """Open a page, and return its faults in both themes and at both widths.

        A page takes a second to be laid out anew: it is narrow first, and stays wide for what is asked next.
        """
        self.page.set_viewport_size({"width": NARROW, "height": 900})
        self.page.goto(f"{self._server}/{name}.html")
        # On the phone what is folded is measured too.
        self.page.evaluate(NOTES, True)
        unset = """() => [...document.querySelectorAll(".math")].filter((formula) =>
            !formula.querySelector("mjx-container") || formula.querySelector("mjx-merror, [data-mjx-error]"))
            .map((formula) => formula.textContent)"""
        self.faults += [f"not set: {formula}" for formula in self.page.evaluate(unset)]
        self.faults += [f"half hidden on a phone: {formula}" for formula in self.page.evaluate(WIDE_FORMULAS)]
        self.faults += [f"cut without a sign: {what}" for what in self.page.evaluate(CUT)]
        self.faults += [f"small letters: {what}" for what in self.page.evaluate(SMALL_LETTERS)]
        self.scrolling = self.page.locator(MAY_SCROLL).evaluate_all(SCROLLS)
        self.page.evaluate(NOTES, False)
        for width in (NARROW, WIDE):
            self.page.set_viewport_size({"width": width, "height": 900})
            needed = self.page.evaluate("() => document.documentElement.scrollWidth")
            self._add(needed > width, f"the page is {needed} wide in a window of {width}")
        self.faults += [f"on a picture: {what}" for what in self.page.evaluate(OVERLAPS)]
        self.faults += [f"without a picture: {what}" for what in self.page.evaluate(BARE)]
        self.faults += [f"outside the text: {what}" for what in self.page.evaluate(OUTSIDE)]
        self.lines = self.page.locator(PRINTED_LINES).evaluate_all(LINES)
        self.faults += [f"dead slider {number}" for number in self._dead_sliders()]
        for scheme in ("light", "dark"):
            self.faults += faint_texts(self.page, scheme, IN_CELLS)
        return self.faults

    def _dead_sliders(self) -> list[int]:
        """The attention maps with a slider that shows the same numbers at both of its ends."""
        dead = []
        for number, figure in enumerate(self.page.locator("attention-map").all()):
            for slider in figure.locator("input[type=range]").all():
                if not slider.is_visible():
                    continue
                tables = set()
                for key in ("Home", "End"):
                    slider.press(key)
                    tables.add(figure.locator("table").inner_html())
                if len(tables) == 1:
                    dead.append(number)
        return dead

    def ask_axe(self, script: str) -> list[str]:
        """What axe-core finds on the open page, in both themes, at both widths and with every fold open."""
        self.page.evaluate("() => document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
        self.page.evaluate(axe.ONE_OF_EACH_KIND)
        self.page.evaluate(script)
        violations = []
        for scheme, rules, width in (
            ("dark", axe.CONTRAST, WIDE),  # the theme is of colours alone, and a narrow page has no others
            ("light", axe.EVERY_RULE, WIDE),
            ("light", axe.EVERY_RULE, NARROW),
        ):
            use_scheme(self.page, scheme)
            self.page.set_viewport_size({"width": width, "height": 900})
            wait_until(self.page, REACHABLE)
            faults = axe.violations(self.page, rules)
            if faults:  # what follows the theme by a script may still be on its way; a fault stays
                self.page.wait_for_timeout(1000)
                faults = axe.violations(self.page, rules)
            violations += [f"{width} {scheme}: {fault}" for fault in faults]
        return violations


BROKEN_PAGES = {
    "console": ("<script>console.error('a console error')</script>", "a console error"),
    "exception": ("<script>throw new Error('an exception')</script>", "an exception"),
    "outside": ("<img src='http://localhost:9/outside.png'>", "http://localhost:9/outside.png"),
    "missing": ("<img src='missing.png'>", "404"),
    "wide": ("<div style='width: 3000px'>wide</div>", "the page is 30"),
    "formula": ("<span class='math'>\\(x\\)</span>", "not set"),
    "wide formula": (
        "<mjx-container display style='display: block; overflow: auto'><p style='width: 500px'>a = b</p></mjx-container>",
        "half hidden on a phone: a = b",
    ),
    "cut": (
        "<article><div class='cell_output'><pre style='overflow: auto'>"
        + "cut " * 200
        + "</pre></div></article>",
        "cut without a sign: cut",
    ),
    "letters": (
        "<svg class='plot' aria-label='a plot' viewBox='0 0 200 10' width='100'><text style='font-size: 12px'>a"
        "</text></svg>",
        "small letters: a plot: 6.0",
    ),
    "overlap": (
        "<article><p class='picture' style='height: 30px'></p><p style='margin-top: -40px'>over it</p></article>",
        "on a picture: over it",
    ),
    "without a picture": (
        "<article><p style='height: 4300px'>text</p><p class='picture'></p></article>",
        "without a picture: 4300 pixels",
    ),
    "outside the text": (
        "<section><p style='width: 100px'>text</p><div class='math'><span class='eqno' style='margin-left: 200px'>(7)"
        "</span><mjx-container></mjx-container></div></section>",
        "outside the text: (7)",
    ),
    "formula in a line": (
        "<p style='width: 50px'><mjx-container style='display: inline-block; width: 90px'>c = d</mjx-container></p>",
        "half hidden on a phone: c = d",
    ),
    "slider": ("<attention-map><input type='range'><table><td>1</table></attention-map>", "dead slider"),
    "faint": ("<div class='cell'><pre style='color: #999'>pale</pre></div>", "faint in light mode"),
}


def test_a_broken_page_is_found_out(context: BrowserContext, tmp_path: Path):
    bodies = "".join(body for body, _ in BROKEN_PAGES.values())
    (tmp_path / "page.html").write_text(f"<!doctype html><link rel='icon' href='data:,'>{bodies}")
    faults = [fault for server in serve(tmp_path) for fault in Visit(context, server).look_at("page")]
    assert [name for name, (_, fault) in BROKEN_PAGES.items() if not any(fault in f for f in faults)] == []


def test_a_page_without_faults_is_healthy(context: BrowserContext, tmp_path: Path):
    (tmp_path / "page.html").write_text("<!doctype html><link rel='icon' href='data:,'><p>A page</p>")
    assert [fault for server in serve(tmp_path) for fault in Visit(context, server).look_at("page")] == []


@pytest.fixture(scope="module")
def axe_script() -> str:
    return axe.script()


def test_axe_finds_a_faulty_page_out(context: BrowserContext, axe_script: str):
    visit = Visit(context, "")
    visit.page.set_content(
        "<html lang=en><title>x</title><img src='data:,'><p style='color: #aaa'>pale</p>"
        "<table><tr><th></th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    )
    report = " ".join(visit.ask_axe(axe_script))
    for rule in ("image-alt", "color-contrast", "empty-table-header", "region"):
        assert rule in report


def test_axe_computes_the_contrast_of_three_texts_that_look_alike_and_of_every_other(context: BrowserContext):
    visit = Visit(context, "")
    faint = {
        "colour": "<p style='color: #aaa'>colour</p>" * 5,
        "ground": "<div style='background: #333'><p>ground</p></div>",
        "opacity": "<div style='opacity: 0.4'><p>opacity</p></div>",
        "weight": "<p style='color: #aaa; font-weight: bold'>weight</p>",
        "placed": "".join(
            f"<p style='position: absolute; top: 80%; left: {n}00px; background: #333'>placed</p>"
            for n in range(5)
        ),
    }
    bodies = "".join(["<p>legible</p>" * 5, *faint.values()])
    visit.page.set_content(f"<html lang=en><title>x</title><main>{bodies}</main>")
    visit.page.evaluate(axe.script())
    violations = axe.violations(visit.page, axe.CONTRAST)
    counts = {name: sum(f">{name}<" in fault for fault in violations) for name in faint}
    assert counts == {"colour": 3, "ground": 1, "opacity": 1, "weight": 1, "placed": 5}


def test_axe_is_shown_a_word_of_every_colour(page: Page, sample: str):
    page.goto(f"{sample}/masked_softmax.html")
    kinds = """() => [...new Set([...document.querySelectorAll(".highlight pre span:not(.line, :has(*))")]
        .filter((word) => word.checkVisibility()).map((word) => word.className))].sort()"""
    before = page.evaluate(kinds)
    page.evaluate(axe.ONE_OF_EACH_KIND)
    assert page.evaluate(kinds) == before and len(before) > 5
    assert page.locator(".highlight pre span:not(.line)").count() < 100


@pytest.mark.parametrize("name", ["index", "masked_softmax", "dot_product"])
def test_the_samples_pages_are_healthy(context: BrowserContext, sample: str, name: str):
    faults = Visit(context, sample.removesuffix("/chapters")).look_at(f"chapters/{name}")
    # One formula of the sample is wide, for another test.
    assert [fault for fault in faults if not fault.startswith("half hidden")] == []


@pytest.mark.parametrize("name", pages_of_toc())
def test_every_page_is_healthy_and_open_to_every_reader(context: BrowserContext, book: str, name: str):
    visit = Visit(context, book)
    assert visit.look_at(name) == []
    topic = name.removeprefix("chapters/")
    if topic in FIT_A_PHONE:
        assert len(visit.scrolling) > 20 and not any(visit.scrolling), [*filter(None, visit.scrolling)]
    if topic in HAVE_LONG_LINES:
        assert len(visit.lines) > 20 and all(rows < 1.5 for _, rows in visit.lines), visit.lines
    assert visit.ask_axe(axe.script()) == []  # skipped, with the reason, where npm cannot bring axe


@pytest.mark.parametrize("topic", topics())
def test_every_exercise_is_folded_in_the_same_way(book: str, topic: str):
    """Its hints, then its solution, all closed; that a closed fold hides is seen in the sample."""
    html = (ROOT / "_build" / "html" / "chapters" / f"{topic}.html").read_text(encoding="utf-8")
    exercises = [exercise for exercise in all_exercises().values() if exercise.topic == topic]
    hints = {f"ex-{e.name}": [f"Hint {i + 1}" for i in range(len(e.hints))] for e in exercises}
    folds_of = {}
    for box in BeautifulSoup(html, "html.parser").select(".exercise"):
        row = box.find_next_sibling()
        folds = row.select(":scope > details") if "tries" in row.get("class", []) else []
        if not folds:  # a table of what is asked stands between the box and its solution
            folds = box.find_next_siblings("details")[:1]
        assert not any(fold.has_attr("open") for fold in folds)
        folds = [fold.summary.get_text(strip=True) for fold in folds]
        folds_of[box["id"]] = folds
    assert folds_of == {name: [*those, "Solution"] for name, those in hints.items()}
