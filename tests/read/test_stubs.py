"""Untouched stubs: they are told apart without a worker, and only where nothing else may define the name."""

import json

import pytest

from autograder.checking import whole_file
from autograder.copies.start import learners_copy
from autograder.grade.one_submission import Grader
from autograder.model.catalogue import all_exercises
from autograder.model.paths import BOOK
from autograder.read.definitions import Definitions
from autograder.read.submission import read_bytes
from tests import support
from tests.read.test_forms import handed_in

STUB = "import torch\ndef masked_softmax(X, valid_length):\n    '''Text.'''\n    raise NotImplementedError\n"
CLASS = (
    "import torch\nclass masked_softmax(torch.nn.Module):\n    def __init__(self):\n"
    "        super().__init__()\n        raise NotImplementedError\n"
    "    def forward(self, X):\n        raise NotImplementedError('later')\n"
)
NOT_SURE = {
    "another definition": STUB + "masked_softmax = torch.softmax\n",
    "its code replaced": STUB + "masked_softmax.__code__ = torch.softmax.__code__\n",
    "set by its name": STUB + "setattr(torch, 'x', 1)\n",
    "defined by exec": STUB + "exec('def ' + 'masked_' + 'softmax(X): return X')\n",
    "imported by a star": STUB + "from torch import *\n",
    "decorated": STUB.replace("def ", "@torch.compile\ndef "),
    "another error of that name": "NotImplementedError = ValueError\n" + STUB,
    "an error of its own": STUB.replace("raise NotImplementedError", "raise torch.NotImplementedError"),
    "some code": STUB.replace("    raise", "    X = X + 1\n    raise"),
    "a class that inherits its constructor": CLASS.replace("__init__(self)", "helper(self)"),
    "a class with a method": CLASS + "    def forward(self, X):\n        return X\n",
    "not Python": STUB + "x = (\n",
    "indented as only the parser understands": STUB + "if 1:\n    x = 1\n \\\n\\\n\ny = 2\n",
    "bound inside an expression": STUB + "x = (masked_softmax := torch.softmax)\n",
    "bound inside a function": STUB
    + "def f():\n    global masked_softmax\n    masked_softmax = torch.softmax\nf()\n",
    "bound by a with": STUB + "with torch.no_grad() as masked_softmax: pass\n",
    "bound by a pattern": STUB + "match torch.softmax:\n    case masked_softmax: pass\n",
    "bound in a cell that says it is given": [STUB, "masked_softmax = torch.softmax"],
    "a method put in, at the beginning of a cell": [CLASS, "masked_softmax.forward = lambda self, X: X"],
    "handed to a function that may change it": [
        CLASS,
        "def add(c):\n    c.forward = torch.relu\nadd(masked_softmax)",
    ],
    "a method put in by a decorator": [CLASS, "@add_to(masked_softmax)\ndef forward(self, X): return X"],
    "a class of its own": [CLASS, "class Mine(masked_softmax):\n    pass"],
}
USED = [
    STUB,
    "from autograder import check\ncheck(masked_softmax).mark()",
    "masked_softmax(torch.ones(2, 3), None)",
]


# The first letters of a name, and a quotation mark in a text, in full width.
WIDE = 'said = "\uff02"\n' + STUB.replace("masked", "\uff4d\uff41sked")


@pytest.mark.parametrize("source", [STUB, CLASS, WIDE], ids=["function", "class", "in full width"])
def test_an_untouched_stub_is_told_by_its_syntax(source):
    submission = read_bytes(source.encode(), "a.py")
    assert submission.definitions.is_not_written("masked_softmax", "torch")
    assert not submission.definitions.is_not_written("scaled_scores", "torch")


@pytest.mark.parametrize("source", NOT_SURE.values(), ids=NOT_SURE)
def test_what_something_else_may_define_is_run(source):
    name, text = handed_in(source)
    assert not read_bytes(text.encode(), name).definitions.is_not_written("masked_softmax", "torch")


