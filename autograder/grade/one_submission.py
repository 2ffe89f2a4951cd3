"""All verdicts on one submission, each exercise in a locked process."""

import ast
import hashlib
import hmac
import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from autograder.diagnose.diagnosis import explained
from autograder.diagnose.fingerprint import with_fingerprint
from autograder.frameworks import graded_frameworks, title_of
from autograder.grade.log import note_layers
from autograder.grade.workers import TIMEOUTS, Budget, Worker, Zygote
from autograder.judge.protocol import Tampering
from autograder.judge.trial import Trial
from autograder.model.assignment import BOTH, EVERY_ANSWER, Assignment, TimeLimits, needs_no_framework
from autograder.model.catalogue import topics
from autograder.model.errors import LockRefused, ZygoteFailed
from autograder.model.exercise import Exercise
from autograder.model.paths import ROOT
from autograder.model.text import clean
from autograder.model.verdict import Verdict, most_telling, not_written, unjudged
from autograder.read.flags import flag
from autograder.read.problems import (
    ENDED,
    STOPPED,
    SourceRun,
    in_no_framework,
    naming_prose,
    naming_wrong_helpers,
)
from autograder.read.submission import StatementId, Submission
from autograder.sandbox.layers import REQUIRED
from autograder.sandbox.requests import EntryRequest, SourceRequest
from autograder.sandbox.wire import Arrays, Closed, TooLate, pack_texts

log = logging.getLogger(__name__)
# Of the time for a source: after it the worker itself stops what still runs, and what was defined is judged.
OWN_SHARE = 0.75
Begin = tuple[SourceRequest | EntryRequest, Arrays]
ATTEMPTS = 2
# How often a source that did not end is run once more, in all workers together.
MAX_REPEATS = 8
KILLED = (
    "Its process was killed from outside, twice, before it had answered: is there enough memory? It counts as "
    "not graded yet, and the next run of the same command grades it again."
)


class WorkerKilled(Exception):
    """A worker was killed, and by nothing that the submission is known to have done."""


class RunOnceMore(Exception):
    """A source did not end; without the statement that was at work it may."""


@dataclass(frozen=True)
class Job:
    """One submission and how to grade it. Travels to the process or machine that grades it.

    framework: what everything is taken for; told from the code if None. assignment: in which frameworks answers are
    graded, how they count, and what the submission may hold. seconds_left: seconds that its learner's other files have left;
    all if None. last: whether nothing comes after this try, so that a time-out stands.
    """

    name: str
    data: bytes
    exercises: tuple[str, ...]
    framework: str | None
    time_limits: TimeLimits
    key: bytes
    practice: bool
    assignment: Assignment = EVERY_ANSWER
    seconds_left: float | None = None
    last: bool = False


