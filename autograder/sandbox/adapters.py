"""What differs between frameworks when a submission is called: one small class for each.

Adding a framework is adding an adapter.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from typing import Any

import numpy as np

from course.frameworks import mx, torch


class ContractBroken(Exception):
    """The submission does not keep its side of the contract: the message says how."""


class Adapter(ABC):
    """How to hand arrays to a submission, call it, and take results and gradients back."""

    name: str
    differentiates = True

    @abstractmethod
    def array(self, value: np.ndarray, track: bool) -> tuple[Any, Any]:
        """The framework's array twice: the leaf that gradients go to, and what is handed in."""

    @abstractmethod
    def is_array(self, value: Any) -> bool:
        """Whether a result is one of the framework's arrays."""

    @abstractmethod
    def numpy(self, value: Any) -> np.ndarray:
        """A result, or a gradient, as a NumPy array."""

    def record(self, train: bool) -> AbstractContextManager[Any]:
        """The context in which calls are recorded for differentiation."""
        return nullcontext()

    @abstractmethod
    def prepare(self, module: Any, train: bool) -> None:
        """Put a new module into training or evaluation mode."""

    @abstractmethod
    def parameters(self, module: Any) -> dict[str, tuple[int, ...]]:
        """The names and shapes of a module's learned arrays (0 where not known yet)."""

    @abstractmethod
    def set_parameter(self, module: Any, path: str, value: np.ndarray) -> Any:
        """Set one learned array; returns the leaf that its gradient goes to."""

    @abstractmethod
    def gradients(
        self, outputs: Sequence[Any], cotangents: Sequence[np.ndarray], leaves: Sequence[Any]
    ) -> list[Any]:
        """d(sum of outputs times cotangents)/d(leaf) for each leaf; None where none arrives."""

    def variants(self, entry: Any) -> list[AbstractContextManager[Any]]:
        """The modes in which the call is tried, in turn, until one does not raise."""
        return [nullcontext()]


class TorchAdapter(Adapter):
    name = "torch"

    def array(self, value: np.ndarray, track: bool) -> tuple[Any, Any]:
        leaf = torch.tensor(value)
        if not track:
            return leaf, leaf
        leaf.requires_grad_()
        # A copy, so that work in place is judged by its result and not refused for being a leaf.
        return leaf, leaf.clone()

    def is_array(self, value: Any) -> bool:
        return isinstance(value, torch.Tensor)

    def numpy(self, value: Any) -> np.ndarray:
        value = value.detach()
        if value.dtype == torch.bfloat16:
            raise ContractBroken("the result is bfloat16; return float32")
        return np.array(value.resolve_neg().resolve_conj().cpu().numpy())

    def prepare(self, module: Any, train: bool) -> None:
        if isinstance(module, torch.nn.Module):
            module.train(train)

    def parameters(self, module: Any) -> dict[str, tuple[int, ...]]:
        if not isinstance(module, torch.nn.Module):
            return {}
        lazy = torch.nn.parameter.is_lazy
        return {path: () if lazy(p) else tuple(p.shape) for path, p in module.named_parameters()}

    def set_parameter(self, module: Any, path: str, value: np.ndarray) -> Any:
        parameter = dict(module.named_parameters())[path]
        if torch.nn.parameter.is_lazy(parameter):
            parameter.materialize(value.shape)
        with torch.no_grad():
            parameter.copy_(torch.tensor(value))
        return parameter

    def gradients(
        self, outputs: Sequence[Any], cotangents: Sequence[np.ndarray], leaves: Sequence[Any]
    ) -> list[Any]:
        pairs = [(o, torch.tensor(c).to(o.dtype)) for o, c in zip(outputs, cotangents, strict=True)]
        tracked = [(o, c) for o, c in pairs if o.requires_grad]
        if not tracked:
            return [None] * len(leaves)
        wanted = [leaf for leaf in leaves if leaf.requires_grad]
        # A number needs no cotangent; with one, PyTorch would import an algebra system first.
        loss = sum((o * c).sum() for o, c in tracked)
        found = torch.autograd.grad(loss, wanted, allow_unused=True)
        by_leaf = {id(leaf): gradient for leaf, gradient in zip(wanted, found, strict=True)}
        return [by_leaf.get(id(leaf)) for leaf in leaves]


