"""How a class did: what the terminal and the class's page say, from the same counts."""

import math
import re
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.diagnose.fingerprint import equal, is_unexplained
from autograder.marks.standing import UNGRADED, Learner, Standing
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise
from autograder.model.grouping import group_by
from autograder.model.text import clean, counted
from autograder.model.verdict import Verdict

# Outcomes of an answer that was handed in and is not right.
WRONG = ("rejected", "error", "timeout", "tampering")
BARS = 10
# Errors that an answer makes whatever its inputs are.
ANYWHERE = re.compile(
    r"\b(NameError|SyntaxError|IndentationError|ImportError|ModuleNotFoundError|AttributeError)\b"
)
# Of so many equal answers on, where they are more than half, a reference is in doubt.
MAJORITY = 3
Answer = tuple[Learner, Verdict]


@dataclass(frozen=True)
class Mistake:
    """One way in which answers to an exercise are wrong, and who gave them.

    idea: the misconception's name; where no idea is known the message of the first that stops so, or the first
    stage that fails. hint: the idea's; none where no idea is known. group: a name for answers that compute the same,
    and that no idea of the exercise explains.
    """

    idea: str
    hint: str | None
    answers: tuple[Answer, ...]
    group: str = ""

    @property
    def example(self) -> Answer:
        """Return the answer that tells the most of it: the first with a picture of its numbers beside the right ones."""
        return max(
            self.answers, key=lambda a: a[1].difference is not None and a[1].difference.got_map is not None
        )


@dataclass(frozen=True)
class Summary:
    """One exercise over the whole class."""

    exercise: Exercise
    outcomes: Counter[str]
    mistakes: tuple[Mistake, ...]

    @property
    def attempted(self) -> int:
        """Return how many learners wrote an answer."""
        return sum(self.outcomes.values()) - self.outcomes["missing"] - self.outcomes[UNGRADED]

    @property
    def wrong(self) -> int:
        """Return how many learners wrote an answer that is not right."""
        return sum(self.outcomes[outcome] for outcome in WRONG)

    @property
    def doubt(self) -> str:
        """Return a question about the reference where more than half of the answers compute the same other thing; or ""."""
        most = len(self.mistakes[0].answers) if self.mistakes and self.mistakes[0].group else 0
        if most < MAJORITY or 2 * most <= self.attempted:
            return ""
        return f"{most} of {self.attempted} answers to {self.exercise.name} compute the same: is the reference right?"


def summaries(everyone: Sequence[Learner]) -> list[Summary]:
    """Return for each exercise of the assignment the outcomes, and who has which wrong idea.

    The exercise with the most wrong answers comes first; of those with equally many, the one that fewer have
    solved.
    """
    all_answers = ((who, verdict) for who in everyone for verdict in who.judged)
    answers_of = group_by(all_answers, lambda answer: answer[1].exercise)  # without a person's words
    of_exercises = ((e, answers_of[name]) for name, e in all_exercises().items() if name in answers_of)
    all_summaries = [
        Summary(exercise, Counter(v.outcome for _, v in answers), _mistakes(exercise, answers))
        for exercise, answers in of_exercises
    ]
    return sorted(all_summaries, key=lambda s: (-s.wrong, s.outcomes["accepted"]))


def _mistakes(exercise: Exercise, all_answers: Sequence[Answer]) -> tuple[Mistake, ...]:
    """Return known ideas, errors and groups that compute the same, the most frequent first, and then what fails besides."""
    hints = {m.name: m.hint for m in exercise.misconceptions}
    mistakes = []
    wrong = [answer for answer in all_answers if answer[1].outcome in WRONG]
    for idea, answers in _grouped(exercise, wrong).items():
        first = answers[0][1]
        hint = None if first.misconception is None else hints.get(idea, first.hint or "")
        is_group = first.fingerprint and is_unexplained(first)
        cause = first.misconception or first.failed_stage or idea
        words = clean(first.message) if _is_error(first) else cause if is_group else idea
        mistakes.append(Mistake(words, hint, tuple(answers), idea if is_group else ""))
    # What fails at one stage may be many mistakes.
    is_mixed = {id(f): f.hint is None and not f.group and not _is_error(f.answers[0][1]) for f in mistakes}
    return tuple(sorted(mistakes, key=lambda f: (is_mixed[id(f)], -len(f.answers), f.hint is None)))


def _grouped(exercise: Exercise, wrong: Sequence[Answer]) -> dict[str, list[Answer]]:
    """Return wrong answers by their idea, or else by what they compute, by their error, or by the stage that fails."""
    groups: dict[str, list[Answer]] = {}
    computed: list[tuple[float, ...]] = []
    for who, verdict in wrong:
        kind = _kind_of_error(verdict) if _is_error(verdict) else verdict.failed_stage or verdict.outcome
        cause = verdict.misconception or kind
        if verdict.fingerprint and is_unexplained(verdict):
            indices = [i for i, numbers in enumerate(computed) if equal(numbers, verdict.fingerprint)]
            computed += [] if indices else [verdict.fingerprint]
            cause = f"{exercise.name}-{(indices or [len(computed) - 1])[0] + 1}"
        groups.setdefault(cause, []).append((who, verdict))
    return groups


def _is_error(verdict: Verdict) -> bool:
    """Return whether an answer stopped with an error, or breaks the contract or a property, and no idea explains it."""
    is_told = verdict.outcome == "error" or verdict.failed_stage in ("contract", "properties")
    return is_told and verdict.misconception is None


def _kind_of_error(verdict: Verdict) -> str:
    """Return what an error says of any answer, and the case in which it comes, if it depends on the inputs.

    Without numbers, since sizes are drawn for each answer, and without the learner's own line, which stands in brackets.
    """
    words = verdict.cause or verdict.message
    case = "" if ANYWHERE.search(words) else verdict.case or ""
    return re.sub(r" \(.*\)|\d+", "0", f"{words} {case}")


def spelling_notes(everyone: Sequence[Learner]) -> dict[str, str]:
    """Return by learner that several ways to write the name are counted as one, as a sentence. A guess that may be wrong."""
    words = "are counted as one learner; rename a folder if they are not."
    return {who.name: f"{' and '.join(who.spellings)} {words}" for who in everyone if who.spellings}


def histogram(standing: Standing) -> list[tuple[str, int, float]]:
    """Return the class's marks, in bars of equal width; none if there are no marks.

    Of each bar from how many points on, how many learners, and its height: a share of the highest, from 0 to 1.
    """
    points = [who.points for who in standing.learners if not who.is_waiting]
    number = min(BARS, math.ceil(standing.possible))
    width = standing.possible / max(number, 1)
    # More than what is possible, by hand, stands in the last bar.
    counts = Counter(min(int(total / width), number - 1) for total in points if number)
    most = max(counts.values(), default=0)
    return [(f"{i * width:.3g}", counts[i], round(counts[i] / most, 3)) for i in range(number) if most]


def class_summary(standing: Standing) -> str:
    """Return how many learners there are, and their marks, in one sentence."""
    points = [who.points for who in standing.learners if not who.is_waiting]
    many = counted(len(standing.learners), "learner")
    if ungraded := len(standing.learners) - len(points):
        many += f", {ungraded} of them not graded to the end"
    if not points:
        return f"{many}."
    median = f"median {statistics.median(points):g} of {standing.possible:g}"
    return f"{many}; points: {median}, from {min(points):g} to {max(points):g}."
