"""The command line: `grade`, `exercises`, `doctor`, and `--help`."""

import json
import os
import subprocess
import sys
import zipfile

import pytest

from autograder.cli.output import MAX_ROWS, print_class, print_json, print_table
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import standing_in, standing_of
from autograder.model.assignment import Assignment
from autograder.model.catalogue import all_exercises
from autograder.model.finding import Kind
from autograder.model.paths import ROOT
from autograder.model.results import SubmissionResult
from autograder.model.verdict import NOT_WRITTEN
from tests.support import LATE, RIGHT, autograder, need, verdict


@pytest.mark.slow
def test_a_class_is_graded_whatever_one_submission_does():
    result = autograder("grade", ROOT / "tests" / "sample_class", "--json", "--call-seconds", "1.5")
    report = json.loads(result.stdout)
    outcomes = {row["submission"]: row["outcome"] for row in report["exercises"]}
    assert outcomes["right.py"] == "accepted"
    assert outcomes["never_ends.py"] == "timeout"
    assert outcomes["leaves_early.py"] == "error"
    ideas = {row["submission"]: row["misconception"] for row in report["exercises"]}
    assert ideas["mask_too_late.py"] == "mask_after_softmax"
    assert ideas["over_the_queries.py"] == "softmax_over_queries"
    problems = {row["submission"]: row["problem"] for row in report["submissions"]}
    assert "not a readable notebook" in problems["corrupt.ipynb"]


def test_what_is_the_same_for_many_files_of_a_learner_is_said_once(tmp_path, capsys):
    """A folder that is handed back as it was given out: pages that ask for nothing, and empty functions."""
    stub = verdict(outcome="missing", message=NOT_WRITTEN, kind=Kind.NOT_WRITTEN)
    results = [SubmissionResult(f"ann/{i}.ipynb", f"{i}", None) for i in range(5)]
    results += [SubmissionResult(f"ann/e{i}.ipynb", f"e{i}", None, [stub]) for i in range(3)]
    results += [SubmissionResult("bo/0.ipynb", "bo", None)]
    print_table(results, standing_of(results, Assignment({"masked_softmax": 2.0})))
    output = " ".join(capsys.readouterr().out.split())
    assert output.count("it defines nothing that was asked for") == 2 and output.count(NOT_WRITTEN) == 1
    assert "ann/0.ipynb; ann/1.ipynb; ann/2.ipynb; and 2 more: it" in output and "bo/0.ipynb: it" in output


@pytest.mark.parametrize(("frameworks", "points"), [((), 5), (("mxnet", "torch"), 2.5)])
def test_all_that_is_printed_has_the_assignments_points(capsys, frameworks, points):
    """In the course this exercise is worth 2 points. Where two frameworks share its points, one answer has half of them."""
    rules = Assignment({"masked_softmax": 5.0}, frameworks=frameworks, count="both")
    results = [SubmissionResult("ann.py", "1", None, (verdict(outcome="accepted"),))]
    standing = standing_of(results, rules)
    print_json(results, standing, single=False)
    report = json.loads(capsys.readouterr().out)
    assert [entry["points"] for entries in report.values() for entry in entries] == [points] * 3
    assert report["exercises"][0]["max_points"] == points
    print_table(results, standing)
    output = " ".join(capsys.readouterr().out.split())
    assert f"accepted {points:g}/{points:g}" in output and f"{points:g} of 5" in output


def test_one_exercise_of_one_file_is_one_json_object(tmp_path):
    path = tmp_path / "answer.py"
    path.write_text(RIGHT)
    result = autograder("grade", path, "--exercise", "masked_softmax", "--framework", "torch", "--json")
    assert json.loads(result.stdout)["outcome"] == "accepted"


def test_one_exercise_of_a_file_that_cannot_be_read_is_json_too(tmp_path):
    path = tmp_path / "broken.zip"
    path.write_bytes(b"PK\3\4broken")
    report = json.loads(autograder("grade", path, "--exercise", "masked_softmax", "--json").stdout)
    assert report["submissions"][0]["problem"] == "broken.zip is not a readable zip archive."
    assert report["exercises"] == []