def test_a_check_and_a_call_define_nothing():
    name, text = handed_in(USED)
    assert read_bytes(text.encode(), name).definitions.is_not_written("masked_softmax", "torch")


METADATA = {"course": {"given": True}}


def notebook(*cells):
    """A notebook of pairs of a source and its metadata."""
    code_cells = [{"cell_type": "code", "source": s, "metadata": m, "outputs": []} for s, m in cells]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": code_cells})


@pytest.mark.parametrize("tags", [[], ["framework-torch"]])
def test_an_answer_in_a_cell_of_the_chapter_is_the_learners(zygote, tags):
    """Whoever writes it there, or copies such a cell, has its metadata."""
    exercise = all_exercises()["masked_softmax"]
    stub, answer = (STUB, {"tags": tags}), (support.RIGHT, {**METADATA, "tags": tags})
    for cells in ([answer], [stub, answer], [answer, stub]):
        (verdict,) = support.graded(zygote, notebook(*cells), "a.ipynb", [exercise])
        assert verdict.outcome == "accepted", verdict


def test_what_the_chapters_show_is_no_answer():
    """Copies hold broken versions to mend, above the exercise, and stubs in a framework that is not graded."""
    for path in sorted((BOOK / "chapters").glob("*.ipynb")):
        copy = learners_copy(json.loads(path.read_text()))
        copy["cells"] = [c for c in copy["cells"] if c["metadata"].get("course") == METADATA["course"]]
        submission = read_bytes(json.dumps(copy).encode(), "a.ipynb")
        assert [e.name for e in all_exercises().values() if submission.definitions.of(e.entry)] == []


def test_a_stub_of_a_class_does_not_say_in_which_framework_the_answer_is():
    both = CLASS.replace("torch", "mxnet") + CLASS.replace("raise NotImplementedError", "self.x = 1")
    assert read_bytes(both.encode(), "a.py").frameworks("masked_softmax") == ["torch"]


def test_an_untouched_copy_is_judged_without_a_worker_and_as_with_one(zygote, monkeypatch):
    support.need("mxnet")
    copy = json.dumps(learners_copy(json.loads((BOOK / "chapters" / "multi_head.ipynb").read_text())))
    exercises = [e for e in all_exercises().values() if e.topic == "multi_head"]
    with monkeypatch.context() as patched:
        patched.setattr(Definitions, "is_not_written", lambda *_: False)
        expected = support.graded(zygote, copy, "a.ipynb", exercises)
    monkeypatch.setattr(Grader, "_worker", lambda self: pytest.fail("a worker was started"))
    verdicts = support.graded(zygote, copy, "a.ipynb", exercises)
    assert {v.outcome for v in verdicts} == {"missing"} and len(verdicts) >= len(exercises)
    assert verdicts == expected


def test_a_stub_is_not_written_where_its_framework_is_not_installed_either(zygote, monkeypatch, tmp_path):
    exercise = all_exercises()["masked_softmax"]
    in_mxnet = (STUB.replace("torch", "mxnet"), {"tags": ["framework-mxnet"]})
    in_torch = (STUB, {"tags": ["framework-torch"]})
    answer = ("def masked_softmax(X, valid_length):\n    return X", {"tags": ["framework-mxnet"]})

    def not_installed(name):
        raise ImportError(name)

    monkeypatch.setattr(zygote, "frameworks", ["torch"])
    monkeypatch.setattr(whole_file, "adapter_of", not_installed)
    for cells, expected in (([in_mxnet, in_torch], ["missing"] * 2), ([answer], ["error"])):
        text = notebook(*cells)
        (tmp_path / "a.ipynb").write_text(text)
        for verdicts in (
            support.graded(zygote, text, "a.ipynb", [exercise]),
            whole_file.check_file(tmp_path / "a.ipynb", [exercise], None, by_name=True),
        ):
            assert [v.outcome for v in verdicts] == expected, verdicts
            assert expected != ["error"] or "not installed on this machine" in verdicts[0].message
