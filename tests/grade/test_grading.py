"""Outcomes and their sentences; one submission's failure is nobody else's."""

import inspect
import json
from pathlib import Path

import pytest

from autograder.checking.whole_file import check_file
from autograder.model.assignment import TimeLimits
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from tests import support
from tests.support import RIGHT, autograder, need, slow_ones


@pytest.fixture
def graded(zygote):
    """Grades a source as masked_softmax and gives the verdict."""

    def run(source, framework="torch", name="answer.py", time_limits=support.QUICK):
        need(framework)
        exercises = [all_exercises()["masked_softmax"]]
        (verdict,) = support.graded(zygote, source, name, exercises, framework, time_limits)
        return verdict

    return run


HONEST = {
    "a fill of -1e6": RIGHT,
    "a fill of minus infinity": RIGHT.replace("-1e6", "-torch.inf"),
    "a fill of -1e9 in place of a copy": RIGHT.replace(
        "torch.where(mask, X, -1e6)", "X.clone().masked_fill_(~mask, -1e9)"
    ),
    "loops": """
import torch
def masked_softmax(X, valid_length):
    rows = []
    for b in range(X.shape[0]):
        for q in range(X.shape[1]):
            n = X.shape[2] if valid_length is None else int(valid_length[b] if valid_length.ndim == 1 else valid_length[b, q])
            row = torch.softmax(X[b, q, :n], dim=0)
            rows.append(torch.cat([row, torch.zeros(X.shape[2] - n)]))
    return torch.stack(rows).reshape(X.shape)
""",
    "log space": RIGHT.replace(
        "torch.softmax(torch.where(mask, X, -1e6), dim=-1)",
        "torch.exp(torch.log_softmax(torch.where(mask, X, -torch.inf), dim=-1))",
    ),
    "exponentials and a sum": RIGHT.replace(
        "    return torch.softmax(torch.where(mask, X, -1e6), dim=-1)",
        "    X = torch.where(mask, X, -torch.inf)\n"
        "    e = torch.exp(X - X.max(dim=-1, keepdim=True).values)\n    return e / e.sum(dim=-1, keepdim=True)",
    ),
    "an instance of a class": RIGHT.replace("def masked_softmax(X", "def run(X")
    + """
class MaskedSoftmax:
    def __call__(self, X, valid_length):
        return run(X, valid_length)
masked_softmax = MaskedSoftmax()
""",
    "a module": RIGHT.replace("def masked_softmax(X", "def run(X")
    + """
class MaskedSoftmax(torch.nn.Module):
    def forward(self, X, valid_length):
        return run(X, valid_length)
masked_softmax = MaskedSoftmax()
""",
    "functools.partial": RIGHT.replace("def masked_softmax(X", "def run(fill, X").replace("-1e6", "fill")
    + "import functools\nmasked_softmax = functools.partial(run, -1e6)\n",
    "a closure": RIGHT.replace("def masked_softmax(X", "def run(X")
    + "def make():\n    inner = run\n    return lambda X, valid_length: inner(X, valid_length)\nmasked_softmax = make()\n",
    "custom autograd": RIGHT.replace("def masked_softmax(X", "def forward(X")
    + """
class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, X, valid_length):
        weights = globals()["forward"](X, valid_length)
        ctx.save_for_backward(weights)
        return weights
    @staticmethod
    def backward(ctx, gradient):
        (weights,) = ctx.saved_tensors
        return weights * (gradient - (gradient * weights).sum(-1, keepdim=True)), None
masked_softmax = Softmax.apply
""",
    "double precision": RIGHT.replace("torch.softmax(X,", "torch.softmax(X.double(),").replace(
        "torch.where(mask, X, -1e6)", "torch.where(mask, X.double(), -1e6)"
    ),
    "a warning and much printing": RIGHT.replace(
        "    if valid_length is None:",
        "    import sys, warnings\n    warnings.warn('careful')\n    print('x' * 100000)\n"
        "    print('note', file=sys.stderr)\n    if valid_length is None:",
        1,
    ),
    "another cell fails": "1 / 0\n" + RIGHT + "\nundefined_name\n",
    "annotations and defaults": RIGHT.replace(
        "def masked_softmax(X, valid_length):",
        "def masked_softmax(X: torch.Tensor, valid_length: torch.Tensor | None = None, *, fill: float = -1e6):",
    ),
    "guarded by __main__": RIGHT + "\nif __name__ == '__main__':\n    raise SystemExit('never')\n",
    "source that is inspected": RIGHT
    + "\nimport inspect\nassert 'softmax' in inspect.getsource(masked_softmax)\n",
}
HONEST_MXNET = {
    "nd arrays": """
from mxnet import nd
def masked_softmax(X, valid_length):
    if valid_length is None:
        return nd.softmax(X)
    shape = X.shape
    if valid_length.ndim == 1:
        valid_length = valid_length.repeat(shape[1], axis=0)
    else:
        valid_length = valid_length.reshape((-1,))
    X = nd.SequenceMask(X.reshape((-1, shape[-1])), valid_length, True, axis=1, value=-1e6)
    return nd.softmax(X).reshape(shape)
""",
    "np arrays": """
from mxnet import np, npx
npx.set_np()
def masked_softmax(X, valid_length):
    if valid_length is None:
        return npx.softmax(X)
    if valid_length.ndim == 1:
        valid_length = np.expand_dims(valid_length, 1)
    mask = np.arange(X.shape[-1]) < np.expand_dims(valid_length, -1)
    return npx.softmax(np.where(mask, X, -1e6), axis=-1)
""",
    "a built-in length": """
from mxnet import nd
def masked_softmax(X, valid_length):
    if valid_length is None:
        return nd.softmax(X)
    if valid_length.ndim == 1:
        valid_length = nd.broadcast_axis(valid_length.expand_dims(1), axis=1, size=X.shape[1])
    return nd.softmax(X, valid_length.astype('int32'), use_length=True)
""",
    "loops": """
from mxnet import nd
def masked_softmax(X, valid_length):
    rows = []
    for b in range(X.shape[0]):
        for q in range(X.shape[1]):
            n = X.shape[2]
            if valid_length is not None:
                n = int((valid_length[b] if valid_length.ndim == 1 else valid_length[b, q]).asscalar())
            row = nd.softmax(X[b, q, :n], axis=0)
            rows.append(row if n == X.shape[2] else nd.concat(row, nd.zeros((X.shape[2] - n,)), dim=0))
    return nd.stack(*rows).reshape(X.shape)
""",
    "a block": """
from mxnet import nd, gluon
class MaskedSoftmax(gluon.nn.Block):
    def forward(self, X, valid_length):
        if valid_length is None:
            return X.softmax()
        if valid_length.ndim == 1:
            valid_length = valid_length.expand_dims(1)
        mask = nd.broadcast_lesser(nd.arange(X.shape[2]).reshape((1, 1, -1)), valid_length.expand_dims(2))
        return (nd.broadcast_like(mask, X) * X + nd.broadcast_like(1 - mask, X) * -1e6).softmax()
masked_softmax = MaskedSoftmax()
""",
}


