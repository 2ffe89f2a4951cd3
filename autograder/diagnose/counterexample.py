"""The smallest input on which an answer is wrong: what helps where no wrong idea is known.

A failing case is made smaller as long as the answer still differs from the reference: fewer batch
elements, queries, keys and features, then rounder numbers. Each smaller case stays in the range of the
arguments: rows that sum to 1 do so there too, and an index finds an entry.
"""

import pickle
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, permutations, repeat
from typing import Any

import numpy as np

from autograder.judge.axis_lengths import axis_names
from autograder.judge.cases import rounded
from autograder.judge.compare import is_array_of_reals, same_output
from autograder.judge.protocol import CallResult
from autograder.model.exercise import Case, Exercise
from autograder.model.text import listed

MOST_CALLS = 24
# Entries of an array that are still read at a glance.
MOST_ENTRIES = 60


@dataclass(frozen=True)
class Example:
    """A case on which an answer differs: its inputs, what came out and what is right, by name."""

    inputs: Mapping[str, Any]
    got: Mapping[str, Any]
    expected: Mapping[str, Any]
    case: Case

    @property
    def handed_in(self) -> dict[str, Any]:
        """Return all that the code is called with, by name."""
        return {**self.case.settings, **self.inputs, **self.case.parameters}

    @property
    def argument_lines(self) -> list[str]:
        """Return a line for each of them."""
        return [f"{name} = {value_text(value)}" for name, value in self.handed_in.items()]

    @property
    def tells(self) -> bool:
        """Return whether numbers of a result can be shown beside the right ones."""
        return any(_is_small(value) and _is_small(self.expected[name]) for name, value in self.got.items())

    def __str__(self) -> str:
        if not self.tells:
            return ""
        hidden = [name for name, value in self.handed_in.items() if not _is_small(value)]
        lines = ["smallest input found on which it differs:"]
        lines += [f"  {line}" for line in self.argument_lines if line.split(" ")[0] not in hidden]
        lines += [f"  {listed(hidden)}: too large to be shown here"] if hidden else []
        for name, value in self.got.items():
            lines += [
                f"  yours: {name} = {value_text(_in_brackets_of(value, self.expected[name]))}",
                f"  right: {name} = {value_text(self.expected[name])}",
            ]
        return "\n".join(lines)


def smallest_example(
    exercise: Exercise, case: Case, ask: Callable[[Case], CallResult], least: Mapping[str, int] | None = None
) -> Example | None:
    """Return the smallest case found, from one on which the answer differs. None if it does not differ on it.

    ask: calls the answer on a case. least: how long axes of these names stay, where the case is drawn.
    """
    search = _Search(exercise, ask, case)
    example, before = search.example(case), None
    while example and example is not before:
        before = example
        for steps in _steps(exercise, case, least or {}):
            # The largest step that can be taken, and from there again: what was tried is known.
            while other := next(filter(None, map(search.example, steps(example.case))), None):
                example = other
    return example


class _Search:
    """Calls the answer, a bounded number of times, and compares."""

    def __init__(self, exercise: Exercise, ask: Callable[[Case], CallResult], first: Case) -> None:
        """first: the case that is made smaller. What holds of its numbers is taken for what an argument asks for."""
        self.exercise, self.ask, self.budget = exercise, ask, MOST_CALLS
        self.shared, self.ranges = _distributions(first), _ranges(first)
        self.tried: set[bytes] = set()

    def example(self, case: Case) -> Example | None:
        """Return the case as an example, if the reference has an answer to it and this one is another."""
        if self.budget <= 0:
            return None
        case = rounded(case.changed(self._divided_again))
        key = pickle.dumps((case.inputs, case.settings, case.parameters))
        if key in self.tried:
            return None
        self.tried.add(key)
        if (self.shared and not _distributions(case) >= self.shared) or not _ranges(case) >= self.ranges:
            return None
        with warnings.catch_warnings(action="ignore"):  # of a mean of nothing, which is not finite below
            expected = self.exercise.compute_or_none(self.exercise.reference, case)
        if expected is None or not all(map(_finite, expected)):
            return None
        self.budget -= self.exercise.calls(case)
        answer = self.ask(case)
        if answer.failed:
            return None
        got, rights = {}, {}
        for output, mine, right in zip(self.exercise.returns, answer.outputs, expected, strict=True):
            if isinstance(right, np.ndarray) and np.shape(mine) != right.shape:
                return None
            if not same_output(output, case, mine, right):
                got[output.name], rights[output.name] = mine, right
        return Example(case.inputs, got, rights, case) if got else None

    def _divided_again(self, name: str, value: Any) -> Any:
        """Return the rows of a distribution, which a cut or a rounding has changed, divided by their sums."""
        with np.errstate(all="ignore"):
            return value / value.sum(axis=-1, keepdims=True) if name in self.shared else value


