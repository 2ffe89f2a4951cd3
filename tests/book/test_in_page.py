"""Exercises that are tried in the page: a small book with one exercise of each kind, in a real browser."""

import json
import random
import re
import shutil
import sys
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from itertools import pairwise
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook
from page_assets import LOADED, TORCH_ARCHIVE, copy_assets
from playwright.sync_api import expect

from autograder.book.answer_stub import NOT_WRITTEN, answer_stub
from autograder.items.repetition import next_card, read, write
from autograder.model.catalogue import all_exercises
from autograder.model.errors import ToolError
from autograder.model.paths import ROOT
from tests.book import axe
from tests.book.browsing import NARROW, WIDE, serve
from tests.book.legible import use_scheme
from tests.book.sample_book import build
from tests.frameworks.test_numpy import with_reference
from tests.page.torch_solutions import CODE, solution_text, wrong_answers
from tools.serve import SMALLER, compressed, serving
from tools.sync import box

sys.path.insert(0, str(ROOT / "_ext"))
from in_page import LEFT_OUT, WITHOUT, inline, prepare_checks
from in_page import field as field_of

pytestmark = pytest.mark.xdist_group("in_page")
# Loading takes seconds, on a busy machine many.
PATIENCE = 120_000
NAMES = ("masked_softmax", "relu_score", "kind_of_attention", "claims_that_hold", "head_sizes", "rotary")
CLAIMS = "\n".join(
    ["| name | claim |", "| --- | --- |"]
    + [
        f"| `{name}` | Claim {name} has $\\sqrt d$. |"
        for name in ("twelve", "variance", "concat", "symmetric", "length", "window", "million", "bounded")
    ]
)
WRONG = """import numpy as np

def masked_softmax(X, valid_length):
    exps = np.exp(X - X.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)
"""
RIGHT = """import numpy as np

def masked_softmax(X, valid_length):
    if valid_length is not None:
        if valid_length.ndim == 1:
            valid_length = valid_length[:, None]
        X = np.where(np.arange(X.shape[-1]) < valid_length[..., None], X, -1e6)
    exps = np.exp(X - X.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)
"""
LAYER = answer_stub(all_exercises()["relu_score"]).replace(
    NOT_WRITTEN,
    "q, k = (np.maximum(X @ self.W.T, 0) for X in (queries, keys))\n"
    "        return (q * self.D) @ k.transpose(0, 2, 1)",
)
LOOP = "while True:\n    pass\n"


