"""Grades many submissions: on the processes of this machine, or on any other executor."""

import atexit
import logging
import os
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from itertools import chain, islice

from autograder.grade.judges import answers
from autograder.grade.one_submission import Grader, Job
from autograder.grade.processes import Zygote
from autograder.model.catalogue import all_exercises
from autograder.model.errors import AutograderError, LockRefused, ZygoteFailed
from autograder.model.results import SubmissionResult
from autograder.model.text import clean
from autograder.read.course_files import without_course_files
from autograder.read.submission import digest_of, read_bytes

log = logging.getLogger(__name__)
# In flight for each process: enough to keep it busy, few enough to keep memory flat.
IN_FLIGHT = 4
ATTEMPTS = 3


def grade_all(jobs: Iterable[Job], executor: Executor, ahead: int) -> Iterator[SubmissionResult]:
    """Grade jobs as they come, a few ahead, in the order in which they end.

    A job that the executor gives up is that submission's problem, but where the whole executor is broken.
    """
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
            yield _result(future, waiting.pop(future))


def _result(future: Future[SubmissionResult], job: Job) -> SubmissionResult:
    try:
        return future.result()
    except (AutograderError, BrokenExecutor):
        raise
    except Exception as error:  # such as Dask's KilledWorker
        return _not_graded(job, f"ended the process that graded it ({type(error).__name__})")


def grade_locally(jobs: Iterable[Job], processes: int) -> Iterator[SubmissionResult]:
    """Grade on this machine, each submission in one of as many processes.

    A submission over which a process dies is given to another; if they all die over it, it is named, and
    the others are graded all the same.
    """
    source = iter(jobs)
    first = list(islice(source, 2))
    if len(first) < 2 or processes == 1:
        yield from map(grade_job, chain(first, source))
        return
    for job, result in answers(grade_job, chain(first, source), processes):
        yield result or _not_graded(job, "ended the process that graded it: is there memory enough?")


def _not_graded(job: Job, why: str) -> SubmissionResult:
    """A problem of one submission, which the next run tries again."""
    words = f"{job.name} {why}. Run the same command again, and tell the grader's authors if it stays so."
    return SubmissionResult(
        job.name, digest_of(job.data, job.name), words, practice=job.practice, final=False
    )


def processes_here() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _ZygoteOfThread(threading.local):
    """This thread's zygote, started when first needed and replaced when it has died or grown."""

    zygote: Zygote | None = None

    def get(self) -> Zygote:
        if self.zygote is not None and (self.zygote.has_grown() or not self.is_alive()):
            log.info("the zygote %s and is replaced", "has grown" if self.is_alive() else "has died")
            self.close()
        if self.zygote is None:
            self.zygote = Zygote().__enter__()
            atexit.register(self.zygote.close)
        return self.zygote

    def is_alive(self) -> bool:
        return self.zygote is not None and self.zygote.is_alive()

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
        log.exception("%s: could not be graded", clean(job.name))
        # Whatever a stranger's file does to the grader, or a full disk, the rest of the class is graded.
        return _not_graded(job, f"could not be graded, which is not its own fault ({type(error).__name__})")


def _grade_job(job: Job) -> SubmissionResult:
    submission = without_course_files(read_bytes(job.data, job.name))
    exercises = [all_exercises()[name] for name in job.exercises]
    for attempt in range(ATTEMPTS):
        begun = time.perf_counter()
        try:
            zygote = _ZYGOTE.get()
        except ZygoteFailed as error:
            if attempt == ATTEMPTS - 1:
                raise
            log.warning("the zygote is started anew, since %s", clean(error))
            continue
        try:
            verdicts = tuple(Grader(zygote, submission, job).grade(exercises))
        except Exception as error:
            # A zygote that has died shows itself in more ways than one.
            if not isinstance(error, ZygoteFailed) and _ZYGOTE.is_alive():
                raise
            log.warning("%s: begun anew, since %s", clean(job.name), clean(error))
            _ZYGOTE.close()
            continue
        seconds = time.perf_counter() - begun
        final = all(verdict.final for verdict in verdicts)
        return SubmissionResult(
            job.name, submission.digest, submission.problem, verdicts, seconds, job.practice, final
        )
    return _not_graded(job, f"ended the process that runs submissions, {ATTEMPTS} times")
