"""Types of numbers, and which type two of them give."""

from typing import Any

import numpy as np

from course.page_torch.errors import unknown


class NumberType:
    """A type of numbers, such as torch.float32."""

    def __init__(self, name: str, title: str, name_in_c: str) -> None:
        self.name, self.title, self.name_in_c, self.numpy = name, title, name_in_c, np.dtype(name)
        self.is_floating_point, self.is_complex = self.numpy.kind == "f", False
        self.itemsize = self.numpy.itemsize

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return of_numpy, (self.numpy,)


# By their names, as PyTorch's messages call them.
TITLES = {
    "float32": ("Float", "float"),
    "float64": ("Double", "double"),
    "float16": ("Half", "c10::Half"),
    "int64": ("Long", "long int"),
    "int32": ("Int", "int"),
    "int8": ("Char", "signed char"),
    "uint8": ("Byte", "unsigned char"),
    "bool": ("Bool", "bool"),
}
DTYPES = {name: NumberType(name, *titles) for name, titles in TITLES.items()}
SINGLE, HALF, LONG, BOOL = (DTYPES[name] for name in ("float32", "float16", "int64", "bool"))
SHORT = {"float": SINGLE, "double": DTYPES["float64"], "half": HALF, "long": LONG, "int": DTYPES["int32"]}
ALL = DTYPES | SHORT
NumberType.__name__, NumberType.__module__ = "dtype", "torch"
_default = [SINGLE]


def get_default_dtype() -> NumberType:
    """Return the type of new real numbers."""
    return _default[0]


def set_default_dtype(d: NumberType) -> None:
    """Set the type of new real numbers."""
    _default[0] = d


def of_numpy(dtype: Any) -> NumberType:
    """Return the type that NumPy calls so."""
    try:
        return DTYPES[np.dtype(dtype).name]
    except (KeyError, TypeError):
        raise unknown(str(dtype)) from None


def as_dtype(dtype: Any, usual: NumberType | None = None) -> NumberType:
    """Return a type that is handed over: Python's words for one count too. usual: the type where none is."""
    if dtype is None:
        return usual or get_default_dtype()
    if isinstance(dtype, NumberType):
        return dtype
    python = {"float": "float64", "int": "int64", "bool": "bool"}
    if isinstance(dtype, type) and dtype.__name__ in python:
        return DTYPES[python[dtype.__name__]]
    raise unknown(f"dtype {dtype!r}")


def of_number(number: Any) -> NumberType:
    """Return the type that a Python number has among tensors."""
    if isinstance(number, bool | np.bool_):
        return BOOL
    if isinstance(number, int | np.integer):
        return LONG
    if isinstance(number, float | np.floating):
        return get_default_dtype()
    raise unknown(f"Tensor, met with {type(number).__name__}")


def _category(dtype: NumberType) -> int:
    return "biuf".index(dtype.numpy.kind) if dtype.numpy.kind != "u" else 1


def promoted(a: NumberType, b: NumberType) -> NumberType:
    """Return the type of the sum of two tensors."""
    if a.is_floating_point != b.is_floating_point:
        return a if a.is_floating_point else b
    return of_numpy(np.promote_types(a.numpy, b.numpy))


def result_type(*operands: Any) -> NumberType:
    """Return the type that operands give together: numbers, and tensors without axes, change only its category."""
    levels: list[NumberType | None] = [None, None, None]
    for operand in operands:
        is_tensor = hasattr(operand, "dtype") and hasattr(operand, "requires_grad")
        level = 2 if not is_tensor else 0 if operand.ndim else 1
        dtype = operand.dtype if is_tensor else of_number(operand)
        previous = levels[level]
        levels[level] = dtype if previous is None else promoted(previous, dtype)
    first, *later = [dtype for dtype in levels if dtype is not None]
    for dtype in later:
        if _category(dtype) > _category(first):
            first = promoted(first, dtype)
    return first


class NumberLimits:
    """The limits of a type of numbers: torch.finfo(x.dtype).min."""

    def __init__(self, dtype: Any = None) -> None:
        numpy = as_dtype(dtype).numpy
        info: Any = np.finfo(numpy) if numpy.kind == "f" else np.iinfo(numpy)
        number = float if numpy.kind == "f" else int
        self.min, self.max, self.bits = number(info.min), number(info.max), info.bits
        if numpy.kind == "f":
            self.eps, self.tiny = float(info.eps), float(info.tiny)
            self.smallest_normal = self.tiny

    def __getattr__(self, name: str) -> Any:
        raise unknown(f"finfo.{name}")
