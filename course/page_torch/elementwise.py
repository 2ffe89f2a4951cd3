"""Functions of numbers, one by one or two by two: arithmetic, comparisons, choices."""

import operator
from collections.abc import Callable
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.tracer import getval

from course.page_torch import dtypes
from course.page_torch.arguments import (
    FUNCTIONS,
    broadcast,
    function,
    in_torch,
    method,
    on_values,
    register,
    require_tensor,
)
from course.page_torch.errors import as_torch, require, unknown
from course.page_torch.tape import sigmoid_values
from course.page_torch.tensor import Tensor, run, spread, typed, whole_numbers


def _step(name: str) -> Callable[..., Any]:
    """Return a function of NumPy whose gradient is 0; autograd has none of it."""
    return lambda x: anp.where(np.ones(x.shape, bool), getattr(np, name)(getval(x)), x)


# Of one number: what the gradient needs (`run` of `course.page_torch.tensor`), and the functions.
REAL: dict[str, dict[str, Callable[..., Any]]] = {
    "a": {name: getattr(anp, name) for name in ("log", "log2", "log10", "log1p", "sin", "cos")},
    "o": {name: getattr(anp, name) for name in ("exp", "expm1", "sqrt", "tan", "tanh")}
    | {"sigmoid": sigmoid_values, "rsqrt": lambda x: 1 / anp.sqrt(x), "reciprocal": lambda x: 1 / x},
    "": {"deg2rad": anp.deg2rad},
}
# These keep whole numbers.
KEEPING: dict[str, dict[str, Callable[..., Any]]] = {
    "a": {"abs": anp.abs, "square": lambda x: x * x},
    "o": {"relu": lambda x: anp.where(x <= 0, 0 * getval(x), x)},
    "": {"negative": anp.negative} | {name: _step(name) for name in ("sign", "floor", "ceil", "trunc")},
}


def _of_one(name: str, compute: Callable[..., Any], saves: str, keeps: bool) -> None:
    def apply(input: Tensor) -> Tensor:
        is_real = input.dtype.is_floating_point
        if keeps and input.dtype is dtypes.BOOL:
            raise as_torch("neg_bool") if name == "negative" else unknown(f"{name} of a mask")
        dtype = input.dtype if keeps or is_real else dtypes.get_default_dtype()
        return run(lambda x: compute(typed(x, dtype)), input, saves=saves, dtype=dtype)

    function(apply, name)


for _keeps, _table in ((False, REAL), (True, KEEPING)):
    for _saves, _functions in _table.items():
        for _name, _compute in _functions.items():
            _of_one(_name, _compute, _saves, _keeps)


def _round(x: Any, *, decimals: int = 0) -> Any:
    return anp.where(np.ones(x.shape, bool), np.round(getval(x), decimals), x)


def _nan_to_num(x: Any, **more: Any) -> Any:
    return anp.where(np.isfinite(getval(x)), x, np.nan_to_num(getval(x), **more))


def is_operand(value: Any) -> bool:
    """Return whether a value may stand in a sum with a tensor."""
    if isinstance(value, np.ndarray):
        raise unknown("Tensor, met with numpy.ndarray")
    return isinstance(value, Tensor | int | float | np.number | np.bool_)


def binary(
    compute: Callable[..., Any], a: Any, b: Any, saves: str = "", dtype: Any = None, is_real: bool = False
) -> Tensor:
    """Return what a function gives of two tensors, or of one and a number. is_real: whether whole numbers become real."""
    common = dtypes.result_type(a, b)
    if is_real and not common.is_floating_point:
        common = dtypes.get_default_dtype()
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        broadcast(a.shape, b.shape)
    return run(
        lambda x, y: compute(typed(x, common), typed(y, common)), a, b, saves=saves, dtype=dtype or common
    )


# What raises before two numbers are computed with.
def _refuse_bools(name: str, a: Any, b: Any) -> None:
    flags = [dtypes.result_type(one) is dtypes.BOOL for one in (a, b)]
    require(not all(flags), "sub_bools")
    require(not any(flags), "sub_bool")


def _refuse_whole_zeros(name: str, a: Any, b: Any) -> None:
    is_real = dtypes.result_type(a, b).is_floating_point
    require(is_real or np.all(b.array if isinstance(b, Tensor) else b), "zero_division")


def _refuse_real(name: str, a: Any, b: Any) -> None:
    common = dtypes.result_type(a, b)
    require(not common.is_floating_point, "not_implemented", f"{name}_cpu", common.title)


def _refuse_numbers(name: str, a: Any, b: Any) -> None:
    require_tensor(a, name, "input", 1)
    require_tensor(b, name, "other", 2)


# Of two numbers: the function, what its gradient needs, and what raises before.
ARITHMETIC: dict[str, tuple[Any, ...]] = {
    "add": (lambda a, b: a + b, ""),
    "sub": (lambda a, b: a - b, "", _refuse_bools),
    "mul": (lambda a, b: a * b, "AB"),
    "floor_divide": (anp.floor_divide, "", _refuse_whole_zeros),
    "remainder": (anp.remainder, "B", _refuse_whole_zeros),
    "maximum": (anp.maximum, "ab", _refuse_numbers),
    "minimum": (anp.minimum, "ab", _refuse_numbers),
    "logaddexp": (anp.logaddexp, "ab"),
    "bitwise_and": (np.bitwise_and, "", _refuse_real),
    "bitwise_or": (np.bitwise_or, "", _refuse_real),
    "bitwise_xor": (np.bitwise_xor, "", _refuse_real),
}


