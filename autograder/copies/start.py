"""`start`: a learner's copies of the chapters, with the solutions taken out."""

import ast
import copy
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path

from autograder.book.contents import (
    CHAPTER,
    DRAWINGS,
    EXERCISE,
    FIGURES,
    INDEX,
    PAGES,
    STARTER,
    Cell,
    Notebook,
    all_chapters,
    chapters,
    file_of,
    framework_of,
    notebook_of,
    opening,
    source,
    tag_of,
    tags,
)
from autograder.book.edition import BOTH, text_for
from autograder.book.markdown import Links, Location, labels_of, plain_markdown
from autograder.book.teachers_chapter import teachers_chapter
from autograder.checking import progress
from autograder.copies.earlier_copies import OTHER_ASSIGNMENT, difference
from autograder.copies.for_assignment import for_assignment, mark_and_ending, topics_of, with_points
from autograder.copies.hosting import badges, install_cell
from autograder.copies.index_page import index_page
from autograder.copies.one_framework import for_framework
from autograder.frameworks import graded_frameworks, title_of
from autograder.model.assignment import Assignment
from autograder.model.catalogue import all_exercises, teachers_topics
from autograder.model.learner_files import read_bytes, write_bytes, write_json
from autograder.model.teachers_exercises import GIVEN_OUT
from autograder.read.syntax import is_docstring

DRAWING_LINK = re.compile(rf"\({DRAWINGS.name}/([\w.-]+)\)")
# What a copy imports of the grader: its exercises name `hint`, which the chapters fold out themselves.
IMPORT = re.compile(r"^from autograder import check", re.MULTILINE)
# Its plots follow JupyterLab's theme; those of the book are exchanged by its pages.
STYLE = re.compile(r"^figures\.style\(\)$", re.MULTILINE)
# A cell that checks what the text says of the numbers: it is run with the chapters, and no reader sees it.
CLAIMS = "remove-cell"
# A cell that draws what it shows. JupyterLab folds its code and shows the first line; in Colab that line is the title.
DRAWS = re.compile(r"\b(figures|plt)\.")
TITLE = "# @title Run this cell: it draws the figure"
# The broken start of an exercise stands twice: above its box, and as the answer to begin with.
TO_MEND = "# Mend this one: the cell above the exercise is not graded."
# An import of the solutions in a library; what it gives, where an exercise asks for it (`checking/solved.py`).
IMPORTED = re.compile(r"^from solutions\.\w+\.in_(\w+) import (\([^)]*\)|.+)$", re.MULTILINE)
YOURS = "# Yours, where `check` has accepted it; else the course's."
BASE_INIT = re.compile(r"\s*super\(\).__init__\(")
FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form"}


def start(
    folder: Path,
    framework: str | None = None,
    assignment: Assignment | None = None,
    only_exercises: bool = False,
    own_files: Mapping[str, Path] | None = None,
) -> tuple[list[Path], dict[Path, str | None]]:
    """Make copies of chapters in a folder; gives those written, and those left as they were.

    What was there already is given with how it differs from what would be made now, in words; None if in nothing.

    framework: the only one in which they are written; all of them if not given. assignment: only the chapters in
    which its exercises stand; all if not given. only_exercises: these exercises, without the chapters' text.
    own_files: what `check` needs of exercises of a teacher's own, by the place in the folder beside the notebooks.
    """
    folder.mkdir(parents=True, exist_ok=True)
    other_progress = progress.create(folder, [*assignment.exercises] if assignment else ())
    assigned_chapters = topics_of(assignment) if assignment else set(all_chapters())
    first, *last_pages = PAGES
    order = [first, *(chapter for chapter in all_chapters() if chapter in assigned_chapters), *last_pages]
    files = {chapter: file_of(chapter, folder) for chapter in order}
    pages = {files[page] for page in PAGES}

    def chapter_copy(chapter: str) -> Notebook:
        if assignment is None or chapter in PAGES:
            notebook = notebook_of(chapter)
        elif chapter in chapters():
            notebook = for_assignment(notebook_of(chapter), assignment, only_exercises)
        else:
            notebook = teachers_chapter(chapter, assignment.exercises)
        notebook = learners_copy(notebook, _links(files, files[chapter]), framework, assignment)
        _add_navigation(notebook, chapter, files)
        return _installing(notebook)

    copies: dict[str, Callable[[], Notebook]] = {
        f: partial(chapter_copy, chapter) for chapter, f in files.items()
    }
    copies[INDEX] = lambda: _installing(index_page(_links(files, INDEX), framework, assignment))
    new_files: list[Path] = []
    differences: dict[Path, str | None] = {folder / progress.FILE: OTHER_ASSIGNMENT} if other_progress else {}
    for file, make in copies.items():
        path = folder / file
        if path.exists():
            # What pages say, and in the index of the whole book how long chapters take, is nobody's choice.
            is_compared = file not in pages and (assignment is not None or file != INDEX)
            differences[path] = difference(path, make()) if is_compared else None
            continue
        write_json(path, make(), folder)
        new_files.append(path)
    _copy_drawings(folder, [folder / file for file in files.values()])
    for name, path in (own_files or {}).items():
        write_bytes(folder / GIVEN_OUT / name, path.read_bytes(), folder)
    return new_files, differences


