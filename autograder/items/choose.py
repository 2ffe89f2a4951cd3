"""Which items a learner gets: the same seed gives the same ones."""

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from operator import eq

from autograder.items.items import Item, item_of, keys
from autograder.items.repetition import Repetition, misconceptions_of
from autograder.model.exercise import Exercise


def new_items(
    repetition: Repetition, exercises: Sequence[Exercise], framework: str, hard: bool = False
) -> Iterator[Item]:
    """Yield items that were not answered yet, each misconception once.

    Those of the learner's own rejected answers come first, and those that were seen already last.
    No exercise comes twice in a row where there is another, and no kind of question. hard: those with two mistakes alone.
    """
    all_keys = (key for e in exercises if e.asks_for_code for key in keys(e, hard))
    candidates = [key for key in all_keys if key not in repetition.cards]
    random.Random(f"{repetition.seed} {len(repetition.cards)}").shuffle(candidates)
    fallen = {name: rank for rank, name in enumerate(repetition.fell, 1)}
    practised = {name for key in repetition.cards for name in misconceptions_of(key)} - fallen.keys()
    before: list[str] = []
    parts = {key: (misconceptions_of(key), key.split("/")) for key in candidates}

    def late(key: str) -> tuple[int, ...]:
        misconceptions, names = parts[key]
        fell = max(fallen.get(name, 0) for name in misconceptions)
        return not practised.isdisjoint(misconceptions), -fell, *map(eq, names, before)

    while parts:
        for key in sorted(parts, key=late):  # the order stays until an item is made
            misconceptions, names = parts.pop(key)
            if item := item_of(key, framework, repetition.seed):
                before = names
                practised.update(misconceptions)
                yield item
                break


def due_items(repetition: Repetition, now: datetime, framework: str) -> Iterator[Item]:
    """Yield the items that are due on this day, without what the course no longer has."""
    for key in repetition.due(now):
        with suppress(KeyError, ValueError):
            if item := item_of(key, framework, repetition.seed):
                yield item
