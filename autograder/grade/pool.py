"""Grades many submissions: on the processes of this machine, or on any other executor."""

import atexit
import os
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from multiprocessing import get_context

from autograder.grade.one_submission import Grader, Job
from autograder.grade.processes import Zygote
from autograder.model.catalogue import all_exercises
from autograder.model.errors import LockRefused, ZygoteFailed
from autograder.model.results import SubmissionResult
from autograder.read.submission import digest_of, read_bytes

# In flight for each process: enough to keep it busy, few enough to keep memory flat.
IN_FLIGHT = 4
ATTEMPTS = 3


def grade_all(jobs: Iterable[Job], executor: Executor, ahead: int) -> Iterator[SubmissionResult]:
    """Grade jobs as they come, a few ahead, in the order in which they end."""
    waiting: dict[Future[SubmissionResult], Job] = {}
    source = iter(jobs)
    exhausted = False
    while waiting or not exhausted:
        while not exhausted and len(waiting) < ahead:
            job = next(source, None)
            if job is None:
                exhausted = True
            else:
                waiting[executor.submit(grade_job, job)] = job
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            del waiting[future]
            yield future.result()


def grade_locally(jobs: Iterable[Job], processes: int) -> Iterator[SubmissionResult]:
    """Grade on this machine. A process that is killed is replaced, and the jobs in flight begin anew."""
    source = iter(jobs)
    first = list(islice(source, 2))
    if len(first) < 2 or processes == 1:
        yield from map(grade_job, chain(first, source))
        return
    in_flight: dict[str, Job] = {}

    def remembered() -> Iterator[Job]:
        yield from list(in_flight.values())
        for job in chain(first, source):
            in_flight[job.name] = job
            yield job
        first.clear()

    for attempt in range(ATTEMPTS):
        try:
            with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
                for graded in grade_all(remembered(), pool, ahead=processes * IN_FLIGHT):
                    del in_flight[graded.name]
                    yield graded
            return
        except BrokenProcessPool:
            if attempt == ATTEMPTS - 1:
                raise ZygoteFailed(
                    "The processes that grade keep being killed: is there memory enough?"
                ) from None


def processes_here() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _ZygoteOfThread(threading.local):
    """This thread's zygote, started when first needed and replaced when it has died or grown."""

    zygote: Zygote | None = None

    def get(self) -> Zygote:
        if self.zygote is not None and (self.zygote.has_grown() or not self.zygote.is_alive()):
            self.close()
        if self.zygote is None:
            self.zygote = Zygote().__enter__()
            atexit.register(self.zygote.close)
        return self.zygote

    def close(self) -> None:
        if self.zygote is not None:
            atexit.unregister(self.zygote.close)
            self.zygote.close()
            self.zygote = None


_ZYGOTE = _ZygoteOfThread()


def grade_job(job: Job) -> SubmissionResult:
    """Grade one submission in this process. If its zygote dies, the submission begins anew."""
    try:
        return _grade_job(job)
    except (ZygoteFailed, LockRefused):
        raise
    except Exception as error:
        # Whatever a stranger's file does to the grader, or a full disk, the rest of the class is graded.
        fault = f"could not be graded, which is not its own fault ({type(error).__name__})"
        words = (
            f"{job.name} {fault}: run the same command again, and tell the grader's authors if it stays so."
        )
        return SubmissionResult(
            job.name, digest_of(job.data, job.name), words, practice=job.practice, final=False
        )


def _grade_job(job: Job) -> SubmissionResult:
    submission = read_bytes(job.data, job.name)
    exercises = [all_exercises()[name] for name in job.exercises]
    for attempt in range(ATTEMPTS):
        try:
            grader = Grader(_ZYGOTE.get(), submission, job)
            begun = time.perf_counter()
            verdicts = grader.grade(exercises)
            break
        except Exception as error:
            # A zygote that has died shows itself in more ways than one.
            lost = isinstance(error, ZygoteFailed) or _ZYGOTE.zygote is None or not _ZYGOTE.zygote.is_alive()
            if not lost or attempt == ATTEMPTS - 1:
                raise
            _ZYGOTE.close()
    seconds = time.perf_counter() - begun
    return SubmissionResult(
        job.name, submission.digest, submission.problem, tuple(verdicts), seconds, job.practice,
        final=all(verdict.final for verdict in verdicts),
    )  # fmt: skip
