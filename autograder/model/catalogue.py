"""All exercises, one module of the package `exercises` for each topic."""

import importlib
import pkgutil
import re
from dataclasses import replace
from functools import cache

import exercises
from autograder.model.exercise import Exercise
from course.paths import BOOK

CONTENTS = BOOK / "_toc.yml"


@cache
def all_exercises() -> dict[str, Exercise]:
    """Every exercise by its name, topics in the order of the chapters."""
    found: dict[str, Exercise] = {}
    for topic in topics():
        for exercise in importlib.import_module(f"exercises.{topic}").EXERCISES:
            if exercise.name in found:
                raise ValueError(f"two exercises are named {exercise.name!r}")
            found[exercise.name] = replace(exercise, topic=topic)
    return found


@cache
def topics() -> tuple[str, ...]:
    """The topics that have exercises, in the order of the chapters: the modules that are no packages."""
    chapters = re.findall(r"chapters/(\w+)", CONTENTS.read_text(encoding="utf-8"))
    found = [m.name for m in pkgutil.iter_modules(exercises.__path__) if not m.ispkg and m.name != "shared"]
    return tuple(sorted(found, key=lambda t: chapters.index(t) if t in chapters else len(chapters)))


def by_entry(entry: str) -> list[Exercise]:
    """The exercises whose function or class has this name."""
    return [exercise for exercise in all_exercises().values() if exercise.entry == entry]
