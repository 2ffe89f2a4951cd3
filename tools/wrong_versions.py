"""Solutions, and the wrong versions of them in `exercises/wrong_versions`, as sources that can be run."""

import importlib
import inspect
import linecache
import pkgutil
import sys
from types import ModuleType
from typing import Any

import exercises.wrong_versions
from autograder.model.exercise import Exercise
from exercises.wrong_versions import Version, Wrong


def solution(topic: str, framework: str) -> ModuleType:
    """`solutions/<topic>/in_<framework>.py`, which imports what `common.py` defines for all frameworks."""
    return importlib.import_module(f"solutions.{topic}.in_{framework}")


def wrong_versions() -> dict[tuple[str, str, str], Version]:
    """Every wrong version, by exercise, misconception and framework."""
    found = {}
    for topic in pkgutil.iter_modules(exercises.wrong_versions.__path__):
        table: Wrong = importlib.import_module(f"exercises.wrong_versions.{topic.name}").WRONG
        for exercise, misconceptions in table.items():
            for misconception, versions in misconceptions.items():
                for framework, version in versions.items():
                    found[exercise, misconception, framework] = version
    return found


def wrong_source(exercise: Exercise, framework: str, version: Version) -> str:
    """The source of a wrong version: every edit must find its text exactly once."""
    if isinstance(version, str):
        return version
    source = inspect.getsource(getattr(solution(exercise.topic, framework), exercise.entry))
    edits = [version] if isinstance(version, tuple) else version
    for old, new in edits:
        if source.count(old) != 1:
            raise ValueError(
                f"exercises/wrong_versions/{exercise.topic}.py, {exercise.name}, {framework}: the edit looks for {old!r}, "
                f"which must stand once in the solution, but stands there {source.count(old)} times."
            )
        source = source.replace(old, new)
    return source


def define(exercise: Exercise, framework: str, source: str) -> Any:
    """Run a source in a copy of the solution's module, or modules; returns the exercise's entry."""
    module = solution(exercise.topic, framework)
    # What needs no framework is defined in `common.py`, with imports of its own.
    defining = sys.modules[getattr(module, exercise.entry).__module__]
    namespace = {**vars(defining), **vars(module), "__name__": "handed_in"}
    name = f"<wrong {exercise.name} {framework} {abs(hash(source))}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), namespace)
    return namespace[exercise.entry]