@pytest.mark.slow
def test_a_file_may_be_as_large_as_is_said(tmp_path):
    """A right answer between two pictures; the pages find its code as `grade` did."""
    picture = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "A" * 150_000}}
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [picture],
        "source": RIGHT,
    }
    work, book = tmp_path / "class", tmp_path / "book"
    work.mkdir()
    (work / "ann.ipynb").write_text(json.dumps({"cells": [cell, {**cell, "source": ""}]}))
    grade = ("grade", work, "--exercise", "masked_softmax", "--gradebook", book, "--practice")
    done = autograder(*grade, "--megabytes", "0.2")
    output = " ".join(done.stdout.split())
    assert "is larger than 0.2 MB: clear its outputs" in output and "`grade --megabytes`" in output
    file = tmp_path / "first.toml"
    file.write_text("[exercises]\nmasked_softmax = 2\n[limits]\nmegabytes = 0.2\n")
    by_file = ("grade", work, "--assignment", file, "--gradebook", book, "--practice")
    assert "is larger than 0.2 MB" in " ".join(autograder(*by_file).stdout.split())
    assert "2 of 2" in " ".join(autograder(*grade).stdout.split())
    file.write_text(file.read_text().replace("megabytes = 0.2", "megabytes = 12"))
    large = {**cell, "source": LATE, "outputs": [picture] * 72}
    (work / "bo.ipynb").write_text(json.dumps({"cells": [large]}))
    assert "is larger than 10 MB" in " ".join(autograder(*grade).stdout.split())
    assert "bo 0 of 1 0 of 2" in " ".join(autograder(*by_file).stdout.split())
    assert autograder("report", book, "--to", tmp_path / "pages").returncode == 0
    assert "return torch.softmax(X, dim=-1) * mask" in (tmp_path / "pages" / "index.html").read_text()


def test_without_a_gradebook_inputs_are_drawn_anew_and_a_key_repeats_them(tmp_path):
    path = tmp_path / "answer.py"
    path.write_text(LATE)
    command = ("grade", path, "--exercise", "masked_softmax", "--framework", "torch", "--json")

    def graded(*more):
        done = autograder(*command, *more)
        return json.loads(done.stdout), done.stderr.split()[-1]

    (first, key), (second, other) = graded(), graded()
    assert key != other and first["difference"] != second["difference"]
    again, same = graded("--key", key)
    assert (again, same) == (first, key)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("grade", "tests/sample_class/right.py", "--key", "a word"), "a word is not a key"),
        (("grade", "tests/sample_class", "--key", "00ff"), "has a key of its own: leave out --key"),
        (("grade", "no/such/folder"), "There is no file or folder"),
        (("grade", "tests/sample_class", "--exercise", "nonsense"), "There is no exercise 'nonsense'"),
        (("grade", "tests/sample_class", "--exercise", "masked_sofmax"), "Is it masked_softmax?"),
        (
            ("grade", "tests/sample_class", "--exercise", "pooling"),
            "is a topic; its exercises are feed_forward_pooling",
        ),
        (("grade", "tests/sample_class", "--framework", "theano"), "use mxnet or torch"),
    ],
)
def test_a_wrong_command_gets_a_sentence_and_status_2(arguments, words):
    result = autograder(*arguments)
    assert result.returncode == 2
    assert words in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr


def test_exercises_are_listed_as_json():
    listed = json.loads(autograder("exercises", "--json").stdout)
    rows = {row["name"]: row for row in listed}
    assert set(rows) == set(all_exercises())
    row = rows["masked_softmax"]
    assert row["entry"] == "masked_softmax" and row["cases"] == 11
    assert "X: (batch, num_queries, num_keys)" in row["signature"]


@pytest.mark.parametrize("arguments", [(), ("exercises",), ("start",), ("grade",)])
def test_every_command_explains_itself(arguments):
    result = autograder(*arguments, "--help")
    assert result.returncode == 0 and "Usage" in result.stdout


