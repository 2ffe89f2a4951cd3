"""Fold away parts of a page: what to know before it, solutions and checks, the imports, the code that draws a picture,
library notes and sources.

An exercise reads as question, a field for the answer, hints, "Solution", whatever its chapter does: the cells tagged
`exercise:<name>` and the checks behind them, which `make sync` writes, go into a fold with the frameworks side by
side, and all folds of an exercise stand in one row. Notebooks and learners' copies stay as they are. A fold is a
`<details>`, without a script too; on paper it is as a reader left it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, ClassVar, TypeGuard

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.addnodes import start_of_file
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator
from sphinx_design.shared import create_component, is_component
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node

from .pairs import framework_of, groups_in

EXERCISE = "exercise:"
BOX = "exercise-content"  # sphinx-exercise gives this id to the text of every exercise
TRIES = "tries"
IMPORTS = "Imports"
BOXES = (exercise_node, exercise_enumerable_node)
BEFORE = "before"  # the class of the box behind a chapter's question
NOTES = ("Library notes", "Sources")
FOLDED = re.compile(r"(erratum|alarms)-")  # the labels of sections that a reader may leave closed
TIME = re.compile(r"Time: (.+?)\.")
DRAWING = "Show the code that draws this"
DRAWS = re.compile(r"\b(figures|plt)\.")
IMPORT = re.compile(r"\A(import|from) ")
DEFINED = re.compile(r"^(?:def|class) (\w+)", re.MULTILINE)


def is_cell(node: nodes.Node) -> TypeGuard[nodes.container]:
    """Return whether a node is a code cell."""
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def answers(cell: nodes.Element) -> bool:
    """Return whether a cell holds the solution of an exercise."""
    return any(tag.startswith(EXERCISE) for tag in cell.get("cell_metadata", {}).get("tags", []))


def part_of(cell: nodes.Element, kind: str) -> nodes.Element | None:
    """Return the `source` or the `output` of a cell; None if it has none."""
    parts = (node for node in cell.children if isinstance(node, nodes.Element))
    return next((part for part in parts if part.get("nb_element") == f"cell_code_{kind}"), None)


def source_of(cell: nodes.Element) -> str:
    """Return the code of a cell; empty if it shows none."""
    part = part_of(cell, "source")
    return "" if part is None else part.astext()


# --- Exercises -------------------------------------------------------------------------------------


def split(group: Sequence[nodes.container]) -> tuple[list[nodes.container], list[nodes.container]]:
    """Return the cells of an exercise as two lists: those of its solution with its checks, and what follows.

    The solution begins with what it imports. A framework in which nothing is handed in shows a solution too.
    """
    solution: list[nodes.container] = []
    rest: list[nodes.container] = []
    answered = {framework_of(cell) for cell in group if answers(cell)}
    solved: set[str | None] = set()
    before: nodes.container | None = None
    for cell in group:
        name = framework_of(cell)
        checks = before is not None and answers(before) and name == framework_of(before)
        is_solution = checks or answers(cell) or name not in answered or name not in solved
        (solution if is_solution else rest).append(cell)
        if answers(cell):
            solved.add(name)
        before = cell
    return solution, rest


def shown_once(cells: list[nodes.container]) -> list[nodes.container]:
    """Return the cells of a solution: where all frameworks have the same code, it comes first, once and in no column."""
    solutions = [cell for cell in cells if answers(cell)]
    if len(solutions) < 2 or len({source_of(cell) for cell in solutions}) > 1:
        return cells
    solutions[0]["cell_metadata"] = {"tags": []}
    return [solutions[0], *(cell for cell in cells if cell not in solutions)]


def fold(title: str, cells: list[nodes.container]) -> nodes.container:
    """Return cells below a line that opens them, as sphinx-design writes the hints."""
    for cell in cells:
        cell.attributes.pop("hide_mode", None)
    options = {"opened": False, "icon": None, "chevron": None, "has_title": True}
    classes = {"container_classes": ["fold"], "title_classes": [], "body_classes": []}
    children = [nodes.rubric(title, title), *cells]
    return create_component("dropdown", children=children, type="dropdown", **options, **classes)


class FoldedExercises(SphinxPostTransform):
    """Put each exercise's solutions and their checks into a fold."""

    # Before the pairs are made (150), which then stand inside the folds.
    default_priority: ClassVar[int] = 140

    def run(self, **kwargs: Any) -> None:
        """Fold the exercises of a page, and mark the signatures in their boxes."""
        solutions = [
            cell for cell in self.document.findall(nodes.container) if framework_of(cell) and answers(cell)
        ]
        for parent in {id(cell.parent): cell.parent for cell in solutions}.values():
            for group in list(groups_in(parent.children)):
                if any(answers(cell) for cell in group):
                    _replace(parent, group)
        for box in self.document.findall(nodes.section):
            if BOX in box["ids"]:
                _mark_signatures(box)


