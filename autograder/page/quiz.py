"""Exercises whose answers are plain values, as questions with choices.

The right choice is the reference's answer; each wrong one is that of a wrong idea, with its hint as the reason.
"""

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autograder.items.question import Choice, Question
from autograder.judge.cases import prepare
from autograder.judge.words import is_choice
from autograder.model.exercise import Case, Exercise

OFFERED = re.compile(r'"([^"]+)"')
# What a hint says of a whole table of answers; a question is about one of them.
COUNTED = re.compile(r"^\w+ of \w+ are right\. ")
MOST_QUESTIONS, MOST_TABLES, MOST_WRONG, NUMBERS = 6, 3, 4, 2
RIGHT = "That is right."
LEAST = 1e-5  # a change that is more than rounding


def is_quiz(exercise: Exercise) -> bool:
    """Whether every result is a plain value: what then can be asked with choices."""
    return all(output.plain for output in exercise.returns)


def is_chosen(exercise: Exercise) -> bool:
    """Whether the exercise itself offers the answers, so that a quiz is all of it."""
    return is_quiz(exercise) and all(is_choice(output) or _offered(exercise) for output in exercise.returns)


def questions(exercise: Exercise) -> tuple[Question, ...]:
    """The questions of an exercise whose results are plain values; always the same.

    Raises ValueError for one that returns arrays.
    """
    if not is_quiz(exercise):
        raise ValueError(f"{exercise.name} returns arrays, which are no choices")
    cases = prepare(exercise, 0)
    if not is_chosen(exercise):
        return tuple(_of_numbers(exercise, cases))
    if isinstance(_right(exercise, cases[0]), tuple):
        return tuple(_of_each(exercise, cases[0]))
    most = MOST_TABLES if _table(cases[0]) else MOST_QUESTIONS
    return tuple(_of_case(exercise, cases, case) for case in cases[:most])


def _offered(exercise: Exercise) -> tuple[str, ...]:
    return tuple(OFFERED.findall(exercise.returns[0].shape))


def _right(exercise: Exercise, case: Case) -> Any:
    return exercise.compute(exercise.reference, case)[0]


def _answers(exercise: Exercise, case: Case) -> Iterator[tuple[str, Any]]:
    """The answer of each wrong idea, before it its hint; ideas that do not run on the case are left out."""
    for misconception in exercise.misconceptions:
        try:
            yield misconception.hint, exercise.compute(misconception.function, case)[0]
        except (ValueError, IndexError, TypeError, KeyError, ArithmeticError):
            continue


def _of_case(exercise: Exercise, cases: Sequence[Case], case: Case) -> Question:
    """One question: what is right on this case, of the answers that the exercise offers."""
    right = _right(exercise, case)
    reasons: dict[str, list[tuple[int, str]]] = {}
    for misconception in exercise.misconceptions:
        answers = [exercise.compute(misconception.function, c)[0] for c in cases]
        wrong = sum(answer != _right(exercise, c) for answer, c in zip(answers, cases, strict=True))
        here = answers[next(i for i, c in enumerate(cases) if c is case)]
        # One choice is no "always".
        if isinstance(here, str) and here != right and not misconception.hint.startswith("Every answer is"):
            reasons.setdefault(here, []).append((wrong, misconception.hint))
    # Of several ideas the one that is wrong the least often: its hint is about this case.
    words = {answer: min(found, key=lambda pair: pair[0])[1] for answer, found in reasons.items()}
    return Question(
        _asked(exercise, case), _choices(exercise, _offered(exercise), right, words), table=_table(case)
    )


def _of_each(exercise: Exercise, case: Case) -> Iterator[Question]:
    """One question for each name in a tuple of names."""
    names, right = next(iter(case.inputs.values())), _right(exercise, case)
    offered: tuple[Any, ...] = _offered(exercise) or (True, False)
    for i, name in enumerate(names):
        reasons: dict[Any, list[tuple[int, str]]] = {}
        for hint, answer in _answers(exercise, case):
            if answer[i] != right[i]:
                wrong = sum(mine != theirs for mine, theirs in zip(answer, right, strict=True))
                reasons.setdefault(answer[i], []).append((wrong, COUNTED.sub("", hint)))
        words = {answer: min(found, key=lambda pair: pair[0])[1] for answer, found in reasons.items()}
        yield Question(f"`{name}`", _choices(exercise, offered, right[i], words), name=name)


def _choices(
    exercise: Exercise, offered: Sequence[Any], right: Any, reasons: dict[Any, str]
) -> tuple[Choice, ...]:
    # An answer that no known idea leads to gets what is said of another one, first of those to this question.
    other = next(iter(reasons.values()), exercise.misconceptions[0].hint)
    return tuple(
        Choice(str(answer), answer == right, RIGHT if answer == right else reasons.get(answer, other))
        for answer in offered
    )


def _of_numbers(exercise: Exercise, cases: Sequence[Case]) -> Iterator[Question]:
    """Questions on the cases where the most ideas differ, each with the answers of other ideas."""
    found = sorted(cases, key=lambda case: -len(_wrong_texts(exercise, case)))
    for i, case in enumerate(found[:NUMBERS]):
        wrong = list(_wrong_texts(exercise, case).items())
        chosen = wrong[i * MOST_WRONG : (i + 1) * MOST_WRONG] or wrong[:MOST_WRONG]
        choices = [Choice(text, False, hint) for text, hint in chosen]
        choices.append(Choice(_as_choice(_right(exercise, case)), True, RIGHT))
        random.Random(f"{exercise.name} {i}").shuffle(choices)
        yield Question(f"{_asked(exercise, case)}: `{exercise.returns[0].name}`?", tuple(choices))


def _wrong_texts(exercise: Exercise, case: Case) -> dict[str, str]:
    """Each wrong answer as it is written, with the hint of the first idea that leads to it."""
    found: dict[str, str] = {}
    for hint, answer in _answers(exercise, case):
        found.setdefault(_as_choice(answer), hint)
    found.pop(_as_choice(_right(exercise, case)), None)
    return found


def _as_choice(value: Any) -> str:
    if isinstance(value, list | tuple):
        comma = "," if len(value) == 1 else ""
        return f"({', '.join(map(_as_choice, value))}{comma})"
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    return str(value)


def _asked(exercise: Exercise, case: Case) -> str:
    """The inputs that are no arrays, by name."""
    return ", ".join(
        f"`{name}` = {_as_choice(value)}"
        for name, value in case.inputs.items()
        if not isinstance(value, np.ndarray)
    )


def _table(case: Case) -> tuple[tuple[str, ...], ...]:
    """For each model the largest change of each token's output, over its features; empty for a case without arrays."""
    if not any(isinstance(value, np.ndarray) for value in case.inputs.values()):
        return ()
    changes = np.abs(case.inputs["after"] - case.inputs["before"]).max(axis=-1)
    head = ("largest change of token", *map(str, range(changes.shape[1])))
    rows = (
        (name, *("0" if change <= LEAST else f"{change:.2g}" for change in row))
        for name, row in zip("abc", changes, strict=True)
    )
    return (head, *rows)
