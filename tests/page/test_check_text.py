"""Answers from the book's page: the same verdicts, as text that a page can show."""

import builtins
import re

import pytest

from autograder.book.answer_stub import NOT_WRITTEN, answer_stub
from autograder.model.catalogue import all_exercises
from autograder.page.check_text import MAX_PRINTED, check_text
from tests.support import need

RIGHT = (
    "from solutions.masked_softmax.in_numpy import softmax\nimport numpy as np\n"
    + """
def masked_softmax(X, valid_length):
    if valid_length is None:
        return softmax(X)
    valid_length = valid_length if valid_length.ndim == 2 else valid_length[:, None]
    return softmax(np.where(np.arange(X.shape[-1]) < valid_length[..., None], X, -1e6))
"""
)


def test_a_right_answer_is_accepted_and_shown():
    result = check_text("masked_softmax", RIGHT)
    assert result["outcome"] == "accepted"
    assert "passed" in result["html"] and "computes the reference" in result["text"]
    assert result["printed"] == ""


def test_a_wrong_idea_is_named_and_drawn():
    result = check_text("masked_softmax", RIGHT.replace("-1e6", "0"))
    assert result["outcome"] == "rejected" and result["printed"] == ""
    drawn, _, numbers = result["html"].partition("<summary>The numbers</summary>")
    assert "<table" in numbers and "expected" in numbers
    assert "<code>valid_length = [1]</code>" in drawn and drawn.count("<svg") == 2
    assert drawn.count('class="masked"') == 4  # of three keys, yours and right


@pytest.mark.parametrize(
    ("body", "looks"),
    [
        (
            "X.reshape(X.shape[0] * num_heads, X.shape[1], -1)",
            ["cell", "wrong"],
        ),  # no weights: numbers in cells
        ("X", []),  # another shape: there is nothing to be drawn
    ],
)
def test_other_results_are_drawn_as_numbers(body, looks):
    html = check_text("split_heads", f"def split_heads(X, num_heads):\n    return {body}")["html"]
    assert sorted(set(re.findall('<rect class="([a-z]+)"', html))) == looks
    assert ("<summary>" in html) == bool(looks)


def test_a_stub_needs_no_scrolling():
    for exercise in all_exercises().values():
        lines = [line for line in answer_stub(exercise).splitlines() if not line.startswith("from ")]
        assert max(map(len, lines)) <= 80, exercise.name


def test_a_stub_is_not_written_yet():
    stub = answer_stub(all_exercises()["masked_softmax"])
    assert check_text("masked_softmax", stub)["outcome"] == "missing"


@pytest.mark.parametrize(
    ("source", "outcome", "words"),
    [
        ("", "missing", "It defines no function named masked_softmax."),
        ("def masked_softmax(X:", "error", "SyntaxError"),
        ("import torch_is_not_here", "error", "torch_is_not_here"),
        (
            "y = 1\nx = unknown",
            "error",
            "(line 2: `x = unknown`). Only what stands in the field runs: define unknown there, or import it.",
        ),
        (
            "import math\n!pip install scipy",
            "error",
            "commands do not run in the page, and nothing can be installed there: leave this one out (line 2: `!pip",
        ),
        ("masked_softmax = 3", "rejected", "not something that can be called"),
        (
            "from solutions.masked_softmax.in_numpy import masked_softmax",
            "missing",
            "the course's own solution here, and not your answer: write masked_softmax in the field.",
        ),
    ],
)
def test_what_cannot_be_judged_gets_a_sentence(source, outcome, words):
    result = check_text("masked_softmax", source)
    assert result["outcome"] == outcome and words in result["text"]


@pytest.mark.parametrize(
    ("statement", "module"),
    [
        ("from scipy_not_here.special import softmax", "scipy_not_here"),
        ("import torch_not_here as softmax", "torch_not_here"),
        ("from scipy_not_here import (  # one\n    softmax,\n)", "scipy_not_here"),
        ("from torch_not_here import *", "torch_not_here"),
    ],
)
def test_an_import_that_failed_is_named_where_its_name_is_missing(statement, module):
    source = RIGHT.replace("from solutions.masked_softmax.in_numpy import softmax", statement)
    message = check_text("masked_softmax", source)["message"]
    assert message.startswith(
        f"The import in line 1 failed: {module} is not in the page: answer without it, or try it in the notebook. "
        "It stops with NameError"
    )


