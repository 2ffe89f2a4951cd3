"""What a training needs of a framework besides the code in `solutions`."""

from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from autograder.frameworks import libraries  # imports neither until it is asked for one

if TYPE_CHECKING:
    from collections.abc import Iterator


class Backend(Protocol):
    """Arrays, evaluation mode and learned arrays of one framework."""

    def array(self, values: np.ndarray) -> Any:
        """Return an array of the framework."""

    def numpy(self, values: Any) -> np.ndarray:
        """Return an array of the framework as a NumPy array."""

    def initialise(self, model: Any) -> None:
        """Draw the weights of a new model."""

    def evaluating(self, model: Any) -> AbstractContextManager[None]:
        """Call without dropout and without gradients."""

    def parameters(self, model: Any) -> dict[str, Any]:
        """Return copies of all learned arrays by name."""

    def set_parameters(self, model: Any, copies: dict[str, Any]) -> None:
        """Set all learned arrays to these copies."""


class Torch:
    """PyTorch."""

    def array(self, values: np.ndarray) -> Any:
        return libraries.torch.tensor(values)

    def numpy(self, values: Any) -> np.ndarray:
        array: np.ndarray = values.numpy(force=True)
        return array

    def initialise(self, model: Any) -> None:
        """Do nothing: a module draws its weights when it is made."""

    @contextmanager
    def evaluating(self, model: Any) -> "Iterator[None]":
        model.eval()
        with libraries.torch.no_grad():
            yield

    def parameters(self, model: Any) -> dict[str, Any]:
        return {name: value.clone() for name, value in model.state_dict().items()}

    def set_parameters(self, model: Any, copies: dict[str, Any]) -> None:
        model.load_state_dict(copies)


class MXNet:
    """MXNet Gluon."""

    def array(self, values: np.ndarray) -> Any:
        return libraries.mx.nd.array(values)

    def numpy(self, values: Any) -> np.ndarray:
        array: np.ndarray = values.asnumpy()
        return array

    def initialise(self, model: Any) -> None:
        # PyTorch's default for dense layers.
        model.initialize(libraries.mx.init.Xavier(factor_type="in", magnitude=1))

    def evaluating(self, model: Any) -> AbstractContextManager[None]:
        # Outside autograd.record() there is neither dropout nor a gradient.
        return nullcontext()

    def parameters(self, model: Any) -> dict[str, Any]:
        return {name: p.data().copy() for name, p in model.collect_params().items()}

    def set_parameters(self, model: Any, copies: dict[str, Any]) -> None:
        for name, p in model.collect_params().items():
            p.set_data(copies[name])


BACKENDS: dict[str, type[Backend]] = {"torch": Torch, "mxnet": MXNet}


def backend(framework: str) -> Backend:
    """Return the backend of "torch" or "mxnet". Raises ValueError where it is not installed."""
    if framework == "mxnet" and libraries.mx is None:
        raise ValueError(libraries.WITHOUT_MXNET)
    return BACKENDS[framework]()


def installed() -> tuple[str, ...]:
    """Return the frameworks that can train here, in the book's order."""
    return ("torch",) if libraries.mx is None else ("mxnet", "torch")