def _replace(parent: nodes.Element, group: Sequence[nodes.container]) -> None:
    """Put the folds where the group stands."""
    solution, rest = split(group)
    solution = shown_once(solution)
    start = parent.index(group[0])
    parent[start : start + len(group)] = [fold("Solution", solution), *rest]


def _mark_signatures(box: nodes.Element) -> None:
    """Give a paragraph that is nothing but code, a signature, a block of its own; a table has none."""
    box["ids"] = []  # the same in all boxes, where an id may stand only once
    for paragraph in box.children:
        if isinstance(paragraph, nodes.paragraph) and [type(part) for part in paragraph] == [nodes.literal]:
            paragraph["classes"].append("signature")


class Rows(SphinxPostTransform):
    """Put all that belongs to an exercise behind its box into one row: what can be tried, hints and solution."""

    # What can be tried stands there by now (145).
    default_priority: ClassVar[int] = 165
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Make a row behind each box."""
        for box in list(self.document.findall(lambda node: isinstance(node, BOXES))):
            assert box.parent is not None
            start = box.parent.index(box) + 1
            row = list(takewhile(_belongs, box.parent[start:]))
            if row:
                box.parent[start : start + len(row)] = [create_component(TRIES, [TRIES], children=row)]
            # The number has a style of its own: the title needs no brackets.
            for bracket in [part for part in box[0] if part in (" (", ")")]:
                box[0].remove(bracket)


def _belongs(node: nodes.Node) -> bool:
    """Return whether a node behind a box is a fold or a part of what can be tried, which comes as HTML with words in it."""
    return isinstance(node, nodes.raw | nodes.Text | nodes.Inline) or is_component(node, "dropdown")


class Appendix(SphinxPostTransform):
    """In a PDF hints and solutions follow behind the last page, by chapter and exercise: a question comes alone."""

    default_priority: ClassVar[int] = 165
    formats = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Move what stands behind each box; the document is the whole book."""
        chapters: dict[str, nodes.section] = {}
        for box in list(self.document.findall(exercise_enumerable_node)):
            assert box.parent is not None
            start = box.parent.index(box) + 1
            answer_nodes = list(takewhile(_belongs, box.parent[start:]))
            del box.parent[start : start + len(answer_nodes)]
            title = _chapter_of(box).next_node(nodes.title)
            if answer_nodes and title is not None:
                name = title.astext()
                section = chapters.setdefault(
                    name, nodes.section("", nodes.title(name, name), ids=[f"kept-{len(chapters)}"])
                )
                section += [nodes.rubric("", box[0].astext()), *answer_nodes]
        if chapters:
            name = "Hints and solutions"
            last = list(self.document.findall(start_of_file))[-1:] or [self.document[-1]]
            last[0].parent.append(
                nodes.section("", nodes.title(name, name), *chapters.values(), ids=["kept"])
            )


def _chapter_of(node: nodes.Element) -> nodes.Element:
    """Return the outermost section of the page that a node is on."""
    chapter = node
    while node.parent is not None and not isinstance(node, start_of_file | nodes.document):
        chapter, node = (node if isinstance(node, nodes.section) else chapter), node.parent
    return chapter


# --- What stands before and behind a chapter ---------------------------------------------------------


