"""Grades one submission, or many on the processes of this machine."""

import logging
import os
import threading
import time
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from autograder.grade.grading_processes import GradingProcesses
from autograder.grade.one_submission import Grader, Job
from autograder.grade.workers import Zygote
from autograder.model.catalogue import all_exercises
from autograder.model.errors import LockRefused, ZygoteFailed
from autograder.model.results import SubmissionResult
from autograder.model.text import clean
from autograder.read.bounded import ReaderKilled, read_bytes
from autograder.read.course_files import without_course_files
from autograder.read.submission import digest_of

log = logging.getLogger(__name__)
ATTEMPTS = 3
READER_KILLED = (
    "could not be read: the process that reads it was killed from outside, twice; is there enough memory?"
)


def grade_locally(jobs: Iterable[Job], processes: int) -> Iterator[SubmissionResult]:
    """Grade on this machine, each submission in one of as many processes.

    A submission over which a process dies is given to another; if they all die over it, it is named, and
    the others are graded all the same.
    """
    pending = iter(jobs)
    first = list(islice(pending, 2))
    if len(first) < 2 or processes == 1:
        yield from map(grade_job, chain(first, pending))
    else:
        yield from grade_apart(chain(first, pending), processes)


def grade_apart(jobs: Iterable[Job], processes: int) -> Iterator[SubmissionResult]:
    """Grade each submission in one of as many processes, and none in this one, whatever it does to them."""
    for job, result in GradingProcesses(grade_job, jobs, processes):
        yield result or not_graded(job, "ended the process that graded it: is there enough memory?")


def not_graded(job: Job, why: str) -> SubmissionResult:
    """Return a problem of one submission, which the next run tries again."""
    end, digest = "" if why.endswith("?") else ".", digest_of(job.data, job.name)
    words = f"{job.name} {why}{end} Run the same command again, and tell the grader's authors if it stays so."
    return SubmissionResult(job.name, digest, words, practice=job.practice, is_settled=False)


def processes_here() -> int:
    """Count the processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _ZygoteOfThread(threading.local):
    """This thread's zygote, started when first needed and replaced when it has died."""

    zygote: Zygote | None = None

    def get(self) -> Zygote:
        if self.zygote is not None and not self.zygote.is_alive():
            log.info("the zygote has died and is replaced")
            self.close()
        self.zygote = self.zygote or Zygote()
        return self.zygote

    def close(self) -> None:
        if self.zygote is not None:
            self.zygote.close()
            self.zygote = None


_ZYGOTE = _ZygoteOfThread()


def grade_job(job: Job) -> SubmissionResult:
    """Grade one submission in this process. If its zygote dies, the submission begins anew."""
    try:
        return _grade_job(job)
    except (ZygoteFailed, LockRefused):
        raise
    except ReaderKilled:
        log.warning("%s: the process that reads it was killed from outside", clean(job.name))
        return not_graded(job, READER_KILLED)
    except Exception as error:
        log.exception("%s: could not be graded", clean(job.name))
        # Whatever a stranger's file does to the grader, or a full disk, the rest of the class is graded.
        return not_graded(job, f"could not be graded, which is not its own fault ({type(error).__name__})")


def _grade_job(job: Job) -> SubmissionResult:
    begun = time.thread_time()
    submission = without_course_files(read_bytes(job.data, job.name, job.assignment.megabytes))
    exercises = [all_exercises()[name] for name in job.exercises]
    for attempt in range(ATTEMPTS):
        try:
            grader = Grader(_ZYGOTE.get(), submission, job)
            verdicts = tuple(grader.grade(exercises))
        except Exception as error:
            # A zygote that has died shows itself in more ways than one; one that never starts ends the run.
            zygote = _ZYGOTE.zygote
            has_died = isinstance(error, ZygoteFailed) or zygote is None or not zygote.is_alive()
            if not has_died or (zygote is None and attempt == ATTEMPTS - 1):
                raise
            log.warning("%s: begun anew, since %s", clean(job.name), clean(error))
            _ZYGOTE.close()
            continue
        seconds = grader.budget.used() + time.thread_time() - begun
        is_settled = all(verdict.is_settled for verdict in verdicts)
        return SubmissionResult(
            job.name, submission.digest, submission.problem, verdicts, seconds, job.practice, is_settled
        )
    why = f"ended the process that runs submissions, {ATTEMPTS} times: is there enough memory?"
    return not_graded(job, why)
