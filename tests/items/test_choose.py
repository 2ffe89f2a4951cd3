"""Which items come next: in the order of the rule, and without asking again what is known."""

import random
from operator import eq
from types import SimpleNamespace

import pytest

from autograder.items import choose, items
from autograder.items.items import keys
from autograder.items.repetition import Repetition, misconceptions_of
from autograder.model.catalogue import all_exercises

EXERCISES = [all_exercises()[name] for name in ("masked_softmax", "scaled_scores", "masked_loss")]


def drawn_one_at_a_time(repetition, exercises):
    """The keys of new items by the rule's words: before each draw all that is left is compared."""
    candidates = [key for e in exercises for key in keys(e, False) if key not in repetition.cards]
    random.Random(f"{repetition.seed} {len(repetition.cards)}").shuffle(candidates)
    fallen = {name: rank for rank, name in enumerate(repetition.fell, 1)}
    ideas = {name for key in repetition.cards for name in misconceptions_of(key)} - fallen.keys()
    before = []
    while candidates:
        key = min(candidates, key=lambda key: (
            not ideas.isdisjoint(misconceptions_of(key)), -max(fallen.get(name, 0) for name in misconceptions_of(key)),
            *map(eq, key.split("/"), before)))  # fmt: skip
        candidates.remove(key)
        if choose.item_of(key, "torch", repetition.seed):
            before = key.split("/")
            ideas.update(misconceptions_of(key))
            yield key


@pytest.mark.parametrize("seed", range(5))
def test_items_come_in_the_order_of_a_rule_that_is_asked_before_each(monkeypatch, seed):
    monkeypatch.setattr(
        choose,
        "item_of",
        lambda key, framework, seed: random.Random(key).random() < 0.4 and SimpleNamespace(key=key),
    )
    all_keys = [key for e in EXERCISES for key in keys(e, False)]
    sample = random.Random(seed).sample(all_keys, 6)
    repetition = Repetition(
        seed, {key: {} for key in sample[:3]}, [*misconceptions_of(sample[4]), *misconceptions_of(sample[5])]
    )
    new_keys = [item.key for item in choose.new_items(repetition, EXERCISES, "torch")]
    assert new_keys == list(drawn_one_at_a_time(repetition, EXERCISES)) and len(new_keys) > 20


def test_what_numpy_alone_decides_is_asked_once_for_both_frameworks():
    for framework in ("mxnet", "torch"):
        items._both_show.cache_clear() if framework == "mxnet" else None
        list(choose.new_items(Repetition(seed=1), EXERCISES[:1], framework, hard=True))
    cache_info = items._both_show.cache_info()
    assert cache_info.hits >= cache_info.misses / 2 > 0
