"""Faults to be found as a part of an assignment, and on a printed sheet: the same seed gives the same ones."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from autograder.frameworks import graded
from autograder.items.choose import new_items
from autograder.items.items import Item
from autograder.items.practice import Practice
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import FAULTS, Exercise
from autograder.model.finding import Kind
from autograder.model.ideas import NUMPY
from autograder.model.text import clean
from autograder.model.verdict import Verdict, not_written, unjudged

ANSWER = re.compile(r"(\w+) (\d{1,10}) ([a-z]+)")


def drawn(exercises: Sequence[Exercise], count: int, framework: str, seed: int) -> list[Item]:
    """So many items of these exercises; fewer where there are no more."""
    return list(islice(new_items(Practice(seed=seed), exercises, framework), count))


def right_letter(item: Item) -> str:
    """The letter of an item's right choice."""
    return next(letter for letter, choice in item.question.lettered.items() if choice.right)


def verdict_on_faults(exercise: Exercise, framework: str, answer: str) -> Verdict:
    """The verdict on an answer such as "torch 831204 cab": a framework, a seed, and a letter for each item.

    It depends on the answer alone: nothing of the submission is run.
    """
    if not answer.strip():
        return not_written(exercise, framework)
    found = ANSWER.fullmatch(" ".join(answer.lower().split()))
    items = []
    if found and found[1] in (NUMPY, *graded()):
        of = all_exercises()[exercise.name.rpartition(FAULTS)[0]]
        items = drawn([of], exercise.faults, found[1], int(found[2]))
    if not found or len(found[3]) != len(items):
        words = (
            f'{exercise.entry} must be the text that practise ends with, such as "torch 831204 cab", but is '
            f"{clean(answer, 60)!r}."
        )
        return replace(unjudged(exercise, framework, "rejected", words), layer="contract")
    missed = [item for item, letter in zip(items, found[3], strict=True) if letter != right_letter(item)]
    words = f"{len(items) - len(missed)} of {len(items)} faults found."
    if not missed:
        return Verdict(exercise.name, framework, "accepted", words, exercise.points, exercise.points)
    hints = {idea.name: idea.hint for idea in exercise.misconceptions}
    told = " ".join(hints[item.ideas[0]] for item in missed)
    verdict = unjudged(exercise, framework, "rejected", f"{words} Overlooked: {told}")
    first = missed[0].ideas[0]
    return replace(verdict, layer="misconception", kind=Kind.IDEA, misconception=first, hint=hints[first])