class Grader:
    """One submission, on one zygote."""

    def __init__(self, zygote: Zygote, submission: Submission, job: Job) -> None:
        self.zygote, self.submission, self.job = zygote, submission, job
        self.budget = Budget(zygote, job.time_limits, job.seconds_left)
        self.judged: list[str] = []
        # Whether an answer may have had too little time, on a machine that was busy.
        self.hurried = False
        # Statements that took too long or ended their process: they run once, and are left out afterwards.
        self.skipped: dict[StatementId, str] = {}
        self.repeats = 0
        self.killed_at: StatementId | None = None

    def grade(self, exercises: Sequence[Exercise]) -> list[Verdict]:
        """Return all verdicts. A single exercise that is asked for by name always gets one."""
        job = self.job
        tasks = self._tasks(exercises)
        alone = exercises[0] if len(exercises) == 1 else None
        if self.submission.problem:
            return self._unread(tasks or ([(alone, job.framework or "torch")] if alone else []))
        unclear = [e for e in exercises if not job.framework and self.submission.is_unclear(e.entry)]
        if not tasks and not unclear and alone:
            return [unjudged(alone, job.framework or "?", "missing", self.submission.not_defined(alone))]
        verdicts = self._judge_all(tasks)
        verdicts += [v for e in unclear for v in self._in_all_frameworks(e)]
        judged = {v.exercise for v in verdicts}
        verdicts += self._in_prose(e for e in exercises if e.name not in judged)
        return naming_wrong_helpers(naming_prose(verdicts, self.submission), self.submission)

    def _judge_all(self, tasks: Sequence[tuple[Exercise, str]]) -> list[Verdict]:
        """Judge all in one worker, and what is not accepted there each in a worker of its own."""
        attempted = [(e, f) for e, f in tasks if not self.submission.definitions.is_not_written(e.entry, f)]
        shared = self._judge_in_one_worker(_may_share_a_worker(attempted))
        return [self._flagged(e, self._judge_apart(e, f, shared.get((e.name, f)))) for e, f in tasks]

    def _unread(self, tasks: Sequence[tuple[Exercise, str]]) -> list[Verdict]:
        """Return verdicts that say why the submission cannot be read."""
        # Stored with the bytes, which other learners may have handed in under other names.
        why = f"The file {str(self.submission.problem).removeprefix(f'{self.submission.name} ')}"
        return [unjudged(exercise, framework, "error", why) for exercise, framework in tasks]

    def _in_prose(self, exercises: Iterable[Exercise]) -> list[Verdict]:
        """Return verdicts on what stands in cells that are no code, and nowhere else."""
        frameworks, verdicts = [*self.submission.definitions.imported, *graded_frameworks()], []
        for e in (e for e in exercises if self.submission.in_prose(e.entry)):
            framework = next((f for f in frameworks if self.job.assignment.counts(e.name, f)), None)
            if framework is not None:
                verdicts.append(unjudged(e, framework, "missing", self.submission.not_defined(e)))
        return verdicts

    def _tasks(self, exercises: Sequence[Exercise]) -> list[tuple[Exercise, str]]:
        """Return what to grade: each exercise in each framework in which the submission defines it."""
        one = self.job.framework
        return [
            (exercise, framework)
            for exercise in exercises
            for framework in ([one] if one else self.submission.frameworks(exercise.entry))
            if self.job.assignment.counts(exercise.name, framework)
        ]

    def _in_all_frameworks(self, exercise: Exercise) -> list[Verdict]:
        """Return the better verdict where nothing tells the framework: a shape or a count needs none.

        All of them where each framework counts, and the exercise needs one.
        """
        candidates = [f for f in graded_frameworks() if self.job.assignment.counts(exercise.name, f)]
        installed = [f for f in candidates if f in self.zygote.frameworks]
        every = self.job.assignment.count == BOTH and not needs_no_framework(exercise.name)
        tried: list[Verdict] = []
        for framework in installed or candidates[:1]:
            tried.append(self._flagged(exercise, self._judge_apart(exercise, framework, None)))
            if tried[-1].outcome == "accepted" and not every:
                break
        packages = self.submission.packages_of(exercise.entry)
        tried = [in_no_framework(v, exercise.entry, packages) for v in tried]
        return tried if every else [most_telling(tried)]

    def _flagged(self, exercise: Exercise, verdict: Verdict) -> Verdict:
        """Return the verdict, with what a teacher should look at in the source."""
        words = flag(self.submission, verdict.framework, exercise)
        return replace(verdict, flag=words) if words else verdict

    def _judge_in_one_worker(self, tasks: list[tuple[Exercise, str]]) -> dict[tuple[str, str], Verdict]:
        """Judge several exercises in one worker, as long as it answers. Of these, accepted ones stand."""
        verdicts: dict[tuple[str, str], Verdict] = {}
        tasks = [(e, f) for e, f in tasks if f in self.zygote.frameworks]
        if len(tasks) < 2:
            return verdicts
        loaded: tuple[str, tuple[str, ...]] | None = None
        forbidden = {name for exercise, _ in tasks for name in exercise.forbidden}
        with self._worker(is_first=True) as worker:
            for exercise, framework in tasks:
                required = (framework, exercise.builds_on)
                begin: Begin = {"do": "entry", "entry": exercise.entry}, []
                if required != loaded:
                    begin = self._source(exercise, framework, forbidden)
                loaded = required
                # To refuse other operators takes long. Who may call these, and does, is judged apart.
                strict = replace(exercise, forbidden=exercise.forbidden or tuple(forbidden))
                try:
                    verdict = self._outcome(worker, strict, framework, begin, explain=False)
                except WorkerKilled:
                    break
                except RunOnceMore:
                    rest = [(e, f) for e, f in tasks if (e.name, f) not in verdicts]
                    return verdicts | self._judge_in_one_worker(rest)
                verdicts[exercise.name, framework] = verdict
                if verdict.outcome in ("timeout", "tampering") or worker.status is not None:
                    break
        return verdicts

    def _judge_apart(self, exercise: Exercise, framework: str, first: Verdict | None) -> Verdict:
        """Judge again, in a worker of its own, what was not accepted in a shared one; an untouched stub in none.

        If it is rejected there too and builds on another topic, it is judged a third time, with the
        reference in the place of the learner's helpers: a wrong helper costs its own points only.
        """
        if self.submission.definitions.is_not_written(exercise.entry, framework):
            return not_written(exercise, framework)
        if framework not in self.zygote.frameworks:
            words = f"{title_of(framework)} is not installed on this machine."
            return unjudged(exercise, framework, "error", words)
        # What had too little time on a busy machine is judged at the end, alone.
        if first is not None and (first.outcome == "accepted" or not first.is_settled):
            return first
        verdict = self._judge_in_fresh_worker(exercise, framework)
        if verdict.outcome in ("rejected", "error") and exercise.builds_on:
            second = self._judge_in_fresh_worker(exercise, framework, override=True)
            if second.outcome == "accepted":
                helpers = ", ".join(exercise.builds_on)
                return replace(second, message=f"{second.message} (The reference stood in for {helpers}.)")
        return verdict

    def _judge_in_fresh_worker(self, exercise: Exercise, framework: str, override: bool = False) -> Verdict:
        """Judge an answer in a worker of its own.

        override: put the reference in the place of the helpers; what is wrong has been said before then.
        """
        kills = 0
        while kills < ATTEMPTS:
            if self.budget.remaining() <= 0:
                return self._out_of_time(exercise, framework)
            with self._worker() as worker, suppress(RunOnceMore):
                begin = self._source(exercise, framework, exercise.forbidden, override)
                try:
                    verdict = self._outcome(worker, exercise, framework, begin, explain=not override)
                except WorkerKilled:
                    kills += 1
                    continue
                if verdict.outcome == "timeout":
                    self.budget.note_timeout()
                return verdict
        return unjudged(exercise, framework, "error", KILLED, is_settled=False)

    def _out_of_time(self, exercise: Exercise, framework: str) -> Verdict:
        """Return the verdict on an answer for which no time is left: final if this file alone has used it up."""
        limits, before = self.job.time_limits, ", ".join(dict.fromkeys(self.judged)) or "none"
        message = (
            f"Its time was used up before this exercise was judged: {limits.submission_seconds:g} s for a file and "
            f"{limits.learner_seconds:g} s for all files of a learner, of which a tenth is left after {TIMEOUTS} answers "
            f"that did not end in time. Judged before: {before}."
        )
        is_own_limit = self.budget.file_limit <= self.budget.learner_limit
        return unjudged(exercise, framework, "timeout", message, is_settled=is_own_limit and not self.hurried)

    def _worker(self, is_first: bool = False) -> Worker:
        try:
            worker = self.zygote.fork(self.budget.time_limits(is_first))
        except (TooLate, Closed) as error:
            raise ZygoteFailed("a worker did not start") from error
        note_layers(tuple(layer for layer, held in worker.layers.items() if held))
        open_layers = [layer for layer in REQUIRED if not worker.layers.get(layer)]
        if open_layers and not self.job.practice:
            worker.close()
            raise LockRefused(
                f"This machine does not offer {' and '.join(open_layers)}, so a submission could reach more than "
                "it should, and no official mark is given. `attention doctor` says more; "
                "--practice grades anyway and marks every result as practice."
            )
        return worker

    def _outcome(
        self, worker: Worker, exercise: Exercise, framework: str, begin: Begin, explain: bool
    ) -> Verdict:
        """Return the judge's verdict, or the outcome of whatever kept the worker from answering.

        begin: the request that turns it to the exercise. explain: whether a rejected answer is told what is wrong with it; not where it is judged once more.
        """
        try:
            reply, _ = worker.exchange(*begin)
            run = SourceRun(self.submission, reply.get("errors"), self.skipped)
            self.skipped |= dict.fromkeys(run.stopped - self.skipped.keys(), STOPPED)
            if reply.get("found") is not True:
                outcome, message = run.why_not_defined(exercise)
                return unjudged(exercise, framework, outcome, message + run.note_of(self.skipped, framework))
            trial = Trial(exercise, worker, framework, self._seed(exercise))
            verdict = trial.verdict()
            if explain:
                verdict = self._explained(trial, verdict)
            self.judged.append(exercise.name)
            return replace(verdict, message=verdict.message + run.notes(verdict, self.skipped))
        except TooLate:
            log.info("worker %d on %s is killed: it does not answer in time", worker.pid, exercise.name)
            hurried = worker.clock.was_kept_waiting() and not self.job.last
            self.hurried |= hurried
            if not hurried:
                self._leave_out(begin, STOPPED)
            return unjudged(exercise, framework, "timeout", self._too_late(begin), is_settled=not hurried)
        except Closed:
            if not self.zygote.is_alive():
                raise ZygoteFailed("the process that forks workers is gone") from None
            if worker.was_killed_from_outside():
                log.warning("worker %d on %s was killed from outside", worker.pid, exercise.name)
                self._leave_out_once_killed(begin)
                raise WorkerKilled from None
            log.info("worker %d on %s has ended: status %d", worker.pid, exercise.name, worker.end())
            outcome, message = _how_it_ended(worker.end())
            self._leave_out(begin, STOPPED if outcome == "timeout" else ENDED)
            return unjudged(exercise, framework, outcome, message)
        except Tampering as tampering:
            log.info("worker %d on %s is killed: %s", worker.pid, exercise.name, clean(tampering))
            message = f"Its process did not answer as an honest one does: {tampering}."
            return unjudged(exercise, framework, "tampering", message)
        except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError):
            # Only an answer of a form that no honest worker sends can bring the judge here.
            message = "Its process sent an answer that cannot be judged."
            return unjudged(exercise, framework, "tampering", message)

    def _leave_out(self, begin: Begin, why: str) -> None:
        """Leave out what a source was at when it ended its worker, and what was stopped before.

        Raises RunOnceMore, unless nothing is known of it, or the source has been run often enough.
        """
        statements = self._at_work(begin)
        if not statements or statements[0] in self.skipped or self.repeats == MAX_REPEATS:
            return
        at_work, *stopped = statements
        self.repeats += 1
        self.skipped |= dict.fromkeys(stopped, STOPPED) | {at_work: why}
        log.info("the source is run once more without line %d of %s", at_work[1], at_work[0])
        raise RunOnceMore

    def _leave_out_once_killed(self, begin: Begin) -> None:
        """Leave out what a worker was at when it was killed from outside, at the second time."""
        at_work = next(iter(self._at_work(begin)), None)
        if at_work is not None and at_work == self.killed_at:
            self._leave_out(begin, ENDED)
        self.killed_at = at_work

    def _at_work(self, begin: Begin) -> list[StatementId]:
        """Return the statement that the worker was at, and those that were stopped; none where it ran no source."""
        request, _ = begin
        if request["do"] != "source":
            return []
        names = [name for name, _ in self.submission.sources(request["framework"], self.skipped)]
        noted = [(names[cell - 1], line) for cell, line in self.zygote.board.read() if cell <= len(names)]
        return [statement for statement in noted if statement in self.submission.statement_ids]

    def _too_late(self, begin: Begin) -> str:
        """Say that an answer or a source did not end in time, as a sentence."""
        at_work = next(iter(self._at_work(begin)), None)
        what = f"Line {at_work[1]} of {at_work[0]} did not end" if at_work else "It did not answer"
        return f"{what} in time: is there a loop that never ends?"

    def _explained(self, trial: Trial, verdict: Verdict) -> Verdict:
        """Return the verdict with what is wrong. It stands without, where the answer takes too long while that is looked for."""
        try:
            verdict = explained(trial, verdict)
            return with_fingerprint(trial, verdict)
        except TooLate:
            self.budget.note_timeout()
            return verdict

    def _seed(self, exercise: Exercise) -> int:
        """Return a seed of its own for each submission: a regrade repeats them, a learner cannot foresee them."""
        message = f"{self.submission.digest} {exercise.name}".encode()
        return int.from_bytes(hmac.digest(self.job.key, message, hashlib.sha256)[:6], "big")

    def _source(
        self, exercise: Exercise, framework: str, forbidden: Iterable[str], override: bool = False
    ) -> Begin:
        """Return the request that runs the source.

        forbidden: what must not be called while it runs either, else it could be kept in another form for later.
        """
        request: SourceRequest = {
            "do": "source",
            "framework": framework,
            "entry": exercise.entry,
            "override": override,
            "seconds": self.job.time_limits.source_seconds * OWN_SHARE,
            "forbidden": sorted(forbidden),
        }
        texts = {
            "cells": self.submission.sources(framework, self.skipped),
            "provided": _provided(exercise, framework),
        }
        return request, [pack_texts(texts)]


