"""The command line as a whole, and what a package that pip installs can do."""

import json
import os
import re
import subprocess
import sys
import zipfile
from importlib.util import find_spec

import pytest
from typer.main import get_command

from autograder import __version__
from autograder.book.contents import INDEX, PAGES, file_of
from autograder.cli.commands import app
from autograder.cli.output import forget_odd_sizes
from autograder.model import version
from autograder.model.paths import CHECKOUT, ROOT
from tests.support import autograder

RIGHT = ROOT / "tests" / "sample_class" / "right.py"
TOO_LATE = ROOT / "tests" / "sample_class" / "mask_too_late.py"


def attention(*words, folder=ROOT, root=ROOT):
    """Run a command with the packages of a folder, as its user would."""
    command = [sys.executable, "-m", "autograder", *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_the_version_names_the_commit():
    command = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    if not commit:
        pytest.skip("this is no checkout")
    output = attention("--version").stdout
    assert output.startswith(f"attention {__version__} (commit {commit}")


def test_the_version_ends_with_the_checkout_that_is_imported(tmp_path):
    """Called in another folder too; an installed package has none (below)."""
    for folder in (ROOT, tmp_path):
        assert attention("--version", folder=folder).stdout.endswith(f") in {ROOT}\n")


def test_a_command_says_that_it_is_not_of_the_checkout_in_which_it_is_typed(tmp_path):
    """A copy of the folder, whose environment still runs what lies in the first."""
    for part in CHECKOUT:
        (tmp_path / part).mkdir()
    (tmp_path / "learn").mkdir()
    for words, folder in ((("--version",), tmp_path), (("exercises",), tmp_path / "learn")):
        done = attention(*words, folder=folder)
        sentence = f"This is the course in {ROOT}, and not that in {tmp_path}: to set that up, type `make grade` there."
        assert done.returncode == 0 and " ".join(done.stderr.split()) == sentence
    assert attention("--version", folder=ROOT).stderr == ""


def test_a_commit_that_nobody_knows_is_not_made_up(tmp_path, monkeypatch):
    monkeypatch.setattr(version, "ROOT", tmp_path)
    monkeypatch.setattr(version, "NOTE", tmp_path / "commit.txt")
    assert version.commit.__wrapped__() is None
    (tmp_path / "commit.txt").write_text("0123abc\n")
    assert version.commit.__wrapped__() == "0123abc"


def test_commands_start_where_the_system_is_not_unix():
    absent = ["resource", "fcntl", "pyseccomp", "pwd", "grp"]
    code = f"import sys; sys.modules.update(dict.fromkeys({absent})); import autograder.cli.commands"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["grade", "package", "gradescope", "classroom"])
def test_practice_says_that_the_lock_is_not_required_and_not_that_it_is_left_out(name):
    """Every layer that the machine has is closed for practice too."""
    (practice,) = (p for p in get_command(app).commands[name].params if p.name == "practice")
    assert practice.help == "Grade even if the full lock is not available; marks are then not official."


def test_check_accepts_a_right_file():
    done = attention("check", RIGHT)
    assert done.returncode == 0 and done.stdout.startswith("masked_softmax (torch): passed")


def test_check_names_the_wrong_idea_of_a_wrong_file():
    done = attention("check", TOO_LATE)
    assert done.returncode == 1
    assert "masked_softmax (torch): rejected" in done.stdout and "mask comes after" in done.stdout


def test_check_says_what_is_missing_if_it_was_asked_for():
    done = attention("check", RIGHT, "--exercise", "masked_softmax", "--exercise", "scaled_scores")
    assert done.returncode == 1
    assert "The file defines no function named scaled_scores." in done.stdout