def _distributions(case: Case) -> set[str]:
    """Return the arrays whose rows sum to 1 and hold nothing below 0."""
    return {
        name
        for name, value in case.values.items()
        if is_array_of_reals(value) and value.ndim
        if (value >= 0).all() and np.allclose(value.sum(axis=-1), 1, atol=1e-3)
    }


# Of real numbers: above which an argument may have to lie, or below which.
BOUNDS: tuple[Callable[[Any], Any], ...] = (
    lambda n: n >= 0, lambda n: n > 0, lambda n: n >= 1, lambda n: n < 1, lambda n: n <= 1
)  # fmt: skip


def _ranges(case: Case) -> set[tuple[str, Any]]:
    """Return which bounds hold of each of its real numbers; and of each two whole ones whether one divides the other."""
    values = {**case.settings, **case.values}
    real = {n: np.asarray(v) for n, v in values.items() if is_array_of_reals(v) or type(v) is float}
    ranges: set[tuple[str, Any]] = {
        (name, i) for name, value in real.items() for i, holds in enumerate(BOUNDS) if holds(value).all()
    }
    for (name, a), (other, b) in permutations(_whole_numbers(case).items(), 2):
        ranges |= {(name, f"at most {other}")} if a <= b else set()
        ranges |= {(name, f"divides {other}")} if b % a == 0 else set()
    return ranges


def _whole_numbers(case: Case) -> dict[str, int]:
    """Return the whole numbers of a case without arrays."""
    values = {**case.settings, **case.values}
    if any(isinstance(value, np.ndarray) for value in values.values()):
        return {}
    return {name: value for name, value in values.items() if type(value) is int and value > 0}


def _steps(
    exercise: Exercise, case: Case, least: Mapping[str, int]
) -> Iterator[Callable[[Case], Iterator[Case]]]:
    """Yield ways to make a case smaller, each with its largest step first: one for each size, the longest first."""
    axes = _axes_of_sizes(exercise, case)
    for size in sorted(axes, key=lambda name: -_length(case, axes[name])):
        yield partial(_shorter, exercise, size=size, axes=axes[size], least=least.get(size, 1))
    for name, _ in sorted(_whole_numbers(case).items(), key=lambda item: item[1]):
        yield partial(_with_less, name=name, least=_least(exercise, name))
    yield lambda case: (with_digits(case, digits) for digits in (0, 1, 2))
    yield lambda case: (_with_round_settings(case, digits) for digits in (1, 2))


def _shorter(
    exercise: Exercise, case: Case, size: str, axes: list[tuple[str, int]], least: int
) -> Iterator[Case]:
    indices = _indices(exercise, case, size, axes)
    for shorter in _smaller(_length(case, axes), least):
        yield _cut(case, size, axes, shorter, indices)


def _indices(exercise: Exercise, case: Case, size: str, axes: list[tuple[str, int]]) -> set[str]:
    """Return the inputs that say a place along a size: by their words, or whole numbers of which none is too large for it."""
    length, along = _length(case, axes), {name for name, _ in axes}
    names = {a.name for a in exercise.arguments if f"below {size}" in a.description}
    for argument in exercise.arguments:
        value = case.inputs.get(argument.name)
        if not (isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.size):
            continue
        if argument.name not in along and "1 or 0" not in argument.description:
            names |= {argument.name} if value.min() >= 0 and value.max() < length else set()
    return names


def _with_less(case: Case, name: str, least: int) -> Iterator[Case]:
    """Yield the case with a smaller whole number of this name, in its inputs or its settings."""
    for less in _smaller({**case.inputs, **case.settings}[name], least):
        both = ({n: less if n == name else v for n, v in of.items()} for of in (case.inputs, case.settings))
        inputs, settings = both
        yield replace(case, inputs=inputs, settings=settings)


