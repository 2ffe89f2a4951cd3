"""What stands for torch.nn.functional."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.tracer import getval

from course.page_torch.creation import random_numbers
from course.page_torch.errors import as_torch, public, unknown
from course.page_torch.functions import FUNCTIONS, METHODS
from course.page_torch.tape import erf_values, sigmoid_values
from course.page_torch.tensor import Tensor, run

F: dict[str, Callable[..., Any]] = {name: FUNCTIONS[name] for name in ("relu", "tanh", "sigmoid")}


def functional(definition: Callable[..., Any]) -> Callable[..., Any]:
    """Put a function into torch.nn.functional."""
    definition.__name__ = definition.__name__.rstrip("_")
    F[definition.__name__] = public(definition)
    return F[definition.__name__]


def _with_usual_axis(name: str) -> None:
    def apply(input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
        if dim is None:
            warnings.warn(
                f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
                stacklevel=4,
            )
            dim = 0 if input.ndim in (0, 1, 3) else 1
        return METHODS[name](input, dim, dtype)

    apply.__name__ = name
    functional(apply)


_with_usual_axis("softmax")
_with_usual_axis("log_softmax")


@functional
def linear(input: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    """Return the input times the transposed weights, plus the bias."""
    if weight.ndim != 2 or not input.ndim:
        raise unknown("nn.functional.linear of such shapes")
    rows, n, m = math.prod(input.shape[:-1]), input.shape[-1], weight.shape[1]
    if n != m:
        words = (
            f"size mismatch, got input ({weight.shape[0]}), mat ({weight.shape[0]}x{m}), vec ({n})"
            if input.ndim == 1
            else f"mat1 and mat2 shapes cannot be multiplied ({rows}x{n} and {m}x{weight.shape[0]})"
        )
        raise as_torch(RuntimeError, words)
    if input.dtype is not weight.dtype:
        names = {"float32": "Float", "float64": "Double", "float16": "Half"}
        raise as_torch(
            RuntimeError,
            f"mat1 and mat2 must have the same dtype, but got {names.get(input.dtype.name, input.dtype.title)} and {weight.dtype.title}",
        )
    product = run(lambda x, w: anp.matmul(x, anp.swapaxes(w, 0, 1)), input, weight, saves="x")
    return product if bias is None else product + bias


@functional
def embedding(input: Tensor, weight: Tensor, padding_idx: Any = None) -> Tensor:
    """Return the rows of a table."""
    if not isinstance(input, Tensor):
        raise as_torch(
            TypeError,
            f"embedding(): argument 'indices' (position 2) must be Tensor, not {type(input).__name__}",
        )
    if input.dtype.name not in ("int64", "int32"):
        raise as_torch(
            RuntimeError,
            f"Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.{input.dtype.title}Tensor instead (while checking arguments for embedding)",
        )
    rows = input.array
    if rows.size and (rows.min() < 0 or rows.max() >= weight.shape[0]):
        raise as_torch(IndexError, "index out of range in self")
    if padding_idx is None:
        return run(lambda w: w[rows], weight)
    is_padding = (rows == padding_idx % weight.shape[0])[..., None]
    return run(lambda w: anp.where(is_padding, getval(w)[rows], w[rows]), weight)


@functional
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return a row with one 1 for each number."""
    if tensor.dtype.name != "int64":
        raise as_torch(RuntimeError, "one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.array.min() < 0:
        raise as_torch(RuntimeError, "Class values must be non-negative.")
    count = int(tensor.array.max()) + 1 if num_classes == -1 else num_classes
    if tensor.array.max() >= count:
        raise as_torch(RuntimeError, "Class values must be smaller than num_classes.")
    return Tensor((tensor.array[..., None] == np.arange(count)).astype(np.int64))


@functional
def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Tensor:
    """Return the input with mean 0 and variance 1 over its last axes, times the weights, plus the bias."""
    shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    if list(input.shape[-len(shape) :]) != shape:
        raise as_torch(
            RuntimeError,
            f"Given normalized_shape={shape}, expected input with shape [*, {', '.join(map(str, shape))}], but got input of size{list(input.shape)}",
        )
    axes = tuple(range(input.ndim - len(shape), input.ndim))

    def compute(x: Any) -> Any:
        centred = x - anp.mean(x, axis=axes, keepdims=True)
        variance = anp.mean(centred * centred, axis=axes, keepdims=True)
        return centred / anp.sqrt(variance + np.asarray(eps, getval(x).dtype))

    result = run(compute, input, saves="a")
    result = result if weight is None else result * weight
    return result if bias is None else result + bias


@functional
def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Tensor:
    """Return the input divided by the root of the mean of its squares over its last axes."""
    axes = tuple(range(-len(normalized_shape), 0))
    eps = float(np.finfo(input.dtype.numpy).eps) if eps is None else eps
    result = input * ((input * input).mean(axes, keepdim=True) + eps).rsqrt()
    return result if weight is None else result * weight


@functional
def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Put zeros in random places, and make up for them in the others, while training."""
    if not 0 <= p <= 1:
        raise as_torch(ValueError, f"dropout probability has to be between 0 and 1, but got {p}")
    if inplace:
        raise unknown("nn.functional.dropout with inplace")
    if not training or p == 0:
        return input
    keeps = (random_numbers().random(input.shape) >= p) / (1 - p if p < 1 else 1)
    return input * Tensor(keeps.astype(input.dtype.numpy))


def _activation(name: str, compute: Callable[..., Any]) -> None:
    def apply(input: Tensor, inplace: bool = False) -> Tensor:
        if inplace:
            raise unknown(f"nn.functional.{name} with inplace")
        if not input.dtype.is_floating_point:
            raise as_torch(NotImplementedError, f"\"{name}_cpu\" not implemented for '{input.dtype.title}'")
        return run(compute, input, saves="a")

    apply.__name__ = name
    functional(apply)


_activation("silu", lambda x: x * sigmoid_values(x))
_activation("relu6", lambda x: anp.where(x < 0, 0 * getval(x), anp.where(x > 6, 0 * getval(x) + 6, x)))
_activation("logsigmoid", lambda x: -anp.logaddexp(np.zeros((), getval(x).dtype), -x))
_activation("mish", lambda x: x * anp.tanh(anp.logaddexp(np.zeros((), getval(x).dtype), x)))


@functional
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return the input, times a small slope where it is negative."""
    if inplace:
        raise unknown("nn.functional.leaky_relu with inplace")
    return run(
        lambda x: anp.where(x > 0, x, x * np.asarray(negative_slope, getval(x).dtype)), input, saves="a"
    )


@functional
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return the input, and exp(x) - 1 where it is negative."""
    if inplace or alpha != 1:
        raise unknown("nn.functional.elu with inplace or alpha")
    return run(lambda x: anp.where(x > 0, x, anp.expm1(anp.where(x > 0, 0 * getval(x), x))), input, saves="a")


@functional
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Return log(1 + exp(x))."""
    if beta != 1 or threshold != 20:
        raise unknown("nn.functional.softplus with beta or threshold")
    return run(
        lambda x: anp.where(x > 20, x, anp.logaddexp(np.zeros((), getval(x).dtype), x)), input, saves="a"
    )


@functional
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """Return the input times the probability that a normal number is below it."""
    if approximate == "tanh":
        slope = math.sqrt(2 / math.pi)
        inner = lambda x: anp.tanh(_of(x, slope) * (x + _of(x, 0.044715) * x * x * x))  # noqa: E731
    elif approximate == "none":
        inner = lambda x: erf_values(x * _of(x, math.sqrt(0.5)))  # noqa: E731
    else:
        raise unknown(f"nn.functional.gelu with {approximate!r}")
    return run(lambda x: _of(x, 0.5) * x * (_of(x, 1) + inner(x)), input, saves="a")


def _of(x: Any, number: float) -> Any:
    return np.asarray(number, getval(x).dtype)


@functional
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Divide by the length along an axis."""
    return input / METHODS["norm"](input, p, dim, True).clamp(min=eps).expand_as(input)


@functional
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Return the cosine of the angle."""
    lengths = [METHODS["norm"](one, 2, dim, True).clamp(min=eps) for one in (x1, x2)]
    return ((x1 / lengths[0]) * (x2 / lengths[1])).sum(dim)


@functional
def pad(input: Tensor, pad: Any, mode: str = "constant", value: Any = None) -> Tensor:
    """Put numbers around, the last axis first."""
    if mode != "constant" or any(n < 0 for n in pad):
        raise unknown("nn.functional.pad, called like this")
    number = np.asarray(0 if value is None else value, input.dtype.numpy)
    before = [0] * (input.ndim - len(pad) // 2) + list(pad[::2])[::-1]
    shape = [n + sum(pad[2 * (input.ndim - 1 - i) :][:2]) for i, n in enumerate(input.shape)]
    place = tuple(slice(start, start + n) for start, n in zip(before, input.shape, strict=True))
    result = Tensor(np.full(shape, number))
    result[place] = input
    return result


def _reduced(losses: Tensor, reduction: str, count: Any = None) -> Tensor:
    if reduction == "none":
        return losses
    if reduction not in ("sum", "mean"):
        raise as_torch(ValueError, f"{reduction} is not a valid value for reduction")
    return losses.sum() if reduction == "sum" else losses.mean() if count is None else losses.sum() / count


@functional
def nll_loss(
    input: Tensor, target: Tensor, weight: Any = None, ignore_index: int = -100, reduction: str = "mean"
) -> Tensor:
    """Return what the log-probabilities say against the targets."""
    if weight is not None:
        raise unknown("nn.functional.nll_loss with weight")
    axis = 1 if input.ndim > 1 else 0
    expected = [n for i, n in enumerate(input.shape) if i != axis]
    if target.dtype.name != "int64":
        raise as_torch(RuntimeError, f"expected scalar type Long but found {target.dtype.title}")
    if list(target.shape) != expected:
        if target.ndim and target.shape[0] != input.shape[0]:
            raise as_torch(
                ValueError,
                f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({target.shape[0]}).",
            )
        raise unknown("nn.functional.nll_loss of such shapes")
    is_ignored = target.array == ignore_index
    places = np.where(is_ignored, 0, target.array)
    if places.size and (places.min() < 0 or places.max() >= input.shape[axis]):
        raise as_torch(IndexError, f"Target {int(places.max())} is out of bounds.")
    losses = -METHODS["gather"](input, axis, Tensor(np.expand_dims(places, axis))).squeeze(axis)
    losses = METHODS["masked_fill"](losses, Tensor(is_ignored), 0)
    return _reduced(losses, reduction, int((~is_ignored).sum()))


@functional
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the cross-entropy of logits against targets."""
    if label_smoothing or (isinstance(target, Tensor) and target.dtype.is_floating_point):
        raise unknown("nn.functional.cross_entropy with probabilities")
    logs = METHODS["log_softmax"](input, 1 if input.ndim > 1 else 0)
    return F["nll_loss"](logs, target, weight, ignore_index, reduction)


@functional
def mse_loss(input: Any, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the mean of squared differences."""
    if input.shape != target.shape:
        raise unknown("nn.functional.mse_loss of two shapes")
    return _reduced((input - target) ** 2, reduction)


@functional
def binary_cross_entropy_with_logits(input: Any, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the cross-entropy of logits against zeros and ones."""
    if input.shape != target.shape:
        raise as_torch(
            ValueError, f"Target size ({target.shape}) must be the same as input size ({input.shape})"
        )
    return _reduced(F["softplus"](input) - input * target, reduction)


@functional
def scaled_dot_product_attention(
    query: Any,
    key: Tensor,
    value: Tensor,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: Any = None,
) -> Tensor:
    """Return scaled dot-product attention."""
    if dropout_p:
        raise unknown("nn.functional.scaled_dot_product_attention with dropout_p")
    scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        attn_mask = Tensor(np.tril(np.ones(scores.shape[-2:], bool)))
    if attn_mask is not None:
        is_mask = attn_mask.dtype.name == "bool"
        scores = METHODS["masked_fill"](scores, ~attn_mask, -math.inf) if is_mask else scores + attn_mask
    return METHODS["softmax"](scores, -1) @ value