def write_book(folder):
    """A book of one chapter, with the real book's configuration, extensions and scripts."""
    for part in ("_ext", "_static"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "_config.yml", folder)
    chapters = folder / "chapters"
    chapters.mkdir()
    for name in ("references.bib", "again_today.md"):
        shutil.copy(ROOT / "chapters" / name, chapters)
    toc = "format: jb-book\nroot: chapters/index\nchapters:\n- file: chapters/masked_softmax\n- file: chapters/again_today\n"
    (folder / "_toc.yml").write_text(toc)
    (chapters / "index.md").write_text("# A book\n\nIts first words.\n\n## A part\n\nMore.\n")
    cells = ["# Exercises", *(box(all_exercises()[name]) for name in NAMES), CLAIMS]
    nbformat.write(
        new_notebook(cells=[new_markdown_cell(c) for c in cells]), chapters / "masked_softmax.ipynb"
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built book, with all that its checks load."""
    folder = tmp_path_factory.mktemp("book")
    try:
        copy_assets(folder / "assets")
    except ToolError as error:
        if "not installed" in str(error) or "did not send" in str(error):
            pytest.skip(f"{error}: it sends what the checks load")
        raise
    write_book(folder)
    build(folder)
    return folder / "_build" / "html"


@pytest.fixture(scope="module")
def server(site):
    yield from (f"{address}/chapters" for address in serve(site))


@pytest.fixture(scope="module")
def window(browser):
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture(scope="module")
def page(window, server):
    """The chapter. Its clock can be put forward."""
    page = window.new_page()
    page.errors, page.addresses = [], []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("request", lambda request: page.addresses.append(request.url))
    page.clock.install()
    page.goto(f"{server}/masked_softmax.html")
    yield page
    page.close()


def widget(page, name, kind="textarea"):
    return page.locator(f'.in-page[data-exercise="{name}"]:has({kind})')


def opened(page, name, kind="textarea"):
    place = widget(page, name, kind)
    if place.locator("details").first.get_attribute("open") is None:
        place.locator("summary").first.click()
    return place


def written(field, text):
    """Write an answer into a field: into the editor, or into the text area where there is none."""
    expect(field).to_have_attribute("data-awake", "")
    field.locator(".cm-content, textarea:visible").fill(text)


def handed_in(page, name, text):
    field = opened(page, name)
    written(field, text)
    field.get_by_role("button", name="Check").click()
    return field


def wait_for(place, words):
    expect(place.locator(".in-page-verdict")).to_contain_text(words, timeout=PATIENCE)


def loaded_by(page):
    return {url.rpartition("/")[2].partition("?")[0] for url in page.addresses if "/in_page/" in url}


def test_a_page_loads_nothing_until_a_reader_opens_a_field_and_then_all_that_a_check_needs(page):
    widget(page, "masked_softmax").scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    assert loaded_by(page) == {"in_page.css", "in_page.js", "practice.js"}
    place = opened(page, "masked_softmax")
    expect(place.locator("textarea")).to_have_value(answer_stub(all_exercises()["masked_softmax"]))
    while not set(LOADED) <= loaded_by(page):
        page.wait_for_timeout(50)
    row = page.locator("#ex-masked_softmax + .tries")
    place = row.evaluate("(row) => row.firstElementChild.dataset.exercise")
    assert place == "masked_softmax"  # between the question and its first hint


def test_the_page_says_how_much_it_loads(page, site):
    parts = [site / "_static" / "in_page" / name for name in LOADED]
    small = sum(len(compressed(p, 0)) if p.suffix in SMALLER else p.stat().st_size for p in parts)
    assert small < 8_500_000  # the exercises, and what is said of them, are a million of these
    assert f"Runs in your browser; {small / 1e6:.0f} MB, once." in page.content()


def test_once_something_was_checked_python_starts_where_an_exercise_is_seen(browser, server):
    page = browser.new_page()
    page.addresses = []
    page.on("request", lambda request: page.addresses.append(request.url))
    page.add_init_script("localStorage.setItem('in-page-checked', '1')")
    page.goto(f"{server}/masked_softmax.html")
    widget(page, "relu_score").scroll_into_view_if_needed()
    while "course.zip.bin" not in loaded_by(page):
        page.wait_for_timeout(50)
    page.close()


def test_a_script_that_comes_late_loses_no_press(window, server):
    """A press between opening and the arrival of the script was lost."""
    page = window.new_page()
    waiting = []
    page.route("**/answers.mjs*", lambda route: waiting.append(route))
    page.goto(f"{server}/masked_softmax.html")
    field = opened(page, "masked_softmax")
    button = field.get_by_role("button", name="Check")
    expect(button).to_be_disabled()
    assert field.get_attribute("data-awake") is None
    while not waiting:
        page.wait_for_timeout(50)
    waiting.pop().continue_()
    button.click()
    wait_for(field, "Not written yet")
    page.close()


def in_every_look(page):
    """What axe finds in one state of a page: in the dark, where colours alone differ; on a phone, a desk and a laptop."""
    violations = []
    for scheme, rules, width, height in (
        ("dark", axe.CONTRAST, NARROW, 860),
        ("light", axe.EVERY_RULE, NARROW, 860),
        ("light", axe.EVERY_RULE, WIDE, 900),
        ("light", axe.EVERY_RULE, 1366, 680),
    ):
        use_scheme(page, scheme)
        page.set_viewport_size({"width": width, "height": height})
        violations += [f"{width} {scheme}: {violation}" for violation in axe.violations(page, rules)]
    return violations


def test_from_an_address_to_an_accepted_answer_by_keys_alone(browser, server):
    """Without the network, with it again, wrong, right, and stopped: each state of the stage, which axe looks at."""
    context = browser.new_context(viewport={"width": 1366, "height": 680})
    context.set_default_timeout(PATIENCE)
    context.add_init_script(axe.script())
    page = context.new_page()
    addresses = []
    page.on("request", lambda request: addresses.append(request.url))
    scripts = re.compile(r"(answers|checker)\.mjs")
    page.route(scripts, lambda route: route.abort())
    page.goto(f"{server}/masked_softmax.html#ex-masked_softmax")
    place = widget(page, "masked_softmax")
    verdict, strip, mark = (place.locator(f".in-page-{name}") for name in ("verdict", "attempts", "mark"))
    expect(place.locator(".in-page-status")).to_contain_text("once the network is back")
    expect(place.get_by_role("button", name="Check")).to_be_disabled()
    assert in_every_look(page) == []
    page.unroute(scripts)
    page.evaluate("dispatchEvent(new Event('online'))")
    field = place.locator(".cm-content")
    expect(field).to_be_focused()
    assert page.evaluate("getSelection().toString()") == NOT_WRITTEN
    assert in_every_look(page) == []
    expect(place.locator(".in-page-load output")).to_have_text("Python is ready.", timeout=PATIENCE)

    page.keyboard.type("X = X - Y\nreturn np.exp(X) / np.exp(X).sum(-1, keepdims=True)")
    page.keyboard.press("Control+Enter")
    expect(verdict).to_contain_text("name 'Y' is not defined")
    failing = place.locator(".in-page-failing")
    expect(failing).to_have_text("    X = X - Y")
    assert failing.get_attribute("data-words") == "NameError: name 'Y' is not defined"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    page.keyboard.press("Backspace")
    page.keyboard.type("X.max(-1, keepdims=True)")
    expect(failing).to_have_count(0)
    page.keyboard.press("Control+Enter")
    expect(verdict).to_contain_text("valid_length has no effect")
    expect(verdict).to_be_in_viewport(ratio=0.9)
    assert verdict.bounding_box()["x"] > field.bounding_box()["x"] + field.bounding_box()["width"]
    labels = [svg.get_attribute("aria-label") for svg in verdict.get_by_role("img").all()]
    assert [label.split(":")[0] for label in labels] == ["yours", "right"]
    assert verdict.locator("rect.masked").count() == 4  # two masked keys, on both sides
    assert verdict.locator("details > div table").count() == 2
    expect(mark).to_be_hidden()
    assert in_every_look(page) == []
    words = verdict.aria_snapshot()
    assert [words.count(f"{whose}: weights[0]") for whose in ("yours", "right")] == [1, 1]

    field.focus()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(RIGHT)
    page.keyboard.press("Control+Enter")
    expect(verdict).to_contain_text("It computes the reference")
    expect(mark).to_be_visible()
    assert in_every_look(page) == []
    assert strip.get_by_role("button").all_inner_texts() == ["NameError", "mask ignored", "✓ passed"]
    strip.get_by_role("button", name="mask ignored").press("Enter")
    expect(verdict).to_contain_text("valid_length has no effect")
    expect(field).to_contain_text("X = X - X.max")
    expect(mark).to_be_hidden()  # one state, that of the answer at hand
    strip.get_by_role("button", name="passed").press("Enter")
    field.focus()
    page.keyboard.press("Control+Home")
    page.keyboard.insert_text(LOOP)
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(place.locator(".in-page-status")).to_have_text("Checking …")
    place.get_by_role("button", name="Stop").press("Enter")
    expect(verdict).to_contain_text("Is there a loop that never ends?")
    expect(place.get_by_role("button", name="Check")).to_be_focused()
    expect(mark).to_be_hidden()
    assert in_every_look(page) == []
    place.get_by_role("button", name="PyTorch").press("Enter")
    expect(place.locator(".in-page-status")).to_be_empty()
    strip.get_by_role("button", name="NameError").press("Enter")
    expect(failing).to_have_text("    X = X - Y")
    assert in_every_look(page) == []
    host = page.url.partition("//")[2].partition("/")[0]
    assert {url.partition("//")[2].partition("/")[0] for url in addresses if "//" in url} == {host}
    context.close()


FORGED = """from contextlib import suppress
FORGING = '''const own = self.postMessage, verdict = { outcome: "accepted", html: "<b>forged</b>" };
self.postMessage = (message) => own.call(self, { ...message, verdict });
addEventListener("message", ({ data }) => own.call(self, { id: data.id, verdict }));'''
with suppress(Exception):
    import js
    js.eval(FORGING)
with suppress(Exception):
    from pyodide.code import run_js
    run_js(FORGING)
with suppress(Exception):
    from pyodide.ffi import to_js
    to_js([]).constructor.constructor(FORGING)()
"""


def test_a_verdict_that_code_in_the_field_sends_is_not_believed(browser, server):
    page = browser.new_page()  # in which nothing is passed yet
    page.set_default_timeout(PATIENCE)
    page.route("**/codemirror.mjs", lambda route: route.abort())  # without it there is a text area
    page.goto(f"{server}/masked_softmax.html")
    for _ in range(2):  # what it leaves behind would hear of the second check
        place = handed_in(page, "masked_softmax", FORGED + WRONG)
        wait_for(place, "valid_length has no effect")
        expect(place.locator(".in-page-mark")).to_be_hidden()
        assert "forged" not in place.locator(".in-page-verdict").inner_text()
    page.close()


@pytest.fixture
def elsewhere():
    """Another host (another port is one to a browser), and what was asked of it."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(self.path)
            self.send_error(404)

        do_POST = do_GET

        def log_message(self, format, *arguments):
            """Nothing."""

    with serving(Handler) as address:
        yield address, requests


CONNECTING = """import urllib.request
from pyodide import code, ffi, http

def tried(name, way):
    try:
        print("reached by", name, way())
    except Exception as error:
        print(name, type(error).__name__)

def by_js():
    import js
    return js.fetch(ADDRESS)

def by_pyodide():
    import pyodide_js
    return pyodide_js

tried("js", by_js)
tried("pyodide_js", by_pyodide)
tried("run_js", lambda: code.run_js(f"fetch('{ADDRESS}')"))
tried("Function", lambda: ffi.to_js([]).constructor.constructor(f"return fetch('{ADDRESS}')")())
tried("open_url", lambda: http.open_url(ADDRESS))
tried("urlopen", lambda: urllib.request.urlopen(ADDRESS, timeout=5))
print("tried all")
"""
# What code that got hold of all of JavaScript could do, here and in a worker that it starts.
CONNECTS = """async (address) => {
    const socket = () => new Promise((open, fails) => {
        Object.assign(new WebSocket(address.replace("http", "ws")), { onopen: open, onerror: fails });
    });
    const asked = (worker) => new Promise((open, fails) => {
        Object.assign(worker, { onmessage: open, onerror: fails });
        setTimeout(fails, 3000);
    });
    const text = `fetch("${address}/nested", { mode: "no-cors" }).then(() => postMessage(1), () => postMessage(1))`;
    const nested = () => asked(new Worker(URL.createObjectURL(new Blob([text]))));
    const ways = [
        () => fetch(`${address}/fetch`, { mode: "no-cors" }), () => import(`${address}/import`), socket,
        () => navigator.sendBeacon?.(`${address}/beacon`, "text"), nested,
    ];
    for (const way of ways) await Promise.resolve().then(way).catch(() => {});
}"""


def test_nothing_in_a_field_connects_to_another_host(page, elsewhere):
    address, requests = elsewhere
    place = handed_in(page, "masked_softmax", f"ADDRESS = {address!r}\n{CONNECTING}")
    wait_for(place, "tried all")
    assert "reached" not in place.locator(".in-page-verdict").inner_text()
    (worker,) = page.workers
    for part in (worker, page):
        part.evaluate(CONNECTS, address)
    assert requests == []


# Each calls `ran` or asks the other host if it is not taken apart.
HOSTILE = [
    "<script>ran()</script>",
    "<scr<script>ipt>ran()</scr</script>ipt>",
    "<img src=x onerror=ran()>",
    "<IMG SRC=x OnErRoR=ran()",
    "<div><b><code><img src=x onerror=ran()></code></b></div>",
    "<table><tr><td><img src=x onerror=ran()></td></tr><script>ran()</script></table>",
    "<div onclick=ran() onmouseover=ran() onfocus=ran() tabindex=0 autofocus>over</div>",
    "<details open ontoggle=ran()>open</details>",
    "<input autofocus onfocus=ran()>",
    "<video><source onerror=ran()></video>",
    "<svg onload=ran()></svg>",
    "<svg><script>ran()</script></svg>",
    "<svg><animate onbegin=ran() attributeName=x dur=1s></svg>",
    "<svg><foreignObject><body><img src=x onerror=ran()></body></foreignObject></svg>",
    "<svg><style><img src=x onerror=ran()></style></svg>",
    "<svg><a xlink:href=javascript:parent.ran()><text y=20>link</text></a></svg>",
    "<a href=javascript:ran()>link</a>",
    "<b><a href=' java\tscript:ran()'>link</a></b>",
    "<form action=javascript:ran()><button>send</button></form>",
    "<button formaction=javascript:ran()>send</button>",
    "<iframe srcdoc='<script>parent.ran()</script>'></iframe>",
    "<iframe src=javascript:parent.ran()></iframe>",
    "<iframe src=ADDRESS/frame></iframe>",
    "<object data=ADDRESS/object></object><embed src=ADDRESS/embed>",
    "<img src=ADDRESS/image><link rel=stylesheet href=ADDRESS/link>",
    "<style>@import 'ADDRESS/import'; body { background: url(ADDRESS/style) }</style>",
    "<meta http-equiv=refresh content='0; url=javascript:ran()'><base href=ADDRESS>",
    "<div style='background: url(ADDRESS/background)'>styled</div>",
    "<div style='background-image: image-set(\"ADDRESS/set\" 1x)'>styled</div>",
    r"<div style='--a: u\72l(ADDRESS/escaped); background: var(--a)'>styled</div>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror=ran()&gt;'>",
    "<noscript><p title='</noscript><img src=x onerror=ran()>'>",
    "<template><img src=x onerror=ran()></template>",
    "<pre><!-- --!><img src=x onerror=ran()> --></pre>",
    "<textarea></div><img src=x onerror=ran()></textarea><img src=x onerror=ran()>",
    "<div><div><div></b></div><td><img src=x onerror=ran()",
]
ALLOWED = {"DIV", "B", "CODE", "TABLE", "CAPTION", "TBODY", "TR", "TD", "PRE", "DETAILS", "SUMMARY"}
ALLOWED |= {"FIGURE", "svg", "g", "rect", "text", "class", "style"}
ALLOWED |= {"role", "aria-label", "viewBox", "width", "height", "x", "y", "opacity"}
# To a text that scrolls the theme gives a tabindex, soon but not at once.
HOLDS = """(verdict) => [...verdict.querySelectorAll("*")].flatMap((one) => [one.nodeName,
    ...one.getAttributeNames().filter((name) => one.nodeName !== "PRE" || name !== "tabindex")])"""
TOUCHED = """(verdict) => [...verdict.querySelectorAll("*")].forEach((one) => {
    for (const name of ["click", "mouseover"]) one.dispatchEvent(new MouseEvent(name, { bubbles: true }));
})"""
SENT = """export const [SECONDS, isBusy, stop, warm, watch] = [1, () => false, () => {}, () => {}, () => {}];
export const check = async () => {
    const { html } = window;
    return { verdict: { outcome: html, html, printed: html, message: html, idea: html } };
};
export const write = check;
"""


def test_nothing_runs_that_a_verdict_holds(browser, server, elsewhere):
    """Without the page's policy, which would hide a hole: what is shown is built from a few elements."""
    address, requests = elsewhere
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.add_init_script("window.runs = 0; window.ran = () => (window.runs += 1)")
    page.route("**/checker.mjs", lambda route: route.fulfill(body=SENT, content_type="text/javascript"))
    page.goto(f"{server}/masked_softmax.html")
    place = opened(page, "masked_softmax")
    expect(place).to_have_attribute("data-awake", "")
    verdict, forbidden = place.locator(".in-page-verdict"), {}
    for text in HOSTILE:
        page.evaluate("(html) => (window.html = html)", text.replace("ADDRESS", address))
        place.get_by_role("button", name="Check").click()
        expect(verdict.locator(".in-page-printed")).to_have_text(text.replace("ADDRESS", address))
        forbidden[text] = set(verdict.evaluate(HOLDS)) - ALLOWED
        verdict.evaluate(TOUCHED)
    page.wait_for_timeout(1000)
    assert {text: more for text, more in forbidden.items() if more} == {}
    assert (page.evaluate("window.runs"), requests) == (0, [])
    page.evaluate(
        """window.html = '<div class="verdict" style="opacity: 0.5; color: rgba(1, 2, 3, 0.4)">x</div>'"""
    )
    place.get_by_role("button", name="Check").click()
    expect(verdict.locator("div.verdict")).to_have_attribute(
        "style", "opacity: 0.5; color: rgba(1, 2, 3, 0.4);"
    )
    context.close()


def test_the_model_writes_with_an_answer_and_a_wrong_idea_stands_beside_its_text(page):
    place = opened(page, "rotary")
    written(place, "def rotary(X, positions, base=10000):\n    return X")
    place.get_by_role("button", name="Let the model write with it").click()
    wait_for(place, "The model writes this with your answer, which is not right yet.")
    wrong, right = place.locator(".in-page-texts mark").all_inner_texts()
    assert wrong and right and wrong != right
    written(place, with_reference(all_exercises()["rotary"]))
    place.get_by_role("button", name="Let the model write with it").click()
    wait_for(place, "Your answer writes this text")
    assert place.locator(".in-page-texts mark").count() == 1
    expect(place.locator(".in-page-mark")).to_be_visible()
    assert widget(page, "masked_softmax").locator(".in-page-write-with").count() == 0


def test_a_class_is_passed(page):
    place = handed_in(page, "relu_score", LAYER)
    wait_for(place, "It computes the reference")


CHECK = """async ([name, text, framework]) => {
    const { check } = await import("/_static/in_page/checker.mjs");
    const { verdict, ...other } = await check(name, text, framework ?? "numpy", () => {});
    return verdict ?? { text: JSON.stringify(other) };
}"""


def test_every_exercise_can_be_passed_in_the_page(page):
    """The references in the stubs' places, functions and classes, one after another in the same worker."""
    verdicts = {
        e.name: page.evaluate(CHECK, [e.name, with_reference(e)])["text"] for e in all_exercises().values()
    }
    assert {name: words for name, words in verdicts.items() if f"{name} (numpy): passed" not in words} == {}


def test_every_exercise_in_code_is_judged_in_pytorch_in_the_page(page):
    """The solution of each is accepted, and its first wrong idea gets its name."""
    answers = {(e.name, ""): solution_text(e.topic, e.entry) for e in CODE}
    answers |= {(exercise.name, idea): text for exercise, idea, text in wrong_answers(1)}
    verdicts = {key: page.evaluate(CHECK, [key[0], text, "torch"]) for key, text in answers.items()}
    assert {
        key: verdict["text"]
        for key, verdict in verdicts.items()
        if (verdict.get("outcome"), verdict.get("idea")) != ("rejected" if key[1] else "accepted", key[1])
    } == {}


IN_TORCH = """import torch

def masked_softmax(X, valid_length):
    if valid_length is not None:
        if valid_length.ndim == 1:
            valid_length = valid_length[:, None]
        X = X.masked_fill(torch.arange(X.shape[-1]) >= valid_length[..., None], -1e6)
    return torch.softmax(X, dim=-1)
"""
DETACHED = IN_TORCH.replace("(X, dim=-1)", "(X.detach(), dim=-1)")
UNKNOWN_CAUGHT = IN_TORCH.replace(
    "    if valid_length is not",
    "    try:\n        torch.histogramdd(X)\n    except Exception:\n        pass\n    if valid_length is not",
)
CHOSEN = ".in-page-languages [aria-pressed=true]"


def judged_in_field(place, text, words):
    written(place, text)
    place.get_by_role("button", name="Check").click()
    wait_for(place, words)


def test_an_answer_in_pytorch_is_judged_in_the_page(browser, server):
    """From the switch at the field to an accepted answer: wrong, with a wrong gradient, with an unknown name, and right."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    context.set_default_timeout(PATIENCE)
    context.add_init_script(axe.script())
    page = context.new_page()
    page.addresses = []
    page.on("request", lambda request: page.addresses.append(request.url))
    page.goto(f"{server}/masked_softmax.html")
    place = handed_in(page, "masked_softmax", WRONG)
    wait_for(place, "valid_length has no effect")
    assert "torch.zip.bin" not in loaded_by(page)
    language, text = place.get_by_role("group", name="Language of the answer"), place.locator("textarea")
    strip, mark = place.locator(".in-page-attempts"), place.locator(".in-page-mark")
    language.get_by_role("button", name="PyTorch").click()
    expect(text).to_have_value(answer_stub(all_exercises()["masked_softmax"], "torch"))
    judged_in_field(place, IN_TORCH.replace(">=", ">"), "One key too many is valid")
    judged_in_field(place, DETACHED, "gradient")
    expect(strip.get_by_role("button").last).to_have_text("gradient cut")
    assert "torch.zip.bin" in loaded_by(page)
    marks = strip.get_by_role("button").count()
    unknown = "The page's PyTorch does not know torch.histogramdd: try it in the notebook."
    judged_in_field(place, UNKNOWN_CAUGHT, unknown)
    assert strip.get_by_role("button").count() == marks
    expect(mark).to_be_hidden()
    assert axe.violations(page) == []
    judged_in_field(place, IN_TORCH, "It computes the reference")
    expect(mark).to_be_visible()
    assert axe.violations(page) == []

    language.get_by_role("button", name="NumPy").click()
    expect(text).to_have_value(WRONG)
    strip.get_by_role("button", name="✓ passed").click()
    expect(text).to_have_value(IN_TORCH)
    page.reload()
    expect(place.locator("textarea")).to_have_value(IN_TORCH)
    expect(place.locator(CHOSEN)).to_have_text("PyTorch")
    host = page.url.partition("//")[2].partition("/")[0]
    assert {url.partition("//")[2].partition("/")[0] for url in page.addresses if "//" in url} == {host}
    context.close()


def test_pytorch_in_numpys_place_and_the_switch_of_the_page(browser, server):
    """An answer that imports PyTorch moves to PyTorch's place, and what a reader kept before stays."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{server}/masked_softmax.html")
    place = opened(page, "masked_softmax")
    written(place, WRONG)
    judged_in_field(place, IN_TORCH, "It computes the reference")
    expect(place.locator(CHOSEN)).to_have_text("PyTorch")
    stored = {key: page.evaluate(f"localStorage.getItem('in-page-answer-{key}')") for key in NAMES}
    assert stored["masked_softmax"] == WRONG

    rotary = opened(page, "rotary")
    expect(rotary).to_have_attribute("data-awake", "")
    expect(rotary.locator(CHOSEN)).to_have_text("NumPy")
    page.evaluate("document.documentElement.dataset.framework = 'torch'")
    expect(rotary.locator(CHOSEN)).to_have_text("PyTorch")
    written(rotary, (ROOT / "solutions" / "positions" / "in_torch.py").read_text())
    rotary.get_by_role("button", name="Let the model write with it").click()
    wait_for(rotary, "Your answer writes this text")
    assert rotary.locator(".in-page-texts mark").count() == 1
    page.evaluate("document.documentElement.dataset.framework = 'mxnet'")
    expect(rotary.locator("textarea")).to_have_value(answer_stub(all_exercises()["rotary"]))
    page.close()


def test_pytorch_in_the_page_is_small(site):
    assert (site / "_static" / "in_page" / TORCH_ARCHIVE).stat().st_size < 150_000


ABSENT = """import xml.dom
from numpy import softmax
def masked_softmax(X, valid_length):
    return LINE
"""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "xml.dom.X",
            "The import in line 1 failed: xml is not in the page: answer without it, or try it in the notebook",
        ),
        ("softmax(X)", "The import in line 2 failed: cannot import name 'softmax' from 'numpy'"),
        ("np.fft.fft(X)", "numpy.fft is not in the page: answer without it, or try it in the notebook"),
        ("__import__('ssl')", "ssl is not in the page"),
        ("help(X)", "pydoc is not in the page"),
    ],
)
def test_what_the_page_leaves_out_is_said_to_be_in_the_notebook(page, line, words):
    answer = ABSENT.replace("LINE", line).replace("def", "import numpy as np\ndef")
    text = page.evaluate(CHECK, ["masked_softmax", answer])["text"]
    assert words in text and "No module" not in text


