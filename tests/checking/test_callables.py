"""What can be called is judged alike by `check` and by `grade`, whatever it is and whatever its own name is."""

import functools
from contextlib import nullcontext

import pytest

from autograder import check
from autograder.checking.check import LocalTransport
from autograder.frameworks.torch import without_compiler
from autograder.judge.trial import judge
from autograder.model.catalogue import all_exercises
from tests import support

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
space: dict = {}
exec(
    support.RIGHT.replace("def masked_softmax", "def mask")
    .replace("-1e6", "fill")
    .replace("length):", "length, fill=-1e6):"),
    space,
)
mask = space["mask"]


class Mask:
    def __call__(self, X, valid_length):
        return mask(X, valid_length)

    def method(self, X, valid_length):
        return mask(X, valid_length)

    @classmethod
    def of_class(cls, X, valid_length):
        return mask(X, valid_length)

    static = staticmethod(mask)


@functools.wraps(mask)
def wrapped(*arguments):
    return mask(*arguments)


CALLABLES = {
    "another name": mask,
    "a partial": functools.partial(mask, fill=-1e9),
    "a partial of a partial": functools.partial(functools.partial(mask), fill=-1e9),
    "a lambda": lambda X, valid_length: mask(X, valid_length),
    "an object": Mask(),
    "a bound method": Mask().method,
    "a method of a class": Mask.of_class,
    "a static method": Mask.static,
    "a wrapped function": wrapped,
    "a function in its own mode": torch.enable_grad()(mask),
}


@pytest.mark.parametrize("kind", CALLABLES)
def test_an_answer_is_found_by_the_name_that_it_has_where_it_is_checked(kind, capsys):
    masked_softmax = CALLABLES[kind]
    verdict = check(masked_softmax)
    assert (verdict.exercise, verdict.framework, verdict.outcome) == ("masked_softmax", "torch", "accepted")


def test_a_lambda_without_a_name_is_asked_for_one(capsys):
    assert "A lambda has no name" in check(lambda X, valid_length: X).message


def test_what_was_compiled_runs_as_it_was_written(monkeypatch):
    """In a notebook each case has another shape, for which PyTorch would compile anew."""
    stances = []

    def stance(name):
        stances.append(name)
        return nullcontext()

    monkeypatch.setitem(__import__("sys").modules, "torch._dynamo", object())
    monkeypatch.setattr(torch.compiler, "set_stance", stance)
    with without_compiler():
        assert torch.compile(mask) is mask and torch.compile(fullgraph=True)(mask) is mask
    assert stances == ["force_eager"]


LAYERS = {
    "the statement's names": ("d", "d"),
    "another name": ("hidden_size", "hidden_size"),
    "another name and a default": ("hidden_size, eps=1e-5", "hidden_size"),
    "a default before it": ("eps=1e-5, *, d", "d"),
    "an annotation": ("dim: int, eps: float = 1e-6", "dim"),
    "a default of its own": ("dim=8", "dim"),
    "more by name": ("dim, **more", "dim"),
    "a name alone": ("*, width", "width"),
    "places alone": ("*sizes", "sizes[0]"),
    "a place alone": ("dim, /", "dim"),
}


@pytest.mark.parametrize("kind", LAYERS)
def test_a_class_may_call_its_arguments_as_it_likes(kind):
    arguments, width = LAYERS[kind]
    text = f"""
class RMSNorm(torch.nn.Module):
    def __init__(self, {arguments}):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones({width}))
    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
"""
    space = {"torch": torch}
    exec(text, space)
    verdict = judge(all_exercises()["rms_norm_layer"], LocalTransport("torch", space["RMSNorm"]), "torch")
    assert verdict.outcome == "accepted", verdict


@pytest.mark.parametrize("arguments", ["", "a, b", "a, *, b"])
def test_a_class_that_takes_something_else_is_told_what(arguments):
    space = {}
    exec(
        f"class RMSNorm:\n    def __init__({', '.join(filter(None, ['self', arguments]))}):\n        pass",
        space,
    )
    verdict = judge(all_exercises()["rms_norm_layer"], LocalTransport("torch", space["RMSNorm"]), "torch")
    assert verdict.outcome == "rejected" and "it must take (d): " in verdict.message


class Long:
    def __repr__(self):
        return "x" * 100_000


def test_a_long_signature_hides_no_reason():
    def masked_softmax(X, first, second, more=Long()):  # noqa: B008
        return X

    verdict = judge(all_exercises()["masked_softmax"], LocalTransport("torch", masked_softmax), "torch")
    assert (
        "must take (X, valid_length): missing a required argument" in verdict.message
        and len(verdict.message) < 600
    )
