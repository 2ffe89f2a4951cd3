"""Tensors: NumPy arrays, or places on the tape, and what shares its numbers with another."""

import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.tracer import getval, isbox

from autograder.frameworks.base import Memory
from course.page_torch import dtypes
from course.page_torch.errors import as_torch, public, unknown
from course.page_torch.indices import basic_and_advanced
from course.page_torch.tape import NO_GRAPH, is_recording, leaf_box, sweep, with_array

LEAF = "leaf Variable that requires grad is being used in an in-place operation."
SHARED = "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation."
AS_NUMPY = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
EXPANDED = "The expanded size of the tensor ({new}) must match the existing size ({old}) at non-singleton dimension {axis}.  Target sizes: {sizes}.  Tensor sizes: {old_sizes}"


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


class Tensor:
    """An array of numbers. A view holds no numbers: they are those of its base, seen along a path."""

    __module__ = "torch"
    __array_priority__ = 1000
    is_cuda = is_sparse = is_quantized = False
    is_complex = staticmethod(lambda: False)

    def __init__(
        self, value: Any, base: "Tensor | None" = None, path: Callable[[Any], Any] | None = None
    ) -> None:
        self._stored = value if isbox(value) else np.asarray(value)
        self._base, self._path, self._counter = base, path, 0
        self._base_counter = base._counter if base is not None else 0
        self._is_detached, self._is_lent, self._retains = False, False, False
        self._grad: Tensor | None = None
        self._dtype = dtypes.of_numpy(getval(self._stored).dtype)
        if memories:
            _note(self if base is None else base)

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

    def _set(self, value: Any) -> None:
        self._stored = value if isbox(value) else np.asarray(value)
        self._counter += 1

    @property
    def _version(self) -> int:
        return (self if self._base is None else self._base)._counter

    shape = property(lambda self: Size(getval(self.value).shape))
    ndim = property(lambda self: getval(self.value).ndim)
    dtype = property(lambda self: self._dtype)
    device = property(lambda self: Device("cpu"))
    T = property(lambda self: self._turned())
    mT = property(lambda self: self.transpose(-2, -1))
    is_leaf = property(lambda self: not isbox(self.value) or self.value._node.leaf is self)
    requires_grad = property(
        lambda self: isbox(self.value), lambda self, requires: self.requires_grad_(requires)
    )
    data = property(lambda self: self.detach(), lambda self, other: self._with_data(other))

    @property
    def grad(self) -> Any:
        """Return the gradient that has arrived."""
        return self._grad

    @grad.setter
    def grad(self, gradient: Any) -> None:
        self._grad = gradient

    @property
    def grad_fn(self) -> Any:
        """Return None for a leaf; of others no more is known than that they have one."""
        if not self.is_leaf:
            raise unknown("Tensor.grad_fn")

    def _with_data(self, other: "Tensor") -> None:
        if self._base is not None or other.dtype is not self.dtype:
            raise unknown("Tensor.data, set to another type")
        self._stored = (
            with_array(self._stored, other.array.copy()) if self.requires_grad else other.array.copy()
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        raise unknown(f"Tensor.{name}")

    # Gradients.
    def requires_grad_(self, requires_grad: bool = True) -> "Tensor":
        """Ask for its gradient, or no more."""
        if requires_grad == self.requires_grad:
            return self
        if not requires_grad:
            if not self.is_leaf:
                raise as_torch(
                    RuntimeError,
                    "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().",
                )
            self._stored = self.array
            return self
        if not self.dtype.is_floating_point:
            raise as_torch(RuntimeError, "only Tensors of floating point dtype can require gradients")
        if self._base is not None:
            if not self._is_detached:
                raise unknown("Tensor.requires_grad_, of a view")
            self._base = self._path = None
            self._stored = np.array(self._stored)
        self._stored = leaf_box(self.array, self)
        return self

    def detach(self) -> "Tensor":
        """Return the same numbers without their gradient."""
        return self._view(getval, is_detached=True)

    def retain_grad(self) -> None:
        """Keep the gradient that passes here."""
        if not self.requires_grad:
            raise as_torch(RuntimeError, "can't retain_grad on Tensor that has requires_grad=False")
        self._retains = True
        if not self.is_leaf:
            raise unknown("Tensor.retain_grad")

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False
    ) -> None:
        """Add the gradients of this to those of the leaves that it was computed from."""
        if create_graph:
            raise unknown("Tensor.backward with create_graph")
        for node, slope in gradients_at([self], [gradient], bool(retain_graph)).items():
            if (leaf := node.leaf) is not None:
                arrived = Tensor(np.array(np.broadcast_to(slope, leaf.shape), leaf.dtype.numpy))
                leaf._grad = arrived if leaf._grad is None else Tensor(leaf._grad.array + arrived.array)

    # What shares its numbers.
    def _view(self, path: Callable[[Any], Any], is_detached: bool = False) -> "Tensor":
        """Return a tensor that shows the numbers of this one along a path, and writes to them."""
        is_detached = is_detached or not is_recording()
        steps = [getval, path] if is_detached else [path]
        value = self.value
        for step in steps:
            value = step(value)
        earlier = [self._path] if self._path is not None else []

        def whole(numbers: Any) -> Any:
            for step in [*earlier, *steps]:
                numbers = step(numbers)
            return numbers

        view = Tensor(value, self._base if self._base is not None else self, whole)
        view._is_detached = is_detached or self._is_detached
        return view

    def _write(self, new: Any) -> "Tensor":
        """Put a value of the same shape in its place, and in the place of what shares its numbers."""
        base = self if self._base is None else self._base
        is_silent = self._is_detached or not is_recording()
        if base.requires_grad and base.is_leaf and not is_silent:
            raise as_torch(RuntimeError, f"a {'' if base is self else 'view of a '}{LEAF}")
        if base._is_lent:
            raise unknown("Tensor, changed in place where NumPy has its numbers too")
        new = getval(new) if is_silent else new
        if base is not self:
            whole = getval(base.value) if is_silent else base.value
            new = replaced(whole, self._path(np.arange(base.array.size).reshape(base.shape)), new)  # type: ignore[misc]
        if base.requires_grad and not isbox(new):
            old = base.value
            new = (
                with_array(old, np.array(new))
                if is_silent
                else anp.where(np.ones(base.shape, bool), new, old)
            )
        base._set(new)
        return self

    def copy_(self, src: Any, non_blocking: bool = False) -> "Tensor":
        """Take over the numbers of another."""
        value = value_of(src, self.dtype) if isinstance(src, Tensor) else np.asarray(src, self.dtype.numpy)
        return self._write(fitted(value, self.shape))

    # Indices.
    def __getitem__(self, index: Any) -> "Tensor":
        basic, advanced = basic_and_advanced(index, self.shape)
        part = self._view(lambda x: x[basic])
        if advanced is None:
            return part
        return run(lambda x: x[advanced], part)

    def __setitem__(self, index: Any, new: Any) -> None:
        if not isinstance(new, Tensor | int | float | np.number | np.bool_):
            raise as_torch(TypeError, f"can't assign a {_kind(new)} to a torch.{self.dtype.title}Tensor")
        basic, advanced = basic_and_advanced(index, self.shape)
        part = self._view(lambda x: x[basic])
        value = value_of(new, self.dtype)
        if advanced is None:
            part._write(fitted(_without_first_ones(value, part.ndim), part.shape))
            return
        positions = np.arange(part.array.size).reshape(part.shape)[advanced]
        shape = getval(value).shape
        if len(shape) > positions.ndim or any(
            a not in (1, b) for a, b in zip(shape[::-1], positions.shape[::-1], strict=False)
        ):
            raise as_torch(
                RuntimeError,
                f"shape mismatch: value tensor of shape {list(shape)} cannot be broadcast to indexing result of shape {list(positions.shape)}",
            )
        value = anp.broadcast_to(value, positions.shape)
        part._write(replaced(part.value, positions, value, repeats=True))

    # As Python sees it.
    def __len__(self) -> int:
        if not self.ndim:
            raise as_torch(TypeError, "len() of a 0-d tensor")
        return int(self.shape[0])

    def __iter__(self) -> Any:
        if not self.ndim:
            raise as_torch(TypeError, "iteration over a 0-d tensor")
        return iter([self[i] for i in range(len(self))])

    def __contains__(self, element: Any) -> bool:
        return bool((self.array == (element.array if isinstance(element, Tensor) else element)).any())

    def __bool__(self) -> bool:
        if self.array.size != 1:
            many = "more than one value" if self.array.size else "no values"
            raise as_torch(RuntimeError, f"Boolean value of Tensor with {many} is ambiguous")
        return bool(self.array.reshape(()))

    def item(self) -> Any:
        """Return its only number."""
        if self.array.size != 1:
            raise as_torch(
                RuntimeError, f"a Tensor with {self.array.size} elements cannot be converted to Scalar"
            )
        return self.array.reshape(()).item()

    def _number(self) -> Any:
        if self.array.size != 1:
            raise as_torch(ValueError, "only one element tensors can be converted to Python scalars")
        return self.item()

    def __float__(self) -> float:
        return float(self._number())

    def __int__(self) -> int:
        return int(self._number())

    def __index__(self) -> int:
        if self.dtype.is_floating_point or self.array.size != 1:
            raise as_torch(TypeError, "only integer tensors of a single element can be converted to an index")
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

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.numpy(), dtype=dtype)

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **more: Any) -> Any:
        if any(isinstance(one, Tensor) and one.requires_grad for one in inputs) and len(inputs) == 1:
            raise as_torch(RuntimeError, AS_NUMPY)
        signs = {"multiply": "__mul__", "add": "__add__", "subtract": "__sub__", "divide": "__truediv__"}
        if (
            method == "__call__"
            and not more
            and isinstance(inputs[0], np.floating)
            and function.__name__ in signs
        ):
            return getattr(Tensor(np.asarray(inputs[0], self.dtype.numpy)), signs[function.__name__])(self)
        raise unknown(f"Tensor, handed to numpy.{function.__name__}")

    def __array_function__(self, function: Any, *more: Any) -> Any:
        raise unknown(f"Tensor, handed to numpy.{function.__name__}")

    def __deepcopy__(self, memo: Any) -> Any:
        if not self.is_leaf:
            raise unknown("Tensor, copied by copy.deepcopy")
        copy = type(self).__new__(type(self))
        Tensor.__init__(copy, self.array.copy())
        return copy.requires_grad_(self.requires_grad)

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """Return its numbers as a NumPy array, which shares them."""
        if self.requires_grad:
            if not force:
                raise as_torch(RuntimeError, AS_NUMPY)
            return self.array.copy()
        base = self if self._base is None else self._base
        base._is_lent = True
        return self.array

    def _turned(self) -> "Tensor":
        if self.ndim not in (0, 2):
            warnings.warn(
                "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an error in a future release.",
                stacklevel=3,
            )
        return self._view(lambda x: anp.transpose(x))


