"""Changes of what goes into a function and of what comes out of it, each with its words.

They serve every function of an exercise: the reference, a misconception, an edit of the reference.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np

from autograder.judge.edit_rules import MASKS, PREFIX
from autograder.model.exercise import Case, Exercise

Array = np.ndarray


def _softmax(x: Array, axis: int = -1) -> Array:
    exps = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(exps / exps.sum(axis=axis, keepdims=True))


# What may be done to a real array with the clause that says so; {x} is its name.
OF_INPUTS: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "reversed": ("{x} is reversed along axis 1", lambda x: x[:, ::-1]),
    "first_element": (
        "every batch element uses the first one's {x}",
        lambda x: np.broadcast_to(x[:1], x.shape),
    ),
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
        "{x} is divided by the square root of the size of its last axis, in addition to what is asked",
        lambda x: x / np.sqrt(x.shape[-1]),
    ),
    "grown": (
        "{x} is multiplied by the square root of the size of its last axis, in addition to what is asked",
        lambda x: x * np.sqrt(x.shape[-1]),
    ),
    "divided": (
        "{x} is divided by the size of its last axis, in addition to what is asked",
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
    "left_out": ("{x} is left out", np.zeros_like),
}
# Rows and batch elements need at least these axes.
AXES = {"reversed": 2, "mean": 2, "first_row": 2, "last_row": 2, "moved_on": 2, "moved_back": 2}
OF_PARAMETERS: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "left_out": ("{x} is left out", np.zeros_like),
    "one": ("{x} is left out", np.ones_like),
    "negative": ("{x} has the other sign", np.negative),
    "transposed": ("{x} is transposed", np.transpose),
}
OF_LENGTHS: dict[str, tuple[str, Callable[[Array], Array | None]]] = {
    "ignored": ("{x} is ignored", lambda x: None),
    "larger": ("{x} is taken one larger", lambda x: x + 1),
    "smaller": ("{x} is taken one smaller", lambda x: x - 1),
    "first": (
        "every batch element uses the first one's {x}",
        lambda x: np.broadcast_to(x[:1], x.shape),
    ),
    "largest": ("every batch element uses the largest {x}", lambda x: np.full_like(x, x.max())),
}
OF_OUTPUTS: dict[str, tuple[str, Callable[[Array], Array]]] = {
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
    "divided_0": ("a division of {x} by the batch size is added", lambda x: x / x.shape[0]),
    "grown": ("a multiplication of {x} by the size of its last axis is added", lambda x: x * x.shape[-1]),
    "grown_1": ("a multiplication of {x} by the size of its axis 1 is added", lambda x: x * x.shape[1]),
    "grown_0": ("a multiplication of {x} by the batch size is added", lambda x: x * x.shape[0]),
    "scaled": (
        "a division of {x} by the square root of the size of its last axis is added",
        lambda x: x / np.sqrt(x.shape[-1]),
    ),
    "doubled": ("{x} is doubled", lambda x: 2 * x),
    "halved": ("{x} is halved", lambda x: x / 2),
    "moved_on": ("{x} is moved by one place along axis 1", lambda x: np.roll(x, 1, axis=1)),
    "first_element": ("every batch element gets the first one's {x}", lambda x: np.broadcast_to(x[:1], x.shape)),
    "batch_mean": (
        "{x} is averaged over the batch",
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
    "summed_0": ("{x} is added up over the batch", lambda x: x.sum(0)),
    "averaged_0": ("{x} is averaged over the batch", lambda x: x.mean(0)),
    "axis_last": ("{x} keeps an axis of size 1 at its end", lambda x: x[..., None]),
    "axis_1": ("{x} keeps an axis of size 1 behind the first", lambda x: x[:, None]),
    "axis_0": ("{x} gets an axis of size 1 in front", lambda x: x[None]),
    "joined": ("the first two axes of {x} are joined", lambda x: x.reshape(-1, *x.shape[2:])),
    "one_element": ("{x} is returned for the first batch element alone", lambda x: x[:1]),
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
            f"{PREFIX}{output.name}:{name}_at_the_end", clause.format(x=f"`{output.name}`"), i, change
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
                yield from _named(name, f"`{name}`", OF_LENGTHS)
        elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
            real[name] = value
            ways = {k: v for k, v in OF_INPUTS.items() if value.ndim >= AXES.get(k, 1)}
            yield from _named(name, f"`{name}`", ways)
    for a, b in permutations(real, 2):
        if real[a].ndim == real[b].ndim:
            yield from _exchanged(a, b, {"": a}, {"": b})


def _of_parameters(exercise: Exercise) -> Iterator[InputChange]:
    groups: dict[str, dict[str, str]] = {}
    for name, parameter in exercise.parameters.items():
        group, _, part = parameter.path.rpartition(".")
        groups.setdefault(group or part, {})[part if group else ""] = name
        yield from _named(name, f"`{parameter.path}`", OF_PARAMETERS)
    for a, b in permutations(groups, 2):
        mine, other = groups[a], groups[b]
        if mine.keys() == other.keys():
            yield from _exchanged(a, b, mine, other)


def _named(
    name: str, words: str, ways: Mapping[str, tuple[str, Callable[..., Any]]]
) -> Iterator[InputChange]:
    for kind, (clause, change) in ways.items():

        def changed(values: Mapping[str, Any], change: Callable[..., Any] = change) -> Mapping[str, Any]:
            # Of an empty cache there is no mean, and nothing to change.
            return {name: change(values[name])} if values[name] is not None and np.size(values[name]) else {}

        yield InputChange(f"{PREFIX}{name}:{kind}_first", clause.format(x=words), changed)


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