def test_the_field_indents_and_lets_the_keyboard_leave(page):
    place = opened(page, "masked_softmax")
    written(place, "")
    field, text = place.locator(".cm-content"), place.locator("textarea")
    field.focus()
    page.keyboard.type("def f(x):\nif x:\nreturn 1")
    assert text.input_value() == "def f(x):\n    if x:\n        return 1"
    page.keyboard.press("Shift+Tab")
    assert text.input_value().endswith("\n    return 1")
    page.keyboard.press("Control+/")
    assert text.input_value().endswith("\n    # return 1")
    page.keyboard.press("Control+/")
    page.keyboard.press("Home")
    page.keyboard.press("Backspace")  # four of the four
    assert text.input_value().endswith("\nreturn 1")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+a")
    page.keyboard.press("Tab")
    assert text.input_value() == "    def f(x):\n        if x:\n        return 1"
    page.keyboard.press("Control+z")
    assert text.input_value() == "def f(x):\n    if x:\n    return 1"
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    page.keyboard.press("Escape")
    page.clock.fast_forward(9_000)  # who is slow has time
    page.keyboard.press("Tab")
    expect(field).not_to_be_focused()
    page.clock.resume()


def test_a_loop_is_ended_by_the_clock_or_by_hand_and_the_page_goes_on(page):
    place = handed_in(page, "masked_softmax", LOOP)
    expect(place.locator(".in-page-status")).to_have_text("Checking …")
    page.clock.fast_forward(60_000)
    wait_for(place, "Is there a loop that never ends?")
    place = handed_in(page, "masked_softmax", LOOP)
    page.addresses.clear()
    place.get_by_role("button", name="Stop").click()
    wait_for(place, "Is there a loop that never ends?")
    while "course.zip.bin" not in loaded_by(page):  # the next one starts before it is asked
        page.wait_for_timeout(50)
    place = handed_in(page, "masked_softmax", RIGHT)
    wait_for(place, "It computes the reference")


