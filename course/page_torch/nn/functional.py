"""What stands for torch.nn.functional."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.tracer import getval

from course.page_torch import methods  # noqa: F401  # with which all functions are there
from course.page_torch.arguments import FUNCTIONS
from course.page_torch.creation import random_numbers
from course.page_torch.errors import as_torch, public, require, unknown
from course.page_torch.tape import erf_values, sigmoid_values
from course.page_torch.tensor import Tensor, run, whole_numbers

F: dict[str, Callable[..., Any]] = {name: FUNCTIONS[name] for name in ("relu", "tanh", "sigmoid")}


def functional(definition: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """Put a function into torch.nn.functional."""
    definition.__name__ = name or definition.__name__
    F[definition.__name__] = public(definition)
    return F[definition.__name__]


# Layers.
def _with_usual_axis(name: str) -> None:
    def apply(input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
        if dim is None:
            warnings.warn(
                f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
                stacklevel=4,
            )
            dim = 0 if input.ndim in (0, 1, 3) else 1
        return FUNCTIONS[name](input, dim, dtype)

    functional(apply, name)


_with_usual_axis("softmax")
_with_usual_axis("log_softmax")


@functional
def linear(input: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    """Return the input times the transposed weights, plus the bias."""
    if weight.ndim != 2 or not input.ndim:
        raise unknown("nn.functional.linear of such shapes")
    n, (width, m) = input.shape[-1], weight.shape
    if n != m and input.ndim == 1:
        raise as_torch("matrix_and_vector", width, width, m, n)
    require(n == m, "matrices", math.prod(input.shape[:-1]), n, m, width)
    require(input.dtype is weight.dtype, "linear_dtype", input.dtype.title, weight.dtype.title)
    product = run(lambda x, w: anp.matmul(x, anp.swapaxes(w, 0, 1)), input, weight, saves="AB")
    return product if bias is None else product + bias


@functional
def embedding(input: Tensor, weight: Tensor, padding_idx: Any = None) -> Tensor:
    """Return the rows of a table."""
    require(isinstance(input, Tensor), "no_tensor", "embedding", "indices", 2, type(input).__name__)
    require(input.dtype.name in ("int64", "int32"), "embedding_dtype", input.dtype.title)
    rows = input.array
    require(((rows >= 0) & (rows < weight.shape[0])).all(), "embedding")
    if padding_idx is None:
        return run(lambda w: w[rows], weight)
    is_padding = (rows == padding_idx % weight.shape[0])[..., None]
    return run(lambda w: anp.where(is_padding, getval(w)[rows], w[rows]), weight)


@functional
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return a row with one 1 for each number."""
    require(tensor.dtype.name == "int64", "one_hot_dtype")
    count = int(tensor.array.max()) + 1 if num_classes == -1 else num_classes
    require((tensor.array >= 0).all(), "one_hot_negative")
    require((tensor.array < count).all(), "one_hot_large")
    return whole_numbers(tensor.array[..., None] == np.arange(count))


def _scaled(result: Tensor, weight: Any, bias: Any = None) -> Tensor:
    result = result if weight is None else result * weight
    return result if bias is None else result + bias


@functional
def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Tensor:
    """Return the input with mean 0 and variance 1 over its last axes, times the weights, plus the bias."""
    shape, size = [*normalized_shape], [*input.shape]
    require(size[-len(shape) :] == shape, "normalized_shape", shape, ", ".join(map(str, shape)), size)
    axes = tuple(range(input.ndim - len(shape), input.ndim))

    def compute(x: Any) -> Any:
        centred = x - anp.mean(x, axis=axes, keepdims=True)
        variance = anp.mean(centred * centred, axis=axes, keepdims=True)
        return centred / anp.sqrt(variance + eps)

    return _scaled(run(compute, input, saves="a"), weight, bias)


@functional
def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Tensor:
    """Return the input divided by the root of the mean of its squares over its last axes."""
    axes = tuple(range(-len(normalized_shape), 0))
    eps = float(np.finfo(input.dtype.numpy).eps) if eps is None else eps
    return _scaled(input * ((input * input).mean(axes, keepdim=True) + eps).rsqrt(), weight)


@functional
def dropout(input: Any, p: float = 0.5, training: bool = True) -> Tensor:
    """Put zeros in random places, and make up for them in the others, while training."""
    require(0 <= p <= 1, "dropout", p)
    if not training or p == 0:
        return input
    keeps = (random_numbers().random(input.shape) >= p) / (1 - p if p < 1 else 1)
    return input * Tensor(keeps.astype(input.dtype.numpy))


