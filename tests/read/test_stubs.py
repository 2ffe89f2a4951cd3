"""Untouched stubs: they are told apart without a worker, and only where nothing else may define the name."""

import json

import pytest

from autograder.grade.one_submission import Grader
from autograder.learner.copies import learners_copy
from autograder.model.catalogue import all_exercises
from autograder.read.submission import Submission, read_bytes
from course.paths import BOOK
from tests import support

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
}


@pytest.mark.parametrize("source", [STUB, CLASS], ids=["function", "class"])
def test_an_untouched_stub_is_told_by_its_syntax(source):
    submission = read_bytes(source.encode(), "a.py")
    assert submission.is_not_written("masked_softmax", "torch")
    assert not submission.is_not_written("scaled_scores", "torch")


@pytest.mark.parametrize("source", NOT_SURE.values(), ids=NOT_SURE)
def test_what_something_else_may_define_is_run(source):
    assert not read_bytes(source.encode(), "a.py").is_not_written("masked_softmax", "torch")


def test_a_stub_of_a_class_does_not_say_in_which_framework_the_answer_is():
    both = CLASS.replace("torch", "mxnet") + CLASS.replace("raise NotImplementedError", "self.x = 1")
    assert read_bytes(both.encode(), "a.py").frameworks("masked_softmax") == ["torch"]


def test_an_untouched_copy_is_judged_without_a_worker_and_as_with_one(zygote, monkeypatch):
    copy = json.dumps(learners_copy(json.loads((BOOK / "chapters" / "multi_head.ipynb").read_text())))
    exercises = [e for e in all_exercises().values() if e.topic == "multi_head"]
    with monkeypatch.context() as patched:
        patched.setattr(Submission, "is_not_written", lambda *_: False)
        expected = support.graded(zygote, copy, "a.ipynb", exercises)
    monkeypatch.setattr(Grader, "_worker", lambda self: pytest.fail("a worker was started"))
    found = support.graded(zygote, copy, "a.ipynb", exercises)
    assert {v.outcome for v in found} == {"missing"} and len(found) >= len(exercises)
    assert found == expected
