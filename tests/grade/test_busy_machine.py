"""A mark depends on the answer, and not on what else the machine does."""

import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace

import pytest

from autograder.grade import pool, run
from autograder.grade.run import GradeOptions, deadline_notes
from autograder.marks.gradebook import Gradebook
from autograder.model.assignment import Assignment, TimeLimits
from autograder.model.results import SubmissionResult
from autograder.read.submission import digest_of
from autograder.sandbox.clock import Clock
from tests import classes
from tests.support import LATE, RIGHT, verdict

# Each answer works for a quarter of its deadline, and its process gets a seventh of a processor.
WORK, SPINNING = 0.3, 6
LIMITS = TimeLimits(source_seconds=1.6, call_seconds=1.2, seconds=60)
WORKS = f"import time\nbegun = time.process_time()\nwhile time.process_time() < begun + {WORK}: pass\n"
SPINS = "import os\nwhile os.getppid() == {}: pass"
CLASS = {
    "works_in_its_call": f"works = [{WORKS!r}]\n"
    + RIGHT.replace("    if valid", "    exec(works.pop() if works else '', {})\n    if valid", 1),
    "works_in_its_source": WORKS + RIGHT,
    "only_answers": RIGHT,
    "is_wrong": LATE,
}
BOTH = ("masked_softmax", "masked_softmax_or_zero")
NEVER = "def masked_softmax(X, valid_length):\n    while True: pass\n"


@contextmanager
def busy_processor():
    """Hold one processor busy, and let this process and its zygote run there alone."""
    zygote, before = pool._ZYGOTE.get().process.pid, os.sched_getaffinity(0)
    spinning = [subprocess.Popen([sys.executable, "-c", SPINS.format(os.getpid())]) for _ in range(SPINNING)]
    try:
        for pid in (0, zygote, *(process.pid for process in spinning)):
            os.sched_setaffinity(pid, {min(before)})
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()
        for pid in (0, zygote):
            os.sched_setaffinity(pid, before)


def marks(folder, book):
    """What each file got, and what it was told, in a gradebook of its own."""
    classes.grade(folder, book, GradeOptions(Assignment.of(BOTH[:1]), "torch", LIMITS, processes=1))
    opened = Gradebook(book)
    verdicts = {
        r.submission: (r.verdict.outcome, r.verdict.points, r.verdict.message) for r in opened.results()
    }
    opened.close()
    return verdicts


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs Linux")
def test_a_busy_machine_gives_the_marks_of_an_idle_one(tmp_path):
    (tmp_path / "class").mkdir()
    for name, source in CLASS.items():
        (tmp_path / "class" / f"{name}.py").write_text(source)
    idle = marks(tmp_path / "class", tmp_path / "idle.sqlite")
    with busy_processor():
        while_busy = marks(tmp_path / "class", tmp_path / "busy.sqlite")
    assert while_busy == idle
    assert [outcome for outcome, *_ in idle.values()] == ["rejected", "accepted", "accepted", "accepted"]


def tried(job, *verdicts):
    """What one try on a job gives."""
    final = all(v.is_settled for v in verdicts)
    return SubmissionResult(job.name, digest_of(job.data, job.name), None, verdicts, 1.0, is_settled=final)


@pytest.fixture
def tries(monkeypatch):
    """Answers in the place of graders: by name, the verdicts of a first and of a second try. Gives the second jobs."""
    verdicts, second = {}, []

    def again(jobs, processes):
        for job in jobs:
            second.append((job, processes))
            yield tried(job, *verdicts[job.name][1])

    monkeypatch.setattr(
        run, "grade_locally", lambda jobs, n: (tried(job, *verdicts[job.name][0]) for job in jobs)
    )
    monkeypatch.setattr(run, "grade_apart", again)
    return verdicts, second


HURRIED = verdict(BOTH[0], outcome="timeout", is_settled=False)
OTHER = verdict(BOTH[1], outcome="accepted")


