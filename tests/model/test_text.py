"""Words of a stranger: cleaned and capped."""

import pytest

from autograder.model.text import clean


@pytest.mark.parametrize(
    ("words", "expected"),
    [("a\nb", "a b"), ("\x1b[2Jx", "�[2Jx"), ("\u202eabc", "�abc"), ("ok ✓ é", "ok ✓ é"), ("\ud800", "�")],
)
def test_words_are_cleaned(words, expected):
    assert clean(words) == expected


def test_words_are_capped():
    assert len(clean("x" * 10_000)) == 2000
