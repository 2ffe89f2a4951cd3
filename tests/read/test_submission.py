"""What a submission's source is found to hold."""

import json

from autograder.model.catalogue import all_exercises
from tests import support

BROKEN = "def masked_softmax(X, valid_length):\n    return X.softmax(dim=-1\n"


def test_what_is_not_python_is_an_error_with_its_line(zygote):
    exercise = all_exercises()["masked_softmax"]
    (verdict,) = support.graded(zygote, f"import torch\n\n{BROKEN}", "a.py", list(all_exercises().values()))
    assert (verdict.exercise, verdict.framework, verdict.outcome) == ("masked_softmax", "torch", "error")
    assert "SyntaxError in line 4 of a.py: '(' was never closed" in verdict.message

    tagged = {"cell_type": "code", "metadata": {"tags": ["framework-mxnet"]}, "source": BROKEN, "outputs": []}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [tagged]}
    (verdict,) = support.graded(zygote, json.dumps(notebook), "a.ipynb", [exercise])
    assert (verdict.framework, verdict.outcome) == ("mxnet", "error")
    assert "line 2 of cell 1" in verdict.message
