"""The gradebook: nothing lost, nothing counted twice, nothing overwritten."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autograder.grade import run
from autograder.grade.run import GradeOptions
from autograder.marks import check_versions
from autograder.marks.gradebook import Gradebook
from autograder.marks.report import write_pages
from autograder.marks.standing import standing_in
from autograder.model.assignment import Assignment, TimeLimits
from autograder.model.errors import UsageError
from autograder.model.paths import ROOT
from autograder.model.results import SubmissionResult
from autograder.model.verdict import OUTCOMES, Difference, Verdict
from autograder.read.files import find
from tests.classes import RUN, grade, make_class, rows
from tests.support import LATE, RIGHT, verdict


def test_the_same_bytes_always_get_the_same_mark(tmp_path):
    make_class(tmp_path / "class", 5)
    for name in ("one", "two"):
        grade(tmp_path / "class", tmp_path / name)
    assert rows(tmp_path / "one") == rows(tmp_path / "two")
    assert {r[4] for r in rows(tmp_path / "one")} == {"accepted", "rejected", "error"}


def test_a_second_run_grades_nothing_again_and_shows_the_same(tmp_path, monkeypatch):
    make_class(tmp_path / "class", 5)
    first = grade(tmp_path / "class", tmp_path / "book")
    monkeypatch.setattr(run, "grade_locally", lambda jobs, processes: [pytest.fail(j.name) for j in jobs])
    second = grade(tmp_path / "class", tmp_path / "book")
    assert [plain(r) for r in first] == [plain(r) for r in second]
    count = sqlite3.connect(tmp_path / "book").execute("select count(*) from results").fetchone()
    assert count == (len(rows(tmp_path / "book")),)


def plain(result):
    return result.name, [verdict.as_dict() for verdict in result.verdicts]


def test_a_resubmission_adds_and_never_overwrites(tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    mine = folder / "mine.py"
    for text in (LATE, RIGHT):
        mine.write_text(text)
        grade(folder, tmp_path / "book")
    outcomes = (
        sqlite3.connect(tmp_path / "book").execute("select outcome from results order by rowid").fetchall()
    )
    assert outcomes == [("rejected",), ("accepted",)]
    assert [r[4] for r in rows(tmp_path / "book")] == ["accepted"]
    mine.write_text(LATE)
    grade(folder, tmp_path / "book")
    assert [r[4] for r in rows(tmp_path / "book")] == ["rejected"]
    assert sqlite3.connect(tmp_path / "book").execute("select count(*) from results").fetchone() == (2,)


def test_two_learners_with_the_same_bytes_both_get_their_mark(tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    for name in ("a.py", "b.py"):
        (folder / name).write_text(RIGHT)
    grade(folder, tmp_path / "book")
    assert [r[0] for r in rows(tmp_path / "book")] == ["a.py", "b.py"]


def test_a_submission_that_disappears_is_reported_and_the_rest_is_graded(tmp_path, monkeypatch):
    paths = make_class(tmp_path / "class", 3)
    listed = find(tmp_path / "class")
    paths[1].unlink()
    monkeypatch.setattr(run, "find", lambda path, layout: listed)
    graded = {row.name: row for row in grade(tmp_path / "class", tmp_path / "book")}
    assert "cannot be read: no such file" in graded[paths[1].name].problem
    assert len(rows(tmp_path / "book")) == 2


def command(folder, book, *more):
    options = ("--call-seconds", "10", "--processes", "1")
    arguments = ("grade", folder, "--gradebook", book, *options, *more)
    return [sys.executable, "-m", "autograder", *map(str, arguments)]


@pytest.fixture(scope="module")
def graded_class(tmp_path_factory):
    """A class, and what a run that nothing disturbs writes of it."""
    folder = tmp_path_factory.mktemp("graded")
    make_class(folder / "class")
    everything = GradeOptions(
        Assignment.of(_all_names()),
        None,
        TimeLimits(source_seconds=20, call_seconds=10, seconds=60),
        processes=1,
    )
    grade(folder / "class", folder / "undisturbed", everything)
    return folder / "class", rows(folder / "undisturbed")


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["grader", "zygote", "worker"])
def test_kill_9_at_any_moment_loses_nothing_and_counts_nothing_twice(tmp_path, graded_class, victim):
    folder, undisturbed = graded_class
    random.seed(victim)
    for _ in range(2 if victim == "grader" else 1):
        process = subprocess.Popen(
            command(folder, tmp_path / "killed"), cwd=ROOT,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        _kill_when_graded(process, tmp_path / "killed", victim, at_least=random.randint(1, 4))
        process.wait()
    subprocess.run(command(folder, tmp_path / "killed"), cwd=ROOT, check=True, capture_output=True)
    assert rows(tmp_path / "killed") == undisturbed
    (count,) = sqlite3.connect(tmp_path / "killed").execute("select count(*) from results").fetchone()
    assert count == len(undisturbed)


SLOW = RIGHT.replace("(X, valid_length):\n", "(X, valid_length):\n    __import__('time').sleep(0.2)\n", 1)


@pytest.mark.slow
@pytest.mark.parametrize("kills", [1, 100])
def test_a_worker_that_is_killed_from_outside_costs_nobody_a_mark(tmp_path, kills):
    """What the kernel does when memory runs out: judged again, and never a final zero."""
    folder, book = tmp_path / "class", tmp_path / "book"
    folder.mkdir()
    (folder / "slow.py").write_text(SLOW)
    process = subprocess.Popen(
        command(folder, book, "--exercise", "masked_softmax"), cwd=ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    killed = set()
    while process.poll() is None:
        chain = _descendants(process.pid)
        if len(killed) < kills and len(chain) > 1 and chain[1] not in killed:
            time.sleep(0.3)  # a worker has its source by now, and answers slowly; other children are gone
            with suppress(ProcessLookupError):
                os.kill(chain[1], signal.SIGKILL)
                killed.add(chain[1])
    output = process.stdout.read()
    if kills == 1:
        assert len(killed) == 1 and rows(book)[0][4] == "accepted", output
        return
    # Twice in the run, and twice in the second try at its end.
    assert len(killed) >= 4 and rows(book)[0][4] == "error" and "killed from outside" in output
    subprocess.run(command(folder, book, "--exercise", "masked_softmax"), cwd=ROOT, check=True)
    assert [row[4] for row in rows(book)] == ["accepted"]


def _all_names():
    from autograder.model.catalogue import all_exercises

    return all_exercises()


def _kill_when_graded(process, book, victim, at_least):
    """Kill one process of a run once some submissions are in its gradebook."""
    target = len(_graded(book)) + at_least
    while process.poll() is None and len(_graded(book)) < target:
        time.sleep(0.02)
    while process.poll() is None:
        chain = [process.pid, *_descendants(process.pid)]
        level = {"grader": 0, "zygote": 1, "worker": 2}[victim]
        if len(chain) > level:
            with suppress(ProcessLookupError):  # gone since it was seen: wait for the next
                os.kill(chain[level], signal.SIGKILL)
                break
    if victim != "grader":
        process.wait(120)


def _descendants(pid):
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has ended meanwhile
        return []
    return [pid for child in map(int, children) for pid in (child, *_descendants(child))]


def _graded(book):
    if not book.exists():
        return []
    try:
        return (
            sqlite3.connect(f"file:{book}?mode=ro", uri=True)
            .execute("select digest from finished")
            .fetchall()
        )
    except sqlite3.Error:
        return []


def test_a_damaged_gradebook_gets_a_sentence_and_is_left_alone(tmp_path):
    book = tmp_path / "book.sqlite"
    book.write_bytes(b"not a gradebook at all" * 100)
    with pytest.raises(UsageError, match="is damaged or is not a gradebook"):
        Gradebook(book)
    assert book.read_bytes() == b"not a gradebook at all" * 100


def test_a_folder_that_cannot_be_written_gets_a_sentence(tmp_path):
    with pytest.raises(UsageError, match="cannot be written"):
        Gradebook(tmp_path / "no" / "such" / "folder" / "book.sqlite")


@pytest.fixture
def nobody():
    """Without root's right to write anywhere, as whom a container runs tests."""
    as_whom = os.geteuid()
    folder = Path(tempfile.mkdtemp())
    yield folder
    os.seteuid(as_whom)
    folder.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="the system has no users of this kind")
