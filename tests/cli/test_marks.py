"""The command line: `report` and `export`."""

import csv
import io
import unicodedata

import pytest

from autograder.marks.gradebook import Gradebook
from autograder.model.assignment import Assignment
from autograder.model.results import SubmissionResult
from tests.support import RIGHT, autograder, verdict


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
    assert rows(done.stdout)[0][:3] == ["learner", "masked_softmax_or_zero", "points"]
    done = autograder("report", book, "--to", tmp_path / "pages", *words)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "pages" / "index.html").read_text()
    assert "(masked_softmax_or_zero," in page and "(masked_softmax," not in page
    done = autograder("export", "csv", book, "--exercise", "nothing")
    assert done.returncode == 2 and "no exercise 'nothing'" in done.stderr


@pytest.mark.slow
def test_names_that_differ_in_case_are_said_to_be_one_learner(tmp_path):
    for place, text in (
        ("Anna Li", ""),
        ("anna li", RIGHT),
        (unicodedata.normalize("NFD", "José"), RIGHT),
        ("José", ""),
    ):
        (tmp_path / "class" / place).mkdir(parents=True, exist_ok=True)
        (tmp_path / "class" / place / "answer.py").write_text(text)
    sentence = "Anna Li and anna li are counted as one learner; rename a folder if they are not."
    book = tmp_path / "book"
    for words in (
        ("grade", tmp_path / "class", "--gradebook", book, "--exercise", "masked_softmax"),
        ("report", book, "--to", tmp_path / "pages"),
        ("export", "csv", book),
    ):
        done = autograder(*words)
        assert done.returncode == 0, done.stderr
        assert " ".join(done.stderr.split()).count(sentence) == 1 and "José" not in done.stderr
    page = (tmp_path / "pages" / "index.html").read_text()
    assert page.count(sentence) == 1 and not any(
        sentence in p.read_text() for p in (tmp_path / "pages").glob("[!i]*.html")
    )


@pytest.fixture
def worksheet(tmp_path):
    """A worksheet of Moodle in French, with a mark that somebody gave; gives its path."""
    path = tmp_path / "sheet.csv"
    path.write_text(
        "Identifiant;Nom complet;Statut;Note;Maximum;Fin\nParticipant 7;u101;Remis;3,5;10,00;-\n",
        encoding="utf-8",
    )
    return path


def test_a_persons_mark_is_refused_kept_or_replaced(book, worksheet):
    command = ("export", "moodle", book, "--roster", worksheet)
    done = autograder(*command)
    assert done.returncode == 2 and "u101: 3,5 (here 5,00)" in " ".join(done.stderr.split())
    assert autograder(*command, "--keep").stdout.split(";")[8] == '"3,5"'
    done = autograder(*command, "--replace")
    assert done.stdout.split(";")[8] == '"5,00"' and "3,5 (here 5,00) is replaced" in " ".join(
        done.stderr.split()
    )
    done = autograder(*command, "--replace", "--unscaled")
    assert done.stdout.split(";")[8] == '"2,00"'
    done = autograder(*command, "--keep", "--replace")
    assert done.returncode == 2 and "not both" in done.stderr


def test_columns_are_named_to_export(book, worksheet):
    done = autograder("export", "moodle", book, "--roster", worksheet, "--column", "grade=Fin")
    assert done.returncode == 0 and done.stdout.split('"')[-2] == "5,00", done.stderr
    done = autograder("export", "moodle", book, "--roster", worksheet, "--column", "Fin")
    assert done.returncode == 2 and "write WHAT=NAME" in " ".join(done.stderr.split())


@pytest.fixture
def two(tmp_path):
    """A gradebook of two learners, and the tables of other systems in which one of them has a row."""
    opened = Gradebook(tmp_path / "two.sqlite")
    for who in ("ann", "bo"):
        opened.add(SubmissionResult(f"{who}.py", who, None, [verdict(outcome="accepted")], 0.5, False), "all")
    opened.close()
    (tmp_path / "moodle.csv").write_text("Identifier,Full name,Grade\nParticipant 7,ann,\n")
    (tmp_path / "canvas.csv").write_text("Student,ID,attention (5)\nann,7,\n")
    return tmp_path / "two.sqlite"


def system(form, book):
    """The words that export marks of all learners to a system."""
    roster = book.with_name(f"{form}.csv")
    more = ["--roster", roster] if roster.exists() else []
    return ["export", form, book, *more]


@pytest.mark.parametrize("form", ["csv", "json", "nbgrader", "canvas", "moodle"])
def test_the_status_says_whether_every_mark_was_written(form, two, tmp_path):
    done = autograder(*system(form, two), "--to", tmp_path / "made")
    lacks = form in ("canvas", "moodle")
    assert done.returncode == lacks and (tmp_path / "made").read_text(), done.stderr
    output = " ".join(done.stderr.split())
    assert (
        "bo: no row has this name" in output and f"1 of 2 learners are not in {tmp_path}/made." in output
    ) is lacks
    (tmp_path / "moodle.csv").write_text(
        "Identifier,Full name,Grade\nParticipant 7,ann,\nParticipant 8,bo,\n"
    )
    (tmp_path / "canvas.csv").write_text("Student,ID,attention (5)\nann,7,\nbo,8,\n")
    assert autograder(*system(form, two), "--to", tmp_path / "made").returncode == 0
    two.with_name("two.corrections.csv").write_text("learner,exercise,points\nanne,masked_softmax,1\n")
    done = autograder(*system(form, two))
    assert done.returncode == 1 and "two.corrections.csv, row 2, does not count" in " ".join(
        done.stderr.split()
    )


