"""Changes of what goes into a function and of what comes out of it, each with its words.

They serve every function of an exercise: the reference, a misconception, an edit of the reference.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np

from autograder.judge.edit_rules import MASKS, PREFIX
from autograder.model.exercise import Case, Exercise

Array = np.ndarray
# A change with the clause that says it; {x} is the array's name, {entry} what its first axis counts.
Way = tuple[str, Callable[..., Any]]
# The first axis of a shape in words.
AXIS = re.compile(r"\((\w+)")


def _softmax(x: Array, axis: int = -1) -> Array:
    exps = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(exps / exps.sum(axis=axis, keepdims=True))


FIRST_FOR_ALL = "every {entry} uses the first one's {x}"
# What may be done to a real array. Of two that give the same, the first is named.
OF_INPUTS: dict[str, Way] = {
    "left_out": ("{x} is left out", np.zeros_like),
    "one": ("{x} has no effect, as if it were 1", np.ones_like),
    "reversed": ("{x} is reversed along axis 1", lambda x: x[:, ::-1]),
    "first_element": (FIRST_FOR_ALL, lambda x: np.broadcast_to(x[:1], x.shape)),
    "mean": (
        "{x} is replaced by its mean over axis 1",
        lambda x: np.broadcast_to(x.mean(axis=1, keepdims=True), x.shape),
    ),
    "first_row": (
        "only the first row of {x} on axis 1 is used",
        lambda x: np.broadcast_to(x[:, :1], x.shape),
    ),
    "last_row": (
        "only the last row of {x} on axis 1 is used",
        lambda x: np.broadcast_to(x[:, -1:], x.shape),
    ),
    "moved_on": ("{x} is moved by one place along axis 1", lambda x: np.roll(x, 1, axis=1)),
    "moved_back": ("{x} is moved back by one place along axis 1", lambda x: np.roll(x, -1, axis=1)),
    "negative": ("{x} has the other sign", np.negative),
    "scaled": (
        "{x} is smaller by a factor, the square root of the size of its last axis",
        lambda x: x / np.sqrt(x.shape[-1]),
    ),
    "grown": (
        "{x} is larger by a factor, the square root of the size of its last axis",
        lambda x: x * np.sqrt(x.shape[-1]),
    ),
    "divided": (
        "{x} is smaller by a factor, the size of its last axis",
        lambda x: x / x.shape[-1],
    ),
    "doubled": ("{x} is doubled", lambda x: 2 * x),
    "halved": ("{x} is halved", lambda x: x / 2),
    "tanh": ("a tanh of {x} is taken first", np.tanh),
    "sigmoid": ("a sigmoid of {x} is taken first", lambda x: 1 / (1 + np.exp(-x))),
    "relu": ("a ReLU of {x} is taken first", lambda x: np.maximum(x, 0)),
    "abs": ("an absolute value of {x} is taken first", np.abs),
    "exp": ("an exponential of {x} is taken first", np.exp),
    "softmax": ("a softmax of {x} over its last axis is taken first", _softmax),
    "unit": (
        "each row of {x} is scaled to length 1 first",
        lambda x: x / np.linalg.norm(x, axis=-1, keepdims=True),
    ),
    "centred": (
        "the mean of each row of {x} is subtracted first",
        lambda x: x - x.mean(axis=-1, keepdims=True),
    ),
}
# Along which axis a change is made. Where an array has no such axis, or one of length 1, it says nothing.
ALONG = {"reversed": 1, "mean": 1, "first_row": 1, "last_row": 1, "moved_on": 1, "moved_back": 1}
ALONG |= {"first_element": 0, "first": 0, "largest": 0}
ALONG |= dict.fromkeys(("scaled", "grown", "divided", "softmax", "unit", "centred"), -1)
OF_PARAMETERS: dict[str, Way] = {
    "left_out": ("{x} is left out", np.zeros_like),
    "one": ("{x} is left out", np.ones_like),
    "negative": ("{x} has the other sign", np.negative),
    "transposed": ("{x} is transposed", np.transpose),
}
OF_LENGTHS: dict[str, Way] = {
    "ignored": ("{x} is ignored", lambda x: None),
    "larger": ("{x} is taken one larger", lambda x: x + 1),
    "smaller": ("{x} is taken one smaller", lambda x: x - 1),
    "first": (FIRST_FOR_ALL, lambda x: np.broadcast_to(x[:1], x.shape)),
    "largest": ("the largest number in {x} stands in place of each", lambda x: np.full_like(x, x.max())),
}
OF_OUTPUTS: dict[str, Way] = {
    "softmax": ("a softmax over the last axis of {x} is added", _softmax),
    "softmax_1": ("a softmax over axis 1 of {x} is added", lambda x: _softmax(x, 1)),
    "shared": (
        "a division of {x} by its sum over the last axis is added",
        lambda x: x / x.sum(-1, keepdims=True),
    ),
    "shared_1": (
        "a division of {x} by its sum over axis 1 is added",
        lambda x: x / x.sum(1, keepdims=True),
    ),
    "unit": (
        "a division of {x} by its length is added",
        lambda x: x / np.linalg.norm(x, axis=-1, keepdims=True),
    ),
    "tanh": ("a tanh of {x} is added", np.tanh),
    "relu": ("a ReLU of {x} is added", lambda x: np.maximum(x, 0)),
    "sigmoid": ("a sigmoid of {x} is added", lambda x: 1 / (1 + np.exp(-x))),
    "exp": ("an exponential of {x} is added", np.exp),
    "log": ("a logarithm of {x} is added", np.log),
    "square": ("a square of {x} is added", np.square),
    "root": ("a square root of {x} is added", np.sqrt),
    "abs": ("an absolute value of {x} is added", np.abs),
    "negative": ("{x} gets the other sign", np.negative),
    "inverse": ("1 is divided by {x}", lambda x: 1 / x),
    "rest": ("{x} is subtracted from 1", lambda x: 1 - x),
    "turned": ("a transposition of the last two axes of {x} is added", lambda x: np.swapaxes(x, -1, -2)),
    "reversed": ("a reversal along axis 1 of {x} is added", lambda x: x[:, ::-1]),
    "reversed_last": ("a reversal along the last axis of {x} is added", lambda x: x[..., ::-1]),
    "dealt": (
        "in the last axis of {x} every second entry comes first, from the first on, and then the others",
        lambda x: np.concatenate([x[..., ::2], x[..., 1::2]], axis=-1),
    ),
    "divided": ("a division of {x} by the size of its last axis is added", lambda x: x / x.shape[-1]),
    "divided_1": ("a division of {x} by the size of its axis 1 is added", lambda x: x / x.shape[1]),
    "divided_0": ("a division of {x} by the size of its axis 0 is added", lambda x: x / x.shape[0]),
    "grown": ("a multiplication of {x} by the size of its last axis is added", lambda x: x * x.shape[-1]),
    "grown_1": ("a multiplication of {x} by the size of its axis 1 is added", lambda x: x * x.shape[1]),
    "grown_0": ("a multiplication of {x} by the size of its axis 0 is added", lambda x: x * x.shape[0]),
    "scaled": (
        "a division of {x} by the square root of the size of its last axis is added",
        lambda x: x / np.sqrt(x.shape[-1]),
    ),
    "doubled": ("{x} is doubled", lambda x: 2 * x),
    "halved": ("{x} is halved", lambda x: x / 2),
    "moved_on": ("{x} is moved by one place along axis 1", lambda x: np.roll(x, 1, axis=1)),
    "first_element": ("every {entry} gets the first one's {x}", lambda x: np.broadcast_to(x[:1], x.shape)),
    "batch_mean": (
        "{x} is averaged over axis 0",
        lambda x: np.broadcast_to(x.mean(axis=0, keepdims=True), x.shape),
    ),
    "mean": (
        "{x} is averaged over axis 1",
        lambda x: np.broadcast_to(x.mean(axis=1, keepdims=True), x.shape),
    ),
    "running": ("a running sum of {x} along axis 1 is taken", lambda x: np.cumsum(x, axis=1)),
    "centred": ("the mean of {x} over its last axis is subtracted", lambda x: x - x.mean(-1, keepdims=True)),
    # What has another shape than the result.
    "summed": ("{x} is added up to one number", np.sum),
    "averaged": ("{x} is averaged to one number", np.mean),
    "summed_last": ("{x} is added up over its last axis", lambda x: x.sum(-1)),
    "averaged_last": ("{x} is averaged over its last axis", lambda x: x.mean(-1)),
    "summed_0": ("{x} is added up over axis 0", lambda x: x.sum(0)),
    "averaged_0": ("{x} is averaged over axis 0", lambda x: x.mean(0)),
    "axis_last": ("{x} keeps an axis of size 1 at its end", lambda x: x[..., None]),
    "axis_1": ("{x} keeps an axis of size 1 behind the first", lambda x: x[:, None]),
    "axis_0": ("{x} gets an axis of size 1 in front", lambda x: x[None]),
    "joined": ("the first two axes of {x} are joined", lambda x: x.reshape(-1, *x.shape[2:])),
    "one_element": ("{x} is returned for the first {entry} alone", lambda x: x[:1]),
    "first_step": ("{x} is returned for the first place of axis 1 alone", lambda x: x[:, 0]),
    "one_step": ("{x} is returned for the last place of axis 1 alone", lambda x: x[:, -1]),
}  # fmt: skip


@dataclass(frozen=True)
class InputChange:
    """A change of a case's inputs and parameters."""

    name: str
    clause: str
    change: Callable[[Mapping[str, Any]], Mapping[str, Any]]

    def case(self, case: Case) -> Case:
        """The case that the function gets. Errors: those of NumPy where shapes do not allow it."""
        values = {**case.inputs, **case.parameters}
        with np.errstate(all="ignore"):
            values.update(self.change(values))
        inputs = {name: values[name] for name in case.inputs}
        return replace(case, inputs=inputs, parameters={name: values[name] for name in case.parameters})


