"""Solutions, and the wrong versions of them that `exercises/<topic>.toml` states, as sources that can be run."""

import importlib
import inspect
import sys
from types import ModuleType
from typing import Any

from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise, SourceEdit
from autograder.model.misconceptions import NUMPY, define_entry, edited


def solution(topic: str, framework: str) -> ModuleType:
    """Import `solutions/<topic>/in_<framework>.py`, which imports what `common.py` defines for all frameworks."""
    return importlib.import_module(f"solutions.{topic}.in_{framework}")


def wrong_versions() -> dict[tuple[str, str, str], SourceEdit]:
    """Return every wrong version of a solution, by exercise, misconception and framework."""
    return {
        (exercise.name, misconception.name, framework): edit
        for exercise in all_exercises().values()
        for misconception in exercise.misconceptions
        for framework, edit in misconception.edits.items()
        if framework != NUMPY
    }


def wrong_source(exercise: Exercise, framework: str, edit: SourceEdit) -> str:
    """Return the source of a wrong version: every edit must find its text exactly once."""
    source = inspect.getsource(getattr(solution(exercise.topic, framework), exercise.entry))
    return edited(source, edit, f"exercises/{exercise.topic}.toml, {exercise.name}, {framework}")


def define(exercise: Exercise, framework: str, source: str) -> Any:
    """Run a source in a copy of the solution's module, or modules; returns the exercise's entry."""
    module = solution(exercise.topic, framework)
    # What needs no framework is defined in `common.py`, with imports of its own.
    defining = sys.modules[getattr(module, exercise.entry).__module__]
    file = f"wrong {exercise.name} {framework} {abs(hash(source))}"
    return define_entry(
        source, file, exercise.entry, {**vars(defining), **vars(module), "__name__": "handed_in"}
    )
