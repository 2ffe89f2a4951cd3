"""Tensors: NumPy arrays, or places on the tape, and what shares its numbers with another."""

import warnings
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.tracer import getval, isbox

from autograder.frameworks.base import Memory
from course.page_torch import dtypes
from course.page_torch.errors import as_torch, public, require, unknown
from course.page_torch.indices import basic_and_advanced
from course.page_torch.tape import is_recording, leaf_box, with_array

# What counts the numbers that tensors hold, while an answer's memory is measured.
memories: list[Memory] = []


class Size(tuple):
    """The shape of a tensor."""

    __module__ = "torch"

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def __getitem__(self, index: Any) -> Any:
        part = super().__getitem__(index)
        return Size(part) if isinstance(index, slice) else part

    def numel(self) -> int:
        """Return how many numbers a tensor of this shape has."""
        return int(np.prod(self, dtype=np.int64))


@dataclass(unsafe_hash=True, repr=False, init=False)
class Device:
    """Where numbers lie: on the processor."""

    type: str
    index = None

    def __init__(self, type: Any) -> None:
        self.type = str(type)
        require(not self.type.startswith("cuda"), "cuda")
        if self.type != "cpu":
            raise unknown(f"device {type!r}")

    def __repr__(self) -> str:
        return "device(type='cpu')"

    def __str__(self) -> str:
        return "cpu"


