"""A run that was stopped, or that still goes on: none of its marks is a result, whatever command reads the gradebook."""

import csv
import io
import json
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from contextlib import closing

import pytest

from autograder.grade import run as grading
from autograder.grade.run import GradingRun
from autograder.marks.gradebook import SCHEMA, Gradebook
from autograder.marks.standing import standing_in
from autograder.model.assignment import Assignment
from autograder.model.paths import ROOT
from autograder.model.results import SubmissionResult
from autograder.read.files import LEFT_OUT, NOT_READ, find
from tests.classes import RUN, make_class
from tests.support import RIGHT, autograder, verdict

STUB = "def masked_softmax(X, valid_length):\n    raise NotImplementedError"
FILES = ["ann/1.py", "ann/2.py", "bo/1.py", "cy/1.py"]
RULES = Assignment({"masked_softmax": 2.0, "scaled_scores": 2.0}, name="First")
SENTENCE = "{} of {} not graded yet: the run was stopped, or is still going on."
NONE_MISSING = "nothing that was handed in defines"


def result(name, exercise="masked_softmax", final=True):
    verdict_of_file = verdict(exercise, outcome="accepted" if final else "timeout", is_settled=final)
    return SubmissionResult(name, f"bytes of {name}", None, [verdict_of_file], 0.1, is_settled=final)


def keep(book, *names, **more):
    for name in names:
        graded = result(name, "scaled_scores" if name == "ann/2.py" else "masked_softmax", **more)
        book.add(graded, "all" if graded.is_settled else None)


def stopped(path, *names, folder="class"):
    """A gradebook of a class whose run was stopped after these files; gives its path."""
    with closing(Gradebook(path)) as book:
        book.begin(folder, FILES, RULES, practice=False)
        keep(book, *names)
    return path


@pytest.fixture
def book(tmp_path):
    """Of four files of three learners, Ann's first and Bo's are graded."""
    return stopped(tmp_path / "first.sqlite", "ann/1.py", "bo/1.py")


def output_of(done):
    assert "Traceback" not in done.stderr
    return " ".join(f"{done.stdout} {done.stderr}".split())


