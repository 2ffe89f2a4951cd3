"""At which places of an array an answer is wrong, where the others are right."""

from dataclasses import dataclass

import numpy as np

from autograder.judge.dependence import needs_more
from autograder.model.exercise import Case, Exercise

Array = np.ndarray


@dataclass(frozen=True)
class Pair:
    """One output of one case on which an answer is wrong: what came out, what is right, which entries are wrong."""

    case: Case
    got: Array
    right: Array
    wrong: Array


def where_right(exercise: Exercise, index: int, pairs: list[Pair]) -> str | None:
    """Wrong in one part of an axis alone: the first, the last, all but the first, beyond the valid length.

    Not where the rest is right for nearly any answer, as the first token is under a causal mask.
    """
    name, wrong = exercise.returns[index].name, [p.wrong for p in pairs]
    for axis in range(min(w.ndim for w in wrong)):
        if not all(w.shape[axis] > 2 or (axis == 0 and w.shape[axis] > 1) for w in wrong):
            continue
        lines = [w.any(axis=tuple(a for a in range(w.ndim) if a != axis)) for w in wrong]
        ways = {
            "only the first entry": lambda line: line[0] and not line[1:].any(),
            "only the last entry": lambda line: line[-1] and not line[:-1].any(),
            "all but the first entry": lambda line: not line[0] and line[1:].all(),
            "all but the last entry": lambda line: not line[-1] and line[:-1].all(),
            "every second entry": lambda line: len(line) > 3 and line[1::2].all() and not line[::2].any(),
            "every second entry, from the first": (
                lambda line: len(line) > 3 and line[::2].all() and not line[1::2].any()
            ),
        }
        for words, holds in ways.items():
            if all(holds(line) for line in lines):
                if any(_right_for_all(exercise, index, p, axis) for p in pairs):
                    return None
                return f"Along axis {axis} of {name} {words} is wrong; the rest is right."
    return _beyond_the_length(exercise, name, pairs, wrong)


def _right_for_all(exercise: Exercise, index: int, p: Pair, axis: int) -> bool:
    """Whether the places along an axis at which a result is right are right for nearly any answer."""
    others = tuple(a for a in range(p.wrong.ndim) if a != axis)
    there = np.broadcast_to(p.wrong.any(axis=others, keepdims=True), p.wrong.shape)
    plain = np.isin(p.right, (0, 1))
    return (plain[~there].all() and not plain[there].all()) or needs_more(
        exercise, p.case, index, there, ~there
    )


def _beyond_the_length(exercise: Exercise, name: str, pairs: list[Pair], wrong: list[Array]) -> str | None:
    """Wrong at padding alone, or where nothing is padding."""
    lengths = next((a.name for a in exercise.arguments if "length" in a.name), None)
    found = [None if lengths is None else p.case.inputs.get(lengths) for p in pairs]
    if any(not isinstance(n, np.ndarray) or n.ndim != 1 for n in found):
        return None
    for axis in (1, 2):
        if all(w.ndim > axis for w in wrong):
            pads = [
                _along(np.arange(w.shape[axis]) >= np.asarray(n)[:, None], w, axis)
                for w, n in zip(wrong, found, strict=True)
            ]
            if all(pad.any() and (w & ~pad).sum() == 0 for w, pad in zip(wrong, pads, strict=True)):
                return f"Only entries of {name} beyond {lengths} (axis {axis}) are wrong; those that count are right."
            if any(pad.any() for pad in pads) and all(
                (w & pad).sum() == 0 for w, pad in zip(wrong, pads, strict=True)
            ):
                full = [w.reshape(len(w), -1).any(axis=1) for w in wrong]
                short = [np.asarray(n) < w.shape[axis] for w, n in zip(wrong, found, strict=True)]
                if all((f <= s).all() for f, s in zip(full, short, strict=True)):
                    return f"Batch elements without padding are right in {name}; only those with padding are wrong."
    return None


def _along(pad: Array, like: Array, axis: int) -> Array:
    """A mask (batch, steps) laid along an axis of an array."""
    shape = [like.shape[0]] + [1] * (like.ndim - 1)
    shape[axis] = like.shape[axis]
    if pad.shape[0] != like.shape[0]:
        return np.zeros(like.shape, dtype=bool)
    return np.broadcast_to(pad.reshape(shape), like.shape)
