"""Exercises that the course does not have: in folders of a teacher's own, and in packages that pip has installed.

A folder holds Python files; each that defines EXERCISES, as the modules of `exercises/` do, is a topic. A package
names such a module by an entry point of the group `attention.exercises`, whose name is the topic.
"""

import hashlib
import importlib
import os
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from autograder.model.errors import UsageError, location_of
from autograder.model.exercise import Exercise
from autograder.model.misconceptions import MORE_IDEAS, check_misconceptions, with_misconceptions

# Folders, separated as those of PATH are. It reaches the processes that grade.
VARIABLE = "ATTENTION_EXERCISES"
GROUP = "attention.exercises"
# The folder of these files where they are given out, beside the notebooks, and in a package.
GIVEN_OUT = "own_exercises"


def folders() -> list[Path]:
    """Return the folders that are named in ATTENTION_EXERCISES."""
    return [Path(name) for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name]


def teachers_modules(course_topics: Sequence[str]) -> dict[str, ModuleType]:
    """Return the modules with exercises of one's own, by topic. course_topics: those of the course.

    Raises UsageError, with a sentence, for a file or package that cannot be used.
    """
    modules: dict[str, ModuleType] = {}
    parts = [part for folder in folders() for part in _in_folder(folder)]
    for p in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        parts.append((p.name, _loaded(p.module, f"The installed package's module {p.module}")))
    for topic, module in parts:
        if topic in course_topics or topic in modules:
            raise UsageError(f"{_origin(module)}: there is a topic {topic!r} already; choose another name.")
        _refuse(module, course_topics)
        modules[topic] = module
    return modules


def _in_folder(folder: Path) -> list[tuple[str, ModuleType]]:
    """Return the modules of a folder that define EXERCISES. They may import each other: `from .helpers import …`."""
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder} with exercises.")
    package = f"own_exercises_{hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:12]}"
    if package not in sys.modules:
        sys.modules[package] = ModuleType(package)
        sys.modules[package].__path__ = [str(folder.resolve())]
    names = [path.stem for path in folder.glob("*.py") if not path.name.startswith("_")]
    stems = sorted(filter(str.isidentifier, names))
    modules = [(stem, _loaded(f"{package}.{stem}", str(folder / f"{stem}.py"))) for stem in stems]
    if not any(hasattr(module, "EXERCISES") for _, module in modules) and not (folder / MORE_IDEAS).exists():
        raise UsageError(f"{folder} holds no Python file that defines EXERCISES.")
    return [(stem, module) for stem, module in modules if hasattr(module, "EXERCISES")]


def _loaded(name: str, origin: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise UsageError(f"{origin} cannot be imported{location_of(error)}.") from error


def _refuse(module: ModuleType, course_topics: Sequence[str]) -> None:
    """Raise UsageError where EXERCISES holds something else, or builds on what the course does not have."""
    for exercise in getattr(module, "EXERCISES", [None]):
        if not isinstance(exercise, Exercise):
            raise UsageError(f"{_origin(module)}: EXERCISES must hold exercises, but holds {exercise!r}.")
        if unknown := [topic for topic in exercise.builds_on if topic not in course_topics]:
            raise UsageError(
                f"{_origin(module)}: {exercise.name} must build on topics of the course, but builds on {unknown[0]!r}."
            )
    path = Path(str(module.__file__)).with_suffix(".toml")
    check_misconceptions([with_misconceptions(e, module) for e in getattr(module, "EXERCISES", ())], path)


def _origin(module: ModuleType) -> str:
    return str(getattr(module, "__file__", None) or module.__name__)