@functional
def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, *, is_causal: bool = False, scale: Any = None
) -> Tensor:
    """Return scaled dot-product attention."""
    scores = query @ key.mT * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        attn_mask = Tensor(np.tril(np.ones(scores.shape[-2:], bool)))
    if attn_mask is not None:
        is_mask = attn_mask.dtype.name == "bool"
        scores = scores.masked_fill(~attn_mask, -math.inf) if is_mask else scores + attn_mask
    return scores.softmax(-1) @ value


# Activations.
def _gelu(x: Any, approximate: str = "none") -> Any:
    if approximate == "tanh":
        return 0.5 * x * (1 + anp.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))
    if approximate != "none":
        raise unknown(f"nn.functional.gelu with {approximate!r}")
    return 0.5 * x * (1 + erf_values(x * math.sqrt(0.5)))


ACTIVATIONS: dict[str, Callable[..., Any]] = {
    "silu": lambda x: x * sigmoid_values(x),
    "softplus": lambda x: anp.where(x > 20, x, anp.logaddexp(0.0, x)),
    "elu": lambda x, alpha=1.0: anp.where(x > 0, x, alpha * anp.expm1(anp.where(x > 0, 0 * getval(x), x))),
    "leaky_relu": lambda x, negative_slope=0.01: anp.where(x > 0, x, negative_slope * x),
    "gelu": _gelu,
}


def _activation(name: str, compute: Callable[..., Any]) -> None:
    def apply(input: Tensor, *arguments: Any, **more: Any) -> Tensor:
        if not input.dtype.is_floating_point:
            raise unknown(f"nn.functional.{name} of whole numbers")
        return run(lambda x: compute(x, *arguments, **more), input, saves="a", dtype=input.dtype)

    functional(apply, name)


for _name, _compute in ACTIVATIONS.items():
    _activation(_name, _compute)


@functional
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Divide by the length along an axis."""
    return input / input.norm(p, dim, True).clamp(min=eps).expand_as(input)


@functional
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Return the cosine of the angle."""
    lengths = [one.norm(2, dim, True).clamp(min=eps) for one in (x1, x2)]
    return ((x1 / lengths[0]) * (x2 / lengths[1])).sum(dim)


@functional
def pad(input: Tensor, pad: Any, mode: str = "constant", value: Any = 0) -> Tensor:
    """Put numbers around, the last axis first."""
    if mode != "constant" or any(n < 0 for n in pad):
        raise unknown("nn.functional.pad, called like this")
    pairs = [*zip(pad[::2], pad[1::2], strict=True)]
    widths = [(0, 0)] * (input.ndim - len(pairs)) + pairs[::-1]
    shape = [n + before + after for n, (before, after) in zip(input.shape, widths, strict=True)]
    place = tuple(slice(before, before + n) for n, (before, _) in zip(input.shape, widths, strict=True))
    result = Tensor(np.full(shape, value or 0, input.dtype.numpy))
    result[place] = input
    return result


# Losses.
def _reduced(losses: Tensor, reduction: str, count: Any = None) -> Tensor:
    require(reduction in ("none", "sum", "mean"), "reduction", reduction)
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else losses.mean() if count is None else losses.sum() / count


@functional
def cross_entropy(
    input: Tensor, target: Tensor, *, ignore_index: int = -100, reduction: str = "mean"
) -> Tensor:
    """Return the cross-entropy of logits against targets."""
    if target.dtype.is_floating_point:
        raise unknown("nn.functional.cross_entropy with probabilities")
    require(target.dtype.name == "int64", "scalar_type", "Long", target.dtype.title)
    axis = 1 if input.ndim > 1 else 0
    if axis and target.ndim:
        require(target.shape[0] == input.shape[0], "batch_sizes", input.shape[0], target.shape[0])
    if target.shape != (*input.shape[:axis], *input.shape[axis + 1 :]):
        raise unknown("nn.functional.cross_entropy of such shapes")
    is_ignored = target.array == ignore_index
    places = np.where(is_ignored, 0, target.array)
    fits = ((places >= 0) & (places < input.shape[axis])).all()
    require(fits, "target", int(places.max(initial=0)))
    index = whole_numbers(np.expand_dims(places, axis))
    losses = -input.log_softmax(axis).gather(axis, index).squeeze(axis).masked_fill(Tensor(is_ignored), 0)
    return _reduced(losses, reduction, int((~is_ignored).sum()))


@functional
def mse_loss(input: Any, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """Return the mean of squared differences."""
    if input.shape != target.shape:
        raise unknown("nn.functional.mse_loss of two shapes")
    return _reduced((input - target) ** 2, reduction)


@functional
def binary_cross_entropy_with_logits(input: Any, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """Return the cross-entropy of logits against zeros and ones."""
    require(input.shape == target.shape, "target_size", [*target.shape], [*input.shape])
    return _reduced(F["softplus"](input) - input * target, reduction)