class Frames(SphinxPostTransform):
    """Fold what stands between a chapter's question and its first sentence, the notes at its end, and sections for some."""

    default_priority: ClassVar[int] = 165
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Fold the boxes and the sections of a page."""
        for box in list(self.document.findall(nodes.admonition)):
            if BEFORE in box["classes"]:
                title, time = box.pop(0).astext(), TIME.search(box.astext())
                words = f'{title} <span class="time">{time[1]}</span>' if time else title
                place = box.parent.index(box)
                box.parent[place : place + 1] = details(BEFORE, [raw(words)], box.children)
        for section in self.document.findall(nodes.section):
            if section[0].astext() in NOTES or any(map(FOLDED.match, section["ids"])):
                # In a box of its own: a picture in a fold stays in the text.
                section[:] = details(
                    "notes", section[:1], [create_component("box", [], children=section[1:])]
                )


def raw(html: str) -> nodes.raw:
    """Return HTML as a node."""
    return nodes.raw("", html, format="html")


def details(name: str, summary: Sequence[nodes.Node], parts: Sequence[nodes.Node]) -> list[nodes.Node]:
    """Return parts of a page below a line that opens them. name: the class of the fold."""
    return [raw(f'<details class="{name}"><summary>'), *summary, raw("</summary>"), *parts, raw("</details>")]


# --- Imports, and code that draws -------------------------------------------------------------------


def draws(cell: nodes.Node) -> bool:
    """Return whether a cell draws what it shows: its source speaks of figures, and its output is more than text."""
    if not is_cell(cell) or not DRAWS.search(source_of(cell)):
        return False
    output = part_of(cell, "output")
    return output is not None and any(isinstance(n, (nodes.image, nodes.raw)) for n in output.findall())


def prepares(cell: nodes.Node) -> bool:
    """Return whether a cell may belong to a drawing behind it: it shows nothing, and has no framework."""
    return (
        bool(is_cell(cell) and source_of(cell)) and framework_of(cell) is None and not part_of(cell, "output")
    )


def drawings_in(siblings: Sequence[nodes.Node]) -> Iterator[list[nodes.container]]:
    """Yield each cell that draws, behind the cells that only prepare its numbers, with no prose between them."""
    run: list[nodes.container] = []
    for node in siblings:
        if draws(node):
            yield [*run, node]
            run = []
        elif prepares(node):
            run.append(node)
        else:
            run = []


class FoldedCode(SphinxPostTransform):
    """Fold the imports and the code of pictures: the picture follows its prose. Other folds say what they define."""

    # Pairs are made by now (150), and myst-nb has not hidden anything yet (199).
    default_priority: ClassVar[int] = 160
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Fold the code of a page."""
        cells = [node for node in self.document.findall(nodes.container) if is_cell(node)]
        if cells and IMPORT.match(source_of(cells[0])):
            hide([cells[0]], IMPORTS)
            move_before(cells[1:2], cells[0])
        for parent in {id(cell.parent): cell.parent for cell in cells}.values():
            for drawing in list(drawings_in(parent.children)):
                hide(drawing, DRAWING)
        for cell in cells:
            if cell.get("hide_mode") == "input":
                names = DEFINED.findall(source_of(cell))
                hide([cell], f"Show the code of {', '.join(names)}" if names else "Show the code")


def move_before(cells: Sequence[nodes.Element], imports: nodes.Element) -> None:
    """Put the imports where a section of the page first uses them: above the whole exercise, if it is in one.

    cells: the first that follows, if there is one.
    """
    for cell in cells:
        while not isinstance(cell.parent, nodes.section):
            cell = cell.parent
        imports.parent.remove(imports)
        index = cell.parent.index(cell)
        row = list(takewhile(_belongs, reversed(cell.parent[:index]))) if _belongs(cell) else []
        above = index - len(row) - 1
        is_in_exercise = above >= 0 and isinstance(cell.parent[above], BOXES)
        cell.parent.insert(above if is_in_exercise else index, imports)


def hide(cells: Sequence[nodes.container], prompt: str) -> None:
    """Fold the sources of these cells in the frame of the last one, above its output."""
    fold = HideCodeCellNode(prompt_show=prompt, prompt_hide=prompt, classes=["above-input"])
    last = cells[-1]
    for cell in cells:
        part = part_of(cell, "source")
        if part is not None:
            cell.remove(part)
            fold += part
        if cell is not last:
            cell.parent.remove(cell)
    last.insert(0, fold)
    last.attributes.pop("hide_mode", None)


def open_fold(translator: HTML5Translator, node: HideCodeCellNode) -> None:
    """Return a fold in a cell. myst-nb names it "Toggle hidden content", which is not what a reader can see."""
    classes = " ".join(["admonition", "hide", *node["classes"]])
    prompt = translator.encode(node["prompt_show"])
    translator.body.append(
        f'<details class="{classes}"><summary><p class="admonition-title">{prompt}</p></summary>\n'
    )


def close_fold(translator: HTML5Translator, node: HideCodeCellNode) -> None:
    """Return the end of a fold."""
    translator.body.append("</details>\n")


def register(app: Sphinx) -> None:
    """Fold answers, imports and the code of pictures."""
    app.add_post_transform(FoldedExercises)
    app.add_post_transform(FoldedCode)
    app.add_post_transform(Rows)
    app.add_post_transform(Frames)
    app.add_post_transform(Appendix)
    app.add_node(HideCodeCellNode, override=True, html=(open_fold, close_fold))
