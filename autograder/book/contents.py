"""The book's chapters in their order: their titles, and their files in a folder of copies."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from autograder.book.teachers_chapter import NOTEBOOK_FORMAT, new_cell, teachers_chapter
from autograder.model.catalogue import CONTENTS, teachers_topics
from autograder.model.paths import BOOK

Cell = dict[str, Any]
Notebook = dict[str, Any]
INDEX = "index.ipynb"
# What tags of cells begin with: the framework, the exercise that is answered, or whose broken start it is.
FRAMEWORK, EXERCISE, STARTER = "framework-", "exercise:", "starter:"
# What says of a cell that a learner is not asked to write it.
CHAPTER = {"course": {"given": True}}
# Pages that are no chapters, which a learner has beside them: the first before them, the others behind.
PAGES = ("prerequisites", "notation", "glossary", "bibliography")
DRAWINGS = BOOK / "chapters" / "drawings"
# The figures that compute in the page, each with a still picture of the same name.
FIGURES = BOOK / "_static" / "figures"
FIRST_PAGE = BOOK / "chapters" / "index.md"
CAPTION_OR_CHAPTER = re.compile(r"^\s*-\s+(?:caption:\s*(.+?)|file:\s*chapters/(\w+))\s*$", re.MULTILINE)


@cache
def parts() -> dict[str, tuple[str, ...]]:
    """Return the captions of the book's parts, and the chapters of each, in order."""
    chapters_of: dict[str, tuple[str, ...]] = {}
    caption = ""
    for new_caption, chapter in CAPTION_OR_CHAPTER.findall(CONTENTS.read_text(encoding="utf-8")):
        caption = new_caption or caption
        if chapter not in ("", *PAGES) and (BOOK / "chapters" / f"{chapter}.ipynb").exists():
            chapters_of[caption] = (*chapters_of.get(caption, ()), chapter)
    return chapters_of


def chapters() -> tuple[str, ...]:
    """Return all chapters in the book's order."""
    return tuple(chapter for part in parts().values() for chapter in part)


def all_chapters() -> tuple[str, ...]:
    """Return the book's chapters, and behind them the topics of a teacher's own exercises."""
    return (*chapters(), *teachers_topics())


def number_of(chapter: str) -> int:
    """Return a chapter's place among all, from 1."""
    return all_chapters().index(chapter) + 1


def notebook_of(chapter: str) -> Notebook:
    """Return the chapter as the book has it; of exercises of a teacher's own, the one that is made of them.

    A page of text is a notebook with one cell.
    """
    path = BOOK / "chapters" / f"{chapter}.ipynb"
    if path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    if chapter not in PAGES:
        return teachers_chapter(chapter)
    text = path.with_suffix(".md").read_text(encoding="utf-8")
    return {"cells": [new_cell(chapter, text, {})], **NOTEBOOK_FORMAT}


def opening(chapter: str) -> tuple[str, str]:
    """Return a chapter's title, and the question that it begins with."""
    return _opening(chapter) if chapter in chapters() else _opening.__wrapped__(chapter)


@cache
def _opening(chapter: str) -> tuple[str, str]:
    title, *paragraphs = source(notebook_of(chapter)["cells"][0]).split("\n\n")
    return title.removeprefix("#").strip(), paragraphs[0].strip("* \n") if paragraphs else ""


def file_of(chapter: str, folder: Path | None = None) -> str:
    """Return a chapter's file among the copies: its number and its name, or what the folder has already. Pages have no number."""
    name = re.compile(rf"(\d+_)?{chapter}\.ipynb")
    files = sorted(p.name for p in folder.glob("*.ipynb") if name.fullmatch(p.name)) if folder else []
    number = "" if chapter in PAGES else f"{number_of(chapter):02}_"
    return files[0] if files else f"{number}{chapter}.ipynb"


def source(cell: Cell) -> str:
    """Return a cell's source as one string."""
    text = cell["source"]
    return text if isinstance(text, str) else "".join(text)


def tags(cell: Cell, prefix: str = "") -> list[str]:
    """Return a cell's tags with a prefix."""
    return [tag for tag in cell.get("metadata", {}).get("tags", []) if tag.startswith(prefix)]


def tag_of(cell: Cell, prefix: str) -> str:
    """Return what a cell's first tag with a prefix names behind it; empty if there is none."""
    return next((tag.removeprefix(prefix) for tag in tags(cell, prefix)), "")


def framework_of(cell: Cell) -> str | None:
    """Return the framework that a cell is tagged with, if any."""
    return tag_of(cell, FRAMEWORK) or None