def test_an_import_that_failed_is_named_where_only_some_cases_stop_over_it():
    source = RIGHT.replace("import numpy", "import nunpy_not_here")
    source = source.replace("from solutions.masked_softmax.in_numpy import softmax", "softmax = lambda X: X")
    result = check_text("masked_softmax", source)
    assert result["outcome"] == "rejected"
    assert result["message"].startswith("The import in line 2 failed: nunpy_not_here is not in the page")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("F", "F is not defined: import it (line 2"),
        ("npx", "npx is not defined: it is MXNet's, and this is the PyTorch answer"),
    ],
)
def test_in_the_page_there_is_no_cell_to_run(name, words):
    source = f"def masked_softmax(X, valid_length):\n    return {name}.softmax(X)\n"
    assert check_text("masked_softmax", source, "torch")["message"].startswith(words)


def test_an_import_that_failed_is_named_before_whose_name_it_is():
    source = "from mxnet_not_here import npx\n\n\ndef masked_softmax(X, valid_length):\n    return npx.softmax(X)\n"
    message = check_text("masked_softmax", source, "torch")["message"]
    assert message.startswith("The import in line 1 failed: mxnet_not_here is not in the page")
    assert "npx is not defined: it is MXNet's" in message


def test_an_import_in_a_function_that_failed_is_said_to_be_in_the_notebook():
    result = check_text("masked_softmax", RIGHT.replace("    return", "    import xml.not_here\n    return"))
    assert (
        "xml.not_here is not in the page: answer without it, or try it in the notebook" in result["message"]
    )
    assert "No module named" not in result["text"] + result["html"]


def test_a_name_that_nothing_has_imported_stays_what_it_is():
    source = f"import scipy_not_here\n{RIGHT.replace('softmax(X)', 'softmix(X)')}"
    assert check_text("masked_softmax", source)["message"].startswith("It stops with NameError")


def test_words_of_an_error_that_are_no_code_get_a_sentence():
    words = check_text("masked_softmax", "name 'q' is not defined\n")["text"]
    assert "It stops with SyntaxError: invalid syntax (line 1: `name 'q' is not defined`)." in words


def test_input_is_said_to_be_impossible(monkeypatch):
    """In a browser Python has no standard input, and says so by the number of an error."""

    def no_input(*_):
        raise OSError(29, "I/O error")

    monkeypatch.setattr(builtins, "input", no_input)
    source = RIGHT.replace("    if valid_length is None", "    input()\n    if valid_length is None")
    message = check_text("masked_softmax", source)["message"]
    assert message.startswith("Nothing can be typed while an answer runs in the page: leave out input().")


def test_what_an_answer_prints_is_given_back_up_to_a_length():
    assert check_text("masked_softmax", f"print('<b>seen</b>')\n{RIGHT}")["printed"] == "<b>seen</b>\n"
    assert len(check_text("masked_softmax", f"print('x' * 9999)\n{RIGHT}")["printed"]) == MAX_PRINTED + 1


def test_words_of_the_reader_are_escaped_in_the_verdict():
    result = check_text("masked_softmax", "raise ValueError('<img src=x>')")
    assert "<img" not in result["html"] and "&lt;img" in result["html"]


def test_an_unknown_exercise_is_an_error():
    with pytest.raises(KeyError):
        check_text("no_such_exercise", RIGHT)


@pytest.mark.parametrize("framework", ["numpy", "torch"])
def test_every_stub_of_the_page_runs(framework):
    need(framework)
    for exercise in all_exercises().values():
        namespace = {"__name__": "stub"}
        exec(answer_stub(exercise, framework), namespace)
        assert callable(namespace[exercise.entry])


def test_the_stub_imports_what_the_exercise_provides():
    for name, functions in {
        "encode": "pieces_of, encode_piece",
        "encode_piece": "merge_pair",
        "learn_merges": "merge_pair",
        "attend_with_cache": "plain_attention",
        "draw_token": "top_p",
    }.items():
        exercise = all_exercises()[name]
        line = f"from solutions.{exercise.topic}.in_numpy import {functions}"
        assert line in answer_stub(exercise).splitlines()
    lines = answer_stub(all_exercises()["gpt_block"], "torch").splitlines()
    assert "from solutions.gpt.in_torch import RMSNorm, RotaryAttention" in lines
    assert not any(line.startswith("from solutions.positions") for line in lines)
    text = answer_stub(all_exercises()["encode"]).replace(
        NOT_WRITTEN, "return [token for piece in pieces_of(text) for token in encode_piece(piece, merges)]"
    )
    assert check_text("encode", text)["outcome"] == "accepted"