def _note(owner: Tensor) -> None:
    for memory in memories:
        if memory.note(id(owner), getval(owner._stored).size):
            weakref.finalize(owner, memory.let_go, id(owner))


def whole_numbers(array: Any) -> Tensor:
    """Return whole numbers in 64 bits, as PyTorch counts; in a page NumPy counts in 32."""
    return Tensor(np.asarray(array, np.int64))


class Device:
    """Where numbers lie: on the processor."""

    __module__ = "torch"

    def __init__(self, type: Any, index: Any = None) -> None:
        name = str(type).partition(":")[0]
        if name == "cuda":
            raise as_torch(AssertionError, "Torch not compiled with CUDA enabled")
        if name != "cpu":
            raise unknown(f"device {type!r}")
        self.type, self.index = name, index

    def __repr__(self) -> str:
        return "device(type='cpu')"

    def __str__(self) -> str:
        return "cpu"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device)

    def __hash__(self) -> int:
        return hash("cpu")


Device.__name__ = "device"
for _name in ("copy_", "__getitem__", "__setitem__", "backward", "detach", "numpy", "item", "requires_grad_"):
    setattr(Tensor, _name, public(getattr(Tensor, _name)))


def _kind(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__name__}".removeprefix("builtins.")


def _without_first_ones(value: Any, ndim: int) -> Any:
    shape = getval(value).shape
    while len(shape) > ndim and shape[0] == 1:
        value, shape = value.reshape(shape[1:]), shape[1:]
    return value


