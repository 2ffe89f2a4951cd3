"""Find the fault, in the book: pieces of code with a mistake beneath each chapter, and a page on which they come back.

The items are made when the book is built, by the generator of `attention practise`, and come as a script for each
topic once a reader asks for them, so that they work without a server. `_static/in_page/practice.js` shows them.
"""

from __future__ import annotations

import json
from html import escape
from itertools import islice
from pathlib import Path

from docutils import nodes
from in_page import fieldset  # type: ignore[import-not-found]
from sphinx.application import Sphinx

from autograder.frameworks import graded
from autograder.items.choose import new_items
from autograder.items.items import asks_for_code
from autograder.items.practice import Practice
from autograder.model.catalogue import all_exercises

TODAY = "again_today"
# How many items a topic has in each framework, with one mistake and with two; a reader gets five of them at once, and
# others the next time.
ITEMS, HARD, SEED = 20, 10, 1
STATUS = '<p class="in-page-status" role="status"></p><div class="practice-items"></div>'
CHAPTER = (
    '<div class="practice in-page" data-topic="{0}"><details><summary>Find the fault: five pieces of code</summary>'
    "<p>Each of them has a mistake. What you miss comes back sooner, on the page "
    '<a href="again_today.html">Again today</a>.</p>'
    f'{STATUS}<div class="in-page-buttons"><button type="button">Five others</button>'
    '<button type="button">Five with two mistakes</button></div></details></div>'
)
AGAIN = (
    '<div class="practice in-page practice-today" data-topics="{0}">'
    f'{STATUS}<div class="in-page-buttons"><button type="button" class="practice-export">Save practice.json</button>'
    '<label>Read a practice.json: <input type="file" class="practice-import" accept=".json"></label></div></div>'
)


def topics() -> dict[str, str]:
    """The topic of each exercise that has items."""
    return {e.name: e.topic for e in all_exercises().values() if asks_for_code(e)}


def show(app: Sphinx, document: nodes.document, name: str) -> None:
    """Add the items to a chapter that has some, and what comes back to its page."""
    topic = name.removeprefix("chapters/") if app.builder.format == "html" else ""
    for page in list(document.findall(nodes.section))[:1]:
        if topic == TODAY:
            page += nodes.raw("", AGAIN.format(escape(json.dumps(topics()))), format="html")
        elif topic in topics().values():
            page += nodes.raw("", CHAPTER.format(topic), format="html")


def script_of(topic: str) -> str:
    """The script that hands a topic's items to the page, by framework: the key and the HTML of each."""
    exercises = [e for e in all_exercises().values() if e.topic == topic]
    found = {
        framework: [
            {"key": item.key, "html": fieldset(item.question, f"{framework}-{item.key}")}
            for hard, count in ((False, ITEMS), (True, HARD))
            for item in islice(new_items(Practice(seed=SEED), exercises, framework, hard), count)
        ]
        for framework in graded()
    }
    return f"practice.items({json.dumps(topic)}, {json.dumps(found, ensure_ascii=False)});\n"


def write_items(app: Sphinx, error: Exception | None) -> None:
    """Write the script of each topic whose chapter is in the book."""
    for topic in {*topics().values()} if error is None and app.builder.format == "html" else ():
        if f"chapters/{topic}" in app.env.found_docs:
            path = Path(app.outdir, "_static", "in_page", "practice", f"{topic}.js")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(script_of(topic), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("doctree-resolved", show)
    app.connect("build-finished", write_items)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
