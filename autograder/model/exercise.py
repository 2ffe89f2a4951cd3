"""An exercise is data: one reference, several named misconceptions, and a generator of cases.

The reference and the misconceptions are plain NumPy float64 functions that take a case's
inputs, settings and parameters by name and return one array (or a tuple, one for each
output). A submission is judged by which of these functions it computes.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autograder.model.stand_ins import STAND_INS

Function = Callable[..., Any]
CHOICE = re.compile(r'"([^"]+)"')
# What a wrong idea may stop with: on some shapes, or where two make no sense together.
IDEA_ERRORS = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, NameError, RuntimeError,
    StopIteration, TypeError, ValueError,
)  # fmt: skip
# A wrong version of a solution: old text and new text; several of these; or a whole new definition.
SourceEdit = str | tuple[str, str] | Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Argument:
    """One argument: its name, and a description, its shape or type in words.

    integers: handed in in an integer type by every framework; MXNet gets whole numbers as floats otherwise.
    caches: it is a cache, filled over several calls. A case gives None, or in how many steps of axis 1 each call gets
    the first array: (3, 1, 1). The calls share what is handed in here: an empty dictionary, or a list of as many
    as the setting of this name says. Their results are joined along axis 1; numbers are a tuple.
    stored: what lies in the cache is written to a file between calls, so it must be numbers and arrays.
    per_call: a case gives a tuple, with one value for each of several calls.
    stands_in: what is made of the case's value, a name in `STAND_INS`.
    default: what a stub says in its signature, a number or "None"; cases hand in a value all the same.
    """

    name: str
    description: str
    integers: bool = False
    caches: str | None = None
    stored: bool = False
    per_call: bool = False
    stands_in: str | None = None
    default: float | str | None = None


@dataclass(frozen=True)
class Parameter:
    """A learned array: its name inside the module (`W_q.weight`) and its shape in words.

    begins: the number that all of it must be before anything is learned, since the check replaces what it finds.
    """

    path: str
    description: str
    begins: float | None = None

    @property
    def words(self) -> str:
        """Return its description, and what it begins with."""
        begins = "" if self.begins is None else f", {self.begins:g} before anything is learned"
        return self.description + begins


@dataclass(frozen=True)
class Output:
    """One result: its name, its shape in words, and how it is judged.

    attribute: read from the module after the call, instead of returned.
    exact_zeros: where the reference is zero the submission must be too, within 1e-9.
    plain: a plain Python value (a number, a string, a tuple of them), not an array. Where the reference gives an
    int, only that int is right; where it gives a float, a number within the tolerance; where it gives a list, a list.
    map: a matrix of weights, drawn beside the expected one when it is wrong.
    integers: whole numbers that must come in an integer type.
    indices: the same, but in a framework that computes indices as floats.
    """

    name: str
    description: str
    attribute: bool = False
    exact_zeros: bool = False
    plain: bool = False
    map: bool = False
    integers: bool = False
    indices: bool = False

    @property
    def verb(self) -> str:
        """Return what the answer does with it."""
        return "keeps" if self.attribute else "returns"

    @property
    def choices(self) -> list[str]:
        """Return the answers that are offered, in quotes in its description."""
        return CHOICE.findall(self.description)

    @property
    def is_choice(self) -> bool:
        """Return whether it is one of some answers that are offered, or several such."""
        return self.plain and bool(self.choices or "True or False" in self.description)


@dataclass(frozen=True)
class Case:
    """One call. Inputs are float64 or integer arrays, or plain values.

    note: what is special about the case, as a clause: "one length for each query".
    dtype: the precision in which the float arrays are handed in.
    gradient: whether the gradients of this case are judged too. Those of a case that goes far beyond the ones that are
    judged must be finite numbers, and no more is asked of them.
    """

    note: str
    inputs: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, np.ndarray] = field(default_factory=dict)
    dtype: str = "float32"
    gradient: bool = False

    @property
    def values(self) -> dict[str, Any]:
        """Return the inputs and the parameters, by name."""
        return {**self.parameters, **self.inputs}

    def changed(self, change: Callable[[str, Any], Any]) -> "Case":
        """Return the case with other inputs and parameters. change: of the name and the value of each."""
        inputs, parameters = (
            {name: change(name, value) for name, value in values.items()}
            for values in (self.inputs, self.parameters)
        )
        return replace(self, inputs=inputs, parameters=parameters)


@dataclass(frozen=True)
class Misconception:
    """A wrong idea: the function it computes, and the words that name it to a learner.

    also: the same idea with another constant, such as the limit of a cut: `partial(function, limit=0.1)`.
    edits: by language, how it changes the text of the reference.
    """

    function: Function
    hint: str
    also: tuple[Function, ...] = ()
    edits: Mapping[str, SourceEdit] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return str(getattr(self.function, "func", self.function).__name__)

    @property
    def variants(self) -> tuple["Misconception", ...]:
        """Return the idea with each of its constants, under one name and hint."""
        return tuple(replace(self, function=function, also=()) for function in (self.function, *self.also))


# Calls the submission on a case (in training mode if asked) and returns its outputs.
Call = Callable[..., tuple[Any, ...]]


@dataclass(frozen=True)
class Property:
    """Something that must hold of every right answer, named in words.

    violation(run, case) returns a sentence that says where it does not hold; None where it does.
    required: judged even when all values are right (dropout, for one, changes no value
    in evaluation mode); otherwise it only explains wrong values.
    in_training: it calls in training mode, which plain NumPy does not have.
    of_memory: it is about what a call holds: run gives how many numbers the largest array has that the call
    makes, and how many all that live together hold at most, as far as the framework lets it be seen.
    misconceptions: those that it knows, each with its hint; `violation` may return the name of one.
    """

    name: str
    violation: Callable[[Call, Case], str | None]
    required: bool = False
    in_training: bool = False
    of_memory: bool = False
    misconceptions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Exercise:
    """A task for a learner, in every framework at once.

    statement, rules: what is to be written and why, and what may be called, in sentences of Markdown.
    conditions: what must hold of an argument or a learned array, by its name, of a result by "returns weights" or
    "keeps weights"; and of what is none of these, such as a layer, by words of Markdown: a row in the table of its own.
    entry: the name of the function or class to define; a class takes `settings` when it is
    made and `arguments` when it is called, and holds `parameters`.
    builds_on: topics whose solution a submission may import. What is rejected with the learner's own
    version of them is judged again with the reference in its place.
    helpers: what of these an answer may call. A stub imports it, or without helpers all functions; a box shows its call.
    forbidden: dotted names that may not be called, since they are the task itself.
    no_loop: whether a teacher is shown an answer with a loop; it costs nothing.
    gradient_reference: the function whose gradients an answer must have, where that is not the reference: an answer that
    stops a gradient on purpose has the values of one function and the gradients of another.
    wrong_gradients: wrong ideas that show in the gradients alone, each a function that has the gradients it gives.
    hints: what a learner who is stuck may ask for, one by one: what to look at, which step, almost the line.
    """

    name: str
    title: str
    statement: str
    entry: str
    arguments: tuple[Argument, ...]
    returns: tuple[Output, ...]
    reference: Function
    cases: Callable[[np.random.Generator], Sequence[Case]]
    misconceptions: Sequence[Misconception] = ()
    settings: tuple[Argument, ...] = ()
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    properties: tuple[Property, ...] = ()
    builds_on: tuple[str, ...] = ()
    helpers: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    no_loop: bool = False
    gradient_reference: Function | None = None
    wrong_gradients: tuple[Misconception, ...] = ()
    hints: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    conditions: Mapping[str, str] = field(default_factory=dict)
    difficulty: int = 1
    minutes: int = 10
    points: int = 1
    is_class: bool = False
    topic: str = ""

    @property
    def kind(self) -> str:
        """Return what its entry is, in a word."""
        return "class" if self.is_class else "function"

    @property
    def is_plain(self) -> bool:
        """Return whether every result is a plain value, such as a shape or a count: no framework is needed."""
        return all(output.plain for output in self.returns)

    @property
    def has_choices(self) -> bool:
        """Return whether a result is one of some answers that are offered."""
        return any(output.is_choice for output in self.returns)

    @property
    def asks_for_code(self) -> bool:
        """Return whether faults are asked for in its code: it has hints then, and its results are no choices."""
        return bool(self.hints) and not self.has_choices

    @property
    def signature(self) -> str:
        """Return the signature with the shape of each argument and of the result."""
        arguments = ", ".join(f"{a.name}: {a.description}" for a in self.arguments)
        returned = ", ".join(f"{o.name}: {o.description}" for o in self.returns if not o.attribute)
        settings = ", ".join(f"{a.name}: {a.description}" for a in self.settings)
        return f"{self.entry}{f'({settings})' if self.is_class else ''}({arguments}) -> {returned}"

    @property
    def call(self) -> str:
        """Return how it is called, with names alone; a class is made first."""
        calls = (self.settings, self.arguments) if self.is_class else (self.arguments,)
        return self.entry + "".join(f"({', '.join(a.name for a in call)})" for call in calls)

    def compute(self, function: Function, case: Case) -> tuple[Any, ...]:
        """Return what the reference, or a misconception, gives on a case: one entry for each output."""
        with np.errstate(all="ignore"):
            result, _ = self._result_and_cache(function, case)
        return result if isinstance(result, tuple) and len(self.returns) > 1 else (result,)

    def compute_or_none(self, function: Function, case: Case) -> tuple[Any, ...] | None:
        """Compute the same of a function that may stop, as a wrong idea may; None if it does."""
        with suppress(*IDEA_ERRORS):
            return self.compute(function, case)
        return None

    def numbers_cached(self, case: Case) -> int:
        """Return how many numbers the reference leaves in the cache that the calls of a case share; 0 if there is none."""
        return numbers_in(self._result_and_cache(self.reference, case)[1] or {}, np.size)

    def _result_and_cache(self, function: Function, case: Case) -> tuple[Any, Any]:
        """Return the result, joined where several calls share a cache, and that cache; None if they share none."""
        stand_ins = {
            a.name: STAND_INS[a.stands_in](case.inputs[a.name], np.asarray, np.asarray)
            for a in self.arguments
            if a.stands_in
        }
        constants = {**case.settings, **case.parameters}
        cached = self.cached(case)
        if cached is None:
            return function(**{**case.inputs, **stand_ins}, **constants), None
        first = next(a.name for a in self.arguments if isinstance(case.inputs[a.name], np.ndarray))
        cache = empty_caches(self.caches_of(cached, case))
        shared = {**case.inputs, **stand_ins, cached.name: cache}
        each = [a.name for a in self.arguments if a.per_call]
        results = [
            function(
                **shared | {first: case.inputs[first][:, part]} | {n: case.inputs[n][i] for n in each},
                **constants,
            )
            for i, part in enumerate(time_slices(case.inputs[cached.name], case.inputs[first].shape[1]))
        ]
        joined = tuple(results) if isinstance(results[0], float) else np.concatenate(results, axis=1)
        return joined, cache

    def calls(self, case: Case) -> int:
        """Return how often a function is called on a case."""
        cached = self.cached(case)
        return len(case.inputs[cached.name]) if cached else 1

    def cached(self, case: Case) -> Argument | None:
        """Return the argument that several calls share, if the case has several."""
        cached = (a for a in self.arguments if a.caches is not None)
        return next((a for a in cached if isinstance(case.inputs.get(a.name), tuple)), None)

    def caches_of(self, argument: Argument, case: Case) -> int | None:
        """Return how many dictionaries a cache is a list of; None where it is a single one."""
        return int(case.settings[argument.caches]) if argument.caches else None


def empty_caches(count: int | None) -> Any:
    """Return an empty dictionary, or a list of so many."""
    return {} if count is None else [{} for _ in range(count)]


def numbers_in(caches: Any, size: Callable[[Any], int]) -> int:
    """Return how many numbers lie in a dictionary, or in a list of them. size: how many an array holds, or a number."""
    all_caches = caches if isinstance(caches, list) else [caches]
    return sum(size(value) for cache in all_caches for value in cache.values())


def time_slices(lengths: Sequence[int], num_steps: int) -> list[slice]:
    """Return neighbouring parts of so many steps, of these lengths; the last one takes what is left."""
    ends = [sum(lengths[:i]) for i in range(1, len(lengths))]
    slices = [slice(a, b) for a, b in zip([0, *ends], [*ends, num_steps], strict=True)]
    return [part for part in slices if part.start < min(part.stop, num_steps)]