def fitted(value: Any, shape: Sequence[int]) -> Any:
    """Return a value that is written into a place of this shape."""
    old, new = list(getval(value).shape), list(shape)
    if len(old) > len(new):
        raise as_torch(RuntimeError, f"output with shape {new} doesn't match the broadcast shape {old}")
    for i in range(1, len(old) + 1):
        if old[-i] not in (1, new[-i]):
            raise as_torch(
                RuntimeError,
                EXPANDED.format(new=new[-i], old=old[-i], axis=len(new) - i, sizes=new, old_sizes=old),
            )
    return value if old == new else anp.broadcast_to(value, tuple(new))


def replaced(whole: Any, positions: np.ndarray, new: Any, repeats: bool = False) -> Any:
    """Return an array with new numbers at these positions of its flat order: of several for one place the last."""
    if not repeats and np.unique(positions).size != positions.size:
        raise as_torch(RuntimeError, SHARED)
    old = getval(whole)
    if not isbox(whole) and not isbox(new):
        flat = old.flatten()
        flat[positions] = new
        return flat.reshape(old.shape)
    source = np.arange(old.size)
    source[positions.ravel()] = old.size + np.arange(positions.size)
    both = anp.concatenate([anp.reshape(whole, (-1,)), anp.reshape(new, (-1,))])
    return anp.reshape(both[source], old.shape)


