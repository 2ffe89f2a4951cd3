"""What a framework is to the course, and how an answer written in it is called.

Nothing here imports a framework: its own module does, when it is asked for an adapter.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.model.finding import Kind


class ContractBroken(Exception):
    """The submission does not keep its side of the contract: the message says how."""

    def __init__(self, words: str, kind: Kind = Kind.CONTRACT) -> None:
        super().__init__(words)
        self.kind = kind


class Memory:
    """How many numbers arrays hold: the largest of them, and at its peak the sum of those that live together."""

    def __init__(self) -> None:
        self.largest = self.peak = self._now = 0
        self._living: dict[int, int] = {}

    def note(self, key: int, numbers: int) -> bool:
        """Count an array that lives, or lives on; return whether it is a new one."""
        before = self._living.get(key)
        self._living[key] = max(numbers, before or 0)
        self._now += self._living[key] - (before or 0)
        self.largest, self.peak = max(self.largest, numbers), max(self.peak, self._now)
        return before is None

    def let_go(self, key: int) -> None:
        """Take away an array that lives no more."""
        self._now -= self._living.pop(key, 0)


class Adapter(ABC):
    """How to hand arrays to a submission, call it, and take results and gradients back."""

    name: str

    @abstractmethod
    def array(self, value: np.ndarray, track: bool) -> tuple[Any, Any]:
        """Return the framework's array twice: the leaf that gradients go to, and what is handed in."""

    def integers(self, value: np.ndarray) -> Any:
        """Return an array of whole numbers, in an integer type of the framework."""
        return self.array(value, False)[1]

    @abstractmethod
    def is_array(self, value: Any) -> bool:
        """Return whether a result is one of the framework's arrays."""

    @abstractmethod
    def numpy(self, value: Any) -> np.ndarray:
        """Return a result, or a gradient, as a NumPy array."""

    def joined(self, results: Sequence[Any]) -> Any:
        """Join arrays, one behind the other along axis 1."""
        raise NotImplementedError(f"{self.name} joins no results of several calls")

    def record(self, train: bool) -> AbstractContextManager[Any]:
        """Return the context in which calls are recorded for differentiation."""
        return nullcontext()

    def set_mode(self, module: Any, train: bool) -> None:  # noqa: B027  # where modules have no modes
        """Put a new module into training or evaluation mode."""

    def parameters(self, module: Any) -> dict[str, tuple[int, ...]]:
        """Return the names and shapes of a module's learned arrays (0 where not known yet)."""
        return {}

    def parameter_objects(self, module: Any) -> Iterable[Any]:
        """Return a module's learned arrays as the objects that hold them, each once."""
        return ()

    def beginning(self, module: Any, path: str, shape: tuple[int, ...]) -> np.ndarray | None:
        """Return the numbers that a learned array of this shape begins with; None where they mean nothing, or are not made yet."""
        return None

    def spellings(self, path: str) -> tuple[str, ...]:
        """Return the names by which a module may hold the learned array of this path: a bare `W` for `W.weight`."""
        return path, path.removesuffix(".weight")

    def is_spare(self, path: str, settings: Mapping[str, Any]) -> bool:
        """Return whether a learned array may be there that the call has no numbers for: of a block behind the last one."""
        return False

    def set_parameter(self, module: Any, path: str, value: np.ndarray) -> Any:
        """Set one learned array; returns the leaf that its gradient goes to."""
        raise KeyError(path)

    def trainable_module(self, size: int, width: int) -> Any:
        """Return a module for an exercise to train, or None where the framework has no modules.

        (size, width) is its embedding; what is looked up is multiplied by a gain, and a linear layer with bias gives logits.
        """
        return None

    def gradients(
        self, outputs: Sequence[Any], cotangents: Sequence[np.ndarray], leaves: Sequence[Any]
    ) -> list[Any]:
        """Return d(sum of outputs times cotangents)/d(leaf) for each leaf; None where none arrives."""
        raise NotImplementedError(f"{self.name} computes values only")

    def measured(self) -> AbstractContextManager["Memory | None"]:
        """Measure the arrays that are made inside; gives None where the framework does not show them."""
        return nullcontext()

    def in_double(self) -> AbstractContextManager[None]:
        """Make new arrays inside in double precision, as far as the framework allows it."""
        return nullcontext()

    def variants(self, answer: Any) -> list[AbstractContextManager[Any]]:
        """Return the modes in which the call is tried, in turn, until one does not raise."""
        return [nullcontext()]