def test_a_quiz_gives_a_reason_and_is_passed_when_all_is_right(page):
    quiz = opened(page, "kind_of_attention", "fieldset")
    for question in quiz.locator("fieldset").all():
        reason = question.locator(".in-page-reason")
        question.locator("input:not([data-right])").first.check()
        expect(reason).not_to_be_empty()
        expect(reason).not_to_have_text("That is right.")
        expect(quiz.locator(".in-page-mark")).to_be_hidden()
        question.locator("input[data-right]").check()
        expect(reason).to_have_text("That is right.")
    expect(quiz.locator(".in-page-mark")).to_be_visible()


def test_a_question_quotes_the_tables_row(page):
    quiz = opened(page, "claims_that_hold", "fieldset")
    legend = quiz.locator("legend").first
    expect(legend).to_contain_text("Claim twelve has")
    assert legend.locator(".math").count() == 1
    assert widget(page, "claims_that_hold").count() == 0  # a quiz is all of it
    assert widget(page, "head_sizes").count() == widget(page, "head_sizes", "fieldset").count() == 1


def test_answers_and_progress_outlive_a_reload(page, server):
    page.evaluate("localStorage.clear()")  # what other tests have passed here
    page.reload()
    for name, answer in (("masked_softmax", RIGHT), ("relu_score", LAYER)):
        place = handed_in(page, name, answer)
        expect(place.locator(".in-page-mark")).to_be_visible(timeout=PATIENCE)
    for right in opened(page, "kind_of_attention", "fieldset").locator("input[data-right]").all():
        right.check()
    written(place, "# mine")
    page.reload()
    # The stub stands there until the script has run.
    expect(widget(page, "relu_score").locator("textarea")).to_have_value("# mine")
    expect(widget(page, "relu_score").locator(".in-page-mark")).to_be_visible()
    quiz = widget(page, "kind_of_attention", "fieldset")
    assert quiz.locator("input[data-right]:checked").count() == quiz.locator("fieldset").count()
    page.on("dialog", lambda dialog: dialog.accept())
    widget(page, "relu_score").get_by_role("button", name="Begin again").click()
    stub = answer_stub(all_exercises()["relu_score"])
    expect(widget(page, "relu_score").locator("textarea")).to_have_value(stub)
    page.goto(f"{server}/index.html")
    progress = page.locator(".in-page-progress")
    expect(progress).to_contain_text("Passed in these pages: 3 of")
    expect(progress.locator("li", has_text="Masked softmax")).to_contain_text("1 of 2")
    assert page.errors == []