def _copy_drawings(folder: Path, copies: Iterable[Path]) -> None:
    """Put the drawings, and the stills of figures, that these copies show beside them."""
    texts = ((read_bytes(path) or b"").decode("utf-8", "replace") for path in copies if not path.is_symlink())
    names = {name for text in texts for name in DRAWING_LINK.findall(text)}
    for drawing in [*DRAWINGS.glob("*.svg"), *FIGURES.glob("*.svg")]:
        if drawing.name in names:
            write_bytes(folder / DRAWINGS.name / drawing.name, drawing.read_bytes(), folder)


def _installing(notebook: Notebook) -> Notebook:
    """Return the copy, with a cell behind its title that installs the course where it is missing; a page as it is."""
    title, *rest = notebook["cells"]
    return {**notebook, "cells": [title, install_cell(rest), *rest]} if rest else notebook


def _links(files: dict[str, str], here: str) -> Links:
    titles = {chapter: opening(chapter)[0] for chapter in files}
    labels = {
        label: Location(files[topic], location.fragment, location.words)
        for topic in files
        for label, location in (_labels.__wrapped__ if topic in teachers_topics() else _labels)(topic).items()
    }
    return Links({**files, "index": INDEX}, titles, labels, here)


@cache
def _labels(chapter: str) -> dict[str, Location]:
    cells = notebook_of(chapter)["cells"]
    text = "\n\n".join(source(cell) for cell in cells if cell["cell_type"] == "markdown")
    figures = filter(None, (cell["metadata"].get("figure") for cell in cells))
    # A cell of code has no address: a link leads to its chapter.
    return labels_of(text, chapter) | dict.fromkeys(figures, Location(chapter, "", opening(chapter)[0]))


def learners_copy(
    notebook: Notebook,
    links: Links | None = None,
    framework: str | None = None,
    assignment: Assignment | None = None,
) -> Notebook:
    """Return the notebook in plain Markdown, without outputs, and with a stub, or a broken start, for each solution.

    links: where links lead; their words alone are kept where it does not say. framework: the only one
    whose cells are kept; all are if not given. assignment: says what exercises are worth.
    """
    notebook = copy.deepcopy(notebook)
    notebook["cells"] = [cell for cell in notebook["cells"] if not tags(cell, CLAIMS)]
    if framework is not None:
        for_framework(notebook, framework)
    frameworks = [framework] if framework else graded_frameworks()
    starters = {(tag_of(cell, STARTER), framework_of(cell)): source(cell) for cell in notebook["cells"]}
    for index, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "markdown":
            text = text_for(with_points(source(cell), assignment), framework)
            cell["source"] = plain_markdown(text, links or Links())
        if cell["cell_type"] != "code":
            continue
        shows_a_picture = _draws(cell)
        cell["outputs"], cell["execution_count"] = [], None
        code, cell_framework = source(cell), framework_of(cell)
        if name := tag_of(cell, EXERCISE):
            starter = starters.get((name, cell_framework))
            code = f"{TO_MEND}\n{starter}" if starter else stub(code)
            cell["metadata"]["tags"] = [tag for tag in tags(cell) if tag != "hide-input"]
            worth = mark_and_ending(name, cell_framework or "", frameworks, assignment)
            _for_nbgrader(f"{name}-{cell_framework or ''}", cell, notebook["cells"][index + 1], worth)
        else:
            cell["metadata"] |= CHAPTER
            # Keras is a third form of what the learner writes in the other two.
            code = _with_whose(stub(code) if cell_framework == "keras" else code)
        code = STYLE.sub("figures.style(follow_theme=True)", IMPORT.sub(r"\g<0>, hint", code))
        cell["source"] = _with_framework(code, cell_framework)
        if shows_a_picture:
            cell["source"] = f"{TITLE}\n{cell['source']}"
            cell["metadata"] |= FOLDED
    # A text that is all another framework's leaves no cell; the last cell is for links.
    *body, last = notebook["cells"]
    notebook["cells"] = [*(cell for cell in body if source(cell).strip()), last]
    return notebook


