"""The gradebook: nothing lost, nothing counted twice, nothing overwritten."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.grade import run
from autograder.grade.processes import Deadlines
from autograder.grade.run import GradeOptions, run_all
from autograder.marks.gradebook import Gradebook
from autograder.model.errors import GradebookError
from autograder.model.results import SubmissionResult, learner_of
from autograder.model.verdict import Verdict
from autograder.read.files import find
from course.paths import ROOT

RIGHT = """
import torch
def masked_softmax(X, valid_length):
    if valid_length is None:
        return torch.softmax(X, dim=-1)
    if valid_length.ndim == 1:
        valid_length = valid_length[:, None]
    mask = torch.arange(X.shape[-1]) < valid_length[..., None]
    return torch.softmax(torch.where(mask, X, -1e6), dim=-1)
"""
LATE = RIGHT.replace("torch.softmax(torch.where(mask, X, -1e6), dim=-1)", "torch.softmax(X, dim=-1) * mask")
KINDS = {
    "right": RIGHT,
    "late": LATE,
    "leaves": "import os, torch\ndef masked_softmax(X, valid_length):\n    torch; os._exit(0)\n",
    "crashes": "import torch\ndef masked_softmax(X, valid_length):\n    return torch.nothing\n",
    "empty": "",
}
RUN = GradeOptions(
    ("masked_softmax", "masked_softmax_or_zero"), None, Deadlines(source=20, call=10, whole=60), processes=1
)


def make_class(folder, count=12):
    """Submissions of every kind, no two with the same bytes."""
    folder.mkdir()
    for i in range(count):
        kind = list(KINDS)[i % len(KINDS)]
        (folder / f"{kind}_{i:03d}.py").write_text(f"{KINDS[kind]}\n# {i}\n")
    return sorted(folder.iterdir())


def grade(path, book, run=RUN):
    return run_all(path, book, run, lambda done, total: None)


def rows(book):
    """Everything a mark consists of, row by row."""
    opened = Gradebook(book)
    found = [
        (r.submission, r.digest, r.verdict.exercise, r.verdict.framework, r.verdict.outcome,
         r.verdict.points, r.verdict.misconception)
        for r in opened.results()
    ]  # fmt: skip
    opened.close()
    return found


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
    kept = sqlite3.connect(tmp_path / "book").execute("select outcome from results order by rowid").fetchall()
    assert kept == [("rejected",), ("accepted",)]
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
    monkeypatch.setattr(run, "find", lambda path: listed)
    graded = {row.name: row for row in grade(tmp_path / "class", tmp_path / "book")}
    assert "cannot be read: no such file" in graded[paths[1].name].problem
    assert len(rows(tmp_path / "book")) == 2


def command(folder, book, *more):
    arguments = ("grade", folder, "--gradebook", book, "--call-seconds", "10", *more)
    return [sys.executable, "-m", "autograder", *map(str, arguments)]


@pytest.mark.parametrize("victim", ["grader", "zygote", "worker"])
def test_kill_9_at_any_moment_loses_nothing_and_counts_nothing_twice(tmp_path, victim):
    folder = tmp_path / "class"
    make_class(folder)
    everything = GradeOptions(tuple(_all_names()), None, Deadlines(source=20, call=10, whole=60), processes=1)
    grade(folder, tmp_path / "undisturbed", everything)
    random.seed(victim)
    for _ in range(2 if victim == "grader" else 1):
        process = subprocess.Popen(
            command(folder, tmp_path / "killed", "--processes", "1"), cwd=ROOT,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        _kill_when_graded(process, tmp_path / "killed", victim, at_least=random.randint(1, 4))
        process.wait()
    subprocess.run(command(folder, tmp_path / "killed"), cwd=ROOT, check=True, capture_output=True)
    assert rows(tmp_path / "killed") == rows(tmp_path / "undisturbed")
    (count,) = sqlite3.connect(tmp_path / "killed").execute("select count(*) from results").fetchone()
    assert count == len(rows(tmp_path / "undisturbed"))


SLOW = RIGHT.replace("(X, valid_length):\n", "(X, valid_length):\n    __import__('time').sleep(0.2)\n", 1)


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
    said = process.stdout.read()
    if kills == 1:
        assert len(killed) == 1 and rows(book)[0][4] == "accepted", said
        return
    assert len(killed) == 2 and rows(book)[0][4] == "error" and "killed from outside" in said
    subprocess.run(command(folder, book, "--exercise", "masked_softmax"), cwd=ROOT, check=True)
    assert [row[4] for row in rows(book)] == ["accepted"]


def _all_names():
    from autograder.model.catalogue import all_exercises

    return all_exercises()


def _kill_when_graded(process, book, victim, at_least):
    """Kill one process of a run once some submissions are in its gradebook."""
    target = len(_graded(book)) + at_least
    while process.poll() is None and len(_graded(book)) < target:
        time.sleep(0.005)
    while process.poll() is None:
        chain = [process.pid, *_descendants(process.pid)]
        place = {"grader": 0, "zygote": 1, "worker": 2}[victim]
        if len(chain) > place:
            with suppress(ProcessLookupError):  # gone since it was seen: wait for the next
                os.kill(chain[place], signal.SIGKILL)
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
    with pytest.raises(GradebookError, match="is damaged or is not a gradebook"):
        Gradebook(book)
    assert book.read_bytes() == b"not a gradebook at all" * 100


def test_a_folder_that_cannot_be_written_gets_a_sentence(tmp_path):
    with pytest.raises(GradebookError, match="cannot be written"):
        Gradebook(tmp_path / "no" / "such" / "folder" / "book.sqlite")


def test_a_gradebook_that_another_run_holds_gets_a_sentence(tmp_path):
    book = Gradebook(tmp_path / "book")
    book.connection.execute("pragma busy_timeout = 50")
    other = sqlite3.connect(tmp_path / "book", isolation_level=None)
    other.execute("begin exclusive")
    with pytest.raises(GradebookError, match="in use by another run"):
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
    with pytest.raises(GradebookError, match="is full"):
        book.add(SubmissionResult("b.py", "second", None, [large], 0.1, False), "all")
    assert [r.submission for r in book.results()] == ["a.py"]


def test_the_course_key_is_made_once(tmp_path):
    first = Gradebook(tmp_path / "book").key(b"1" * 32)
    assert Gradebook(tmp_path / "book").key(b"2" * 32) == first == b"1" * 32


@pytest.mark.parametrize(
    ("name", "who"), [("a.ipynb", "a"), ("number_7/a.ipynb", "number_7"), ("number_7/deep/b.py", "number_7")]
)
def test_a_learner_is_the_first_folder_or_the_file(name, who):
    assert learner_of(name) == who


def test_a_timeout_is_graded_again_with_more_time_and_nothing_else_is(tmp_path):
    (tmp_path / "class").mkdir()
    slow = RIGHT.replace("def masked", "import time\ndef masked").replace(
        "    mask =", "    time.sleep(0.3)\n    mask ="
    )
    (tmp_path / "class" / "slow.py").write_text(slow)
    (tmp_path / "class" / "late.py").write_text(LATE)
    book = tmp_path / "book"
    short = GradeOptions(("masked_softmax",), None, Deadlines(source=20, call=0.2, whole=60), processes=1)
    grade(tmp_path / "class", book, short)
    before = rows(book)
    assert [(r[0], r[4]) for r in before] == [("late.py", "rejected"), ("slow.py", "timeout")]
    grade(tmp_path / "class", book, RUN)
    after = [r for r in rows(book) if r[2] == "masked_softmax"]
    assert after[0] == before[0] and (after[1][4], after[1][5]) == ("accepted", 2)
    grade(tmp_path / "class", book, short)
    assert [r for r in rows(book) if r[2] == "masked_softmax"] == after
