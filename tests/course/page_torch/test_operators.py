"""The page's PyTorch beside the real one, operator by operator: drawn shapes, types and strides, values and gradients."""

import math

import numpy as np
import pytest

from autograder.frameworks import libraries
from course.page_torch import modules
from tests.support import need

PAGE = modules()["torch"]


def real():
    """PyTorch itself; the test is skipped, with the reason, where it is not installed."""
    need("torch")
    return libraries.torch


# Each takes the library and arrays of one shape, and gives what is compared.
OPERATORS = {
    name: eval(f"lambda T, x, y: {text}", {"math": math})
    for name, text in {
        "sum": "x + y * 2 - 1 / (y.abs() + 1)",
        "power": "(x.abs() + 1) ** 2 + (y.abs() + 1) ** 0.5 + 2 ** x",
        "functions": "x.exp() + (x * x + 1).log() + x.sin() * y.cos() + x.tanh() + x.sigmoid() + (x * x + 1).rsqrt()",
        "softmax": "T.softmax(x, dim=-1) + x.log_softmax(0) + y.softmax(1)",
        "logsumexp": "T.logsumexp(x, dim=-1) + y.logsumexp((0,), keepdim=True).sum()",
        "means": "x.mean(dim=-1, keepdim=True) + y.var(dim=-1, keepdim=True, unbiased=False) + y.std(-1, keepdim=True)",
        "norm": "x.norm(dim=-1) + T.linalg.norm(y, dim=-1)",
        "largest": "x.max(dim=-1).values + y.amax(dim=-1) + x.max() + y.min(-1, keepdim=True)[0].squeeze(-1)",
        "two": "T.maximum(x, y) + T.minimum(x, y).clamp(min=0) + x.clamp(-0.5, 0.5) + x.clamp(min=y[..., :1])",
        "masked": "x.masked_fill(y > 0, -1e6) + T.where(y > 0, x, 0.0)",
        "masked_wider": "(T.where(y[None] > 0, x[..., :1], y) + x[:1].unsqueeze(0).masked_fill(y[None] > 0, -1)).sum(0)",
        "expanded": "x[0, ..., :1].expand(3, *y.shape).sum(0) * y",
        "products": "x @ y.transpose(-2, -1)",
        "bmm": "T.bmm(x.reshape(-1, *x.shape[-2:]), y.reshape(-1, *y.shape[-2:]).mT)",
        "einsum": "T.einsum('...ij,...kj->...ik', x, y) + T.einsum('...ij,...ij->...i', x, y)[..., None]",
        "shapes": "x.unsqueeze(1).flatten(0, 1).permute(*range(x.ndim)).reshape(-1, x.shape[-1]).T @ y.reshape(-1, y.shape[-1])",
        "joined": "T.cat([x, y], dim=-1) + T.stack([x, y], dim=-1).flatten(-2)",
        "parts": "sum(x.split(1, dim=-1)) + y.chunk(2, dim=-1)[0][..., :1]",
        "indices": "x[..., 0] + y[0, ..., -1:].sum() + x[:, T.tensor([0, 1, 1])].sum()",
        "gather": "x.gather(-1, y.argsort(-1)) + T.zeros_like(x).scatter(-1, y.argsort(dim=-1), x)",
        "scattered": "[z.scatter_reduce(-1, y.argsort(-1) // 2, x, 'amax') + z.scatter_reduce(-1, y.argsort(-1) // 2, x, 'mean', include_self=False) for z in [T.zeros_like(x)]][0]",
        "sorted": "x.sort(dim=-1, descending=True).values + y.topk(2, dim=-1).values.sum()",
        "running": "x.cumsum(dim=-1) + y.cumsum(0) + x.cumprod(-1)",
        "triangle": "x.tril() + y.triu(1) + T.roll(x, 1, dims=-1) + y.flip(-1)",
        "repeated": "x.repeat_interleave(2, dim=-1) + T.cat([y, y], -1) + x[..., :1].expand_as(x).repeat(*[1] * (x.ndim - 1), 2)",
        "activations": "T.relu(x) + T.nn.functional.silu(y) + T.nn.functional.gelu(x) + T.nn.functional.elu(y, 0.25) + T.nn.functional.leaky_relu(x, 0.2)",
        "norms": "T.nn.functional.layer_norm(x, x.shape[-1:]) + T.nn.functional.normalize(y, dim=-1)",
        "losses": "T.nn.functional.cross_entropy(x.flatten(0, -2), y.flatten(0, -2).argmax(-1))",
        "rounded": "x.round() * y + x.abs() + y.sign() + x.floor() + y.square()",
        "steps": "x.round() + y.floor() + x.sign() + y.trunc()",
        "diagonals": "x.diagonal(dim1=-2, dim2=-1).sum() + T.diag_embed(y)[..., 0].sum()",
        "changed": "(lambda z: (z.__setitem__((Ellipsis, 0), y[..., 1]), z.add_(1), z * x)[-1])(x.clone())",
        "view_changed": "(lambda z: (z[..., 0].mul_(3), z[..., 1:].copy_(y[..., 1:]), z * 2)[-1])(x * 1)",
    }.items()
}
WHOLE = {
    "types": "[x + 1.5, x * 2, x / 2, x // 2, x % 3, x == 2, x > 1, -x, x.sum(), x.float().mean(), x.cumsum(-1), x ** 2]",
    "masks": "[x > 1, ~(x > 1), (x > 1) & (x < 3), (x > 1) * 2, (x > 1) * 1.0, (x > 1).sum(-1), (x > 1).any(-1), (x > 1).float()]",
    "with_scalars": "[x + T.tensor(1.5), T.tensor(2) * x.float(), x.float() + T.tensor(1.0).double(), x.half() + T.tensor(1.0)]",
    "made": "[T.arange(3), T.arange(3.0), T.zeros(2, 3), T.full((2,), 3), T.full((2,), 3.0), T.eye(2), T.tensor([1.0, 2]), T.tensor([True]), T.ones_like(x), T.linspace(0, 1, 5), T.tensor(3), x.new_zeros(2), T.tensor([np.float64(1)]), T.ones(2, 0).softmax(-1)]",
    "truth": "[x.argmax(-1), x.argsort(-1, descending=True), x.topk(1).indices, x.nonzero(), T.where(x > 1, x, 0), x.exp(), x.sqrt(), T.nn.functional.one_hot(x, 5)]",
}