def gradients_at(
    ends: Sequence[Tensor], cotangents: Sequence[Any], keeps: bool, targets: Sequence[Any] = ()
) -> dict[Any, Any]:
    """Return the gradients that arrive at leaves, and at these nodes, from some ends."""
    pairs = []
    for end, cotangent in zip(ends, cotangents, strict=True):
        if not end.requires_grad:
            raise as_torch(RuntimeError, NO_GRAPH)
        if cotangent is None and end.array.size != 1:
            raise as_torch(RuntimeError, "grad can be implicitly created only for scalar outputs")
        number = np.ones(end.shape, end.dtype.numpy) if cotangent is None else cotangent.array
        if number.shape != end.shape:
            raise as_torch(
                RuntimeError,
                f"Mismatch in shape: grad_output[0] has a shape of torch.Size({list(number.shape)}) and output[0] has a shape of {end.shape}.",
            )
        pairs.append((end.value, number))
    return sweep(pairs, keeps, targets)


def value_of(operand: Any, dtype: dtypes.NumberType) -> Any:
    """Return the value of a tensor or a number, in this type."""
    if not isinstance(operand, Tensor):
        if dtype.name == "float16" and abs(operand) > 65504 and np.isfinite(operand):
            raise as_torch(RuntimeError, "value cannot be converted to type at::Half without overflow")
        return np.asarray(operand).astype(dtype.numpy)
    value = operand.value if is_recording() else operand.array
    return value if operand.dtype is dtype else cast(value, dtype)


def cast(value: Any, dtype: dtypes.NumberType) -> Any:
    """Return a value in another type."""
    if isbox(value) and dtype.is_floating_point:
        return value.astype(dtype.numpy)
    with np.errstate(all="ignore"):
        return np.asarray(getval(value)).astype(dtype.numpy)


def run(
    function: Callable[..., Any],
    *tensors: Tensor,
    saves: str = "",
    dtype: dtypes.NumberType | None = None,
) -> Tensor:
    """Return what a function of autograd's NumPy gives, in a type. Half precision is computed in single precision.

    saves: what the gradient needs: "a" and "b" the first and the second tensor, "o" the result, "x" of two tensors the
    other one.
    """
    values = [tensor.value if is_recording() else tensor.array for tensor in tensors]
    is_half = any(tensor.dtype.name == "float16" for tensor in tensors)
    if is_half:
        half, single = dtypes.DTYPES["float16"], dtypes.DTYPES["float32"]
        values = [
            cast(value, single) if tensor.dtype is half else value
            for value, tensor in zip(values, tensors, strict=True)
        ]
    with np.errstate(all="ignore"):
        value = function(*values)
    own_type = dtypes.of_numpy(getval(value).dtype)
    if dtype is None and is_half and own_type.name == "float32":
        dtype = half
    if dtype is not None and dtype is not own_type:
        value = cast(value, dtype)
    result = Tensor(value)
    if saves and result.requires_grad:
        _save(result, tensors, saves)
    return result


def _save(result: Tensor, tensors: Sequence[Tensor], saves: str) -> None:
    held = (
        [tensors[0]]
        if "a" in saves or ("x" in saves and len(tensors) > 1 and tensors[1].requires_grad)
        else []
    )
    if len(tensors) > 1 and ("b" in saves or ("x" in saves and tensors[0].requires_grad)):
        held.append(tensors[1])
    held += [result] if "o" in saves else []
    result.value._node.saves = [(_root(tensor), tensor._version) for tensor in held]


def _root(tensor: Tensor) -> Tensor:
    return tensor if tensor._base is None else tensor._base