@dataclass(frozen=True)
class OutputChange:
    """A change of one result. index: which."""

    name: str
    clause: str
    index: int
    change: Callable[[Array], Array]

    def outputs(self, outputs: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The results with the change; None for one that is no real array, or empty."""
        found = outputs[self.index]
        if not isinstance(found, np.ndarray) or found.dtype.kind != "f" or not found.size:
            return None
        with np.errstate(all="ignore"):
            changed = np.asarray(self.change(found))
        return (*outputs[: self.index], changed, *outputs[self.index + 1 :])


def changes_of_outputs(exercise: Exercise) -> tuple[OutputChange, ...]:
    """All changes of an exercise's results, those that are arrays."""
    return tuple(
        OutputChange(
            f"{PREFIX}{output.name}:{name}_at_the_end",
            clause.format(x=f"`{output.name}`", entry=_entry(output.shape)),
            i,
            change,
        )
        for i, output in enumerate(exercise.returns)
        for name, (clause, change) in OF_OUTPUTS.items()
        if not output.plain
    )


def changes_of_inputs(exercise: Exercise, cases: Sequence[Case]) -> tuple[InputChange, ...]:
    """All changes of what goes in, for inputs of the kinds that these cases have."""
    found: dict[str, InputChange] = {}
    for case in cases:
        for change in (*_of_arrays(exercise, case), *_of_parameters(exercise)):
            found.setdefault(change.name, change)
    return tuple(found.values())


def _of_arrays(exercise: Exercise, case: Case) -> Iterator[InputChange]:
    real = {}
    for argument in exercise.arguments:
        name = argument.name
        value: Any = case.inputs.get(name)
        if name in MASKS or (isinstance(value, np.ndarray) and value.dtype.kind in "iu"):
            if name in MASKS or np.ndim(value) in (1, 2):
                yield from _named(name, f"`{name}`", _telling(OF_LENGTHS, value), argument.shape)
        elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
            real[name] = value
            yield from _named(name, f"`{name}`", _telling(OF_INPUTS, value), argument.shape)
    for a, b in permutations(real, 2):
        if real[a].ndim == real[b].ndim:
            yield from _exchanged(a, b, {"": a}, {"": b})


def _telling(ways: Mapping[str, Way], value: Any) -> dict[str, Way]:
    """Those that change an array of this shape."""
    lengths = {kind: np.shape(value)[ALONG[kind] :][:1] for kind in ALONG}
    return {
        kind: way for kind, way in ways.items() if kind not in lengths or max(lengths[kind], default=1) > 1
    }


def _entry(shape: str) -> str:
    """What the first axis of a shape in words counts: "batch element", "head"."""
    found = AXIS.search(shape)
    axis = found[1] if found else ""
    if axis.startswith("batch"):
        return "batch element"
    return axis.removeprefix("num_").removesuffix("s") if axis.startswith("num_") else "entry of axis 0"


def _of_parameters(exercise: Exercise) -> Iterator[InputChange]:
    groups: dict[str, dict[str, str]] = {}
    for name, parameter in exercise.parameters.items():
        group, _, part = parameter.path.rpartition(".")
        groups.setdefault(group or part, {})[part if group else ""] = name
        yield from _named(name, f"`{parameter.path}`", OF_PARAMETERS, parameter.shape)
    for a, b in permutations(groups, 2):
        mine, other = groups[a], groups[b]
        if mine.keys() == other.keys():
            yield from _exchanged(a, b, mine, other)


def _named(name: str, words: str, ways: Mapping[str, Way], shape: str) -> Iterator[InputChange]:
    """One array's changes. words: how it is called; shape: its shape in words."""
    for kind, (clause, change) in ways.items():

        def changed(values: Mapping[str, Any], change: Callable[..., Any] = change) -> Mapping[str, Any]:
            # Of an empty cache there is no mean, and nothing to change.
            return {name: change(values[name])} if values[name] is not None and np.size(values[name]) else {}

        yield InputChange(
            f"{PREFIX}{name}:{kind}_first", clause.format(x=words, entry=_entry(shape)), changed
        )


def _exchanged(a: str, b: str, mine: Mapping[str, str], other: Mapping[str, str]) -> Iterator[InputChange]:
    """b in the place of a; and, once for a pair, both interchanged. mine, other: the arrays of each by part."""
    parts = [(mine[x], other[x]) for x in mine]
    both = (*parts, *((y, x) for x, y in parts))
    yield InputChange(
        f"{PREFIX}{a}:{b}_for_{a}_first",
        f"`{b}` is used in place of `{a}`",
        lambda values: _taken(values, parts),
    )
    if a < b:
        yield InputChange(
            f"{PREFIX}{a}:{a}_and_{b}_turned_first",
            f"`{a}` and `{b}` are interchanged",
            lambda values: _taken(values, both),
        )


def _taken(values: Mapping[str, Any], parts: Sequence[tuple[str, str]]) -> Mapping[str, Any]:
    """Arrays in the place of others, which must have their shapes."""
    if any(np.shape(values[x]) != np.shape(values[y]) for x, y in parts):
        raise ValueError("Arrays of other shapes cannot stand for one another.")
    return {x: values[y] for x, y in parts}
