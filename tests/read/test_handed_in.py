"""Forms in which people hand in: bytes, names, cells and mistakes, read in this process; one run shows their marks."""

import json
import zipfile

import pytest

from autograder.copies.start import learners_copy
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from autograder.model.verdict import NOT_WRITTEN
from autograder.read.files import find
from autograder.read.submission import read_bytes
from tests.support import RIGHT, graded

GREETED = "# L\u00f6sung\n" + RIGHT
MASKED = "masked_softmax"
HEAD = "def masked_softmax(X, valid_length):\n"


def notebook(*cells, **more):
    """A notebook's text. cells: sources of code cells, or pairs of a kind and a source."""
    pairs = (cell if isinstance(cell, tuple) else ("code", cell) for cell in cells)
    notebook_cells = [{"cell_type": kind, "metadata": {}, "source": source} for kind, source in pairs]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": notebook_cells, **more})


def read(data, name="a.py"):
    return read_bytes(data if isinstance(data, bytes) else data.encode(), name)


CODING = "# -*- coding: {} -*-\n"
ENCODED = {
    **{name: (CODING.format(name) + GREETED, name) for name in ("cp1252", "latin-1", "iso-8859-15", "mac_roman", "cp850")},
    "gbk": ("#!/usr/bin/env python\n# vim: set fileencoding=gbk :\n# \u4e2d\n" + RIGHT, "gbk"),
    "shift_jis": ("# coding=shift_jis\n# \u65e5\n" + RIGHT, "shift_jis"),
    "koi8-r": ("# coding: koi8-r\n# \u0434\n" + RIGHT, "koi8-r"),
    "utf-8 with its mark": (GREETED, "utf-8-sig"),
    "utf-16 with its mark": (GREETED, "utf-16"),
    "utf-32 with its mark": (GREETED, "utf-32"),
    "utf-16, though a line names utf-8": (CODING.format("utf-8") + GREETED, "utf-16"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ENCODED)
def test_a_file_is_read_in_the_encoding_that_it_names(kind):
    text, encoding = ENCODED[kind]
    submission = read(text.encode(encoding))
    assert submission.problem is None and submission.frameworks(MASKED) == ["torch"]
    assert submission.cells[0].source.lstrip("\ufeff") == text


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_notebook_is_read_by_its_mark(encoding):
    assert read(notebook(GREETED).encode(encoding), "a.ipynb").frameworks(MASKED) == ["torch"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (GREETED.encode("latin-1"), "is not UTF-8 text (byte 3): save it again as UTF-8."),
        ((CODING.format("ascii") + GREETED).encode(), "is not ascii, as its beginning says"),
        (
            (CODING.format("punycode") + RIGHT).encode(),
            "names the encoding punycode, in which no file is read",
        ),
        ((CODING.format("unicode_escape") + RIGHT).encode(), "names the encoding unicode_escape"),
        ((CODING.format("of_nobody") + RIGHT).encode(), "names an unknown encoding"),
        ((CODING.format("rot13") + RIGHT).encode(), "names the encoding rot13"),
        (b"\xff\xfea", "save it again as UTF-8"),
    ],
)
def test_another_encoding_is_named(data, words):
    assert words in read(data).problem