@pytest.mark.parametrize("way", HONEST)
def test_every_honest_way_is_accepted_in_pytorch(graded, way):
    verdict = graded(HONEST[way])
    assert verdict.outcome == "accepted", verdict


NUMPY_STYLE = """
from mxnet import gluon, np, npx
from mxnet.gluon import nn

npx.set_np()

class AdditiveAttention(nn.Block):
    def __init__(self, units, dropout, **kwargs):
        super().__init__(**kwargs)
        self.W_q = nn.Dense(units, use_bias=False, flatten=False)
        self.W_k = nn.Dense(units, use_bias=False, flatten=False)
        self.w_v = nn.Dense(1, use_bias=False, flatten=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length):
        hidden = np.expand_dims(self.W_q(queries), 2) + np.expand_dims(self.W_k(keys), 1)
        scores = np.squeeze(self.w_v(np.tanh(hidden)), -1)
        if valid_length is not None:
            lengths = valid_length.reshape(valid_length.shape + (1,) * (3 - valid_length.ndim))
            scores = np.where(np.arange(scores.shape[-1]) < lengths, scores, -1e6)
        self.attention_weights = npx.softmax(scores)
        return npx.batch_dot(self.dropout(self.attention_weights), values)
"""


def test_a_class_of_layers_in_mxnets_numpy_style_is_accepted(zygote):
    need("mxnet")
    exercise = all_exercises()["additive_attention"]
    (verdict,) = support.graded(zygote, NUMPY_STYLE, "a.py", [exercise])
    assert verdict.outcome == "accepted", verdict


