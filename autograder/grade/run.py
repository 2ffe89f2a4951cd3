"""One run of `grade` over many submissions: what to grade, where, and what is kept."""

import logging
import secrets
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from autograder.grade.cluster import Cluster, grade_on_cluster
from autograder.grade.one_submission import Job
from autograder.grade.pool import grade_apart, grade_locally, processes_here
from autograder.grade.workers import SHARE_AFTER_TIMEOUTS, TIMEOUTS
from autograder.marks.check_versions import version_of_all
from autograder.marks.gradebook import Gradebook
from autograder.model.assignment import Assignment, TimeLimits
from autograder.model.errors import Unreadable, UsageError
from autograder.model.results import SubmissionResult, identity, learner_of
from autograder.model.teachers_exercises import folders
from autograder.model.text import clean, counted
from autograder.model.version import version_text
from autograder.read.files import SubmittedFile, find, in_turns
from autograder.read.learners import Layout
from autograder.read.submission import digest_of
from autograder.sandbox.readable_files import readable_parent

log = logging.getLogger(__name__)
Advance = Callable[[int, int], None]


@dataclass(frozen=True)
class GradeOptions:
    """What `grade` was asked for.

    assignment: the exercises, and how they count. key: from which inputs are drawn where no gradebook keeps one; drawn anew
    if it is not given. command: what was typed, as `Gradebook.command` keeps it.
    """

    assignment: Assignment
    framework: str | None
    time_limits: TimeLimits
    practice: bool = False
    processes: int = 0
    cluster: Cluster | None = None
    layout: Layout | None = None
    key: bytes = field(default_factory=secrets.token_bytes)
    command: Mapping[str, Any] | None = None

    @property
    def conditions(self) -> str:
        """Return what the results depend on besides the bytes and the grader."""
        d, a = self.time_limits, self.assignment
        limits = f"{d.source_seconds:g} and {d.call_seconds:g} of {d.seconds:g} of {d.submission_seconds:g} s"
        frameworks = f"{'+'.join(a.frameworks)} {a.count}" if a.frameworks else self.framework
        return f"{','.join(a.exercises)} {frameworks} practice={self.practice} {limits}"


def run_all(
    path: Path, gradebook: Path | None, options: GradeOptions, advance: Advance
) -> list[SubmissionResult]:
    """Grade what is not graded yet; gives a result for each submission, in the order of their names.

    path: a file, an archive or a folder. advance: told how many submissions are done, and of how many.
    """
    for location in (path, *([gradebook] if gradebook else []), *folders()):
        # Submissions could read each other, the gradebook, or references.
        if folder := readable_parent(location):
            raise UsageError(
                f"{location} lies below {folder}, which submissions may read: move it elsewhere."
            )
    with closing(Gradebook(gradebook)) if gradebook else nullcontext() as book:
        files, refused = find(path, options.layout)
        if book is not None:
            names = [*(file.name for file in files), *refused]
            book.begin(str(path.resolve()), names, options.assignment, options.practice, options.command)
        return GradingRun(book, options, advance).results(files, refused)


def deadline_notes(results: Collection[SubmissionResult], limits: TimeLimits) -> list[str]:
    """Return what a teacher should know of a run's time limits, as sentences."""
    again = sum(result.again for result in results)
    late = sum(v.outcome == "timeout" for result in results for v in result.verdicts)
    sentences = []
    if again:
        sentences.append(
            f"Graded once more at the end, alone: {counted(again, 'file')} with an answer that "
            "had ended by its deadline on a busy machine, or with a process that was killed."
        )
    if late:
        sentences.append(
            f"{counted(late, 'answer')} did not end in time. To give twice as much, run the same "
            f"command with --call-seconds {2 * limits.call_seconds:g} --source-seconds {2 * limits.source_seconds:g} "
            f"--seconds {2 * limits.seconds:g}."
        )
    return sentences


