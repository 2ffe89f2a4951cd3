"""Indices: what PyTorch does with them before NumPy does the rest."""

from typing import Any

import numpy as np

from course.page_torch.errors import as_torch, unknown


def _as_index(one: Any) -> Any:
    if isinstance(one, list | range):
        one = np.asarray([_as_index(part) for part in one], dtype=None if len(one) else np.int64)
    if hasattr(one, "requires_grad"):
        one = one.array
        if one.dtype.kind not in "ib":
            raise as_torch(IndexError, "tensors used as indices must be long, int, byte or bool tensors")
        if one.ndim == 0 and one.dtype.kind == "i":
            return int(one)
    if isinstance(one, bool | np.bool_) or (isinstance(one, np.ndarray) and one.ndim == 0):
        raise unknown("Tensor, indexed with one bool")
    if isinstance(one, slice):
        parts = [None if p is None else int(p) for p in (one.start, one.stop, one.step)]
        if parts[2] is not None and parts[2] <= 0:
            raise as_torch(ValueError, "step must be greater than zero")
        return slice(*parts)
    if isinstance(one, np.integer):
        return int(one)
    if one is None or one is Ellipsis or isinstance(one, int | np.ndarray):
        return one
    raise unknown(f"Tensor, indexed with {type(one).__name__}")


def _axes(one: Any) -> int:
    if one is None or one is Ellipsis:
        return 0
    return int(one.ndim) if isinstance(one, np.ndarray) and one.dtype == bool else 1


def basic_and_advanced(index: Any, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Return an index in two: numbers and slices, which give a view, and then arrays, which choose. None for no arrays.

    PyTorch takes numbers first; NumPy takes a number beside an array for one more array.
    """
    parts = [_as_index(one) for one in (index if isinstance(index, tuple) else (index,))]
    missing = len(shape) - sum(map(_axes, parts))
    if missing < 0:
        raise as_torch(IndexError, f"too many indices for tensor of dimension {len(shape)}")
    if not any(one is Ellipsis for one in parts):
        parts.append(Ellipsis)
    place = next(i for i, one in enumerate(parts) if one is Ellipsis)
    parts[place : place + 1] = [slice(None)] * missing
    basic: list[Any] = []
    advanced: list[Any] = []
    axis = 0
    for one in parts:
        size = shape[axis] if one is not None and axis < len(shape) else 0
        if isinstance(one, np.ndarray):
            _refuse_outside(one, axis, shape)
            basic += [slice(None)] * _axes(one)
            advanced.append(one)
        else:
            if isinstance(one, int):
                if not -size <= one < size:
                    raise as_torch(
                        IndexError, f"index {one} is out of bounds for dimension {axis} with size {size}"
                    )
            else:
                advanced.append(slice(None))
            basic.append(one)
        axis += _axes(one)
    has_arrays = any(isinstance(one, np.ndarray) for one in advanced)
    return tuple(basic), tuple(advanced) if has_arrays else None


def _refuse_outside(one: np.ndarray, axis: int, shape: tuple[int, ...]) -> None:
    if one.dtype == bool:
        if one.shape != shape[axis : axis + one.ndim]:
            raise as_torch(
                IndexError,
                f"The shape of the mask {list(one.shape)} at index {axis} does not match the shape of the indexed tensor {list(shape)} at index {axis}",
            )
        return
    outside = one[(one < -shape[axis]) | (one >= shape[axis])]
    if outside.size:
        raise as_torch(
            IndexError,
            f"index {int(outside[0])} is out of bounds for dimension {axis} with size {shape[axis]}",
        )