class MXNetAdapter(Adapter):
    name = "mxnet"

    def __init__(self) -> None:
        if mx is None:
            raise ImportError("MXNet is not installed")
        self.make: Callable[..., Any] = _classic

    def array(self, value: np.ndarray, track: bool) -> tuple[Any, Any]:
        # MXNet's operators want lengths and masks in the type of the data.
        dtype = value.dtype if value.dtype.kind == "f" else np.dtype("float32")
        leaf = self.make(value, dtype=dtype)
        if track:
            leaf.attach_grad()
        return leaf, leaf

    def is_array(self, value: Any) -> bool:
        return isinstance(value, mx.nd.NDArray)

    def numpy(self, value: Any) -> np.ndarray:
        return np.array(value.asnumpy())

    def record(self, train: bool) -> AbstractContextManager[Any]:
        return mx.autograd.record(train_mode=train)

    def prepare(self, module: Any, train: bool) -> None:
        if isinstance(module, mx.gluon.Block):
            module.initialize()

    def parameters(self, module: Any) -> dict[str, tuple[int, ...]]:
        if not isinstance(module, mx.gluon.Block):
            return {}
        found = {}
        for path, parameter in module._collect_params_with_prefix().items():
            shape = tuple(max(n, 0) for n in parameter.shape or ())
            found[path.replace(".gamma", ".weight").replace(".beta", ".bias")] = shape
        return found

    def set_parameter(self, module: Any, path: str, value: np.ndarray) -> Any:
        parameters = module._collect_params_with_prefix()
        other = path.replace(".weight", ".gamma").replace(".bias", ".beta")
        parameter = parameters[path] if path in parameters else parameters[other]
        parameter.shape = value.shape
        # A parameter of known shape holds data already, which may not be written while recording.
        with mx.autograd.pause():
            parameter.set_data(self.make(value, dtype=value.dtype))
            if parameter._deferred_init:
                parameter._finish_deferred_init()
        return parameter.data()

    def gradients(
        self, outputs: Sequence[Any], cotangents: Sequence[np.ndarray], leaves: Sequence[Any]
    ) -> list[Any]:
        heads = [self.make(c, dtype=o.dtype) for o, c in zip(outputs, cotangents, strict=True)]
        try:
            mx.autograd.backward(list(outputs), heads)
        except mx.base.MXNetError as error:
            if "part of a computational graph" not in str(error):
                raise
            return [None] * len(leaves)
        return [leaf.grad for leaf in leaves]

    def variants(self, entry: Any) -> list[AbstractContextManager[Any]]:
        """As written for `mx.nd` and for `mx.np` arrays; the likelier first."""
        modules = {getattr(v, "__name__", "") for v in getattr(_function(entry), "__globals__", {}).values()}
        classic, numpy_like = _Maker(self, _classic), _NumpyMode(self)
        written_for_numpy = {"mxnet.numpy", "mxnet.numpy_extension"} & modules
        return [numpy_like, classic] if written_for_numpy else [classic, numpy_like]


def _classic(value: np.ndarray, dtype: Any) -> Any:
    """`mx.nd.array` without its detour over slices, which takes most of the time of a small call."""
    made = mx.nd.empty(value.shape, dtype=dtype)
    made._sync_copyfrom(np.ascontiguousarray(value, dtype=dtype))
    return made


class _Maker(AbstractContextManager[None]):
    """Hands in arrays made by one of MXNet's two array types."""

    def __init__(self, adapter: MXNetAdapter, make: Callable[..., Any]) -> None:
        self.adapter, self.make_inside = adapter, make

    def __enter__(self) -> None:
        self.adapter.make = self.make_inside

    def __exit__(self, *error: object) -> None:
        if error[0] is not None:
            # What the failed call still has to say would be said when the process ends.
            with suppress(mx.base.MXNetError):
                mx.nd.waitall()


class _NumpyMode(_Maker):
    """The same for `mx.np`, with NumPy's rules for shapes switched on."""

    def __init__(self, adapter: MXNetAdapter) -> None:
        super().__init__(adapter, mx.np.array)

    def __enter__(self) -> None:
        super().__enter__()
        self.modes = ExitStack()
        self.modes.enter_context(mx.util.np_shape(True))
        self.modes.enter_context(mx.util.np_array(True))

    def __exit__(self, *error: object) -> None:
        self.modes.close()
        super().__exit__(*error)


class NumPyAdapter(Adapter):
    name = "numpy"
    differentiates = False

    def array(self, value: np.ndarray, track: bool) -> tuple[Any, Any]:
        leaf = np.array(value)
        return leaf, leaf

    def is_array(self, value: Any) -> bool:
        return isinstance(value, (np.ndarray, np.generic))

    def numpy(self, value: Any) -> np.ndarray:
        return np.array(value)

    def prepare(self, module: Any, train: bool) -> None:
        return None

    def parameters(self, module: Any) -> dict[str, tuple[int, ...]]:
        return {k: v.shape for k, v in getattr(module, "__dict__", {}).items() if isinstance(v, np.ndarray)}

    def set_parameter(self, module: Any, path: str, value: np.ndarray) -> Any:
        setattr(module, path, value)
        return value

    def gradients(
        self, outputs: Sequence[Any], cotangents: Sequence[np.ndarray], leaves: Sequence[Any]
    ) -> list[Any]:
        raise NotImplementedError("NumPy computes values only")


def _function(entry: Any) -> Any:
    """The Python function behind a function, a partial, a class or an instance."""
    entry = getattr(entry, "func", entry)
    for name in ("forward", "hybrid_forward", "__call__"):
        method = getattr(entry if isinstance(entry, type) else type(entry), name, None)
        if hasattr(method, "__globals__") and not hasattr(entry, "__globals__"):
            return method
    return entry


ADAPTERS: dict[str, type[Adapter]] = {a.name: a for a in (TorchAdapter, MXNetAdapter, NumPyAdapter)}


def warm() -> list[str]:
    """Differentiate once in every installed framework, since the first time is slow.

    Returns the names of the frameworks that are there.
    """
    there = []
    for name, make in ADAPTERS.items():
        try:
            adapter = make()
        except ImportError:
            continue
        there.append(name)
        if adapter.differentiates:
            with adapter.record(False):
                leaf, handed = adapter.array(np.ones((1, 2), np.float32), True)
                output = handed * 2
            adapter.gradients([output], [np.ones((1, 2), np.float32)], [leaf])
    return there
