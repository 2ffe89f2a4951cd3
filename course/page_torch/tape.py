"""The record of what was computed, from which gradients follow: a tape on autograd's tracer."""

import math
from collections.abc import Sequence
from contextlib import ContextDecorator
from typing import Any

import numpy as np
from autograd.core import VJPNode, add_outgrads
from autograd.extend import defvjp, primitive
from autograd.tracer import new_box, notrace_primitives, toposort

from course.page_torch.errors import as_torch, require, unknown

TRACE = 0
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
    """Records no operations while it is entered."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        if arguments or more:
            raise unknown("no_grad, called like this")
        self.before: list[bool] = []

    def __enter__(self) -> None:
        self.before.append(_is_recording[0])
        _is_recording[0] = False

    def __exit__(self, *error: object) -> None:
        _is_recording[0] = self.before.pop()


def leaf_box(array: np.ndarray, leaf: Any) -> Any:
    """Return an array as one to which gradients go."""
    return new_box(array, TRACE, TapeNode.new_root(leaf))


def with_array(box: Any, array: np.ndarray) -> Any:
    """Return a box with other numbers at the same place of the tape."""
    return new_box(array, TRACE, box._node)


def gradients_at(
    ends: Sequence[Any], cotangents: Sequence[Any], keeps: Any, targets: Sequence[Any] = ()
) -> dict[Any, Any]:
    """Return the gradients that arrive at leaves, and at these nodes, going back from tensors with their cotangents."""
    gradients: dict[Any, Any] = {}
    for end, cotangent in zip(ends, cotangents, strict=True):
        require(end.requires_grad, "no_graph")
        require(cotangent is not None or end.array.size == 1, "not_scalar")
        numbers = np.ones(end.shape, end.dtype.numpy) if cotangent is None else cotangent.array
        require(numbers.shape == end.shape, "cotangent", [*numbers.shape], [*end.shape])
        node = end.value._node
        gradients[node] = add_outgrads(gradients.get(node), numbers)
    order = toposort(_Ends([*gradients]))
    next(order)
    arrived = {}
    with np.errstate(all="ignore"):
        for node in order:
            gradient = gradients.pop(node)[0]
            if node.leaf is not None or node in targets:
                arrived[node] = gradient
            if node.leaf is None:
                _go_back(node, gradient, gradients)
                if node.saves and not keeps:
                    node.vjp = _refuse_second_time
    return arrived


class _Ends:
    def __init__(self, parents: list[Any]) -> None:
        self.parents = parents


def _go_back(node: TapeNode, gradient: Any, gradients: dict[Any, Any]) -> None:
    for tensor, version in node.saves:
        now = tensor._version
        require(now == version, "changed", tensor.dtype.title, [*tensor.shape], now, version)
    for parent, slope in zip(node.parents, node.vjp(gradient), strict=True):
        gradients[parent] = add_outgrads(gradients.get(parent), slope)


def _refuse_second_time(gradient: Any) -> None:
    raise as_torch("used_twice")


@primitive  # type: ignore[untyped-decorator]
def copied(x: Any, order: Any = "K") -> Any:
    """Return a copy, laid out alike, or in order in memory ("C")."""
    return np.array(x, order=order)


@primitive  # type: ignore[untyped-decorator]
def sigmoid_values(x: Any) -> Any:
    """Return 1 / (1 + exp(-x)); a rule of its own, since exp runs over where x is very negative."""
    return 1 / (1 + np.exp(-x))


@primitive  # type: ignore[untyped-decorator]
def erf_values(x: Any) -> Any:
    """Return the error function, which NumPy has not."""
    return np.vectorize(math.erf, otypes=[x.dtype])(x)


defvjp(copied, lambda answer, x, order="K": lambda g: g)
defvjp(sigmoid_values, lambda answer, x: lambda g: g * answer * (1 - answer))
defvjp(erf_values, lambda answer, x: lambda g: g * (2 / math.sqrt(math.pi)) * np.exp(-x * x))
