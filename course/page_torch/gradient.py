"""Gradients: `backward` of a tensor, and torch.autograd.grad."""

from typing import Any

import numpy as np

from course.page_torch.arguments import method
from course.page_torch.errors import public, require, unknown
from course.page_torch.tape import gradients_at
from course.page_torch.tensor import Tensor


def _as_gradient(slope: Any, of: Tensor) -> Tensor:
    return Tensor(np.array(np.broadcast_to(slope, of.shape), of.dtype.numpy))


@method
def backward(
    input: Tensor, gradient: Any = None, retain_graph: Any = None, create_graph: bool = False
) -> None:
    """Add the gradients of a tensor to those of the leaves that it was computed from."""
    if create_graph:
        raise unknown("Tensor.backward with create_graph")
    for node, slope in gradients_at([input], [gradient], retain_graph).items():
        if (leaf := node.leaf) is not None:
            arrived = _as_gradient(slope, leaf)
            leaf.grad = arrived if leaf.grad is None else Tensor(leaf.grad.array + arrived.array)


@public
def grad(
    outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: Any = None, allow_unused: Any = None
) -> tuple[Any, ...]:
    """Return the gradients of outputs with respect to inputs."""
    ends, targets = ([one] if isinstance(one, Tensor) else list(one) for one in (outputs, inputs))
    require(all(one.requires_grad for one in targets), "no_gradient")
    if grad_outputs is None or isinstance(grad_outputs, Tensor):
        grad_outputs = [grad_outputs] * (1 if grad_outputs is not None else len(ends))
    nodes = [one.value._node for one in targets]
    arrived = gradients_at(ends, grad_outputs, retain_graph, nodes)
    require(allow_unused or all(node in arrived for node in nodes), "unused")
    return tuple(
        _as_gradient(arrived[node], one) if node in arrived else None
        for one, node in zip(targets, nodes, strict=True)
    )
