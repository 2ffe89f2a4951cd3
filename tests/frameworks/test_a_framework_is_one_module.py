"""A framework is one module: everything knows a made-up one that only this folder holds."""

import json
import os
import subprocess
import sys

import pytest
from docutils import nodes
from side_by_side import describe_frameworks, framework_of, groups_in

from autograder import check, frameworks
from autograder.checking.answer_code import call_without_axis
from autograder.copies.start import learners_copy
from autograder.html.render import verdict_html
from autograder.marks.exports.plain import plain_json
from autograder.marks.gradebook import Gradebook
from autograder.model.paths import ROOT

ENVIRONMENT = {frameworks.VARIABLE: "tests.frameworks.toyframe"}
RIGHT = """import toyframe

def masked_softmax(X, valid_length):
    if valid_length is None:
        return toyframe.softmax(X)
    lengths = valid_length if valid_length.ndim == 2 else valid_length[:, None]
    mask = toyframe.arange(X.shape[2]) < lengths[..., None]
    return toyframe.softmax(toyframe.masked(X, mask))
"""
WRONG = RIGHT.replace("toyframe.masked(X, mask)", "X")


@pytest.fixture
def toy(monkeypatch):
    """The framework in the table, for one test."""
    monkeypatch.setenv(frameworks.VARIABLE, ENVIRONMENT[frameworks.VARIABLE])
    for table in (frameworks.frameworks, frameworks.framework_names):
        table.cache_clear()
    yield frameworks.frameworks()["toy"]
    monkeypatch.undo()
    for table in (frameworks.frameworks, frameworks.framework_names):
        table.cache_clear()


def define(source):
    namespace = {}
    exec(source, namespace)
    return namespace["masked_softmax"]


def command(*arguments):
    words = [sys.executable, "-m", "autograder", *arguments]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, env={**os.environ, **ENVIRONMENT})


def test_check_finds_it_by_what_the_code_uses(toy, capsys):
    verdict = check(define(RIGHT))
    assert (verdict.framework, verdict.outcome) == ("toy", "accepted"), verdict
    verdict = check(define(WRONG))
    assert (verdict.outcome, verdict.misconception) == ("rejected", "mask_ignored"), verdict
    assert "Toyframe" in verdict_html(verdict)


EXPLAINED = {
    "its own exception": ("X, mask)", "X, mask[:, 0])", "masked wants a mask with the axes of a toy array, and gets one of 2"),
    "its own name": ("import toyframe", "", "toyframe is not defined: import it, or run the cell that does"),
    "a method of no array": (
        "toyframe.masked(X, mask)", "X.spread()", "A toy array has no method or attribute spread"
    ),
    "another's method": (
        "toyframe.masked(X, mask)",
        "X.masked_fill(mask, 0)",
        "This is PyTorch code in the Toyframe cell: its arguments are toy arrays here",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", EXPLAINED)
def test_its_module_says_what_its_exceptions_mean(fault, toy, capsys):
    old, new, words = EXPLAINED[fault]
    verdict = check(define(RIGHT.replace(old, new)), "toy")
    assert verdict.outcome == "error" and words in verdict.message, verdict


def the_largest(X):
    return X.argmax()


def test_its_module_says_which_calls_take_the_whole_array_as_one_row(toy):
    assert "`X.argmax()` names no axis" in call_without_axis(the_largest, "toy")


def test_a_learners_copy_asks_for_an_answer_in_it(toy):
    def cell(source, *tags):
        return {"cell_type": "code", "metadata": {"tags": list(tags)}, "source": source, "outputs": []}

    solved = cell(RIGHT.split("\n\n")[1], "exercise:masked_softmax", "framework-toy")
    copied = learners_copy({"cells": [solved, cell("check(masked_softmax)", "framework-toy")]})
    answer, test = copied["cells"]
    assert (
        answer["source"] == "# Toyframe\ndef masked_softmax(X, valid_length):\n    raise NotImplementedError"
    )
    assert test["metadata"]["nbgrader"]["grade_id"] == "check-masked_softmax-toy"


@pytest.mark.slow
def test_grade_and_the_exports_know_it(tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "right.py").write_text(RIGHT)
    (folder / "wrong.py").write_text(WRONG)
    book = tmp_path / "book.sqlite"
    done = command("grade", str(folder), "--gradebook", str(book))
    assert done.returncode == 0, done.stderr
    opened = Gradebook(book)
    outcome_of = {r.submission: (r.verdict.framework, r.verdict.outcome) for r in opened.results()}
    assert outcome_of == {"right.py": ("toy", "accepted"), "wrong.py": ("toy", "rejected")}
    exported = {who["learner"]: who["results"] for who in json.loads(plain_json(opened).text)}
    opened.close()
    assert (
        exported["wrong"][0]["framework"] == "toy" and exported["wrong"][0]["misconception"] == "mask_ignored"
    )
    report = command("grade", str(folder / "right.py"), "--framework", "toy", "--json")
    outcomes = {v["exercise"]: v["outcome"] for v in json.loads(report.stdout)["exercises"]}
    assert outcomes["masked_softmax"] == "accepted" and set(outcomes.values()) == {"accepted", "missing"}
    assert "use mxnet, torch or toy" in " ".join(
        command("grade", str(folder), "--framework", "x").stderr.split()
    )


def test_the_book_shows_it_in_a_column_of_its_own(toy):
    def cell(framework):
        tags = {"tags": [f"framework-{framework}"]}
        return nodes.container(nb_element="cell_code", cell_metadata=tags)

    cells = [cell("mxnet"), cell("torch"), cell("toy")]
    (group,) = groups_in(cells)
    assert [framework_of(node) for node in group] == ["mxnet", "torch", "toy"]
    context = {}
    describe_frameworks(None, "page", "page.html", context, None)
    assert ".framework-toy{--framework:#123456}" in context["metatags"]
    assert 'content="torch mxnet keras numpy toy"' in context["metatags"]


def install(folder, module, entry):
    """A package as pip would have installed it, which names a framework's module."""
    (folder / f"{entry}-1.dist-info").mkdir()
    (folder / f"{entry}-1.dist-info" / "METADATA").write_text(f"Name: {entry}\nVersion: 1\n")
    points = f"[{frameworks.GROUP}]\n{entry} = {module}\n"
    (folder / f"{entry}-1.dist-info" / "entry_points.txt").write_text(points)


def frameworks_in(folder):
    """What `attention grade` says of an unknown framework, where what lies in a folder is installed."""
    words = [sys.executable, "-m", "autograder", "grade", str(folder), "--framework", "x"]
    place = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, env=place)
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr
    return " ".join(done.stderr.split())


def test_an_installed_package_brings_one(tmp_path):
    install(tmp_path, "tests.frameworks.toyframe", "toy")
    assert "use mxnet, torch or toy" in frameworks_in(tmp_path)


UNUSABLE = {
    "import not_there": "cannot be imported, line 1 of other_arrays.py: ModuleNotFoundError",
    "FRAMEWORK = 3": "other_arrays must define FRAMEWORK, a Framework, but has 3.",
    "from autograder.frameworks.torch import FRAMEWORK": "must have a name of its own, but 'torch' is another's.",
}


@pytest.mark.parametrize("text", UNUSABLE)
def test_an_installed_one_that_cannot_be_used_is_told_in_a_sentence(text, tmp_path):
    (tmp_path / "other_arrays.py").write_text(text)
    install(tmp_path, "other_arrays", "other")
    assert UNUSABLE[text] in frameworks_in(tmp_path)
