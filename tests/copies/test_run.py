"""Copies for one framework and for both, run in real kernels: every answer right, and the learner's own code at work.

The quick chapters run always; `--all-copies` runs the others too, whose trainings take minutes.
"""

import ast
import json
import os
from collections import Counter

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell

from autograder.book.contents import chapters, file_of, notebook_of, source, tags
from autograder.copies.start import start
from autograder.frameworks import graded_frameworks
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from tests.support import need

pytestmark = pytest.mark.slow
SECONDS = 900  # for a cell, so that no training on a busy machine decides
BOTH = "both"
QUICK = {
    ("torch", "masked_softmax"),
    ("torch", "transformer"),
    ("mxnet", "multi_head"),
    # The second cell of each pair imports the name of the first anew, which the first answer uses.
    (BOTH, "normalisers"),
    (BOTH, "additive"),
}
# The answers that given cells of a chapter call again, and not the checks alone.
USED = {
    "masked_softmax": {"masked_softmax"},
    "soft_hard": {"soft_context", "reinforce_loss"},
    "multi_head": {"split_heads", "MultiHeadAttention"},
    "transformer": {"EncoderBlock", "DecoderBlock", "layer_norm"},
    "translation": {"beam_step", "query_weights"},
    "sentiment": {"hierarchical_attention"},
    "explanation": {"change_when_permuted"},
    "memory": {"location_addressing", "memory_hops", "copy_distribution"},
}


def checks_again(notebook):
    """Cells that check once more what stands first of each pair; a cell of the other framework has its name now."""
    first = [
        cell for cell in notebook.cells if is_check(cell) and f'"{graded_frameworks()[0]}"' in cell.source
    ]
    return [new_code_cell(cell.source) for cell in first]


def needs_all(framework, chapter):
    """A pair of parameters; the slow ones ask for `--all-copies`."""
    marks = [] if (framework, chapter) in QUICK else [pytest.mark.all_copies]
    return pytest.param(framework, chapter, marks=marks)


def copy_in(folder, framework, chapter, monkeypatch):
    """A learner's copy in a folder; a copy for one framework runs where the others cannot be imported."""
    names = graded_frameworks() if framework == BOTH else [framework]
    for name in names:
        need(name)
    blocked = folder / "blocked"
    blocked.mkdir()
    for name in set(graded_frameworks()) - set(names):
        (blocked / f"{name}.py").write_text(f"raise ImportError('there is no {name} here')")
    monkeypatch.setenv("PYTHONPATH", f"{blocked}{os.pathsep}{ROOT}")
    start(folder / "learn", None if framework == BOTH else framework)
    return nbformat.read(folder / "learn" / file_of(chapter), 4)


def run(notebook, folder):
    """Run a notebook to its end; an error in a cell is raised."""
    resources = {"metadata": {"path": str(folder / "learn")}}
    NotebookClient(notebook, timeout=SECONDS, resources=resources).execute()


def is_check(cell):
    return "points" in cell.metadata.get("nbgrader", {})


def traced(text, entry):
    """An answer that counts its calls: of the function, or of the layer's `forward`."""
    tree = ast.parse(text)
    (answer,) = [s for s in tree.body if getattr(s, "name", None) == entry]
    if isinstance(answer, ast.ClassDef):
        (answer,) = [s for s in answer.body if getattr(s, "name", None) == "forward"]
    answer.body.insert(0, ast.parse(f"CALLS[{entry!r}] += 1").body[0])
    return ast.unparse(tree)


def solve(notebook, chapter):
    """Fill in the answers, and note in USED what is called outside of answers and checks."""
    solutions = {cell["id"]: source(cell) for cell in notebook_of(chapter)["cells"]}
    first = new_code_cell("from collections import Counter\nCALLS, USED = Counter(), Counter()")
    cells = [first]
    for cell in notebook.cells:
        names = tags(cell, "exercise:")
        if names:
            entry = all_exercises()[names[0].removeprefix("exercise:")].entry
            remark = cell.source.split("\n")[0]  # the framework, as a remark
            cell.source = f"{remark}\n{traced(solutions[cell.id], entry)}"
            cells.append(new_code_cell("USED.update(CALLS)"))
        cells.append(cell)
        if is_check(cell):
            cells.append(new_code_cell("CALLS.clear()"))
    notebook.cells = [*cells, new_code_cell("import json\nUSED.update(CALLS)\nprint(json.dumps(USED))")]


@pytest.mark.parametrize(
    ("framework", "chapter"), [needs_all(framework, chapter) for framework in [*graded_frameworks(), BOTH] for chapter in chapters()]
)  # fmt: skip
def test_a_finished_copy_runs_on_the_learners_own_code(framework, chapter, tmp_path, monkeypatch):
    notebook = copy_in(tmp_path, framework, chapter, monkeypatch)
    solve(notebook, chapter)
    again = checks_again(notebook) if framework == BOTH else []
    notebook.cells[-1:-1] = again
    run(notebook, tmp_path)
    assert bool(again) is (framework == BOTH)
    assert all(" cell. Run the MXNet cell again" in json.dumps(cell.outputs) for cell in again)
    checks = [json.dumps(cell.outputs) for cell in notebook.cells if is_check(cell)]
    assert checks and all("passed" in output for output in checks)
    used = Counter(json.loads(notebook.cells[-1].outputs[0].text))
    assert {entry for entry in USED.get(chapter, ()) if not used[entry]} == set()


def test_checks_of_an_untouched_copy_never_pass_run_once_or_twice(tmp_path, monkeypatch):
    notebook = copy_in(tmp_path, "torch", "masked_softmax", monkeypatch)
    notebook.cells += [
        new_code_cell(source(cell), metadata=cell.metadata) for cell in notebook.cells if is_check(cell)
    ]
    run(notebook, tmp_path)
    checks = [json.dumps(cell.outputs) for cell in notebook.cells if is_check(cell)]
    assert len(checks) == 4 and not any("✓" in output for output in checks)
    assert json.loads((tmp_path / "learn" / "progress.json").read_text()) == {}
