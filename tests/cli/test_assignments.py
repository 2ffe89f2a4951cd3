"""The command line: an assignment from its file to the marks, and what has changed since they were written out."""

import csv
import json

import pytest

from autograder.book.contents import PAGES
from autograder.marks.gradebook import Gradebook
from autograder.model.assignment import Assignment
from autograder.model.results import SubmissionResult
from autograder.read.assignments import read_assignment
from tests.support import RIGHT, autograder, verdict

TEXT = """
name = "First week"
frameworks = ["torch"]
total = 10
[exercises]
masked_softmax = 3
scaled_scores = 1
[limits]
call_seconds = 10
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "first.toml"
    path.write_text(TEXT)
    return path


def output_of(result):
    return " ".join((result.stdout + result.stderr).split())


def test_a_new_assignment_is_made_once(tmp_path):
    file = tmp_path / "week_1.toml"
    done = autograder("assignment", "new", file, "--exercise", "masked_softmax")
    assert done.returncode == 0 and "\nmasked_softmax = " in file.read_text()
    file.write_text("mine")
    done = autograder("assignment", "new", file)
    assert done.returncode == 2 and "already exists" in output_of(done) and file.read_text() == "mine"
    done = autograder("assignment", "new", tmp_path / "no" / "folder.toml")
    assert done.returncode == 2 and "cannot be written: No such file" in output_of(done)


def test_a_mistake_in_the_file_stops_each_command_with_its_sentence(file, tmp_path):
    file.write_text("[exercises]\nmasked_sofmax = 2\n")
    submissions = tmp_path / "class"
    submissions.mkdir()
    for words in (
        ("grade", submissions, "--assignment", file),
        ("start", tmp_path / "learn", "--assignment", file),
        ("package", "gradescope", tmp_path / "made", "--assignment", file),
        ("gradescope", tmp_path, tmp_path / "results.json", "--assignment", file),
    ):
        done = autograder(*words)
        assert done.returncode == 2 and "is it masked_softmax?" in output_of(done), words
    assert not (tmp_path / "learn").exists() and not (tmp_path / "made").exists()


def test_the_file_says_the_exercises_and_the_frameworks(file, tmp_path):
    (tmp_path / "class").mkdir()
    for words in (("--exercise", "masked_softmax"), ("--framework", "torch")):
        done = autograder("grade", tmp_path / "class", "--assignment", file, *words)
        assert done.returncode == 2 and "Leave out --exercise and --framework" in output_of(done)
    done = autograder("start", tmp_path / "learn", "--assignment", file, "--framework", "mxnet")
    assert done.returncode == 2 and "The assignment is in PyTorch" in output_of(done)
    done = autograder("start", tmp_path / "learn", "--only-exercises")
    assert done.returncode == 2 and "Say which exercises with --assignment" in output_of(done)


def test_copies_are_for_the_assignment(file, tmp_path):
    done = autograder("start", tmp_path / "learn", "--assignment", file, "--only-exercises")
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in (tmp_path / "learn").glob("*.ipynb"))
    pages = [f"{page}.ipynb" for page in PAGES]
    assert names == sorted(["02_masked_softmax.ipynb", "03_dot_product.ipynb", "index.ipynb", *pages])
    assert "mxnet" not in (tmp_path / "learn" / names[0]).read_text()


@pytest.mark.slow
def test_an_assignment_is_graded_by_its_file_and_remembered(file, tmp_path):
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "ann.py").write_text(RIGHT)
    book = tmp_path / "first.sqlite"
    done = autograder("grade", tmp_path / "class", "--assignment", file, "--gradebook", book)
    assert done.returncode == 0, done.stderr
    assert "1 of 2" in output_of(done) and "7.5 of 10" in output_of(done)
    (tmp_path / "first.corrections.csv").write_text("learner,exercise,points\nann,scaled_scores,1\n")
    done = autograder("export", "nbgrader", book)
    assert next(csv.reader(done.stdout.splitlines()[1:]))[0] == "First week"
    assert next(csv.DictReader(done.stdout.splitlines()))["score"] == "8.5"
    done = autograder("grade", tmp_path / "class", "--gradebook", book)
    assert "The assignment is 'First week'" in output_of(done) and "8.5 of 10" in output_of(done)
    done = autograder("gradescope", tmp_path / "class", tmp_path / "results.json", "--assignment", file)
    assert done.returncode == 0 and json.loads((tmp_path / "results.json").read_text())["score"] == 7.5


def test_packages_carry_the_file(file, tmp_path):
    done = autograder("package", "gradescope", tmp_path / "made", "--assignment", file)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "made" / "assignment.toml").read_text() == TEXT
    assert '/graded.json" --assignment assignment.toml' in (tmp_path / "made" / "run_autograder").read_text()
    done = autograder("package", "classroom", tmp_path / "flow", "--assignment", file, "--practice")
    grader = tmp_path / "flow" / "grader"
    assert done.returncode == 0 and (grader / "assignment.toml").read_text() == TEXT
    workflow = (grader / ".github" / "workflows" / "attention.yml").read_text()
    assert "--practice" in workflow and "--assignment ../grader/assignment.toml" in workflow
    done = autograder("package", "classroom", tmp_path / "plain")
    assert done.returncode == 2 and "--exercise or --assignment" in output_of(done)


@pytest.fixture
def gradebook(file, tmp_path):
    """A gradebook that was graded by the file; gives its path."""
    book = Gradebook(tmp_path / "first.sqlite")
    book.begin("class", ["ann.py"], read_assignment(file), practice=False)
    book.add(SubmissionResult("ann.py", "1", None, [verdict(outcome="accepted")], 0.5, False), "all")
    book.close()
    return tmp_path / "first.sqlite"


NOTICED = "has changed since this was graded ({}), and what is new does not count yet. Grade again: "


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("[limits]", "[late]\ndue = 2030-01-31\n[limits]", "lateness"),
        ("masked_softmax = 3", "masked_softmax = 5", "exercises or their points"),
        ("scaled_scores = 1\n", "", "exercises or their points"),
        ('["torch"]', '["torch", "mxnet"]', "frameworks"),
        ("call_seconds = 10", "call_seconds = 20", "limits"),
        (
            "total = 10",
            "total = ",
            "it cannot be used: {file} is no valid TOML: Invalid value (at line 4, column 9).",
        ),
    ],
)
def test_a_file_that_has_changed_since_grading_is_noticed(file, gradebook, tmp_path, old, new, part):
    export = ("export", "csv", gradebook, "--to", tmp_path / "marks.csv")
    file.write_text(f"# A comment changes nothing.\n{TEXT}")
    assert "has changed since" not in output_of(autograder(*export))
    assert old in TEXT
    file.write_text(TEXT.replace(old, new))
    (tmp_path / "empty").mkdir()
    words = NOTICED.format(part.format(file=file)).replace(" ", "")
    again = f"attention grade class --gradebook {gradebook} --assignment {file}".replace(" ", "")
    for command in (export, ("report", gradebook, "--to", tmp_path / "pages"), ("changes", gradebook),
                    ("grade", tmp_path / "empty", "--gradebook", gradebook)):  # fmt: skip
        text = output_of(autograder(*command)).replace(" ", "")
        assert text.count(words) == 1 and again in text, (command, text)


def test_a_file_that_is_gone_or_was_not_used_is_not_missed(file, gradebook, tmp_path):
    file.unlink()
    assert autograder("export", "csv", gradebook).stderr == ""
    graded(tmp_path / "other.sqlite", "accepted")
    assert autograder("export", "csv", tmp_path / "other.sqlite").stderr == ""


def graded(path, outcome):
    book = Gradebook(path)
    book.begin("class", ["ann.py"], Assignment({"masked_softmax": 2.0}), practice=False)
    book.add(SubmissionResult("ann.py", outcome, None, [verdict(outcome=outcome)], 0.5, False), outcome)
    book.close()


def test_changes_are_listed_since_marks_were_written_to_a_file(tmp_path):
    book = tmp_path / "first.sqlite"
    graded(book, "rejected")
    done = autograder("changes", book)
    assert done.returncode == 2 and "No marks of" in output_of(done) and "--to FILE" in output_of(done)
    assert autograder("export", "csv", book, "--to", tmp_path / "marks.csv").returncode == 0
    done = autograder("changes", book)
    assert done.returncode == 0 and "No mark has changed since `export csv` of" in output_of(done)
    graded(book, "accepted")
    autograder("export", "csv", book)  # a look at them is no publication
    done = autograder("changes", book)
    assert done.returncode == 0 and "1 learner changed since `export csv` of" in output_of(done)
    assert "ann masked_softmax 0 2 another file counts" in output_of(done)
    why = "(all) 0 2 the exercises above. masked_softmax: 2 of 2. In all: 2 of 2."
    assert why in output_of(done), output_of(done)
    assert autograder("changes", tmp_path / "none.sqlite").returncode == 2


def test_copies_for_another_assignment_are_named_and_stay(file, tmp_path):
    start = ("start", tmp_path / "learn", "--assignment", file, "--only-exercises")
    assert autograder(*start).returncode == 0
    done = autograder(*start)
    assert (
        done.returncode == 0
        and f"{3 + len(PAGES)} files were there already and stay as they are." in output_of(done)
    )
    assert done.stderr == ""
    before = {path: path.read_bytes() for path in (tmp_path / "learn").glob("*.*")}
    file.write_text(
        TEXT.replace("total = 10", "").replace("masked_softmax = 3", "masked_softmax_or_zero = 3")
    )
    done = autograder(*start)
    text = output_of(done)
    assert done.returncode == 1, text
    assert (
        "02_masked_softmax.ipynb was made otherwise: it has no cell for masked_softmax_or_zero (PyTorch); it has a "
        "cell for masked_softmax (PyTorch)." in text
    )
    assert "03_dot_product.ipynb was made otherwise: it has other points for scaled_scores (PyTorch)." in text
    for name in ("index.ipynb", "progress.json"):
        assert f"{name} was made otherwise: it names other exercises, points or dates." in text
    assert "Move them away, or name a new folder" in text
    assert before == {path: path.read_bytes() for path in (tmp_path / "learn").glob("*.*")}


def test_a_copy_in_both_frameworks_is_not_one_in_a_single_framework(file, tmp_path):
    file.write_text("[exercises]\nmasked_softmax = 2\n")
    start = ("start", tmp_path / "learn", "--assignment", file)
    assert autograder(*start).returncode == 0
    notebook = tmp_path / "learn" / "02_masked_softmax.ipynb"
    notebook.write_text(
        notebook.read_text().replace("raise NotImplementedError", "return 0")
    )  # a learner's work
    assert autograder(*start).returncode == 0
    file.write_text('frameworks = ["torch"]\n[exercises]\nmasked_softmax = 2\n')
    done = autograder(*start)
    names = "masked_softmax (MXNet), masked_softmax_or_zero (MXNet)"
    assert done.returncode == 1 and f"it has a cell for {names}." in output_of(done), output_of(done)
    for text in ("my work", "[]", '{"cells": [7]}', '{"cells": [{"cell_type": "code"}]}'):
        notebook.write_text(text)
        done = autograder(*start)
        assert done.returncode == 1 and notebook.read_text() == text
        assert "02_masked_softmax.ipynb was made otherwise: it cannot be read as a notebook." in output_of(
            done
        )