@pytest.mark.parametrize("modes", [(0o444, 0o555), (0o444, 0o777), (0o666, 0o555)])
def test_a_gradebook_that_cannot_be_written_is_shown(nobody, modes):
    path = nobody / "old #1?.sqlite"
    book = Gradebook(path)
    book.add(SubmissionResult("a.py", "digest", None, [verdict()], 0.1, False), "all")
    before = standing_in(book).learners
    book.close()
    for place, mode in zip((path, nobody), modes, strict=True):
        place.chmod(mode)
    if os.geteuid() == 0:
        os.seteuid(65534)
    locked = Gradebook(path)
    assert standing_in(locked).learners == before and [r.submission for r in locked.results()] == ["a.py"]
    locked.note_export({"form": "csv"})
    with pytest.raises(UsageError, match="cannot be written"):
        locked.add(SubmissionResult("b.py", "other", None, [verdict()], 0.1, False), "all")
    locked.close()


def test_a_gradebook_that_another_run_holds_gets_a_sentence(tmp_path):
    book = Gradebook(tmp_path / "book")
    book.connection.execute("pragma busy_timeout = 50")
    other = sqlite3.connect(tmp_path / "book", isolation_level=None)
    other.execute("begin exclusive")
    with pytest.raises(UsageError, match="in use by another run"):
        book.add(SubmissionResult("a.py", "digest", None, [], 0.1, False), "all")
    other.execute("rollback")
    book.add(SubmissionResult("a.py", "digest", None, [], 0.1, False), "all")
    assert book.files() == ["a.py"]


