"""`grade`: every exercise of every submission, each in a process of its own.

Grading is a map over independent submissions, so it runs on any executor of the kind of
`concurrent.futures`: processes of this machine, or a cluster.
"""

import ast
import atexit
import hashlib
import hmac
import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice
from multiprocessing import get_context
from typing import Any

from .exercise import Exercise
from .exercises import all_exercises, topics
from .judge import Tampering, judge
from .remote import ROOT, Closed, Deadlines, TooLate, Worker, Zygote, ZygoteFailed
from .sandbox.lock import REQUIRED
from .sandbox.wire import Header, pack_texts
from .submission import Submission, digest_of, read_bytes
from .verdict import Verdict

# In flight for each process: enough to keep it busy, few enough to keep memory flat.
AHEAD = 4
ATTEMPTS = 3
# What a source may use to get round a refusal; seldom needed for an answer.
WAYS_OUT = {
    "SymbolBlock", "_higher_order_ops", "_imperative_invoke", "_refs", "ctypes", "gc", "getattr",
    "importlib", "keras", "make_fx", "sys", "threading",
}  # fmt: skip


class LockRefused(Exception):
    """An official mark was asked for where the lock does not hold."""


@dataclass(frozen=True)
class Job:
    """One submission and how to grade it. Travels to the process or machine that grades it."""

    name: str
    data: bytes
    exercises: tuple[str, ...]
    framework: str | None
    deadlines: Deadlines
    key: bytes
    practice: bool


@dataclass(frozen=True)
class Graded:
    """What came of a job.

    problem: why the file could not be read, or None. final: another run would find the same.
    """

    name: str
    digest: str
    problem: str | None
    verdicts: tuple[Verdict, ...]
    seconds: float
    final: bool = True


def tasks(
    submission: Submission, exercises: Sequence[Exercise], framework: str | None
) -> list[tuple[Exercise, str]]:
    """What to grade: each exercise in each framework in which the submission defines it."""
    return [
        (exercise, found)
        for exercise in exercises
        for found in ([framework] if framework else submission.frameworks(exercise.entry))
    ]


def grade_all(jobs: Iterable[Job], executor: Executor, ahead: int) -> Iterator[Graded]:
    """Grade jobs as they come, a few ahead, in the order in which they end."""
    waiting: dict[Future[Graded], Job] = {}
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


def grade_locally(jobs: Iterable[Job], processes: int) -> Iterator[Graded]:
    """Grade on this machine. A process that is killed is replaced, and the jobs in flight begin anew."""
    source = iter(jobs)
    first = list(islice(source, 2))
    if len(first) < 2 or processes == 1:
        yield from map(grade_job, chain(first, source))
        return
    flying: dict[str, Job] = {}

    def noted() -> Iterator[Job]:
        yield from list(flying.values())
        for job in chain(first, source):
            flying[job.name] = job
            yield job
        first.clear()

    for attempt in range(ATTEMPTS):
        try:
            with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
                for graded in grade_all(noted(), pool, ahead=processes * AHEAD):
                    del flying[graded.name]
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


class _Own(threading.local):
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


_OWN = _Own()


def grade_job(job: Job) -> Graded:
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
        return Graded(job.name, digest_of(job.data, job.name), words, (), 0, final=False)


def _grade_job(job: Job) -> Graded:
    submission = read_bytes(job.data, job.name)
    exercises = [all_exercises()[name] for name in job.exercises]
    for attempt in range(ATTEMPTS):
        try:
            grader = Grader(_OWN.get(), submission, job)
            begun = time.perf_counter()
            verdicts = grader.grade(exercises)
            break
        except Exception as error:
            # A zygote that has died shows itself in more ways than one.
            lost = isinstance(error, ZygoteFailed) or _OWN.zygote is None or not _OWN.zygote.is_alive()
            if not lost or attempt == ATTEMPTS - 1:
                raise
            _OWN.close()
    seconds = time.perf_counter() - begun
    return Graded(job.name, submission.digest, submission.problem, tuple(verdicts), seconds)