class Tensor:
    """An array of numbers. A view holds no numbers: they are those of its base, seen along a path."""

    __module__ = "torch"
    __array_priority__ = 1000
    is_cuda = False
    is_complex = staticmethod(lambda: False)

    def __init__(
        self, value: Any, base: "Tensor | None" = None, path: Callable[[Any], Any] | None = None
    ) -> None:
        self._stored = value if isbox(value) else np.asarray(value)
        self._base, self._path, self._counter = base, path, 0
        self._base_counter = base._counter if base is not None else 0
        self._is_detached, self._is_lent = False, False
        self.grad: Tensor | None = None
        self._dtype = dtypes.of_numpy(getval(self._stored).dtype)
        if memories:
            _note(self._root)

    # What it holds.
    @property
    def value(self) -> Any:
        """Return its place on the tape, or its array."""
        base = self._base
        if base is not None and self._base_counter != base._counter:
            value = self._path(base.value)  # type: ignore[misc]
            self._stored, self._base_counter = value if isbox(value) else np.asarray(value), base._counter
        return self._stored

    @property
    def array(self) -> np.ndarray:
        """Return its numbers."""
        return np.asarray(getval(self.value))

    _root = property(lambda self: self if self._base is None else self._base)
    _version = property(lambda self: self._root._counter)
    shape = property(lambda self: Size(getval(self.value).shape))
    ndim = property(lambda self: getval(self.value).ndim)
    dtype = property(lambda self: self._dtype)
    device = property(lambda self: Device("cpu"))
    mT = property(lambda self: self.transpose(-2, -1))
    is_leaf = property(lambda self: not isbox(self.value) or self.value._node.leaf is self)
    requires_grad = property(
        lambda self: isbox(self.value), lambda self, requires: self.requires_grad_(requires)
    )
    data = property(lambda self: self.detach(), lambda self, other: self._with_data(other))

    @property
    def T(self) -> "Tensor":
        """Return it with its axes in the opposite order."""
        if self.ndim not in (0, 2):
            warnings.warn(
                "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an error in a future release.",
                stacklevel=2,
            )
        return self._view(lambda x: anp.transpose(x))

    def _with_data(self, other: "Tensor") -> None:
        if self._base is not None or other.dtype is not self.dtype:
            raise unknown("Tensor.data, set to another type")
        array = other.array.copy()
        self._stored = with_array(self._stored, array) if self.requires_grad else array

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        raise unknown(f"Tensor.{name}")

    @public
    def requires_grad_(self, requires_grad: bool = True) -> "Tensor":
        """Ask for its gradient, or no more."""
        if requires_grad == self.requires_grad:
            return self
        if not requires_grad:
            require(self.is_leaf, "no_leaf")
            self._stored = self.array
            return self
        require(self.dtype.is_floating_point, "whole_leaf")
        if self._base is not None:
            if not self._is_detached:
                raise unknown("Tensor.requires_grad_, of a view")
            self._base = self._path = None
            self._stored = np.array(self._stored)
        self._stored = leaf_box(self.array, self)
        return self

    @public
    def detach(self) -> "Tensor":
        """Return the same numbers without their gradient."""
        return self._view(getval, is_detached=True)

    # What shares its numbers.
    def _view(self, path: Callable[[Any], Any], is_detached: bool = False) -> "Tensor":
        """Return a tensor that shows the numbers of this one along a path, and writes to them."""
        is_detached = is_detached or not is_recording()
        earlier = self._path or (lambda numbers: numbers)

        def step(numbers: Any) -> Any:
            return path(getval(numbers) if is_detached else numbers)

        view = Tensor(step(self.value), self._root, lambda numbers: step(earlier(numbers)))
        view._is_detached = is_detached or self._is_detached
        return view

    def _write(self, new: Any) -> "Tensor":
        """Put a value of the same shape in its place, and in the place of what shares its numbers."""
        base = self._root
        is_silent = self._is_detached or not is_recording()
        if base.requires_grad and base.is_leaf and not is_silent:
            raise as_torch("leaf" if base is self else "view_of_leaf")
        if base._is_lent:
            raise unknown("Tensor, changed in place where NumPy has its numbers too")
        new, old = (getval(value) if is_silent else value for value in (new, base.value))
        if base is not self:
            positions = self._path(np.arange(base.array.size).reshape(base.shape))  # type: ignore[misc]
            require(np.unique(positions).size == positions.size, "shared")
            new = replaced(old, positions, new)
        if base.requires_grad and not isbox(new):
            is_new = np.ones(base.shape, bool)
            new = with_array(base.value, np.array(new)) if is_silent else anp.where(is_new, new, old)
        base._stored = new if isbox(new) else np.asarray(new)
        base._counter += 1
        return self

    @public
    def copy_(self, src: Any, non_blocking: bool = False) -> "Tensor":
        """Take over the numbers of another."""
        if not isinstance(src, Tensor):
            raise unknown("Tensor.copy_ of no tensor")
        return self._write(fitted(value_of(src, self.dtype), self.shape))

    @public
    def __getitem__(self, index: Any) -> "Tensor":
        basic, advanced = basic_and_advanced(index, self.shape)
        part = self._view(lambda x: x[basic])
        return part if advanced is None else run(lambda x: x[advanced], part)

    @public
    def __setitem__(self, index: Any, new: Any) -> None:
        if not isinstance(new, Tensor | int | float | np.number | np.bool_):
            kind = f"{type(new).__module__}.{type(new).__name__}".removeprefix("builtins.")
            raise as_torch("assigned", kind, self.dtype.title)
        basic, advanced = basic_and_advanced(index, self.shape)
        part = self._view(lambda x: x[basic])
        value = value_of(new, self.dtype)
        shape = getval(value).shape
        if advanced is None:
            while len(shape) > part.ndim and shape[0] == 1:
                value, shape = value.reshape(shape[1:]), shape[1:]
            part._write(fitted(value, part.shape))
            return
        positions = np.arange(part.array.size).reshape(part.shape)[advanced]
        part._write(replaced(part.value, positions, spread(value, positions.shape)))

    # As Python sees it.
    def __len__(self) -> int:
        require(self.ndim, "len")
        return int(self.shape[0])

    def __iter__(self) -> Any:
        require(self.ndim, "iteration")
        return iter([self[i] for i in range(len(self))])

    def __contains__(self, element: Any) -> bool:
        return bool((self == element).any())

    def __bool__(self) -> bool:
        many = "more than one value" if self.array.size else "no values"
        require(self.array.size == 1, "truth", many)
        return bool(self.item())

    @public
    def item(self) -> Any:
        """Return its only number."""
        require(self.array.size == 1, "item", self.array.size)
        return self.array.item()

    def __float__(self) -> float:
        require(self.array.size == 1, "number")
        return float(self.item())

    def __int__(self) -> int:
        require(self.array.size == 1, "number")
        return int(self.item())

    def __index__(self) -> int:
        require(not self.dtype.is_floating_point and self.array.size == 1, "index")
        return int(self.item())

    def __hash__(self) -> int:
        return id(self)

    def __format__(self, how: str) -> str:
        return format(self.item(), how) if not self.ndim else format(str(self), how)

    def __repr__(self) -> str:
        numbers = np.array2string(
            self.array, precision=4, separator=", ", prefix="tensor(", floatmode="maxprec_equal"
        )
        usual = self.dtype is dtypes.get_default_dtype() or self.dtype.name in ("int64", "bool")
        ends = [] if usual else [f"dtype={self.dtype}"]
        ends += ["requires_grad=True"] if self.requires_grad and self.is_leaf else []
        return f"tensor({', '.join([numbers, *ends])})"

    def __deepcopy__(self, memo: Any) -> Any:
        if not self.is_leaf:
            raise unknown("Tensor, copied by copy.deepcopy")
        copy = type(self).__new__(type(self))
        Tensor.__init__(copy, self.array.copy())
        return copy.requires_grad_(self.requires_grad)

    # As NumPy sees it.
    @public
    def numpy(self) -> np.ndarray:
        """Return its numbers as a NumPy array, which shares them."""
        require(not self.requires_grad, "as_numpy")
        self._root._is_lent = True
        return self.array

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.numpy(), dtype=dtype)

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **more: Any) -> Any:
        signs = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv"}
        if function.__name__ in signs and isinstance(inputs[0], np.floating) and not more:
            return getattr(self, f"__r{signs[function.__name__]}__")(inputs[0])
        require(len(inputs) > 1 or not self.requires_grad, "as_numpy")
        raise unknown(f"Tensor, handed to numpy.{function.__name__}")

    def __array_function__(self, function: Any, *more: Any) -> Any:
        raise unknown(f"Tensor, handed to numpy.{function.__name__}")


