"""Functions that make tensors."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course.page_torch import dtypes
from course.page_torch.arguments import FUNCTIONS, in_torch, method, register, sizes_of
from course.page_torch.errors import as_torch, require, unknown
from course.page_torch.tensor import Device, Tensor, whole_numbers

_numbers = [np.random.default_rng(0)]


def random_numbers() -> np.random.Generator:
    """Return what random numbers come from."""
    return _numbers[0]


@in_torch
def manual_seed(seed: int) -> None:
    """Begin the random numbers anew: they are not PyTorch's."""
    _numbers[0] = np.random.default_rng(int(seed) % 2**63)


def new_tensor(
    numbers: Any, usual: Any = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a new tensor of numbers, in a type. usual: the type where none is asked for."""
    if device is not None:
        Device(device)
    array = np.array(numbers, dtypes.as_dtype(dtype, usual).numpy)
    return Tensor(array).requires_grad_(requires_grad)


# Of numbers that are there.
def _inferred(data: Any) -> np.ndarray:
    if isinstance(data, list | tuple):
        parts = [_inferred(one) for one in data]
        dtype = dtypes.get_default_dtype() if not parts else dtypes.of_numpy(parts[0].dtype)
        for one in parts[1:]:
            dtype = dtypes.promoted(dtype, dtypes.of_numpy(one.dtype))
            if one.shape != parts[0].shape:
                require(one.ndim and parts[0].ndim, "no_dtype", "list")
                raise as_torch("sequence", len(parts[0]), len(one))
        return np.array(parts, dtype.numpy)
    if isinstance(data, Tensor):
        return data.array
    if isinstance(data, np.ndarray | np.number | np.bool_):
        return np.asarray(data)
    require(isinstance(data, int | float), "no_dtype", type(data).__name__)
    return np.asarray(data, dtypes.of_number(data).numpy)


@in_torch
def tensor(data: Any, **more: Any) -> Tensor:
    """Return a tensor of these numbers."""
    array = _inferred(data)
    return new_tensor(array, dtypes.of_numpy(array.dtype), **more)


@in_torch
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Return a tensor of these numbers; a tensor as it is, and an array of NumPy's without a copy."""
    if isinstance(data, Tensor):
        return data.to(dtype=dtype, device=device)
    if isinstance(data, np.ndarray) and (dtype is None or dtypes.as_dtype(dtype).numpy == data.dtype):
        return FUNCTIONS["from_numpy"](data)
    return FUNCTIONS["tensor"](data, dtype=dtype, device=device)


@in_torch
def from_numpy(ndarray: np.ndarray) -> Tensor:
    """Return a tensor that shares the numbers of an array."""
    require(isinstance(ndarray, np.ndarray), "no_array", type(ndarray).__name__)
    shared = Tensor(ndarray)
    shared._is_lent = True
    return shared


method(lambda input, data, **more: new_tensor(_inferred(data), input.dtype, **more), "new_tensor")


# Of one number, or of random numbers, in a shape.
def _in_shapes(name: str, draw: Callable[..., Any], has_method: bool) -> None:
    def fill(*size: Any, **more: Any) -> Tensor:
        return new_tensor(draw(sizes_of(size)), **more)

    def like(input: Tensor, **more: Any) -> Tensor:
        return new_tensor(draw(input.shape), input.dtype, **more)

    def new(input: Tensor, *size: Any, **more: Any) -> Tensor:
        return new_tensor(draw(sizes_of(size)), input.dtype, **more)

    in_torch(fill, name)
    in_torch(like, f"{name}_like")
    if has_method:
        method(new, f"new_{name}")


_in_shapes("zeros", np.zeros, True)
_in_shapes("ones", np.ones, True)
_in_shapes("empty", np.zeros, True)
_in_shapes("rand", lambda size: random_numbers().random(size), False)
_in_shapes("randn", lambda size: random_numbers().normal(size=size), False)


def _full(size: Any, fill_value: Any, usual: Any = None, **more: Any) -> Tensor:
    number = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    return new_tensor(np.full(sizes_of((size,)), number), usual or dtypes.of_number(number), **more)


in_torch(lambda size, fill_value, **more: _full(size, fill_value, **more), "full")
in_torch(lambda input, fill_value, **more: _full(input.shape, fill_value, input.dtype, **more), "full_like")
method(lambda input, size, fill_value, **more: _full(size, fill_value, input.dtype, **more), "new_full")


# Of numbers in order.
@in_torch
def arange(*bounds: Any, start: Any = 0, end: Any = None, step: Any = 1, **more: Any) -> Tensor:
    """Return numbers from a start up to an end, which is left out."""
    if len(bounds) == 1:
        end = bounds[0]
    elif bounds:
        start, end, step = (*bounds, step)[:3]
    start, end, step = (one.item() if isinstance(one, Tensor) else one for one in (start, end, step))
    if end is None:
        raise unknown("arange without an end")
    require((end - start) / step >= 0, "arange_bounds")
    is_real = any(isinstance(one, float) for one in (start, end, step))
    usual = dtypes.get_default_dtype() if is_real else dtypes.LONG
    return new_tensor(np.arange(start, end, step), usual, **more)


register(
    in_torch,
    {
        "linspace": lambda start, end, steps, **more: new_tensor(np.linspace(start, end, steps), **more),
        "eye": lambda n, m=None, **more: new_tensor(np.eye(n, m), **more),
        "randperm": lambda n: whole_numbers(random_numbers().permutation(n)),
        "is_tensor": lambda obj: isinstance(obj, Tensor),
    },
)


@in_torch
def multinomial(input: Tensor, num_samples: int, replacement: bool = False) -> Tensor:
    """Draw places, each as likely as its weight."""
    rows = input.array.reshape(-1, input.shape[-1]).astype(np.float64)
    draws = [random_numbers().choice(len(row), num_samples, replacement, row / row.sum()) for row in rows]
    return whole_numbers(np.array(draws).reshape(*input.shape[:-1], num_samples))