COMMANDS = {
    "csv": ("export", "csv"),
    "json": ("export", "json"),
    "nbgrader": ("export", "nbgrader"),
    "changes": ("changes",),
    "similar": ("similar",),
    "report": ("report", "--to", "{}/pages"),
    "feedback": ("feedback", "web", "--to", "{}/web"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_so_and_what_to_type(book, tmp_path, name):
    index = 2 if COMMANDS[name][0] in ("export", "feedback") else 1
    words = [word.format(tmp_path) for word in COMMANDS[name]]
    words.insert(index, str(book))
    with closing(Gradebook(book)) as opened:
        opened.note_export({"form": "csv", "time": "then", "learners": {}})
    done = autograder(*words)
    assert done.returncode == 1
    assert SENTENCE.format("2 files", "2 learners are") in output_of(done), output_of(done)
    assert f"type: attention grade class --gradebook {book}" in output_of(done)
    with closing(Gradebook(book)) as opened:
        keep(opened, "ann/2.py", "cy/1.py")
    done = autograder(*words)
    assert done.returncode == 0 and "not graded yet" not in output_of(done)


def test_an_export_has_marks_of_whose_files_are_all_graded(book):
    rows = {
        row["learner"]: row for row in csv.DictReader(io.StringIO(autograder("export", "csv", book).stdout))
    }
    assert rows["bo"]["points"] == "2" and rows["ann"]["points"] == rows["cy"]["points"] == ""
    assert (
        rows["ann"]["masked_softmax"] == ""
        and "1 file is not graded yet: ann/2.py." in rows["ann"]["remarks"]
    )
    learners = {who["learner"]: who for who in json.loads(autograder("export", "json", book).stdout)}
    assert (
        learners["bo"]["points"] == 2
        and learners["ann"]["points"] is None
        and learners["cy"]["marks"][0]["points"] is None
    )
    assert learners["cy"]["missing"] == [] and learners["cy"]["not_graded"] == ["cy/1.py"]
    table = list(csv.DictReader(io.StringIO(autograder("export", "nbgrader", book).stdout)))
    assert [row["score"] for row in table] == ["", "2", ""]


def test_a_table_of_another_system_gets_no_mark_that_is_open(book, tmp_path):
    (tmp_path / "grades.csv").write_text(
        "Student,ID,First (1)\n    Points Possible,,4\nann,1,\nbo,2,\ncy,3,\n", encoding="utf-8"
    )
    (tmp_path / "sheet.csv").write_text(
        "Identifier,Full name,Grade,Maximum Grade\nParticipant 1,ann,,4\nParticipant 2,bo,,4\nParticipant 3,cy,,4\n"
    )
    for form, roster, column in (("canvas", "grades.csv", "First (1)"), ("moodle", "sheet.csv", "Grade")):
        done = autograder("export", form, book, "--roster", tmp_path / roster)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        assert [float(row[column] or 0) for row in rows[-3:]] == [0, 2, 0], done.stdout
        assert done.returncode == 1 and "ann: 1 file is not graded yet: ann/2.py." in output_of(done)
        assert "2 of 3 learners are not in" in output_of(done)


def test_pages_say_not_graded_yet(book, tmp_path):
    autograder("report", book, "--to", tmp_path)
    with closing(Gradebook(book)) as opened:
        learners = {who.name: (tmp_path / who.page).read_text() for who in standing_in(opened).learners}
    assert NONE_MISSING not in learners["ann"] + learners["cy"] and NONE_MISSING in learners["bo"]
    assert (
        "1 file is not graded yet: ann/2.py." in learners["ann"] and "2 of 4 points so far" in learners["ann"]
    )
    assert learners["cy"].count("Not graded yet.") == 2
    page = (tmp_path / "index.html").read_text()
    assert "2 of them not graded to the end; points: median 2 of 4, from 2 to 2." in page
    assert page.count(">not graded yet<") == 2 and "2 files of 2 learners are not graded yet" in page
    assert "1 missing, 2 ungraded" in page


def test_an_export_of_an_unfinished_run_is_not_what_changes_compares_with(book, tmp_path):
    autograder("export", "csv", book, "--to", tmp_path / "marks.csv")
    assert "No marks of" in output_of(autograder("changes", book))
    with closing(Gradebook(book)) as opened:
        keep(opened, "ann/2.py", "cy/1.py")
    assert autograder("export", "csv", book, "--to", tmp_path / "marks.csv").returncode == 0
    stopped(book, "bo/1.py")  # the next run
    done = autograder("changes", book)
    assert done.returncode == 1 and "No mark has changed" in done.stdout


@pytest.mark.parametrize("began", [True, False])
def test_a_run_that_was_stopped_before_its_first_result_is_no_empty_table(tmp_path, began):
    path = tmp_path / "first.sqlite"
    if began:
        stopped(path)
    else:
        Gradebook(path).close()
    done = autograder("export", "csv", path)
    words = (
        SENTENCE.format("4 files", "3 learners are")
        if began
        else "holds no result yet. To grade, type: attention grade"
    )
    assert done.returncode == 1 and words in output_of(done)
    assert [row[0] for row in csv.reader(io.StringIO(done.stdout))] == [
        "learner",
        *["ann", "bo", "cy"] * began,
    ]


def test_a_new_version_of_a_file_is_waited_for_too(book):
    """The old bytes were graded; the run was stopped before it came to the new ones."""
    with closing(Gradebook(book)) as opened:
        keep(opened, "ann/2.py", "cy/1.py")
    stopped(book, "ann/1.py", "ann/2.py", "cy/1.py")
    done = autograder("export", "csv", book)
    assert done.returncode == 1 and SENTENCE.format("1 file", "1 learner is") in output_of(done)


def test_what_was_tried_and_not_finished_holds_up_its_learner_alone(book):
    with closing(Gradebook(book)) as opened:
        keep(opened, "cy/1.py")
        keep(opened, "ann/2.py", final=False)
    done = autograder("export", "csv", book)
    words = "1 file of 1 learner is not graded yet: it was tried, and the learner's page says why it was not finished."
    assert done.returncode == 1 and words in output_of(done)
    assert [row[3] for row in csv.reader(io.StringIO(done.stdout))] == ["points", "", "2", "2"]
    # A person's word on the whole needs no run.
    book.with_suffix(".corrections.csv").write_text(
        "learner,exercise,points,late_days,comment,date\nann,,3,,Read by hand.,2030-01-31\n"
    )
    assert [row[3] for row in csv.reader(io.StringIO(autograder("export", "csv", book).stdout))][1] == "3"


def test_a_gradebook_of_before_is_waited_for_too(book):
    with closing(sqlite3.connect(book)) as old, old:
        old.execute("drop table waiting")
    assert SENTENCE.format("2 files", "2 learners are") in output_of(autograder("export", "csv", book))
    with closing(Gradebook(book)) as opened:
        assert len(opened.waiting()) == 2 and "waiting" in SCHEMA
        keep(opened, "ann/2.py", "cy/1.py")
    assert autograder("export", "csv", book).returncode == 0


def test_the_line_is_the_one_that_was_typed(tmp_path, monkeypatch):
    folder = tmp_path / "the class"
    folder.mkdir()
    (folder / "ann.py").write_text(RIGHT)

    def stop(run, job):
        raise KeyboardInterrupt

    monkeypatch.setattr(grading.GradingRun, "_jobs", stop)
    book = tmp_path / "first.sqlite"
    words = ["--exercise", "masked_softmax", "--framework", "torch", "--practice", "--processes", "1"]
    assert autograder("grade", folder, *words, "--gradebook", book).returncode == 130
    done = autograder("export", "csv", book)
    assert done.returncode == 1
    line = f"attention grade '{folder}' {' '.join(words)} --gradebook {book}"
    assert line in output_of(done), output_of(done)
    monkeypatch.chdir(tmp_path)
    with closing(Gradebook(book)) as opened:
        (words,) = standing_in(opened).unfinished
    assert f"type: cd {ROOT} && attention grade" in words


def test_a_gradebook_takes_another_folder_only_where_that_is_typed(tmp_path):
    """A gradebook of last year, and this year's class; or one class in two folders, which is asked about once."""
    for folder, names in (("last", ("ann", "bo")), ("this", ("cy",))):
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / f"{name}.py").write_text(STUB)
    words = ["--exercise", "masked_softmax", "--framework", "torch", "--practice", "--processes", "1"]
    words += ["--gradebook", tmp_path / "book"]
    last, this = (["grade", tmp_path / folder, *words] for folder in ("last", "this"))
    assert autograder(*last).returncode == 0
    done = autograder(*this)
    asks = f"{tmp_path / 'book'} is the gradebook of {tmp_path / 'last'}, and not of {tmp_path / 'this'}"
    assert done.returncode == 2 and asks in output_of(done) and "--add-folder" in output_of(done)
    with closing(Gradebook(tmp_path / "book")) as book:
        assert book.files() == ["ann.py", "bo.py"]
    for again in ([*this, "--add-folder"], this, last):
        assert autograder(*again).returncode == 0
    with closing(Gradebook(tmp_path / "book")) as book:
        assert book.files() == ["ann.py", "bo.py", "cy.py"]


def test_a_folder_that_is_refilled_by_others_is_asked_about(tmp_path):
    """Emptied, and filled with the next term's hand-ins; one of three repeats. One who is gone of three is no new term."""
    work = tmp_path / "class"
    work.mkdir()
    words = ["--exercise", "masked_softmax", "--framework", "torch", "--practice", "--processes", "1"]
    outputs = []
    for names in (("ann", "bo", "cy"), ("ann", "bo"), ("ann", "di", "eve")):
        for path in work.iterdir():
            path.unlink()
        for name in names:
            (work / f"{name}.py").write_text(STUB)
        outputs.append(output_of(autograder("grade", work, *words, "--gradebook", tmp_path / "book")))
    asks = f"2 of 5 learners of {tmp_path / 'book'} have no file in {work} any more: is this another term?"
    assert [asks in output for output in outputs] == [False, False, True]
    assert not any("another term" in output for output in outputs[:2])


def test_tables_that_lie_beside_a_new_gradebook_are_named(tmp_path):
    """In August somebody copies last year's tables along, and one of the class repeats the course."""
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "ann.py").write_text(STUB)
    (tmp_path / "first.corrections.ben.csv").write_text("learner,points\nann,1\n")
    (tmp_path / "first.times.csv").write_text("learner,time\nann,2030-01-31\n")
    words = ["--exercise", "masked_softmax", "--framework", "torch", "--practice", "--processes", "1"]
    typed = ["grade", tmp_path / "class", *words, "--gradebook", tmp_path / "first.sqlite"]
    named = [f"{tmp_path / f'first.{name}.csv'} counts in the new" for name in ("corrections.ben", "times")]
    output = output_of(autograder(*typed))
    assert all(words in output for words in named), output
    output = output_of(autograder(*typed))
    assert not any(words in output for words in named), output


