"""Which items a learner gets, and how those of an assignment are graded: the same seed gives the same ones."""

import random
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import islice
from operator import eq

from autograder.frameworks import graded
from autograder.items.items import Item, keys, made
from autograder.items.practice import Practice, ideas_of
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import FAULTS, Exercise
from autograder.model.finding import Kind
from autograder.model.ideas import NUMPY
from autograder.model.text import clean
from autograder.model.verdict import Verdict, unjudged

NOT_ANSWERED = "Not answered yet."
ANSWER = re.compile(r"(\w+) (\d{1,10}) ([a-z]+)")


def new_items(
    practice: Practice, exercises: Sequence[Exercise], framework: str, hard: bool = False
) -> Iterator[Item]:
    """Items that were not answered yet, each idea once, those on ideas of the learner's own rejected answers first.

    Those on ideas that were seen already come last. No exercise comes twice in a row where there is another, and no kind
    of question. hard: those with two mistakes alone.
    """
    drawn = [key for e in exercises if e.asks_for_code for key in keys(e, hard) if key not in practice.cards]
    random.Random(f"{practice.seed} {len(practice.cards)}").shuffle(drawn)
    fallen = {name: place for place, name in enumerate(practice.fell, 1)}
    seen = {name for key in practice.cards for name in ideas_of(key)} - fallen.keys()
    before: list[str] = []
    parts = {key: (ideas_of(key), key.split("/")) for key in drawn}

    def late(key: str) -> tuple[int, ...]:
        ideas, names = parts[key]
        fell = max(fallen.get(name, 0) for name in ideas)
        return not seen.isdisjoint(ideas), -fell, *map(eq, names, before)

    while parts:
        for key in sorted(parts, key=late):  # the order stays until an item is made
            ideas, names = parts.pop(key)
            if item := made(key, framework, practice.seed):
                before = names
                seen.update(ideas)
                yield item
                break


def due_items(practice: Practice, now: datetime, framework: str) -> Iterator[Item]:
    """What is due on this day, without what the course no longer has."""
    for key in practice.due(now):
        with suppress(KeyError, ValueError):
            if item := made(key, framework, practice.seed):
                yield item


def drawn(exercises: Sequence[Exercise], count: int, framework: str, seed: int) -> list[Item]:
    """So many items of these exercises, for an assignment or a sheet; fewer where there are no more."""
    return list(islice(new_items(Practice(seed=seed), exercises, framework), count))


def verdict_on_faults(exercise: Exercise, answer: str) -> Verdict:
    """The verdict on an answer such as "torch 831204 cab": a framework, a seed, and a letter for each item.

    It depends on the answer alone, and is on the framework that it names: nothing of the submission is run.
    """
    if not answer.strip():
        return unjudged(exercise, "", "missing", NOT_ANSWERED, kind=Kind.NOT_WRITTEN)
    found = ANSWER.fullmatch(" ".join(answer.lower().split()))
    of = all_exercises()[exercise.name.rpartition(FAULTS)[0]]
    framework, items = "", []
    if found and found[1] in (NUMPY, *graded()):
        framework = found[1]
        items = drawn([of], exercise.faults, framework, int(found[2]))
    if not found or len(found[3]) != len(items):
        words = (
            f'{exercise.entry} must be the text that practise ends with, such as "torch 831204 cab", but is '
            f"{clean(answer, 60)!r}."
        )
        return unjudged(exercise, framework, "rejected", words, layer="contract")
    answers = zip(items, found[3], strict=True)
    missed = [item.ideas[0] for item, letter in answers if letter != item.question.right]
    words = f"{len(items) - len(missed)} of {len(items)} faults found."
    if not missed:
        return unjudged(exercise, framework, "accepted", words, points=exercise.points)
    hints = {idea.name: idea.hint for idea in exercise.misconceptions}
    words = " ".join([words, "Overlooked:", *(hints[name] for name in missed)])
    told = {"misconception": missed[0], "hint": hints[missed[0]]}
    return unjudged(exercise, framework, "rejected", words, layer="misconception", kind=Kind.IDEA, **told)
