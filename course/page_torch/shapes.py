"""What changes the axes of a tensor."""

from collections.abc import Callable
from math import prod as product
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.tracer import getval

from course.page_torch import dtypes
from course.page_torch.errors import as_torch, public, unknown
from course.page_torch.functions import (
    FUNCTIONS,
    METHODS,
    axes_of,
    axis_of,
    function,
    method,
    sizes_of,
    spread,
    typed,
    whole_size,
)
from course.page_torch.tape import contiguous
from course.page_torch.tensor import EXPANDED, Tensor, run


# Shapes.
def _shape(input: Tensor, sizes: list[int]) -> list[int]:
    if sizes.count(-1) > 1:
        raise as_torch(RuntimeError, "only one dimension can be inferred")
    rest = product(n for n in sizes if n != -1)
    numbers = product(input.shape)
    if (numbers % rest if rest else numbers) if -1 in sizes else rest != numbers:
        raise as_torch(RuntimeError, f"shape '{sizes}' is invalid for input of size {numbers}")
    return [numbers // rest if n == -1 else n for n in sizes]


@method
def view(input: Tensor, *shape: Any, size: Any = None) -> Tensor:
    """Return the same numbers in another shape."""
    if len(shape) == 1 and isinstance(shape[0], dtypes.NumberType):
        raise unknown("Tensor.view of another type")
    sizes = _shape(input, sizes_of(shape if size is None else (size,)))
    looked = input.array.view()
    try:
        looked.shape = tuple(sizes)
    except AttributeError:
        raise as_torch(
            RuntimeError,
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.",
        ) from None
    return input._view(lambda x: anp.reshape(x, tuple(sizes)))


def reshape(input: Tensor, *shape: Any, **more: Any) -> Tensor:
    """Return the same numbers in another shape, copied where they do not lie in order."""
    sizes = _shape(input, sizes_of((more["shape"],) if "shape" in more else shape))
    looked = input.array.view()
    try:
        looked.shape = tuple(sizes)
    except AttributeError:
        return run(lambda x: anp.reshape(x, tuple(sizes)), input)
    return input._view(lambda x: anp.reshape(x, tuple(sizes)))


function(reshape)


@method
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """Return the same numbers in the shape of another."""
    return METHODS["view"](input, *other.shape)


@method
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """Return the same numbers in the shape of another."""
    return METHODS["reshape"](input, *other.shape)


@function
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Make one axis of several."""
    if not input.ndim:
        return METHODS["reshape"](input, 1)
    first, last = axis_of(start_dim, input.ndim), axis_of(end_dim, input.ndim)
    if first > last:
        raise as_torch(RuntimeError, "flatten() has invalid args: start_dim cannot come after end_dim")
    return METHODS["reshape"](
        input, *input.shape[:first], product(input.shape[first : last + 1]), *input.shape[last + 1 :]
    )


@method
def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """Make several axes of one."""
    axis = axis_of(dim, input.ndim)
    return METHODS["reshape"](input, *input.shape[:axis], *sizes, *input.shape[axis + 1 :])


FUNCTIONS["ravel"] = METHODS["ravel"] = public(lambda input: METHODS["flatten"](input))


@function
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Take away axes of size 1."""
    axes = axes_of(dim, input.ndim) if dim is not None else range(input.ndim)
    gone = tuple(axis for axis in axes or () if input.shape[axis] == 1)
    return input._view(lambda x: anp.squeeze(x, axis=gone) if gone else x)


@function
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Add an axis of size 1."""
    axis = axis_of(dim, input.ndim + 1)
    return input._view(lambda x: anp.expand_dims(x, axis))


@function
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap two axes."""
    first, second = axis_of(dim0, input.ndim), axis_of(dim1, input.ndim)
    return input._view(lambda x: anp.swapaxes(x, first, second) if input.ndim else x)


FUNCTIONS["swapaxes"] = METHODS["swapaxes"] = FUNCTIONS["swapdims"] = METHODS["swapdims"] = transpose


@function
def t(input: Tensor) -> Tensor:
    """Swap the axes of a matrix."""
    if input.ndim > 2:
        raise as_torch(RuntimeError, f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return input._view(lambda x: anp.transpose(x))


@function
def permute(input: Tensor, *dims: Any) -> Tensor:
    """Put the axes in another order."""
    order = sizes_of(dims)
    if len(order) != input.ndim:
        raise as_torch(
            RuntimeError,
            f"permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = {len(order)}",
        )
    axes = axes_of(order, input.ndim)
    return input._view(lambda x: anp.transpose(x, axes))


@function
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Move axes to other places."""
    return input._view(lambda x: anp.moveaxis(x, source, destination))


@method
def expand(input: Tensor, *sizes: Any) -> Tensor:
    """Repeat axes of size 1, without a copy."""
    new = sizes_of(sizes)
    old = [1] * (len(new) - input.ndim) + list(input.shape)
    if len(new) < input.ndim:
        raise as_torch(
            RuntimeError,
            f"expand(torch.{input.dtype.title}Tensor{{{list(input.shape)}}}, size={new}): the number of sizes provided ({len(new)}) must be greater or equal to the number of dimensions in the tensor ({input.ndim})",
        )
    target = [m if n == -1 else n for n, m in zip(new, old, strict=True)]
    for axis, (n, m) in enumerate(zip(target, old, strict=True)):
        if m not in (1, n):
            raise as_torch(
                RuntimeError, EXPANDED.format(new=n, old=m, axis=axis, sizes=new, old_sizes=list(input.shape))
            )
    return input._view(lambda x: spread(x, tuple(target)))


@method
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """Repeat axes of size 1, as another has them."""
    return METHODS["expand"](input, *other.shape)


FUNCTIONS["broadcast_to"] = METHODS["broadcast_to"] = public(
    lambda input, size: METHODS["expand"](input, size)
)


@method
def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """Put copies side by side along each axis."""
    counts = sizes_of(repeats)
    if len(counts) < input.ndim:
        raise as_torch(
            RuntimeError,
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
        )
    return run(lambda x: anp.tile(x, tuple(counts)), input)


@function
def tile(input: Tensor, *dims: Any) -> Tensor:
    """Put copies side by side along the last axes."""
    counts = sizes_of(dims)
    return METHODS["repeat"](input, *[1] * (input.ndim - len(counts)), *counts)


@function
def repeat_interleave(input: Tensor, repeats: Any, dim: Any = None) -> Tensor:
    """Repeat each number, or each part along an axis."""
    if dim is None:
        input, dim = METHODS["flatten"](input), 0
    axis = axis_of(dim, input.ndim)
    counts = repeats.array if isinstance(repeats, Tensor) else repeats
    places = np.repeat(np.arange(input.shape[axis]), counts)
    return METHODS["index_select"](input, axis, Tensor(places))


@function
def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Join tensors along an axis."""
    tensors = _listed("cat", tensors)
    if not tensors:
        raise as_torch(RuntimeError, "torch.cat(): expected a non-empty list of Tensors")
    tensors = [one for one in tensors if one.shape != (0,)] or tensors[:1]
    axis = axis_of(dim, tensors[0].ndim)
    for i, one in enumerate(tensors):
        if not one.ndim:
            raise as_torch(RuntimeError, f"zero-dimensional tensor (at position {i}) cannot be concatenated")
        if one.ndim != tensors[0].ndim:
            raise as_torch(
                RuntimeError,
                f"Tensors must have same number of dimensions: got {tensors[0].ndim} and {one.ndim}",
            )
        for place, (m, n) in enumerate(zip(tensors[0].shape, one.shape, strict=True)):
            if place != axis and m != n:
                raise as_torch(
                    RuntimeError,
                    f"Sizes of tensors must match except in dimension {axis}. Expected size {m} but got size {n} for tensor number {i} in the list.",
                )
    return _joined(lambda *values: anp.concatenate(values, axis=axis), tensors)


def _listed(name: str, tensors: Any) -> list[Tensor]:
    if isinstance(tensors, Tensor) or not isinstance(tensors, tuple | list):
        raise as_torch(
            TypeError,
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}",
        )
    for i, one in enumerate(tensors):
        if not isinstance(one, Tensor):
            raise as_torch(
                TypeError, f"expected Tensor as element {i} in argument 0, but got {type(one).__name__}"
            )
    return list(tensors)


def _joined(compute: Callable[..., Any], tensors: list[Tensor]) -> Tensor:
    common = tensors[0].dtype
    for one in tensors[1:]:
        common = dtypes.promoted(common, one.dtype)
    inner = np.dtype("float32") if common.name == "float16" else common.numpy
    return run(lambda *values: compute(*(typed(value, inner) for value in values)), *tensors, dtype=common)


@function
def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Join tensors along a new axis."""
    tensors = _listed("stack", tensors)
    if not tensors:
        raise as_torch(RuntimeError, "stack expects a non-empty TensorList")
    for i, one in enumerate(tensors):
        if one.shape != tensors[0].shape:
            raise as_torch(
                RuntimeError,
                f"stack expects each tensor to be equal size, but got {list(tensors[0].shape)} at entry 0 and {list(one.shape)} at entry {i}",
            )
    axis = axis_of(dim, tensors[0].ndim + 1)
    return _joined(
        lambda *values: anp.concatenate([anp.expand_dims(value, axis) for value in values], axis=axis),
        tensors,
    )


for _name in ("cat", "stack"):
    METHODS.pop(_name)
FUNCTIONS["concat"] = FUNCTIONS["concatenate"] = cat


@method
def split(input: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Cut along an axis into parts of a size, or of several sizes."""
    axis = axis_of(dim, input.ndim)
    size = input.shape[axis]
    if isinstance(split_size, tuple | list):
        sizes = sizes_of(tuple(split_size))
        if sum(sizes) != size:
            raise as_torch(
                RuntimeError,
                f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at dimension {axis}), but got split_sizes={sizes}",
            )
    else:
        sizes = [min(whole_size(split_size), size - i) for i in range(0, size, split_size)]
    ends = np.cumsum(sizes).tolist()
    return tuple(METHODS["narrow"](input, axis, end - n, n) for n, end in zip(sizes, ends, strict=True))


