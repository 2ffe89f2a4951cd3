"""What tensors alone have: copies, types, changes in place, and Python's own signs."""

from collections.abc import Callable
from typing import Any

import numpy as np

# What the others define becomes a method of tensors, which these build on.
from course.page_torch import dtypes, gradient, places, products, reductions, shapes  # noqa: F401
from course.page_torch.arguments import METHODS, axis_of, function, in_torch, method, register
from course.page_torch.elementwise import is_operand
from course.page_torch.errors import as_torch, require
from course.page_torch.tape import copied
from course.page_torch.tensor import Device, Tensor, cast, run, value_of


@method
def to(input: Tensor, *target: Any, dtype: Any = None, device: Any = None, copy: bool = False) -> Tensor:
    """Return the numbers in another type."""
    for one in target:
        if isinstance(one, str | Device):
            device = one
        else:
            dtype = one.dtype if isinstance(one, Tensor) else one
    if device is not None:
        Device(device)
    dtype = dtypes.as_dtype(dtype, input.dtype)
    if dtype is input.dtype:
        return input.clone() if copy else input
    return run(lambda x: cast(x, dtype), input, dtype=dtype)


def _cuda(input: Tensor, device: Any = None) -> Tensor:
    raise as_torch("cuda")


register(
    method,
    {
        "type_as": lambda input, other: input.to(other.dtype),
        "contiguous": lambda input: input if input.is_contiguous() else run(lambda x: copied(x, "C"), input),
        "is_contiguous": lambda input: bool(input.array.flags.c_contiguous),
        "cpu": lambda input: input,
        "cuda": _cuda,
        "size": lambda input, dim=None: input.shape if dim is None else input.shape[axis_of(dim, input.ndim)],
        "dim": lambda input: input.ndim,
        "tolist": lambda input: input.array.tolist(),
    },
)
register(
    function,
    {
        "clone": lambda input: run(copied, input),
        "numel": lambda input: int(input.array.size),
        "is_floating_point": lambda input: input.dtype.is_floating_point,
    },
)
in_torch(lambda input: input.detach(), "detach")
for _name in ("float", "double", "half", "long", "int", "bool"):
    method(lambda input, dtype=dtypes.ALL[_name]: input.to(dtype), _name)


# In place.
def put_result(input: Tensor, new: Tensor) -> Tensor:
    """Put a result in the place of a tensor."""
    ranks = [(one.dtype.is_floating_point, one.dtype.name != "bool") for one in (new, input)]
    require(ranks[0] <= ranks[1], "cast_back", new.dtype.title, input.dtype.title)
    require(new.shape == input.shape, "output_shape", [*input.shape], [*new.shape])
    return input._write(value_of(new, input.dtype))


def _in_place(compute: Callable[..., Any]) -> Callable[..., Any]:
    return lambda input, *arguments, **more: put_result(input, compute(input, *arguments, **more))


IN_PLACE = "add sub mul div pow exp log sqrt abs neg clamp masked_fill relu tanh sigmoid floor round scatter"
for _name in IN_PLACE.split():
    method(_in_place(METHODS[_name]), f"{_name}_")


def _filled(input: Tensor, value: Any) -> Tensor:
    number = value.item() if isinstance(value, Tensor) else value
    return input._write(np.full(input.shape, number, input.dtype.numpy))


register(method, {"fill_": _filled, "zero_": lambda input: input.fill_(0)})


# Python's own signs.
SIGNS = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "matmul": "matmul",
}


def _where_it_fits(compute: Callable[..., Any], fits: Callable[..., bool]) -> Callable[..., Any]:
    """Return what stands for a sign: where the other operand does not fit, Python asks that one."""
    return lambda self, other: compute(self, other) if fits(other) else NotImplemented


def _swapped(compute: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, other: compute(other, self)


def _is_tensor(other: Any) -> bool:
    return isinstance(other, Tensor)


for _sign, _name in SIGNS.items():
    _fits = _is_tensor if _sign == "matmul" else is_operand
    setattr(Tensor, f"__{_sign}__", _where_it_fits(METHODS[_name], _fits))
    setattr(Tensor, f"__r{_sign}__", _where_it_fits(_swapped(METHODS[_name]), _fits))
    if _sign != "matmul":
        setattr(Tensor, f"__i{_sign}__", _where_it_fits(_in_place(METHODS[_name]), _fits))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Tensor, f"__{_name}__", _where_it_fits(METHODS[_name], is_operand))
for _sign, _name in {"neg": "neg", "abs": "abs", "invert": "bitwise_not"}.items():
    setattr(Tensor, f"__{_sign}__", METHODS[_name])