@pytest.mark.parametrize("way", HONEST_MXNET)
def test_every_honest_way_is_accepted_in_mxnet(graded, way):
    verdict = graded(HONEST_MXNET[way], "mxnet")
    assert verdict.outcome == "accepted", verdict


BAD = {
    "an endless loop": ("def masked_softmax(X, valid_length):\n    while True: pass\n", "timeout", "loop"),
    "an endless loop while it is read": ("while True: pass\n", "missing", "Line 1 of the file took too long"),
    "a long sleep": (
        "import time\ndef masked_softmax(X, valid_length):\n    time.sleep(1000)\n", "timeout", "in time"
    ),
    "leaving with success": (
        "import os\ndef masked_softmax(X, valid_length):\n    os._exit(0)\n", "error", "status 0"
    ),
    "leaving while it is read": ("import os\nos._exit(0)\n", "missing", "Line 2 of the file ended the process"),
    "a crash": ("import os\ndef masked_softmax(X, valid_length):\n    os.abort()\n", "error", "signal 6"),
    "sys.exit": (
        "import sys\ndef masked_softmax(X, valid_length):\n    sys.exit(0)\n", "error", "SystemExit"
    ),
    "too much memory": (
        "def masked_softmax(X, valid_length):\n    return bytearray(1 << 40)\n", "error", "MemoryError"
    ),
    "no such function": ("def masked_sofmax(X, valid_length):\n    return X\n", "missing", "defines no function"),
    "an empty file": ("", "missing", "defines no function"),
    "a stub": ("def masked_softmax(X, valid_length):\n    raise NotImplementedError\n", "missing", "Not written yet"),
    "a stub within": (
        "def masked_softmax(X, valid_length):\n"
        "    def weights():\n        raise NotImplementedError\n    return weights()\n",
        "missing", "Not written yet",
    ),
    "a helper that is a stub": (
        "def weights(X):\n    raise NotImplementedError\n\n\n"
        "def masked_softmax(X, valid_length):\n    return weights(X)\n",
        "error", "It calls weights, which is not written yet (line 2 of",
    ),
    "a helper class that is a stub": (
        "class Weights:\n    def forward(self, X):\n        raise NotImplementedError\n\n\n"
        "def masked_softmax(X, valid_length):\n    return Weights().forward(X)\n",
        "error", "It calls Weights, which is not written yet (line 3 of",
    ),
    "a shape that broadcasts": (
        "def masked_softmax(X, valid_length):\n    return X.softmax(-1)[:1, :1]\n", "rejected", "shape"
    ),
    "an exception": (
        "def masked_softmax(X, valid_length):\n    y = X + 1\n    return y.no_such\n", "error", "line 3"
    ),
    "a syntax error": ("def masked_softmax(X, valid_length:\n    return X\n", "error", "SyntaxError"),
    "inputs changed": (
        "def masked_softmax(X, valid_length):\n    X *= 2\n    return X.softmax(-1)\n", "rejected", "in place"
    ),
    "no gradient": (RIGHT.replace("torch.softmax(X", "torch.softmax(X.detach()"), "rejected", "gradient"),
    "the input as it came": ("def masked_softmax(X, valid_length):\n    return X\n", "rejected", ""),
}  # fmt: skip


@pytest.mark.parametrize("kind", slow_ones(BAD, "endless"))
def test_each_failure_has_its_outcome_and_a_clear_sentence(graded, kind):
    source, outcome, words = BAD[kind]
    never = TimeLimits(source_seconds=3, call_seconds=2, seconds=15)
    verdict = graded(source, time_limits=never if outcome == "timeout" else support.QUICK)
    assert verdict.outcome == outcome, verdict
    assert words in verdict.message
    assert "Traceback" not in verdict.message
    assert verdict.points == 0
    assert graded(RIGHT, name="next.py").outcome == "accepted"


def test_bytes_sent_before_they_were_asked_for_are_tampering(graded):
    verdict = graded(
        "import os, time\ndef masked_softmax(X, valid_length):\n"
        "    for fd in range(3, 64):\n"
        "        try: os.write(fd, b'ASBS' * 100)\n"
        "        except OSError: pass\n"
        "    return X.softmax(-1)\n"
    )
    assert verdict.outcome == "tampering", verdict