class Grader:
    """One submission, on one zygote."""

    def __init__(self, zygote: Zygote, submission: Submission, job: Job) -> None:
        self.zygote, self.submission, self.job = zygote, submission, job

    def grade(self, exercises: Sequence[Exercise]) -> list[Verdict]:
        """All verdicts. A single exercise that is asked for by name always gets one."""
        job = self.job
        found = tasks(self.submission, exercises, job.framework)
        alone = exercises[0] if len(exercises) == 1 else None
        if self.submission.problem:
            asked = found or ([(alone, job.framework or "torch")] if alone else [])
            return [_failed(e, f, "error", self.submission.problem) for e, f in asked]
        if not found and alone:
            return [_failed(alone, job.framework or "?", "missing", _nowhere(self.submission, alone))]
        together = self._together(_in_company(found))
        return [self._flagged(e, self._settled(e, f, together.get((e.name, f)))) for e, f in found]

    def _flagged(self, exercise: Exercise, verdict: Verdict) -> Verdict:
        """The verdict, with what a teacher should look at: the source names what is forbidden, or a way to it."""
        if not exercise.forbidden:
            return verdict
        names = {name.rsplit(".", 1)[-1] for name in exercise.forbidden} | WAYS_OUT
        elsewhere = {e.entry for e in all_exercises().values()} - {exercise.entry}
        named = self.submission.mentions(names - {exercise.entry}, verdict.framework, elsewhere)
        return replace(verdict, flag=f"its source names {', '.join(named)}") if named else verdict

    def _together(self, found: list[tuple[Exercise, str]]) -> dict[tuple[str, str], Verdict]:
        """Verdicts of several exercises in one worker, up to the first that is not accepted."""
        verdicts: dict[tuple[str, str], Verdict] = {}
        found = [(e, f) for e, f in found if f in self.zygote.frameworks]
        if len(found) < 2:
            return verdicts
        loaded: tuple[str, tuple[str, ...]] | None = None
        with self._worker() as worker:
            for exercise, framework in found:
                wanted = (framework, exercise.builds_on)
                load = self._select if wanted == loaded else self._load
                loaded = wanted
                verdict = self._guarded(worker, exercise, framework, load)
                verdicts[exercise.name, framework] = verdict
                if verdict.outcome != "accepted":
                    break
        return verdicts

    def _settled(self, exercise: Exercise, framework: str, first: Verdict | None) -> Verdict:
        """A verdict that is not owed to another exercise, nor to a wrong helper.

        What was not accepted in company is judged again in a worker of its own; and what
        builds on another topic is judged with the reference in that topic's place.
        """
        if framework not in self.zygote.frameworks:
            return _failed(exercise, framework, "error", f"{framework} is not installed on this machine.")
        if first is not None and first.outcome == "accepted":
            return first
        verdict = self._alone(exercise, framework, override=False)
        if verdict.outcome in ("rejected", "error") and exercise.builds_on:
            second = self._alone(exercise, framework, override=True)
            if second.outcome == "accepted":
                helpers = ", ".join(exercise.builds_on)
                return replace(second, message=f"{second.message} (The reference stood in for {helpers}.)")
        return verdict

    def _alone(self, exercise: Exercise, framework: str, override: bool) -> Verdict:
        def load(worker: Worker, exercise: Exercise, framework: str) -> tuple[str, str] | None:
            return self._load(worker, exercise, framework, override)

        with self._worker() as worker:
            return self._guarded(worker, exercise, framework, load)

    def _worker(self) -> Worker:
        try:
            worker = self.zygote.fork(self.job.deadlines)
        except (TooLate, Closed) as error:
            raise ZygoteFailed("a worker did not start") from error
        open_layers = [layer for layer in REQUIRED if not worker.layers.get(layer)]
        if open_layers and not self.job.practice:
            worker.close()
            raise LockRefused(
                f"This machine does not offer {' and '.join(open_layers)}, so a submission could reach more than "
                "it should, and no official mark is given. `python -m autograder doctor` says more; "
                "--practice grades all the same and marks every result as practice."
            )
        return worker

    def _guarded(self, worker: Worker, exercise: Exercise, framework: str, load: Any) -> Verdict:
        """The judge's verdict, or the outcome of whatever kept the worker from answering."""
        try:
            problem = load(worker, exercise, framework)
            if problem is not None:
                return _failed(exercise, framework, *problem)
            return judge(exercise, worker, framework, self._seed(exercise))
        except TooLate:
            message = "It did not answer in time: is there a loop that never ends?"
            return _failed(exercise, framework, "timeout", message)
        except Closed:
            if not self.zygote.is_alive():
                raise ZygoteFailed("the process that forks workers is gone") from None
            return _failed(exercise, framework, *_death(worker.end()))
        except Tampering as tampering:
            message = f"Its process did not answer as an honest one does: {tampering}."
            return _failed(exercise, framework, "tampering", message)
        except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError):
            # Only an answer of a form that no honest worker sends can bring the judge here.
            message = "Its process sent an answer that cannot be judged."
            return _failed(exercise, framework, "tampering", message)

    def _seed(self, exercise: Exercise) -> int:
        """Inputs of its own for each submission: a regrade repeats them, a learner cannot foresee them."""
        message = f"{self.submission.digest} {exercise.name}".encode()
        return int.from_bytes(hmac.digest(self.job.key, message, hashlib.sha256)[:6], "big")

    def _load(
        self, worker: Worker, exercise: Exercise, framework: str, override: bool = False
    ) -> tuple[str, str] | None:
        """Send the source; gives outcome and message if the entry is not there afterwards."""
        provided = [(topic, _provided(topic, exercise, framework)) for topic in exercise.builds_on]
        header: Header = {
            "do": "source",
            "framework": framework,
            "entry": exercise.entry,
            "override": override,
        }
        texts = {"cells": self.submission.sources(framework), "provided": provided}
        reply, _ = worker.exchange(header, [pack_texts(texts)])
        return self._found(reply, exercise)

    def _select(self, worker: Worker, exercise: Exercise, framework: str) -> tuple[str, str] | None:
        """Turn to another entry of a source that is loaded already."""
        reply, _ = worker.exchange({"do": "entry", "entry": exercise.entry}, [])
        return self._found(reply, exercise)

    def _found(self, reply: Header, exercise: Exercise) -> tuple[str, str] | None:
        if reply.get("found") is True:
            return None
        errors = reply.get("errors")
        blocking = _blocking(errors if isinstance(errors, list) else [], self.submission, exercise)
        return ("error", blocking) if blocking else ("missing", _nowhere(self.submission, exercise))