def test_from_a_file_the_page_says_what_to_do_and_quizzes_work(window, site):
    page = window.new_page()
    page.goto((site / "chapters" / "masked_softmax.html").as_uri())
    expect(opened(page, "masked_softmax").locator(".in-page-status")).to_contain_text("make serve")
    question = opened(page, "kind_of_attention", "fieldset").locator("fieldset").first
    question.locator("input[data-right]").check()
    expect(question.locator(".in-page-reason")).to_have_text("That is right.")
    page.close()


def faults(page):
    """The items beneath the chapter, opened."""
    place = page.locator(".practice[data-exercises]")
    if place.locator("details").get_attribute("open") is None:
        place.locator("summary").press("Enter")
    expect(place.locator("fieldset")).to_have_count(5)
    return place


def stored_practice(page):
    return json.loads(page.evaluate("localStorage.getItem('in-page-practice')"))


@pytest.fixture
def from_a_file(browser, site):
    """The chapter as a file, without a server, in a browser that has practised nothing."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    context.add_init_script(axe.script())
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto((site / "chapters" / "masked_softmax.html").as_uri())
    yield page
    assert page.errors == []
    context.close()


def test_faults_beneath_a_chapter_are_found_by_keyboard_and_come_back(from_a_file, site, tmp_path):
    page = from_a_file
    place = faults(page)
    for one, other in pairwise(key.split("/") for key in keys_of(place)):
        assert one[0] != other[0] and one[1] != other[1]
    wrong, right = place.locator("fieldset").nth(0), place.locator("fieldset").nth(1)
    wrong.locator("input:not([data-right])").first.focus()
    page.keyboard.press("Space")
    reason = wrong.locator("input:checked").locator("xpath=ancestor::label/following-sibling::span[1]")
    expect(wrong.locator(".in-page-reason")).to_have_text(reason.text_content())
    wrong.locator("input[data-right]").check()  # the first answer counts
    right.locator("input[data-right]").check()
    intervals = sorted(
        date(c["due"]) - date(c["last_review"]) for c in stored_practice(page)["cards"].values()
    )
    assert [interval.days for interval in intervals] == [1, 2]
    assert axe.violations(page) == []
    place.get_by_role("button", name="Five others").click()
    assert not stored_practice(page)["cards"].keys() & set(keys_of(place))
    place.get_by_role("button", name="Five with two mistakes").press("Enter")
    expect(place.locator("legend").first).to_have_text("Two lines of this code are wrong. Which?")
    assert axe.violations(page) == []

    page.goto((site / "chapters" / "again_today.html").as_uri())
    expect(page.locator(".practice .in-page-status")).to_contain_text("Nothing is due today")
    wide = page.viewport_size
    page.set_viewport_size({"width": NARROW, "height": 900})
    lines = """(label) => {
        const words = document.createRange();
        words.selectNode(label.firstChild);
        return words.getClientRects().length;
    }"""
    assert page.locator(".practice-today label").evaluate(lines) == 1
    page.set_viewport_size(wide)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save practice.json").click()
    saved = tmp_path / "practice.json"
    download.value.save_as(saved)
    practice = read(tmp_path)
    assert practice.cards == stored_practice(page)["cards"]
    for card in practice.cards.values():
        card["due"] = "2026-11-20T08:00:00.000Z"
    practice.cards["scaled_scores/line/scores_over_d"] = card  # of a chapter that this book does not have
    write(tmp_path, practice)
    page.locator(".practice-import").set_input_files(saved)
    expect(page.locator("fieldset")).to_have_count(2)
    expect(page.locator(".practice .in-page-status")).to_contain_text("Due today: 3. Of these 1 are asked by")
    assert axe.violations(page) == []
    beside = """(label) => {
        const [choice, words] = [...label.children].map((child) => child.getBoundingClientRect());
        return choice.right <= words.left;
    }"""
    for label in page.locator("fieldset label").all():
        assert label.evaluate(beside)
    page.locator("fieldset").first.locator("input[data-right]").check()
    assert sum(date(card["due"]) > datetime.now(UTC) for card in stored_practice(page)["cards"].values()) == 1
    saved.write_text('{"cards": {"x": {}}}')
    page.locator(".practice-import").set_input_files(saved)
    expect(page.locator(".practice .in-page-status")).to_contain_text("stays as it is")
    assert len(stored_practice(page)["cards"]) == 3


def date(text):
    return datetime.fromisoformat(text)


def keys_of(place):
    names = place.locator("fieldset").evaluate_all(
        "(all) => all.map((one) => one.querySelector('input').name)"
    )
    return [name.removeprefix("quiz-torch-") for name in names]


def test_an_idea_of_a_rejected_answer_comes_first(from_a_file):
    page = from_a_file
    last = page.evaluate(
        """() => new Promise((resolve) => {
            const script = document.createElement("script");
            script.src = "../_static/in_page/practice/masked_softmax.js";
            const own = practice.items;
            practice.items = (topic, found) => { own(topic, found); resolve(found.torch.findLast(({ key }) => !key.includes("/two/")).key); };
            document.head.append(script);
        })"""
    )
    exercise, _, ideas = last.split("/")
    page.evaluate("([exercise, ideas]) => practice.fellFor(exercise, ideas)", [exercise, ideas])
    assert keys_of(faults(page))[0] == last


def test_the_page_computes_the_schedule_of_fsrs(from_a_file):
    faults(from_a_file)  # FSRS comes with them
    random_answers = random.Random(4)
    now, card, mine = datetime(2026, 11, 26, 8, tzinfo=UTC), None, None
    for _ in range(200):
        now += timedelta(hours=random_answers.choice((1, 20, 30, 100, 1000)))
        right = random_answers.random() < 0.7
        card = next_card(card, right, now)
        mine = from_a_file.evaluate(
            "([card, right, now]) => practice.after(card, right, now)", [mine, right, now.timestamp() * 1000]
        )
        assert [date(mine[name]) for name in ("due", "last_review")] == [
            date(card[name]) for name in ("due", "last_review")
        ]
        assert (mine["stability"], mine["difficulty"]) == pytest.approx(
            (card["stability"], card["difficulty"])
        )


def test_without_npm_the_build_and_the_page_say_what_is_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path / "cache"))
    app = SimpleNamespace(outdir=tmp_path / "html")
    why = prepare_checks(app)
    assert why == prepare_checks(app) == "npm is not installed"
    assert capsys.readouterr().err == LEFT_OUT.format(why)  # once
    field = field_of(all_exercises()["masked_softmax"], why, (0, 0))
    assert WITHOUT.format(why) in field and "<textarea" not in field


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a < b", "a &lt; b"),
        ("`x < y`!", '<code class="docutils literal notranslate">x &lt; y</code>!'),
        ("$d_k$ <b>", '<span class="math notranslate nohighlight">\\(d_k\\)</span> &lt;b&gt;'),
    ],
)
def test_a_line_of_markdown_is_escaped(text, html):
    assert inline(text) == html