def test_the_worker_holds_no_exercise_and_no_reference(graded):
    verdict = graded(
        "import sys\n"
        "HELD = ('exercises', 'solutions.', 'autograder.judge', 'autograder.model', 'autograder.marks')\n"
        "held = [n for n in sys.modules if n.startswith(HELD)]\n"
        "secrets = sorted(__import__('os').environ)\n"
        "def masked_softmax(X, valid_length):\n    raise ValueError(f'{held} {secrets}')\n"
    )
    assert "[] []" in verdict.message


def test_inputs_differ_between_submissions_and_repeat_for_the_same_bytes(zygote):
    words = "def masked_softmax(X, valid_length):\n    raise ValueError(X.sum().item())\n"
    exercise = all_exercises()["masked_softmax"]

    def inputs(text, key=b"course"):
        (verdict,) = support.graded(zygote, text, "a.py", [exercise], "torch", key=key)
        return verdict.message

    assert inputs(words) == inputs(words)
    assert inputs(words) != inputs(words + "# another")
    assert inputs(words) != inputs(words, key=b"another course")


def test_a_solution_is_not_provided_before_every_answer_to_its_topic_is_judged(zygote):
    """What one exercise may import is another's answer, in the same submission and worker."""
    need("mxnet")
    names = ("dot_product_attention", "masked_softmax")
    right = Path(support.solution("dot_product", "torch").__file__).read_text()
    borrowed = """
import sys
from mxnet import nd

def masked_softmax(X, valid_length):
    for name in [n for n in sys.modules if n.startswith("solutions.masked_softmax.in_")]:
        return sys.modules[name].masked_softmax(X, valid_length)
    return nd.softmax(X)
"""
    cells = [(right, "framework-torch"), (borrowed, "framework-mxnet")]
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {"cell_type": "code", "metadata": {"tags": [tag]}, "source": text, "outputs": []}
            for text, tag in cells
        ],
    }
    exercises = [all_exercises()[name] for name in names]
    verdicts = support.graded(zygote, json.dumps(notebook), "work.ipynb", exercises)
    outcomes = {(v.exercise, v.framework): v.outcome for v in verdicts}
    assert outcomes == {
        ("dot_product_attention", "torch"): "accepted",
        ("masked_softmax", "mxnet"): "rejected",
    }


def test_a_forbidden_name_is_flagged_for_the_teacher_and_costs_nothing(zygote):
    exercise = all_exercises()["dot_product_attention"]
    right = Path(support.solution("dot_product", "torch").__file__).read_text()
    mentioned = right + "\n\nother = getattr(torch.nn.functional, 'scaled_dot_product_attention')\n"
    (plain,) = support.graded(zygote, right, "a.py", [exercise], "torch")
    (flagged,) = support.graded(zygote, mentioned, "b.py", [exercise], "torch")
    assert plain.outcome == flagged.outcome == "accepted"
    assert plain.flag is None and flagged.flag == "its source names scaled_dot_product_attention, getattr"


def test_a_loop_where_none_is_asked_for_is_flagged_and_costs_nothing(zygote):
    exercise = all_exercises()["window_weights"]
    right = inspect.getsource(support.solution("global_local", "torch").window_weights)
    looped = f"import torch\n{right}".replace("    return", "    for _ in range(1): pass\n    return")
    (verdict,) = support.graded(zygote, looped, "a.py", [exercise], "torch")
    assert (verdict.outcome, verdict.flag) == ("accepted", "there is a loop in window_weights")


@pytest.mark.parametrize("framework", ["mxnet", "torch"])
def test_a_class_without_its_forward_is_not_written_yet(zygote, framework):
    need(framework)
    base = {
        "mxnet": "from mxnet import gluon as g\nB = g.nn.Block",
        "torch": "import torch\nB = torch.nn.Module",
    }
    source = f"{base[framework]}\nclass DotProductAttention(B):\n    def __init__(self, dropout):\n        super().__init__()\n"
    exercise = all_exercises()["dot_product_attention"]
    (verdict,) = support.graded(zygote, source, "a.py", [exercise], framework)
    assert (verdict.outcome, verdict.message[:15]) == ("missing", "Not written yet")