def refusal(name: str, calls: list[str]) -> Callable[..., Any]:
    """Return what stands in for a forbidden operator: it notes the call and raises ContractBroken."""

    def refused(*arguments: Any, **more: Any) -> Any:
        calls.append(name)
        raise ContractBroken(f"it calls {name}, which the exercise asks you to write yourself")

    return refused


# Operators of a library that do the same work: where an exercise forbids one, it forbids what is called alike.
FAMILIES = (
    "(batch|group|instance|layer|rms|l2)_?norm",
    "attention|attn|selfatt|encdec|multi_?head|transformer_encoder",
    "cosine",
    "masked[._](log_)?soft(max|min)",
)


def by_family(registered: Iterable[str]) -> dict[str, set[str]]:
    """Return the names of a library that belong to each family."""
    registered = set(registered)
    return {family: {name for name in registered if re.search(family, name, re.I)} for family in FAMILIES}


def relatives(names: frozenset[str], members: Mapping[str, set[str]]) -> frozenset[str]:
    """Return the names, and all members of the families that they belong to."""
    return names.union(*(members[f] for f in FAMILIES if any(re.search(f, name, re.I) for name in names)))


# What an exception or a warning of a library means: (what its type and message hold, as a regular expression; the
# sentence, without its full stop; its kind, where it has one of its own). A sentence may name the groups of its
# pattern, `{array}` ("a PyTorch tensor"), `{Array}`, which begins it, and `{other}`: that it is another's code.
Meanings = tuple[tuple[str, str] | tuple[str, str, Kind], ...]
SUPER = "Its __init__ must call super().__init__() first, and it does not"


@dataclass(frozen=True)
class FrameworkVocabulary:
    """What a learner is told of a framework's own words. No mark follows from it, so no check's version holds it.

    modules: by what names answers know its modules. arrays: how Python's messages call its arrays. methods: names that
    only its arrays have. elsewhere: what other frameworks' names for functions and arguments are here. swapped: how
    an array's last two axes are swapped. without_axis: functions that take a whole array as one long row where their
    axis is not named: its keyword, and how many arguments a method has that names it by place.
    """

    modules: tuple[str, ...] = ()
    arrays: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    swapped: str = ""
    exceptions: Meanings = ()
    warnings: tuple[tuple[str, str], ...] = ()
    without_axis: Mapping[str, tuple[str, int]] = field(default_factory=dict)


# Refuses operators by their names while an answer is called, and notes those that were called. It may leave them refused
# until it is called again: with no names it lifts all.
Refuse = Callable[[frozenset[str], list[str]], AbstractContextManager[None]]


@dataclass(frozen=True)
class Framework:
    """One framework of the course.

    name: in tags, in options, and in `solutions/<topic>/in_<name>.py`. title: as it is written in a
    sentence. array: what one of its arrays is called there. position: of its column in the book. colours: of its tab, on a light and on a dark page.
    packages: what an answer in it imports. needs: the frameworks that it computes with. aliases: names by which `autograder.frameworks.libraries` gives it.
    imports: the lines with which a new answer begins. layer_class: the class that its layers are made from.
    requirements: what must be installed in order to grade.
    adapter: imports the framework and gives what calls an answer; raises ImportError where it is not
    installed; None if it is only shown. graded: whether exercises are handed in in it.
    differentiates: whether gradients are judged, or values only. float_indices: whether it computes indices as floats.
    attention: its own attention and what that is made of, as dotted names, which some exercises forbid.
    refuse: refuses the framework's operators. environment: variables that grading needs.
    warm_up: a function `warm_up(X)` of the operators that most answers use. while_answers_run: replaces what
    cannot work, or takes too long, where whole submissions run. vocabulary: what a learner is told of its own words.
    """

    name: str
    title: str
    position: int
    colours: tuple[str, str]
    packages: tuple[str, ...]
    imports: str = ""
    layer_class: str = ""
    array: str = "an array"
    needs: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    adapter: Callable[[], Adapter] | None = None
    graded: bool = False
    differentiates: bool = True
    float_indices: bool = False
    attention: tuple[str, ...] = ()
    refuse: Refuse | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    warm_up: str = ""
    while_answers_run: Callable[[], AbstractContextManager[None]] | None = None
    vocabulary: FrameworkVocabulary = FrameworkVocabulary()
