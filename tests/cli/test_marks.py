"""The command line: `report` and `export`."""

import csv
import io

import pytest

from autograder.marks.gradebook import Gradebook
from autograder.model.results import SubmissionResult
from tests.support import autograder, verdict


@pytest.fixture
def book(tmp_path):
    """A gradebook of two exercises and one learner; gives its path."""
    opened = Gradebook(tmp_path / "book")
    both = [verdict(outcome="accepted"), verdict("masked_softmax_or_zero", outcome="rejected")]
    opened.add(SubmissionResult("u101.py", "d1", None, both, 0.5, False), "all")
    opened.close()
    return tmp_path / "book"


def rows(text):
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("export", "csv", "no-such-book"), "There is no gradebook"),
        (("report", "no-such-book"), "There is no gradebook"),
    ],
)
def test_a_missing_gradebook_gets_a_sentence(arguments, words):
    result = autograder(*arguments)
    assert result.returncode == 2 and words in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr


def test_canvas_without_a_roster_says_what_is_missing(book):
    result = autograder("export", "canvas", book)
    assert result.returncode == 2 and "needs --roster FILE" in " ".join(result.stderr.split())


def test_the_assignment_is_named_to_report_and_export(book, tmp_path):
    words = ["--exercise", "masked_softmax_or_zero"]
    done = autograder("export", "csv", book, *words)
    assert rows(done.stdout)[0] == ["learner", "masked_softmax_or_zero", "points", "possible", "practice"]
    done = autograder("report", book, "--to", tmp_path / "pages", *words)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "pages" / "index.html").read_text()
    assert "(masked_softmax_or_zero," in page and "(masked_softmax," not in page
    done = autograder("export", "csv", book, "--exercise", "nothing")
    assert done.returncode == 2 and "no exercise 'nothing'" in done.stderr
