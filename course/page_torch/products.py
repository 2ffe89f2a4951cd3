"""Products of matrices, and sums of products."""

import string
from math import prod as product
from typing import Any

import autograd.numpy as anp

from course.page_torch.errors import as_torch, public, unknown
from course.page_torch.functions import FUNCTIONS, METHODS, broadcast, function, tensor_of
from course.page_torch.tensor import Tensor, run


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
    a, b = tensor_of("matmul", input), tensor_of("matmul", other, "other", 2)
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
    for i, one in enumerate((tensor_of("bmm", input), tensor_of("bmm", mat2, "mat2", 2)), 1):
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
