"""At which places of an array an answer is wrong, where the others are right."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.diagnose.argument_use import needs_more
from autograder.model.exercise import Case, Exercise

Array = np.ndarray


@dataclass(frozen=True)
class WrongResult:
    """One output of one case on which an answer is wrong: what came out, what is right, which entries are wrong."""

    case: Case
    got: Array
    right: Array
    wrong: Array


# Which of the places along an axis are wrong, from the places' truth values, in words.
PARTS: dict[str, Callable[[Array], Any]] = {
    "only the first entry": lambda wrong: wrong[0] and not wrong[1:].any(),
    "only the last entry": lambda wrong: wrong[-1] and not wrong[:-1].any(),
    "all but the first entry": lambda wrong: not wrong[0] and wrong[1:].all(),
    "all but the last entry": lambda wrong: not wrong[-1] and wrong[:-1].all(),
    "every second entry": lambda wrong: len(wrong) > 3 and wrong[1::2].all() and not wrong[::2].any(),
    "every second entry, from the first": (
        lambda wrong: len(wrong) > 3 and wrong[::2].all() and not wrong[1::2].any()
    ),
}


def where_right(exercise: Exercise, index: int, found: list[WrongResult]) -> str | None:
    """Wrong in one part of an axis alone: the first, the last, all but the first, beyond the valid length.

    Not where the rest is right for nearly any answer, as the first token is under a causal mask.
    """
    name = exercise.returns[index].name
    for axis in range(min(f.wrong.ndim for f in found)):
        if part := _part(found, axis):
            if any(_right_for_all(exercise, index, f, axis) for f in found):
                return None
            return f"Along axis {axis} of {name} {part} is wrong; the rest is right."
    return _beyond_the_length(exercise, name, found)


def _part(found: list[WrongResult], axis: int) -> str | None:
    """Which part of an axis is wrong in all cases; none where an axis is too short to tell."""
    least = 2 if axis == 0 else 3
    if any(f.wrong.shape[axis] < least for f in found):
        return None
    lines = [np.moveaxis(f.wrong, axis, 0).reshape(f.wrong.shape[axis], -1).any(axis=1) for f in found]
    return next(
        (words for words, holds in PARTS.items() if all(holds(np.asarray(line)) for line in lines)), None
    )


def _right_for_all(exercise: Exercise, index: int, found: WrongResult, axis: int) -> bool:
    """Whether the places along an axis at which a result is right are right for nearly any answer."""
    others = tuple(a for a in range(found.wrong.ndim) if a != axis)
    there = np.broadcast_to(found.wrong.any(axis=others, keepdims=True), found.wrong.shape)
    plain = np.isin(found.right, (0, 1))
    return (plain[~there].all() and not plain[there].all()) or needs_more(
        exercise, found.case, index, there, ~there
    )


def _beyond_the_length(exercise: Exercise, name: str, found: list[WrongResult]) -> str | None:
    """Wrong at padding alone, or where nothing is padding."""
    argument = next((a.name for a in exercise.arguments if "length" in a.name), "")
    lengths = [np.asarray(f.case.inputs.get(argument, "")) for f in found]
    if any(n.ndim != 1 for n in lengths):
        return None
    for axis in (1, 2):
        if any(f.wrong.ndim <= axis for f in found):
            continue
        pads = [_padding(f.wrong, axis, n) for f, n in zip(found, lengths, strict=True)]
        if all(pad.any() for pad in pads) and _none(found, [~pad for pad in pads]):
            return f"Only entries of {name} beyond {argument} (axis {axis}) are wrong; those that count are right."
        whole = [np.asarray(~pad.any(axis=tuple(range(1, pad.ndim)), keepdims=True)) for pad in pads]
        if any(pad.any() for pad in pads) and _none(found, pads) and _none(found, whole):
            return f"Batch elements without padding are right in {name}; only those with padding are wrong."
    return None


def _none(found: list[WrongResult], masks: list[Array]) -> bool:
    """Whether no entry is wrong at these places."""
    return not any((f.wrong & mask).any() for f, mask in zip(found, masks, strict=True))


def _padding(like: Array, axis: int, lengths: Array) -> Array:
    """Where an array is padding along an axis; nowhere if it has another batch than the lengths (batch,)."""
    if len(lengths) != len(like):
        return np.zeros(like.shape, dtype=bool)
    shape = [len(like)] + [1] * (like.ndim - 1)
    shape[axis] = like.shape[axis]
    pad = np.arange(like.shape[axis]) >= lengths[:, None]
    return np.broadcast_to(pad.reshape(shape), like.shape)
