"""Notebooks are read as Jupyter runs them."""

import json

import pytest

from autograder.model.catalogue import all_exercises
from autograder.read.submission import read_bytes
from tests import support
from tests.support import RIGHT

CELLS = {
    "timed": "%%time\n{right}",
    "captured": "\n%%capture output\n{right}",
    "a magic between": "{right}t = %timeit -o 1 + 1\n%matplotlib inline\n!ls\nmasked_softmax?\n",
    "a question in the words": '{right}"""\nIs it right?\n"""\n%time 1\n',
    "an indented command": "{right}if True:\n    !ls\n",
    "a remainder on a line of its own": "{right}x = (7\n    % 2)\n%time 1\n",
    "an interrupt": "{right}raise KeyboardInterrupt\n",
    "endless words": "{right}raise ValueError('\u8a9e' * 5000)\n",
    "a late annotation": (
        "from __future__ import annotations\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from torch import Tensor\n"
        "{right}def helper(x: Tensor) -> Tensor:\n    return x\n"
    ),
    "inside a match": "match 1:\n    case _:\n        def masked_softmax(X, valid_length):\n            return right(X, valid_length)\n",
}


@pytest.mark.parametrize("kind", CELLS)
def test_a_notebook_is_read_as_jupyter_runs_it(zygote, kind):
    source = CELLS[kind].replace("{right}", RIGHT)
    if "return right(" in source:
        source = RIGHT.replace("def masked_softmax", "def right") + source
    noise = ["raise ValueError('\u8a9e' * 5000)"] * 20 if kind == "endless words" else []
    cells = [{"cell_type": "code", "metadata": {}, "source": text} for text in [*noise, source]]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    exercise = all_exercises()["masked_softmax"]
    (verdict,) = support.graded(zygote, json.dumps(notebook), "a.ipynb", [exercise])
    assert (verdict.framework, verdict.outcome) == ("torch", "accepted"), verdict


PROSE = 'import torch\n"""# Additive\n\nScores of $W_q^\\top$, \\upsilon, C:\\Users.\n"""\n'


def test_prose_with_backslashes_costs_no_answer():
    """Exports of notebooks to Python write prose as plain texts, whatever is in it."""
    source = PROSE + RIGHT + "\n'\\x'  # why\n" + PROSE
    read = read_bytes(source.encode(), "a.py")
    assert read.frameworks("masked_softmax") == ["torch"] and not read.cells[0].mistakes
    for name in ("def masked_softmax", "import torch"):
        assert read.cells[0].source[: read.cells[0].source.index(name)].count("\n") == source[
            : source.index(name)
        ].count("\n")


@pytest.mark.parametrize(
    "text", ["x = '\\x'", "def f():\n    '\\x'", "f(\n'\\x'\n)", "f'{f()}\\x'", "'\\x'.f()"]
)
def test_a_text_that_is_more_than_prose_stays_a_mistake(text):
    read = read_bytes(f"{PROSE}{RIGHT}\n{text}\n".encode(), "a.py")
    assert text in read.cells[0].mistakes[0].text
