"""Gradients that are asked for by name: torch.autograd.grad."""

from typing import Any

import numpy as np

from course.page_torch.errors import as_torch, public, unknown
from course.page_torch.tensor import Tensor, gradients_at


def grad(
    outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: Any = None, create_graph: bool = False,
    allow_unused: Any = None,
) -> tuple[Any, ...]:  # fmt: skip
    """Return the gradients of outputs with respect to inputs."""
    if create_graph:
        raise unknown("autograd.grad with create_graph")
    ends, targets = ([one] if isinstance(one, Tensor) else list(one) for one in (outputs, inputs))
    if not all(one.requires_grad for one in targets):
        raise as_torch(RuntimeError, "One of the differentiated Tensors does not require grad")
    slopes = (
        [grad_outputs] if grad_outputs is None or isinstance(grad_outputs, Tensor) else list(grad_outputs)
    )
    slopes = slopes * len(ends) if grad_outputs is None else slopes
    nodes = [one.value._node for one in targets]
    arrived = gradients_at(ends, slopes, bool(retain_graph), nodes)
    if not allow_unused and any(node not in arrived for node in nodes):
        raise as_torch(
            RuntimeError,
            "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.",
        )
    return tuple(
        Tensor(np.array(np.broadcast_to(arrived[node], one.shape), one.dtype.numpy))
        if node in arrived
        else None
        for one, node in zip(targets, nodes, strict=True)
    )


autograd_grad = public(grad)