FUNCTIONS["split"] = public(
    lambda tensor, split_size_or_sections, dim=0: METHODS["split"](tensor, split_size_or_sections, dim)
)


@function
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Cut along an axis into so many parts."""
    if chunks <= 0:
        raise as_torch(RuntimeError, f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    return METHODS["split"](input, -(-input.shape[axis_of(dim, input.ndim)] // chunks), dim)


@function
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Return a part along an axis."""
    axis = axis_of(dim, input.ndim)
    return input._view(lambda x: x[(slice(None),) * axis + (slice(start, start + length),)])


@function
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Return one part along an axis."""
    return input[(slice(None),) * axis_of(dim, input.ndim) + (index,)]


@function
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return all parts along an axis."""
    axis = axis_of(dim, input.ndim)
    return tuple(METHODS["select"](input, axis, i) for i in range(input.shape[axis]))


@function
def flip(input: Tensor, *dims: Any) -> Tensor:
    """Turn axes round."""
    axes = axes_of(sizes_of(dims), input.ndim)
    step = tuple(slice(None, None, -1) if axis in (axes or ()) else slice(None) for axis in range(input.ndim))
    return run(lambda x: contiguous(x[step]), input)


@function
def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """Move along axes; what leaves at the end comes in at the front."""
    if isinstance(shifts, tuple | list) and not isinstance(dims, tuple | list):
        raise unknown("roll with several shifts")
    if isinstance(dims, tuple | list):
        pairs = zip([shifts] if isinstance(shifts, int) else shifts, dims, strict=True)
        for shift, dim in pairs:
            input = METHODS["roll"](input, shift, dim)
        return input
    axis = None if dims is None else axis_of(dims, input.ndim)
    return run(lambda x: anp.roll(x, shifts, axis=axis), input)


