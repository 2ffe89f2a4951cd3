"""`package`: the autograder as a folder that Gradescope or GitHub Classroom runs."""

import re
import shutil
import tomllib
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from autograder.frameworks import frameworks, graded
from autograder.learner.pages import templates
from autograder.model.version import NOTE, commit
from course.paths import BOOK, ROOT

# What grading needs at run time, besides the autograder itself.
FOLDERS = ("autograder", "exercises", "solutions", "course")
CONTENTS = "_toc.yml"
PIN = re.compile(r"(?P<name>[\w.-]+)==[\w.]+")
EXECUTABLE = 0o755
# The assignment's file in the folder that is made, and where each system has it when it grades.
ASSIGNMENT = "assignment.toml"
PLACES = {"gradescope": ASSIGNMENT, "classroom": f"../submission/.github/{ASSIGNMENT}"}


def options(system: str, exercises: Iterable[str], assignment: Path | None, practice: bool) -> list[str]:
    """What the command that grades is told. assignment: its file, which then says the exercises."""
    chosen = [word for name in exercises for word in ("--exercise", name)]
    told = ["--assignment", PLACES[system]] if assignment else chosen
    return told + ["--practice"] * practice


def package(
    system: str, folder: Path, course: str, options: str, assignment: Path | None = None
) -> list[Path]:
    """Write the files for a system; gives those that a teacher should look at.

    course: the repository of the course, OWNER/NAME (GitHub Classroom). options: for `grade`. assignment: the
    file of it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    names = [n for n in templates().list_templates() if n.startswith(f"{system}/")]
    for name in names:
        path = folder / name.removeprefix(f"{system}/")
        text = templates().get_template(name).render(course=course, options=options)
        path.write_text(f"{text}\n", encoding="utf-8")
        if path.suffix != ".yml":
            path.chmod(EXECUTABLE)
        written.append(path)
    if assignment is not None:
        written.append(folder / ASSIGNMENT)
        shutil.copyfile(assignment, folder / ASSIGNMENT)
    if system == "gradescope":
        written.append(_requirements(folder))
        for name in FOLDERS:
            ignored = shutil.ignore_patterns("__pycache__", "wrong", "book")
            shutil.copytree(ROOT / name, folder / name, dirs_exist_ok=True, ignore=ignored)
        shutil.copy(BOOK / CONTENTS, folder / CONTENTS)
        if known := commit():
            (folder / NOTE.relative_to(ROOT)).write_text(f"{known}\n", encoding="utf-8")
    return written


def _requirements(folder: Path) -> Path:
    """The pinned versions of what grading needs; pip finds what these need in turn."""
    project = tomllib.loads((BOOK / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    # Gradescope runs Linux, so conditions on the system are left out.
    pins = [
        PIN.match(line) for line in chain(project["dependencies"], *project["optional-dependencies"].values())
    ]
    found = {pin["name"]: pin[0] for pin in pins if pin}
    frameworks_need = {name for f in graded() for name in frameworks()[f].requirements}
    tools = {pin["name"] for pin in map(PIN.match, project["dependencies"]) if pin}
    path = folder / "requirements.txt"
    path.write_text(
        "\n".join(found[name] for name in sorted(tools | frameworks_need)) + "\n", encoding="utf-8"
    )
    return path
