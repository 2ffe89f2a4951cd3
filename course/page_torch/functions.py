"""Functions of numbers, one by one: those of `torch`, and tensors' methods; what the other modules register theirs with."""

from collections.abc import Callable
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.tracer import getval

from course.page_torch import dtypes
from course.page_torch.errors import as_torch, public, unknown
from course.page_torch.tape import copied, sigmoid_values
from course.page_torch.tensor import Tensor, cast, run, whole_numbers

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
    return [one.item() if isinstance(one, Tensor) else whole_size(one) for one in sizes]


def whole_size(one: Any) -> int:
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
        return compute(*(typed(one, inner) for one in pair))

    return run(
        computed, *(one for one in (a, b) if isinstance(one, Tensor)), saves=saves, dtype=dtype or common
    )


def typed(value: Any, numpy: Any) -> Any:
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
    return binary(
        anp.maximum, tensor_of("maximum", input), tensor_of("maximum", other, "other", 2), saves="ab"
    )


@function
def minimum(input: Tensor, other: Tensor) -> Tensor:
    """Return the smaller of each two."""
    return binary(
        anp.minimum, tensor_of("minimum", input), tensor_of("minimum", other, "other", 2), saves="ab"
    )


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


def tensor_of(name: str, value: Any, argument: str = "input", position: int = 1) -> Tensor:
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
    tensor_of("where", condition, "condition")
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
    tensor_of("masked_fill", mask, "mask", 2)
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
        lambda x, v=value: chosen_of(chosen, typed(v, getval(x).dtype), x), *tensors, dtype=input.dtype
    )


@function
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Return where numbers are not zero."""
    places = np.nonzero(input.array)
    return tuple(map(whole_numbers, places)) if as_tuple else whole_numbers(np.stack(places, axis=-1))


@function
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """Return the numbers where the mask holds."""
    chosen = np.broadcast_to(mask.array, input.shape)
    return run(lambda x: x[chosen], input)
