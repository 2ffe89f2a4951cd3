"""Groups of values that have something in common."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Value = TypeVar("Value")
Key = TypeVar("Key", bound=Hashable)


def group_by(values: Iterable[Value], key: Callable[[Value], Key]) -> defaultdict[Key, list[Value]]:
    """Return values by what `key` gives for each, in their order; a key that none has gives an empty list."""
    groups: defaultdict[Key, list[Value]] = defaultdict(list)
    for value in values:
        groups[key(value)].append(value)
    return groups
