"""All exercises: one module of the package `exercises` for each topic, and those of one's own."""

import importlib
import os
import pkgutil
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType

import exercises
from autograder.model.errors import UsageError
from autograder.model.exercise import Exercise
from autograder.model.misconceptions import MORE_IDEAS, check_misconceptions, with_misconceptions
from autograder.model.paths import BOOK
from autograder.model.teachers_exercises import VARIABLE, folders, teachers_modules

CONTENTS = BOOK / "_toc.yml"


@cache
def all_exercises() -> dict[str, Exercise]:
    """Return every exercise by its name, topics in the order of the chapters, one's own last.

    Raises UsageError where two have the same name, or a file of one's own cannot be used.
    """
    by_name: dict[str, Exercise] = {}
    more = [folder / MORE_IDEAS for folder in folders()]
    for topic, module in modules().items():
        for exercise in module.EXERCISES:
            if exercise.name in by_name:
                raise UsageError(
                    f"Two exercises are named {exercise.name!r}, in {by_name[exercise.name].topic} and in {topic}: "
                    "give one another name."
                )
            by_name[exercise.name] = with_misconceptions(replace(exercise, topic=topic), module, more)
    for file in more:
        check_misconceptions(by_name.values(), file)
    return by_name


@cache
def modules() -> dict[str, ModuleType]:
    """Return the module of each topic, those of one's own last."""
    course = {topic: importlib.import_module(f"exercises.{topic}") for topic in topics()}
    return course | teachers_modules(topics())


@cache
def topics() -> tuple[str, ...]:
    """Return the course's topics that have exercises, in the order of the chapters: the modules that are no packages."""
    chapters = re.findall(r"chapters/(\w+)", CONTENTS.read_text(encoding="utf-8"))
    names = [m.name for m in pkgutil.iter_modules(exercises.__path__) if not m.ispkg and m.name != "shared"]
    return tuple(sorted(names, key=lambda t: chapters.index(t) if t in chapters else len(chapters)))


def teachers_topics() -> tuple[str, ...]:
    """Return the topics of exercises of one's own."""
    return tuple(topic for topic in modules() if topic not in topics())


def use_folder(folder: Path) -> None:
    """Take the exercises of a folder in too, here and in all processes that this one starts.

    Raises UsageError, with a sentence, if it cannot be used.
    """
    paths = [str(path) for path in folders()]
    if str(folder.resolve()) not in paths:
        os.environ[VARIABLE] = os.pathsep.join([*paths, str(folder.resolve())])
        modules.cache_clear()
        all_exercises.cache_clear()
    all_exercises()


def by_entry(entry: str) -> list[Exercise]:
    """Return the exercises whose function or class has this name."""
    return [exercise for exercise in all_exercises().values() if exercise.entry == entry]
