"""What counts: the best result for each exercise, and the points that follow. The one place of these rules."""

import hashlib
import hmac
import re
import secrets
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.marks.gradebook import Gradebook
from autograder.model.catalogue import all_exercises
from autograder.model.results import ExerciseResult, SubmissionResult, identity, learner_of
from autograder.model.verdict import Verdict

KEY_BYTES = 32
PRACTICE = "Practice: graded without the full lock, and no official mark."
NOT_HANDED_IN = "Nothing that was handed in defines it."


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
    return {"points": sum(v.points for v in counts), "accepted": sum(v.outcome == "accepted" for v in counts)}


def told(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """The verdicts to show: what is not written in one framework goes unsaid if another has an answer."""
    verdicts = list(verdicts)
    counts = best(verdicts)
    return [v for v in verdicts if v.outcome != "missing" or counts[v.exercise].outcome == "missing"]


@dataclass(frozen=True)
class Learner:
    """One learner's results on the assignment, and the marks that follow from them.

    page: the file name of their report, which nobody can guess without the gradebook. exercises: those of the assignment, and what each is worth.
    """

    name: str
    page: str = field(compare=False)
    results: list[ExerciseResult]
    problems: list[str]
    exercises: Mapping[str, float]

    @property
    def best(self) -> dict[str, Verdict]:
        """For each exercise the verdict that counts; none for what was not handed in."""
        return best(r.verdict for r in self.results)

    @property
    def marks(self) -> list[Verdict]:
        """A verdict for each exercise of the assignment; what was not handed in is missing."""
        found = self.best
        return [
            found.get(name) or Verdict(name, "", "missing", NOT_HANDED_IN, max_points=points)
            for name, points in self.exercises.items()
        ]

    @property
    def files(self) -> set[str]:
        """The submissions that the results come from."""
        return {result.submission for result in self.results}

    @property
    def points(self) -> float:
        return float(sum(v.points for v in self.marks))

    @property
    def possible(self) -> float:
        """What the assignment is worth, the same for everybody."""
        return float(sum(self.exercises.values()))

    @property
    def passed(self) -> int:
        return sum(v.outcome == "accepted" for v in self.marks)

    @property
    def seconds(self) -> float:
        return sum({r.digest: r.seconds for r in self.results}.values())


@dataclass(frozen=True)
class Standing:
    """A class on an assignment: who has which marks, of what is possible.

    exercises: what each is worth. practice: whether these are no official marks. set_aside: what is kept and
    does not count, as sentences.
    """

    exercises: Mapping[str, float]
    learners: list[Learner]
    practice: bool
    set_aside: tuple[str, ...] = ()

    @property
    def possible(self) -> float:
        """The points that the exercises are worth together."""
        return float(sum(self.exercises.values()))


def standing(book: Gradebook) -> Standing:
    """The class as it stands in a gradebook."""
    results, practice = book.results(), not book.is_official()
    points, stated = book.assignment()
    attempted = {r.verdict.exercise for r in results}
    names = book.only or (tuple(points) if stated else attempted)
    exercises = _exercises(names, points)
    secret = book.key(secrets.token_bytes(KEY_BYTES))
    learners = _learners(book.files(), results, book.problems(), exercises, secret)
    left = sorted(attempted - set(exercises)) if not book.only else []
    aside = [
        f"{name} is no exercise of the last run: its results are kept, and do not count." for name in left
    ]
    practised = practice and any(r.practice for r in results)
    return Standing(exercises, learners, practised, (*book.set_aside(), *aside))


def standing_of(graded: Sequence[SubmissionResult], asked: Sequence[str]) -> Standing:
    """The class as one run has graded it. asked: the exercises of the run."""
    results = [ExerciseResult(s.name, s.digest, v, s.seconds, s.practice) for s in graded for v in s.verdicts]
    names = asked if is_stated(asked) else {r.verdict.exercise for r in results}
    problems = {s.name: s.problem for s in graded if s.problem}
    exercises = _exercises(names, {})
    learners = _learners([s.name for s in graded], results, problems, exercises)
    return Standing(exercises, learners, any(s.practice for s in graded))


def is_stated(asked: Sequence[str]) -> bool:
    """Whether a run's exercises were named; all of the course is what a run grades where none is named."""
    return set(asked) != set(all_exercises())


def one_learner(graded: Sequence[SubmissionResult], exercises: Sequence[str]) -> Learner:
    """All results of a run as those of one learner, whatever the files are called."""
    results = [ExerciseResult(s.name, s.digest, v, s.seconds, s.practice) for s in graded for v in s.verdicts]
    problems = [s.problem for s in graded if s.problem]
    return Learner("learner", "", results, problems, _exercises(exercises, {}))


def _exercises(names: Iterable[str], points: Mapping[str, float]) -> dict[str, float]:
    """What each of these exercises is worth, in the order of the course; one that is gone is worth nothing."""
    wanted = set(names)
    return {name: points.get(name, e.points) for name, e in all_exercises().items() if name in wanted}


def _learners(
    files: Iterable[str],
    results: Iterable[ExerciseResult],
    problems: Mapping[str, str],
    exercises: Mapping[str, float],
    secret: bytes = b"",
) -> list[Learner]:
    """Everyone who handed something in, in alphabetical order. All ways to write a name are one learner.

    secret: what the names of their pages follow from.
    """
    names: dict[str, str] = {}
    arrived = set()
    for file in sorted(files):
        who = learner_of(file)
        names.setdefault(identity(who), unicodedata.normalize("NFC", who))
        if not file.endswith("/"):
            arrived.add(identity(who))
    found: dict[str, list[ExerciseResult]] = defaultdict(list)
    for result in sorted(results, key=lambda r: (r.submission, r.verdict.exercise, r.verdict.framework)):
        if result.verdict.exercise in exercises:
            found[identity(result.learner)].append(result)
    said: dict[str, list[str]] = defaultdict(list)
    for name, problem in problems.items():
        # An empty folder is forgotten when something is in it.
        if not name.endswith("/") or identity(learner_of(name)) not in arrived:
            said[identity(learner_of(name))].append(problem)
    return [
        Learner(name, _page(name, secret), found[key], said[key], exercises)
        for key, name in sorted(names.items())
    ]


def _page(name: str, secret: bytes) -> str:
    """A file name for a learner's page: readable, different for different learners, and not to be guessed."""
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:40] or "learner"
    told = f"page of {identity(name)}".encode("utf-8", "replace")
    return f"{readable}-{hmac.new(secret, told, hashlib.sha256).hexdigest()[:32]}.html"