TRUTHS = {name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")} | {
    name: getattr(anp, name) for name in ("logical_and", "logical_or", "logical_xor")
}


def _of_two(
    name: str, compute: Callable[..., Any], saves: str = "", refuse: Any = None, dtype: Any = None
) -> None:
    def apply(input: Any, other: Any) -> Tensor:
        if refuse:
            refuse(name, input, other)
        return binary(compute, input, other, saves, dtype)

    function(apply, name)


for _name, _rule in ARITHMETIC.items():
    _of_two(_name, *_rule)
for _name, _compute in TRUTHS.items():
    _of_two(_name, _compute, dtype=dtypes.BOOL)


@function
def div(input: Any, other: Any, *, rounding_mode: Any = None) -> Tensor:
    """Return the quotient."""
    if rounding_mode == "floor":
        return FUNCTIONS["floor_divide"](input, other)
    if rounding_mode is not None:
        raise unknown(f"div with rounding_mode={rounding_mode!r}")
    return binary(lambda a, b: a / b, input, other, "Ab", is_real=True)


@function
def pow_(input: Any, exponent: Any) -> Tensor:
    """Return the power."""
    is_real = dtypes.result_type(input, exponent).is_floating_point
    require(is_real or not isinstance(exponent, int) or exponent >= 0, "negative_power")
    if isinstance(exponent, Tensor):
        return binary(anp.power, input, exponent, "ab" if isinstance(input, Tensor) else "o")
    short = {2: lambda a, b: a * a, 0.5: lambda a, b: anp.sqrt(a)}
    return binary(short.get(exponent, anp.power), input, exponent, "" if exponent in (0, 1) else "a")


@function
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Return numbers that are not below, and not above."""
    require(min is not None or max is not None, "clamp")
    if min is not None:
        input = binary(lambda a, b: chosen_of(a < b, b, a), input, min, "a")
    return input if max is None else binary(lambda a, b: chosen_of(a > b, b, a), input, max, "a")


def _close(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8) -> Tensor:
    if input.dtype is not other.dtype:
        raise unknown("isclose of two types")
    return Tensor(np.isclose(input.array, other.array, rtol=rtol, atol=atol))


def _inverted(input: Tensor) -> Tensor:
    require(not input.dtype.is_floating_point, "invert")
    return Tensor(~input.array)


register(
    function,
    {
        "round": on_values(_round),
        "nan_to_num": on_values(_nan_to_num),
        "isnan": lambda input: Tensor(np.isnan(input.array)),
        "isinf": lambda input: Tensor(np.isinf(input.array)),
        "isfinite": lambda input: Tensor(np.isfinite(input.array)),
        "logical_not": lambda input: Tensor(input.array == 0),
        "bitwise_not": _inverted,
        "isclose": _close,
        "allclose": lambda input, other, **more: bool(_close(input, other, **more).all()),
        "equal": lambda input, other: bool(np.array_equal(input.array, other.array)),
        "lerp": lambda input, end, weight: input + (end - input) * weight,
        "masked_select": lambda input, mask: input[mask.expand_as(input)],
    },
)


# Choices.
def chosen_of(mask: np.ndarray, a: Any, b: Any) -> Any:
    """Return a where the mask holds and b elsewhere, all repeated to one shape: autograd's rule sums no gradient."""
    shape = np.broadcast_shapes(mask.shape, *(np.shape(getval(x)) for x in (a, b)))
    return anp.where(mask, spread(a, shape), spread(b, shape))


@in_torch
def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """Return the one where the condition holds, and the other elsewhere."""
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    require_tensor(condition, "where", "condition", 1)
    require(condition.dtype is dtypes.BOOL, "where_condition", condition.dtype.title)
    for one in (input, other):
        if isinstance(one, Tensor):
            broadcast(condition.shape, one.shape)
    return binary(lambda a, b: chosen_of(condition.array, a, b), input, other)


method(lambda input, condition, other: where(condition, input, other), "where")


@function
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Put one number where the mask holds."""
    require_tensor(mask, "masked_fill", "mask", 2)
    require(mask.dtype is dtypes.BOOL, "fill_mask", mask.dtype.name_in_c)
    broadcast(mask.shape, input.shape)
    if isinstance(value, Tensor):
        require(not value.ndim, "fill_value", value.ndim)
    else:
        kind, is_whole = input.dtype, not input.dtype.is_floating_point
        is_infinite = isinstance(value, float) and np.isinf(value)
        overflows = is_infinite if is_whole else kind is dtypes.HALF and 65504 < abs(value) < np.inf
        require(not overflows, "overflow", "int64_t" if is_whole else kind.name_in_c)

    def fill(x: Any, number: Any) -> Any:
        return chosen_of(mask.array, typed(number, dtypes.of_numpy(getval(x).dtype)), x)

    return run(fill, input, value, dtype=input.dtype)


@function
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Return where numbers are not zero."""
    places = np.nonzero(input.array)
    return tuple(map(whole_numbers, places)) if as_tuple else whole_numbers(np.stack(places, axis=-1))


for _name, _alias in {
    "abs": "absolute",
    "negative": "neg",
    "sub": "subtract",
    "mul": "multiply",
    "div": "divide",
    "clamp": "clip",
}.items():
    function(FUNCTIONS[_name], _alias)
