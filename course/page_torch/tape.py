"""The record of what was computed, from which gradients follow: a tape on autograd's tracer."""

import math
from collections.abc import Iterable, Sequence
from contextlib import ContextDecorator
from typing import Any

import numpy as np
from autograd.core import VJPNode, add_outgrads
from autograd.extend import defvjp, primitive
from autograd.tracer import new_box, notrace_primitives, toposort

from course.page_torch.errors import as_torch

TRACE = 0
AGAIN = "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors after calling backward."
CHANGED = "one of the variables needed for gradient computation has been modified by an inplace operation: [torch.{title}Tensor {shape}], which is output 0 of {name}, is at version {now}; expected version {then} instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True)."
NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"
_is_recording = [True]


class TapeNode(VJPNode):
    """One operation on the tape, or a leaf, to which a gradient goes.

    leaf: the tensor. saves: what the gradient needs, as (tensor, version): it must not have changed in place.
    """

    __slots__ = ("leaf", "saves")

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.leaf: Any = None
        self.saves: Sequence[tuple[Any, int]] = ()

    def initialize_root(self, leaf: Any) -> None:
        """Make it a leaf."""
        super().initialize_root()
        self.leaf, self.saves = leaf, ()


notrace_primitives[TapeNode] = notrace_primitives[VJPNode]


def is_recording() -> bool:
    """Return whether operations go onto the tape."""
    return _is_recording[0]


class GradientMode(ContextDecorator):
    """Records operations, or does not, while it is entered."""

    mode = False

    def __init__(self, mode: bool = False) -> None:
        self.mode = mode
        self.before: list[bool] = []

    def __call__(self, function: Any) -> Any:
        return super().__call__(function)

    def __enter__(self) -> None:
        self.before.append(_is_recording[0])
        _is_recording[0] = self.mode

    def __exit__(self, *error: object) -> None:
        _is_recording[0] = self.before.pop()


class RecordingMode(GradientMode):
    """Records operations while it is entered."""

    def __init__(self) -> None:
        super().__init__(True)


def leaf_box(array: np.ndarray, leaf: Any) -> Any:
    """Return an array as one to which gradients go."""
    return new_box(array, TRACE, TapeNode.new_root(leaf))


def with_array(box: Any, array: np.ndarray) -> Any:
    """Return a box with other numbers at the same place of the tape."""
    return new_box(array, TRACE, box._node)


def sweep(ends: Sequence[tuple[Any, np.ndarray]], keeps: bool, targets: Iterable[Any] = ()) -> dict[Any, Any]:
    """Return the gradients at the leaves, and at these nodes, going back from boxes with their cotangents."""
    total = _Joined([box._node for box, _ in ends])
    gradients: dict[Any, Any] = {}
    for box, cotangent in ends:
        gradients[box._node] = add_outgrads(gradients.get(box._node), cotangent)
    arrived, ids = {}, set(map(id, targets))
    order = toposort(total)
    next(order)
    with np.errstate(all="ignore"):
        for node in order:
            gradient = gradients.pop(node)[0]
            if node.leaf is not None or id(node) in ids:
                arrived[node] = gradient
            if node.leaf is None:
                _refuse_changed(node)
                for parent, slope in zip(node.parents, node.vjp(gradient), strict=True):
                    gradients[parent] = add_outgrads(gradients.get(parent), slope)
                if node.saves and not keeps:
                    node.vjp = _used
    return arrived


class _Joined:
    def __init__(self, parents: list[Any]) -> None:
        self.parents = list(dict.fromkeys(parents))


def _used(gradient: Any) -> None:
    raise as_torch(RuntimeError, AGAIN)


def _refuse_changed(node: TapeNode) -> None:
    for tensor, version in node.saves:
        if tensor._version != version:
            raise as_torch(
                RuntimeError,
                CHANGED.format(
                    title=tensor.dtype.title, shape=list(tensor.shape), name="an operation", now=tensor._version,
                    then=version,
                ),
            )  # fmt: skip


@primitive  # type: ignore[untyped-decorator]
def contiguous(x: Any) -> Any:
    """Return the same numbers, in order in memory."""
    return np.array(x, order="C")


defvjp(contiguous, lambda answer, x: lambda g: g)


@primitive  # type: ignore[untyped-decorator]
def sigmoid_values(x: Any) -> Any:
    """Return 1 / (1 + exp(-x)); a rule of its own, since exp runs over where x is very negative."""
    return 1 / (1 + np.exp(-x))


defvjp(sigmoid_values, lambda answer, x: lambda g: g * answer * (1 - answer))


@primitive  # type: ignore[untyped-decorator]
def erf_values(x: Any) -> Any:
    """Return the error function, which NumPy has not."""
    return np.vectorize(math.erf, otypes=[x.dtype])(x)


defvjp(erf_values, lambda answer, x: lambda g: g * (2 / math.sqrt(math.pi)) * np.exp(-x * x))


@primitive  # type: ignore[untyped-decorator]
def copied(x: Any) -> Any:
    """Return a copy, laid out alike."""
    return np.array(x)


defvjp(copied, lambda answer, x: lambda g: g)
