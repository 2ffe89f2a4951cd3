"""Functions of tensors: those of `torch`, and its tensors' methods."""

import string
from collections.abc import Callable
from math import prod as product
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.tracer import getval

from course.page_torch import dtypes
from course.page_torch.errors import as_torch, public, unknown
from course.page_torch.tape import contiguous, copied, sigmoid_values
from course.page_torch.tensor import EXPANDED, Device, Tensor, cast, replaced, run, value_of

# By their names: what the module `torch` holds, and what a tensor's methods are.
FUNCTIONS: dict[str, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}


def method(definition: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function a method of tensors."""
    definition.__name__ = definition.__name__.rstrip("_")
    METHODS[definition.__name__] = public(definition)
    return METHODS[definition.__name__]


def function(definition: Callable[..., Any]) -> Callable[..., Any]:
    """Put a function into `torch`, and among the methods of tensors."""
    FUNCTIONS[definition.__name__.rstrip("_")] = wrapped = method(definition)
    return wrapped


# Axes.
def axis_of(dim: Any, ndim: int) -> int:
    """Return an axis, counted from the front."""
    if isinstance(dim, Tensor):
        dim = dim.item()
    low, high = -max(ndim, 1), max(ndim, 1) - 1
    if isinstance(dim, bool) or not isinstance(dim, int | np.integer):
        raise unknown(f"dim={dim!r}")
    if not low <= dim <= high:
        raise as_torch(
            IndexError, f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})"
        )
    return int(dim) % max(ndim, 1)


def axes_of(dim: Any, ndim: int) -> tuple[int, ...] | None:
    """Return several axes; None for all."""
    if dim is None or (isinstance(dim, tuple | list) and not len(dim)):
        return None
    axes = tuple(axis_of(one, ndim) for one in (dim if isinstance(dim, tuple | list) else (dim,)))
    if len({*axes}) != len(axes):
        raise as_torch(RuntimeError, f"dim {axes[-1]} appears multiple times in the list of dims")
    return axes if ndim else None


def sizes_of(sizes: tuple[Any, ...]) -> list[int]:
    """Return sizes that are written one by one, or as one tuple."""
    if len(sizes) == 1 and isinstance(sizes[0], tuple | list):
        sizes = tuple(sizes[0])
    return [one.item() if isinstance(one, Tensor) else _whole(one) for one in sizes]


def _whole(one: Any) -> int:
    if isinstance(one, bool) or not isinstance(one, int | np.integer):
        raise unknown(f"a size of {one!r}")
    return int(one)


def real(input: Tensor) -> dtypes.NumberType:
    """Return the type in which a function of real numbers is computed."""
    return input.dtype if input.dtype.is_floating_point else dtypes.get_default_dtype()


# One number each.
UNARY: dict[str, tuple[Callable[..., Any], str]] = {
    "exp": (anp.exp, "o"), "log": (anp.log, "a"), "log2": (anp.log2, "a"), "log10": (anp.log10, "a"),
    "log1p": (anp.log1p, "a"), "expm1": (anp.expm1, "o"), "sqrt": (anp.sqrt, "o"), "rsqrt": (lambda x: 1 / anp.sqrt(x), "o"),
    "sin": (anp.sin, "a"), "cos": (anp.cos, "a"), "tan": (anp.tan, "o"), "tanh": (anp.tanh, "o"),
    "sigmoid": (sigmoid_values, "o"), "reciprocal": (lambda x: 1 / x, "o"), "deg2rad": (anp.deg2rad, ""),
    "atan": (anp.arctan, "a"), "sinh": (anp.sinh, "a"), "cosh": (anp.cosh, "a"), "exp2": (anp.exp2, "o"),
}  # fmt: skip
# These keep whole numbers.
KEEPING: dict[str, tuple[Callable[..., Any], str]] = {
    "abs": (anp.abs, "a"), "neg": (anp.negative, ""), "square": (lambda x: x * x, "a"), "relu": (lambda x: anp.where(x <= 0, 0 * getval(x), x), "o"),
    "sign": (anp.sign, ""), "floor": (anp.floor, ""), "ceil": (anp.ceil, ""), "trunc": (anp.trunc, ""),
}  # fmt: skip


def _unary(name: str, compute: Callable[..., Any], saves: str, keeps: bool) -> None:
    def apply(input: Tensor) -> Tensor:
        if keeps:
            if name == "neg" and input.dtype.name == "bool":
                raise as_torch(
                    RuntimeError,
                    "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
                )
            if not input.dtype.is_floating_point and name in ("floor", "ceil", "trunc"):
                return run(copied, input)
            return run(compute, input, saves=saves, dtype=input.dtype)
        dtype = real(input)
        return run(
            lambda x: compute(
                x if dtype.numpy == getval(x).dtype or input.dtype.is_floating_point else cast(x, dtype)
            ),
            input,
            saves=saves,
            dtype=dtype,
        )

    apply.__name__ = name
    function(apply)


for _name, (_compute, _saves) in UNARY.items():
    _unary(_name, _compute, _saves, False)
for _name, (_compute, _saves) in KEEPING.items():
    _unary(_name, _compute, _saves, True)


@function
def round_(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Round to the nearest, halves to even."""
    return run(lambda x: anp.round(x, decimals), input, dtype=input.dtype)


@function
def isnan(input: Tensor) -> Tensor:
    """Return where a number is none."""
    return Tensor(np.isnan(input.array))


@function
def isinf(input: Tensor) -> Tensor:
    """Return where a number is infinite."""
    return Tensor(np.isinf(input.array))


@function
def isfinite(input: Tensor) -> Tensor:
    """Return where a number is finite."""
    return Tensor(np.isfinite(input.array))


@function
def nan_to_num(input: Tensor, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    """Put numbers where there are none."""
    numbers = np.nan_to_num(input.array, nan=nan, posinf=posinf, neginf=neginf)
    return run(lambda x: anp.where(np.isfinite(getval(x)), x, numbers), input)


# Two numbers each.
def broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that two shapes give together."""
    ndim = max(len(a), len(b))
    a, b = (1,) * (ndim - len(a)) + tuple(a), (1,) * (ndim - len(b)) + tuple(b)
    for axis in range(ndim - 1, -1, -1):
        if a[axis] != b[axis] and 1 not in (a[axis], b[axis]):
            raise as_torch(
                RuntimeError,
                f"The size of tensor a ({a[axis]}) must match the size of tensor b ({b[axis]}) at non-singleton dimension {axis}",
            )
    return tuple(n if m == 1 else m for m, n in zip(a, b, strict=True))


def spread(x: Any, shape: tuple[int, ...]) -> Any:
    """Return an array repeated to a shape, so that its gradient is summed; autograd's rule wants as many axes."""
    old = np.shape(getval(x))
    return (
        x if old == shape else anp.broadcast_to(anp.reshape(x, (1,) * (len(shape) - len(old)) + old), shape)
    )


def chosen_of(mask: np.ndarray, a: Any, b: Any) -> Any:
    """Return a where the mask holds and b elsewhere, all repeated to one shape: autograd's rule sums no gradient."""
    shape = np.broadcast_shapes(mask.shape, *(np.shape(getval(x)) for x in (a, b)))
    return anp.where(mask, spread(a, shape), spread(b, shape))


def operand(value: Any) -> bool:
    """Return whether a value may stand in a sum with a tensor."""
    if isinstance(value, np.ndarray):
        raise unknown("Tensor, met with numpy.ndarray")
    return isinstance(value, Tensor | int | float | np.number | np.bool_)


def binary(
    compute: Callable[..., Any], a: Any, b: Any, saves: str = "", dtype: Any = None, computed_in: Any = None
) -> Tensor:
    """Return what a function gives of two tensors, or of one and a number. computed_in: the type in which it is computed."""
    common = computed_in or dtypes.result_type(a, b)
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        broadcast(a.shape, b.shape)
    numpy = common.numpy

    def computed(*values: Any) -> Any:
        rest = iter(values)
        inner = np.dtype("float32") if numpy == np.float16 else numpy
        pair = [next(rest) if isinstance(one, Tensor) else np.asarray(one) for one in (a, b)]
        return compute(*(_typed(one, inner) for one in pair))

    return run(
        computed, *(one for one in (a, b) if isinstance(one, Tensor)), saves=saves, dtype=dtype or common
    )


def _typed(value: Any, numpy: Any) -> Any:
    return value if getval(value).dtype == numpy else cast(value, dtypes.of_numpy(numpy))


def _one_of_two(a: Any, saves: str) -> str:
    """Return what is saved where only one operand is a tensor: of a quotient or a power it depends on which."""
    return saves if isinstance(a, Tensor) else saves.replace("b", "a")


def _refuse_bools(a: Any, b: Any) -> None:
    flags = [dtypes.result_type(one).name == "bool" for one in (a, b)]
    if all(flags):
        raise as_torch(
            RuntimeError,
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.",
        )
    if any(flags):
        raise as_torch(
            RuntimeError,
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
        )


@function
def add(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Return the sum."""
    return binary(
        lambda a, b: a + (b if alpha == 1 else b * np.asarray(alpha, getval(b).dtype)), input, other
    )


@function
def sub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Return the difference."""
    _refuse_bools(input, other)
    return binary(
        lambda a, b: a - (b if alpha == 1 else b * np.asarray(alpha, getval(b).dtype)), input, other
    )


@function
def mul(input: Any, other: Any) -> Tensor:
    """Return the product."""
    return binary(lambda a, b: a * b, input, other, saves="x")


@function
def div(input: Any, other: Any, *, rounding_mode: Any = None) -> Tensor:
    """Return the quotient."""
    if rounding_mode == "floor":
        return METHODS["floor_divide"](input, other)
    if rounding_mode is not None:
        raise unknown(f"div with rounding_mode={rounding_mode!r}")
    common = dtypes.result_type(input, other)
    common = common if common.is_floating_point else dtypes.get_default_dtype()
    saves = (
        ""
        if not isinstance(other, Tensor)
        else "b"
        if isinstance(input, Tensor) and not other.requires_grad
        else "ab"
    )
    return binary(lambda a, b: a / b, input, other, saves=_one_of_two(input, saves), computed_in=common)


@function
def floor_divide(input: Any, other: Any) -> Tensor:
    """Return the quotient, rounded down."""
    if not dtypes.result_type(input, other).is_floating_point and not np.all(
        other.array if isinstance(other, Tensor) else other
    ):
        raise as_torch(RuntimeError, "ZeroDivisionError")
    return binary(anp.floor_divide, input, other)


@function
def remainder(input: Any, other: Any) -> Tensor:
    """Return the remainder, with the sign of the divisor."""
    if not dtypes.result_type(input, other).is_floating_point and not np.all(
        other.array if isinstance(other, Tensor) else other
    ):
        raise as_torch(RuntimeError, "ZeroDivisionError")
    return binary(
        lambda a, b: anp.remainder(a, b),
        input,
        other,
        saves="b" if isinstance(other, Tensor) and isinstance(input, Tensor) else "",
    )


@function
def pow_(input: Any, exponent: Any) -> Tensor:
    """Return the power."""
    common = dtypes.result_type(input, exponent)
    if (
        not common.is_floating_point
        and np.any((exponent.array if isinstance(exponent, Tensor) else np.asarray(exponent)) < 0)
        and isinstance(exponent, int)
    ):
        raise as_torch(RuntimeError, "Integers to negative integer powers are not allowed.")
    if not isinstance(exponent, Tensor):
        return binary(
            lambda a, b: _power(a, b, exponent), input, exponent, saves="a" if exponent not in (0, 1) else ""
        )
    return binary(anp.power, input, exponent, saves="ab" if isinstance(input, Tensor) else "o")


def _power(a: Any, b: Any, exponent: Any) -> Any:
    return a * a if exponent == 2 else anp.sqrt(a) if exponent == 0.5 else anp.power(a, b)


@function
def maximum(input: Tensor, other: Tensor) -> Tensor:
    """Return the larger of each two."""
    return binary(anp.maximum, _tensor("maximum", input), _tensor("maximum", other, "other", 2), saves="ab")


@function
def minimum(input: Tensor, other: Tensor) -> Tensor:
    """Return the smaller of each two."""
    return binary(anp.minimum, _tensor("minimum", input), _tensor("minimum", other, "other", 2), saves="ab")


@function
def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """Return the logarithm of the sum of exponentials."""
    return binary(anp.logaddexp, input, other, saves="ab")


@function
def atan2(input: Tensor, other: Tensor) -> Tensor:
    """Return the angle."""
    return binary(anp.arctan2, input, other, saves="ab")


@function
def lerp(input: Any, end: Any, weight: Any) -> Tensor:
    """Return what lies between the two."""
    return input + (end - input) * weight


@function
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Return numbers that are not below, and not above."""
    if min is None and max is None:
        raise as_torch(RuntimeError, "torch.clamp: At least one of 'min' or 'max' must not be None")
    for bound, below in ((min, True), (max, False)):
        if bound is not None:
            input = binary(
                lambda a, b, below=below: anp.where(a < b if below else a > b, b, a), input, bound, saves="a"
            )
    return input


FUNCTIONS["clip"] = METHODS["clip"] = clamp


def _tensor(name: str, value: Any, argument: str = "input", position: int = 1) -> Tensor:
    if not isinstance(value, Tensor):
        raise as_torch(
            TypeError,
            f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type(value).__name__}",
        )
    return value


# Comparisons.
COMPARISONS = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}


def _comparison(name: str, compute: Callable[..., Any]) -> None:
    def apply(input: Any, other: Any) -> Tensor:
        return binary(lambda a, b: compute(getval(a), getval(b)), input, other, dtype=dtypes.DTYPES["bool"])

    apply.__name__ = name
    function(apply)


for _name, _compute in COMPARISONS.items():
    _comparison(_name, _compute)


def _bitwise(name: str, compute: Callable[..., Any]) -> None:
    def apply(input: Any, other: Any) -> Tensor:
        if dtypes.result_type(input, other).is_floating_point:
            raise as_torch(
                NotImplementedError,
                f"\"{name}_cpu\" not implemented for '{dtypes.result_type(input, other).title}'",
            )
        return binary(compute, input, other)

    apply.__name__ = name
    function(apply)


for _name, _compute in {
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
}.items():
    _bitwise(_name, _compute)


def _logical(name: str, compute: Callable[..., Any]) -> None:
    def apply(input: Tensor, other: Tensor) -> Tensor:
        return binary(lambda a, b: compute(getval(a), getval(b)), input, other, dtype=dtypes.DTYPES["bool"])

    apply.__name__ = name
    function(apply)


for _name, _compute in {
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}.items():
    _logical(_name, _compute)


@function
def logical_not(input: Tensor) -> Tensor:
    """Return where a number is zero."""
    return Tensor(input.array == 0)


@function
def bitwise_not(input: Tensor) -> Tensor:
    """Return the inverted mask."""
    if input.dtype.is_floating_point:
        raise as_torch(
            TypeError, "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
        )
    return Tensor(~input.array)


@function
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Return whether all numbers are nearly the same."""
    return bool(np.allclose(input.array, other.array, rtol=rtol, atol=atol, equal_nan=equal_nan))


@function
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8) -> Tensor:
    """Return which numbers are nearly the same."""
    return Tensor(np.isclose(input.array, other.array, rtol=rtol, atol=atol))


@function
def equal(input: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same shape and numbers."""
    return bool(np.array_equal(input.array, other.array))


# Choices.
def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """Return the one where the condition holds, and the other elsewhere."""
    if input is None and other is None:
        return METHODS["nonzero"](condition, as_tuple=True)
    _tensor("where", condition, "condition")
    if condition.dtype.name != "bool":
        raise as_torch(
            RuntimeError,
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition.dtype.title}",
        )
    for one in (input, other):
        if isinstance(one, Tensor):
            broadcast(condition.shape, one.shape)
    mask = condition.array
    return binary(lambda a, b: chosen_of(mask, a, b), input, other)


FUNCTIONS["where"] = public(where)
METHODS["where"] = public(lambda input, condition, other: FUNCTIONS["where"](condition, input, other))


@function
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Put one number where the mask holds."""
    _tensor("masked_fill", mask, "mask", 2)
    if mask.dtype.name != "bool":
        names = {
            "float32": "float",
            "float64": "double",
            "int64": "long int",
            "int32": "int",
            "float16": "c10::Half",
        }
        raise as_torch(
            RuntimeError,
            f"masked_fill_ only supports boolean masks, but got mask with dtype {names.get(mask.dtype.name, mask.dtype.name)}",
        )
    if isinstance(value, Tensor) and value.ndim:
        raise as_torch(
            RuntimeError,
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s).",
        )
    broadcast(mask.shape, input.shape)
    tensors = [input, value] if isinstance(value, Tensor) else [input]
    if not isinstance(value, Tensor):
        if not input.dtype.is_floating_point and isinstance(value, float) and value in (np.inf, -np.inf):
            raise as_torch(
                RuntimeError,
                f"value cannot be converted to type {'int64_t' if input.dtype.name == 'int64' else input.dtype.name} without overflow",
            )
        if input.dtype.name == "float16" and abs(value) > 65504 and np.isfinite(value):
            raise as_torch(RuntimeError, "value cannot be converted to type c10::Half without overflow")
        value = np.asarray(value).astype(input.dtype.numpy)
    chosen = mask.array
    return run(
        lambda x, v=value: chosen_of(chosen, _typed(v, getval(x).dtype), x), *tensors, dtype=input.dtype
    )


@function
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Return where numbers are not zero."""
    places = np.nonzero(input.array)
    return tuple(map(Tensor, places)) if as_tuple else Tensor(np.stack(places, axis=-1))


@function
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """Return the numbers where the mask holds."""
    chosen = np.broadcast_to(mask.array, input.shape)
    return run(lambda x: x[chosen], input)


# Sums and the like over axes.
@function
def sum_(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the sum over axes."""
    if isinstance(dim, dtypes.NumberType):
        dim, dtype = None, dim
    axes = axes_of(dim, input.ndim)
    result = (
        dtypes.as_dtype(dtype)
        if dtype
        else input.dtype
        if input.dtype.is_floating_point
        else dtypes.DTYPES["int64"]
    )
    return run(lambda x: anp.sum(_in(x, result, input), axis=axes, keepdims=keepdim), input, dtype=result)


def _in(x: Any, dtype: dtypes.NumberType, input: Tensor) -> Any:
    """Return a value in the type of the result; half precision stays as it is computed."""
    return x if dtype is input.dtype else cast(x, dtype)


def _infer(name: str, input: Tensor, dtype: Any = None) -> None:
    if dtype is None and not input.dtype.is_floating_point:
        raise as_torch(
            RuntimeError,
            f"{name}(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {input.dtype.title}",
        )


@function
def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the mean over axes."""
    _infer("mean", input, dtype)
    axes = axes_of(dim, input.ndim)
    result = dtypes.as_dtype(dtype) if dtype else input.dtype
    return run(lambda x: anp.mean(_in(x, result, input), axis=axes, keepdims=keepdim), input, dtype=result)


@function
def prod(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the product over an axis."""
    result = input.dtype if input.dtype.is_floating_point else dtypes.DTYPES["int64"]
    if input.requires_grad and not input.array.all():
        raise unknown("prod of zeros, with a gradient")
    axes = axes_of(dim, input.ndim)
    return run(
        lambda x: anp.prod(_in(x, result, input), axis=axes, keepdims=keepdim),
        input,
        saves="ao",
        dtype=result,
    )


@function
def var(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """Return the variance over axes: divided by one less than their size, if not told otherwise."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if not input.dtype.is_floating_point:
        raise as_torch(RuntimeError, "std and var only support floating point and complex dtypes")
    axes = axes_of(dim, input.ndim)
    less = (1 if unbiased is None else int(unbiased)) if correction is None else correction
    count = product(input.shape if axes is None else [input.shape[axis] for axis in axes])

    def compute(x: Any) -> Any:
        centred = x - anp.mean(x, axis=axes, keepdims=True)
        total = anp.sum(centred * centred, axis=axes, keepdims=keepdim)
        return total / np.asarray(max(count - less, 0), getval(x).dtype)

    return run(compute, input, saves="a")


@function
def std(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """Return the standard deviation over axes."""
    return METHODS["var"](input, dim, unbiased, keepdim, correction=correction).sqrt()


class ValuesAndIndices(tuple):
    """What a function gives that gives two tensors, by name too."""

    names = ("values", "indices")

    def __getattr__(self, name: str) -> Any:
        if name in self.names:
            return self[self.names.index(name)]
        raise as_torch(
            AttributeError, f"'torch.return_types.{type(self).__name__}' object has no attribute '{name}'"
        )


def _pair(name: str, values: Tensor, indices: Any) -> ValuesAndIndices:
    kind = type(name, (ValuesAndIndices,), {"__module__": "torch.return_types", "__qualname__": name})
    return kind((values, Tensor(indices)))


def _extreme(name: str, compute: Callable[..., Any], place: Callable[..., Any]) -> None:
    def apply(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        if isinstance(dim, Tensor):
            return METHODS[f"{name}imum"](input, dim)
        if dim is None:
            if not input.numel():
                raise as_torch(
                    RuntimeError,
                    f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.",
                )
            return run(compute, input, saves="ao")
        axis = axis_of(dim, input.ndim)
        indices = np.expand_dims(place(input.array, axis=axis), axis) if input.ndim else np.asarray(0)
        values = _along(input, indices, axis)
        if keepdim or not input.ndim:
            return _pair(name, values, indices)
        return _pair(name, values.squeeze(axis), np.squeeze(indices, axis))

    def over_axes(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
        return run(lambda x: compute(x, axis=axes_of(dim, input.ndim), keepdims=keepdim), input, saves="ao")

    def index(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        if dim is None:
            return Tensor(np.asarray(place(input.array)))
        axis = axis_of(dim, input.ndim)
        return Tensor(place(input.array, axis=axis, keepdims=keepdim) if input.ndim else np.asarray(0))

    apply.__name__, over_axes.__name__, index.__name__ = name, f"a{name}", f"arg{name}"
    for one in (apply, over_axes, index):
        function(one)


_extreme("max", anp.max, np.argmax)
_extreme("min", anp.min, np.argmin)


def _truth(name: str, compute: Callable[..., Any]) -> None:
    def apply(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        return Tensor(compute(input.array != 0, axis=axes_of(dim, input.ndim), keepdims=keepdim))

    apply.__name__ = name
    function(apply)


_truth("any", np.any)
_truth("all", np.all)


@function
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """Count the numbers that are not zero."""
    return Tensor(np.sum(input.array != 0, axis=axes_of(dim, input.ndim)))


@function
def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Return the sums of all numbers up to each."""
    axis = axis_of(dim, input.ndim)
    result = (
        dtypes.as_dtype(dtype)
        if dtype
        else input.dtype
        if input.dtype.is_floating_point
        else dtypes.DTYPES["int64"]
    )
    return run(lambda x: anp.cumsum(_in(x, result, input), axis=axis), input, dtype=result)


@function
def cumprod(input: Tensor, dim: int) -> Tensor:
    """Return the products of all numbers up to each."""
    parts = METHODS["unbind"](input, dim)
    for i in range(1, len(parts)):
        parts = (*parts[:i], parts[i - 1] * parts[i], *parts[i + 1 :])
    return FUNCTIONS["stack"](parts, dim)


def shifted(x: Any, axis: Any) -> Any:
    """Return a value less its maximum along an axis, which is then 0; as it is where that is infinite."""
    largest = np.max(getval(x), axis=axis, keepdims=True)
    return x - largest, largest


@function
def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Return weights that sum to 1 along an axis."""
    input = METHODS["to"](input, dtype) if dtype is not None else input
    axis = axis_of(dim, input.ndim)
    if not input.dtype.is_floating_point:
        last = "softmax_lastdim_kernel_impl" if axis == input.ndim - 1 else "softmax_kernel_impl"
        raise as_torch(NotImplementedError, f"\"{last}\" not implemented for '{input.dtype.title}'")

    def compute(x: Any) -> Any:
        e = anp.exp(shifted(contiguous(x), axis)[0]) if input.ndim else anp.exp(x - x)
        return e / anp.sum(e, axis=axis, keepdims=True) if input.ndim else e

    return run(compute, input, saves="o")


@function
def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Return the logarithm of such weights."""
    input = METHODS["to"](input, dtype) if dtype is not None else input
    axis = axis_of(dim, input.ndim)
    if not input.dtype.is_floating_point:
        raise as_torch(
            NotImplementedError,
            f"\"log_softmax_lastdim_kernel_impl\" not implemented for '{input.dtype.title}'",
        )

    def compute(x: Any) -> Any:
        less = shifted(contiguous(x), axis)[0]
        return less - anp.log(anp.sum(anp.exp(less), axis=axis, keepdims=True))

    return run(compute, input, saves="o")


@function
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """Return the logarithm of the sum of exponentials."""
    axes = axes_of(dim, input.ndim)

    def compute(x: Any) -> Any:
        largest = np.max(getval(x), axis=axes, keepdims=True)
        largest = np.where(np.isinf(largest), np.zeros_like(largest), largest)
        total = anp.log(anp.sum(anp.exp(x - largest), axis=axes, keepdims=True)) + largest
        return total if keepdim else anp.squeeze(total, axis=axes)

    return run(compute, input, saves="ao", dtype=real(input))


@function
def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the length."""
    if p not in ("fro", 1, 2, None):
        raise unknown(f"norm with p={p!r}")
    if not input.dtype.is_floating_point:
        raise as_torch(
            RuntimeError,
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {input.dtype.title}",
        )
    axes = axes_of(dim, input.ndim)
    if p == 1:
        return run(lambda x: anp.sum(anp.abs(x), axis=axes, keepdims=keepdim), input, saves="a")

    def compute(x: Any) -> Any:
        total = anp.sum(x * x, axis=axes, keepdims=keepdim)
        is_zero = getval(total) == 0  # where PyTorch's gradient is 0
        return anp.sqrt(anp.where(is_zero, np.ones_like(getval(total)), total)) * ~is_zero

    return run(compute, input, saves="ao")


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
    return run(lambda *values: compute(*(_typed(value, inner) for value in values)), *tensors, dtype=common)


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
        sizes = [min(_whole(split_size), size - i) for i in range(0, size, split_size)]
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


# Places.
def _grid(indices: np.ndarray, axis: int) -> tuple[Any, ...]:
    places = list(np.ix_(*map(np.arange, indices.shape)))
    places[axis] = indices
    return tuple(places)


def _along(input: Tensor, indices: np.ndarray, axis: int) -> Tensor:
    if not input.ndim:
        return METHODS["clone"](input)
    return run(lambda x: x[_grid(indices, axis)], input)


def _checked(name: str, input: Tensor, axis: int, index: Tensor) -> np.ndarray:
    _tensor(name, index, "index", 3)
    if index.dtype.name not in ("int64", "int32"):
        words = (
            f"{name}(): Expected dtype int64 for index"
            if name == "gather"
            else f"{name}(): Expected dtype int32/int64 for index"
        )
        raise as_torch(RuntimeError, words)
    if index.ndim != input.ndim:
        raise as_torch(
            RuntimeError,
            "Index tensor must have the same number of dimensions as input tensor"
            if name == "gather"
            else "Index tensor must have the same number of dimensions as self tensor",
        )
    for place, (n, m) in enumerate(zip(index.shape, input.shape, strict=True)):
        if n > m and place != axis:
            raise as_torch(
                RuntimeError,
                f"Size does not match at dimension {place} expected index {list(index.shape)} to be no larger than self {list(input.shape)} apart from dimension {axis}",
            )
    bad = index.array[(index.array < 0) | (index.array >= input.shape[axis])]
    if bad.size:
        raise as_torch(
            RuntimeError,
            f"index {int(bad[0])} is out of bounds for dimension {axis} with size {input.shape[axis]}",
        )
    return index.array


@function
def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the numbers at these places along an axis."""
    axis = axis_of(dim, input.ndim)
    return _along(input, _checked("gather", input, axis, index), axis)


@function
def take_along_dim(input: Tensor, indices: Tensor, dim: int) -> Tensor:
    """Return the numbers at these places along an axis, repeated where the places need it."""
    axis = axis_of(dim, input.ndim)
    other = tuple(1 if i == axis else n for i, n in enumerate(input.shape))
    shape = broadcast(tuple(1 if i == axis else n for i, n in enumerate(indices.shape)), other)
    index = indices.expand(*(indices.shape[axis] if i == axis else n for i, n in enumerate(shape)))
    return _along(
        input.expand(*(input.shape[axis] if i == axis else n for i, n in enumerate(shape))), index.array, axis
    )


@function
def scatter(input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None) -> Tensor:
    """Put numbers at places along an axis."""
    from_number = value if src is None else src
    axis = axis_of(dim, input.ndim)
    index = index
    places = _checked("scatter", input, axis, index)
    positions = np.arange(input.array.size).reshape(input.shape)[_grid(places, axis)]
    if isinstance(from_number, Tensor) and from_number.ndim:
        if from_number.dtype is not input.dtype:
            raise as_torch(RuntimeError, "scatter(): Expected self.dtype to be equal to src.dtype")
        part = tuple(slice(n) for n in places.shape)
        return run(lambda x, y: _replaced(x, positions, y[part]), input, from_number, dtype=input.dtype)
    number = from_number.item() if isinstance(from_number, Tensor) else from_number
    return run(
        lambda x: _replaced(x, positions, np.full(positions.shape, number, getval(x).dtype)),
        input,
        dtype=input.dtype,
    )


def _replaced(whole: Any, positions: np.ndarray, new: Any) -> Any:
    return replaced(whole, positions, new, repeats=True)


@function
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Add numbers at places along an axis."""
    axis = axis_of(dim, input.ndim)
    places = _checked("scatter_add", input, axis, index)
    if src.dtype is not input.dtype:
        raise as_torch(RuntimeError, "scatter(): Expected self.dtype to be equal to src.dtype")
    flat = np.arange(input.array.size).reshape(input.shape)[_grid(places, axis)].ravel()
    onto = (np.arange(input.array.size)[:, None] == flat).astype(input.dtype.numpy)
    part = src[tuple(slice(n) for n in places.shape)]
    return run(
        lambda x, y: x + anp.reshape(anp.dot(onto.astype(getval(y).dtype), anp.reshape(y, (-1,))), x.shape),
        input,
        part,
    )


@function
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the parts at these places along an axis."""
    return input[(slice(None),) * axis_of(dim, input.ndim) + (index,)]


@function
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """Add parts at places along an axis."""
    axis = axis_of(dim, input.ndim)
    shape = [1] * input.ndim
    shape[axis] = -1
    return METHODS["scatter_add"](input, axis, index.reshape(shape).expand(*source.shape), source * alpha)


@function
def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> ValuesAndIndices:
    """Return the numbers in order along an axis, and their places."""
    axis = axis_of(dim, input.ndim)
    indices = _order(input, axis, descending)
    return _pair("sort", _along(input, indices, axis), indices)


def _order(input: Tensor, axis: int, descending: bool) -> np.ndarray:
    array = input.array
    if not descending:
        return np.argsort(array, axis=axis, kind="stable")
    # Turned round twice, equal numbers stay in their order.
    return array.shape[axis] - 1 - np.flip(np.argsort(np.flip(array, axis), axis=axis, kind="stable"), axis)


@function
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Return the places of the numbers in order."""
    return Tensor(_order(input, axis_of(dim, input.ndim), descending))


@function
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> ValuesAndIndices:
    """Return the largest numbers along an axis, and their places."""
    axis = axis_of(dim, input.ndim)
    if not 0 <= k <= (input.shape[axis] if input.ndim else 1):
        raise as_torch(RuntimeError, "selected index k out of range")
    indices = np.take(_order(input, axis, largest), np.arange(k), axis=axis)
    return _pair("topk", _along(input, indices, axis), indices)


# Products.
def _same_type(a: Tensor, b: Tensor, words: str) -> None:
    if a.dtype is not b.dtype:
        raise as_torch(RuntimeError, words)


NAMES_IN_C = {
    "float32": "float",
    "float64": "double",
    "float16": "c10::Half",
    "int64": "long int",
    "bool": "bool",
}


@function
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Return the matrix product."""
    a, b = _tensor("matmul", input), _tensor("matmul", other, "other", 2)
    if not a.ndim or not b.ndim:
        raise as_torch(
            RuntimeError,
            f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and {b.ndim}D",
        )
    _refuse_matmul(a, b)
    words = (
        "expected m1 and m2 to have the same dtype, but got: {} != {}"
        if a.ndim == b.ndim == 2
        else "expected scalar type {} but found {}"
    )
    names = [a.dtype.title, b.dtype.title]
    if a.ndim == b.ndim == 2:
        names = [NAMES_IN_C.get(one.dtype.name, one.dtype.name) for one in (a, b)]
    _same_type(a, b, words.format(*names))
    if a.dtype.name == "bool":
        raise as_torch(NotImplementedError, "\"addmm_impl_cpu_\" not implemented for 'Bool'")
    return run(anp.matmul, a, b, saves="x")


def _refuse_matmul(a: Tensor, b: Tensor) -> None:
    m, n = a.shape, b.shape
    if m[-1] == (n[0] if len(n) == 1 else n[-2]):
        broadcast(tuple(m[:-2]), tuple(n[:-2]))
        return
    if len(n) == 1:
        if len(m) == 1:
            words = f"inconsistent tensor size, expected tensor [{m[0]}] and src [{n[0]}] to have the same number of elements, but got {m[0]} and {n[0]} elements respectively"
        else:
            rows = product(m[:-1])
            words = f"size mismatch, got input ({rows}), mat ({rows}x{m[-1]}), vec ({n[0]})"
    elif len(m) <= 2 or len(n) == 2:
        words = f"mat1 and mat2 shapes cannot be multiplied ({product(m[:-1])}x{m[-1]} and {n[-2]}x{n[-1]})"
    else:
        batch = product(broadcast(tuple(m[:-2]), tuple(n[:-2])))
        words = f"Expected size for first two dimensions of batch2 tensor to be: [{batch}, {m[-1]}] but got: [{batch}, {n[-2]}]."
    raise as_torch(RuntimeError, words)


@function
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the products of matrices, batch by batch."""
    for i, one in enumerate((_tensor("bmm", input), _tensor("bmm", mat2, "mat2", 2)), 1):
        if one.ndim != 3:
            raise as_torch(RuntimeError, f"batch{i} must be a 3D tensor")
    a, b = input.shape, mat2.shape
    if (a[0], a[2]) != (b[0], b[1]):
        raise as_torch(
            RuntimeError,
            f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[2]}] but got: [{b[0]}, {b[1]}].",
        )
    _same_type(input, mat2, f"expected scalar type {input.dtype.title} but found {mat2.dtype.title}")
    return run(anp.matmul, input, mat2, saves="x")


@function
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the product of two matrices."""
    for name, one in (("self", input), ("mat2", mat2)):
        if one.ndim != 2:
            raise as_torch(RuntimeError, f"{name} must be a matrix")
    return METHODS["matmul"](input, mat2)


@function
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """Return the product of a matrix and a vector."""
    return METHODS["matmul"](input, vec)


@function
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """Return the dot product of two vectors."""
    if input.ndim != 1 or tensor.ndim != 1:
        raise as_torch(RuntimeError, f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    return METHODS["matmul"](input, tensor)


@function
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Return the product of each with each."""
    return input.unsqueeze(1) * vec2


def einsum(equation: str, *operands: Any) -> Tensor:
    """Return a sum of products, as the letters of the axes say."""
    if len(operands) == 1 and isinstance(operands[0], tuple | list):
        operands = tuple(operands[0])
    text = equation.replace(" ", "")
    left, arrow, _ = text.partition("->")
    letters = left.split(",")
    if len(letters) != len(operands):
        more = "fewer" if len(letters) > len(operands) else "more"
        raise as_torch(
            RuntimeError, f"einsum(): {more} operands were provided than specified in the equation"
        )
    if "." not in text:
        _refuse_sizes(letters, operands)
    if not set(text) <= {*string.ascii_letters, *",->."}:
        raise unknown(f"einsum of {equation!r}")
    if not arrow:
        once = sorted(one for one in set(left) - {","} if left.count(one) == 1)
        text = f"{left}->{''.join(once)}"
    kinds = {one.dtype for one in operands}
    if len(kinds) > 1:
        raise as_torch(
            RuntimeError,
            f"expected scalar type {operands[0].dtype.title} but found {operands[1].dtype.title}",
        )
    return run(lambda *values: anp.einsum(text, *values), *operands, saves="x" if len(operands) == 2 else "")


def _refuse_sizes(letters: list[str], operands: tuple[Tensor, ...]) -> None:
    sizes: dict[str, int] = {}
    for i, (names, one) in enumerate(zip(letters, operands, strict=True)):
        if len(names) != one.ndim:
            raise as_torch(
                RuntimeError,
                f"einsum(): the number of subscripts in the equation ({len(names)}) does not match the number of dimensions ({one.ndim}) for operand {i} and no ellipsis was given",
            )
        for letter, size in zip(names, one.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise as_torch(
                    RuntimeError,
                    f"einsum(): subscript {letter} has size {size} for operand {i} which does not broadcast with previously seen size {sizes[letter]}",
                )


FUNCTIONS["einsum"] = public(einsum)


@function
def cdist(input: Tensor, x2: Tensor, p: float = 2.0) -> Tensor:
    """Return the distance of each row to each row."""
    if p != 2:
        raise unknown("cdist with p")
    return METHODS["norm"](input.unsqueeze(-2) - x2.unsqueeze(-3), 2, -1)


# Copies and types.
@function
def clone(input: Tensor) -> Tensor:
    """Return a copy, through which gradients pass."""
    return run(copied, input)


@method
def contiguous_(input: Tensor) -> Tensor:
    """Return the numbers in order in memory."""
    return input if input.array.flags.c_contiguous else run(contiguous, input)


@method
def to(input: Tensor, *target: Any, dtype: Any = None, device: Any = None, copy: bool = False) -> Tensor:
    """Return the numbers in another type."""
    for one in target:
        if isinstance(one, Tensor):
            dtype = one.dtype
        elif isinstance(one, str | Device):
            device = one
        else:
            dtype = one
    if device is not None:
        Device(device)
    dtype = input.dtype if dtype is None else dtypes.as_dtype(dtype)
    if dtype is input.dtype:
        return METHODS["clone"](input) if copy else input
    return run(lambda x: cast(x, dtype), input, dtype=dtype)


def _conversion(name: str) -> None:
    def convert(input: Tensor) -> Tensor:
        return METHODS["to"](input, dtypes.ALL[name])

    convert.__name__ = name
    method(convert)


for _name in ("float", "double", "half", "long", "int", "bool"):
    _conversion(_name)


@method
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """Return the numbers in the type of another."""
    return METHODS["to"](input, other.dtype)


@method
def cpu(input: Tensor) -> Tensor:
    """Return the tensor, which lies on the processor already."""
    return input


@method
def cuda(input: Tensor, device: Any = None) -> Tensor:
    """Raise as PyTorch does where there is no GPU."""
    raise as_torch(AssertionError, "Torch not compiled with CUDA enabled")


@method
def size(input: Tensor, dim: Any = None) -> Any:
    """Return the shape, or the size of one axis."""
    return input.shape if dim is None else input.shape[axis_of(dim, input.ndim)]


@method
def dim(input: Tensor) -> int:
    """Return the number of axes."""
    return input.ndim


@function
def numel(input: Tensor) -> int:
    """Return how many numbers there are."""
    return int(input.array.size)


METHODS["nelement"] = numel
METHODS["ndimension"] = METHODS["dim"]


@method
def tolist(input: Tensor) -> Any:
    """Return Python numbers."""
    return input.array.tolist()


@function
def is_floating_point(input: Tensor) -> bool:
    """Return whether these are real numbers."""
    return input.dtype.is_floating_point


@method
def is_contiguous(input: Tensor) -> bool:
    """Return whether the numbers lie in order in memory."""
    return bool(input.array.flags.c_contiguous)


@method
def element_size(input: Tensor) -> int:
    """Return how many bytes a number has."""
    return input.dtype.itemsize


# In place.
IN_PLACE = (
    "add", "sub", "mul", "div", "pow", "exp", "log", "sqrt", "abs", "neg", "clamp", "masked_fill", "relu", "tanh",
    "sigmoid", "floor", "round", "scatter", "scatter_add", "index_add", "tril", "triu", "square", "reciprocal", "lerp",
)  # fmt: skip


def _in_place(name: str, compute: Callable[..., Any]) -> None:
    def write(input: Tensor, *arguments: Any, **more: Any) -> Tensor:
        new = compute(input, *arguments, **more)
        return put_result(input, new)

    write.__name__ = name
    METHODS[name] = public(write)


def put_result(input: Tensor, new: Tensor) -> Tensor:
    """Put a result in the place of a tensor."""
    if (new.dtype.is_floating_point, new.dtype.name != "bool") > (
        input.dtype.is_floating_point,
        input.dtype.name != "bool",
    ):
        raise as_torch(
            RuntimeError,
            f"result type {new.dtype.title} can't be cast to the desired output type {input.dtype.title}",
        )
    if new.shape != input.shape:
        raise as_torch(
            RuntimeError,
            f"output with shape {list(input.shape)} doesn't match the broadcast shape {list(new.shape)}",
        )
    return input._write(value_of(new, input.dtype))


for _name in IN_PLACE:
    _in_place(f"{_name}_", METHODS[_name])


@method
def fill__(input: Tensor, value: Any) -> Tensor:
    """Put one number everywhere."""
    number = value.item() if isinstance(value, Tensor) else value
    return input._write(np.full(input.shape, number, input.dtype.numpy))


METHODS["fill_"] = METHODS.pop("fill")
METHODS["zero_"] = public(lambda input: METHODS["fill_"](input, 0))

# Python's own signs.
SIGNS = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floor_divide", "mod": "remainder", "pow": "pow", "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}  # fmt: skip


def _sign(sign: str, name: str) -> None:
    compute = METHODS[name]
    takes_numbers = name != "matmul"

    def fits(other: Any) -> bool:
        return operand(other) and (takes_numbers or isinstance(other, Tensor))

    def forward(self: Tensor, other: Any) -> Any:
        return compute(self, other) if fits(other) else NotImplemented

    def backward(self: Tensor, other: Any) -> Any:
        return compute(other, self) if fits(other) else NotImplemented

    def in_place(self: Tensor, other: Any) -> Any:
        return put_result(self, compute(self, other)) if fits(other) else NotImplemented

    setattr(Tensor, f"__{sign}__", forward)
    setattr(Tensor, f"__r{sign}__", backward)
    if sign not in ("matmul",):
        setattr(Tensor, f"__i{sign}__", in_place)


for _sign_name, _name in SIGNS.items():
    _sign(_sign_name, _name)


def _compared(name: str) -> None:
    compute = METHODS[name]

    def forward(self: Tensor, other: Any) -> Any:
        if other is None and name in ("eq", "ne"):
            return name == "ne"
        return compute(self, other) if operand(other) else NotImplemented

    setattr(Tensor, f"__{name}__", forward)


for _name in COMPARISONS:
    _compared(_name)
for _sign_name, _compute in {
    "neg": METHODS["neg"],
    "abs": METHODS["abs"],
    "invert": METHODS["bitwise_not"],
    "pos": lambda input: input,
}.items():
    setattr(Tensor, f"__{_sign_name}__", _compute)
ALIASES = {"subtract": "sub", "multiply": "mul", "divide": "div", "absolute": "abs", "negative": "neg", "clip": "clamp", "greater": "gt", "less": "lt", "true_divide": "div"}  # fmt: skip
for _name, _original in ALIASES.items():
    FUNCTIONS[_name] = METHODS[_name] = METHODS[_original]
for _name, _compute in METHODS.items():
    setattr(Tensor, _name, _compute)
FUNCTIONS["detach"] = lambda input: input.detach()


def linalg_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the length of vectors."""
    return METHODS["norm"](x, ord, dim, keepdim)
