"""Two learners hand in the same bytes: what is kept with them names neither, and no page names another learner."""

import json
import sqlite3
from contextlib import closing

import pytest

from autograder.grade.run import GradingRun
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import standing_in
from autograder.model.results import SubmissionResult
from autograder.read.files import SubmittedFile
from tests.classes import RUN, grade
from tests.support import autograder

STOPS = "import torch\ndef masked_softmax(X, valid_length):\n    return torch.nothing(X)\n"
FILES = {
    "{}.ipynb": "{}",
    "{}_stops.py": STOPS,
    "{}_other.py": "x = 1\n",
    "{}_broken.py": "def masked_softmax(:\n",
}
READ = ("anna_ng", "ben_brown")


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """The gradebook of two learners with equal files, each named after its learner; gives its path."""
    folder = tmp_path_factory.mktemp("equal")
    for who in READ:
        (folder / "in" / who).mkdir(parents=True)
        for name, text in FILES.items():
            (folder / "in" / who / name.format(who)).write_text(text)
    done = autograder("grade", folder / "in", "--exercise", "masked_softmax", "--gradebook", folder / "book")
    assert done.returncode == 0, done.stderr
    for who in READ:
        assert f"{who}/{who}.ipynb, masked_softmax: The file is not a readable notebook" in done.stdout
    return folder / "book"


@pytest.mark.slow
def test_no_page_names_another_learner(book, tmp_path):
    autograder("report", book, "--to", tmp_path / "pages")
    autograder("feedback", "web", book, "--to", tmp_path / "web")
    with closing(Gradebook(book)) as opened:
        learners = standing_in(opened).learners
    for who, other in zip(learners, READ[::-1], strict=True):
        for subfolder in ("pages", "web"):
            page = (tmp_path / subfolder / who.page).read_text()
            assert f"{who.name}/{who.name}.ipynb is not a readable notebook" in page and other not in page
    for learner, other in zip(json.loads(autograder("export", "json", book).stdout), READ[::-1], strict=True):
        assert other not in json.dumps(learner)


def test_what_is_kept_by_bytes_names_nobody(book):
    with closing(sqlite3.connect(book)) as opened:
        problems = opened.execute("select problem from files where problem is not null").fetchall()
        verdicts = opened.execute("select verdict from results").fetchall()
    assert len(problems) == 2 and len(verdicts) == 4
    assert not any(who in words for (words,) in problems + verdicts for who in READ)
    assert all("he file" in words for (words,) in verdicts)


def test_a_second_run_names_each_by_its_own_name(book):
    path = book.parent / "in"
    problems = [result.problem for result in grade(path, book, RUN) if result.problem]
    assert [words.partition(" ")[0] for words in problems] == [f"{who}/{who}.ipynb" for who in READ]


def test_a_gradebook_of_before_names_nobody_else(tmp_path):
    with closing(Gradebook(tmp_path / "book")) as opened:
        for name in ("anna/a.ipynb", "ben/b.ipynb"):
            opened.add(SubmissionResult(name, "same", f"{name} is not a readable notebook."), "all")
        opened.connection.execute("update files set problem = 'ben/b.ipynb is not a readable notebook.'")
        names = {name: f"{name} is not a readable notebook." for name in ("anna/a.ipynb", "ben/b.ipynb")}
        assert opened.problems() == names
        opened.make_current("cy/c.ipynb", "same")
        assert opened.problems() == names | {"cy/c.ipynb": "cy/c.ipynb is not a readable notebook."}
        assert opened.problem_of("same", "di.ipynb") == "di.ipynb is not a readable notebook."


def test_what_comes_of_a_learners_time_is_said_of_that_learner_alone(tmp_path):
    """Of two files with the same bytes one could not be run, since its learner's time was used up by others."""
    for name in ("anna.py", "ben.py"):
        (tmp_path / name).write_text("x = 1\n")
    sources = [SubmittedFile(name, tmp_path / name) for name in ("anna.py", "ben.py")]
    with closing(Gradebook(tmp_path / "book")) as opened:
        opened.begin(str(tmp_path), ["anna.py", "ben.py"], RUN.assignment, practice=False)
        run = GradingRun(opened, RUN, lambda done, total: None)
        (job,) = run._jobs(sources[:1])
        opened.add(SubmissionResult("anna.py", "bytes", None), RUN.conditions)
        run.learner_seconds.rest["ben"] = 0
        assert list(run._jobs(sources[1:])) == [] and job.name == "anna.py"
        assert list(opened.problems()) == ["ben.py"] and "was not run" in opened.problems()["ben.py"]
        assert [(file.name, file.is_tried) for file in opened.waiting()] == [("ben.py", True)]
        # With the same bytes as Anna's, which are graded, nothing has to be run.
        opened.add(SubmissionResult("anna.py", run.done["ben.py"].digest, None), RUN.conditions)
        assert list(run._jobs(sources[1:])) == [] and opened.problems() == {} and not opened.waiting()
