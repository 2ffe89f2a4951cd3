"""Sums and the like over axes, what is largest, and places along an axis."""

from collections.abc import Callable
from math import prod as product
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.tracer import getval

from course.page_torch import dtypes
from course.page_torch.errors import as_torch, unknown
from course.page_torch.functions import (
    FUNCTIONS,
    METHODS,
    axes_of,
    axis_of,
    broadcast,
    function,
    real,
    tensor_of,
)
from course.page_torch.tape import contiguous
from course.page_torch.tensor import Tensor, cast, replaced, run, whole_numbers


# Sums and the like over axes.
def _type_of_sums(input: Tensor, dtype: Any = None) -> dtypes.NumberType:
    """Return the type that is asked for, or else the input's; whole numbers add up in 64 bits."""
    if dtype:
        return dtypes.as_dtype(dtype)
    return input.dtype if input.dtype.is_floating_point else dtypes.DTYPES["int64"]


@function
def sum_(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the sum over axes."""
    if isinstance(dim, dtypes.NumberType):
        dim, dtype = None, dim
    axes = axes_of(dim, input.ndim)
    result = _type_of_sums(input, dtype)
    return run(lambda x: anp.sum(_in(x, result, input), axis=axes, keepdims=keepdim), input, dtype=result)


def _in(x: Any, dtype: dtypes.NumberType, input: Tensor) -> Any:
    """Return a value in the type of the result; half precision stays as it is computed."""
    return x if dtype is input.dtype else cast(x, dtype)


def _infer(name: str, input: Tensor, dtype: Any = None) -> None:
    if dtype is None and not input.dtype.is_floating_point:
        raise as_torch(
            RuntimeError,
            f"{name}(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {input.dtype.title}",
        )


@function
def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the mean over axes."""
    _infer("mean", input, dtype)
    axes = axes_of(dim, input.ndim)
    result = dtypes.as_dtype(dtype) if dtype else input.dtype
    return run(lambda x: anp.mean(_in(x, result, input), axis=axes, keepdims=keepdim), input, dtype=result)


@function
def prod(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the product over an axis."""
    result = _type_of_sums(input)
    if input.requires_grad and not input.array.all():
        raise unknown("prod of zeros, with a gradient")
    axes = axes_of(dim, input.ndim)
    return run(
        lambda x: anp.prod(_in(x, result, input), axis=axes, keepdims=keepdim),
        input,
        saves="ao",
        dtype=result,
    )


@function
def var(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """Return the variance over axes: divided by one less than their size, if not told otherwise."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if not input.dtype.is_floating_point:
        raise as_torch(RuntimeError, "std and var only support floating point and complex dtypes")
    axes = axes_of(dim, input.ndim)
    less = (1 if unbiased is None else int(unbiased)) if correction is None else correction
    count = product(input.shape if axes is None else [input.shape[axis] for axis in axes])

    def compute(x: Any) -> Any:
        centred = x - anp.mean(x, axis=axes, keepdims=True)
        total = anp.sum(centred * centred, axis=axes, keepdims=keepdim)
        return total / np.asarray(max(count - less, 0), getval(x).dtype)

    return run(compute, input, saves="a")


@function
def std(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """Return the standard deviation over axes."""
    return METHODS["var"](input, dim, unbiased, keepdim, correction=correction).sqrt()


class ValuesAndIndices(tuple):
    """What a function gives that gives two tensors, by name too."""

    names = ("values", "indices")

    def __getattr__(self, name: str) -> Any:
        if name in self.names:
            return self[self.names.index(name)]
        raise as_torch(
            AttributeError, f"'torch.return_types.{type(self).__name__}' object has no attribute '{name}'"
        )


def _pair(name: str, values: Tensor, indices: Any) -> ValuesAndIndices:
    kind = type(name, (ValuesAndIndices,), {"__module__": "torch.return_types", "__qualname__": name})
    return kind((values, whole_numbers(indices)))


def _extreme(name: str, compute: Callable[..., Any], place: Callable[..., Any]) -> None:
    def apply(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        if isinstance(dim, Tensor):
            return METHODS[f"{name}imum"](input, dim)
        if dim is None:
            if not input.numel():
                raise as_torch(
                    RuntimeError,
                    f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.",
                )
            return run(compute, input, saves="ao")
        axis = axis_of(dim, input.ndim)
        indices = np.expand_dims(place(input.array, axis=axis), axis) if input.ndim else np.asarray(0)
        values = _along(input, indices, axis)
        if keepdim or not input.ndim:
            return _pair(name, values, indices)
        return _pair(name, values.squeeze(axis), np.squeeze(indices, axis))

    def over_axes(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
        return run(lambda x: compute(x, axis=axes_of(dim, input.ndim), keepdims=keepdim), input, saves="ao")

    def index(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        if dim is None:
            return whole_numbers(place(input.array))
        axis = axis_of(dim, input.ndim)
        return whole_numbers(place(input.array, axis=axis, keepdims=keepdim) if input.ndim else 0)

    apply.__name__, over_axes.__name__, index.__name__ = name, f"a{name}", f"arg{name}"
    for one in (apply, over_axes, index):
        function(one)


_extreme("max", anp.max, np.argmax)
_extreme("min", anp.min, np.argmin)


def _truth(name: str, compute: Callable[..., Any]) -> None:
    def apply(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        return Tensor(compute(input.array != 0, axis=axes_of(dim, input.ndim), keepdims=keepdim))

    apply.__name__ = name
    function(apply)


_truth("any", np.any)
_truth("all", np.all)


@function
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """Count the numbers that are not zero."""
    return whole_numbers(np.sum(input.array != 0, axis=axes_of(dim, input.ndim)))


@function
def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Return the sums of all numbers up to each."""
    axis = axis_of(dim, input.ndim)
    result = _type_of_sums(input, dtype)
    return run(lambda x: anp.cumsum(_in(x, result, input), axis=axis), input, dtype=result)


@function
def cumprod(input: Tensor, dim: int) -> Tensor:
    """Return the products of all numbers up to each."""
    parts = METHODS["unbind"](input, dim)
    for i in range(1, len(parts)):
        parts = (*parts[:i], parts[i - 1] * parts[i], *parts[i + 1 :])
    return FUNCTIONS["stack"](parts, dim)


def shifted(x: Any, axis: Any) -> Any:
    """Return a value less its maximum along an axis, which is then 0; as it is where that is infinite."""
    largest = np.max(getval(x), axis=axis, keepdims=True)
    return x - largest, largest


@function
def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Return weights that sum to 1 along an axis."""
    input = METHODS["to"](input, dtype) if dtype is not None else input
    axis = axis_of(dim, input.ndim)
    if not input.dtype.is_floating_point:
        last = "softmax_lastdim_kernel_impl" if axis == input.ndim - 1 else "softmax_kernel_impl"
        raise as_torch(NotImplementedError, f"\"{last}\" not implemented for '{input.dtype.title}'")

    def compute(x: Any) -> Any:
        e = anp.exp(shifted(contiguous(x), axis)[0]) if input.ndim else anp.exp(x - x)
        return e / anp.sum(e, axis=axis, keepdims=True) if input.ndim else e

    return run(compute, input, saves="o")


@function
def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Return the logarithm of such weights."""
    input = METHODS["to"](input, dtype) if dtype is not None else input
    axis = axis_of(dim, input.ndim)
    if not input.dtype.is_floating_point:
        raise as_torch(
            NotImplementedError,
            f"\"log_softmax_lastdim_kernel_impl\" not implemented for '{input.dtype.title}'",
        )

    def compute(x: Any) -> Any:
        less = shifted(contiguous(x), axis)[0]
        return less - anp.log(anp.sum(anp.exp(less), axis=axis, keepdims=True))

    return run(compute, input, saves="o")


@function
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """Return the logarithm of the sum of exponentials."""
    axes = axes_of(dim, input.ndim)

    def compute(x: Any) -> Any:
        largest = np.max(getval(x), axis=axes, keepdims=True)
        largest = np.where(np.isinf(largest), np.zeros_like(largest), largest)
        total = anp.log(anp.sum(anp.exp(x - largest), axis=axes, keepdims=True)) + largest
        return total if keepdim else anp.squeeze(total, axis=axes)

    return run(compute, input, saves="ao", dtype=real(input))


@function
def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the length."""
    if p not in ("fro", 1, 2, None):
        raise unknown(f"norm with p={p!r}")
    if not input.dtype.is_floating_point:
        raise as_torch(
            RuntimeError,
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {input.dtype.title}",
        )
    axes = axes_of(dim, input.ndim)
    if p == 1:
        return run(lambda x: anp.sum(anp.abs(x), axis=axes, keepdims=keepdim), input, saves="a")

    def compute(x: Any) -> Any:
        total = anp.sum(x * x, axis=axes, keepdims=keepdim)
        is_zero = getval(total) == 0  # where PyTorch's gradient is 0
        return anp.sqrt(anp.where(is_zero, np.ones_like(getval(total)), total)) * ~is_zero

    return run(compute, input, saves="ao")


# Places.
def _grid(indices: np.ndarray, axis: int) -> tuple[Any, ...]:
    places = list(np.ix_(*map(np.arange, indices.shape)))
    places[axis] = indices
    return tuple(places)


def _along(input: Tensor, indices: np.ndarray, axis: int) -> Tensor:
    if not input.ndim:
        return METHODS["clone"](input)
    return run(lambda x: x[_grid(indices, axis)], input)


def _checked(name: str, input: Tensor, axis: int, index: Tensor) -> np.ndarray:
    tensor_of(name, index, "index", 3)
    if index.dtype.name not in ("int64", "int32"):
        words = (
            f"{name}(): Expected dtype int64 for index"
            if name == "gather"
            else f"{name}(): Expected dtype int32/int64 for index"
        )
        raise as_torch(RuntimeError, words)
    if index.ndim != input.ndim:
        raise as_torch(
            RuntimeError,
            "Index tensor must have the same number of dimensions as input tensor"
            if name == "gather"
            else "Index tensor must have the same number of dimensions as self tensor",
        )
    for place, (n, m) in enumerate(zip(index.shape, input.shape, strict=True)):
        if n > m and place != axis:
            raise as_torch(
                RuntimeError,
                f"Size does not match at dimension {place} expected index {list(index.shape)} to be no larger than self {list(input.shape)} apart from dimension {axis}",
            )
    bad = index.array[(index.array < 0) | (index.array >= input.shape[axis])]
    if bad.size:
        raise as_torch(
            RuntimeError,
            f"index {int(bad[0])} is out of bounds for dimension {axis} with size {input.shape[axis]}",
        )
    return index.array


@function
def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the numbers at these places along an axis."""
    axis = axis_of(dim, input.ndim)
    return _along(input, _checked("gather", input, axis, index), axis)


@function
def take_along_dim(input: Tensor, indices: Tensor, dim: int) -> Tensor:
    """Return the numbers at these places along an axis, repeated where the places need it."""
    axis = axis_of(dim, input.ndim)
    other = tuple(1 if i == axis else n for i, n in enumerate(input.shape))
    shape = broadcast(tuple(1 if i == axis else n for i, n in enumerate(indices.shape)), other)
    index = indices.expand(*(indices.shape[axis] if i == axis else n for i, n in enumerate(shape)))
    return _along(
        input.expand(*(input.shape[axis] if i == axis else n for i, n in enumerate(shape))), index.array, axis
    )


@function
def scatter(input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None) -> Tensor:
    """Put numbers at places along an axis."""
    from_number = value if src is None else src
    axis = axis_of(dim, input.ndim)
    index = index
    places = _checked("scatter", input, axis, index)
    positions = np.arange(input.array.size).reshape(input.shape)[_grid(places, axis)]
    if isinstance(from_number, Tensor) and from_number.ndim:
        if from_number.dtype is not input.dtype:
            raise as_torch(RuntimeError, "scatter(): Expected self.dtype to be equal to src.dtype")
        part = tuple(slice(n) for n in places.shape)
        return run(lambda x, y: _replaced(x, positions, y[part]), input, from_number, dtype=input.dtype)
    number = from_number.item() if isinstance(from_number, Tensor) else from_number
    return run(
        lambda x: _replaced(x, positions, np.full(positions.shape, number, getval(x).dtype)),
        input,
        dtype=input.dtype,
    )


def _replaced(whole: Any, positions: np.ndarray, new: Any) -> Any:
    return replaced(whole, positions, new, repeats=True)


@function
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Add numbers at places along an axis."""
    axis = axis_of(dim, input.ndim)
    places = _checked("scatter_add", input, axis, index)
    if src.dtype is not input.dtype:
        raise as_torch(RuntimeError, "scatter(): Expected self.dtype to be equal to src.dtype")
    flat = np.arange(input.array.size).reshape(input.shape)[_grid(places, axis)].ravel()
    onto = (np.arange(input.array.size)[:, None] == flat).astype(input.dtype.numpy)
    part = src[tuple(slice(n) for n in places.shape)]
    return run(
        lambda x, y: x + anp.reshape(anp.dot(onto.astype(getval(y).dtype), anp.reshape(y, (-1,))), x.shape),
        input,
        part,
    )


@function
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the parts at these places along an axis."""
    return input[(slice(None),) * axis_of(dim, input.ndim) + (index,)]


@function
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """Add parts at places along an axis."""
    axis = axis_of(dim, input.ndim)
    shape = [1] * input.ndim
    shape[axis] = -1
    return METHODS["scatter_add"](input, axis, index.reshape(shape).expand(*source.shape), source * alpha)


@function
def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> ValuesAndIndices:
    """Return the numbers in order along an axis, and their places."""
    axis = axis_of(dim, input.ndim)
    indices = _order(input, axis, descending)
    return _pair("sort", _along(input, indices, axis), indices)


def _order(input: Tensor, axis: int, descending: bool) -> np.ndarray:
    array = input.array
    if not descending:
        return np.argsort(array, axis=axis, kind="stable")
    # Turned round twice, equal numbers stay in their order.
    return array.shape[axis] - 1 - np.flip(np.argsort(np.flip(array, axis), axis=axis, kind="stable"), axis)


@function
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Return the places of the numbers in order."""
    return whole_numbers(_order(input, axis_of(dim, input.ndim), descending))


@function
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> ValuesAndIndices:
    """Return the largest numbers along an axis, and their places."""
    axis = axis_of(dim, input.ndim)
    if not 0 <= k <= (input.shape[axis] if input.ndim else 1):
        raise as_torch(RuntimeError, "selected index k out of range")
    indices = np.take(_order(input, axis, largest), np.arange(k), axis=axis)
    return _pair("topk", _along(input, indices, axis), indices)
