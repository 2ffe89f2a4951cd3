"""Copies for one framework: what is left out, and that the rest runs from any folder, without the other."""

import ast
import builtins
import json
import os
import re

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.book.contents import INDEX, chapters, file_of, framework_of, notebook_of, source, tags
from autograder.copies.one_framework import bound, for_framework, needed
from autograder.copies.start import CLAIMS, learners_copy, start
from autograder.frameworks import graded_frameworks
from autograder.read.cells import without_magics
from course.paths import ROOT
from tests.support import autograder, need

each_framework = pytest.mark.parametrize("framework", graded_frameworks())
# What a copy for one framework never says, but for one sentence of its index and what the sources say in their words.
OF_BOTH = r"both frameworks|both libraries|two frameworks|two libraries|left out of this copy|\]\{\."
OTHER_WORDS = {
    "torch": re.compile(rf"(?i:mxnet|gluon)|\bnd\b[.`]|\bmx\b|autograd\.record|{OF_BOTH}"),
    "mxnet": re.compile(rf"(?i:torch)|{OF_BOTH}"),
}
QUOTED = ">"
# What a copy does not have: the book's page with what can be dragged there, and results that are stored in it.
NOT_HERE = re.compile(
    r"\b[Tt](?:he|his) page\b|in the book\b|(?:stored|printed) here|\b[Dd]rag\b|with the pointer|Guess the|\b[Pp]aint\b"
)