def test_answers_that_name_no_framework_are_tried_in_each(zygote):
    """Shapes and counts need none; cells lose their tags when they are copied or exported."""
    need("mxnet")
    plain = (ROOT / "solutions" / "multi_head" / "common.py").read_text()
    exercises = [all_exercises()[name] for name in ("head_sizes", "split_heads")]
    verdicts = support.graded(zygote, plain, "plain.py", exercises)
    assert [(v.exercise, v.outcome) for v in verdicts] == [(e.name, "accepted") for e in exercises], verdicts
    only_torch = "def masked_softmax(X, valid_length):\n    return X.softmax(dim=-1)\n"
    (verdict,) = support.graded(zygote, only_torch, "a.py", list(all_exercises().values()))
    assert verdict.exercise == "masked_softmax" and verdict.outcome in ("rejected", "error"), verdict
    (missing,) = support.graded(zygote, "x = 1\n", "a.py", [all_exercises()["masked_softmax"]])
    assert (missing.outcome, missing.message) == (
        "missing",
        "The file defines no function named masked_softmax.",
    )


HELPERS = {"wrong": "X.softmax(dim=-1) / 2", "in error": "X.no_such()"}


@pytest.mark.parametrize("kind", HELPERS)
def test_a_helper_that_is_wrong_costs_its_own_points_alone(zygote, kind):
    right = Path(support.solution("dot_product", "torch").__file__).read_text()
    borrowed = "from solutions.masked_softmax.in_torch import masked_softmax\n"
    assert right.count(borrowed) == 1
    definition = f"def masked_softmax(X, valid_length):\n    return {HELPERS[kind]}\n"
    exercises = [all_exercises()[name] for name in ("masked_softmax", "dot_product_attention")]
    verdicts = support.graded(zygote, right.replace(borrowed, definition), "a.py", exercises, "torch")
    helper, built = sorted(verdicts, key=lambda v: v.exercise, reverse=True)
    assert helper.outcome in ("rejected", "error") and built.outcome == "accepted", verdicts
    assert built.points == built.max_points
    assert built.message.endswith("(The reference stood in for masked_softmax.)")


WRONG_SCORES = """import torch

def scaled_scores(queries, keys):
    return queries @ keys.transpose(1, 2) / queries.shape[-1]

def context(queries, keys, values, weights):
    return torch.bmm(weights, values)

def softmax(X, valid_length):
    return X.softmax(dim=-1)

masked_softmax = softmax

class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        weights = weighed(queries, keys, valid_length)
        self.attention_weights = weights
        return torch.bmm(self.dropout(weights), values)

def weighed(queries, keys, valid_length):
    return masked_softmax(scaled_scores(queries, keys), valid_length)
"""


def test_a_wrong_answer_names_the_wrong_answers_that_it_uses(zygote, tmp_path):
    """Else a teacher counts one mistake twice; what is right, or not asked for, is not named."""
    names = ["masked_softmax", "scaled_scores", "dot_product_attention"]
    sentence = " It uses masked_softmax and scaled_scores, which are not accepted either."
    verdicts = support.graded(zygote, WRONG_SCORES, "a.py", [all_exercises()[name] for name in names])
    assert [v.outcome for v in verdicts] == ["rejected"] * 3
    assert [v.message.endswith(sentence) for v in verdicts] == [False, False, True], verdicts
    assert not any("either" in v.message for v in verdicts[:2])
    (tmp_path / "a.py").write_text(WRONG_SCORES)
    checked = check_file(tmp_path / "a.py", [all_exercises()[name] for name in names], None, by_name=True)
    assert [v.message.endswith(sentence) for v in checked] == [False, False, True], checked
    right = WRONG_SCORES.replace("/ queries.shape[-1]", "/ queries.shape[-1] ** 0.5")
    verdicts = support.graded(zygote, right, "a.py", [all_exercises()[name] for name in names])
    assert [v.outcome for v in verdicts] == ["rejected", "accepted", "accepted"], verdicts


IN_JAX = """import jax

def masked_softmax(X, valid_length):
    return jax.nn.softmax(X)
"""


@pytest.mark.parametrize("package", ["jax", "tensorflow", "keras"])
def test_an_answer_in_no_framework_of_the_course_is_told_so(tmp_path, package):
    """Nothing names a framework that is graded, so it is tried in each: that it stops there says too little."""
    (tmp_path / "a.py").write_text(IN_JAX.replace("jax", package))
    words = f"masked_softmax uses {package}, and answers are graded in MXNet or PyTorch alone: write it in one of them."
    for command in "grade", "check":
        done = autograder(command, tmp_path / "a.py")
        assert words in " ".join((done.stdout + done.stderr).split()), done
