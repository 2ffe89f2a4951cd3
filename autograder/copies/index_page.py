"""`index.ipynb` among the copies: the book's first page, with the chapters in their order and one's progress."""

from pathlib import Path

import jinja2

from autograder.book import contents, times
from autograder.book.contents import CHAPTER, Notebook
from autograder.book.edition import text_for
from autograder.book.markdown import Links, plain_markdown
from autograder.book.teachers_chapter import NOTEBOOK_FORMAT, new_cell
from autograder.book.ways import ways
from autograder.copies.for_assignment import points_of
from autograder.frameworks import graded_frameworks, title_of
from autograder.model.assignment import Assignment
from autograder.model.catalogue import all_exercises, teachers_topics

# Its text, above and below the cell that shows one's progress.
TEMPLATE = Path(__file__).with_name("index.jinja")
BREAK = "\n+++\n"
CLASS_PART = "Exercises of your class"
PROGRESS = """\
# Run this cell again whenever you like: it shows what you have passed so far.
from autograder import overview

overview()"""


def index_page(links: Links, framework: str | None = None, assignment: Assignment | None = None) -> Notebook:
    """Return the notebook that a learner opens first.

    links: where each chapter's copy is; framework: the only one of the copies, if there is only one. assignment:
    what the copies are for, if they are for one.
    """
    template = jinja2.Template(
        TEMPLATE.read_text(encoding="utf-8"), trim_blocks=True, undefined=jinja2.StrictUndefined
    )
    class_chapters = tuple(chapter for chapter in links.files if chapter in teachers_topics())
    one, other, *_ = (
        [*map(title_of, sorted(graded_frameworks(), key=framework.__ne__))] if framework else ("", "")
    )
    text = template.render(
        title_and_idea="\n\n".join(contents.FIRST_PAGE.read_text(encoding="utf-8").split("\n\n")[:2]),
        one=one,
        other=other,
        links=links,
        assignment=assignment,
        exercises=all_exercises(),
        points_of=points_of,
        ways=ways(),
        contents=contents,
        times=times,
        parts=contents.parts() | ({CLASS_PART: class_chapters} if class_chapters else {}),
    )
    first, last = (plain_markdown(text_for(part, framework), links) for part in text.split(BREAK))
    progress = new_cell("index-1", PROGRESS, CHAPTER, code=True)
    return {
        "cells": [new_cell("index-0", first, {}), progress, new_cell("index-2", last, {})],
        **NOTEBOOK_FORMAT,
    }
