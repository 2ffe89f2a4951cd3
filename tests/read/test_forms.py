"""Right answers in the forms in which they are honestly handed in: `grade` and `check FILE` say the same."""

import json

import pytest

from autograder.checking import whole_file
from autograder.checking.whole_file import check_file
from autograder.model.assignment import TimeLimits
from autograder.model.catalogue import all_exercises
from tests import support
from tests.support import RIGHT, need, slow_ones

LIMITS = TimeLimits(source_seconds=4, call_seconds=10, seconds=60)
EXERCISE = "masked_softmax"
BODY = RIGHT.replace("import torch\n", "")
LAMBDA = """import torch
def mask(X, n):
    n = n[:, None] if n.ndim == 1 else n
    return torch.where(torch.arange(X.shape[-1]) < n[..., None], X, -1e6)
"""
IN_MXNET = """from mxnet import nd
def masked_softmax(X, valid_length):
    if valid_length is None:
        return nd.softmax(X)
    if valid_length.ndim == 1:
        valid_length = nd.broadcast_axis(valid_length.expand_dims(1), axis=1, size=X.shape[1])
    return nd.softmax(X, valid_length.astype('int32'), use_length=True)
"""
STUB = "\ndef masked_softmax(X, valid_length):\n    '''The weights.'''\n    raise NotImplementedError\n"
METHODS = """
def masked_softmax(X, valid_length):
    if valid_length is None:
        return X.softmax(-1)
    mask = X.new_ones(X.shape).cumsum(-1) <= valid_length.reshape(X.shape[0], -1, 1)
    return X.masked_fill(~mask, -1e6).softmax(-1)
"""

# What is accepted: a source, or the sources of a notebook's cells.
ACCEPTED = {
    "compiled": RIGHT.replace("\ndef", "\n@torch.compile\ndef"),
    "compiled by a backend": RIGHT.replace("\ndef", "\n@torch.compile(backend='eager')\ndef"),
    "compiled afterwards": RIGHT + "masked_softmax = torch.compile(masked_softmax, backend='eager')\n",
    "magics in a .py": "!pip install torch\n%matplotlib inline\n" + RIGHT + "!ls\n",
    "lone carriage returns": RIGHT.replace("\n", "\r"),
    "methods only": METHODS,
    "methods only, with both libraries": "import torch\nimport mxnet\n" + METHODS,
    "a lambda": LAMBDA
    + "masked_softmax = lambda X, valid_length: (X if valid_length is None else mask(X, valid_length)).softmax(-1)\n",
    "a walrus": LAMBDA
    + "(masked_softmax := lambda X, valid_length: (X if valid_length is None else mask(X, valid_length)).softmax(-1))\n",
    "written to a file and imported": ["%%writefile answers.py\n" + RIGHT, "from answers import masked_softmax"],
    "another cell is broken": ["import torch\nX = torch.ones(\n", RIGHT],
    "a missing library beside it": "from tqdm_of_nobody import tqdm\n" + RIGHT,
    "long training behind it": [RIGHT, "import time\ntime.sleep(100)\n", "print('done')"],
    "long training behind it in a .py": RIGHT + "import time\nfor epoch in range(1000):\n    time.sleep(0.1)\n",
    "long training before it": ["import time\ntry:\n    time.sleep(100)\nexcept Exception:\n    pass\n", RIGHT],
    "a stub behind it": RIGHT + STUB,
    "an export by nbconvert": (
        "#!/usr/bin/env python\n# coding: utf-8\n\n# # Masks\n\n# In[1]:\n\n\n"
        "get_ipython().run_line_magic('matplotlib', 'inline')\nfrom autograder import check\n\n\n# In[2]:\n\n\n"
        "from mxnet import nd\n" + STUB + "\n# In[3]:\n\n" + RIGHT + "\n\n# In[ ]:\n\ncheck(masked_softmax)\n"
    ),
    "an export by Colab": (
        '"""Masks.ipynb\n\nOriginal file is located at\n    https://colab.research.google.com/\n"""\n\n# !pip install x\n'
        + RIGHT + "\nfrom mxnet import nd\n" + STUB
    ),
    "defined by exec": "exec('''" + RIGHT + "''')\nmasked_softmax = masked_softmax\n",
}  # fmt: skip
# What is not, and words of the sentence that names the cause.
REFUSED = {
    "a failed import that the answer uses": (
        "import torch\nfrom einops_of_nobody import rearrange\n"
        + BODY.replace("    if valid_length is None:", "    X = rearrange(X)\n    if valid_length is None:"),
        "error", "Its import of einops_of_nobody failed: No module named 'einops_of_nobody'.",
    ),
    "a failed import that its definition uses": (
        ["import torch\nimport jaxtyping_of_nobody as jt", BODY.replace("(X, valid_length)", "(X: jt.Float, valid_length)")],
        "error", "Its import of jaxtyping_of_nobody failed",
    ),
    "its own cell is broken, and one before": (
        ["import torch\nx = torch.ones(\n", "def masked_softmax(X, valid_length):\n    return X.softmax(-1\n"],
        "error", "SyntaxError in line 2 of cell 2",
    ),
    "an endless loop before it in its cell": (
        "import torch\nmasked_softmax = any(x for x in iter(int, 1))\n", "timeout", "line 2 of the file did not end",
    ),
    "a stub alone": (
        STUB, "missing", "Not written yet",
    ),
}  # fmt: skip


