"""What changes the axes of a tensor: views, copies side by side, and parts."""

from collections.abc import Callable
from math import prod as product
from typing import Any

import autograd.numpy as anp
import numpy as np

from course.page_torch import dtypes
from course.page_torch.arguments import (
    axes_of,
    axis_of,
    function,
    in_torch,
    method,
    on_values,
    register,
    seen_along,
    sizes_of,
    whole_size,
)
from course.page_torch.errors import require, unknown
from course.page_torch.tape import copied
from course.page_torch.tensor import Tensor, run, spread, typed, whole_numbers


# The same numbers in another shape.
def _sizes(input: Tensor, sizes: list[int]) -> tuple[int, ...]:
    require(sizes.count(-1) < 2, "inferred_twice")
    rest = product(n for n in sizes if n != -1)
    numbers = product(input.shape)
    fits = rest == numbers if -1 not in sizes else rest and numbers % rest == 0
    require(fits, "reshaped", sizes, numbers)
    return tuple(numbers // rest if n == -1 else n for n in sizes)


def _shares(array: np.ndarray, sizes: tuple[int, ...]) -> bool:
    array = array.view()
    try:
        array.shape = sizes
    except AttributeError:
        return False
    return True


@method
def view(input: Tensor, *shape: Any) -> Tensor:
    """Return the same numbers in another shape."""
    sizes = _sizes(input, sizes_of(shape))
    require(_shares(input.array, sizes), "view")
    return input._view(lambda x: anp.reshape(x, sizes))


@function
def reshape(input: Tensor, *sizes: Any, shape: Any = None) -> Tensor:
    """Return the same numbers in another shape, copied where they do not lie in order."""
    new = _sizes(input, sizes_of(sizes if shape is None else (shape,)))
    if _shares(input.array, new):
        return input._view(lambda x: anp.reshape(x, new))
    return run(lambda x: anp.reshape(x, new), input)


@function
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Make one axis of several."""
    first, last = axis_of(start_dim, input.ndim), axis_of(end_dim, input.ndim)
    require(first <= last, "flatten")
    shape = input.shape
    return input.reshape(*shape[:first], product(shape[first : last + 1]), *shape[last + 1 :])


@method
def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """Make several axes of one."""
    axis = axis_of(dim, input.ndim)
    return input.reshape(*input.shape[:axis], *sizes, *input.shape[axis + 1 :])


# Other views: each a function of the array along which it is seen.
def _squeeze(x: Any, dim: Any = None) -> Any:
    axes = range(x.ndim) if dim is None else axes_of(dim, x.ndim) or ()
    return anp.squeeze(x, axis=tuple(axis for axis in axes if x.shape[axis] == 1))


def _transpose(x: Any, dim0: int, dim1: int) -> Any:
    first, second = axis_of(dim0, x.ndim), axis_of(dim1, x.ndim)
    return anp.swapaxes(x, first, second) if x.ndim else x


def _t(x: Any) -> Any:
    require(x.ndim <= 2, "t", x.ndim)
    return anp.transpose(x)


def _permute(x: Any, *dims: Any) -> Any:
    order = sizes_of(dims)
    require(len(order) == x.ndim, "permute", x.ndim, len(order))
    return anp.transpose(x, axes_of(order, x.ndim))


def _diagonal(x: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    axes = [axis_of(dim1, x.ndim), axis_of(dim2, x.ndim)]
    rest = [axis for axis in range(x.ndim) if axis not in axes]
    m, n = (x.shape[axis] for axis in axes)
    rows = np.arange(max(min(m + min(offset, 0), n - max(offset, 0)), 0))
    places = (rows - min(offset, 0)) * n + rows + max(offset, 0)
    last = anp.transpose(x, [*rest, *axes])
    return anp.reshape(last, (*last.shape[:-2], m * n))[..., places]


def _expand(x: Any, *sizes: Any) -> Any:
    new, shape = sizes_of(sizes), [*x.shape]
    old = [1] * (len(new) - len(shape)) + shape
    target = [m if n == -1 else n for n, m in zip(new, old, strict=True)]
    for axis, (n, m) in enumerate(zip(target, old, strict=True)):
        require(m in (1, n), "expanded", n, m, axis, new, shape)
    return spread(x, tuple(target))


# Copies: each a function of the array.
def _repeat(x: Any, *repeats: Any) -> Any:
    counts = sizes_of(repeats)
    require(len(counts) >= x.ndim, "repeat")
    return anp.tile(x, tuple(counts))


def _tile(x: Any, *dims: Any) -> Any:
    counts = sizes_of(dims)
    return anp.tile(x, (1,) * (x.ndim - len(counts)) + tuple(counts))


def _flip(x: Any, *dims: Any) -> Any:
    axes = axes_of(sizes_of(dims), x.ndim) or ()
    step = tuple(slice(None, None, -1) if axis in axes else slice(None) for axis in range(x.ndim))
    return copied(x[step], "C")


def _roll(x: Any, shifts: Any, dims: Any = None) -> Any:
    axes = axes_of(dims, x.ndim)
    if axes is not None and len(axes) != np.size(shifts):
        raise unknown("roll of other shifts than axes")
    return anp.roll(x, np.asarray(shifts), axis=axes)


def _triangle(compute: Callable[..., Any]) -> Callable[..., Any]:
    def masked(x: Any, diagonal: int = 0) -> Any:
        require(x.ndim >= 2, "triangle", compute.__name__)
        return anp.where(compute(np.ones(x.shape[-2:], bool), diagonal), x, np.zeros((), x.dtype))

    return on_values(masked)


@function
def repeat_interleave(input: Tensor, repeats: Any, dim: Any = None) -> Tensor:
    """Repeat each number, or each part along an axis."""
    if dim is None:
        input, dim = input.flatten(), 0
    counts = repeats.array if isinstance(repeats, Tensor) else repeats
    places = np.repeat(np.arange(input.shape[axis_of(dim, input.ndim)]), counts)
    return input.index_select(dim, whole_numbers(places))


# Joined.
def _listed(name: str, tensors: Any) -> list[Tensor]:
    require(isinstance(tensors, tuple | list), "no_tensors", name, type(tensors).__name__)
    for i, one in enumerate(tensors):
        require(isinstance(one, Tensor), "element", i, type(one).__name__)
    return list(tensors)


def _join(tensors: list[Tensor], axis: int) -> Tensor:
    common = tensors[0].dtype
    for one in tensors[1:]:
        common = dtypes.promoted(common, one.dtype)

    def join(*values: Any) -> Any:
        return anp.concatenate([typed(value, common) for value in values], axis=axis)

    return run(join, *tensors, dtype=common)


@in_torch
def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Join tensors along an axis."""
    tensors = _listed("cat", tensors)
    tensors = [one for one in tensors if one.shape != (0,)] or tensors[:1]
    first = tensors[0]
    axis = axis_of(dim, first.ndim)
    for i, one in enumerate(tensors):
        require(one.ndim == first.ndim, "cat_axes", first.ndim, one.ndim)
        for place, (m, n) in enumerate(zip(first.shape, one.shape, strict=True)):
            require(place == axis or m == n, "cat_sizes", axis, m, n, i)
    return _join(tensors, axis)


@in_torch
def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Join tensors along a new axis."""
    tensors = _listed("stack", tensors)
    first = tensors[0]
    for i, one in enumerate(tensors):
        require(one.shape == first.shape, "stack_sizes", [*first.shape], [*one.shape], i)
    return _join([one.unsqueeze(dim) for one in tensors], axis_of(dim, first.ndim + 1))


# Parts.
@method
def split(input: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Cut along an axis into parts of a size, or of several sizes."""
    axis = axis_of(dim, input.ndim)
    size = input.shape[axis]
    if isinstance(split_size, tuple | list):
        sizes = sizes_of((split_size,))
        require(sum(sizes) == size, "split_sizes", size, axis, sizes)
    else:
        sizes = [min(whole_size(split_size), size - i) for i in range(0, size, split_size)]
    ends = np.cumsum(sizes).tolist()
    return tuple(input.narrow(axis, end - n, n) for n, end in zip(sizes, ends, strict=True))


@function
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Return a part along an axis."""
    if not 0 <= start <= start + length <= input.shape[axis_of(dim, input.ndim)]:
        raise unknown("narrow beyond the end")
    return input.select(dim, slice(start, start + length))


register(
    method,
    {
        "expand": seen_along(_expand),
        "repeat": on_values(_repeat),
        "view_as": lambda input, other: input.view(other.shape),
        "reshape_as": lambda input, other: input.reshape(other.shape),
        "expand_as": lambda input, other: input.expand(other.shape),
    },
)
register(
    function,
    {
        "squeeze": seen_along(_squeeze),
        "unsqueeze": seen_along(lambda x, dim: anp.expand_dims(x, axis_of(dim, x.ndim + 1))),
        "transpose": seen_along(_transpose),
        "swapaxes": seen_along(_transpose),
        "t": seen_along(_t),
        "permute": seen_along(_permute),
        "movedim": seen_along(anp.moveaxis),
        "diagonal": seen_along(_diagonal),
        "ravel": lambda input: input.flatten(),
        "broadcast_to": lambda input, size: input.expand(size),
        "tile": on_values(_tile),
        "flip": on_values(_flip),
        "roll": on_values(_roll),
        "tril": _triangle(np.tril),
        "triu": _triangle(np.triu),
        "diag": on_values(lambda x, diagonal=0: anp.diag(x, k=diagonal)),
        "diag_embed": lambda input: (
            input.unsqueeze(-1) * Tensor(np.eye(input.size(-1), dtype=input.dtype.numpy))
        ),
        "select": lambda input, dim, index: input[(slice(None),) * axis_of(dim, input.ndim) + (index,)],
        "index_select": lambda input, dim, index: input.select(dim, index),
        "unbind": lambda input, dim=0: tuple(input.select(dim, i) for i in range(input.size(dim))),
        "chunk": lambda input, chunks, dim=0: input.split(-(-input.size(dim) // chunks), dim),
    },
)
register(
    in_torch,
    {
        "split": lambda tensor, split_size_or_sections, dim=0: tensor.split(split_size_or_sections, dim),
        "concat": cat,
        "concatenate": cat,
    },
)
