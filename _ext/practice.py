"""Find the fault, in the book: pieces of code with a mistake beneath each chapter, and a page on which they come back.

The items are made when the book is built, by the generator of `attention practise`, and come as a script for each
topic once a reader asks for them, so that they work without a server. `_static/in_page/practice.js` shows them.
"""

from __future__ import annotations

import json
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from in_page import fieldset  # type: ignore[import-not-found]
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from autograder.frameworks import graded
from autograder.items.choose import new_items
from autograder.items.items import asks_for_code
from autograder.items.practice import Practice
from autograder.model.catalogue import all_exercises, topics

TODAY = "chapters/again_today"
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


class ShowPractice(SphinxPostTransform):
    """Add the items to each chapter that has some, and what comes back to its page."""

    default_priority: ClassVar[int] = 146
    formats: tuple[str, ...] = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Add what belongs to this page."""
        page = next(iter(self.document.findall(nodes.section)), None)
        if page is None:
            return
        if self.env.docname == TODAY:
            known = {e.name: e.topic for e in all_exercises().values() if asks_for_code(e)}
            page += nodes.raw("", AGAIN.format(escape(json.dumps(known))), format="html")
        elif (topic := _topic(self.env.docname)) is not None:
            page += nodes.raw("", CHAPTER.format(topic), format="html")


def _topic(page: str) -> str | None:
    """The topic of a chapter whose exercises have items."""
    topic = page.removeprefix("chapters/")
    return topic if any(e.topic == topic and asks_for_code(e) for e in all_exercises().values()) else None


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
    if error is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir, "_static", "in_page", "practice")
    folder.mkdir(parents=True, exist_ok=True)
    for topic in topics():
        if f"chapters/{topic}" in app.env.found_docs and _topic(topic) is not None:
            (folder / f"{topic}.js").write_text(script_of(topic), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_post_transform(ShowPractice)
    app.connect("build-finished", write_items)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
