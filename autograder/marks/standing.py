"""What counts: the best result for each exercise, and the points that follow. The one place of these rules.

The grader's verdicts come first, then the assignment's points and frameworks, then what a person says of an
exercise, then lateness, and last what a person says of the whole.
"""

import hashlib
import hmac
import re
import secrets
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property

from autograder.frameworks import title_of
from autograder.marks.check_versions import version_now
from autograder.marks.corrections import TIMES, Correction, Corrections, file_beside, read_corrections
from autograder.marks.gradebook import Gradebook, now
from autograder.marks.unfinished import unfinished
from autograder.model.assignment import EVERY_ANSWER, Assignment, LateRule, rounded
from autograder.model.catalogue import all_exercises
from autograder.model.finding import Kind
from autograder.model.grouping import group_by
from autograder.model.results import ExerciseResult, SubmissionResult, identity, learner_of
from autograder.model.text import clean, counted, few
from autograder.model.verdict import Verdict

PRACTICE = "Practice: the full lock was not required, so no mark is official."
NOT_HANDED_IN = "Nothing that was handed in defines it."
NOT_IN = "Nothing that was handed in defines it in {}."
# The outcome where a file is still to be graded, in the place of "missing".
UNGRADED, NOT_GRADED = "ungraded", "Not graded yet."
# What Canvas writes into the names of files that came late.
CANVAS_LATE = re.compile(r" \(Canvas \d+\)/LATE_")
MAX_NAMES = 3


def best(verdicts: Iterable[Verdict]) -> dict[str, Verdict]:
    """Return for each exercise the verdict that counts: the better of the frameworks, and of several files.

    Of two with equal points the earlier counts, but one that says that nothing is written yet comes last.
    """
    by_exercise: dict[str, Verdict] = {}
    for verdict in verdicts:
        if verdict.exercise not in by_exercise or _rank(verdict) > _rank(by_exercise[verdict.exercise]):
            by_exercise[verdict.exercise] = verdict
    return by_exercise


def _rank(verdict: Verdict) -> tuple[float, bool, bool]:
    return verdict.points, verdict.outcome != "missing", verdict.kind != Kind.NOT_WRITTEN