def test_what_ended_by_its_deadline_on_a_busy_machine_is_graded_once_more_alone(tries, tmp_path):
    verdicts, second = tries
    verdicts["ann.py"] = [[verdict(BOTH[0], outcome="accepted"), OTHER], []]
    verdicts["bea.py"] = [[HURRIED, OTHER], [verdict(BOTH[0], outcome="accepted")]]
    verdicts["eve.py"] = [[HURRIED, OTHER], [replace(HURRIED, is_settled=True)]]
    (tmp_path / "class").mkdir()
    for name in verdicts:
        (tmp_path / "class" / name).write_text(f"{RIGHT}# {name}\n")
    options = GradeOptions(Assignment.of(BOTH), "torch", TimeLimits())
    results = classes.grade(tmp_path / "class", tmp_path / "book", options)
    assert [(job.name, job.exercises, job.last, n) for job, n in second] == [
        ("bea.py", BOTH[:1], True, 1),
        ("eve.py", BOTH[:1], True, 1),
    ]
    assert [[v.outcome for v in result.verdicts] for result in results] == [
        ["accepted", "accepted"], ["accepted", "accepted"], ["timeout", "accepted"]
    ]  # fmt: skip
    outcomes = {
        (name, exercise): outcome for name, _, exercise, _, outcome, *_ in classes.rows(tmp_path / "book")
    }
    assert outcomes["bea.py", BOTH[0]] == "accepted" and outcomes["eve.py", BOTH[0]] == "timeout"
    once_more, advice = deadline_notes(results, options.time_limits)
    assert "once more at the end, alone: 2 files" in once_more
    assert "1 answer did not end in time" in advice and "--call-seconds 2 --source-seconds 5" in advice
    second.clear()
    classes.grade(tmp_path / "class", tmp_path / "book", options)
    assert not second and deadline_notes([results[0]], options.time_limits) == []


@pytest.mark.slow
def test_a_second_time_out_is_final(tmp_path, monkeypatch):
    """The second try is in a process of its own, which waits for no processor or does; either way it stands."""
    monkeypatch.setattr(Clock, "was_kept_waiting", lambda clock: True)
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "never.py").write_text(NEVER)
    (result,) = classes.grade(
        tmp_path / "class", None, GradeOptions(Assignment.of(BOTH[:1]), "torch", LIMITS, processes=1)
    )
    assert [(v.outcome, v.is_settled) for v in result.verdicts] == [("timeout", True)]
    assert result.is_settled and result.again
    pool._ZYGOTE.close()


def test_what_was_given_up_by_the_second_try_stands_as_it_was(tries, tmp_path):
    """A file that has changed meanwhile is another one."""
    verdicts, _ = tries
    verdicts["bea.py"] = [[HURRIED, OTHER], []]
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "bea.py").write_text(RIGHT)
    (result,) = classes.grade(
        tmp_path / "class", None, GradeOptions(Assignment.of(BOTH), "torch", TimeLimits())
    )
    assert result.verdicts == (HURRIED, OTHER)


def class_of(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{RIGHT}# {name}\n")


def test_all_files_of_a_learner_share_a_budget(monkeypatch, tmp_path):
    """And a tenth of it is left after three answers that did not end in time."""
    class_of(tmp_path / "class", *(f"eve/{i}.py" for i in range(6)), "ann/0.py", "ann/1.py", "ann/2.py")
    seconds = []

    def graded(jobs, processes):
        for job in jobs:
            seconds.append((job.name, job.seconds_left))
            hostile = job.name.startswith("eve")
            verdict_of_file = verdict(BOTH[0], outcome="timeout" if hostile else "accepted")
            yield replace(tried(job, verdict_of_file), seconds=100.0 if hostile else 1.0)

    monkeypatch.setattr(run, "grade_locally", graded)
    options = GradeOptions(Assignment.of(BOTH[:1]), "torch", TimeLimits(learner_seconds=600))
    results = {result.name: result for result in classes.grade(tmp_path / "class", None, options)}
    assert dict(seconds) == {
        "eve/0.py": 600, "eve/1.py": 500, "eve/2.py": 400, "eve/3.py": 60,
        "ann/0.py": 600, "ann/1.py": 599, "ann/2.py": 598,
    }  # fmt: skip
    for name in ("eve/4.py", "eve/5.py"):
        assert f"{name} was not run" in results[name].problem and "600 s" in results[name].problem
        assert not results[name].is_settled
