"""Copies for one framework: what is left out, and that the rest runs from any folder, without the other."""

import ast
import json
import os

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.frameworks import graded
from autograder.learner.contents import chapters, file_of, framework_of, notebook_of, source
from autograder.learner.copies import CLAIMS, learners_copy, start, tags
from autograder.learner.one_framework import bound, for_framework, needed
from course.paths import ROOT
from tests.support import autograder, need

each_framework = pytest.mark.parametrize("framework", graded())
NOTE = "is left out of this copy"
# The cells that a copy for one framework does not have: they compare both, or tell of a fault of MXNet.
LEFT_OUT = {
    "torch": {"soft_hard": 2, "transformer": 3, "translation": 6, "explanation": 2, "efficient": 4},
    "mxnet": {"soft_hard": 2, "transformer": 2, "translation": 3, "sentiment": 1, "explanation": 2, "efficient": 4},
}  # fmt: skip


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("x = y + 1", {"y"}),
        ("y = 1\nx = y", set()),
        ("x = x + 1", {"x"}),
        ("x += 1", {"x"}),
        ("def f(a):\n    return a + b", {"b"}),
        ("def f(n):\n    return f(n - 1)", set()),
        ("for i in items:\n    total = i", {"items"}),
        ("print([i * k for i in items])", {"print", "items", "k"}),
        ("class A(B):\n    x = 1\n    def f(self):\n        return c", {"B", "c"}),
        ("import numpy as np\nnp.zeros(n)", {"n"}),
    ],
)
def test_what_a_cell_needs(code, wanted):
    assert needed(ast.parse(code).body) == wanted


def test_what_a_cell_binds():
    code = "import a.b, c as d\nfrom e import f\nx, (y, *z) = 1\nfor i in x: j = i\ndef g(k): m = k\nclass H: n = 1"
    assert bound(ast.parse(code).body) == {"a", "d", "f", "x", "y", "z", "i", "j", "g", "H"}


def sources(framework, *cells):
    """Sources of a notebook of these (tag or None, source), made for one framework."""
    made = [
        {"cell_type": "code", "id": str(n), "metadata": {"tags": [f"framework-{own}"] if own else []}, "source": text}
        for n, (own, text) in enumerate(cells)
    ]  # fmt: skip
    notebook = {"cells": made}
    for_framework(notebook, framework)
    return [source(cell) if cell["cell_type"] == "code" else NOTE for cell in notebook["cells"]]


def test_imports_of_the_other_are_taken_out():
    given = (
        "import numpy as np\nfrom course.frameworks import mx, torch\nfrom mxnet import (\n    nd,\n)\nx = 1"
    )
    left = "import numpy as np\nfrom course.frameworks import torch\nx = 1"
    assert sources("torch", (None, given)) == [left]
    assert sources("mxnet", (None, given)) == [given]
    reference = "from solutions.pooling.in_mxnet import f\nfrom solutions.pooling import in_mxnet, in_numpy"
    assert sources("torch", (None, reference)) == ["from solutions.pooling import in_numpy"]


def test_what_needs_both_is_left_out_and_what_twins_share_is_not():
    cells = (
        ("mxnet", "x = 1\na = 1"),
        ("torch", "x = 2\nb = 2"),
        (None, "print(x)"),
        (None, "both = a == b"),
        (None, "print(both)"),
        (None, "both = x\nprint(both)"),
    )
    kept = ["print(x)", NOTE, NOTE, "both = x\nprint(both)"]
    assert sources("torch", *cells) == ["x = 2\nb = 2", *kept]
    assert sources("mxnet", *cells) == ["x = 1\na = 1", *kept]


@each_framework
def test_a_copy_for_one_framework_leaves_out_only_what_compares(framework):
    left_out = {}
    for chapter in chapters():
        copied = learners_copy(notebook_of(chapter), framework=framework)["cells"]
        shown = [c for c in notebook_of(chapter)["cells"] if not tags(c, CLAIMS)]
        own = [c["id"] for c in shown if framework_of(c) == framework]
        assert [c["id"] for c in copied if framework_of(c) == framework] == own, chapter
        assert not any(framework_of(c) in set(graded()) - {framework} for c in copied)
        count = sum(NOTE in source(c) for c in copied)
        left_out |= {chapter: count} if count else {}
    assert left_out == LEFT_OUT[framework]


def test_a_copy_for_pytorch_never_imports_mxnet():
    for chapter in chapters():
        for cell in learners_copy(notebook_of(chapter), framework="torch")["cells"]:
            if cell["cell_type"] == "code":
                assert not any(
                    word in source(cell) for word in ("import mx", "from mxnet", "in_mxnet import")
                )


def run(path, chapter, elsewhere):
    """Run a copy with its exercises solved, from another folder; gives what went wrong, and the checks."""
    solved = {cell["id"]: source(cell) for cell in notebook_of(chapter)["cells"]}
    notebook = nbformat.read(path, 4)
    for cell in notebook.cells:
        if tags(cell, "exercise:"):
            cell.source = solved[cell.id]
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(elsewhere)}})
    client.execute()
    return [json.dumps(c.outputs) for c in notebook.cells if "points" in c.metadata.get("nbgrader", {})]


@pytest.mark.slow
@pytest.mark.parametrize(("framework", "chapter"), [(None, "masked_softmax"), ("torch", "masked_softmax")])
def test_a_copy_runs_from_any_folder_and_without_the_other(framework, chapter, tmp_path, monkeypatch):
    if framework is None:
        need("mxnet")
    else:  # MXNet cannot be imported
        (tmp_path / "mxnet.py").write_text("raise ImportError('there is no MXNet here')")
        monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{ROOT}")
    start(tmp_path / "learn", framework)
    (tmp_path / "elsewhere").mkdir()
    checks = run(tmp_path / "learn" / file_of(chapter), chapter, tmp_path / "elsewhere")
    assert checks and all("passed" in shown for shown in checks)


def test_stored_results_are_found_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (code,) = [source(c) for c in notebook_of("translation")["cells"] if "def stored(name)" in source(c)]
    namespace = {"json": json, "ROOT": ROOT}
    exec(code.partition("\n\n\n")[0], namespace)
    assert namespace["stored"]("scores")["rows"]


def test_start_asks_for_a_framework_that_there_is(tmp_path):
    done = autograder("start", tmp_path / "learn", "--framework", "jax")
    assert done.returncode == 2 and "use one of mxnet, torch, both" in " ".join(done.stderr.split())


def test_where_mxnet_is_missing_the_copies_are_for_pytorch(tmp_path, monkeypatch):
    from autograder.cli import learning

    monkeypatch.setattr(learning, "find_spec", lambda name: None if name == "mxnet" else object())
    learning.make_copies(tmp_path / "one")
    learning.make_copies(tmp_path / "asked", "both")
    one, both = ((tmp_path / folder / file_of("attention")).read_text() for folder in ("one", "asked"))
    assert "# MXNet" not in one and "# PyTorch" in one
    assert "# MXNet" in both and "# PyTorch" in both
