"""Functions that make tensors."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course.page_torch import dtypes
from course.page_torch.errors import as_torch, public, unknown
from course.page_torch.functions import METHODS, sizes_of
from course.page_torch.tensor import Device, Tensor, whole_numbers

CREATION: dict[str, Callable[..., Any]] = {}
_numbers = [np.random.default_rng(0)]


def creator(definition: Callable[..., Any]) -> Callable[..., Any]:
    """Put a function into `torch`."""
    definition.__name__ = definition.__name__.rstrip("_")
    CREATION[definition.__name__] = public(definition)
    return CREATION[definition.__name__]


def random_numbers() -> np.random.Generator:
    """Return what random numbers come from."""
    return _numbers[0]


@creator
def manual_seed(seed: int) -> None:
    """Begin the random numbers anew: they are not PyTorch's."""
    _numbers[0] = np.random.default_rng(int(seed) % 2**63)


def new_tensor(array: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a new tensor of numbers, in a type."""
    if device is not None:
        Device(device)
    numpy = np.asarray(array).dtype if dtype is None else dtypes.as_dtype(dtype).numpy
    return Tensor(np.array(array, numpy)).requires_grad_(requires_grad)


def _inferred(data: Any) -> Any:
    if isinstance(data, list | tuple):
        data = [_inferred(one) for one in data]
        for one in data[1:]:
            if np.shape(one) != np.shape(data[0]):
                raise as_torch(
                    ValueError,
                    f"expected sequence of length {len(data[0])} at dim 1 (got {len(one)})"
                    if np.ndim(one) and np.ndim(data[0])
                    else "not a sequence",
                )
        return np.array(data) if data else np.zeros(0, dtypes.get_default_dtype().numpy)
    if isinstance(data, Tensor):
        return data.array
    if isinstance(data, int) and not isinstance(data, bool):
        return np.asarray(data, np.int64)
    if isinstance(data, np.ndarray | np.number | np.bool_ | bool):
        return np.asarray(data)
    if isinstance(data, float):
        return np.asarray(data, dtypes.get_default_dtype().numpy)
    raise as_torch(RuntimeError, f"Could not infer dtype of {type(data).__name__}")


@creator
def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a tensor of these numbers."""
    array = _inferred(data)
    if dtype is None and isinstance(data, list | tuple) and array.dtype.kind == "f" and not _has_numpy(data):
        dtype = dtypes.get_default_dtype()
    return new_tensor(array, dtype, device, requires_grad)


def _has_numpy(data: Any) -> bool:
    if isinstance(data, list | tuple):
        return any(map(_has_numpy, data))
    return isinstance(data, Tensor | np.ndarray | np.floating) and not isinstance(data, float)


@creator
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Return a tensor of these numbers; a tensor as it is, and an array of NumPy's without a copy."""
    if isinstance(data, Tensor):
        return METHODS["to"](data, dtype=dtype, device=device)
    if isinstance(data, np.ndarray) and (dtype is None or dtypes.as_dtype(dtype).numpy == data.dtype):
        return CREATION["from_numpy"](data)
    return CREATION["tensor"](data, dtype=dtype, device=device)


@creator
def from_numpy(ndarray: np.ndarray) -> Tensor:
    """Return a tensor that shares the numbers of an array."""
    if not isinstance(ndarray, np.ndarray):
        raise as_torch(TypeError, f"expected np.ndarray (got {type(ndarray).__name__})")
    shared = Tensor(ndarray)
    shared._is_lent = True
    return shared


def _filled(name: str, number: Any) -> None:
    def fill(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
        numpy = dtypes.as_dtype(dtypes.get_default_dtype() if dtype is None else dtype).numpy
        return new_tensor(np.full(sizes_of(size), number, numpy), None, device, requires_grad)

    def like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
        numpy = (input.dtype if dtype is None else dtypes.as_dtype(dtype)).numpy
        return new_tensor(np.full(input.shape, number, numpy), None, device, requires_grad)

    def new(
        input: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Tensor:
        numpy = (input.dtype if dtype is None else dtypes.as_dtype(dtype)).numpy
        return new_tensor(np.full(sizes_of(size), number, numpy), None, device, requires_grad)

    fill.__name__, like.__name__, new.__name__ = name, f"{name}_like", f"new_{name}"
    creator(fill)
    creator(like)
    METHODS[f"new_{name}"] = public(new)


for _name, _number in (("zeros", 0), ("ones", 1), ("empty", 0)):
    _filled(_name, _number)


@creator
def full(
    size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a tensor of one number."""
    number = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    dtype = dtypes.of_number(number) if dtype is None else dtype
    return new_tensor(np.full(sizes_of((size,)), number), dtype, device, requires_grad)


@creator
def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return a tensor of one number, in the shape of another."""
    return CREATION["full"](
        input.shape, fill_value, dtype=input.dtype if dtype is None else dtype, device=device
    )


METHODS["new_full"] = public(
    lambda input, size, fill_value, dtype=None, device=None: CREATION["full"](
        size, fill_value, dtype=input.dtype if dtype is None else dtype
    )
)
METHODS["new_tensor"] = public(
    lambda input, data, dtype=None: CREATION["tensor"](data, dtype=input.dtype if dtype is None else dtype)
)


@creator
def arange(
    *bounds: Any,
    start: Any = 0,
    end: Any = None,
    step: Any = 1,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return numbers from a start up to an end, which is left out."""
    if len(bounds) == 1:
        end = bounds[0]
    elif bounds:
        start, end, step = (*bounds, step)[:3]
    start, end, step = (one.item() if isinstance(one, Tensor) else one for one in (start, end, step))
    if end is None:
        raise unknown("arange without an end")
    if step == 0 or (end - start) / step < 0:
        raise as_torch(
            RuntimeError,
            "step must be nonzero"
            if step == 0
            else "upper bound and lower bound inconsistent with step sign",
        )
    is_real = any(isinstance(one, float) for one in (start, end, step))
    dtype = dtype if dtype is not None else dtypes.get_default_dtype() if is_real else dtypes.DTYPES["int64"]
    return new_tensor(np.arange(start, end, step), dtype, device, requires_grad)


@creator
def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return numbers at equal distances."""
    return new_tensor(
        np.linspace(start, end, steps), dtypes.get_default_dtype() if dtype is None else dtype, device
    )


@creator
def eye(n: int, m: Any = None, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return a matrix with ones on its diagonal."""
    return new_tensor(np.eye(n, m), dtypes.get_default_dtype() if dtype is None else dtype, device)


@creator
def meshgrid(*tensors: Any, indexing: Any = None) -> tuple[Tensor, ...]:
    """Return the coordinates of a grid."""
    if len(tensors) == 1 and isinstance(tensors[0], tuple | list):
        tensors = tuple(tensors[0])
    if indexing not in ("ij", "xy"):
        raise unknown("meshgrid without indexing")
    return tuple(Tensor(one) for one in np.meshgrid(*(one.array for one in tensors), indexing=indexing))


def _random(name: str, draw: Callable[..., Any]) -> None:
    def fill(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
        dtype = dtypes.get_default_dtype() if dtype is None else dtype
        return new_tensor(draw(sizes_of(size)), dtype, device, requires_grad)

    def like(input: Tensor, *, dtype: Any = None, device: Any = None) -> Tensor:
        return new_tensor(draw(input.shape), input.dtype if dtype is None else dtype, device)

    fill.__name__, like.__name__ = name, f"{name}_like"
    creator(fill)
    creator(like)


_random("rand", lambda size: random_numbers().random(size))
_random("randn", lambda size: random_numbers().normal(size=size))


@creator
def randint(*bounds: Any, size: Any = None, dtype: Any = None) -> Tensor:
    """Return random whole numbers."""
    if size is None:
        *bounds, size = bounds  # type: ignore[assignment]
    low, high = (0, *bounds)[-2:]
    return new_tensor(
        random_numbers().integers(low, high, size=tuple(size)),
        dtypes.DTYPES["int64"] if dtype is None else dtype,
    )


@creator
def randperm(n: int) -> Tensor:
    """Return whole numbers in random order."""
    return whole_numbers(random_numbers().permutation(n))


@creator
def multinomial(input: Tensor, num_samples: int, replacement: bool = False) -> Tensor:
    """Draw places, each as likely as its weight."""
    rows = input.array.reshape(-1, input.shape[-1]).astype(np.float64)
    if (rows < 0).any() or not np.isfinite(rows).all():
        raise as_torch(RuntimeError, "probability tensor contains either `inf`, `nan` or element < 0")
    drawn = [random_numbers().choice(len(row), num_samples, replacement, row / row.sum()) for row in rows]
    return whole_numbers(np.array(drawn).reshape(*input.shape[:-1], num_samples))


@creator
def bernoulli(input: Tensor) -> Tensor:
    """Draw zeros and ones."""
    return new_tensor(random_numbers().random(input.shape) < input.array, input.dtype)


def _fill_random(name: str, draw: Callable[..., Any]) -> None:
    def fill(input: Tensor, low: float = 0.0, high: float = 1.0) -> Tensor:
        return input._write(np.asarray(draw(low, high, input.shape), input.dtype.numpy))

    fill.__name__ = name
    METHODS[name] = public(fill)


_fill_random("uniform_", lambda low, high, shape: random_numbers().uniform(low, high, shape))
_fill_random("normal_", lambda low, high, shape: random_numbers().normal(low, high, shape))
for _name, _compute in METHODS.items():
    setattr(Tensor, _name, _compute)
