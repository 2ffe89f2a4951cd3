"""Sums and the like over axes, and along them."""

from collections.abc import Callable
from math import prod as product
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.tracer import getval

from course.page_torch import dtypes
from course.page_torch.arguments import FUNCTIONS, axes_of, axis_of, function
from course.page_torch.errors import public, require, unknown
from course.page_torch.tape import copied
from course.page_torch.tensor import Tensor, run, typed, whole_numbers


def _over_axes(name: str, compute: Callable[..., Any], saves: str = "") -> None:
    def apply(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
        usual = input.dtype if input.dtype.is_floating_point else dtypes.LONG
        result = dtypes.as_dtype(dtype, usual)
        require(name != "mean" or result.is_floating_point, "mean_dtype", input.dtype.title)
        if name == "prod" and input.requires_grad and not input.array.all():
            raise unknown("prod of zeros, with a gradient")
        axes = axes_of(dim, input.ndim)

        def over_axes(x: Any) -> Any:
            return compute(typed(x, result), axis=axes, keepdims=keepdim)

        return run(over_axes, input, saves=saves, dtype=result)

    function(apply, name)


_over_axes("sum", anp.sum)
_over_axes("mean", anp.mean)
_over_axes("prod", anp.prod, "ao")


@function
def var(
    input: Tensor, dim: Any = None, unbiased: Any = True, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """Return the variance over axes: divided by one less than their size, if not told otherwise."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    require(input.dtype.is_floating_point, "var_dtype")
    axes = axes_of(dim, input.ndim)
    less = int(unbiased) if correction is None else correction
    count = product(input.shape if axes is None else [input.shape[axis] for axis in axes])

    def compute(x: Any) -> Any:
        centred = x - anp.mean(x, axis=axes, keepdims=True)
        total = anp.sum(centred * centred, axis=axes, keepdims=keepdim)
        return total / max(count - less, 0)

    return run(compute, input, saves="a", dtype=input.dtype)


function(lambda input, *arguments, **more: input.var(*arguments, **more).sqrt(), "std")


class ValuesAndIndices(tuple):
    """What a function gives that gives two tensors, by name too."""

    names = ("values", "indices")

    def __getattr__(self, name: str) -> Any:
        require(name in self.names, "attribute", f"torch.return_types.{type(self).__name__}", name)
        return self[self.names.index(name)]


def values_and_indices(name: str, values: Tensor, indices: Tensor) -> ValuesAndIndices:
    """Return values with their places, as a function of this name does."""
    kind = type(name, (ValuesAndIndices,), {"__module__": "torch.return_types", "__qualname__": name})
    return kind((values, indices))


def _extreme(name: str, compute: Callable[..., Any], place: Callable[..., Any]) -> None:
    def apply(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        if isinstance(dim, Tensor):
            return getattr(input, f"{name}imum")(dim)
        if dim is None:
            return run(compute, input, saves="ao")
        axis = axis_of(dim, input.ndim)
        if not input.ndim:
            return values_and_indices(name, input.clone(), whole_numbers(0))
        indices = whole_numbers(place(input.array, axis=axis, keepdims=True))
        values = input.gather(axis, indices)
        if keepdim:
            return values_and_indices(name, values, indices)
        return values_and_indices(name, values.squeeze(axis), indices.squeeze(axis))

    def over_axes(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
        return run(lambda x: compute(x, axis=axes_of(dim, input.ndim), keepdims=keepdim), input, saves="ao")

    def index(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        if dim is None or not input.ndim:
            return whole_numbers(place(input.array))
        return whole_numbers(place(input.array, axis=axis_of(dim, input.ndim), keepdims=keepdim))

    function(apply, name)
    function(over_axes, f"a{name}")
    function(index, f"arg{name}")


_extreme("max", anp.max, np.argmax)
_extreme("min", anp.min, np.argmin)


def _truth(name: str, compute: Callable[..., Any]) -> None:
    def apply(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        return Tensor(compute(input.array != 0, axis=axes_of(dim, input.ndim), keepdims=keepdim))

    function(apply, name)


_truth("any", np.any)
_truth("all", np.all)
function(lambda input, dim=None: (input != 0).sum(dim), "count_nonzero")


# Along an axis.
@function
def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Return the sums of all numbers up to each."""
    axis = axis_of(dim, input.ndim)
    result = dtypes.as_dtype(dtype, input.dtype if input.dtype.is_floating_point else dtypes.LONG)
    return run(lambda x: anp.cumsum(typed(x, result), axis=axis), input, dtype=result)


@function
def cumprod(input: Tensor, dim: int) -> Tensor:
    """Return the products of all numbers up to each."""
    first, *others = input.unbind(dim)
    products = [first]
    for one in others:
        products.append(products[-1] * one)
    return FUNCTIONS["stack"](products, dim)


def _weights(name: str, compute: Callable[..., Any]) -> None:
    def apply(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
        input = input.to(dtypes.as_dtype(dtype, input.dtype))
        axis = axis_of(dim, input.ndim)
        place = "_lastdim" if axis == input.ndim - 1 or name == "log_softmax" else ""
        is_real = input.dtype.is_floating_point
        require(is_real, "not_implemented", f"{name}{place}_kernel_impl", input.dtype.title)
        if not input.ndim:
            return FUNCTIONS[name](input.reshape(1), 0).reshape(())

        def along(x: Any) -> Any:
            less = copied(x, "C") - np.max(getval(x), axis=axis, keepdims=True, initial=-np.inf)
            return compute(less, anp.sum(anp.exp(less), axis=axis, keepdims=True))

        return run(along, input, saves="o")

    function(apply, name)


_weights("softmax", lambda less, total: anp.exp(less) / total)
_weights("log_softmax", lambda less, total: less - anp.log(total))


@function
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """Return the logarithm of the sum of exponentials."""
    axes = axes_of(dim, input.ndim)
    if not input.dtype.is_floating_point:
        raise unknown("logsumexp of whole numbers")

    def compute(x: Any) -> Any:
        largest = np.max(getval(x), axis=axes, keepdims=True)
        largest = np.where(np.isinf(largest), np.zeros_like(largest), largest)
        total = anp.log(anp.sum(anp.exp(x - largest), axis=axes, keepdims=True)) + largest
        return total if keepdim else anp.squeeze(total, axis=axes)

    return run(compute, input, saves="ao")


@function
def norm(input: Tensor, p: Any = 2, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the length."""
    if p not in ("fro", 1, 2, None):
        raise unknown(f"norm with p={p!r}")
    require(input.dtype.is_floating_point, "norm_dtype", input.dtype.title)
    axes = axes_of(dim, input.ndim)
    if p == 1:
        return input.abs().sum(dim, keepdim)

    def compute(x: Any) -> Any:
        total = anp.sum(x * x, axis=axes, keepdims=keepdim)
        is_zero = getval(total) == 0  # where PyTorch's gradient is 0
        return anp.sqrt(anp.where(is_zero, np.ones_like(getval(total)), total)) * ~is_zero

    return run(compute, input, saves="ao")


@public
def linalg_norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the length of vectors; of matrices only the root of the sum of all squares."""
    if ord is not None and not isinstance(dim, int):
        raise unknown("linalg.norm of a matrix")
    return A.norm(2 if ord is None else ord, dim, keepdim)


@public
def vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the length of vectors."""
    return x.norm(ord, dim, keepdim)