def test_the_status_is_explained():
    for command in ("export", "feedback"):
        output = " ".join(autograder(command, "--help").stdout.split())
        assert "exit status is 0 if" in output and "and 2 if nothing was" in output


def test_a_correction_that_names_nobody_is_told_by_each_command_in_the_same_words(tmp_path):
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "ann.py").write_text(RIGHT)
    book = tmp_path / "first.sqlite"
    rows = "learner,exercise,points\nanne,masked_softmax,1\nann,masked_sofmax,1\n"
    (tmp_path / "first.corrections.csv").write_text(rows)
    grade = ("grade", tmp_path / "class", "--gradebook", book, "--exercise", "masked_softmax", "--practice")
    before = [
        "first.corrections.csv, row 2, does not count: the gradebook has no learner 'anne'. Is it ann?",
        "first.corrections.csv, row 3, does not count: the assignment has no exercise 'masked_sofmax'. Is it masked_softmax?",
    ]
    for words, status in (
        (grade, 0),
        (("export", "csv", book, "--to", tmp_path / "marks.csv"), 1),
        (("report", book, "--to", tmp_path / "pages"), 0),
        (("changes", book), 0),
        (("feedback", "web", book, "--to", tmp_path / "public"), 1),
    ):
        done = autograder(*words)
        output = " ".join(done.stderr.split())
        assert done.returncode == status and all(output.count(sentence) == 1 for sentence in before), (
            words,
            output,
        )
    page = (tmp_path / "pages" / "index.html").read_text().replace("&#39;", "'")
    assert all(page.count(sentence) == 1 for sentence in before)
    assert (tmp_path / "first.corrections.csv").read_text() == rows


def test_feedback_is_packed_for_moodle_and_for_the_web(book, worksheet, tmp_path):
    done = autograder("feedback", "moodle", book, "--to", tmp_path / "f.zip", "--roster", worksheet)
    assert done.returncode == 0, done.stderr
    assert "Pages of 1 learners are in" in " ".join(
        done.stdout.split()
    ) and "Upload multiple feedback files" in " ".join(done.stdout.split())
    done = autograder("feedback", "web", book, "--to", tmp_path / "public")
    assert done.returncode == 0 and (tmp_path / "public.csv").is_file(), done.stderr
    done = autograder("feedback", "canvas", book, "--to", tmp_path / "f.zip")
    assert done.returncode == 2 and "number of Canvas" in " ".join(done.stderr.split())
    done = autograder("feedback", "web", book, "--to", worksheet)
    assert done.returncode == 2 and "cannot be written: File exists" in " ".join(done.stderr.split())


def test_feedback_for_two_systems_goes_to_two_archives(tmp_path, monkeypatch):
    opened = Gradebook(tmp_path / "gradebook.sqlite")
    for name in ("Ann (Moodle 7)/101_a.py", "Bo (Canvas 8)/102_a.py"):
        opened.add(SubmissionResult(name, name, None, [verdict(outcome="accepted")], 0.5, False), "all")
    opened.close()
    monkeypatch.setattr("tests.support.ROOT", tmp_path)
    for system in ("moodle", "canvas"):
        assert autograder("feedback", system).returncode == 1
    assert {path.name for path in tmp_path.glob("*.zip")} == {"feedback_moodle.zip", "feedback_canvas.zip"}


def test_faults_that_were_graded_once_are_set_aside(tmp_path):
    """A gradebook and an assignment's file from before: the book opens, the file says what to take out."""
    faults = "masked_softmax_faults_3"
    file, path = tmp_path / "first.toml", tmp_path / "book"
    file.write_text("[exercises]\nmasked_softmax = 2\n[[practice]]\nexercise = 'masked_softmax'\nitems = 3\n")
    opened = Gradebook(path)
    rules = Assignment({"masked_softmax": 2.0, faults: 4.0}, file=str(file))
    opened.begin("class", ["ann.py"], rules, practice=False)
    both = [verdict(outcome="accepted"), verdict(faults, "", failed_stage="misconception")]
    opened.add(SubmissionResult("ann.py", "1", None, both, 0.5, False), "all")
    opened.close()
    done = autograder("export", "csv", path)
    assert rows(done.stdout)[0][:3] == ["learner", "masked_softmax", "points"]
    assert f"{faults} is no exercise of the last run: its results are kept, and do not count." in done.stderr
    assert "faults in [[practice]], which are no longer graded: take these lines out." in done.stderr
    assert autograder("report", path, "--to", tmp_path / "pages").returncode == 0
    assert autograder("similar", path).returncode == 0
