"""What a submission's source is found to hold."""

import ast
import json

import pytest

from autograder.marks.standing import best
from autograder.model.catalogue import all_exercises
from autograder.read.submission import read_bytes
from autograder.read.syntax import bound_names
from tests import support

BROKEN = "def masked_softmax(X, valid_length):\n    return X.softmax(dim=-1\n"


def test_what_is_not_python_is_an_error_with_its_line(zygote):
    support.need("mxnet")
    exercise = all_exercises()["masked_softmax"]
    (verdict,) = support.graded(
        zygote, f"import torch\n\n{BROKEN}", "Ann (Moodle 7)/a.py", list(all_exercises().values())
    )
    assert (verdict.exercise, verdict.framework, verdict.outcome) == ("masked_softmax", "torch", "error")
    assert "SyntaxError in line 4 of the file: '(' was never closed" in verdict.message

    tagged = {"cell_type": "code", "metadata": {"tags": ["framework-mxnet"]}, "source": BROKEN, "outputs": []}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [tagged]}
    (verdict,) = support.graded(zygote, json.dumps(notebook), "a.ipynb", [exercise])
    assert (verdict.framework, verdict.outcome) == ("mxnet", "error")
    assert "line 2 of cell 1" in verdict.message


STUB = "def masked_softmax(X, valid_length):\n    raise NotImplementedError\n"
PLAIN = "def masked_softmax(X, valid_length):\n    return X / X.sum(-1, keepdims=True)\n"
IMPORTS = ("import torch\nfrom mxnet import nd\nfrom course.display import figures\n", [])


def notebook(*cells):
    """A notebook of these sources, each with its tags. The first cell is the chapter's."""
    notebook_cells = [
        {"cell_type": "code", "metadata": {"tags": tags}, "source": source, "outputs": []}
        for source, tags in cells
    ]
    notebook_cells[0]["metadata"]["course"] = {"given": True}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": notebook_cells})


def exercise_cell(source, framework):
    return source, [f"framework-{framework}", "exercise:masked_softmax"]


def test_an_answer_in_a_cell_of_ones_own_counts_beside_the_other_frameworks_stub(zygote):
    """The copy's PyTorch cell is gone, and with it the tag."""
    support.need("mxnet")
    text = notebook(IMPORTS, exercise_cell(STUB, "mxnet"), (support.RIGHT, []))
    verdicts = support.graded(zygote, text, "a.ipynb", [all_exercises()["masked_softmax"]])
    assert [(v.framework, v.outcome) for v in verdicts] == [("mxnet", "missing"), ("torch", "accepted")]
    for answer, stub in ((PLAIN, "mxnet"), (PLAIN, "torch")):
        submission = read_bytes(
            notebook(IMPORTS, exercise_cell(STUB, stub), (answer, [])).encode(), "a.ipynb"
        )
        assert submission.frameworks("masked_softmax") == ["mxnet", "torch"]
    submission = read_bytes(notebook(IMPORTS, exercise_cell(STUB, "mxnet"), (STUB, [])).encode(), "a.ipynb")
    assert submission.frameworks("masked_softmax") == ["mxnet"]


def test_a_cell_that_defines_another_name_is_told_so(zygote):
    """And not that the other framework's stub is not written yet, nor what the chapter's own cell cannot import."""
    wrong = support.RIGHT.replace("masked_softmax", "maskedSoftmax")
    text = notebook(
        IMPORTS, exercise_cell(STUB, "mxnet"), exercise_cell(wrong, "torch"), ("masked_softmax(1, None)", [])
    )
    verdicts = support.graded(zygote, text, "a.ipynb", [all_exercises()["masked_softmax"]])
    verdict = best(verdicts)["masked_softmax"]
    assert (verdict.framework, verdict.outcome) == ("torch", "missing")
    assert (
        verdict.message
        == "The notebook defines no function named masked_softmax; its cell defines maskedSoftmax."
    )


@pytest.mark.parametrize(("module", "framework"), [("torch", "torch"), ("nd", "mxnet")])
def test_a_file_that_forgets_its_import_is_known_by_what_it_uses(module, framework):
    source = f"import numpy as np\ndef masked_softmax(X, valid_length):\n    return {module}.softmax(X)\n"
    submission = read_bytes(
        f"{source}\ndef scaled_scores(queries, keys):\n    return queries\n".encode(), "a.py"
    )
    assert submission.frameworks("masked_softmax") == submission.frameworks("scaled_scores") == [framework]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("del a", ""),
        ("a[b] = 1", ""),
        ("a.b = 1", ""),
        ("a, *b = 1, 2", "a b"),
        ("a = (b := 1)", "a b"),
        ("if (a := 1): b = 2", "a b"),
        ("a = [(b := c) for c in d]", "a b"),
        ("a = lambda b: (c := b)", "a"),
        ("with open(a) as b, c as (d, e): f = 1", "b d e f"),
        ("try:\n a = 1\nexcept ValueError as b:\n c = 1\nelse:\n d = 1\nfinally:\n e = 1", "a c d e"),
        ("match a:\n case [b, *c]: d = 1\n case {'k': e, **f}: pass\n case str() as g: pass\n case _: pass", "b c d e f g"),
        ("for a, b in c: d = 1", "a b d"),
        ("import a.b, c.d as e", "a e"),
        ("import solutions.a.in_torch as b", ""),
        ("class A:\n b = 1", "A"),
    ],
)  # fmt: skip
def test_the_names_that_a_statement_binds(source, names):
    (statement,) = ast.parse(source).body
    assert bound_names(statement) == {*names.split()}
