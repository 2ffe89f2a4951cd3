"""What tensors alone have: copies, types, changes in place, and Python's own signs."""

from collections.abc import Callable
from typing import Any

import numpy as np

# What the others define becomes a method of tensors below, so they come first.
from course.page_torch import dtypes, products, reductions, shapes  # noqa: F401
from course.page_torch.errors import as_torch, public
from course.page_torch.functions import COMPARISONS, FUNCTIONS, METHODS, axis_of, function, method, operand
from course.page_torch.tape import contiguous, copied
from course.page_torch.tensor import Device, Tensor, cast, run, value_of


# Copies and types.
@function
def clone(input: Tensor) -> Tensor:
    """Return a copy, through which gradients pass."""
    return run(copied, input)


@method
def contiguous_(input: Tensor) -> Tensor:
    """Return the numbers in order in memory."""
    return input if input.array.flags.c_contiguous else run(contiguous, input)


@method
def to(input: Tensor, *target: Any, dtype: Any = None, device: Any = None, copy: bool = False) -> Tensor:
    """Return the numbers in another type."""
    for one in target:
        if isinstance(one, Tensor):
            dtype = one.dtype
        elif isinstance(one, str | Device):
            device = one
        else:
            dtype = one
    if device is not None:
        Device(device)
    dtype = input.dtype if dtype is None else dtypes.as_dtype(dtype)
    if dtype is input.dtype:
        return METHODS["clone"](input) if copy else input
    return run(lambda x: cast(x, dtype), input, dtype=dtype)


def _conversion(name: str) -> None:
    def convert(input: Tensor) -> Tensor:
        return METHODS["to"](input, dtypes.ALL[name])

    convert.__name__ = name
    method(convert)


for _name in ("float", "double", "half", "long", "int", "bool"):
    _conversion(_name)


@method
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """Return the numbers in the type of another."""
    return METHODS["to"](input, other.dtype)


@method
def cpu(input: Tensor) -> Tensor:
    """Return the tensor, which lies on the processor already."""
    return input


@method
def cuda(input: Tensor, device: Any = None) -> Tensor:
    """Raise as PyTorch does where there is no GPU."""
    raise as_torch(AssertionError, "Torch not compiled with CUDA enabled")


@method
def size(input: Tensor, dim: Any = None) -> Any:
    """Return the shape, or the size of one axis."""
    return input.shape if dim is None else input.shape[axis_of(dim, input.ndim)]


@method
def dim(input: Tensor) -> int:
    """Return the number of axes."""
    return input.ndim


@function
def numel(input: Tensor) -> int:
    """Return how many numbers there are."""
    return int(input.array.size)


METHODS["nelement"] = numel
METHODS["ndimension"] = METHODS["dim"]


@method
def tolist(input: Tensor) -> Any:
    """Return Python numbers."""
    return input.array.tolist()


@function
def is_floating_point(input: Tensor) -> bool:
    """Return whether these are real numbers."""
    return input.dtype.is_floating_point


@method
def is_contiguous(input: Tensor) -> bool:
    """Return whether the numbers lie in order in memory."""
    return bool(input.array.flags.c_contiguous)


@method
def element_size(input: Tensor) -> int:
    """Return how many bytes a number has."""
    return input.dtype.itemsize


# In place.
IN_PLACE = (
    "add", "sub", "mul", "div", "pow", "exp", "log", "sqrt", "abs", "neg", "clamp", "masked_fill", "relu", "tanh",
    "sigmoid", "floor", "round", "scatter", "scatter_add", "index_add", "tril", "triu", "square", "reciprocal", "lerp",
)  # fmt: skip


def _in_place(name: str, compute: Callable[..., Any]) -> None:
    def write(input: Tensor, *arguments: Any, **more: Any) -> Tensor:
        new = compute(input, *arguments, **more)
        return put_result(input, new)

    write.__name__ = name
    METHODS[name] = public(write)


def put_result(input: Tensor, new: Tensor) -> Tensor:
    """Put a result in the place of a tensor."""
    if (new.dtype.is_floating_point, new.dtype.name != "bool") > (
        input.dtype.is_floating_point,
        input.dtype.name != "bool",
    ):
        raise as_torch(
            RuntimeError,
            f"result type {new.dtype.title} can't be cast to the desired output type {input.dtype.title}",
        )
    if new.shape != input.shape:
        raise as_torch(
            RuntimeError,
            f"output with shape {list(input.shape)} doesn't match the broadcast shape {list(new.shape)}",
        )
    return input._write(value_of(new, input.dtype))


for _name in IN_PLACE:
    _in_place(f"{_name}_", METHODS[_name])


@method
def fill__(input: Tensor, value: Any) -> Tensor:
    """Put one number everywhere."""
    number = value.item() if isinstance(value, Tensor) else value
    return input._write(np.full(input.shape, number, input.dtype.numpy))


METHODS["fill_"] = METHODS.pop("fill")
METHODS["zero_"] = public(lambda input: METHODS["fill_"](input, 0))

# Python's own signs.
SIGNS = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floor_divide", "mod": "remainder", "pow": "pow", "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}  # fmt: skip


def _sign(sign: str, name: str) -> None:
    compute = METHODS[name]
    takes_numbers = name != "matmul"

    def fits(other: Any) -> bool:
        return operand(other) and (takes_numbers or isinstance(other, Tensor))

    def forward(self: Tensor, other: Any) -> Any:
        return compute(self, other) if fits(other) else NotImplemented

    def backward(self: Tensor, other: Any) -> Any:
        return compute(other, self) if fits(other) else NotImplemented

    def in_place(self: Tensor, other: Any) -> Any:
        return put_result(self, compute(self, other)) if fits(other) else NotImplemented

    setattr(Tensor, f"__{sign}__", forward)
    setattr(Tensor, f"__r{sign}__", backward)
    if sign not in ("matmul",):
        setattr(Tensor, f"__i{sign}__", in_place)


for _sign_name, _name in SIGNS.items():
    _sign(_sign_name, _name)


def _compared(name: str) -> None:
    compute = METHODS[name]

    def forward(self: Tensor, other: Any) -> Any:
        if other is None and name in ("eq", "ne"):
            return name == "ne"
        return compute(self, other) if operand(other) else NotImplemented

    setattr(Tensor, f"__{name}__", forward)


for _name in COMPARISONS:
    _compared(_name)
for _sign_name, _compute in {
    "neg": METHODS["neg"],
    "abs": METHODS["abs"],
    "invert": METHODS["bitwise_not"],
    "pos": lambda input: input,
}.items():
    setattr(Tensor, f"__{_sign_name}__", _compute)
ALIASES = {"subtract": "sub", "multiply": "mul", "divide": "div", "absolute": "abs", "negative": "neg", "clip": "clamp", "greater": "gt", "less": "lt", "true_divide": "div"}  # fmt: skip
for _name, _original in ALIASES.items():
    FUNCTIONS[_name] = METHODS[_name] = METHODS[_original]
for _name, _compute in METHODS.items():
    setattr(Tensor, _name, _compute)
FUNCTIONS["detach"] = lambda input: input.detach()


def linalg_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the length of vectors."""
    return METHODS["norm"](x, ord, dim, keepdim)