def _with_whose(code: str) -> str:
    """Return the code, with a line above the first import that gives a learner's own answer once it is accepted."""
    entries = {exercise.entry for exercise in all_exercises().values()}
    for match in IMPORTED.finditer(code):
        if match[1] in graded_frameworks() and entries & set(re.findall(r"\w+", match[2])):
            return f"{code[: match.start()]}{YOURS}\n{code[match.start() :]}"
    return code


def _draws(cell: Cell) -> bool:
    """Return whether a cell of a chapter, with its outputs, draws what it shows, as the book's pages see it too."""
    bundles = [output.get("data", {}) for output in cell.get("outputs", [])]
    pictured = any(set(data) - {"text/plain"} for data in bundles)
    return pictured and bool(DRAWS.search(source(cell))) and not source(cell).startswith("%%")


def _with_framework(code: str, framework: str | None) -> str:
    """Return the code with a first line that says in which framework it is written; a cell's magic stays first."""
    if framework in (None, BOTH):
        return code
    lines = code.split("\n")
    lines.insert(1 if lines[0].startswith("%%") else 0, f"# {title_of(framework)}")
    return "\n".join(lines)


def _add_navigation(notebook: Notebook, chapter: str, files: dict[str, str]) -> None:
    """Add links to the chapters before and behind, under the title and at the end."""
    order = list(files)
    position = order.index(chapter)
    before, behind = order[:position][-1:], order[position + 1 :][:1]
    links = [f"[← {opening(c)[0]}]({files[c]})" for c in before]
    links += [f"[Contents]({INDEX})"]
    links += [f"[{opening(c)[0]} →]({files[c]})" for c in behind]
    line = " · ".join(links)
    text_cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    title, _, text = source(text_cells[0]).partition("\n")
    head = "\n\n".join(filter(None, [title, line, badges(files[chapter])]))
    text_cells[0]["source"] = f"{head}\n{text}"
    text_cells[-1]["source"] = f"{source(text_cells[-1])}\n\n---\n\n{line}".strip()


def _for_nbgrader(grade_id: str, answer: Cell, test: Cell, worth: tuple[float, str] | None) -> None:
    """Add metadata, schema version 3, that lets nbgrader grade an answer by the `check` behind it. worth: as `mark_and_ending` says."""
    shared = {"schema_version": 3, "task": False, "grade_id": grade_id}
    answer["metadata"]["nbgrader"] = {**shared, "grade": False, "solution": True, "locked": False}
    if worth is not None:
        points, ending = worth
        test["source"] = f"{source(test)}{ending}"
        checks = {"grade_id": f"check-{grade_id}", "grade": True, "solution": False, "locked": True}
        test["metadata"]["nbgrader"] = {**shared, **checks, "points": points}


def stub(text: str) -> str:
    """Return the signatures and docstrings of a source; every body becomes `raise NotImplementedError`.

    A call of the base class's `__init__`, which is never the point, stays.
    """
    lines = text.split("\n")
    stub_lines: list[str] = []
    at = 0
    for function in _functions(ast.parse(text).body):
        start = _body_start(function, lines)
        stub_lines += lines[at:start]
        stub_lines += [line for line in lines[start : function.end_lineno] if BASE_INIT.match(line)]
        stub_lines.append(" " * function.body[0].col_offset + "raise NotImplementedError")
        at = function.end_lineno or len(lines)
    return "\n".join([*stub_lines, *lines[at:]]).rstrip("\n")


def _functions(body: Iterable[ast.stmt]) -> Iterable[ast.FunctionDef]:
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            yield statement
        elif isinstance(statement, ast.ClassDef):
            yield from _functions(statement.body)


def _body_start(function: ast.FunctionDef, lines: list[str]) -> int:
    """Return the index of the first line after the signature, or after the docstring if there is one."""
    first = function.body[0]
    if is_docstring(first):
        return first.end_lineno or first.lineno
    start = first.lineno - 1
    while lines[start - 1].strip().startswith("#") or not lines[start - 1].strip():
        start -= 1  # comments between the signature and the body belong to the body
    return start
