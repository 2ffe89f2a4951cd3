"""`package`: the autograder as a folder that Gradescope or GitHub Classroom runs."""

import shutil
from pathlib import Path

from autograder.frameworks import frameworks, graded
from autograder.learner.pages import templates
from course.paths import ROOT

# What grading needs at run time, besides the autograder itself.
FOLDERS = ("autograder", "exercises", "solutions", "course")
CONTENTS = "_toc.yml"
TOOLS = ("numpy", "typer", "rich", "jinja2", "pyseccomp")
EXECUTABLE = 0o755


def package(system: str, folder: Path, course: str, options: str) -> list[Path]:
    """Write the files for a system; gives those that a teacher should look at.

    course: the repository of the course, OWNER/NAME (GitHub Classroom). options: for `grade`.
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
    if system == "gradescope":
        written.append(_requirements(folder))
        for name in FOLDERS:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, folder / name, dirs_exist_ok=True, ignore=ignored)
        shutil.copy(ROOT / CONTENTS, folder / CONTENTS)
    return written


def _requirements(folder: Path) -> Path:
    """The pinned versions of what grading needs; pip finds what these need in turn."""
    needed = {*TOOLS, *(name for f in graded() for name in frameworks()[f].requirements)}
    lines = (ROOT / "requirements.in").read_text(encoding="utf-8").split("\n")
    kept = [line for line in lines if line.split("==")[0] in needed]
    path = folder / "requirements.txt"
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")
    return path
