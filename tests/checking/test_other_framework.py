"""A check run again when a cell of the other framework has bound the same name since."""

import linecache

import pytest

from autograder import check, solved
from autograder.checking import progress
from tests.support import need


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    """Runs cells in one notebook, in a learner's folder; gives its names."""
    progress.create(tmp_path)
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "notebook"}

    def run(source):
        file = f"<cell {len(linecache.cache)}>"
        linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
        exec(compile(source, file, "exec"), names)
        return names

    yield run
    for name in [name for name in linecache.cache if name.startswith("<cell ")]:
        del linecache.cache[name]


SPLIT = """
def split_heads(X, num_heads):
    batch, steps, size = X.shape
    X = X.reshape((batch, steps, num_heads, size // num_heads))
    X = {transposed}
    return X.reshape((batch * num_heads, steps, size // num_heads))
"""
MXNET = "# MXNet" + SPLIT.format(transposed="X.transpose((0, 2, 1, 3))")
TORCH = "# PyTorch" + SPLIT.format(transposed="X.transpose(1, 2)")


@pytest.mark.parametrize("magic", ["", "%%time\n"])
def test_a_check_says_whose_cell_the_answer_is_from_and_keeps_what_was_accepted(notebook, magic):
    need("mxnet")
    verdict = check(notebook(MXNET)["split_heads"], "mxnet")
    assert verdict.outcome == "accepted"
    accepted = solved("mxnet").split_heads
    torchs = notebook(TORCH)["split_heads"]
    if magic:  # the shell takes the magic off, and keeps the cell as it was typed
        linecache.cache[torchs.__code__.co_filename][2].insert(0, magic)
    assert check(torchs, "torch").outcome == "accepted"
    again = check(torchs, "mxnet")
    assert again.message.startswith(
        "split_heads is now the function of the PyTorch cell. Run the MXNet cell again, then this check."
    )
    assert (again.outcome, again.points) == ("missing", 0)
    assert solved("mxnet").split_heads is accepted
    assert check(notebook(MXNET)["split_heads"], "mxnet").outcome == "accepted"


def test_of_a_class_it_says_class(notebook):
    need("mxnet")
    names = notebook("# PyTorch\nclass EncoderBlock:\n    def forward(self, X):\n        return X\n")
    assert (
        "EncoderBlock is now the class of the PyTorch cell" in check(names["EncoderBlock"], "mxnet").message
    )


USES = "def softmax_with_zero(scores, valid_length):\n    return helper(scores, valid_length)\n"
WRONG = "def helper(scores, valid_length):\n    return scores.unsqueeze(0)\n"


def test_a_name_that_an_answer_uses_is_said_to_be_the_other_cells(notebook):
    need("mxnet")
    notebook("# PyTorch\nfrom solutions.masked_softmax.in_torch import masked_softmax\n")
    names = notebook(f"# MXNet\n{USES.replace('helper', 'masked_softmax')}")
    verdict = check(names["softmax_with_zero"], "mxnet")
    assert verdict.outcome == "missing"
    assert verdict.message.startswith(
        "masked_softmax, which softmax_with_zero uses, is now that of a PyTorch cell. "
        "Run the MXNet cell that defines or imports it again, then this check."
    )


def test_a_helper_of_the_other_cell_is_named_where_the_answer_stops_with_an_error(notebook):
    need("mxnet")
    notebook(f"# PyTorch\n{WRONG}")
    verdict = check(notebook(f"# MXNet\n{USES}")["softmax_with_zero"], "mxnet")
    assert "helper, which softmax_with_zero uses, is now that of a PyTorch cell" in verdict.message
    verdict = check(notebook(f"# MXNet\n{WRONG}")["softmax_with_zero"], "mxnet")
    assert verdict.outcome == "error" and "is now that of" not in verdict.message


def test_a_helper_of_the_other_cell_that_needs_no_framework_is_used(notebook):
    need("mxnet")
    notebook("# PyTorch\ndef head_size(size, num_heads):\n    return size // num_heads\n")
    names = notebook(MXNET.replace("size // num_heads", "head_size(size, num_heads)"))
    assert check(names["split_heads"], "mxnet").outcome == "accepted"


def test_without_a_framework_in_the_cell_everything_is_judged(notebook):
    need("mxnet")
    verdict = check(notebook(TORCH.replace("# PyTorch", "# mine"))["split_heads"], "mxnet")
    assert verdict.outcome in ("error", "rejected")
