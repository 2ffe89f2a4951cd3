"""What counts: the best result for each exercise, and the points that follow. The one place of these rules."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograder.marks.gradebook import Gradebook
from autograder.model.catalogue import all_exercises
from autograder.model.results import ExerciseResult, SubmissionResult, learner_of
from autograder.model.verdict import Verdict


def best(verdicts: Iterable[Verdict]) -> dict[str, Verdict]:
    """For each exercise the verdict that counts: the better of the frameworks, and of several files.

    Of two with equal points the earlier counts, but one that says that nothing is written yet comes last.
    """
    found: dict[str, Verdict] = {}
    for verdict in verdicts:
        if verdict.exercise not in found or _worth(verdict) > _worth(found[verdict.exercise]):
            found[verdict.exercise] = verdict
    return found


def _worth(verdict: Verdict) -> tuple[float, bool]:
    return verdict.points, verdict.outcome != "missing"


def score(verdicts: Iterable[Verdict]) -> dict[str, float]:
    """Points earned and exercises accepted: each counts once."""
    counts = best(verdicts).values()
    return {"points": sum(v.points for v in counts), "accepted": sum(v.points > 0 for v in counts)}


def told(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """The verdicts to show: what is not written in one framework goes unsaid if another has an answer."""
    verdicts = list(verdicts)
    counts = best(verdicts)
    return [v for v in verdicts if v.outcome != "missing" or counts[v.exercise].outcome == "missing"]


@dataclass(frozen=True)
class Learner:
    """One learner's results and the marks that follow from them. page: the file name of their report."""

    name: str
    page: str
    results: list[ExerciseResult]
    problems: list[str]

    @property
    def best(self) -> dict[str, Verdict]:
        """For each exercise the verdict that counts."""
        return best(r.verdict for r in self.results)

    @property
    def files(self) -> set[str]:
        """The submissions that the results come from."""
        return {result.submission for result in self.results}

    @property
    def points(self) -> float:
        return float(sum(v.points for v in self.best.values()))

    @property
    def possible(self) -> float:
        """What the exercises that were handed in are worth."""
        return float(sum(v.max_points for v in self.best.values()))

    @property
    def passed(self) -> int:
        return sum(v.outcome == "accepted" for v in self.best.values())

    @property
    def seconds(self) -> float:
        return sum({r.digest: r.seconds for r in self.results}.values())

    @property
    def practice(self) -> bool:
        return any(r.practice for r in self.results)


def learners(book: Gradebook) -> list[Learner]:
    """Everyone who handed something in, in alphabetical order."""
    files = book.files()
    arrived = {learner_of(name) for name in files if not name.endswith("/")}
    results: dict[str, list[ExerciseResult]] = defaultdict(list)
    for result in book.results():
        results[result.learner].append(result)
    problems: dict[str, list[str]] = defaultdict(list)
    for name, problem in book.problems().items():
        # An empty folder is forgotten when something is in it.
        if not name.endswith("/") or learner_of(name) not in arrived:
            problems[learner_of(name)].append(problem)
    everyone = sorted({learner_of(name) for name in files}, key=lambda name: (name.casefold(), name))
    return [Learner(name, _page(name), results[name], problems[name]) for name in everyone]


def one_learner(graded: Sequence[SubmissionResult]) -> Learner:
    """All results of a run as those of one learner, whatever the files are called."""
    results = [ExerciseResult(s.name, "", v, s.seconds, s.practice) for s in graded for v in s.verdicts]
    return Learner("learner", "", results, [s.problem for s in graded if s.problem])


def counted(book: Gradebook, everyone: Sequence[Learner]) -> list[str]:
    """The exercises of the assignment, or all that anybody attempted, in the order of the course."""
    attempted = {name for who in everyone for name in who.best}
    return [name for name in all_exercises() if name in (book.only or attempted)]


def possible(names: Sequence[str]) -> float:
    """The points that these exercises are worth together."""
    return float(sum(all_exercises()[name].points for name in names))


def _page(name: str) -> str:
    """A file name for a learner's page: readable, and different for different learners."""
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:40] or "learner"
    return f"{readable}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:6]}.html"