def handed_in(source):
    """The name and the text of a submission."""
    if isinstance(source, str):
        return "a.py", source
    cells = [{"cell_type": "code", "metadata": {}, "source": text, "outputs": []} for text in source]
    return "a.ipynb", json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


@pytest.fixture
def both(zygote, tmp_path, monkeypatch):
    """Judges a source by `grade` and by `check FILE`; gives the two verdicts."""
    monkeypatch.setattr(whole_file, "SOURCE_SECONDS", 3.0)
    monkeypatch.chdir(tmp_path)

    def run(source):
        name, text = handed_in(source)
        (tmp_path / name).write_text(text, newline="")
        exercise = all_exercises()[EXERCISE]
        return (
            support.graded(zygote, text, name, [exercise], time_limits=LIMITS),
            check_file(tmp_path / name, [exercise], None, by_name=True),
        )

    return run


@pytest.mark.parametrize("form", slow_ones(ACCEPTED, "long training"))
def test_a_right_answer_is_accepted_in_every_form(both, form):
    need("mxnet")
    for (verdict,) in both(ACCEPTED[form]):
        assert (verdict.outcome, verdict.framework) == ("accepted", "torch"), verdict
        assert ("took too long and was stopped" in verdict.message) == ("long" in form)


@pytest.mark.parametrize("form", slow_ones(REFUSED, "endless"))
def test_what_is_not_accepted_is_told_its_cause(both, form):
    need("mxnet")
    source, outcome, words = REFUSED[form]
    for (verdict,) in both(source):
        assert verdict.outcome == outcome and words in verdict.message, verdict


def test_with_both_frameworks_in_one_file_each_definition_is_graded_in_its_own(both):
    need("mxnet")
    late = RIGHT.replace("torch.where(mask, X, -1e6)", "X")
    for source, mxnet, torch in (
        (IN_MXNET + RIGHT, "accepted", "accepted"),
        (IN_MXNET + late, "accepted", "rejected"),
        (
            RIGHT
            + IN_MXNET.replace(
                "nd.softmax(X, valid_length.astype('int32'), use_length=True)", "nd.softmax(X)"
            ),
            "rejected",
            "accepted",
        ),
        ([IN_MXNET, RIGHT], "accepted", "accepted"),
    ):
        for verdicts in both(source):
            assert {v.framework: v.outcome for v in verdicts} == {"mxnet": mxnet, "torch": torch}, verdicts