class _LearnerSeconds:
    """What the files of each learner have left of a budget, so that hundreds of them hold up nobody."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.rest: defaultdict[str, float] = defaultdict(lambda: seconds)
        self.timeouts: Counter[str] = Counter()

    def remaining(self, name: str) -> float:
        """Return the seconds for a submission of this name; zero or less if there are none."""
        return self.rest[identity(learner_of(name))]

    def note(self, result: SubmissionResult) -> None:
        """Take away what a submission has used, and nearly all after a few answers that did not end in time."""
        who = identity(learner_of(result.name))
        self.rest[who] -= result.seconds
        before = self.timeouts[who]
        self.timeouts[who] += sum(v.outcome == "timeout" for v in result.verdicts)
        if before < TIMEOUTS <= self.timeouts[who]:
            self.rest[who] = min(self.rest[who], SHARE_AFTER_TIMEOUTS * self.seconds)


class GradingRun:
    """One run over many submissions, whose results are kept as they arrive."""

    def __init__(self, gradebook: Gradebook | None, options: GradeOptions, advance: Advance) -> None:
        self.gradebook, self.options, self.advance = gradebook, options, advance
        self.key = gradebook.key(options.key) if gradebook else options.key
        self.done: dict[str, SubmissionResult] = {}
        self.learner_seconds = _LearnerSeconds(options.time_limits.learner_seconds)
        self.total = 0

    def results(self, files: list[SubmittedFile], refused: dict[str, str]) -> list[SubmissionResult]:
        """Grade all; refused: why some files are not graded, by name."""
        self.total = len(files) + len(refused)
        self._log_start()
        for name, problem in refused.items():
            self._refuse(name, problem)
        for result in self._graded(self._jobs(files)):
            self.learner_seconds.note(result)
            self._keep(result)
        open_ones = {name for name, result in self.done.items() if not result.is_settled}
        again = [s for s in files if s.name in open_ones and self.learner_seconds.remaining(s.name) > 0]
        if again:
            log.info("%d submissions are graded once more, alone", len(again))
            for result in self._graded(map(self._once_more, self._jobs(again)), alone=True):
                self.learner_seconds.note(result)
                self._keep(_with_second(self.done[result.name], result))
        return [self.done[name] for name in sorted(self.done)]

    def _refuse(self, name: str, problem: str, is_settled: bool = True) -> None:
        """Keep a problem of a file without bytes."""
        digest, practice = digest_of(problem.encode("utf-8", "replace"), ""), self.options.practice
        self._keep(SubmissionResult(name, digest, problem, practice=practice, is_settled=is_settled))

    def _log_start(self) -> None:
        if not log.isEnabledFor(logging.INFO):
            return  # the commit takes a call of git
        o = self.options
        where = o.cluster.address if o.cluster else f"{o.processes or processes_here()} processes"
        log.info("grader %s, checks %s", version_text(), version_of_all(o.assignment.exercises))
        log.info("%d submissions on %s; exercises: %s", self.total, where, ", ".join(o.assignment.exercises))

    def _once_more(self, job: Job) -> Job:
        """Return the same job, for the exercises whose verdict is not final."""
        open_ones = {v.exercise for v in self.done[job.name].verdicts if not v.is_settled}
        names = tuple(name for name in job.exercises if name in open_ones) or job.exercises
        return replace(job, exercises=names, last=True)

    def _jobs(self, files: list[SubmittedFile]) -> Iterator[Job]:
        o = self.options
        names = tuple(o.assignment.exercises)
        how = names, o.framework, o.time_limits, self.key, o.practice, o.assignment
        for file in in_turns(files):
            try:
                data = file.read(o.assignment.megabytes)
            except Unreadable as problem:
                # What is gone since the folder was listed is tried again by the next run; a damaged archive stays damaged.
                self._refuse(file.name, f"{file.name} {problem}", not isinstance(problem.__cause__, OSError))
                continue
            digest, remaining = digest_of(data, file.name), self.learner_seconds.remaining(file.name)
            if self._finish_if_graded_before(file.name, digest):
                continue
            if remaining <= 0 and file.name not in self.done:
                self._keep(self._not_run(file.name, digest))
            elif remaining > 0:
                yield Job(file.name, data, *how, remaining)

    def _not_run(self, name: str, digest: str) -> SubmissionResult:
        """Return the result of a learner whose time is used up.

        The next run tries it: what has been graded takes no time then.
        """
        words = (
            f"{name} was not run: what all files of a learner may take was used up by others. That is "
            f"{self.learner_seconds.seconds:g} s, of which a tenth is left after {TIMEOUTS} answers that did not end in time. "
            "Run the same command again, or with a larger --learner-seconds."
        )
        return SubmissionResult(name, digest, words, practice=self.options.practice, is_settled=False)

    def _finish_if_graded_before(self, name: str, digest: str) -> bool:
        """Give this name the results of the same bytes, if they were graded before; tell whether they were."""
        if self.gradebook is None or not self.gradebook.is_finished(digest, self.options.conditions):
            return False
        self.gradebook.make_current(name, digest)
        log.info("%s: graded before", clean(name))
        practice, problem = self.options.practice, self.gradebook.problem_of(digest, name)
        results = [r for r in self.gradebook.results_of(digest) if r.practice == practice]
        verdicts = tuple(r.verdict for r in results)
        seconds = results[0].seconds if results else 0.0
        self._finish(SubmissionResult(name, digest, problem, verdicts, seconds, practice))
        return True

    def _graded(self, jobs: Iterable[Job], alone: bool = False) -> Iterator[SubmissionResult]:
        """Grade jobs. alone: one after another, while nothing else of this run is at work."""
        if self.options.cluster is not None:
            return grade_on_cluster(jobs, self.options.cluster, at_once=1 if alone else None)
        if alone:
            return grade_apart(jobs, 1)
        return grade_locally(jobs, self.options.processes or processes_here())

    def _keep(self, result: SubmissionResult) -> None:
        """Add a result to the gradebook; what is not final is tried again by the next run."""
        outcomes = ", ".join(f"{v.exercise} {v.framework} {v.outcome}" for v in result.verdicts)
        words = clean(result.problem) if result.problem else outcomes or "nothing to grade"
        log.info("%s: %.2f s: %s", clean(result.name), result.seconds, words)
        if self.gradebook is not None:
            self.gradebook.add(result, self.options.conditions if result.is_settled else None)
        self._finish(result)

    def _finish(self, result: SubmissionResult) -> None:
        self.done[result.name] = result
        self.advance(len(self.done), self.total)


def _with_second(first: SubmissionResult, second: SubmissionResult) -> SubmissionResult:
    """Put the verdicts of a second try in the place of what was not final; the rest stays."""
    first_verdicts = {(v.exercise, v.framework): v for v in first.verdicts if second.digest == first.digest}
    second_verdicts = {(v.exercise, v.framework): v for v in second.verdicts}
    verdicts = tuple((first_verdicts | second_verdicts).values())
    return replace(second, verdicts=verdicts, seconds=first.seconds + second.seconds, again=True)