def drawn(seed, dtype):
    """Two arrays of one shape with two axes or more, in order in memory or not."""
    numbers = np.random.default_rng(seed)
    shape = tuple(numbers.integers(2, 5, size=numbers.integers(2, 4)))
    arrays = [
        numbers.normal(size=shape[::-1]).T if seed % 2 else numbers.normal(size=shape) for _ in range(2)
    ]
    return [np.asarray(array, dtype) for array in arrays]


def computed(library, function, arrays, tracks):
    """What a function gives, and the gradients of its arguments."""
    tensors = [library.from_numpy(array.copy(order="K")) for array in arrays]
    leaves = [tensor.requires_grad_() if tracks else tensor for tensor in tensors]
    result = function(library, *leaves)
    if tracks:
        weights = library.from_numpy(
            np.random.default_rng(9).normal(size=tuple(result.shape)).astype(arrays[0].dtype)
        )
        (result * weights).sum().backward()
    return result, [leaf.grad for leaf in leaves]


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("seed", range(4))
def test_an_operator_gives_the_values_and_gradients_of_pytorch(name, seed):
    torch = real()
    for dtype in ("float32", "float64"):
        arrays = drawn(seed, dtype)
        result, gradients = computed(PAGE, OPERATORS[name], arrays, True)
        expected, slopes = computed(torch, OPERATORS[name], arrays, True)
        assert (tuple(result.shape), str(result.dtype)) == (tuple(expected.shape), str(expected.dtype))
        for one, other in zip([result.detach(), *gradients], [expected.detach(), *slopes], strict=True):
            assert (one is None) == (other is None)
            if one is not None:
                np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers_and_masks_have_the_types_of_pytorch(name):
    torch = real()
    array = np.array([[0, 1, 2], [3, 1, 4]])
    function = eval(f"lambda T, x: {WHOLE[name]}")
    results, expected = (function(library, library.tensor(array)) for library in (PAGE, torch))
    for one, other in zip(results, expected, strict=True):
        assert (tuple(one.shape), str(one.dtype)) == (tuple(other.shape), str(other.dtype))
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-5)