def test_a_full_disk_gets_a_sentence_and_keeps_what_was_graded(tmp_path):
    book = Gradebook(tmp_path / "book")
    verdict = Verdict("e", "torch", "accepted", "A sentence.", points=1, max_points=1)
    book.add(SubmissionResult("a.py", "first", None, [verdict], 0.1, False), "all")
    (pages,) = book.connection.execute("pragma page_count").fetchone()
    book.connection.execute(f"pragma max_page_count = {pages}")
    large = replace(verdict, message="x" * 100_000)
    with pytest.raises(UsageError, match="is full"):
        book.add(SubmissionResult("b.py", "second", None, [large], 0.1, False), "all")
    assert [r.submission for r in book.results()] == ["a.py"]


def test_the_course_key_is_made_once(tmp_path):
    first = Gradebook(tmp_path / "book").key(b"1" * 32)
    assert Gradebook(tmp_path / "book").key(b"2" * 32) == first == b"1" * 32


def test_a_timeout_is_graded_again_with_more_time_and_nothing_else_is(tmp_path):
    (tmp_path / "class").mkdir()
    slow = RIGHT.replace("def masked", "import time\ndef masked").replace(
        "    mask =", "    time.sleep(0.3)\n    mask ="
    )
    (tmp_path / "class" / "slow.py").write_text(slow)
    (tmp_path / "class" / "late.py").write_text(LATE)
    book = tmp_path / "book"
    short = GradeOptions(
        Assignment.of(["masked_softmax"]),
        None,
        TimeLimits(source_seconds=20, call_seconds=0.2, seconds=60),
        processes=1,
    )
    grade(tmp_path / "class", book, short)
    before = rows(book)
    assert [(r[0], r[4]) for r in before] == [("late.py", "rejected"), ("slow.py", "timeout")]
    grade(tmp_path / "class", book, RUN)
    after = [r for r in rows(book) if r[2] == "masked_softmax"]
    assert after[0] == before[0] and (after[1][4], after[1][5]) == ("accepted", 2)
    grade(tmp_path / "class", book, short)
    assert [r for r in rows(book) if r[2] == "masked_softmax"] == after


def outcomes(book):
    return [result.verdict.outcome for result in book.results()]


@pytest.mark.parametrize("first", OUTCOMES)
def test_only_a_timeout_is_overwritten(tmp_path, first):
    book = Gradebook(tmp_path / "book")
    for scope, outcome in (("one exercise", first), ("all", "accepted"), ("others", "rejected")):
        book.add(SubmissionResult("a.py", "digest", None, [verdict(outcome=outcome)]), scope)
    assert outcomes(book) == ["accepted" if first == "timeout" else first]
    (points,) = book.connection.execute("select points from results").fetchone()
    assert points == book.results()[0].verdict.points
    book.close()


def test_the_result_of_the_newest_grader_counts(tmp_path, monkeypatch):
    book = Gradebook(tmp_path / "book")
    for version, outcome in (("1.0+old", "accepted"), ("1.1+newer", "rejected"), ("1.1+newest", "error")):
        monkeypatch.setattr(check_versions, "version_of", lambda name, version=version: version)
        book.add(SubmissionResult("a.py", "digest", None, [verdict(outcome=outcome)]), "all")
        assert outcomes(book) == [outcome]
    (count,) = book.connection.execute("select count(*) from results").fetchone()
    assert count == 3, "an older grader's result was not kept"
    book.close()


def test_only_a_current_file_that_cannot_be_read_is_a_problem(tmp_path):
    book = Gradebook(tmp_path / "book")
    book.add(SubmissionResult("a.py", "broken", "a.py is not UTF-8."), "all")
    book.add(SubmissionResult("b.py", "whole", None, [verdict()]), "all")
    assert book.problems() == {"a.py": "a.py is not UTF-8."}
    book.add(SubmissionResult("a.py", "mended", None, [verdict()]), "all")
    assert book.problems() == {}
    book.add(SubmissionResult("b.py", "damaged", "b.py is not UTF-8."), "all")
    assert book.problems() == {"b.py": "b.py is not UTF-8."}
    assert [result.submission for result in book.results()] == ["a.py"]
    book.make_current("b.py", "whole")
    assert book.problems() == {}
    book.close()


def test_a_learners_page_shows_the_heat_maps_that_the_gradebook_kept(tmp_path):
    book = Gradebook(tmp_path / "book")
    got, expected = np.array([[0.125, 0.875]]), np.array([[0.375, 0.625]])
    wrong = verdict(difference=Difference("weights", (0, 0), 0.125, 0.375, got, expected))
    book.add(SubmissionResult("a.py", "digest", None, [wrong]), "all")
    (result,) = book.results()
    np.testing.assert_array_equal(result.verdict.difference.got_map, got)
    np.testing.assert_array_equal(result.verdict.difference.expected_map, expected)
    write_pages(book, tmp_path / "pages")
    (who,) = standing_in(book).learners
    page = (tmp_path / "pages" / who.page).read_text()
    assert [f"{value:.3f}" for value in (*got[0], *expected[0]) if f"{value:.3f}" not in page] == []
    book.close()
