"""Where functions are registered, and how their arguments are written: axes, sizes, tensors."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from course.page_torch.errors import public, require, unknown
from course.page_torch.tensor import Tensor, run

# By their names: what the module `torch` holds, and what a tensor's methods are.
FUNCTIONS: dict[str, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}


def _with_name(definition: Callable[..., Any], name: str) -> Callable[..., Any]:
    definition.__name__ = name or definition.__name__.rstrip("_")
    return public(definition)


def in_torch(definition: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """Put a function into `torch` alone."""
    wrapped = _with_name(definition, name)
    FUNCTIONS[wrapped.__name__] = wrapped
    return wrapped


def method(definition: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """Make a function a method of tensors."""
    wrapped = _with_name(definition, name)
    METHODS[wrapped.__name__] = wrapped
    setattr(Tensor, wrapped.__name__, wrapped)
    return wrapped


def function(definition: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """Put a function into `torch`, and among the methods of tensors."""
    wrapped = method(definition, name)
    FUNCTIONS[wrapped.__name__] = wrapped
    return wrapped


def register(how: Callable[..., Any], definitions: Mapping[str, Callable[..., Any]]) -> None:
    """Register short functions by their names: `how` is one of the three above."""
    for name, definition in definitions.items():
        how(definition, name)


def on_values(compute: Callable[..., Any], saves: str = "") -> Callable[..., Any]:
    """Return a function of a tensor that computes with its numbers."""
    return lambda input, *arguments, **more: run(lambda x: compute(x, *arguments, **more), input, saves=saves)


def seen_along(path: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a tensor that gives a view of it, along a path."""
    return lambda input, *arguments, **more: input._view(lambda x: path(x, *arguments, **more))


def axis_of(dim: Any, ndim: int) -> int:
    """Return an axis, counted from the front."""
    if isinstance(dim, Tensor):
        dim = dim.item()
    if isinstance(dim, bool) or not isinstance(dim, int | np.integer):
        raise unknown(f"dim={dim!r}")
    ndim = max(ndim, 1)
    require(-ndim <= dim < ndim, "axis", -ndim, ndim - 1, dim)
    return int(dim) % ndim


def axes_of(dim: Any, ndim: int) -> tuple[int, ...] | None:
    """Return several axes; None for all."""
    if dim is None or (isinstance(dim, tuple | list) and not len(dim)):
        return None
    axes = tuple(axis_of(one, ndim) for one in (dim if isinstance(dim, tuple | list) else (dim,)))
    require(len({*axes}) == len(axes), "axes_twice", axes[-1])
    return axes if ndim else None


def sizes_of(sizes: tuple[Any, ...]) -> list[int]:
    """Return sizes that are written one by one, or as one tuple."""
    if len(sizes) == 1 and isinstance(sizes[0], tuple | list):
        sizes = tuple(sizes[0])
    return [one.item() if isinstance(one, Tensor) else whole_size(one) for one in sizes]


def whole_size(one: Any) -> int:
    """Return a size, which must be a whole number."""
    if isinstance(one, bool) or not isinstance(one, int | np.integer):
        raise unknown(f"a size of {one!r}")
    return int(one)


def require_tensor(value: Any, name: str, argument: str, position: int) -> None:
    """Raise where an argument of a function is no tensor."""
    require(isinstance(value, Tensor), "no_tensor", name, argument, position, type(value).__name__)


def broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that two shapes give together."""
    ndim = max(len(a), len(b))
    a, b = (1,) * (ndim - len(a)) + tuple(a), (1,) * (ndim - len(b)) + tuple(b)
    for axis in range(ndim - 1, -1, -1):
        require(a[axis] == b[axis] or 1 in (a[axis], b[axis]), "broadcast", a[axis], b[axis], axis)
    return tuple(n if m == 1 else m for m, n in zip(a, b, strict=True))