RAISED = (
    "T.ones(2, 3) + T.ones(4)", "T.ones(2, 3) @ T.ones(2, 3)", "T.bmm(T.ones(2, 3, 4), T.ones(2, 3, 4))",
    "T.ones(2, 3).view(4, 2)", "T.ones(2, 3).t().view(6)", "T.cat([T.ones(2, 3), T.ones(3, 2)], 1)",
    "T.ones(2, 3).sum(3)", "T.ones(2, 3)[4]", "T.ones(2, 3)[T.tensor([4])]", "T.ones(2, 3)[0, 0, 0]",
    "T.ones(2, 3)[T.tensor([True, False, True])]", "T.ones(2, 3)[T.tensor([1.0])]",
    "T.nn.functional.embedding(T.tensor([4]), T.ones(2, 3))", "T.ones(2, 3).expand(4, 3)",
    "T.ones(2, 3).masked_fill(T.ones(2, 3), 1)", "T.ones(2, 3).half().masked_fill(T.ones(2, 3).bool(), -1e6)",
    "T.ones(2, 3).long().mean()", "T.ones(2, 3).permute(0, 1, 2)", "T.ones(2, 3).softmax()", "T.softmax([1.0], 0)",
    "~T.ones(2)", "1 - T.ones(2).bool()", "T.ones(2).bool() - T.ones(2).bool()", "bool(T.ones(2))", "T.ones(2).item()",
    "T.ones(2, requires_grad=True).numpy()", "T.ones(2, requires_grad=True).add_(1)", "T.ones(2).backward()",
    "(T.ones(2, requires_grad=True) * 2).backward()", "T.ones(2).long().add_(1.5)", "T.ones(1, 3).expand(2, 3).add_(1)",
    "T.ones(2, 3).__setitem__(0, T.ones(2))", "T.ones(2, 3).__setitem__(0, [1, 2, 3])", "T.ones(2, 3)[:, ::-1]",
    "T.nn.Linear(3, 2)(T.ones(2, 4))", "T.nn.LayerNorm(3)(T.ones(2, 4))", "T.nn.Module().b", "T.nn.Module()(1)",
    "T.stack([T.ones(2, 3), T.ones(2)], 1)", "T.ones(2, 3).topk(5)", "T.tensor(2).requires_grad_()", "T.arange(3) ** -1",
    "(lambda x: (lambda y: (y.mul_(2), y.sum().backward()))(x.exp()))(T.ones(2, requires_grad=True))",
    "(lambda y: (y.backward(), y.backward()))(T.ones(2, requires_grad=True).exp().sum())", "T.ones(4).split([3, 2])",
)  # fmt: skip


@pytest.mark.parametrize("text", RAISED)
def test_where_pytorch_raises_it_raises_the_same_with_its_first_words(text):
    torch = real()
    errors = []
    for library in (PAGE, torch):
        with pytest.raises(Exception) as caught:  # which one it is, is compared
            eval(text, {"T": library})
        errors.append((type(caught.value), str(caught.value)[:60]))
    assert errors[0] == errors[1]


def layer(library, arrays):
    """A small layer, with learned arrays that both libraries begin with."""

    class Layer(library.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = library.nn.Embedding(5, 4)
            self.norm = library.nn.LayerNorm(4)
            self.inner = library.nn.ModuleList([library.nn.Linear(4, 4) for _ in range(2)])
            self.out = library.nn.Sequential(
                library.nn.GELU(), library.nn.Dropout(0.0), library.nn.Linear(4, 5)
            )

        def forward(self, tokens):
            x = self.embedding(tokens)
            for one in self.inner:
                scores = one(x) @ x.transpose(1, 2) / 2
                hidden = library.triu(library.ones(3, 3, dtype=library.bool), diagonal=1)
                x = self.norm(x + scores.masked_fill(hidden, -1e9).softmax(-1) @ x)
            return self.out(x)

    model = Layer()
    with library.no_grad():
        for path, parameter in model.named_parameters():
            parameter.copy_(library.tensor(arrays[path]) if path in arrays else parameter)
    return model


@pytest.mark.parametrize(
    ("name", "settings"),
    [("SGD", {"lr": 0.1, "momentum": 0.5}), ("Adam", {"lr": 0.05}), ("AdamW", {"lr": 0.05})],
)
def test_twenty_steps_of_training_give_the_losses_of_pytorch(name, settings):
    torch = real()
    arrays = {path: one.detach().numpy().copy() for path, one in layer(torch, {}).named_parameters()}
    tokens = np.array([[0, 1, 2], [3, 4, 0]])
    losses = []
    for library in (PAGE, torch):
        model = layer(library, arrays)
        assert {path: tuple(one.shape) for path, one in model.state_dict().items()} == {
            p: a.shape for p, a in arrays.items()
        }
        steps = getattr(library.optim, name)(model.parameters(), **settings)
        for _ in range(20):
            steps.zero_grad()
            logits = model(library.tensor(tokens))
            loss = library.nn.functional.cross_entropy(
                logits.reshape(-1, 5), library.tensor(tokens).reshape(-1)
            )
            loss.backward()
            steps.step()
            losses.append(loss.item())
    np.testing.assert_allclose(losses[:20], losses[20:], rtol=1e-4, atol=1e-5)
    assert losses[19] < losses[0]
