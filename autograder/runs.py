"""One run of `grade` over many submissions: what to grade, where, and what is kept."""

import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .gradebook import Gradebook
from .grading import AHEAD, Graded, Job, grade_all, grade_locally, processes_here
from .remote import Deadlines
from .submission import Source, Unreadable, digest_of, find

# Without a gradebook there is no course key to keep; a single file's inputs still follow from its bytes.
PLAIN_KEY = b"attention, side by side"


Advance = Callable[[int, int], None]


class ClusterError(Exception):
    """The cluster cannot be used; the message is a sentence."""


@dataclass(frozen=True)
class Run:
    """What `grade` was asked for."""

    exercises: tuple[str, ...]
    framework: str | None
    deadlines: Deadlines
    practice: bool = False
    processes: int = 0
    cluster: str | None = None

    @property
    def asked(self) -> str:
        """What the results depend on besides the bytes and the grader."""
        limits = f"{self.deadlines.call:g} of {self.deadlines.whole:g} s"
        return f"{','.join(self.exercises)} {self.framework} practice={self.practice} {limits}"


@dataclass(frozen=True)
class Row:
    """One submission and its verdicts, as plain values."""

    name: str
    problem: str | None
    verdicts: tuple[dict[str, Any], ...]
    seconds: float
    practice: bool


def score(verdicts: Iterable[dict[str, Any]]) -> dict[str, float]:
    """Points earned: each exercise counts once, in the framework in which it went better."""
    best: dict[str, float] = {}
    for v in verdicts:
        best[v["exercise"]] = max(best.get(v["exercise"], 0), v["points"])
    return {"points": sum(best.values()), "accepted": sum(p > 0 for p in best.values())}


def run_all(path: Path, gradebook: Path | None, run: Run, advance: Advance) -> list[Row]:
    """Grade what is not graded yet; gives a row for each submission, in the order of their names.

    path: a file, an archive or a folder. advance: told how many submissions are done, and of how many.
    """
    book = Gradebook(gradebook) if gradebook else None
    try:
        return _Runner(book, run, advance).rows(*find(path))
    finally:
        if book is not None:
            book.close()


class _Runner:
    def __init__(self, book: Gradebook | None, run: Run, advance: Advance) -> None:
        self.book, self.run, self.advance = book, run, advance
        self.key = book.key(secrets.token_bytes(32)) if book else PLAIN_KEY
        self.done: dict[str, Row] = {}
        self.total = 0

    def rows(self, sources: list[Source], refused: dict[str, str]) -> list[Row]:
        self.total = len(sources) + len(refused)
        for name, problem in refused.items():
            self._keep(Row(name, problem, (), 0, self.run.practice), digest_of(problem.encode(), ""))
        for graded in self._graded(self._jobs(sources)):
            verdicts = tuple(v.as_dict() for v in graded.verdicts)
            row = Row(graded.name, graded.problem, verdicts, graded.seconds, self.run.practice)
            self._keep(row, graded.digest, graded.final)
        return [self.done[name] for name in sorted(self.done)]

    def _jobs(self, sources: list[Source]) -> Iterator[Job]:
        run = self.run
        for source in sources:
            try:
                data = source.read()
            except Unreadable as problem:
                # Gone since the folder was listed: reported, and tried again by the next run.
                self._finish(Row(source.name, f"{source.name} {problem}", (), 0, run.practice))
                continue
            if not self._is_known(source.name, digest_of(data, source.name)):
                yield Job(
                    source.name, data, run.exercises, run.framework, run.deadlines, self.key, run.practice
                )

    def _is_known(self, name: str, digest: str) -> bool:
        """Whether the same bytes were graded before; their results then stand under this name too."""
        if self.book is None or not self.book.is_finished(digest, self.run.asked):
            return False
        self.book.make_current(name, digest)
        found = [r for r in self.book.results_of(digest) if r.practice == self.run.practice]
        seconds = found[0].seconds if found else 0.0
        self._finish(
            Row(
                name,
                self.book.problem_of(digest),
                tuple(r.verdict for r in found),
                seconds,
                self.run.practice,
            )
        )
        return True

    def _graded(self, jobs: Iterator[Job]) -> Iterator[Graded]:
        if self.run.cluster is None:
            return grade_locally(jobs, self.run.processes or processes_here())
        return _grade_on_cluster(jobs, self.run.cluster)

    def _keep(self, row: Row, digest: str, final: bool = True) -> None:
        """Into the gradebook; what is not final is tried again by the next run."""
        if self.book is not None:
            asked = self.run.asked if final else None
            self.book.add(row.name, digest, row.problem, asked, row.verdicts, row.seconds, row.practice)
        self._finish(row)

    def _finish(self, row: Row) -> None:
        self.done[row.name] = row
        self.advance(len(self.done), self.total)


def _grade_on_cluster(jobs: Iterator[Job], address: str) -> Iterator[Graded]:
    try:
        from distributed import Client
    except ImportError as error:
        raise ClusterError("Grading on a cluster needs `pip install distributed`.") from error
    try:
        client = Client(address, timeout=10)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(f"There is no Dask scheduler at {address}: {error}.") from error
    with client:
        workers = max(1, sum(client.nthreads().values()))
        yield from grade_all(jobs, client.get_executor(pure=False), ahead=workers * AHEAD)
