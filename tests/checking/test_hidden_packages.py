"""A file of a learner's that hides a package of the course: a sentence that names it, in a script and in a notebook."""

import os
import subprocess
import sys

import pytest

import autograder
from autograder.model.paths import ROOT

ASKS = "from autograder import check\n"


def run(folder, *words):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("name", ["exercises.py", "solutions.py", "course.py", "course/__init__.py"])
def test_what_hides_the_course_is_named(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("x = 1\n")
    (tmp_path / "answer.py").write_text(ASKS)
    file, package = name.partition("/")[0], name.partition("/")[0].removesuffix(".py")
    sentence = f"{file} in {tmp_path} hides the course's own {package}: rename it.\n"
    for words in (
        ("answer.py",),
        ("-m", "autograder", "check", "answer.py"),
        ("-m", "autograder", "grade", "."),
    ):
        done = run(tmp_path, *words)
        assert (done.returncode, done.stdout, done.stderr) == (1, "", sentence)


def test_a_notebook_shows_the_sentence_alone(tmp_path):
    (tmp_path / "exercises.py").write_text("x = 1\n")
    done = run(tmp_path, "-m", "IPython", "--no-banner", "--colors=NoColor", "-c", ASKS)
    assert "rename it." in done.stdout + done.stderr and "Traceback" not in done.stdout + done.stderr


def test_other_names_hide_nothing(tmp_path):
    for name in ("tools.py", "benchmarks.py", "numpy_exercises.py"):
        (tmp_path / name).write_text("x = 1\n")
    (tmp_path / "solutions").mkdir()  # no package: the course's own comes first
    assert run(tmp_path, "-c", "import autograder, exercises; exercises.__path__").returncode == 0


def test_another_error_ends_a_script_as_ever(capsys):
    errors = []
    autograder._show_uncaught(ValueError, ValueError("x"), None, lambda *error: errors.append(error))
    assert errors and capsys.readouterr().err == ""
