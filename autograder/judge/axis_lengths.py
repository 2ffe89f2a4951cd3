"""The lengths of the axes of a case by their names: "batch 2, num_queries 3, num_keys 5"."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations
from math import prod

import numpy as np

from autograder.model.exercise import Case, Exercise

SHAPE = re.compile(r"\(([^()]*)\)")
NAME = re.compile(r"[A-Za-z_]\w*")


def num_entries(case: Case) -> int:
    """Count the numbers that go into a case."""
    return sum(map(np.size, case.values.values()))


def axis_lengths(exercise: Exercise, case: Case) -> dict[str, int]:
    """Return the length of each named axis of the case's arrays, in the order of the arguments."""
    lengths: dict[str, int] = {}
    for argument in exercise.arguments:
        value = case.inputs.get(argument.name)
        if isinstance(value, np.ndarray):
            axes = axis_names(argument.description, value.ndim) or ()
            for axis, length in zip(axes, value.shape, strict=False):
                if NAME.fullmatch(axis):
                    lengths.setdefault(axis, length)
    return lengths


def lengths_text(exercise: Exercise, case: Case) -> str:
    """Return the lengths in one line; empty where no array is handed in."""
    return ", ".join(f"{axis} {length}" for axis, length in axis_lengths(exercise, case).items())


def length_text(exercise: Exercise, case: Case, length: int) -> str:
    """Return a length with the axes and settings that are as long, "6 (like num_keys)", and with the one product of two that
    is, "12 (like d or batch * num_heads)"; or with the one quotient or longer product. The bare length if none is, or several.
    """
    numbers = {**axis_lengths(exercise, case), **case.settings}
    lengths = {name: other for name, other in numbers.items() if type(other) is int and other > 0}
    axes = [name for name, other in lengths.items() if other == length]
    for candidates in (_products(lengths, 2), _quotients(lengths), _products(lengths, 3)):
        alike = [words for words, other in candidates if other == length]
        if len(alike) > 1:
            return str(length)
        axes += alike
        if axes:
            break
    return f"{length} (like {' or '.join(axes)})" if axes else str(length)


def likely_axis(exercise: Exercise, case: Case, got: Sequence[int], expected: Sequence[int]) -> str:
    """Say where one axis alone has another length, and one name of the case is as long: ": 8 is like num_hiddens"."""
    differ = [a for a, b in zip(got, expected, strict=False) if a != b]
    if len(got) != len(expected) or len(differ) != 1:
        return ""
    words = length_text(exercise, case, differ[0])
    return f": {words.replace(' (', ' is (', 1).replace('(', '').rstrip(')')}" if " (like " in words else ""


def _products(lengths: Mapping[str, int], count: int) -> Iterator[tuple[str, int]]:
    for names in combinations([name for name, length in lengths.items() if length > 1], count):
        yield " * ".join(names), prod(lengths[name] for name in names)


def _quotients(lengths: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    for a, b in permutations(lengths, 2):
        if lengths[b] > 1 and lengths[a] > lengths[b] and lengths[a] % lengths[b] == 0:
            yield f"{a} / {b}", lengths[a] // lengths[b]


def shapes_text(exercise: Exercise, case: Case) -> str:
    """Return the shapes of the arrays that are handed in: "queries is (2, 3, 4), keys (2, 5, 4)"."""
    arrays = [(a.name, case.inputs.get(a.name)) for a in exercise.arguments]
    parts = [f"{name} {value.shape}" for name, value in arrays if isinstance(value, np.ndarray)]
    return ", ".join(parts).replace(" (", " is (", 1)


def axis_names(words: str, dimensions: int) -> list[str] | None:
    """Return the axes of the alternative that has so many: of "None, (batch,) or (batch, num_keys)" the second for two."""
    split = ([part.strip() for part in inside.split(",")] for inside in SHAPE.findall(words))
    alternatives = ([axis for axis in parts if axis] for parts in split)
    return next((axes for axes in alternatives if len(axes) == dimensions), None)