@pytest.mark.parametrize(
    ("code", "expected"),
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
def test_what_a_cell_needs(code, expected):
    assert needed(ast.parse(code).body) == expected


def test_what_a_cell_binds():
    code = "import a.b, c as d\nfrom e import f\nx, (y, *z) = 1\nfor i in x: j = i\ndef g(k): m = k\nclass H: n = 1"
    assert bound(ast.parse(code).body) == {"a", "d", "f", "x", "y", "z", "i", "j", "g", "H"}


def sources(framework, *cells):
    """Sources of a notebook of these (tag or None, source), made for one framework."""
    code_cells = [
        {"cell_type": "code", "id": str(n), "metadata": {"tags": [tag] if tag else []}, "source": text}
        for n, (tag, text) in enumerate(cells)
    ]
    notebook = {"cells": code_cells}
    for_framework(notebook, framework)
    return [source(cell) for cell in notebook["cells"]]


def test_imports_of_the_other_are_taken_out():
    text = (
        "import numpy as np\nfrom course.frameworks import mx, torch\nfrom mxnet import (\n    nd,\n)\nx = 1"
    )
    assert sources("torch", (None, text)) == [
        "import numpy as np\nfrom course.frameworks import torch\nx = 1"
    ]
    expected = text.replace("mx, torch", "mx")
    assert sources("mxnet", (None, text)) == [expected]
    reference = "from solutions.pooling.in_mxnet import f\nfrom solutions.pooling import in_mxnet, in_numpy"
    assert sources("torch", (None, reference)) == ["from solutions.pooling import in_numpy"]
    assert sources("torch", (None, "from mxnet import nd")) == []


def test_cells_of_the_other_and_those_that_compare_are_left_out_and_keras_goes_with_pytorch():
    cells = (
        ("framework-mxnet", "x = 1"),
        ("framework-torch", "x = 2"),
        (None, "print(x)"),
        ("framework-both", "same = x == x"),
        ("framework-keras", "x = 3"),
    )
    assert sources("torch", *cells) == ["x = 2", "print(x)", "x = 3"]
    assert sources("mxnet", *cells) == ["x = 1", "print(x)"]


def test_what_a_cell_has_defined_is_not_taken_from_the_course_again():
    """In the copy for both the other framework's cell has bound the name, so there the import stays."""
    again = "from solutions.pooling.in_torch import f, g\n\nprint(f(1), g(1))"
    defined = ("framework-torch", "def f(x):\n    return x")
    expected = "from solutions.pooling.in_torch import g\n\nprint(f(1), g(1))"
    assert sources("torch", defined, (None, again)) == [defined[1], expected]
    assert sources("torch", ("exercise:f", defined[1]), (None, again)) == [defined[1], again]
    assert sources("torch", (None, again)) == [again]


def test_what_a_cell_has_imported_is_not_imported_again_unless_its_name_was_bound_anew():
    first = "from solutions.pooling.in_torch import f, g"
    again = "from solutions.pooling.in_torch import f\n\nprint(f(1))"
    assert sources("torch", (None, first), (None, again)) == [first, "print(f(1))"]
    assert sources("torch", (None, first), (None, "f = 1"), (None, again)) == [first, "f = 1", again]
    other = "from solutions.memory.in_torch import f"
    assert sources("torch", (None, first), (None, other)) == [first, other]


@each_framework
@pytest.mark.parametrize("chapter", chapters())
def test_a_copy_has_every_cell_of_its_framework_and_what_they_need(framework, chapter):
    copied = learners_copy(notebook_of(chapter), framework=framework)["cells"]
    chapter_cells = [
        c for c in notebook_of(chapter)["cells"] if not tags(c, CLAIMS) and framework_of(c) == framework
    ]
    ids = [c["id"] for c in copied if framework_of(c) == framework]
    # A cell that only imports goes where all that it imports is there already.
    assert ids == [c["id"] for c in chapter_cells if c["id"] in ids or not only_imports(c)]
    names = {*dir(builtins), "__file__", "display"}
    for cell in (c for c in copied if c["cell_type"] == "code"):
        statements = ast.parse(without_magics(source(cell))).body
        # What a broken start calls may be imported below it.
        assert needed(statements) <= names | bound(statements) or tags(cell, "starter:"), source(cell)
        names |= bound(statements)
        for line in (
            s
            for s in statements
            if isinstance(s, ast.ImportFrom) and (s.module or "").startswith("solutions.")
        ):
            assert not {alias.asname or alias.name for alias in line.names} & names_before(copied, cell), (
                source(cell)
            )


def only_imports(cell):
    return all(isinstance(statement, ast.ImportFrom) for statement in ast.parse(source(cell)).body)


def names_before(copied, cell):
    """Names that the cells before this one have defined, other than what is to be written."""
    before = copied[: copied.index(cell)]
    code = [c for c in before if c["cell_type"] == "code" and not tags(c, "exercise:") + tags(c, "starter:")]
    statements = [s for c in code for s in ast.parse(without_magics(source(c))).body]
    return {s.name for s in statements if isinstance(s, ast.FunctionDef | ast.ClassDef)}


@each_framework
def test_a_copy_for_one_framework_says_nothing_of_the_other_but_one_sentence(framework, tmp_path):
    start(tmp_path, framework)
    places = [
        (path.name, match[0], line)
        for path in sorted(tmp_path.glob("*.ipynb"))
        for cell in json.loads(path.read_text())["cells"]
        for line in source(cell).split("\n")
        if (match := OTHER_WORDS[framework].search(line)) and not line.startswith(QUOTED)
    ]
    (index,) = places
    assert index[0] == INDEX and len(OTHER_WORDS[framework].findall(index[2])) == 1


@each_framework
def test_what_lies_beside_the_chapters_is_no_page(framework, tmp_path):
    start(tmp_path, framework)
    beside = set(tmp_path.glob("*.ipynb")) - {tmp_path / file_of(chapter) for chapter in chapters()}
    sentences = {path.name: NOT_HERE.findall(path.read_text()) for path in beside if path.name != INDEX}
    assert sentences and not any(sentences.values()), sentences


@each_framework
@pytest.mark.parametrize("chapter", chapters())
def test_a_copy_speaks_of_nothing_that_it_does_not_have(framework, chapter):
    cells = learners_copy(notebook_of(chapter), framework=framework)["cells"]
    assert all(source(cell).strip() for cell in cells)
    assert not [c["id"] for c in cells if c["cell_type"] == "markdown" and NOT_HERE.search(source(c))]
    # The copy has stubs where these have the solutions, which need imports too.
    notebook = notebook_of(chapter)
    for_framework(notebook, framework)
    code = [ast.parse(without_magics(source(c))) for c in notebook["cells"] if c["cell_type"] == "code"]
    nodes = [node for tree in code for node in ast.walk(tree)]
    imported = {name.asname or name.name for n in nodes if isinstance(n, ast.Import) for name in n.names}
    assert imported - {"course.frameworks"} <= {n.id for n in nodes if isinstance(n, ast.Name)}


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
    assert checks and all("passed" in output for output in checks)


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

    monkeypatch.setattr("autograder.frameworks.find_spec", lambda name: None if name == "mxnet" else object())
    learning.make_copies(tmp_path / "one")
    learning.make_copies(tmp_path / "asked", "both")
    one, both = ((tmp_path / folder / file_of("attention")).read_text() for folder in ("one", "asked"))
    assert "# MXNet" not in one and "# PyTorch" in one
    assert "# MXNet" in both and "# PyTorch" in both


def section(chapter, title, framework):
    """The cells of a copy from a section's title to the next one."""
    cells = learners_copy(notebook_of(chapter), framework=framework)["cells"]
    (begin,) = [
        i
        for i, c in enumerate(cells)
        if source(c).startswith(f"## {title}\n") or f"\n## {title}\n" in source(c)
    ]
    behind = next(
        i
        for i in range(begin + 1, len(cells))
        if "## " in source(cells[i]) and cells[i]["cell_type"] == "markdown"
    )
    return cells[begin : behind + 1]


@each_framework
def test_from_numpy_to_tensors_is_about_one_library_step_by_step(framework):
    cells = section("prerequisites", "From NumPy to tensors", framework)
    code = [c for c in cells if c["cell_type"] == "code"]
    of = {"torch": {"torch"}, "mxnet": {"nd", "autograd", "gluon", "init", "mx"}}
    other = set.union(*of.values()) - of[framework]
    used = [needed(ast.parse(source(c)).body) for c in code]
    assert all(names & of[framework] and not names & other for names in used)
    text = "\n".join(source(c) for c in cells if c["cell_type"] == "markdown")
    steps = re.findall(r"^\*\*([A-Z][a-z ]+)\.\*\*", text, re.MULTILINE)
    assert steps == ["Arrays and axes", "Batches", "Gradients", "Layers"]
    # After each piece of text stands one cell that shows it.
    assert [c["cell_type"] for c in cells] == ["markdown", "code"] * len(code) + ["markdown"]
    assert len(code) == len(steps) + 1, "a step of gradient descent stands between gradients and layers"


@each_framework
def test_where_the_word_comes_from_delays_nobody(framework):
    """A few sentences behind the last exercise; the table of years is folded, and no short way leads there."""
    cells = learners_copy(notebook_of("attention"), framework=framework)["cells"]
    title = "## Where it comes from\n"
    (index,) = [i for i, c in enumerate(cells) if source(c).startswith(title)]
    assert max(i for i, c in enumerate(cells) if tags(c, "exercise:")) < index
    summary, folded = source(cells[index]).removeprefix(title).split("<details>")
    assert len(summary.split()) < 60 and "|" not in summary and "| 1964 |" in folded
    ways = [line for c in cells for line in source(c).split("\n") if line.startswith("> **Ways:**")]
    assert ways and all(way.count("*Where it comes from*") == 2 for way in ways)
