"""What the cells below an exercise use: the learner's answer once accepted, the reference until then."""

import inspect
import json

import pytest
import torch

from autograder import check, solved
from autograder.checking import accepted_answers, progress
from autograder.checking.whole_file import check_file
from autograder.model.catalogue import all_exercises
from autograder.read.files import find
from tests.support import autograder, solution
from tests.warm_kernels import printed_by


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


def is_answer(function, answer):
    return inspect.getsource(function).strip() == inspect.getsource(answer).strip()


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
    # An answer that asks for it at each call, as in a check, says it once too.
    assert is_answer(solved("torch").masked_softmax, masked_softmax)
    assert capsys.readouterr().out == "masked_softmax in PyTorch: yours\n"
    assert check(wrong("masked_softmax"), "torch").outcome == "rejected"
    assert is_answer(built.masked_softmax, masked_softmax)


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
    assert is_answer(layers.split_heads, split_heads) and layers.split_heads is not before


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
    output = printed_by(learners_folder, "from autograder import solved", cell, "print(1)")
    whose = "masked_softmax in PyTorch: the course's, until yours is accepted"
    assert output.splitlines() == ["first", "last", whose, "1"]


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


NOTEBOOK = """
import torch
from torch import nn
from torch.nn import functional as F
from autograder import check, solved
LOW = -1e6

def fill(X, mask):
    return X.masked_fill(~mask, LOW)
"""
ANSWER = """
def masked_softmax(X, valid_length):
    if valid_length is None:
        return F.softmax(X, dim=-1)
    if valid_length.ndim == 1:
        valid_length = valid_length[:, None]
    return F.softmax(fill(X, torch.arange(X.shape[-1]) < valid_length[..., None]), dim=-1)
"""
USE = """
import torch
from autograder import solved
X = torch.zeros((1, 1, 4))
print(solved("torch").masked_softmax(X, torch.tensor([2])).tolist())
print(solved("torch").masked_softmax.__module__)
"""


def test_an_accepted_answer_is_used_in_a_new_kernel_with_what_it_needs(learners_folder):
    output = printed_by(learners_folder, NOTEBOOK, ANSWER, "print(check(masked_softmax).progress)")
    assert f"1 of {len(all_exercises())} exercises passed\n" in output
    output = printed_by(learners_folder, USE)
    assert "[[[0.5, 0.5, 0.0, 0.0]]]\naccepted_answers\n" in output
    assert "masked_softmax in PyTorch: yours" in output


def test_a_cell_that_imports_a_solution_gets_the_kept_answer_too(learners_folder):
    printed_by(learners_folder, NOTEBOOK, ANSWER, "check(masked_softmax)")
    imported = (
        "from solutions.masked_softmax.in_torch import masked_softmax\nprint(masked_softmax.__module__)"
    )
    assert printed_by(learners_folder, "from autograder import check", imported) == "accepted_answers\n"


def test_a_rejected_answer_leaves_the_kept_one_and_an_accepted_one_replaces_it(learners_folder):
    printed_by(learners_folder, NOTEBOOK, ANSWER, "check(masked_softmax)")
    first = accepted_answers.read(learners_folder)["masked_softmax"]["torch"]
    wrong_one = ANSWER.replace("-1]) <", "-1]) >=")
    printed_by(learners_folder, NOTEBOOK, wrong_one, "check(masked_softmax)")
    assert accepted_answers.read(learners_folder)["masked_softmax"]["torch"] == first
    printed_by(learners_folder, NOTEBOOK, ANSWER.replace("dim=-1", "dim=2"), "check(masked_softmax)")
    assert "dim=2" in accepted_answers.read(learners_folder)["masked_softmax"]["torch"]


