"""What stands for torch.optim."""

from typing import Any, ClassVar

import numpy as np

from course.page_torch.errors import require, unknown
from course.page_torch.tensor import Tensor


class Optimiser:
    """Changes tensors along their gradients."""

    usual: ClassVar[dict[str, Any]] = {}

    def __init__(self, params: Any, lr: float = 1e-3, **more: Any) -> None:
        if not more.keys() <= self.usual.keys():
            raise unknown(f"optim.{type(self).__name__} with {', '.join(more.keys() - self.usual.keys())}")
        tensors = list(params)
        require(tensors, "no_parameters")
        if not all(isinstance(one, Tensor) for one in tensors):
            raise unknown("optim, of groups")
        self.param_groups = [self.usual | more | {"lr": lr, "params": tensors}]
        self.state: dict[Tensor, dict[str, Any]] = {one: {"step": 0} for one in tensors}

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients."""
        for tensor in self.state:
            tensor.grad = None

    def step(self) -> None:
        """Change each tensor once."""
        for tensor, state in self.state.items():
            if tensor.grad is not None:
                state["step"] += 1
                new = self.changed(tensor.array, tensor.grad.array, state, self.param_groups[0])
                tensor.detach()._write(new.astype(tensor.dtype.numpy))

    def changed(self, array: np.ndarray, gradient: np.ndarray, state: Any, settings: Any) -> np.ndarray:
        """Return the new numbers."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        raise unknown(f"optim.{type(self).__name__}.{name}")


class SGD(Optimiser):
    """Stochastic gradient descent."""

    usual: ClassVar[dict[str, Any]] = {"momentum": 0.0, "weight_decay": 0.0}

    def changed(self, array: np.ndarray, gradient: np.ndarray, state: Any, settings: Any) -> np.ndarray:
        """Return the numbers less the gradient times the learning rate."""
        gradient = gradient + settings["weight_decay"] * array
        if settings["momentum"]:
            gradient = state["momentum"] = gradient + settings["momentum"] * state.get("momentum", 0)
        return array - settings["lr"] * gradient


class Adam(Optimiser):
    """Adam: the step is divided by the root of the mean of squared gradients."""

    usual: ClassVar[dict[str, Any]] = {"betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.0}

    decays_apart = False

    def changed(self, array: np.ndarray, gradient: np.ndarray, state: Any, settings: Any) -> np.ndarray:
        """Return the numbers less a step."""
        decay = settings["weight_decay"] * array
        if self.decays_apart:
            array = array - settings["lr"] * decay
        else:
            gradient = gradient + decay
        first, second = settings["betas"]
        state["mean"] = first * state.get("mean", 0) + (1 - first) * gradient
        state["square"] = second * state.get("square", 0) + (1 - second) * gradient**2
        root = np.sqrt(state["square"] / (1 - second ** state["step"])) + settings["eps"]
        return array - settings["lr"] / (1 - first ** state["step"]) * state["mean"] / root


class AdamW(Adam):
    """Adam, with weights that decay apart from the gradient."""

    usual: ClassVar[dict[str, Any]] = Adam.usual | {"weight_decay": 0.01}
    decays_apart = True


for _one in (SGD, Adam, AdamW):
    _one.__module__ = "torch.optim"
