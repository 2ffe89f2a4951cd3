"""The stored model writes with a reader's answer as one of its parts."""

import pytest

from autograder.book.answer_stub import answer_stub
from autograder.model.catalogue import all_exercises
from course.gpt.model_of_parts import BEGINNING, PARTS
from course.gpt.write_with import RIGHT_TO_CHOOSE, SAME, write_with
from tests.frameworks.test_numpy import with_reference

RELU = """import numpy as np

def gated_feed_forward(X, W_gate, W_up, W_down):
    return (np.maximum(X @ W_gate, 0) * (X @ W_up)) @ W_down
"""


@pytest.mark.parametrize("name", PARTS)
def test_a_right_answer_writes_as_the_model_does(name):
    report = write_with(name, with_reference(all_exercises()[name]), seed=3)
    assert report["outcome"] == "accepted" and report["told"].startswith("Your answer writes this text")
    assert (report["told"] == RIGHT_TO_CHOOSE) == (name == "top_p")
    assert report["written"].startswith(BEGINNING) and report["own"] == ""


def test_a_wrong_answer_writes_too_and_its_idea_stands_beside_the_text():
    report = write_with("gated_feed_forward", RELU, seed=3)
    assert report["outcome"] == "rejected"
    assert "ReLU (this form is called ReGLU)" in report["told"]
    assert report["written"] != report["own"] and report["written"].startswith(BEGINNING)


def test_a_mistake_that_the_text_does_not_show_is_told_as_one():
    """Probabilities that do not sum to 1 are drawn from in the same proportions."""
    text = """from solutions.language_model.in_numpy import top_p as kept

def top_p(probabilities, p):
    return 2 * kept(probabilities, p)
"""
    report = write_with("top_p", text, seed=3)
    assert report["outcome"] == "rejected" and report["told"].endswith(SAME)
    assert report["written"] and not report["own"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "there is nothing to call"),
        ("def rotary(X, positions, base=10000):", "there is nothing to call"),
        ("def rotary(X, positions, base=10000):\n    return X[..., :2]", "and must give (6, 2, 12)"),
        ("def rotary(X, positions, base=10000):\n    return X / 0", "not finite"),
        (
            "def rotary(X, positions, base=10000):\n    return unknown",
            "NameError: name 'unknown' is not defined.",
        ),
    ],
)
def test_where_it_cannot_write_it_says_why(text, words):
    report = write_with("rotary", text or answer_stub(all_exercises()["rotary"]), seed=3)
    assert words in report["told"] and report["written"] == report["own"] == ""
    assert report["html"]
