"""Places along an axis: what is read and written at indices, and what is in order."""

from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.tracer import getval

from course.page_torch.arguments import FUNCTIONS, axis_of, broadcast, function, require_tensor
from course.page_torch.errors import as_torch, require, unknown
from course.page_torch.reductions import ValuesAndIndices, values_and_indices
from course.page_torch.tensor import Tensor, replaced, run, spread, typed, whole_numbers


def _grid(name: str, input: Tensor, axis: int, index: Tensor) -> tuple[Any, ...]:
    """Return indices of all axes with these along one, after a look at whether they fit."""
    require_tensor(index, name, "index", 3)
    type_words, tensor_words = ("int64", "input") if name == "gather" else ("int32/int64", "self")
    require(index.dtype.name in ("int64", "int32"), "index_dtype", name, type_words)
    require(index.ndim == input.ndim, "index_axes", tensor_words)
    places = index.array
    bad = places[(places < 0) | (places >= input.shape[axis])]
    if bad.size:
        raise as_torch("index_outside", int(bad[0]), axis, input.shape[axis])
    return tuple(places if i == axis else one for i, one in enumerate(np.ix_(*map(np.arange, index.shape))))


@function
def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the numbers at these places along an axis."""
    grid = _grid("gather", input, axis_of(dim, input.ndim), index)
    return run(lambda x: x[grid], input)


@function
def take_along_dim(input: Tensor, indices: Tensor, dim: int) -> Tensor:
    """Return the numbers at these places along an axis, repeated where the places need it."""
    axis = axis_of(dim, input.ndim)
    a, b = ([1 if i == axis else n for i, n in enumerate(one.shape)] for one in (input, indices))
    shape = [-1 if i == axis else n for i, n in enumerate(broadcast(tuple(a), tuple(b)))]
    return input.expand(shape).gather(axis, indices.expand(shape))


def _positions(input: Tensor, grid: tuple[Any, ...]) -> np.ndarray:
    return np.arange(input.array.size).reshape(input.shape)[grid]


@function
def scatter(input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None) -> Tensor:
    """Put numbers at places along an axis."""
    source = value if src is None else src
    positions = _positions(input, _grid("scatter", input, axis_of(dim, input.ndim), index))
    if isinstance(source, Tensor) and source.ndim:
        require(source.dtype is input.dtype, "scatter_dtype")
        source = source[tuple(map(slice, positions.shape))]

    def put(x: Any, y: Any) -> Any:
        return replaced(x, positions, spread(typed(y, input.dtype), positions.shape))

    return run(put, input, source, dtype=input.dtype)


@function
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Add numbers at places along an axis."""
    positions = _positions(input, _grid("scatter_add", input, axis_of(dim, input.ndim), index))
    require(src.dtype is input.dtype, "scatter_dtype")
    onto = np.arange(input.array.size)[:, None] == positions.ravel()

    def add(x: Any, y: Any) -> Any:
        return x + anp.reshape(anp.dot(onto.astype(getval(y).dtype), anp.reshape(y, (-1,))), x.shape)

    return run(add, input, src[tuple(map(slice, positions.shape))])


@function
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Put the mean, or the largest, of the numbers that go to a place along an axis there."""
    if (reduce, include_self) == ("mean", False):
        counts = FUNCTIONS["zeros_like"](input).scatter_add(dim, index, FUNCTIONS["ones_like"](src))
        return input.masked_fill(counts > 0, 0).scatter_add(dim, index, src) / counts.clamp(min=1)
    if (reduce, include_self) != ("amax", True):
        raise unknown(f"scatter_reduce with {reduce!r}")
    positions = _positions(input, _grid("scatter_reduce", input, axis_of(dim, input.ndim), index))
    onto = np.arange(input.array.size)[:, None] == positions.ravel()

    def largest(x: Any, y: Any) -> Any:
        rows = anp.where(onto, spread(anp.reshape(y, (-1,)), onto.shape), -np.inf)
        return anp.reshape(anp.max(anp.hstack([anp.reshape(x, (-1, 1)), rows]), axis=1), x.shape)

    return run(largest, input, src[tuple(map(slice, positions.shape))], saves="ab", dtype=input.dtype)


# In order.
def _order(input: Tensor, axis: int, is_descending: bool) -> np.ndarray:
    array = input.array
    if not is_descending:
        return np.argsort(array, axis=axis, kind="stable")
    # Turned round twice, equal numbers stay in their order.
    return array.shape[axis] - 1 - np.flip(np.argsort(np.flip(array, axis), axis=axis, kind="stable"), axis)


@function
def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> ValuesAndIndices:
    """Return the numbers in order along an axis, and their places."""
    axis = axis_of(dim, input.ndim)
    indices = whole_numbers(_order(input, axis, descending))
    return values_and_indices("sort", input.gather(axis, indices), indices)


@function
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> ValuesAndIndices:
    """Return the largest numbers along an axis, and their places."""
    axis = axis_of(dim, input.ndim)
    require(0 <= k <= input.shape[axis], "topk")
    indices = whole_numbers(np.take(_order(input, axis, largest), np.arange(k), axis=axis))
    return values_and_indices("topk", input.gather(axis, indices), indices)


function(lambda input, *arguments, **more: input.sort(*arguments, **more).indices, "argsort")
