"""Which files a worker may read: the interpreter's and the system's, and none of the course's own.

Nothing here needs the system that offers the lock.
"""

import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from autograder.model.paths import FOLDERS, ROOT

# What libraries read besides.
READABLE = (
    "/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo", "/dev/null", "/dev/zero", "/dev/urandom"
)  # fmt: skip
# The group of entry points by which packages bring exercises of their own (`autograder/model/teachers_exercises.py`).
GROUP = "attention.exercises"
# The course's own folders, with references, learners' copies and whatever a teacher keeps beside them.
COURSE = tuple(ROOT.resolve() / name for name in FOLDERS)


def hidden_paths() -> set[Path]:
    """Return what no worker may read: the course's folders, and installed packages of exercises, with their references."""
    return {*COURSE, *_packages_of_exercises()}


@cache
def _packages_of_exercises() -> tuple[Path, ...]:
    tops = {point.module.partition(".")[0] for point in entry_points(group=GROUP)}
    return tuple(part.resolve() for top in sorted(tops) for part in _parts(top))


def _parts(package: str) -> Iterator[Path]:
    """Yield the folders of a package, or the file of a module; nothing of it is imported."""
    if spec := find_spec(package):
        if spec.submodule_search_locations is not None:
            yield from map(Path, spec.submodule_search_locations)
        elif spec.origin:
            yield Path(spec.origin)


def readable_paths() -> list[Path]:
    """Return what a worker may read and execute: the interpreter's and the system's libraries and programs.

    Where the course itself lies among them, as after `pip install`, its folders are left out.
    """
    paths = [part for folder in _folders() for part in _without_course(folder)]
    return paths + [path for path in map(Path, READABLE) if path.exists()]


def listable_folders() -> list[Path]:
    """Return the folders among these that hold the course: imports need the names of what lies beside it."""
    folders = {folder.resolve() for folder in _folders()}
    above = {parent for part in hidden_paths() for parent in part.parents}
    return sorted(path for path in above if folders & {path, *path.parents})


def _folders() -> list[Path]:
    prefixes = (sys.prefix, sys.base_prefix, sys.exec_prefix, "/usr", "/")
    folders = [Path(prefix, name) for prefix in prefixes for name in ("lib", "lib64", "lib32", "bin")]
    return [path for path in dict.fromkeys(folders) if path.is_dir()]


def _without_course(folder: Path) -> list[Path]:
    """Return the folder; or its parts without those of the course, if they lie below it."""
    real = folder.resolve()
    if real in hidden_paths() or not real.exists():
        return []
    if not any(real in part.parents for part in hidden_paths()):
        return [folder]
    return [part for child in sorted(folder.iterdir()) for part in _without_course(child)]


def readable_parent(path: Path) -> Path | None:
    """Return the folder that a worker may read and that holds a path; None if there is none."""
    real = path.resolve()
    return next((part for part in readable_paths() if part.resolve() in (real, *real.parents)), None)
