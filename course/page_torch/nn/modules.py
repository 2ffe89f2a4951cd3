"""Modules: what holds learned arrays, and the layers that are there."""

import math
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np

from course.page_torch.creation import new_tensor, random_numbers
from course.page_torch.errors import as_torch, public, unknown
from course.page_torch.nn.functional import F
from course.page_torch.tensor import Tensor

KINDS = ("_parameters", "_buffers", "_modules")
NOT_THERE = (
    "register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook", "compile", "bfloat16", "cuda",
    "half", "to_empty", "get_submodule", "get_parameter", "share_memory", "type", "register_module",
)  # fmt: skip


class LearnedTensor(Tensor):
    """A tensor that a module learns."""

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
        self._with_data(new_tensor(np.zeros(shape, self.dtype.numpy)))


class PageModule:
    """What stands for torch.nn.Module."""

    training: bool

    def __init__(self, *arguments: Any, **more: Any) -> None:
        if arguments or more:
            raise as_torch(
                TypeError,
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(arguments) + 1} were given",
            )
        vars(self).update({kind: {} for kind in KINDS}, training=True, _backward_hooks={}, _not_saved=set())

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, LearnedTensor):
            self._put("_parameters", "parameters", name, value)
        elif isinstance(value, PageModule):
            self._put("_modules", "module", name, value)
        elif name in vars(self).get("_parameters", ()) and value is not None:
            kind = f"torch.{value.dtype.title}Tensor" if isinstance(value, Tensor) else type(value).__name__
            raise as_torch(
                TypeError,
                f"cannot assign '{kind}' as parameter '{name}' (torch.nn.Parameter or None expected)",
            )
        else:
            place = next((vars(self)[kind] for kind in KINDS if name in vars(self).get(kind, ())), None)
            if place is None:
                object.__setattr__(self, name, value)
            else:
                place[name] = value

    def _put(self, kind: str, word: str, name: str, value: Any) -> None:
        if kind not in vars(self):
            raise as_torch(AttributeError, f"cannot assign {word} before Module.__init__() call")
        for one in (vars(self), *(vars(self)[other] for other in KINDS if other != kind)):
            one.pop(name, None)
        vars(self)[kind][name] = value

    def __getattr__(self, name: str) -> Any:
        for kind in KINDS:
            if name in vars(self).get(kind, ()):
                return vars(self)[kind][name]
        if name in NOT_THERE:
            raise unknown(f"nn.Module.{name}")
        raise as_torch(AttributeError, f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        place: Any = next(
            (vars(self)[kind] for kind in KINDS if name in vars(self).get(kind, ())), vars(self)
        )
        if name not in place:
            raise AttributeError(name)
        del place[name]

    def __call__(self, *inputs: Any, **more: Any) -> Any:
        if "_backward_hooks" not in vars(self):
            raise as_torch(
                AttributeError, f"'{type(self).__name__}' object has no attribute '_backward_hooks'"
            )
        return self.forward(*inputs, **more)

    def forward(self, *inputs: Any, **more: Any) -> Any:
        """Raise, where a module has no forward of its own."""
        raise as_torch(
            NotImplementedError, f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Hold a tensor that is not learned."""
        if "_buffers" not in vars(self):
            raise as_torch(AttributeError, "cannot assign buffer before Module.__init__() call")
        self._buffers[name] = tensor
        if not persistent:
            self._not_saved.add(name)

    def register_parameter(self, name: str, param: Any) -> None:
        """Hold a tensor that is learned."""
        self._parameters[name] = param

    def add_module(self, name: str, module: Any) -> None:
        """Hold a module."""
        self._modules[name] = module

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Any]]:
        """Return this module, and all that it holds, with their paths, each once."""
        yield from self._walk(prefix, set())

    def _walk(self, prefix: str, passed: set[int]) -> Iterator[tuple[str, Any]]:
        if id(self) in passed:
            return
        passed.add(id(self))
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module._walk(f"{prefix}.{name}" if prefix else name, passed)

    def modules(self) -> Iterator[Any]:
        """Return this module, and all that it holds."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """Return the modules that it holds itself."""
        return ((name, module) for name, module in self._modules.items() if module is not None)

    def children(self) -> Iterator[Any]:
        """Return the modules that it holds itself."""
        return (module for _, module in self.named_children())

    def _by_path(self, kind: str, each_once: bool = True) -> Iterator[tuple[str, Any]]:
        passed: set[int] = set()
        for prefix, module in self.named_modules():
            for name, value in vars(module)[kind].items():
                if value is not None and not (each_once and id(value) in passed):
                    passed.add(id(value))
                    yield f"{prefix}.{name}" if prefix else name, value

    def named_parameters(self) -> Iterator[tuple[str, Any]]:
        """Return the learned tensors with their paths, each once."""
        return self._by_path("_parameters")

    def parameters(self) -> Iterator[Any]:
        """Return the learned tensors, each once."""
        return (parameter for _, parameter in self.named_parameters())

    def named_buffers(self) -> Iterator[tuple[str, Any]]:
        """Return the other tensors that it holds."""
        return self._by_path("_buffers")

    def buffers(self) -> Iterator[Any]:
        """Return the other tensors that it holds."""
        return (buffer for _, buffer in self.named_buffers())

    def state_dict(self) -> Any:
        """Return all tensors by their paths."""
        state: OrderedDict[str, Tensor] = OrderedDict()
        for prefix, module in self.named_modules():
            for name, value in (*module._parameters.items(), *module._buffers.items()):
                if value is not None and name not in module._not_saved:
                    state[f"{prefix}.{name}" if prefix else name] = value.detach()
        return state

    def load_state_dict(self, state_dict: Any, strict: bool = True) -> None:
        """Take over tensors by their paths."""
        state = self.state_dict()
        if (
            not strict
            or state.keys() != state_dict.keys()
            or any(state[key].shape != state_dict[key].shape for key in state)
        ):
            raise unknown("nn.Module.load_state_dict of other names or shapes")
        for key, value in state_dict.items():
            state[key].copy_(value)

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

    def to(self, target: Any = None, *, device: Any = None, dtype: Any = None) -> Any:
        """Return it: all lies on the processor."""
        if dtype is not None or (target is not None and str(target) != "cpu"):
            raise unknown("nn.Module.to another type")
        return self

    cpu = float = lambda self: self

    def extra_repr(self) -> str:
        """Return what its line says beside its name."""
        return ""

    def __repr__(self) -> str:
        lines = [
            f"  ({name}): " + repr(module).replace("\n", "\n  ") for name, module in self.named_children()
        ]
        inner = self.extra_repr() + ("\n" + "\n".join(lines) + "\n" if lines else "")
        return f"{type(self).__name__}({inner})"


def _uniform(*shape: int, bound: float) -> LearnedTensor:
    return LearnedTensor(new_tensor(random_numbers().uniform(-bound, bound, shape).astype(np.float32)))


class Linear(PageModule):
    """A linear layer."""

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        if dtype is not None:
            raise unknown("nn.Linear with dtype")
        self.in_features, self.out_features = in_features, out_features
        bound = 1 / math.sqrt(in_features) if in_features > 0 else 0
        self.weight = _uniform(out_features, in_features, bound=bound)
        self._parameters["bias"] = _uniform(out_features, bound=bound) if bias else None

    def forward(self, input: Any) -> Any:
        """Return the input times the transposed weights, plus the bias."""
        return F["linear"](input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return its sizes."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        )


class LazyLinear(Linear):
    """A linear layer that takes the width of its first input."""

    def __init__(self, out_features: int, bias: bool = True) -> None:
        super().__init__(0, out_features, bias)
        self.weight.is_lazy = True
        if bias:
            self.bias.is_lazy = True

    def forward(self, input: Any) -> Any:
        """Take the width of the input, the first time."""
        if self.weight.is_lazy:
            bound = 1 / math.sqrt(input.shape[-1])
            for parameter, shape in (
                (self.weight, (self.out_features, input.shape[-1])),
                (self.bias, (self.out_features,)),
            ):
                if parameter is not None and parameter.is_lazy:
                    parameter.materialize(shape)
                    parameter._with_data(_uniform(*shape, bound=bound).detach())
        self.in_features = self.weight.shape[1]
        if input.shape[-1] != self.in_features:
            raise as_torch(
                AssertionError,
                f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features from self.weight: {self.in_features}",
            )
        return super().forward(input)


class Embedding(PageModule):
    """A table of rows."""

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: Any = None) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        table = random_numbers().normal(size=(num_embeddings, embedding_dim)).astype(np.float32)
        if padding_idx is not None:
            table[padding_idx] = 0
        self.weight = LearnedTensor(new_tensor(table))

    def forward(self, input: Any) -> Any:
        """Return the rows of these numbers."""
        return F["embedding"](input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        """Return its sizes."""
        return f"{self.num_embeddings}, {self.embedding_dim}"


class LayerNorm(PageModule):
    """Layer normalisation."""

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True
    ) -> None:
        super().__init__()
        self.normalized_shape = (
            (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        )
        self.eps, self.elementwise_affine = eps, elementwise_affine
        ones, zeros = (np.full(self.normalized_shape, n, np.float32) for n in (1, 0))
        self._parameters["weight"] = LearnedTensor(new_tensor(ones)) if elementwise_affine else None
        self._parameters["bias"] = LearnedTensor(new_tensor(zeros)) if elementwise_affine and bias else None

    def forward(self, input: Any) -> Any:
        """Return the input with mean 0 and variance 1, times the weights, plus the bias."""
        return F["layer_norm"](input, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(PageModule):
    """Normalisation by the root of the mean of squares."""

    def __init__(self, normalized_shape: Any, eps: Any = None, elementwise_affine: bool = True) -> None:
        super().__init__()
        self.normalized_shape = (
            (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        )
        self.eps = eps
        ones = np.ones(self.normalized_shape, np.float32)
        self._parameters["weight"] = LearnedTensor(new_tensor(ones)) if elementwise_affine else None

    def forward(self, input: Any) -> Any:
        """Return the input divided by the root of the mean of its squares."""
        return F["rms_norm"](input, self.normalized_shape, self.weight, self.eps)


class Dropout(PageModule):
    """Dropout."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise as_torch(ValueError, f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Any) -> Any:
        """Put zeros in random places while training."""
        return F["dropout"](input, self.p, self.training, self.inplace)


class ModuleList(PageModule):
    """A list of modules."""

    def __init__(self, modules: Any = ()) -> None:
        super().__init__()
        self.extend(modules or ())

    def append(self, module: Any) -> Any:
        """Add a module."""
        self._put("_modules", "module", str(len(self)), module)
        return self

    def extend(self, modules: Any) -> Any:
        """Add modules."""
        for module in modules:
            self.append(module)
        return self

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __getitem__(self, index: Any) -> Any:
        modules = list(self._modules.values())
        if isinstance(index, slice):
            return type(self)(modules[index])
        if not -len(modules) <= index < len(modules):
            raise as_torch(IndexError, f"index {index} is out of range")
        return modules[index]


class Sequential(ModuleList):
    """Modules, one after the other."""

    def __init__(self, *modules: Any) -> None:
        PageModule.__init__(self)
        if len(modules) == 1 and isinstance(modules[0], dict):
            for name, module in modules[0].items():
                self.add_module(name, module)
        else:
            self.extend(modules)

    def __getitem__(self, index: Any) -> Any:
        modules = list(self._modules.values())[index]
        return Sequential(*modules) if isinstance(index, slice) else modules

    def forward(self, input: Any) -> Any:
        """Hand the input through all of them."""
        for module in self:
            input = module(input)
        return input


class ModuleDict(PageModule):
    """Modules by their names."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        for name, module in dict(modules or {}).items():
            self._put("_modules", "module", name, module)

    def __getitem__(self, name: str) -> Any:
        return self._modules[name]

    def __setitem__(self, name: str, module: Any) -> None:
        self._put("_modules", "module", name, module)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def keys(self) -> Any:
        """Return the names."""
        return self._modules.keys()

    def items(self) -> Any:
        """Return names and modules."""
        return self._modules.items()

    def values(self) -> Any:
        """Return the modules."""
        return self._modules.values()


class ParameterList(PageModule):
    """A list of learned tensors."""

    def __init__(self, values: Any = ()) -> None:
        super().__init__()
        for value in values:
            self.append(value)

    def append(self, value: Any) -> Any:
        """Add one."""
        self._put(
            "_parameters",
            "parameters",
            str(len(self)),
            value if isinstance(value, LearnedTensor) else LearnedTensor(value),
        )
        return self

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parameters.values())

    def __getitem__(self, index: int) -> Any:
        return list(self._parameters.values())[index]


class Identity(PageModule):
    """Gives back what it gets."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Return the input."""
        return input


def _of_function(name: str, function: str, **settings: Any) -> type:
    """Return a layer that calls a function with the settings that it is made with."""

    def __init__(self: Any, *arguments: Any, **more: Any) -> None:
        PageModule.__init__(self)
        names = list(settings)
        if len(arguments) > len(names) or not more.keys() <= {*names}:
            raise unknown(f"nn.{name}, made like this")
        self.settings = settings | dict(zip(names, arguments, strict=False)) | more

    def forward(self: Any, *inputs: Any) -> Any:
        return F[function](*inputs, **self.settings)

    return type(name, (PageModule,), {"__init__": __init__, "forward": forward})


LAYERS: dict[str, Any] = {
    one.__name__: one
    for one in (Linear, LazyLinear, Embedding, LayerNorm, RMSNorm, Dropout, ModuleList, Sequential, ModuleDict, ParameterList, Identity)
}  # fmt: skip
LAYERS |= {
    "ReLU": _of_function("ReLU", "relu"), "Tanh": _of_function("Tanh", "tanh"), "Sigmoid": _of_function("Sigmoid", "sigmoid"),
    "GELU": _of_function("GELU", "gelu", approximate="none"), "SiLU": _of_function("SiLU", "silu"),
    "LeakyReLU": _of_function("LeakyReLU", "leaky_relu", negative_slope=0.01), "ELU": _of_function("ELU", "elu", alpha=1.0),
    "Softplus": _of_function("Softplus", "softplus"), "Softmax": _of_function("Softmax", "softmax", dim=None),
    "LogSoftmax": _of_function("LogSoftmax", "log_softmax", dim=None),
    "CrossEntropyLoss": _of_function("CrossEntropyLoss", "cross_entropy", weight=None, ignore_index=-100, reduction="mean"),
    "MSELoss": _of_function("MSELoss", "mse_loss", reduction="mean"), "NLLLoss": _of_function("NLLLoss", "nll_loss"),
    "BCEWithLogitsLoss": _of_function("BCEWithLogitsLoss", "binary_cross_entropy_with_logits", reduction="mean"),
}  # fmt: skip
LAYERS |= {"Module": PageModule, "Parameter": LearnedTensor}
for _name, _layer in LAYERS.items():
    _layer.__name__ = _layer.__qualname__ = _name
    _layer.__module__ = "torch.nn"
LearnedTensor.__init__ = public(LearnedTensor.__init__)  # type: ignore[method-assign]
