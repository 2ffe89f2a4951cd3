"""Which items a learner gets: first those on ideas of the learner's own rejected answers, then new ones."""

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress

from autograder.items.items import KINDS, TWO, Item, asks_for_code, keys, made
from autograder.items.practice import Practice, ideas_of
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise


def new_items(
    practice: Practice, exercises: Sequence[Exercise], framework: str, hard: bool = False
) -> Iterator[Item]:
    """Items that were not answered yet, each idea once.

    hard: those with two mistakes alone.
    """
    kinds = [kind for kind in KINDS if (kind == TWO) == hard]
    drawn = [key for e in exercises if asks_for_code(e) for key in keys(e, kinds)]
    random.Random(f"{practice.seed} {len(practice.cards)}").shuffle(drawn)
    fallen = {name: place for place, name in enumerate(practice.fell, 1)}
    drawn.sort(key=lambda key: -max(fallen.get(name, 0) for name in names_of(key)))
    seen = {name for key in practice.cards for name in names_of(key)} - fallen.keys()
    for known in (False, True):  # those on ideas that were seen already come last
        for key in drawn:
            if any(name in seen for name in names_of(key)) is not known or key in practice.cards:
                continue
            if item := made(all_exercises()[key.split("/")[0]], key, framework, practice.seed):
                seen.update(names_of(key))
                yield item


def due_items(practice: Practice, due: Sequence[str], framework: str) -> Iterator[Item]:
    """The items of these keys, without those that the course no longer has."""
    for key in due:
        exercise = all_exercises().get(key.split("/")[0])
        with suppress(KeyError):
            if exercise and (item := made(exercise, key, framework, practice.seed)):
                yield item


def names_of(key: str) -> list[str]:
    """The ideas of a key, each with its exercise."""
    exercise, _, ideas = key.split("/")
    return ideas_of(exercise, ideas)
