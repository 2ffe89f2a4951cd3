"""Ways through the book, as `chapters/ways.toml` states them: a few hours, a model of one's own, or everything."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache

from autograder.book.contents import Notebook, chapters, notebook_of, source
from autograder.book.times import reading
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise
from autograder.model.paths import BOOK

FILE = BOOK / "chapters" / "ways.toml"
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """A chapter on a way: which of its exercises are solved there, and which of its sections may be skipped."""

    chapter: str
    exercises: tuple[str, ...]
    skip: tuple[str, ...] = ()


@dataclass(frozen=True)
class Way:
    """Chapters in order, with a title and a sentence that says where they lead."""

    title: str
    why: str
    steps: tuple[Step, ...]

    @property
    def exercises(self) -> list[Exercise]:
        """Return the exercises to solve, in order."""
        return [all_exercises()[name] for step in self.steps for name in step.exercises]

    @property
    def minutes(self) -> int:
        """Return how long it takes: the sections that are read, and the exercises."""
        read = sum(reading(without(notebook_of(step.chapter), step.skip)) for step in self.steps)
        return read + sum(exercise.minutes for exercise in self.exercises)


@cache
def ways() -> tuple[Way, ...]:
    """Return the ways from the shortest to the whole book."""
    tables = tomllib.loads(FILE.read_text(encoding="utf-8")).values()
    ways = []
    for way in tables:
        steps = (Step(s["chapter"], tuple(s["exercises"]), tuple(s["skip"])) for s in way["steps"])
        ways.append(Way(way["title"], way["why"], tuple(steps)))
    names = {c: tuple(e.name for e in all_exercises().values() if e.topic == c) for c in chapters()}
    everything = tuple(Step(chapter, names[chapter]) for chapter in chapters())
    return (*ways, Way("Everything", "All chapters in their order.", everything))


def without(notebook: Notebook, skipped: tuple[str, ...]) -> Notebook:
    """Return a notebook without the cells of some of its sections."""
    cells, section = [], ""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown" and (title := SECTION.search(source(cell))):
            section = title[1]
        if section not in skipped:
            cells.append(cell)
    return {**notebook, "cells": cells}
