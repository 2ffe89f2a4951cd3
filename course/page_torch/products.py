"""Products of matrices, and sums of products."""

import string
from math import prod
from typing import Any

import autograd.numpy as anp

from course.page_torch.arguments import broadcast, function, in_torch, register, require_tensor
from course.page_torch.errors import as_torch, require, unknown
from course.page_torch.tensor import Tensor, run


@function
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Return the matrix product."""
    require_tensor(input, "matmul", "input", 1)
    require_tensor(other, "matmul", "other", 2)
    _refuse_shapes(input.shape, other.shape)
    a, b = input.dtype, other.dtype
    if input.ndim == other.ndim == 2:
        require(a is b, "matrices_dtype", a.name_in_c, b.name_in_c)
    require(a is b, "scalar_type", a.title, b.title)
    require(a.name != "bool", "not_implemented", "addmm_impl_cpu_", "Bool")
    return run(anp.matmul, input, other, saves="AB")


def _refuse_shapes(m: Any, n: Any) -> None:
    if m[-1] == (n[0] if len(n) == 1 else n[-2]):
        broadcast(m[:-2], n[:-2])
    elif len(n) == 1:
        raise as_torch("matrix_and_vector", prod(m[:-1]), prod(m[:-1]), m[-1], n[0])
    elif len(m) <= 2 or len(n) == 2:
        raise as_torch("matrices", prod(m[:-1]), m[-1], n[-2], n[-1])
    else:
        batch = prod(broadcast(m[:-2], n[:-2]))
        raise as_torch("batches", batch, m[-1], batch, n[-2])


@function
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the products of matrices, batch by batch."""
    for position, (name, one) in enumerate((("input", input), ("mat2", mat2)), 1):
        require_tensor(one, "bmm", name, position)
        require(one.ndim == 3, "batch", position)
    a, b = input.shape, mat2.shape
    require((a[0], a[2]) == (b[0], b[1]), "batches", a[0], a[2], b[0], b[1])
    return input.matmul(mat2)


def _of_axes(name: str, *axes: int) -> None:
    def apply(input: Tensor, other: Tensor) -> Tensor:
        if (input.ndim, other.ndim) != axes:
            raise unknown(f"{name} of {input.ndim} and {other.ndim} axes")
        return input.matmul(other)

    function(apply, name)


_of_axes("mm", 2, 2)
_of_axes("mv", 2, 1)
_of_axes("dot", 1, 1)
register(
    function,
    {
        "outer": lambda input, vec2: input.unsqueeze(1) * vec2,
        "cdist": lambda input, x2: (input.unsqueeze(-2) - x2.unsqueeze(-3)).norm(2, -1),
    },
)


@in_torch
def einsum(equation: str, *operands: Any) -> Tensor:
    """Return a sum of products, as the letters of the axes say."""
    if len(operands) == 1 and isinstance(operands[0], tuple | list):
        operands = tuple(operands[0])
    text = equation.replace(" ", "")
    left, arrow, _ = text.partition("->")
    letters = left.split(",")
    sizes: dict[str, int] = {}
    for i, (names, one) in enumerate(zip(letters, operands, strict=True)):
        for letter, size in zip(names, one.shape, strict=True) if "." not in text else ():
            earlier = sizes.setdefault(letter, size)
            require(earlier == size, "einsum_sizes", letter, size, i, earlier)
    if not set(text) <= {*string.ascii_letters, *",->."}:
        raise unknown(f"einsum of {equation!r}")
    if not arrow:
        once = sorted(one for one in set(left) - {","} if left.count(one) == 1)
        text = f"{left}->{''.join(once)}"
    for one in operands[1:]:
        require(one.dtype is operands[0].dtype, "scalar_type", operands[0].dtype.title, one.dtype.title)
    return run(lambda *values: anp.einsum(text, *values), *operands, saves="AB" if len(operands) == 2 else "")
