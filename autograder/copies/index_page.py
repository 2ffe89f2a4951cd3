"""`index.ipynb` among the copies: the book's first page, with the chapters in their order and one's progress."""

from autograder.book.contents import (
    FIRST_PAGE,
    GIVEN,
    PAGES,
    Notebook,
    chapters,
    notebook_of,
    number_of,
    opening,
    parts,
)
from autograder.book.edition import text_for
from autograder.book.markdown import Links, plain
from autograder.book.own_chapter import new_cell
from autograder.book.times import LINES_PER_MINUTE, WORDS_PER_MINUTE, exercises, reading, spoken
from autograder.book.ways import Step, ways
from autograder.copies.for_assignment import points_of
from autograder.frameworks import graded, title_of
from autograder.model.assignment import Assignment
from autograder.model.catalogue import all_exercises, own_topics

HOW_TO_WORK = """\
Each chapter is a notebook with the solutions taken out. Read to an exercise, write the answer into the cell \
below it, run that cell, and then the one with `check`: it says whether the answer is right, or what is wrong \
first. {} Your work is kept in these files, and `attention start` never overwrites them.

## Your progress"""
TWO_FRAMEWORKS = (
    "A cell that is written in one framework begins with its name; write an answer in one of them or in both."
)
ONE_FRAMEWORK = (
    "These copies are for {} alone; the book is in {} too, and where both are installed, "
    "`attention start FOLDER --framework both` makes copies for both."
)
OWN = "Exercises of your class"
PROGRESS = """\
# Run this cell again whenever you like: it shows what you have passed so far.
from autograder import overview

overview()"""


def index_page(links: Links, framework: str | None = None, assignment: Assignment | None = None) -> Notebook:
    """The notebook that a learner opens first.

    links: where each chapter's copy is; framework: the only one of the copies, if there is only one. assignment:
    what the copies are for, if they are for one.
    """
    title_and_idea = "\n\n".join(FIRST_PAGE.read_text(encoding="utf-8").split("\n\n")[:2])
    pages = "\n".join(f"- {links.link('', page)}" for page in PAGES)
    whose = (
        TWO_FRAMEWORKS
        if framework is None
        else ONE_FRAMEWORK.format(*map(title_of, sorted(graded(), key=framework.__ne__)))
    )
    asked = _assigned(links, assignment) if assignment else f"{_ways(links)}\n\n{_contents(links)}"
    texts = (f"{title_and_idea}\n\n{HOW_TO_WORK.format(whose)}", f"{asked}\n\n## To look up\n\n{pages}")
    first, last = (plain(text_for(text, framework), links) for text in texts)
    progress = new_cell("index-1", PROGRESS, GIVEN, code=True)
    cells = [new_cell("index-0", first, {}), progress, new_cell("index-2", last, {})]
    some = notebook_of(next(iter(links.files)))
    return {name: cells if name == "cells" else some[name] for name in sorted(some)}


def _ways(links: Links) -> str:
    """Of each way where it leads, how long it takes, and its chapters with the exercises to solve there, in order."""
    words = ["## Three ways through"]
    for way in ways():
        words.append(f"**{way.title}**, about {spoken(way.minutes)}. {way.why}")
        if len(way.steps) < len(chapters()):
            words.append("\n".join(_step(step, links) for step in way.steps))
    return "\n\n".join(words)


def _step(step: Step, links: Links) -> str:
    file = links.files[step.chapter]
    asked = [f"[{all_exercises()[name].title}]({file}#ex-{name})" for name in step.exercises]
    return f"1. [{opening(step.chapter)[0]}]({file}): {', '.join(asked)}"


def _contents(links: Links) -> str:
    """A table for each part of the book: chapters, what they ask, and how long they take."""
    words = [
        "## The chapters",
        "",
        f"Reading is counted at {WORDS_PER_MINUTE} words or {LINES_PER_MINUTE} lines of code a minute; exercises by "
        "the minutes that each states.",
    ]
    own = tuple(chapter for chapter in links.files if chapter in own_topics())
    for caption, part in {**parts(), **({OWN: own} if own else {})}.items():
        words += ["", f"### {caption}", "", "| chapter | reading | exercises |", "| --- | --- | --- |"]
        words += [_row(chapter, links.files[chapter]) for chapter in part]
    return "\n".join(words)


def _assigned(links: Links, assignment: Assignment) -> str:
    """A table of the exercises of an assignment, and until when it is due."""
    words = [f"## {assignment.name}", ""]
    if late := assignment.late:
        due = f"Due {late.due:%Y-%m-%d %H:%M}."
        if late.per_cent:
            due += f" For each day that has begun after it, {late.per_cent:g} % of the points are taken off."
        if late.last:
            due += f" After {late.last:%Y-%m-%d %H:%M} nothing counts."
        words += [due, ""]
    words += ["| exercise | chapter | minutes | points |", "| --- | --- | ---: | ---: |"]
    for name, worth in assignment.exercises.items():
        e = all_exercises()[name]
        linked = f"[{e.title}]({links.files[e.topic]}#ex-{name})"
        cells = (linked, links.titles[e.topic], str(e.minutes), points_of(worth))
        words.append(f"| {' | '.join(cells)} |")
    return "\n".join(words)


def _row(chapter: str, file: str) -> str:
    title, question = opening(chapter)
    count, minutes = exercises(chapter)
    task = f"{count}, {minutes} min" if count else "none"
    return f"| [{number_of(chapter)} · {title}]({file})<br>{question} | {reading(notebook_of(chapter))} min | {task} |"
