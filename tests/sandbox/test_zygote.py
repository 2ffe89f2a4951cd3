"""What is ready in the process that forks workers, so that no worker has to make it."""

import ast
import json

import pytest

from autograder.copies.start import learners_copy
from autograder.frameworks import frameworks
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from autograder.read.submission import read_bytes
from tests.support import FRAMEWORKS, RIGHT, graded, need

# Packages that a worker may not read, and frameworks that are shown and not graded.
NOT_FOR_WORKERS = {"autograder", "course", "solutions"} | {
    package for f in frameworks().values() if f.adapter is None for package in f.packages
}


def imported(source):
    """The modules that a source imports, by their dotted names, at any depth."""
    modules = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module)
    return {name for name in modules if name.split(".")[0] not in NOT_FOR_WORKERS}


def imported_by_chapters():
    """What workers import of the notebooks that learners hand in."""
    modules = set()
    for chapter in (ROOT / "chapters").glob("*.ipynb"):
        copied = read_bytes(json.dumps(learners_copy(json.loads(chapter.read_text()))).encode(), chapter.name)
        for framework in FRAMEWORKS:
            modules |= {name for _, source in copied.sources(framework) for name in imported(source)}
    return modules


def test_what_the_chapters_import_is_imported_before_the_fork(zygote):
    need("mxnet")
    modules = sorted(imported_by_chapters())
    assert {"numpy", "matplotlib.pyplot"} <= set(modules)
    source = (
        "import sys\ndef masked_softmax(X, valid_length):\n"
        f"    raise ValueError('not there: ' + str([n for n in {modules} if n not in sys.modules]))\n"
    )
    (verdict,) = graded(zygote, source, "imports.py", [all_exercises()["masked_softmax"]], "torch")
    assert "not there: []" in verdict.message


def test_a_worker_can_draw_a_figure(zygote):
    pytest.importorskip("matplotlib")
    figure_code = (
        "import matplotlib.pyplot as plt\nfigure, axes = plt.subplots()\naxes.imshow([[1, 2]])\n"
        "axes.set_title('weights')\nplt.show()\nplt.gcf().canvas.draw()\ndrawn = True\n"
    )
    source = figure_code + RIGHT.replace("    if valid", "    assert drawn\n    if valid", 1)
    (verdict,) = graded(zygote, source, "figure.py", [all_exercises()["masked_softmax"]], "torch")
    assert verdict.outcome == "accepted", verdict
