"""Find the fault, in the book: pieces of code with a mistake beneath each chapter, and a page on which they come back.

The items are made when the book is built, by the generator of `practise`, and come as a script for each
exercise once a reader asks for them, so that they work without a server. `_static/in_page/practice.js` shows them.
What was made stays in `_build/items` for later builds.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from tempfile import NamedTemporaryFile

import in_page  # type: ignore[import-not-found]
import numpy as np
from docutils import nodes
from page_assets import copy, copy_fsrs
from sphinx.application import Sphinx
from sphinx.util.parallel import ParallelTasks, SerialTasks, parallel_available

from autograder.frameworks import graded_frameworks
from autograder.html.render import render_template
from autograder.items.choose import new_items
from autograder.items.repetition import Repetition
from autograder.items.solution_texts import SOLUTIONS, vocabulary
from autograder.model.catalogue import all_exercises, modules
from autograder.model.errors import ToolError
from autograder.model.exercise import Exercise
from autograder.model.misconceptions import NUMPY
from autograder.model.paths import ROOT

# How many items an exercise has in each framework, with one mistake and with two.
ITEMS, HARD, SEED = 10, 5, 1
STORE = ROOT / "_build" / "items"
IMPORTED = re.compile(r"^\s*(?:from|import) solutions\.(\w+)", re.MULTILINE)


def show(app: Sphinx, document: nodes.document, name: str) -> None:
    """Add the items to a chapter that has some, and what comes back to its page."""
    names = [e.name for e in all_exercises().values() if name == f"chapters/{e.topic}" and e.asks_for_code]
    page = next(iter(document.findall(nodes.section)), None)
    if page is not None and app.builder.format == "html" and (names or name == "chapters/again_today"):
        page += nodes.raw("", render_template("practice.html", exercises=" ".join(names)), format="html")


def script_of(exercise: Exercise) -> str:
    """Return the script that hands an exercise's items to the page, by framework: the key and the HTML of each."""
    items = {
        framework: [
            {"key": item.key, "html": in_page.fieldset(item.question, f"{framework}-{item.key}")}
            for hard, count in ((False, ITEMS), (True, HARD))
            for item in islice(new_items(Repetition(seed=SEED), [exercise], framework, hard), count)
        ]
        for framework in graded_frameworks()
    }
    return f"practice.items({json.dumps(exercise.name)}, {json.dumps(items, ensure_ascii=False)});\n"


def digest(exercise: Exercise) -> str:
    """Return a name for all that an exercise's items depend on: other contents, another name."""
    parts = [_of_all(), exercise.name.encode(), *(p.read_bytes() for p in files_of(exercise))]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


@cache
def _of_all() -> bytes:
    """Return what the items of all exercises depend on: code, versions, and the names that solutions use."""
    folders = ("diagnose", "frameworks", "items", "judge", "model", "read")
    paths = sorted(p for name in folders for p in (ROOT / "autograder" / name).rglob("*.py"))
    shared = (Path(__file__), Path(in_page.__file__), ROOT / "exercises" / "shared.py")
    names = [(framework, sorted(vocabulary(framework))) for framework in (*graded_frameworks(), NUMPY)]
    parts = (
        repr((sys.version_info[:2], np.__version__, names)).encode(),
        *(p.read_bytes() for p in (*paths, *shared)),
    )
    return hashlib.sha256(b"\0".join(parts)).digest()


def files_of(exercise: Exercise) -> list[Path]:
    """Return the files of an exercise and of its solution, with the solutions that these import."""
    module = Path(str(modules()[exercise.topic].__file__))
    topics = [exercise.topic, *exercise.builds_on]
    for topic in topics:  # it grows on the way
        texts = (path.read_text(encoding="utf-8") for path in (SOLUTIONS / topic).glob("*.py"))
        topics += {name for text in texts for name in IMPORTED.findall(text)}.difference(topics)
    paths = {p for topic in topics for p in (SOLUTIONS / topic).glob("*.py")}
    return sorted({module, module.with_suffix(".toml"), *paths})


def keep(exercise_and_path: tuple[Exercise, Path]) -> None:
    """Make an exercise's script and keep it, in place of an older one."""
    exercise, path = exercise_and_path
    path.parent.mkdir(parents=True, exist_ok=True)
    for old in path.parent.glob(f"{exercise.name}-*.js"):
        old.unlink(missing_ok=True)
    with NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        file.write(script_of(exercise))
    Path(file.name).replace(path)


def scripts(exercises: Sequence[Exercise], store: Path = STORE) -> dict[str, Path]:
    """Return where the script of each exercise is kept; those that are not are made, on all processors."""
    paths = {exercise.name: store / f"{exercise.name}-{digest(exercise)}.js" for exercise in exercises}
    tasks = ParallelTasks(os.cpu_count() or 1) if parallel_available else SerialTasks()
    for exercise in exercises:
        if not paths[exercise.name].is_file():
            tasks.add_task(keep, (exercise, paths[exercise.name]))
    tasks.join()
    return paths


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
    exercises = [e for e in all_exercises().values() if f"chapters/{e.topic}" in app.env.found_docs]
    for name, path in scripts([e for e in exercises if e.asks_for_code]).items():
        copy(path, folder / f"{name}.js")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("doctree-resolved", show)
    app.connect("build-finished", write_items)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