def _may_share_a_worker(tasks: list[tuple[Exercise, str]]) -> list[tuple[Exercise, str]]:
    """Return those that may share a worker, in an order in which none finds another's solution there.

    A solution is provided to what builds on it, so all answers to its topic come before, in
    every framework. An exercise that builds on the rest of its own topic stays out.
    """
    order = topics()

    def key(task: tuple[Exercise, str]) -> tuple[int, str, tuple[str, ...]]:
        exercise, framework = task
        last = max((order.index(topic) for topic in exercise.builds_on), default=-1)
        return last, framework, exercise.builds_on

    return sorted((t for t in tasks if t[0].topic not in t[0].builds_on), key=key)


def _provided(exercise: Exercise, framework: str) -> list[tuple[str, str]]:
    """Return the modules of the reference solutions that an exercise builds on, by name; of its own topic without the answer.

    Each stands behind those that it imports, which come along. A framework in which the course has no solutions is
    provided with none.
    """
    texts: dict[str, str] = {}

    def add(name: str) -> None:
        path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
        if name in texts or not path.exists():
            return
        text = _solution(path, exercise.entry if name.split(".")[1] == exercise.topic else "")
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("solutions."):
                add(str(statement.module))
        texts[name] = text

    for topic in exercise.builds_on:
        add(f"solutions.{topic}.common")
        add(f"solutions.{topic}.in_{framework}")
    return list(texts.items())


@cache
def _solution(path: Path, but: str) -> str:
    """Return the source of a solution's module, without the definition or the import of the name `but`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom):
            statement.names = [a for a in statement.names if a.name != but]
    statements = [s for s in tree.body if getattr(s, "name", None) != but and getattr(s, "names", True)]
    return ast.unparse(ast.Module(statements, []))


def _how_it_ended(status: int) -> tuple[str, str]:
    if status == -24:
        return "timeout", "It used up its time on the processor: is there a loop that never ends?"
    how = f"was ended by signal {-status}" if status < 0 else f"ended itself with status {status}"
    return "error", f"Its process {how} before it had answered."
