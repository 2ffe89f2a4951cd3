"""The stored model writes with a reader's answer as one of its parts."""

import pytest

from autograder.book.numpy_stub import numpy_stub
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
    found = write_with(name, with_reference(all_exercises()[name]), 3)
    assert found["outcome"] == "accepted" and found["told"].startswith("Your answer writes this text")
    assert (found["told"] == RIGHT_TO_CHOOSE) == (name == "top_p")
    assert found["written"].startswith(BEGINNING) and found["own"] == ""


def test_a_wrong_answer_writes_too_and_its_idea_stands_beside_the_text():
    found = write_with("gated_feed_forward", RELU, 3)
    assert found["outcome"] == "rejected"
    assert "ReLU (this form is called ReGLU)" in found["told"]
    assert found["written"] != found["own"] and found["written"].startswith(BEGINNING)


def test_a_mistake_that_the_text_does_not_show_is_told_as_one():
    """Probabilities that do not sum to 1 are drawn from in the same proportions."""
    text = """from solutions.language_model.in_numpy import top_p as kept

def top_p(probabilities, p):
    return 2 * kept(probabilities, p)
"""
    found = write_with("top_p", text, 3)
    assert found["outcome"] == "rejected" and found["told"].endswith(SAME)
    assert found["written"] and not found["own"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "there is nothing to call"),
        ("def rotary(X, positions):", "there is nothing to call"),
        ("def rotary(X, positions):\n    return X[..., :2]", "and must give (6, 2, 12)"),
        ("def rotary(X, positions):\n    return X / 0", "not finite"),
        ("def rotary(X, positions):\n    return unknown", "NameError: name 'unknown' is not defined."),
    ],
)
def test_where_it_cannot_write_it_says_why(text, words):
    found = write_with("rotary", text or numpy_stub(all_exercises()["rotary"]), 3)
    assert words in found["told"] and found["written"] == found["own"] == ""
    assert found["html"]
