"""Find the fault, in the book: pieces of code with a mistake beneath each chapter, and a page on which they come back.

The items are made when the book is built, by the generator of `attention practise`, and come as a script for each
exercise once a reader asks for them, so that they work without a server. `_static/in_page/practice.js` shows them.
"""

from __future__ import annotations

import json
import sys
from itertools import islice
from pathlib import Path

from docutils import nodes
from in_page import fieldset  # type: ignore[import-not-found]
from sphinx.application import Sphinx

from autograder.frameworks import graded
from autograder.html.render import filled
from autograder.items.choose import new_items
from autograder.items.practice import Practice
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise
from tools.errors import ToolError
from tools.page_assets import copy_fsrs

# How many items an exercise has in each framework, with one mistake and with two.
ITEMS, HARD, SEED = 10, 5, 1


def show(app: Sphinx, document: nodes.document, name: str) -> None:
    """Add the items to a chapter that has some, and what comes back to its page."""
    names = [e.name for e in all_exercises().values() if name == f"chapters/{e.topic}" and e.asks_for_code]
    page = next(iter(document.findall(nodes.section)), None)
    if page is not None and app.builder.format == "html" and (names or name == "chapters/again_today"):
        page += nodes.raw("", filled("practice.html", exercises=" ".join(names)), format="html")


def script_of(exercise: Exercise) -> str:
    """The script that hands an exercise's items to the page, by framework: the key and the HTML of each."""
    found = {
        framework: [
            {"key": item.key, "html": fieldset(item.question, f"{framework}-{item.key}")}
            for hard, count in ((False, ITEMS), (True, HARD))
            for item in islice(new_items(Practice(seed=SEED), [exercise], framework, hard), count)
        ]
        for framework in graded()
    }
    return f"practice.items({json.dumps(exercise.name)}, {json.dumps(found, ensure_ascii=False)});\n"


def write_items(app: Sphinx, error: Exception | None) -> None:
    """Write the script of each exercise whose chapter is in the book, and FSRS beside them."""
    if error is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir, "_static", "in_page", "practice")
    try:
        copy_fsrs(folder)
    except (ToolError, OSError) as missing:
        sys.stderr.write(f"The book is built without faults to be found: {missing}.\n")
        return
    for exercise in all_exercises().values():
        if exercise.asks_for_code and f"chapters/{exercise.topic}" in app.env.found_docs:
            (folder / f"{exercise.name}.js").write_text(script_of(exercise), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("doctree-resolved", show)
    app.connect("build-finished", write_items)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
