"""Adapt a learner's copies to an assignment: which chapters, what each exercise is worth, or its exercises alone."""

import ast
import builtins
import re
from collections.abc import Sequence

from autograder.book.contents import EXERCISE, STARTER, Cell, Notebook, framework_of, source, tag_of
from autograder.book.teachers_chapter import new_cell
from autograder.copies.one_framework import bound, needed
from autograder.model.assignment import Assignment, rounded
from autograder.model.catalogue import all_exercises

BOX = "```{exercise}"
LABEL = re.compile(r"^:label: ex-(\w+)$", re.MULTILINE)
# The words of a box on what its exercise is worth, behind its label (`tools/sync.py` writes them).
POINTS = r"(:label: ex-{}\n\*\*[^\n]*? · )[\d.]+ points?\."
NO_PART = "not part of the assignment."


def topics_of(assignment: Assignment) -> set[str]:
    """Return the chapters in which the exercises of an assignment stand."""
    return {all_exercises()[name].topic for name in assignment.exercises}


def with_points(text: str, assignment: Assignment | None) -> str:
    """Return a chapter's text whose boxes say what exercises are worth in the assignment."""
    if assignment is None:
        return text
    for name in LABEL.findall(text):
        worth = assignment.exercises.get(name)
        words = NO_PART if worth is None else f"{points_of(worth)} point{'' if worth == 1 else 's'}."
        text = re.sub(POINTS.format(name), rf"\g<1>{words}", text)
    return text


def points_of(points: float) -> str:
    """Return points as digits, whole ones without a fraction."""
    return f"{rounded(points):.15g}"


def mark_and_ending(
    name: str, framework: str, frameworks: Sequence[str], assignment: Assignment | None
) -> tuple[float, str] | None:
    """Return what nbgrader gives for the check of an answer, and how the check's cell ends; None where it gives nothing.

    frameworks: those of the copy, in the order of its cells. Where the better one counts, the check behind the last
    has the points of all; without an assignment each has its own.
    """
    if assignment is None:
        return all_exercises()[name].points, ".mark()"
    if name not in assignment.exercises:
        return None
    worth = rounded(assignment.exercises[name])
    if sharing := assignment.sharing_frameworks(name):
        worth = rounded(worth / len(sharing))
        return worth, f".mark({points_of(worth)})"
    counted = [f for f in frameworks if assignment.counts(name, f)]
    if framework != counted[-1]:
        return None
    more = ", better=True" if len(counted) > 1 else ""
    return worth, f".mark({points_of(worth)}{more})"


def for_assignment(notebook: Notebook, assignment: Assignment, only_exercises: bool) -> Notebook:
    """Return a chapter in which imports stand before each assigned answer, for helpers that are no part of the assignment.

    Their cells are stubs in the copy, which an answer must not meet. only_exercises: without its text and other cells;
    an empty cell ends it, for links.
    """
    cells = notebook["cells"]
    copy_cells: list[Cell] = []
    for index, cell in enumerate(cells):
        if tag_of(cell, EXERCISE) in assignment.exercises:
            exercise_cells = [c for c in copy_cells if tag_of(c, EXERCISE) in ("", *assignment.exercises)]
            copy_cells += _imports(cells[:index], exercise_cells, cell)
        copy_cells += _of_exercises(cells, index, assignment) if only_exercises else [cell]
    return {**notebook, "cells": [*copy_cells, new_cell("end", "", {})] if only_exercises else copy_cells}


def _of_exercises(cells: Sequence[Cell], index: int, assignment: Assignment) -> list[Cell]:
    """Return of a chapter's cell what an assignment's exercises need: title, first imports, boxes, answers and their starts."""
    cell = cells[index]
    if index == 0:
        return [{**cell, "source": source(cell).split("\n")[0]}]
    if cell["cell_type"] == "markdown":
        # Each box, with its hints, becomes a cell of its own.
        boxes = [BOX + rest.rstrip() for rest in source(cell).split(BOX)[1:]]
        assigned_boxes = [
            (name, box) for box in boxes for name in LABEL.findall(box) if name in assignment.exercises
        ]
        return [{**cell, "id": f"box-{name}"[:64], "source": box} for name, box in assigned_boxes]
    if tag_of(cell, EXERCISE) in assignment.exercises:
        return [cell, cells[index + 1]]
    is_first = all(c["cell_type"] == "markdown" for c in cells[:index])
    return [cell] if is_first or tag_of(cell, STARTER) in assignment.exercises else []


def _imports(before: Sequence[Cell], copy_cells: Sequence[Cell], answer: Cell) -> list[Cell]:
    """Return a cell that imports what an answer's solution uses and no cell of the copy so far binds; none if there is nothing.

    before: the cells above it in the chapter.
    """
    framework = framework_of(answer)
    mine = [c for c in copy_cells if c["cell_type"] == "code" and framework_of(c) in (None, framework)]
    bound_names = {name for cell in mine for name in bound(ast.parse(source(cell)).body)}
    missing = needed(ast.parse(source(answer)).body) - bound_names - set(dir(builtins))
    lines: dict[str, None] = {}
    for cell in before:
        if cell["cell_type"] != "code" or framework_of(cell) not in (None, framework):
            continue
        for statement in ast.parse(source(cell)).body:
            names = bound([statement]) & missing
            if isinstance(statement, ast.Import | ast.ImportFrom) and names:
                lines[ast.unparse(statement)] = None
            elif name := tag_of(cell, EXERCISE) or (names and tag_of(answer, EXERCISE)):
                module = f"solutions.{all_exercises()[name].topic}.in_{framework}"
                lines |= {f"from {module} import {n}": None for n in sorted(names)}
    if not lines:
        return []
    metadata = {"tags": [f"framework-{framework}"]}
    text = "\n".join(lines)
    return [{**answer, "id": f"for-{answer['id']}"[:64], "metadata": metadata, "source": text}]