@pytest.mark.slow
def test_check_finds_no_answer_in_a_copy_that_nobody_has_worked_on(tmp_path):
    attention("start", tmp_path)
    done = attention("check", tmp_path / "02_masked_softmax.ipynb", "--framework", "torch")
    assert done.returncode == 1 and "passed" not in done.stdout and "Not written yet" in done.stdout


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("answer.txt", "", "is neither a notebook nor a Python file"),
        ("none.py", None, "is neither a notebook nor a Python file"),
        ("other.py", "x = 1", "defines nothing that an exercise asks for"),
        ("broken.ipynb", "{", "not valid JSON"),
    ],
)
def test_check_says_what_to_do_with_a_file_that_it_cannot_use(tmp_path, name, text, words):
    if text is not None:
        (tmp_path / name).write_text(text)
    done = autograder("check", tmp_path / name)
    assert done.returncode == 2 and words in " ".join(done.stderr.split())


def test_test_needs_a_checkout(tmp_path, installed):
    done = attention("test", folder=tmp_path, root=installed)
    assert done.returncode == 2 and "There is no checkout of the course here" in " ".join(done.stderr.split())


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """The packages of the wheel, in a folder."""
    if find_spec("hatchling") is None:
        pytest.skip("hatchling is not installed: `pip install '.[test]'`")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "packages")
    return folder / "packages"


def test_a_package_holds_the_course_and_not_its_tests(installed):
    assert not list(installed.glob("tests"))
    assert (installed / "exercises" / "masked_softmax.toml").is_file()
    assert (installed / "autograder" / "html" / "templates" / "class.html").is_file()


def test_a_package_makes_a_learners_copies(installed, tmp_path):
    done = attention("start", "learn", folder=tmp_path, root=installed)
    copies = {file_of(path.stem) for path in (ROOT / "chapters").glob("*.ipynb")}
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (tmp_path / "learn").glob("*.ipynb")} == {
        *copies,
        *map(file_of, PAGES),
        INDEX,
    }


@pytest.mark.slow
def test_a_package_checks_and_grades(installed, tmp_path):
    assert attention("check", RIGHT, folder=tmp_path, root=installed).returncode == 0
    done = attention("grade", RIGHT, "--json", "--practice", folder=tmp_path, root=installed)
    outcomes = {row["exercise"]: row["outcome"] for row in json.loads(done.stdout)["exercises"]}
    assert outcomes == {"masked_softmax": "accepted"}


ONE = ("--exercise", "masked_softmax")


@pytest.mark.slow
def test_a_package_makes_a_gradescope_autograder_that_grades(installed, tmp_path):
    done = attention("package", "gradescope", "made", *ONE, folder=tmp_path, root=installed)
    assert done.returncode == 0, done.stderr
    package = tmp_path / "made"
    assert "torch" in (package / "requirements.txt").read_text()
    assert attention("check", RIGHT, folder=tmp_path, root=package).returncode == 0


def test_a_package_names_the_commit_that_it_was_built_from(installed, tmp_path):
    if version.commit() is None:
        pytest.skip("this is no checkout")
    note = (installed / "autograder" / "commit.txt").read_text().strip()
    assert re.fullmatch(r"[0-9a-f]{7,40}(-dirty)?", note)
    output = attention("--version", folder=tmp_path, root=installed).stdout
    assert output == f"attention {__version__} (commit {note})\n"


def test_what_a_command_lacks_is_told_with_what_to_type(monkeypatch):
    monkeypatch.setattr("autograder.cli.book.find_spec", lambda name: None)
    done = autograder("learn")
    assert done.returncode == 2
    sentence = 'jupyterlab is not installed: type `pip install ".[learn]"` in the course\'s folder.'
    assert sentence in " ".join(done.stderr.split())


@pytest.mark.parametrize("size", ["0", "-3", "abc", "²", "", "99999999", "080"])
def test_a_size_of_a_terminal_that_is_none_is_forgotten(monkeypatch, size):
    monkeypatch.setenv("COLUMNS", size)
    monkeypatch.setenv("LINES", "40")
    forget_odd_sizes()
    assert "COLUMNS" not in os.environ and os.environ["LINES"] == "40"
