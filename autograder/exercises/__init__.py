"""All exercises, one module for each topic."""

import importlib
import pkgutil
from dataclasses import replace
from functools import cache

from ..exercise import Exercise


@cache
def all_exercises() -> dict[str, Exercise]:
    """Every exercise by its name, topics in alphabetical order."""
    found: dict[str, Exercise] = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        for exercise in importlib.import_module(f"{__name__}.{module.name}").EXERCISES:
            if exercise.name in found:
                raise ValueError(f"two exercises are named {exercise.name!r}")
            found[exercise.name] = replace(exercise, topic=module.name)
    return found


def by_entry(entry: str) -> list[Exercise]:
    """The exercises whose function or class has this name."""
    return [exercise for exercise in all_exercises().values() if exercise.entry == entry]
