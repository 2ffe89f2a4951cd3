"""What the cells below an exercise use: the learner's answer once accepted, the reference until then."""

import subprocess
import sys

import pytest
import torch

from autograder import check, solved
from autograder.learner import progress
from tests.support import solution


@pytest.fixture
def learners_folder(tmp_path, monkeypatch):
    """A folder in which progress is kept."""
    progress.create(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def masked_softmax(X, valid_length):
    """A right answer that is not the course's own."""
    if valid_length is None:
        return torch.softmax(X, dim=-1)
    lengths = (
        valid_length.repeat_interleave(X.shape[1]) if valid_length.dim() == 1 else valid_length.reshape(-1)
    )
    places = torch.arange(X.shape[-1])
    late = places[None] >= lengths[:, None].to(places)
    late = late.reshape(X.shape)
    return torch.softmax(X.masked_fill(late, -1e6), dim=-1)


def split_heads(X, num_heads):
    batch, steps, size = X.shape
    parts = X.reshape((batch, steps, num_heads, size // num_heads))
    return parts.transpose(1, 2).flatten(0, 1)


def is_answer(found, answer):
    return found.__code__ is answer.__code__


def wrong(name):
    def answer(*arguments):
        return arguments[0]

    answer.__name__ = name
    return answer


def test_the_reference_is_used_until_the_answer_is_accepted(learners_folder, capsys):
    built = solved("torch")
    reference = solution("masked_softmax", "torch").masked_softmax
    assert built.masked_softmax is reference
    assert "masked_softmax in PyTorch: the course's, until yours is accepted" in capsys.readouterr().out
    assert check(masked_softmax, "torch").outcome == "accepted"
    capsys.readouterr()
    assert is_answer(built.masked_softmax, masked_softmax)
    assert is_answer(built.masked_softmax, masked_softmax)
    assert capsys.readouterr().out == "masked_softmax in PyTorch: yours\n"
    assert check(wrong("masked_softmax"), "torch").outcome == "rejected"
    assert built.masked_softmax is reference


def test_what_builds_on_an_exercise_is_built_on_the_learners_answer(learners_folder):
    layers = solution("multi_head", "torch")
    before = layers.split_heads
    assert check(split_heads, "torch").outcome == "accepted"
    assert is_answer(layers.split_heads, split_heads)
    layer = layers.MultiHeadAttention(4, 2)
    X = torch.ones((1, 3, 4))
    assert layer(X, X, X, None).shape == (1, 3, 4)
    assert solution("multi_head", "numpy").split_heads is not split_heads
    check(wrong("split_heads"), "torch")
    assert layers.split_heads is before


def test_a_later_cell_that_binds_its_names_anew_leaves_an_accepted_answer_as_it_was(learners_folder):
    names = {"masked": masked_softmax}
    exec("def masked_softmax(X, valid_length):\n    return masked(X, valid_length)", names)
    assert check(names["masked_softmax"], "torch").outcome == "accepted"
    names["masked"] = None
    X = torch.zeros((1, 1, 4))
    assert solved("torch").masked_softmax(X, torch.tensor([2])).tolist() == [[[0.5, 0.5, 0, 0]]]


def test_in_a_notebook_the_line_stands_behind_what_the_cell_prints(learners_folder):
    """A table that a cell prints line by line is not cut in two."""
    cell = "built = solved('torch')\nprint('first')\nbuilt.masked_softmax\nprint('last')"
    run = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        f"shell.run_cell('from autograder import solved')\nshell.run_cell({cell!r})\nshell.run_cell('print(1)')"
    )
    done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, cwd=learners_folder)
    whose = "masked_softmax in PyTorch: the course's, until yours is accepted"
    assert done.stdout.splitlines() == ["first", "last", whose, "1"], done.stderr


def test_outside_a_learners_folder_nothing_changes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    reference = solution("masked_softmax", "torch").masked_softmax
    assert check(masked_softmax, "torch").outcome == "accepted"
    capsys.readouterr()
    assert solved("torch").masked_softmax is reference
    assert capsys.readouterr().out == ""


def test_the_courses_own_solution_is_no_answer(learners_folder):
    verdict = check(solution("masked_softmax", "torch").masked_softmax, "torch")
    assert verdict.outcome == "missing" and verdict.points == 0
    assert "the course's own solution" in verdict.message and "run the cell" in verdict.message
    assert progress.read(learners_folder / progress.FILE) == {}


def test_a_name_that_no_exercise_asks_for_gets_a_sentence():
    with pytest.raises(AttributeError, match="no exercise asks for 'nonsense'"):
        _ = solved("torch").nonsense
