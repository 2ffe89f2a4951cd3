"""Layers: modules that compute, and those that hold others in order."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from course.page_torch.creation import random_numbers
from course.page_torch.errors import public, require
from course.page_torch.nn.functional import F
from course.page_torch.nn.modules import LearnedTensor, PageModule
from course.page_torch.tensor import Tensor


def _learned(numbers: np.ndarray) -> LearnedTensor:
    return LearnedTensor(Tensor(numbers.astype(np.float32)))


def _uniform(*shape: int, width: int) -> LearnedTensor:
    bound = 1 / math.sqrt(width) if width else 0
    return _learned(random_numbers().uniform(-bound, bound, shape))


class Linear(PageModule):
    """A linear layer."""

    @public
    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = _uniform(out_features, in_features, width=in_features)
        self._parameters["bias"] = _uniform(out_features, width=in_features) if bias else None

    def forward(self, input: Any) -> Any:
        """Return the input times the transposed weights, plus the bias."""
        return F["linear"](input, self.weight, self.bias)


class LazyLinear(Linear):
    """A linear layer that takes the width of its first input."""

    @public
    def __init__(self, out_features: int, bias: bool = True) -> None:
        super().__init__(0, out_features, bias)
        for parameter in self.parameters():
            parameter.is_lazy = True

    def forward(self, input: Any) -> Any:
        """Take the width of the input, the first time."""
        if not self.in_features:
            self._take_width(input.shape[-1])
        return super().forward(input)

    def _take_width(self, width: int) -> None:
        shapes = {"weight": (self.out_features, width), "bias": (self.out_features,)}
        for name, parameter in self.named_parameters():
            if parameter.is_lazy:
                parameter.is_lazy = False
                parameter.data = _uniform(*shapes[name], width=width).detach()
        self.in_features = self.weight.shape[1]
        require(width == self.in_features, "lazy_width", width, self.in_features)


class Embedding(PageModule):
    """A table of rows."""

    @public
    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: Any = None) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        table = random_numbers().normal(size=(num_embeddings, embedding_dim))
        if padding_idx is not None:
            table[padding_idx] = 0
        self.weight = _learned(table)

    def forward(self, input: Any) -> Any:
        """Return the rows of these numbers."""
        return F["embedding"](input, self.weight, self.padding_idx)


class LayerNorm(PageModule):
    """Layer normalisation."""

    @public
    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        self._parameters["weight"] = _learned(np.ones(shape)) if elementwise_affine else None
        self._parameters["bias"] = _learned(np.zeros(shape)) if elementwise_affine and bias else None

    def forward(self, input: Any) -> Any:
        """Return the input with mean 0 and variance 1, times the weights, plus the bias."""
        return F["layer_norm"](input, self.normalized_shape, self.weight, self.bias, self.eps)


class Dropout(PageModule):
    """Dropout."""

    @public
    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        require(0 <= p <= 1, "dropout", p)
        self.p = p

    def forward(self, input: Any) -> Any:
        """Put zeros in random places while training."""
        return F["dropout"](input, self.p, self.training)


class ModuleList(PageModule):
    """A list of modules."""

    def __init__(self, modules: Any = ()) -> None:
        super().__init__()
        self.extend(modules or ())

    def append(self, module: Any) -> Any:
        """Add a module."""
        self.add_module(str(len(self)), module)
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
        modules = list(self)
        if isinstance(index, slice):
            return type(self)().extend(modules[index])
        require(-len(modules) <= index < len(modules), "module_index", index)
        return modules[index]


class Sequential(ModuleList):
    """Modules, one after the other."""

    def __init__(self, *modules: Any) -> None:
        super().__init__(modules)

    def forward(self, input: Any) -> Any:
        """Hand the input through all of them."""
        for module in self:
            input = module(input)
        return input


def _of_function(function: Callable[..., Any]) -> type:
    """Return a layer that hands its input to a function, with the settings that it is made with."""

    def __init__(self: Any, *arguments: Any, **more: Any) -> None:
        PageModule.__init__(self)
        self.settings = arguments, more

    def forward(self: Any, *inputs: Any) -> Any:
        arguments, more = self.settings
        return function(*inputs, *arguments, **more)

    return type("", (PageModule,), {"__init__": __init__, "forward": forward})


OF_FUNCTIONS = {
    "ReLU": F["relu"],
    "Tanh": F["tanh"],
    "Sigmoid": F["sigmoid"],
    "GELU": F["gelu"],
    "SiLU": F["silu"],
    "ELU": F["elu"],
    "LeakyReLU": F["leaky_relu"],
    "Softmax": F["softmax"],
    "Identity": public(lambda input: input),
    "CrossEntropyLoss": F["cross_entropy"],
    "MSELoss": F["mse_loss"],
    "BCEWithLogitsLoss": F["binary_cross_entropy_with_logits"],
}
LAYERS: dict[str, Any] = {name: _of_function(function) for name, function in OF_FUNCTIONS.items()}
LAYERS |= {"Module": PageModule, "Parameter": LearnedTensor}
for _layer in (Linear, LazyLinear, Embedding, LayerNorm, Dropout, ModuleList, Sequential):
    LAYERS[_layer.__name__] = _layer
for _name, _layer in LAYERS.items():
    _layer.__name__ = _layer.__qualname__ = _name
    _layer.__module__ = "torch.nn"
