"""Let the search find a chapter by what people type, also where the chapter says it in other words.

`taught.json` lists for each chapter the names under which its subjects are known; those of its exercises are added.
They become keywords of its page, which Sphinx indexes, and `scorer.js` ranks the chapter first.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from autograder.model.catalogue import all_exercises

HERE = Path(__file__).parent
TABLE = "const TAUGHT = {}"


@cache
def topic_names() -> dict[str, list[str]]:
    """Return for each chapter the names under which its subjects are searched."""
    names: dict[str, list[str]] = json.loads((HERE / "taught.json").read_text(encoding="utf-8"))
    for exercise in all_exercises().values():
        names.setdefault(exercise.topic, []).append(exercise.name)
    return names


def write_scorer(app: Sphinx) -> None:
    """Write the script that ranks pages, with the names in it, where Sphinx reads it."""
    scorer = (HERE / "scorer.js").read_text(encoding="utf-8")
    path = Path(app.doctreedir, "scorer.js")
    script = scorer.replace(TABLE, f"{TABLE[:-2]}{json.dumps(topic_names())}")
    if not path.exists() or path.read_text(encoding="utf-8") != script:
        path.write_text(script, encoding="utf-8")
    app.config.html_search_scorer = str(path)


def add_keywords(app: Sphinx, document: nodes.document) -> None:
    """Give a page the words of its names, for Sphinx's index and for other search engines."""
    names = topic_names().get(Path(app.env.docname).name, [])
    words = dict.fromkeys(word for name in names for word in (name, *name.split()))
    document.insert(0, nodes.meta(name="keywords", content=", ".join(words)))


def register(app: Sphinx) -> None:
    """Add the names to the index and to the ranking."""
    app.connect("builder-inited", write_scorer)
    app.connect("doctree-read", add_keywords)
