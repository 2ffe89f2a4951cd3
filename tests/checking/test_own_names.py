"""An accepted answer keeps the names that it was accepted with, whatever a later cell binds: it is used as it is kept."""

import functools
import types
from contextlib import suppress

import pytest
import torch

from autograder.checking.accepted_answers import UnstorableAnswer, entry_of, source_of
from autograder.checking.solved import _with_its_names
from autograder.sandbox.worker import run_cells

# Two cells of a notebook; the names of the first are bound anew by the second.
FIRST = """
def helper(x):
    return "first"

def deeper(x):
    return helper(x)

class Part:
    def __call__(self, x):
        return deeper(x)
"""
SECOND = FIRST.replace('"first"', '"second"')


def cell(source):
    """A notebook's names after one cell."""
    names, errors = run_cells({"<cell 1>": source})
    assert not errors
    return names


def with_own_names(entry):
    return entry_of(source_of(entry, {}), "exercise", "torch", entry.__name__)


def run(source, names):
    exec(compile(source, "<cell 2>", "exec"), names)


@pytest.mark.parametrize(
    "answer",
    [
        "def answer(x):\n    return helper(x)",
        "def answer(x):\n    return deeper(x)",
        "\f\ndef answer(x):\n    return helper(x)",
        "def answer(x):\n    return Part()(x)",
        "def answer(x, again=True):\n    return answer(x, False) if again else helper(x)",
        "class Base(Part):\n    def one(self):\n        return 1\n"
        "class Answering(Base):\n    def two(self):\n        return 2\n"
        "def answer(x):\n    return Answering()(x) if isinstance(Part(), Part) and Base else None",
        "def answer(x):\n    def inner():\n        return deeper(x)\n    return inner()",
        "import torch\n@torch.no_grad()\ndef answer(x):\n    return helper(x)",
        "import functools\ndef outer(f):\n    return functools.wraps(f)(lambda x: f(x))\n@outer\ndef answer(x):\n    return helper(x)",
    ],
)
def test_a_function_keeps_its_names_and_those_of_its_helpers(answer):
    names = cell(f"{FIRST}\n{answer}\n")
    copy, live = with_own_names(names["answer"]), names["answer"]
    run(SECOND, names)
    names["answer"] = None
    assert copy(0) == "first"
    if "again" not in answer:
        assert live(0) == "second"


BASE = """
class Base(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
"""
LAYERS = {
    "super()": "super().__init__(size)",
    "super by name": "super(Answer, self).__init__(size)",
    "the base by name": "Base.__init__(self, size)",
}


@pytest.mark.parametrize("call", LAYERS.values(), ids=LAYERS)
def test_a_class_keeps_its_names_and_its_bases(call):
    names = cell(f"""
import torch
{FIRST}{BASE}
class Answer(Base):
    def __init__(self, size):
        {call}

    @staticmethod
    def fixed():
        return helper(0)

    @classmethod
    def made(cls):
        return cls(3)

    @property
    def word(self):
        return deeper(0)

    def forward(self, x):
        assert isinstance(self, Answer) and isinstance(self, Base)
        return x * self.size, helper(x), Part()(x)
""")
    copy = with_own_names(names["Answer"])
    run(SECOND + BASE.replace("= size", "= 0"), names)
    layer = copy(2)
    assert layer(torch.ones(1)) == (2.0, "first", "first")
    assert (copy.fixed(), copy.made().size, layer.word) == ("first", 3, "first")
    assert (copy.__name__, copy.__qualname__) == ("Answer", "Answer") and isinstance(layer, torch.nn.Module)


def test_gradients_that_an_answer_defines_itself_come_with_it():
    names = cell("""
import torch

def slope(x):
    return 3 * x

class Triple(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return slope(x)

    @staticmethod
    def backward(ctx, given):
        return slope(given)

def answer(x):
    return Triple.apply(x)
""")
    copy = with_own_names(names["answer"])
    run("slope = Triple = None", names)
    x = torch.ones(2, requires_grad=True)
    copy(x).sum().backward()
    assert x.grad.tolist() == [3, 3]


def test_a_signature_and_a_docstring_stay():
    names = cell("""
seen = []
def answer(x: int, *, scale: float = 2.0) -> float:
    "Doubles."
    seen.append(x)
    return x * scale
""")
    copy = with_own_names(names["answer"])
    assert copy(3) == 6
    assert (copy.__doc__, copy.__name__, copy.__annotations__["x"]) == ("Doubles.", "answer", int)


@pytest.mark.parametrize(
    "source",
    [
        "import enum\nclass Kind(enum.Enum):\n    A = 1\ndef answer(x):\n    return Kind(x) is Kind.A",
        "class Base:\n    def __init_subclass__(cls, word):\n        cls.word = word\n"
        "class Sub(Base, word='w'):\n    pass\ndef answer(x):\n    return Sub.word == 'w'",
        "from dataclasses import dataclass\n@dataclass\nclass Pair:\n    a: int\n    b: int\n"
        "def answer(x):\n    return Pair(1, 2) == Pair(1, 2)",
        "from typing import NamedTuple\nclass Pair(NamedTuple):\n    a: int\ndef answer(x):\n    return Pair(1).a == 1",
        "class Slim:\n    __slots__ = ('a',)\ndef answer(x):\n    s = Slim()\n    s.a = 1\n    return s.a == 1",
    ],
)
def test_helpers_of_every_kind_work_as_before(source):
    """Where their text is not known, in this kernel alone."""
    names = cell(source)
    answer = names["answer"]
    assert answer(1) is True and _with_its_names(answer)(1) is True
    with suppress(UnstorableAnswer):
        assert with_own_names(answer)(1) is True


def test_an_answer_whose_text_is_not_known_keeps_its_names_in_this_kernel():
    names = cell(f"{FIRST}\nanswer = lambda x, *, y=helper: (helper(x), y(x))")
    copy = _with_its_names(names["answer"])
    run(SECOND, names)
    assert copy(0) == ("first", "first")


@pytest.mark.parametrize("entry", [functools.partial(max, 1), types.SimpleNamespace(), len, 3])
def test_what_is_no_function_and_no_class_is_not_kept(entry):
    with pytest.raises(UnstorableAnswer):
        source_of(entry, {})


class Broken:
    def __repr__(self):
        raise AttributeError("shape")


BROKEN = Broken()


def uses_what_cannot_be_shown(X):
    return X if BROKEN else None


def test_an_answer_with_an_object_that_cannot_be_shown_is_not_kept():
    with pytest.raises(UnstorableAnswer):
        source_of(uses_what_cannot_be_shown, {})
