"""Indices: what PyTorch does with them before NumPy does the rest."""

from typing import Any

import numpy as np

from course.page_torch.errors import as_torch, require, unknown


def _as_index(one: Any) -> Any:
    if isinstance(one, list | range):
        one = np.asarray([_as_index(part) for part in one], dtype=None if len(one) else np.int64)
    if hasattr(one, "requires_grad"):
        one = one.array
        require(one.dtype.kind in "ib", "indices_dtype")
    if isinstance(one, np.ndarray | np.integer) and one.ndim == 0 and one.dtype.kind == "i":
        return int(one)
    if isinstance(one, bool | np.bool_) or (isinstance(one, np.ndarray) and one.ndim == 0):
        raise unknown("Tensor, indexed with one bool")
    if isinstance(one, slice):
        start, stop, step = (None if p is None else int(p) for p in (one.start, one.stop, one.step))
        require(step is None or step > 0, "slice_step")
        return slice(start, stop, step)
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
    require(missing >= 0, "many_indices", len(shape))
    if not any(one is Ellipsis for one in parts):
        parts.append(Ellipsis)
    place = next(i for i, one in enumerate(parts) if one is Ellipsis)
    parts[place : place + 1] = [slice(None)] * missing
    basic: list[Any] = []
    advanced: list[Any] = []
    axis = 0
    for one in parts:
        if isinstance(one, np.ndarray):
            _refuse_outside(one, axis, shape)
            basic += [slice(None)] * _axes(one)
            advanced.append(one)
        else:
            if isinstance(one, int):
                require(-shape[axis] <= one < shape[axis], "outside", one, axis, shape[axis])
            else:
                advanced.append(slice(None))
            basic.append(one)
        axis += _axes(one)
    has_arrays = any(isinstance(one, np.ndarray) for one in advanced)
    return tuple(basic), tuple(advanced) if has_arrays else None


def _refuse_outside(one: np.ndarray, axis: int, shape: tuple[int, ...]) -> None:
    if one.dtype == bool:
        fits = one.shape == shape[axis : axis + one.ndim]
        require(fits, "mask_shape", [*one.shape], axis, [*shape], axis)
        return
    outside = one[(one < -shape[axis]) | (one >= shape[axis])]
    if outside.size:
        raise as_torch("outside", int(outside[0]), axis, shape[axis])
