"""Modules: what holds learned arrays and other modules."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np

from course.page_torch.errors import as_torch, public, require, unknown
from course.page_torch.tensor import Tensor

# What a module holds, each in a dictionary of its own, and how PyTorch's messages call it.
KINDS = {"_parameters": "parameters", "_buffers": "buffer", "_modules": "module"}
NOT_THERE = ("buffers", "named_buffers", "compile", "cuda", "half", "type", "get_submodule", "get_parameter")


class LearnedTensor(Tensor):
    """A tensor that a module learns."""

    @public
    def __init__(self, data: Any = None, requires_grad: bool = True) -> None:
        if not isinstance(data, Tensor):
            raise unknown("nn.Parameter, of no tensor")
        super().__init__(np.array(data.array))
        self.is_lazy = False
        self.requires_grad_(requires_grad)

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"

    def materialize(self, shape: Any) -> None:
        """Give it a shape, and zeros."""
        self.is_lazy = False
        self.data = Tensor(np.zeros(shape, self.dtype.numpy))


class PageModule:
    """What stands for torch.nn.Module."""

    training: bool

    def __init__(self, *arguments: Any, **more: Any) -> None:
        name, count = type(self).__name__, len(arguments) + 1
        require(not arguments and not more, "module_arguments", name, count)
        vars(self).update({kind: {} for kind in KINDS}, training=True, _backward_hooks={}, _not_saved=set())

    # Names of what it holds.
    def _place_of(self, name: str) -> dict[str, Any]:
        """Return the dictionary that has a name: where none has, that of attributes."""
        kinds = (vars(self).get(kind, {}) for kind in KINDS)
        return next((held for held in kinds if name in held), vars(self))

    def _hold(self, kind: str, name: str, value: Any) -> None:
        require(kind in vars(self), "before_init", KINDS[kind])
        place = self._place_of(name)
        if place is not vars(self)[kind]:
            place.pop(name, None)
        vars(self)[kind][name] = value

    def __setattr__(self, name: str, value: Any) -> None:
        place = self._place_of(name)
        if isinstance(value, LearnedTensor):
            self._hold("_parameters", name, value)
        elif isinstance(value, PageModule):
            self._hold("_modules", name, value)
        elif place is vars(self):
            object.__setattr__(self, name, value)
        else:
            kind = f"torch.{value.dtype.title}Tensor" if isinstance(value, Tensor) else type(value).__name__
            is_parameter = place is self._parameters and value is not None
            require(not is_parameter, "parameter", kind, name)
            place[name] = value

    def __getattr__(self, name: str) -> Any:
        place = self._place_of(name)
        if place is not vars(self):
            return place[name]
        if name in NOT_THERE or name.startswith("register_"):
            raise unknown(f"nn.Module.{name}")
        raise as_torch("attribute", type(self).__name__, name)

    def __delattr__(self, name: str) -> None:
        require(name in self._place_of(name), "attribute", type(self).__name__, name)
        del self._place_of(name)[name]

    @public
    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Hold a tensor that is not learned."""
        self._hold("_buffers", name, tensor)
        if not persistent:
            self._not_saved.add(name)

    @public
    def add_module(self, name: str, module: Any) -> None:
        """Hold a module."""
        if not isinstance(module, PageModule):
            raise unknown("nn.Module.add_module of no module")
        self._hold("_modules", name, module)

    # Calls.
    def __call__(self, *inputs: Any, **more: Any) -> Any:
        require("_backward_hooks" in vars(self), "attribute", type(self).__name__, "_backward_hooks")
        return self.forward(*inputs, **more)

    def forward(self, *inputs: Any, **more: Any) -> Any:
        """Raise, where a module has no forward of its own."""
        raise as_torch("no_forward", type(self).__name__)

    # All that it holds, with what is held by what it holds.
    def named_modules(self, prefix: str = "", memo: Any = None) -> Iterator[tuple[str, Any]]:
        """Return this module, and all that it holds, with their paths, each once."""
        memo = set() if memo is None else memo
        if id(self) not in memo:
            memo.add(id(self))
            yield prefix, self
            for name, module in self.named_children():
                yield from module.named_modules(f"{prefix}.{name}".lstrip("."), memo)

    def modules(self) -> Iterator[Any]:
        """Return this module, and all that it holds."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """Return the modules that it holds itself."""
        return ((name, module) for name, module in self._modules.items() if module is not None)

    def children(self) -> Iterator[Any]:
        """Return the modules that it holds itself."""
        return (module for _, module in self.named_children())

    def _tensors(self, *kinds: str) -> Iterator[tuple[str, Any]]:
        for prefix, module in self.named_modules():
            for kind in kinds:
                for name, value in vars(module)[kind].items():
                    if value is not None and name not in module._not_saved:
                        yield f"{prefix}.{name}".lstrip("."), value

    def named_parameters(self) -> Iterator[tuple[str, Any]]:
        """Return the learned tensors with their paths, each once."""
        passed: set[int] = set()
        for path, parameter in self._tensors("_parameters"):
            if id(parameter) not in passed:
                passed.add(id(parameter))
                yield path, parameter

    def parameters(self) -> Iterator[Any]:
        """Return the learned tensors, each once."""
        return (parameter for _, parameter in self.named_parameters())

    def state_dict(self) -> Any:
        """Return all tensors by their paths."""
        tensors = self._tensors("_parameters", "_buffers")
        return OrderedDict((path, value.detach()) for path, value in tensors)

    @public
    def load_state_dict(self, state_dict: Any) -> None:
        """Take over tensors by their paths."""
        state = self.state_dict()
        if {path: one.shape for path, one in state.items()} != {
            p: one.shape for p, one in state_dict.items()
        }:
            raise unknown("nn.Module.load_state_dict of other names or shapes")
        for path, value in state_dict.items():
            state[path].copy_(value)

    # What changes all of it.
    def train(self, mode: bool = True) -> Any:
        """Put it into training mode, or evaluation mode."""
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Any:
        """Put it into evaluation mode."""
        return self.train(False)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients."""
        for parameter in self.parameters():
            parameter.grad = None

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Ask for the gradients of all that it learns, or no more."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def apply(self, fn: Any) -> Any:
        """Call a function with each module that it holds, and with itself."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    @public
    def to(self, device: Any) -> Any:
        """Return it: all lies on the processor."""
        if str(device) != "cpu":
            raise unknown("nn.Module.to another type")
        return self

    cpu = float = lambda self: self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(path for path, _ in self.named_parameters())})"