def _smaller(number: int, least: int = 1) -> list[int]:
    return [n for n in dict.fromkeys((1, 2, number // 2, number - 1)) if least <= n < number]


def _least(exercise: Exercise, name: str) -> int:
    """Return the least that an argument may be, by its words: 2 of "int, at least 2"; otherwise 1."""
    words = {a.name: a.description for a in (*exercise.arguments, *exercise.settings)}[name]
    match = re.search(r"at least (\d+)", words)
    return int(match[1]) if match else 1


def _axes_of_sizes(exercise: Exercise, case: Case) -> dict[str, list[tuple[str, int]]]:
    """Return where each named size stands: (array, axis). A size that others are computed from stays as it is."""
    described = [(a.name, a.description) for a in exercise.arguments]
    described += [(name, p.description) for name, p in exercise.parameters.items()]
    arrays = [(n, w, v) for n, w in described if isinstance(v := case.values.get(n), np.ndarray)]
    shapes = {name: axis_names(words, value.ndim) for name, words, value in arrays}
    axes_of: dict[str, list[tuple[str, int]]] = {}
    # Arguments or settings of their own; num_heads divides a size, or another rule holds that words do not tell.
    alone = {a.name for a in exercise.settings if a.description == "int"}
    fixed = {name for name, value in case.inputs.items() if not isinstance(value, np.ndarray)}
    fixed |= {name for name, v in case.settings.items() if type(v) is not int or name not in alone}
    for name, shape in shapes.items():
        if shape is None:
            # An array of a form that words do not tell: nothing that it may share can be cut.
            return {}
        for axis, size in enumerate(shape):
            axes_of.setdefault(size, []).append((name, axis))
            if not size.isidentifier():
                fixed |= {size, *re.findall(r"[A-Za-z_]\w*", size)}
    return {size: where for size, where in axes_of.items() if size not in fixed}


def _length(case: Case, axes: list[tuple[str, int]]) -> int:
    name, axis = axes[0]
    return int(case.values[name].shape[axis])


def _cut(case: Case, size: str, axes: list[tuple[str, int]], length: int, indices: set[str]) -> Case:
    """Return the case with one size shorter: lengths along it, indices and a setting of its name are made smaller too."""
    before = _length(case, axes)

    def cut(name: str, value: Any) -> Any:
        if isinstance(value, tuple) and size == "batch" and len(value) == before:
            return value[:length]
        if isinstance(value, np.ndarray):
            for array, axis in axes:
                if array == name:
                    value = np.take(value, range(length), axis=axis)
            if "length" in name and value.size and value.max() <= before:
                return np.minimum(value, length)
        return value % length if name in indices else value

    settings = {name: length if name == size else value for name, value in case.settings.items()}
    return replace(case.changed(cut), settings=settings)


def with_digits(case: Case, digits: int) -> Case:
    """Return the case with numbers of so many digits behind the point."""

    def simple(_: str, value: Any) -> Any:
        if isinstance(value, tuple) and all(type(number) is float for number in value):
            return tuple(round(number, digits) for number in value)
        return value.round(digits) if is_array_of_reals(value) else value

    return case.changed(simple)


def _with_round_settings(case: Case, digits: int) -> Case:
    """Return the case with numbers that are no arrays of so many digits in all, so that none becomes 0."""

    def of(values: Mapping[str, Any]) -> dict[str, Any]:
        return {k: float(f"{v:.{digits}g}") if type(v) is float else v for k, v in values.items()}

    return replace(case, inputs=of(case.inputs), settings=of(case.settings))


def _finite(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_finite, value))  # not of one length each, where they are pieces of a text
    return not (is_array_of_reals(value) or isinstance(value, float)) or bool(np.isfinite(value).all())


def _is_small(value: Any) -> bool:
    """Return whether a value is shown with its numbers."""
    return not isinstance(value, np.ndarray) or value.size <= MOST_ENTRIES


def value_text(value: Any) -> str:
    """Return a value as Python writes it, without the spaces that NumPy adds."""
    if not isinstance(value, np.ndarray):
        return repr(_with_few_digits(value))
    return _nested(value.tolist()) if _is_small(value) else f"an array of shape {value.shape}"


def _with_few_digits(value: Any) -> Any:
    """Return a plain value, with so many digits of its numbers as a check looks at."""
    if isinstance(value, list | tuple):
        return type(value)(map(_with_few_digits, value))
    return float(f"{value:.5g}") if type(value) is float else value


def _in_brackets_of(value: Any, expected: Any) -> Any:
    """Return a plain value with a tuple wherever the expected one has a tuple: inside one they have come as lists."""
    if not (isinstance(value, list | tuple) and isinstance(expected, list | tuple)):
        return value
    beside = chain(expected, repeat(expected[-1] if expected else None))
    return type(expected)(map(_in_brackets_of, value, beside))


def _nested(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_nested, value))}]"
    return f"{value + 0.0:.5g}" if isinstance(value, float) else repr(value)
