"""`package`: the autograder as a folder that Gradescope or GitHub Classroom runs."""

import re
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from autograder.frameworks import frameworks, graded_frameworks
from autograder.html.render import render_template
from autograder.model.paths import BOOK, PACKAGES, ROOT
from autograder.model.teachers_exercises import GIVEN_OUT
from autograder.model.version import NOTE, commit

# What of a package grading does not need: course/book is the book of an installed course.
UNNEEDED = {"course": "book"}
CONTENTS = "_toc.yml"
# What is chosen of it: one version of each with its hashes, and what MXNet does not ask for rightly.
LOCK_FILES = ("requirements.lock", "overrides.txt")
EXECUTABLE, SCRIPTS = 0o755, ("run_autograder", "setup.sh")
# What is no part of the course, by its name in the package: a folder of one's own exercises, and the assignment's file.
Extras = Mapping[str, Path]
# The option of the command that grades for each.
EXTRAS = {GIVEN_OUT: "--exercises", "assignment.toml": "--assignment"}
# Where the files for GitHub Classroom go: one to the assignment's template, one to where learners cannot write.
PLACES = {
    "assignment.yml": "assignment/.github/workflows/classroom.yml",
    "grader.yml": "grader/.github/workflows/attention.yml",
}
# Of what Gradescope allows for all, the seconds that its own harness and a sentence take.
SPARE_SECONDS = 30


def _copied(extras: Extras, folder: Path) -> list[Path]:
    for name, path in extras.items():
        folder.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(path, folder / name, dirs_exist_ok=True, ignore=ignored)
        else:
            shutil.copyfile(path, folder / name)
    return [folder / name for name in extras]


def _options(extras: Extras, prefix: str) -> list[str]:
    """Return what the command that grades is told of them. prefix: what leads to the package from where it runs."""
    return [word for name in extras for word in (EXTRAS[name], f"{prefix}{name}")]


def gradescope(folder: Path, options: Sequence[str], extras: Extras, minutes: int, memory: str) -> list[Path]:
    """Write an autograder for Gradescope; gives the files that a teacher should look at.

    options: for the command `gradescope`. minutes, memory: what the assignment's settings at Gradescope are to allow.
    """
    values = {
        "options": Markup(" ".join([*options, *_options(extras, "")])),
        "minutes": minutes,
        "seconds": 60 * minutes - SPARE_SECONDS,
        "memory": memory,
    }
    files = [_filled_in(f"gradescope/{name}", folder / name, values) for name in SCRIPTS]
    for path in files:
        path.chmod(EXECUTABLE)
    for name in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__", UNNEEDED.get(name, ""))
        shutil.copytree(ROOT / name, folder / name, dirs_exist_ok=True, ignore=ignored)
    shutil.copy(BOOK / CONTENTS, folder / CONTENTS)
    files += _copied(extras, folder)
    if revision := commit():
        (folder / NOTE.relative_to(ROOT)).write_text(f"{revision}\n", encoding="utf-8")
    return [*files, _requirements(folder)]


def classroom(folder: Path, options: Sequence[str], extras: Extras, course: str, grader: str) -> list[Path]:
    """Write two workflows for GitHub Classroom; gives them.

    options: for the command `classroom`. course, grader: the repositories OWNER/NAME that hold the course, and the
    workflow that grades.
    """
    extra_options = _options(extras, "../grader/")
    values = {
        "options": Markup(" ".join([*options, *extra_options])),
        "extras": bool(extra_options),
        "course": course,
        "grader": grader,
    }
    files = [_filled_in(f"classroom/{name}", folder / path, values) for name, path in PLACES.items()]
    return [*files, *_copied(extras, folder / "grader")]


def _filled_in(template: str, path: Path, values: dict[str, object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{render_template(template, uv=_uv(), **values).rstrip()}\n", encoding="utf-8")
    return path


def _uv() -> str:
    """Return the installer, at its locked version."""
    lock = (BOOK / LOCK_FILES[0]).read_text(encoding="utf-8")
    return next(re.finditer(r"^uv==[\w.]+", lock, re.MULTILINE))[0]


def _requirements(folder: Path) -> Path:
    """Write what grading needs, with the lock, which says of what version."""
    for name in LOCK_FILES:
        shutil.copy(BOOK / name, folder / name)
    project = tomllib.loads((BOOK / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {name for framework in graded_frameworks() for name in frameworks()[framework].requirements}
    path = folder / "requirements.txt"
    path.write_text("\n".join([*project["dependencies"], *sorted(needed)]) + "\n", encoding="utf-8")
    return path