def verdicts_to_show(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Return the verdicts to show: what is not written in one framework goes unsaid if another has an answer."""
    verdicts = list(verdicts)
    counts = best(verdicts)
    return [v for v in verdicts if v.outcome != "missing" or counts[v.exercise].outcome == "missing"]


def _counted_verdict(
    name: str, verdicts: list[Verdict], points: float, assignment: Assignment, has_ungraded_files: bool
) -> Verdict:
    """Return the verdict on one exercise: the best, or where frameworks share the points the first that is not right.

    has_ungraded_files: whether a file that may hold an answer is not graded yet.
    """
    parts = [best(verdicts)[name]]
    if sharing := assignment.sharing_frameworks(name):
        bests = {f: best(v for v in verdicts if v.framework == f).get(name) for f in sharing}
        words = {f: NOT_IN.format(title_of(f)) for f in sharing}
        parts = [v or _nothing(name, f, words[f], has_ungraded_files) for f, v in bests.items()]
    earned = sum(v.points / v.max_points for v in parts if v.max_points) / len(parts)
    if any(v.outcome == "accepted" for v in parts):
        earned = max(earned, assignment.partial.get("one_framework", 0))
    verdict = next((v for v in parts if v.outcome != "accepted"), parts[0])
    return replace(verdict, points=rounded(points * earned), max_points=points)


def _nothing(
    exercise: str, framework: str, words: str, has_ungraded_files: bool, points: float = 0
) -> Verdict:
    """Return the verdict where no result is: missing, in these words, or not graded yet."""
    outcome, words = (UNGRADED, NOT_GRADED) if has_ungraded_files else ("missing", words)
    return Verdict(exercise, framework, outcome, words, max_points=points)


def with_credit(verdict: Verdict, assignment: Assignment) -> Verdict:
    """Return the verdict with the points of the assignment, which may give some for what is nearly right, but never fewer.

    Where frameworks share the points of an exercise, each verdict has its part of them.
    """
    parts = len(assignment.sharing_frameworks(verdict.exercise)) or 1
    worth = assignment.exercises.get(verdict.exercise, verdict.max_points) / parts
    earned = verdict.points / verdict.max_points if verdict.max_points else 0
    verdict = replace(verdict, points=rounded(worth * earned), max_points=rounded(worth))
    share = assignment.partial_share(verdict.failed_stage, verdict.misconception)
    points = rounded(share * verdict.max_points)
    if verdict.outcome != "rejected" or points <= verdict.points:
        return verdict
    words = f"{verdict.message} Partial credit: {100 * share:g} % of the points."
    return replace(verdict, points=points, message=words)


def _counting(
    results: Iterable[ExerciseResult], exercises: Mapping[str, float], assignment: Assignment
) -> list[ExerciseResult]:
    """Return the results on these exercises in frameworks that count, with partial credit."""
    of_exercises = [r for r in results if r.verdict.exercise in exercises]
    counts = [r for r in of_exercises if assignment.counts(r.verdict.exercise, r.verdict.framework)]
    return [replace(result, verdict=with_credit(result.verdict, assignment)) for result in counts]


@dataclass(frozen=True)
class Learner:
    """One learner's results on the assignment, and the marks that follow from them.

    page: the file name of their report, which nobody can guess without the gradebook. exercises: those of the
    assignment, and what each is worth. corrections: a person's. handed_in: when the work
    came; None if it is not known. due: a due date of their own. spellings: how the name is written, where there is more than one way. waiting: the
    files that are not graded yet.
    """

    name: str
    page: str = field(compare=False)
    results: list[ExerciseResult]
    problems: list[str]
    exercises: Mapping[str, float]
    assignment: Assignment = EVERY_ANSWER
    corrections: tuple[Correction, ...] = ()
    handed_in: datetime | None = None
    due: datetime | None = None
    spellings: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()

    @property
    def is_waiting(self) -> bool:
        """Return whether the points may still rise, since a file is not graded yet, and no person has set those of the whole."""
        return bool(self.waiting) and self.corrected_points("") is None

    @property
    def not_graded(self) -> str:
        """Return which files are not graded yet, as a sentence; "" if all are."""
        are = "is" if len(self.waiting) == 1 else "are"
        names = few(self.waiting, MAX_NAMES, "; ")
        return f"{counted(len(self.waiting), 'file')} {are} not graded yet: {names}." if self.waiting else ""

    @cached_property
    def best(self) -> dict[str, Verdict]:
        """Return for each exercise the verdict that counts; none for what was not handed in. No person's word is in it."""
        by_exercise = group_by((result.verdict for result in self.results), lambda verdict: verdict.exercise)
        worth = ((name, points) for name, points in self.exercises.items() if name in by_exercise)
        rest = self.assignment, bool(self.waiting)
        return {name: _counted_verdict(name, by_exercise[name], points, *rest) for name, points in worth}

    @cached_property
    def counting_results(self) -> dict[str, ExerciseResult]:
        """Return for each exercise the result that counts, with its time and the version of its check."""
        return {mark.exercise: result for mark in self.judged if (result := self.result_behind(mark))}

    @property
    def graded_at(self) -> str:
        """Return when the last of the results that count was given; "" if there is none."""
        return max((result.graded_at for result in self.counting_results.values()), default="")

    @property
    def checks(self) -> str:
        """Return the version of the check of each exercise that has a result."""
        return "; ".join(f"{name} {r.version}" for name, r in self.counting_results.items() if r.version)

    @cached_property
    def judged(self) -> list[Verdict]:
        """Return a verdict for each exercise of the assignment; what was not handed in is missing. No person's word is in it."""
        verdicts, has_ungraded_files = self.best, bool(self.waiting)
        return [
            verdicts.get(name) or _nothing(name, "", NOT_HANDED_IN, has_ungraded_files, points)
            for name, points in self.exercises.items()
        ]

    @cached_property
    def marks(self) -> list[Verdict]:
        """Return a verdict for each exercise, with the points that a person has set, if one has, and what a person says."""
        return [self._corrected(verdict) for verdict in self.judged]

    def result_behind(self, mark: Verdict) -> ExerciseResult | None:
        """Return the result that a mark comes from; None where nothing was handed in."""
        results = [r for r in self.results if r.verdict.framework == mark.framework]
        verdict = best(r.verdict for r in results).get(mark.exercise)
        return next((r for r in results if r.verdict is verdict), None)

    def corrections_of(self, exercise: str) -> list[Correction]:
        """Return what a person says of an exercise; of the whole if it is empty."""
        return [c for c in self.corrections if c.exercise == exercise]

    def corrected_points(self, exercise: str) -> float | None:
        """Return the points that a person has set for an exercise, or for the whole; None if nobody has."""
        return next((c.points for c in self.corrections_of(exercise) if c.points is not None), None)

    def is_given(self, mark: Verdict) -> bool:
        """Return whether a mark is for an answer, more than an untouched stub, or a person has set it."""
        by_a_person = self.corrected_points(mark.exercise) is not None
        return by_a_person or mark.outcome not in ("missing", UNGRADED) or mark.points > 0

    def words_on(self, exercise: str) -> list[str]:
        """Return what a person says of an exercise, as sentences."""
        mark = self.best.get(exercise)
        return [correction_in_words(c, mark.points if mark else 0) for c in self.corrections_of(exercise)]

    def _corrected(self, verdict: Verdict) -> Verdict:
        points = self.corrected_points(verdict.exercise)
        words = [verdict.message, *self.words_on(verdict.exercise)]
        return replace(verdict, points=verdict.points if points is None else points, message=" ".join(words))

    @property
    def earned(self) -> float:
        """Return the points of all exercises, before lateness and what a person says of the whole."""
        return rounded(float(sum(v.points for v in self.marks)))

    @property
    def late(self) -> LateRule | None:
        """Return the assignment's rule of lateness, from a due date of the learner's own on if there is one."""
        late = self.assignment.late
        return late.moved_to(self.due) if late and self.due else late

    @property
    def late_days(self) -> float:
        """Return how many days late the work is: as a person says, or as its time tells. What has no time is not late."""
        days = self._corrected_late_days
        late, when = self.late, self.handed_in
        return days if days is not None else late.days(when) if late and when else 0

    @property
    def _corrected_late_days(self) -> float | None:
        return next((c.late_days for c in self.corrections if c.late_days is not None), None)

    @property
    def is_timed(self) -> bool:
        """Return whether its time, or how late it is, is known. Where the rules say nothing of lateness nothing is late."""
        return self.handed_in is not None or self._corrected_late_days is not None

    @property
    def share_left(self) -> float:
        """Return what lateness leaves of the points, from 0 to 1. A person's word on the days excuses from the last moment too."""
        late, when = self.late, self.handed_in
        if late is None:
            return 1.0
        if when is not None and late.is_over(when) and self._corrected_late_days is None:
            return 0.0
        return late.share_left(self.late_days)

    @property
    def after_lateness(self) -> float:
        """Return the points that are left of those earned."""
        return rounded(self.earned * self.share_left)

    @property
    def points(self) -> float:
        """Return the points that count: after lateness, or those that a person has set for the whole."""
        points = self.corrected_points("")
        return self.after_lateness if points is None else points

    @property
    def remarks(self) -> list[str]:
        """Return what there is to say of the whole, as sentences: lateness, and a person's words."""
        sentences = [correction_in_words(c, self.after_lateness) for c in self.corrections_of("")]
        late = self.late
        own_due = [f"Due at {self.due:%Y-%m-%d %H:%M}, a date of its own."] if late and self.due else []
        if late is None or not self.late_days:
            return [*own_due, *sentences]
        when = f"Handed in at {self.handed_in:%Y-%m-%d %H:%M}. " if self.handed_in else ""
        lost = rounded(self.earned - self.after_lateness)
        deduction = f"{counted(self.late_days, 'day')} late"
        deduction += f": {lost:g} of {self.earned:g} points are taken off." if self.earned else "."
        if self.handed_in and late.is_over(self.handed_in) and self._corrected_late_days is None:
            deduction = f"What comes after {late.last:%Y-%m-%d %H:%M} counts nothing."
        return [*own_due, f"{when}{deduction}", *sentences]

    @property
    def explanation(self) -> str:
        """Return in one line what the points follow from: exercises, partial credit, a person's words and lateness.

        Of a learner with a file that is not graded yet, without points, since none is a result.
        """
        judged = () if self.is_waiting else zip(self.judged, self.marks, strict=True)
        marks = [_mark_in_words(*pair) for pair in judged]
        corrections = [f"{name}: {words}" for name in self.exercises for words in self.words_on(name)]
        of_all = [] if self.is_waiting else [f"In all: {self.points:g} of {self.possible:g}."]
        parts = [self.not_graded, "; ".join(marks) + "." * bool(marks), *corrections, *self.remarks, *of_all]
        line = " ".join(filter(None, parts))
        return clean(line, len(line))

    @property
    def possible(self) -> float:
        """Return what the assignment is worth, the same for everybody."""
        return rounded(float(sum(self.exercises.values())))

    @property
    def passed(self) -> int:
        return sum(v.outcome == "accepted" for v in self.marks)

    @property
    def seconds(self) -> float:
        return sum({r.digest: r.seconds for r in self.results}.values())


def _mark_in_words(judged: Verdict, mark: Verdict) -> str:
    """Return the points of an exercise, and which part of them is partial credit. judged: without a person's word."""
    is_partial = 0 < judged.points < judged.max_points and judged.points == mark.points
    credit = f" (partial credit: {100 * mark.points / mark.max_points:.3g} %)" if is_partial else ""
    missing = {"missing": " (missing)", UNGRADED: " (not graded yet)"} if not mark.points else {}
    return f"{mark.exercise}: {mark.points:g} of {mark.max_points:g}{credit}{missing.get(mark.outcome, '')}"


def correction_in_words(correction: Correction, before: float) -> str:
    """Return a person's word as a sentence, with its date. before: the points in whose place it puts others."""
    changed = []
    if correction.points is not None:
        changed.append(f"{counted(correction.points, 'point')} in place of {before:g}")
    if correction.late_days is not None:
        changed.append(f"counted as {counted(correction.late_days, 'day')} late")
    author = correction.author
    words = [f"Set by {author} ({correction.date}): {', '.join(changed)}."] if changed else []
    by = "" if author == "a person" else f" by {author}"
    words += [f"Comment{by} ({correction.date}): {correction.comment}"] if correction.comment else []
    return " ".join(words)


@dataclass(frozen=True)
class Standing:
    """A class on an assignment: who has which marks, of what is possible.

    exercises: what each is worth. practice: whether these are no official marks.
    set_aside: what is kept and does not count, and what is not known, as sentences. unread: of these, a person's
    corrections that name nobody, or no exercise that counts. unfinished: of what a run has found and not graded yet.
    """

    exercises: Mapping[str, float]
    learners: list[Learner]
    practice: bool
    set_aside: tuple[str, ...] = ()
    assignment: Assignment = EVERY_ANSWER
    unread: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()

    @property
    def possible(self) -> float:
        """Return the points that the exercises are worth together."""
        return rounded(float(sum(self.exercises.values())))

    @property
    def receipt(self) -> list[tuple[str, str, str, str]]:
        """Return for each check that gave a result that counts: exercise, version, and its first and last time."""
        graded_times: dict[tuple[str, str], list[str]] = defaultdict(list)
        for result in (r for who in self.learners for r in who.counting_results.values()):
            graded_times[result.verdict.exercise, result.version].append(result.graded_at)
        return [(*key, min(times), max(times)) for key, times in sorted(graded_times.items())]


def standing_in(book: Gradebook) -> Standing:
    """Return the class as it stands in a gradebook, and in the files that a person keeps beside it."""
    results, practice = book.results(), not book.is_official()
    assignment = book.assignment()
    attempted = {r.verdict.exercise for r in results}
    names = book.only or (tuple(assignment.exercises) if assignment.is_selection else attempted)
    exercises = _exercises(names, assignment.exercises)
    files, waiting = book.files(), [file.name for file in book.waiting()]
    corrections = read_corrections(book.path, [learner_of(file) for file in files], exercises)
    secret = book.key(secrets.token_bytes())
    learners = _learners(
        files,
        results,
        book.problems(),
        exercises,
        assignment,
        corrections,
        secret,
        waiting,
        book.first_times(),
    )
    why = "is no exercise of the last run: its results are kept, and do not count."
    aside = [] if book.only else [f"{name} {why}" for name in sorted(attempted - set(exercises))]
    practised = practice and any(r.practice for r in results)
    set_aside = (*book.set_aside(), *aside, *corrections.unread, *_unknown_times(book, learners, files))
    return Standing(
        exercises, learners, practised, set_aside, assignment, corrections.unread, unfinished(book)
    )


def _unknown_times(book: Gradebook, learners: Sequence[Learner], files: Sequence[str]) -> list[str]:
    """Return, where lateness counts, of whom it is not known, as sentences."""
    unknown = [who.name for who in learners if who.assignment.late and not who.is_timed]
    late = {identity(learner_of(file)) for file in files if CANVAS_LATE.search(file)}
    words = "is late, as Canvas says; by how much is not known, and nothing is taken off."
    sentences = [f"{name} {words}" for name in unknown if identity(name) in late]
    if unknown:
        names = few(unknown, MAX_NAMES, "; ")
        table = file_beside(book.path, TIMES).name
        sentences.append(f"When {names} handed in is not known, which counts as in time: {table} may say it.")
    return sentences


def standing_of(submissions: Sequence[SubmissionResult], assignment: Assignment) -> Standing:
    """Return the class as one run has graded it, without a person's word and without lateness."""
    results = _results(submissions)
    selection = assignment.exercises if assignment.is_selection else {r.verdict.exercise for r in results}
    problems = {s.name: s.problem for s in submissions if s.problem}
    exercises = _exercises(selection, assignment.exercises)
    names = [s.name for s in submissions]
    learners = _learners(names, results, problems, exercises, assignment, Corrections({}, {}))
    return Standing(exercises, learners, any(s.practice for s in submissions), assignment=assignment)


def one_learner(submissions: Sequence[SubmissionResult], assignment: Assignment) -> Learner:
    """Return all results of a run as those of one learner, whatever the files are called."""
    exercises = _exercises(assignment.exercises, assignment.exercises)
    results = _counting(_results(submissions), exercises, assignment)
    problems = [s.problem for s in submissions if s.problem]
    return Learner("learner", "", results, problems, exercises, assignment)


def _results(submissions: Sequence[SubmissionResult]) -> list[ExerciseResult]:
    """Return what a run has found, each with the time and the version of its check: here and now."""
    return [
        ExerciseResult(s.name, s.digest, v, s.seconds, s.practice, version_now(v.exercise), now())
        for s in submissions
        for v in s.verdicts
    ]


def _exercises(names: Iterable[str], points: Mapping[str, float]) -> dict[str, float]:
    """Return what each of these exercises is worth, in the order of the course; one that is gone is worth nothing."""
    selection = set(names)
    return {name: points.get(name, e.points) for name, e in all_exercises().items() if name in selection}


def _learners(
    files: Iterable[str],
    results: Iterable[ExerciseResult],
    problems: Mapping[str, str],
    exercises: Mapping[str, float],
    assignment: Assignment,
    corrections: Corrections,
    secret: bytes = b"",
    waiting: Iterable[str] = (),
    first_times: Mapping[str, datetime] | None = None,
) -> list[Learner]:
    """Return everyone who handed something in, in alphabetical order. All ways to write a name are one learner.

    secret: what the names of their pages follow from. waiting: the files that are not graded yet. first_times: when
    the bytes of a file were first met.
    """
    names: dict[str, dict[str, None]] = {}
    arrived = set()
    for file in sorted(files):
        who = learner_of(file)
        names.setdefault(identity(who), {})[unicodedata.normalize("NFC", who)] = None
        if not file.endswith("/"):
            arrived.add(identity(who))
    ordered = sorted(results, key=lambda r: (r.submission, r.verdict.exercise, r.verdict.framework))
    counting = _counting(ordered, exercises, assignment)
    results_of = group_by(counting, lambda result: identity(learner_of(result.submission)))
    problems_of: dict[str, list[str]] = defaultdict(list)
    for name, problem in problems.items():
        # An empty folder is forgotten when something is in it.
        if not name.endswith("/") or identity(learner_of(name)) not in arrived:
            problems_of[identity(learner_of(name))].append(problem)
    waiting_of = group_by(waiting, lambda file: identity(learner_of(file)))
    return [
        Learner(
            name,
            _page(name, secret),
            results_of[key],
            problems_of[key],
            exercises,
            assignment,
            corrections.of_marks.get(key, ()),
            _handed_in(corrections.times.get(key), results_of[key], first_times or {}),
            corrections.due.get(key),
            (name, *variants) if variants else (),
            tuple(waiting_of[key]),
        )
        for key, (name, *variants) in sorted((key, list(spellings)) for key, spellings in names.items())
    ]


def _handed_in(
    time: datetime | None, results: Sequence[ExerciseResult], first_times: Mapping[str, datetime]
) -> datetime | None:
    """Return when the work came, as a table says; what a run has met before came before, and handing it in again costs nothing.

    A time that is still to come is somebody's trial, and stays.
    """
    times = [first_times.get(result.submission) for result in results]
    if time is None or not times or None in times or time > datetime.now(UTC):
        return time
    return min(time, max(filter(None, times)))


def _page(name: str, secret: bytes) -> str:
    """Return a file name for a learner's page: readable, different for different learners, and not to be guessed."""
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:40] or "learner"
    page = f"page of {identity(name)}".encode("utf-8", "replace")
    return f"{readable}-{hmac.new(secret, msg=page, digestmod=hashlib.sha256).hexdigest()[:32]}.html"
