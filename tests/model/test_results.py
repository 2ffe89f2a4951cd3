"""Whose a submission is."""

import pytest

from autograder.model.results import learner_of


@pytest.mark.parametrize(
    ("name", "who"), [("a.ipynb", "a"), ("number_7/a.ipynb", "number_7"), ("number_7/deep/b.py", "number_7")]
)
def test_a_learner_is_the_first_folder_or_the_file(name, who):
    assert learner_of(name) == who