def test_a_folder_that_is_full_now_is_not_said_to_be_gone(tmp_path):
    """What a run says of a learner's folder is kept under a name of its own, which is no file's."""
    with closing(Gradebook(tmp_path / "book")) as opened:
        names = ["ann/", f"bo/{LEFT_OUT}", f"cy/{NOT_READ}"]
        opened.begin("class", names, RULES, practice=False)
        for name in names:
            opened.add(SubmissionResult(name, name, f"{name} holds nothing."), "all")
        opened.begin("class", ["ann/a.py"], RULES, practice=False)
        assert opened.set_aside() == []


@pytest.mark.slow
def test_ctrl_c_in_the_middle_of_a_class(tmp_path):
    make_class(tmp_path / "class", 6)
    (tmp_path / "class" / "slow.py").write_text(RIGHT + "\nfor _ in range(10): exec('while True: pass')\n")
    command = [sys.executable, "-m", "autograder", "grade", "class", "--exercise", "masked_softmax"]
    limits = ["--source-seconds", "600", "--seconds", "600", "--processes", "1", "--gradebook", "book"]
    done = subprocess.Popen(
        [*command, *limits], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE
    )
    while not (tmp_path / "book").exists() or not rows(tmp_path / "book"):
        assert done.poll() is None, done.communicate()
        time.sleep(0.1)
    exported = autograder("export", "csv", tmp_path / "book")
    assert exported.returncode == 1 and "not graded yet" in output_of(exported)  # while it goes on
    done.send_signal(signal.SIGINT)
    assert done.wait(60) == 130
    exported = autograder("export", "csv", tmp_path / "book")
    assert exported.returncode == 1 and "1 file of 1 learner is not graded yet" in output_of(exported)


def rows(path):
    """The results that are kept so far; none before there are tables."""
    try:
        with closing(sqlite3.connect(path)) as book:
            return book.execute("select count(*) from finished").fetchone()[0] == 6
    except sqlite3.OperationalError:
        return []


def test_a_damaged_archive_is_finished_and_a_file_that_is_gone_is_not(tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    with zipfile.ZipFile(folder / "ann.zip", "w") as packed:
        packed.writestr("answer.py", RIGHT)
    data = (folder / "ann.zip").read_bytes()
    (folder / "ann.zip").write_bytes(data.replace(b"return", b"retxrn", 1))  # the list is whole
    (folder / "bo.py").write_text(RIGHT)
    sources, refused = find(folder)
    (folder / "bo.py").unlink()
    with closing(Gradebook(tmp_path / "book")) as opened:
        opened.begin(str(folder), [source.name for source in sources], RULES, practice=False)
        assert list(GradingRun(opened, RUN, lambda done, total: None)._jobs(sources)) == [] and not refused
        assert {name: words.split(": ")[-1] for name, words in opened.problems().items()} == {
            "ann/answer.py": "it is damaged or encrypted.",
            "bo.py": "no such file or directory.",
        }
        assert opened.waiting() == [("bo.py", str(folder), True)]
