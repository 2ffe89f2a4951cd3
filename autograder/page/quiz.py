"""Exercises whose answers are plain values, as questions with choices.

The right choice is the reference's answer; each wrong one is that of a misconception, with its hint as the reason.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import ne
from typing import Any

import numpy as np

from autograder.items.question import Choice, Question
from autograder.judge.cases import draw_cases
from autograder.model.exercise import Case, Exercise, Function

# What a hint says of a whole table of answers; a question is about one of them.
COUNTED = re.compile(r"^\w+ of \w+ are right\. ")
MOST_QUESTIONS, MOST_TABLES, MOST_WRONG, NUMBERS = 6, 3, 4, 2
RIGHT = "That is right."
LEAST = 1e-5  # a change that is more than rounding


def is_chosen(exercise: Exercise) -> bool:
    """Return whether the exercise itself offers the answers, so that a quiz is all of it."""
    return exercise.is_plain and all(output.is_choice for output in exercise.returns)


def questions(exercise: Exercise) -> tuple[Question, ...]:
    """Return the questions of an exercise whose results are plain values; always the same.

    Raises ValueError for one that returns arrays.
    """
    if not exercise.is_plain:
        raise ValueError(f"{exercise.name} returns arrays, which are no choices")
    cases = draw_cases(exercise, 0)
    return tuple(_of_choices(exercise, cases) if is_chosen(exercise) else _of_numbers(exercise, cases))


def _right(exercise: Exercise, case: Case) -> Any:
    return exercise.compute(exercise.reference, case)[0]


def _of_choices(exercise: Exercise, cases: Sequence[Case]) -> Iterator[Question]:
    """Yield a question for each case, or for each of a case's names: which of the exercise's answers is right."""
    of_names = isinstance(_right(exercise, cases[0]), tuple)

    def answers(function: Function) -> Sequence[Any]:
        results = [exercise.compute(function, case)[0] for case in cases]
        return results[0] if of_names else results

    if of_names:
        drafts = [Question(f"`{name}`", (), name=name) for name in next(iter(cases[0].inputs.values()))]
    else:
        most = MOST_TABLES if _table(cases[0]) else MOST_QUESTIONS
        drafts = [Question(_input_text(case), (), table=_table(case)) for case in cases[:most]]
    right = answers(exercise.reference)
    # One choice is no "always".
    misconceptions = [m for m in exercise.misconceptions if not m.hint.startswith("Every answer is")]
    wrong = [(COUNTED.sub("", m.hint), answers(m.function)) for m in misconceptions]
    # Of several misconceptions the one that is wrong the least often: its hint is about this question.
    wrong.sort(key=lambda pair: sum(map(ne, pair[1], right)))
    for i, question in enumerate(drafts):
        reasons: dict[Any, str] = {}
        for hint, results in wrong:
            if results[i] != right[i]:
                reasons.setdefault(results[i], hint)
        yield replace(question, choices=_choices(exercise, right[i], reasons))


def _choices(exercise: Exercise, right: Any, reasons: dict[Any, str]) -> tuple[Choice, ...]:
    # An answer that no misconception leads to gets what is said of another one, first of those to this question.
    other = next(iter(reasons.values()), exercise.misconceptions[0].hint)
    return tuple(
        Choice(str(answer), answer == right, RIGHT if answer == right else reasons.get(answer, other))
        for answer in exercise.returns[0].choices or (True, False)
    )


def _of_numbers(exercise: Exercise, cases: Sequence[Case]) -> Iterator[Question]:
    """Yield questions on the cases where the most misconceptions differ, each with the answers of others."""
    ordered = sorted(cases, key=lambda case: -len(_wrong_texts(exercise, case)))
    for i, case in enumerate(ordered[:NUMBERS]):
        wrong = list(_wrong_texts(exercise, case).items())
        wrong_choices = wrong[i * MOST_WRONG : (i + 1) * MOST_WRONG] or wrong[:MOST_WRONG]
        choices = [Choice(text, False, hint) for text, hint in wrong_choices]
        choices.append(Choice(_as_choice(_right(exercise, case)), True, RIGHT))
        random.Random(f"{exercise.name} {i}").shuffle(choices)
        yield Question(f"{_input_text(case)}: `{exercise.returns[0].name}`?", tuple(choices))


def _wrong_texts(exercise: Exercise, case: Case) -> dict[str, str]:
    """Return each wrong answer as it is written, with the hint of the first misconception that leads to it and runs on the case."""
    hints: dict[str, str] = {}
    for misconception in exercise.misconceptions:
        if answer := exercise.compute_or_none(misconception.function, case):
            hints.setdefault(_as_choice(answer[0]), misconception.hint)
    hints.pop(_as_choice(_right(exercise, case)), None)
    return hints


def _as_choice(value: Any) -> str:
    if isinstance(value, list | tuple):
        comma = "," if len(value) == 1 else ""
        return f"({', '.join(map(_as_choice, value))}{comma})"
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    return str(value)


def _input_text(case: Case) -> str:
    """Return the inputs that are no arrays, by name."""
    plain = ((name, value) for name, value in case.inputs.items() if not isinstance(value, np.ndarray))
    return ", ".join(f"`{name}` = {_as_choice(value)}" for name, value in plain)


def _table(case: Case) -> tuple[tuple[str, ...], ...]:
    """Return for each model the largest change of each token's output, over its features; empty for a case without arrays."""
    if not any(isinstance(value, np.ndarray) for value in case.inputs.values()):
        return ()
    changes = np.abs(case.inputs["after"] - case.inputs["before"]).max(axis=-1)
    head = ("largest change of token", *map(str, range(changes.shape[1])))
    rows = (
        (name, *("0" if change <= LEAST else f"{change:.2g}" for change in row))
        for name, row in zip("abc", changes, strict=True)
    )
    return (head, *rows)