@pytest.mark.slow
def test_a_large_class_gets_one_table_and_every_unreadable_file_by_name(tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    for i in range(41):
        (folder / f"{i}.py").write_text(RIGHT)
    (folder / "broken.ipynb").write_text("{")
    done = autograder("grade", folder, "--gradebook", tmp_path / "book")
    assert done.returncode == 0, done.stderr
    (row,) = [line.split() for line in done.stdout.splitlines() if line.strip().startswith("masked_softmax")]
    assert row == ["masked_softmax", "41", "1"]
    sentence = "42 submissions of 42 learners; points: median 2 of 2, from 0 to 2."
    assert "broken.ipynb" in done.stdout and sentence in " ".join(done.stdout.split())
    assert autograder("report", tmp_path / "book", "--to", tmp_path / "pages").returncode == 0
    page = (tmp_path / "pages" / "index.html").read_text()
    assert sentence.removeprefix("42 submissions of ") in page and "41 accepted, 1 missing" in page


def test_one_framework_is_enough_to_be_told(tmp_path):
    """The other one's stub is no news."""
    need("mxnet")
    late = RIGHT.replace("torch.softmax(X, dim=-1)", "X")
    cells = [
        (late, "torch"),
        ("def masked_softmax(X, valid_length):\n    raise NotImplementedError\n", "mxnet"),
    ]
    notebook_cells = [
        {"cell_type": "code", "metadata": {"tags": [f"framework-{tag}"]}, "source": text, "outputs": []}
        for text, tag in cells
    ]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": notebook_cells}
    (tmp_path / "work.ipynb").write_text(json.dumps(notebook))
    done = autograder("grade", tmp_path / "work.ipynb")
    assert "torch" in done.stdout and "mxnet" not in done.stdout and "Not written" not in done.stdout


@pytest.mark.parametrize("place", ["", "submissions.zip"])
def test_the_archive_of_a_whole_class_alone_is_refused_and_nothing_kept(tmp_path, place):
    (tmp_path / "class").mkdir()
    with zipfile.ZipFile(tmp_path / "class" / "submissions.zip", "w") as archive:
        for name in ("annadams_1_2_a.py", "bobrown_3_4_a.py"):
            archive.writestr(name, RIGHT)
    done = autograder("grade", tmp_path / "class" / place, "--gradebook", tmp_path / "book")
    assert done.returncode == 2 and "submissions of a whole class: unpack it" in " ".join(done.stderr.split())
    assert not (tmp_path / "book").exists()


@pytest.mark.slow
def test_a_large_class_is_shown_in_the_assignments_order_and_names_files_once(tmp_path):
    (tmp_path / "class").mkdir()
    for number in range(MAX_ROWS + 1):
        (tmp_path / "class" / f"{number}.py").write_bytes(RIGHT.encode() if number else b"\xff")
    names = ["masked_softmax", "masked_softmax_or_zero"]
    options = [word for name in names for word in ("--exercise", name)]
    command = (
        "grade",
        tmp_path / "class",
        "--gradebook",
        tmp_path / "book",
        "--framework",
        "torch",
        *options,
    )
    done = autograder(*command)
    lines = [line.split() for line in done.stdout.split("\n")]
    assert [line[0] for line in lines if line and line[0] in names] == names
    assert "0.py: is not UTF-8 text (byte 0): save it again as UTF-8." in done.stdout


def test_names_stay_whole_where_no_terminal_reads_them():
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    command = [sys.executable, "-m", "autograder", "exercises"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    words = done.stdout.split()
    assert done.returncode == 0 and all(name in words for name in all_exercises())


def test_a_file_that_defines_nothing_is_told_what_a_definition_is(tmp_path, capsys):
    book = Gradebook(tmp_path / "book")
    print_table([SubmissionResult("a.py", "digest", None, [], 0.1, False)], standing_in(book))
    output = " ".join(capsys.readouterr().out.split())
    assert "nothing that was asked for: no code cell or line" in output and "turned to Markdown" in output


def test_files_that_were_not_read_are_named_after_their_learner(tmp_path, capsys):
    problem = "1 file was not read: Ann Lee (Moodle 7)/a.pdf."
    refused = SubmissionResult("Ann Lee (Moodle 7)/files that were not read", "", problem, [], 0.1, False)
    for show in (print_class, print_table):
        show([refused], standing_in(Gradebook(tmp_path / "book")))
        assert f"Ann Lee (Moodle 7): {problem}\n" in capsys.readouterr().out


def test_a_notebook_that_cannot_be_read_is_named_once(tmp_path, capsys):
    broken = verdict(outcome="error", message="is not a readable notebook: it is not valid JSON.")
    results = [SubmissionResult("a.ipynb", "d", None, [broken], 0.1, False)]
    print_table(results, standing_in(Gradebook(tmp_path / "b")))
    assert "a.ipynb, masked_softmax: is not a readable notebook" in capsys.readouterr().out


def test_a_wrong_name_is_said_beside_another_frameworks_stub(tmp_path, capsys):
    stub = verdict(framework="mxnet", outcome="missing", message=NOT_WRITTEN, kind=Kind.NOT_WRITTEN)
    other = verdict(outcome="missing", message="a.ipynb defines maskedSoftmax.")
    print_table(
        [SubmissionResult("a.ipynb", "d", None, [stub, other], 0.1, False)],
        standing_in(Gradebook(tmp_path / "b")),
    )
    output = capsys.readouterr().out
    assert "defines maskedSoftmax" in output and NOT_WRITTEN not in output