def _triangle(name: str, compute: Callable[..., Any]) -> None:
    def apply(input: Tensor, diagonal: int = 0) -> Tensor:
        if input.ndim < 2:
            raise as_torch(RuntimeError, f"{name}: input tensor must have at least 2 dimensions")
        mask = compute(np.ones(input.shape[-2:], bool), diagonal)
        return run(lambda x: anp.where(mask, x, np.zeros((), getval(x).dtype)), input)

    apply.__name__ = name
    function(apply)


_triangle("tril", np.tril)
_triangle("triu", np.triu)


@function
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Return the diagonals of two axes, as a last axis."""
    first, second = axis_of(dim1, input.ndim), axis_of(dim2, input.ndim)
    rest = [axis for axis in range(input.ndim) if axis not in (first, second)]
    rows = max(min(input.shape[first] + min(offset, 0), input.shape[second] - max(offset, 0)), 0)
    places = np.arange(rows)
    row, column = places - min(offset, 0), places + max(offset, 0)
    flat = row * input.shape[second] + column

    def compute(x: Any) -> Any:
        last = anp.transpose(x, [*rest, first, second])
        return anp.reshape(last, (*last.shape[:-2], -1))[..., flat]

    return input._view(compute)


@function
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return a matrix with this diagonal, or the diagonal of a matrix."""
    return run(lambda x: anp.diag(x, k=diagonal), input)


@function
def diag_embed(input: Tensor, offset: int = 0) -> Tensor:
    """Return matrices with these diagonals."""
    if offset:
        raise unknown("diag_embed with offset")
    return input.unsqueeze(-1) * Tensor(np.eye(input.shape[-1], dtype=input.dtype.numpy))