NAMES = {
    "a.ipynb.txt": notebook(RIGHT), "a.json": notebook(RIGHT), "a.ipynb.json": notebook(RIGHT), "a.txt": notebook(RIGHT),
    "a.py": notebook(RIGHT), "A.IPYNB.TXT": notebook(RIGHT), "a.py.txt": RIGHT, "A.PY.TXT": RIGHT,
    "colab.json": json.dumps({"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "code", "source": [RIGHT]}]}),
    "indented.txt": json.dumps(json.loads(notebook(RIGHT)), indent=1),
}  # fmt: skip
OTHER_FILES = {
    "notes.txt": "The cells are right.", "package.json": '{"name": "x"}', "progress.json": '{"masked_softmax": true}',
    "answers.json": json.dumps({"masked_softmax": notebook(RIGHT)}), "list.json": "[1]", "empty.txt": "",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_file_under_another_ending_is_read_for_what_it_is(name):
    submission = read(NAMES[name], name)
    assert submission.problem is None and submission.frameworks(MASKED) == ["torch"]
    assert submission.in_notebook == (NAMES[name] != RIGHT)


def test_files_under_other_endings_are_found_in_folders_and_archives(tmp_path):
    ann, ben = tmp_path / "ann", tmp_path / "ben"
    ann.mkdir(), ben.mkdir()
    for name, text in {**NAMES, **OTHER_FILES}.items():
        (ann / name).write_text(text)
    with zipfile.ZipFile(ben / "all.zip", "w") as archive:
        for name, text in {**NAMES, **OTHER_FILES}.items():
            archive.writestr(name, text)
    sources, refused = find(tmp_path)
    names = [source.name for source in sources]
    assert sorted(n for n in names if n.startswith("ann")) == sorted(f"ann/{name}" for name in NAMES)
    assert sorted(n for n in names if n.startswith("ben")) == sorted(f"ben/all/{name}" for name in NAMES)
    assert "notes.txt" in refused["ann/files that were not read"]
    read_again = next(source for source in sources if source.name == "ben/all/a.ipynb.txt")
    assert read(read_again.read(), read_again.name).frameworks(MASKED) == ["torch"]


def test_a_notebook_of_an_older_format_is_told_what_to_do():
    old = json.dumps({"nbformat": 3, "worksheets": [{"cells": []}]})
    assert read(old, "a.ipynb").problem == (
        "a.ipynb is a notebook of an older format: open it in Jupyter and save it (nbformat 4 is needed)."
    )


@pytest.mark.parametrize("name", ["a.ipynb", "a.json", "a.txt"])
def test_deep_json_is_no_notebook(name):
    deep = '{"nbformat": 4, "cells": ' + "[" * 100_000
    assert "is not valid JSON" in read(deep, name).problem


# Each with the line that is named, and what stands behind it.
MISTAKES = {
    "a colon": ("def other(x)\n    return 1\n", 1),
    "an open bracket": ("x = foo(1,\n", 1),
    "an open text": ("'''What I did\n", 1),
    "a merge conflict": ("<<<<<<< HEAD\n", 1),
    "prose": ("This is my answer.\n", 1),
    "an indentation": ("def g():\n    x = 1\n      y = 2\n", 3),
    "Python 2": ("print 'done'\n", 1),
    "a method": ("class A:\n    def x(self):\n        return (1\n", 3),
    "a decorator": ("@deco\ndef f(:\n    pass\n", 2),
    "an else": ("if True:\n    x = 1\nelse\n    x = 2\n", 3),
    "a comment that lost its sign": ("# In[3]:\nWeights of the keys\n", 2),
    "a closing bracket": ("x = [1, 2]]\n", 1),
}


@pytest.mark.parametrize("kind", MISTAKES)
@pytest.mark.parametrize("is_before", [True, False])
def test_a_mistake_costs_its_statement_and_not_the_file(kind, is_before):
    text, line = MISTAKES[kind]
    submission = read(text + RIGHT if is_before else RIGHT + text)
    (cell,) = submission.cells
    assert [m.line for m in cell.mistakes] == [line if is_before else line + RIGHT.count("\n")]
    assert MASKED in {name for s in cell.statements for name in [getattr(s, "name", "")]}
    assert submission.sources("torch")[0][1] == cell.source and cell.mistakes


def test_several_mistakes_cost_a_statement_each():
    text = "".join(f"def f{i}(:\n    pass\ndef g{i}():\n    pass\n" for i in range(5))
    (cell,) = read(text + RIGHT).cells
    assert [m.line for m in cell.mistakes] == [1, 5, 9, 13, 17] and {"g4", MASKED} <= cell.defines


def test_after_many_mistakes_the_rest_is_one():
    (cell,) = read("x = = 1\n" * 50 + RIGHT).cells
    assert len(cell.mistakes) == 11 and not cell.statements


NEWER = {
    "quotes in an f-string": ((3, 12), 'print(f"{d["a"]}")\n'),
    "a backslash in an f-string": ((3, 12), "print(f\"{'\\n'.join(d)}\")\n"),
    "a comment in an f-string": ((3, 12), "print(f'''{d # c\n}''')\n"),
    "a generic function": ((3, 12), "def first[T](x: list[T]) -> T:\n    return x[0]\n"),
    "a generic class": ((3, 12), "class Box[T]:\n    pass\n"),
    "a generic coroutine": ((3, 12), "async def first[T](x: T) -> T:\n    return x\n"),
    "a type": ((3, 12), "type Pair = tuple[int, int]\n"),
    "a generic type": ((3, 12), "type Pair[T] = tuple[T, T]\n"),
    "exceptions without brackets": ((3, 14), "try:\n    pass\nexcept TypeError, ValueError:\n    pass\n"),
    "a template": ((3, 14), "x = t'{d}'\n"),
}


@pytest.mark.parametrize("kind", NEWER)
def test_what_a_newer_python_reads_is_called_so(kind, monkeypatch):
    version, text = NEWER[kind]
    (cell,) = read(notebook(text + RIGHT), "a.ipynb").cells
    if not cell.mistakes:
        return  # this Python reads it
    assert MASKED in cell.defines and cell.statements
    (mistake,) = cell.mistakes
    monkeypatch.setattr("sys.version_info", (3, 11))
    assert (
        f"this grader runs Python 3.11, and from {'.'.join(map(str, version))} on the line may be right"
        in str(mistake)
    )


@pytest.mark.parametrize(
    "text", ["x = (\n", "def f(:\n    pass\n", "print 'don\\'t'\n", "x = 'don't'\n", "ﬁ x\n"]
)
def test_a_cell_with_a_mistake_costs_the_cell(text):
    (cell,) = read(notebook(text + RIGHT), "a.ipynb").cells
    assert not cell.statements and "this grader runs" not in str(cell.mistakes[0])


PROSE = {
    "Markdown": ("markdown", RIGHT),
    "a fence": ("markdown", f"```python\n{RIGHT}```"),
    "a fence of tildes": ("markdown", f"~~~\n{RIGHT}~~~"),
    "words before": ("markdown", f"My answer:\n\n{RIGHT}"),
    "a list of lines": ("markdown", RIGHT.splitlines(keepends=True)),
    "raw text": ("raw", RIGHT),
    "an unknown kind": ("heading", RIGHT),
    "returns of Windows": ("markdown", RIGHT.replace("\n", "\r\n")),
    "a docstring": ("markdown", f"{HEAD}    '''The weights.'''\n    return X"),
    "a blank line": ("markdown", f"{HEAD}\n    return X"),
}


@pytest.mark.parametrize("kind", PROSE)
def test_an_answer_that_is_no_code_is_said_to_be_none(kind):
    cell, source = PROSE[kind]
    submission = read(notebook("import torch", (cell, source)), "a.ipynb")
    words = {"markdown": "Markdown", "raw": "raw text"}.get(cell, "not code")
    assert (
        submission.in_prose(MASKED) == f" Cell 2 holds masked_softmax, but is {words}: make it a code cell."
    )
    assert submission.in_prose("additive_scores") == ""


def test_an_answer_whose_cell_is_gone_is_said_to_be_gone():
    submission = read(notebook("from autograder import check", "check(masked_softmax)"), "a.ipynb")
    words = "It is checked in cell 2: was the cell with masked_softmax deleted?"
    assert words in submission.not_defined(all_exercises()[MASKED])
    assert "deleted" not in read(notebook("import torch"), "a.ipynb").not_defined(all_exercises()[MASKED])


def test_no_cell_of_a_copy_is_taken_for_such_an_answer():
    for chapter in sorted((ROOT / "chapters").glob("*.ipynb")):
        copy = learners_copy(json.loads(chapter.read_text(encoding="utf-8")))
        assert not read(json.dumps(copy), chapter.name).prose, chapter.name


GPU = RIGHT.replace("torch.arange(X.shape[-1])", "torch.arange(X.shape[-1]){}")
STUB = f"import torch\n{HEAD}    raise NotImplementedError\n"
# Bytes, name, outcome, and words of the message.
GRADED = [
    (notebook("!pip install -q \\\n    torch \\\n    numpy\n" + RIGHT), "a.ipynb", "accepted", ""),
    (notebook("    " + RIGHT.strip().replace("\n", "\n    ")), "a.ipynb", "accepted", ""),
    ((CODING.format("cp1252") + GREETED).encode("cp1252"), "a.py", "accepted", ""),
    (GREETED.encode("utf-16"), "a.py", "accepted", ""),
    (notebook(RIGHT), "a.ipynb.txt", "accepted", ""),
    (RIGHT + "def other(x)\n    return 1\n", "a.py", "accepted", "Left out: SyntaxError in line 10 of the file: expected ':'"),
    (RIGHT.replace("length):", "length)", 1), "a.py", "error", "never defined: SyntaxError in line 3 of the file: expected ':'"),
    (notebook("x = (\n" + RIGHT), "a.ipynb", "error", "never defined: SyntaxError in line 1 of cell 1"),
    (notebook("x = (\n", RIGHT), "a.ipynb", "accepted", "values and gradients."),
    (notebook(STUB, ("markdown", RIGHT)), "a.ipynb", "missing", f"{NOT_WRITTEN} Cell 2 holds masked_softmax, but is Markdown"),
    (notebook("import torch", ("raw", RIGHT)), "a.ipynb", "missing", "Cell 2 holds masked_softmax, but is raw text"),
    (GPU.format(".cuda()"), "a.py", "error", "The grader has no GPU"),
    (GPU.format(".to('cuda')"), "a.py", "error", "such as device=X.device"),
    (GPU.format(".to('mps')"), "a.py", "error", "The grader has no GPU"),
    (RIGHT.replace("shape[-1])", "shape[-1], device='cuda')"), "a.py", "error", "call no .cuda()"),
    ("import torch\ntorch.set_default_device('cuda')\n" + RIGHT, "a.py", "error", "The grader has no GPU"),
]  # fmt: skip


@pytest.mark.parametrize("row", range(len(GRADED)))
def test_what_is_read_is_graded(zygote, row):
    data, name, outcome, words = GRADED[row]
    (verdict,) = graded(zygote, data, name, [all_exercises()[MASKED]])
    assert verdict.outcome == outcome and words in verdict.message, verdict


def test_an_answer_that_is_no_code_is_told_among_all_exercises(zygote):
    exercises = [all_exercises()[name] for name in (MASKED, "scaled_scores", "additive_scores")]
    verdicts = graded(zygote, notebook("import torch", ("markdown", RIGHT)), "a.ipynb", exercises)
    assert [(v.exercise, v.framework, v.outcome) for v in verdicts] == [(MASKED, "torch", "missing")]
    assert "Cell 2 holds masked_softmax" in verdicts[0].message