def test_an_answer_that_cannot_be_written_down_is_said_to_stay_here(learners_folder):
    cells = [NOTEBOOK, "lows = torch.tensor(-1e6)", ANSWER.replace("fill(X,", "fill(X + 0 * lows,")]
    output = printed_by(learners_folder, *cells, "print(check(masked_softmax).progress)")
    assert "Later notebooks use the course's masked_softmax: yours cannot be kept, since `lows`" in output
    assert accepted_answers.read(learners_folder) == {}


@pytest.mark.slow
def test_a_class_is_kept_with_its_bases_and_another_answer_that_it_uses(learners_folder):
    printed_by(learners_folder, NOTEBOOK, ANSWER, "check(masked_softmax)")
    layer = inspect.getsource(solution("additive", "torch").AdditiveAttention)
    imports = "from solutions.masked_softmax.in_torch import masked_softmax"
    printed_by(
        learners_folder,
        NOTEBOOK,
        "solved('torch').masked_softmax",
        imports,
        layer,
        "check(AdditiveAttention)",
    )
    source = accepted_answers.read(learners_folder)["additive_attention"]["torch"]
    assert source.startswith(f"{imports}\nimport torch\n") and "class AdditiveAttention(" in source
    code = "from autograder import solved\nprint(solved('torch').AdditiveAttention.__module__)"
    assert "accepted_answers" in printed_by(learners_folder, code)


def test_a_kept_answer_that_no_longer_runs_is_said_and_the_reference_is_used(learners_folder):
    accepted_answers.keep(learners_folder, "masked_softmax", "torch", "import nowhere_at_all\n")
    output = printed_by(learners_folder, USE)
    assert "Your kept masked_softmax cannot be used (ModuleNotFoundError: " in output
    assert "solutions.masked_softmax.in_torch" in output


@pytest.mark.parametrize(
    "damaged", ["", "[]", '{"masked_softmax": "text"}', '{"masked_softmax": {"torch": 1}}']
)
def test_a_damaged_file_of_answers_counts_as_none(learners_folder, damaged):
    (learners_folder / accepted_answers.FILE).write_text(damaged)
    assert not accepted_answers.read(learners_folder).get("masked_softmax")


def test_an_answer_can_be_forgotten(learners_folder):
    printed_by(learners_folder, NOTEBOOK, ANSWER, "check(masked_softmax)")
    done = autograder("learn", learners_folder, "--forget", "masked_softmax")
    assert done.returncode == 0 and "Forgotten: later notebooks use the course's" in done.stdout
    assert accepted_answers.read(learners_folder) == {} == progress.read(learners_folder / progress.FILE)
    done = autograder("learn", learners_folder, "--forget", "masked_softmax")
    assert done.returncode == 2 and "No answer to masked_softmax is accepted" in done.stderr


def test_what_was_assigned_is_no_answer_that_can_be_forgotten(learners_folder):
    (learners_folder / progress.FILE).write_text(json.dumps({progress.ASSIGNED: ["masked_softmax"]}))
    done = autograder("learn", learners_folder, "--forget", progress.ASSIGNED)
    assert done.returncode == 2 and "No answer to assignment is accepted" in done.stderr
    assert progress.read(learners_folder / progress.FILE)[progress.ASSIGNED] == ["masked_softmax"]


def test_a_learners_kept_answers_are_no_submission(learners_folder):
    accepted_answers.keep(learners_folder, "masked_softmax", "torch", ANSWER)
    assert find(learners_folder)[0] == []


def test_what_attention_check_accepts_in_a_file_is_kept_too(learners_folder):
    name = "split_heads.py"
    source = f"import torch\n\n\n{inspect.getsource(split_heads)}"
    (learners_folder / name).write_text(source)
    (verdict,) = check_file(learners_folder / name, [all_exercises()["split_heads"]], "torch", by_name=True)
    assert verdict.outcome == "accepted"
    stored = accepted_answers.read(learners_folder)["split_heads"]["torch"]
    assert "parts.transpose(1, 2)" in stored
    assert is_answer(solution("multi_head", "torch").split_heads, split_heads)