Device.__name__, Device.__module__ = "device", "torch"


def _note(owner: Tensor) -> None:
    for memory in memories:
        if memory.note(id(owner), getval(owner._stored).size):
            weakref.finalize(owner, memory.let_go, id(owner))


def whole_numbers(array: Any) -> Tensor:
    """Return whole numbers in 64 bits, as PyTorch counts; in a page NumPy counts in 32."""
    return Tensor(np.asarray(array, np.int64))


def fitted(value: Any, shape: Sequence[int]) -> Any:
    """Return a value that is written into a place of this shape."""
    old, new = list(getval(value).shape), list(shape)
    require(len(old) <= len(new), "output_shape", new, old)
    for i in range(1, len(old) + 1):
        require(old[-i] in (1, new[-i]), "expanded", new[-i], old[-i], len(new) - i, new, old)
    return spread(value, tuple(new))


def spread(x: Any, shape: tuple[int, ...]) -> Any:
    """Return an array repeated to a shape, so that its gradient is summed; autograd's rule wants as many axes."""
    old = np.shape(getval(x))
    if old == shape:
        return x
    return anp.broadcast_to(anp.reshape(x, (1,) * (len(shape) - len(old)) + old), shape)


def replaced(whole: Any, positions: np.ndarray, new: Any) -> Any:
    """Return an array with new numbers at these positions of its flat order: of several for one place the last."""
    old = getval(whole)
    if not isbox(whole) and not isbox(new):
        flat = old.flatten()
        flat[positions] = new
        return flat.reshape(old.shape)
    source = np.arange(old.size)
    source[positions.ravel()] = old.size + np.arange(positions.size)
    both = anp.concatenate([anp.reshape(whole, (-1,)), anp.reshape(new, (-1,))])
    return anp.reshape(both[source], old.shape)


def value_of(operand: Any, dtype: dtypes.NumberType) -> Any:
    """Return the value of a tensor or a number, in this type."""
    if isinstance(operand, Tensor):
        value = operand.value if is_recording() else operand.array
        return value if operand.dtype is dtype else cast(value, dtype)
    overflows = dtype is dtypes.HALF and abs(operand) > 65504 and np.isfinite(operand)
    require(not overflows, "overflow", "at::Half")
    return np.asarray(operand).astype(dtype.numpy)


def cast(value: Any, dtype: dtypes.NumberType) -> Any:
    """Return a value in another type."""
    if isbox(value) and dtype.is_floating_point:
        return value.astype(dtype.numpy)
    with np.errstate(all="ignore"):
        return np.asarray(getval(value)).astype(dtype.numpy)


def typed(value: Any, dtype: dtypes.NumberType) -> Any:
    """Return a value in the type in which it is computed: half precision is in single precision."""
    dtype = dtypes.SINGLE if dtype is dtypes.HALF else dtype
    return value if getval(value).dtype == dtype.numpy else cast(value, dtype)


def run(
    function: Callable[..., Any], *operands: Any, saves: str = "", dtype: dtypes.NumberType | None = None
) -> Tensor:
    """Return what a function of autograd's NumPy gives of tensors and numbers, in a type; of halves again a half.

    saves: what the gradient needs: "a" and "b" the first and the second tensor, "o" the result; "A" and "B" the first
    and the second where the other one has a gradient.
    """
    values = [
        np.asarray(one) if not isinstance(one, Tensor) else one.value if is_recording() else one.array
        for one in operands
    ]
    is_half = any(isinstance(one, Tensor) and one.dtype is dtypes.HALF for one in operands)
    if is_half:
        values = [cast(x, dtypes.SINGLE) if getval(x).dtype == np.float16 else x for x in values]
    with np.errstate(all="ignore"):
        value = function(*values)
    natural = dtypes.of_numpy(getval(value).dtype)
    dtype = dtype or (dtypes.HALF if is_half and natural is dtypes.SINGLE else natural)
    result = Tensor(value if dtype is natural else cast(value, dtype))
    if saves and result.requires_grad:
        a, b = (*operands, None)[:2]
        cases = (("a", a, result), ("b", b, result), ("o", result, result), ("A", a, b), ("B", b, a))
        needed = [one for letter, one, other in cases if letter in saves and _tracks(other)]
        result.value._node.saves = [(one._root, one._version) for one in needed if isinstance(one, Tensor)]
    return result


def _tracks(operand: Any) -> bool:
    return isinstance(operand, Tensor) and operand.requires_grad
