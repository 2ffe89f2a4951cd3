"""The processes that grade: one that dies over a submission costs no other its mark."""

import io
import os
import signal
import socket
from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from autograder.grade import pool, run
from autograder.grade.cluster import grade_all, packed
from autograder.grade.one_submission import Job
from autograder.grade.workers import Zygote
from autograder.model.assignment import Assignment, TimeLimits
from autograder.model.errors import ZygoteFailed
from autograder.model.results import SubmissionResult
from autograder.read.submission import digest_of
from tests.support import RIGHT

NAMES = ["ann.py", "bea.py", "eve.py", *(f"learner_{i}.py" for i in range(9))]
grade_job = pool.grade_job


def job(name):
    time_limits = TimeLimits(source_seconds=20, call_seconds=10, seconds=60)
    return Job(name, f"{RIGHT}# {name}".encode(), ("masked_softmax",), None, time_limits, b"key", False)


def dies_over_eve(job):
    """As the kernel ends a process when memory runs out."""
    if job.name == "eve.py":
        os.kill(os.getpid(), signal.SIGKILL)
    return grade_job(job)


def kills_its_zygote(job):
    if job.name == "eve.py":
        original = pool.Grader.grade

        def killed(self, exercises):
            self.zygote.process.kill()
            self.zygote.process.wait()
            return original(self, exercises)

        pool.Grader.grade = killed
        try:
            return grade_job(job)
        finally:
            pool.Grader.grade = original
    return grade_job(job)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (dies_over_eve, "eve.py ended the process that graded it: is there enough memory? Run the same"),
        (
            kills_its_zygote,
            "eve.py ended the process that runs submissions, 3 times: is there enough memory? Run ",
        ),
    ],
)
def test_the_submission_that_a_process_dies_over_is_named_and_the_others_are_graded(
    monkeypatch, fault, words
):
    monkeypatch.setattr(pool, "grade_job", fault)
    results = {result.name: result for result in pool.grade_locally(map(job, NAMES), processes=2)}
    assert sorted(results) == sorted(NAMES)
    eve = results.pop("eve.py")
    assert eve.problem.startswith(words) and not eve.verdicts and not eve.is_settled
    assert all(v.outcome == "accepted" for result in results.values() for v in result.verdicts)
    assert all(len(result.verdicts) == 1 for result in results.values())


def test_a_job_that_a_cluster_gives_up_is_that_submissions_problem():
    class KilledWorker(Exception):
        pass

    class Cluster:
        def submit(self, function, job):
            future = Future()
            if job.name == "eve.py":
                future.set_exception(KilledWorker())
            else:
                future.set_result(packed(SubmissionResult(job.name, digest_of(job.data, job.name), None)))
            return future

    problems = {r.name: r.problem for r in grade_all(map(job, NAMES), Cluster(), ahead=3)}
    assert "eve.py ended the process that graded it (KilledWorker)" in problems.pop("eve.py")
    assert set(problems.values()) == {None} and len(problems) == len(NAMES) - 1


def test_many_files_of_one_learner_hold_up_nobody_else(tmp_path, monkeypatch):
    """Two hundred slow ones would take hours, and those who come later in the alphabet would wait for them."""
    for name in ("eve/a.py", "Eve/b.py", "eve/c.py", "fay/a.py", "fay/b.py", "gus.py"):
        (tmp_path / "class" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "class" / name).write_text(f"{RIGHT}# {name}\n")
    order = []
    monkeypatch.setattr(
        run, "grade_locally", lambda jobs, processes: (order.extend(job.name for job in jobs), ())[1]
    )
    run.run_all(
        tmp_path / "class",
        None,
        run.GradeOptions(Assignment.of(["masked_softmax"]), None, TimeLimits()),
        print,
    )
    assert order == ["Eve/b.py", "fay/a.py", "gus.py", "eve/a.py", "fay/b.py", "eve/c.py"]


@pytest.mark.parametrize("words", ["", "MemoryError"])
def test_a_zygote_that_ends_says_why_or_asks_for_memory(words):
    """One that the kernel kills, for want of memory, has said nothing."""
    control, theirs = socket.socketpair()
    theirs.close()
    stream = io.BytesIO(f"Traceback\n{words}\n".encode() if words else b"")
    with pytest.raises(ZygoteFailed, match=f"has ended: {words or 'is there enough memory'}"):
        Zygote._reply(SimpleNamespace(control=control, output=stream))
    control.close()