def _in_company(found: list[tuple[Exercise, str]]) -> list[tuple[Exercise, str]]:
    """Those that may share a worker, in an order in which none finds another's solution there.

    A solution is provided to what builds on it, so all answers to its topic come before, in
    every framework. An exercise that builds on the rest of its own topic stays out.
    """
    order = topics()

    def key(task: tuple[Exercise, str]) -> tuple[int, str, tuple[str, ...]]:
        exercise, framework = task
        last = max((order.index(topic) for topic in exercise.builds_on), default=-1)
        return last, framework, exercise.builds_on

    return sorted((t for t in found if t[0].topic not in t[0].builds_on), key=key)


def _provided(topic: str, exercise: Exercise, framework: str) -> str:
    """The reference solution of a topic; of the exercise's own topic, all but the answer itself."""
    return _solution(topic, framework, exercise.entry if topic == exercise.topic else None)


@cache
def _solution(topic: str, framework: str, but: str | None) -> str:
    text = (ROOT / "solutions" / topic / f"in_{framework}.py").read_text(encoding="utf-8")
    lines = text.split("\n")
    for statement in ast.parse(text).body:
        if but is not None and getattr(statement, "name", None) == but:
            lines[statement.lineno - 1 : statement.end_lineno] = []
    return "\n".join(lines)


def _blocking(errors: list[Header], submission: Submission, exercise: Exercise) -> str | None:
    """The error that kept the entry from being defined, as a sentence."""
    attempted = any(exercise.entry in cell.source for cell in submission.cells)
    if not attempted:
        return None
    for error in errors:
        if isinstance(error, dict) and (
            error.get("type") == "SyntaxError" or exercise.entry in str(error.get("source"))
        ):
            place = f"line {error.get('line')} of {str(error.get('cell')).strip('<>')}"
            return (
                f"{exercise.entry} is never defined: {error.get('type')} in {place}: {error.get('message')}"
            )
    first = errors[0] if errors else None
    return (
        f"{exercise.entry} is never defined: {first.get('type')}: {first.get('message')}"
        if isinstance(first, dict)
        else None
    )


def _death(status: int) -> tuple[str, str]:
    if status == -24:
        return "timeout", "It used up its time on the processor: is there a loop that never ends?"
    how = f"was ended by signal {-status}" if status < 0 else f"ended itself with status {status}"
    return "error", f"Its process {how} before it had answered."


def _nowhere(submission: Submission, exercise: Exercise) -> str:
    defined = any(exercise.entry in cell.defines for cell in submission.cells)
    if defined:
        return f"It cannot be told which framework {exercise.entry} is written in: say it with --framework."
    kind = "class" if exercise.is_class else "function"
    return f"{submission.name} defines no {kind} named {exercise.entry}."


def _failed(exercise: Exercise, framework: str, outcome: str, message: str) -> Verdict:
    return Verdict(exercise.name, framework, outcome, message, max_points=exercise.points)
