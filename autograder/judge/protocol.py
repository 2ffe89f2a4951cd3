"""Requests to a submission's process, and checks of its replies before they are believed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np

from autograder.model.exercise import Argument, Case, Exercise
from autograder.model.finding import Finding, Kind
from autograder.sandbox import requests
from autograder.sandbox.requests import CallRequest, CallsRequest, EntryRequest, Failure, SourceRequest
from autograder.sandbox.variables import MOST_ARRAYS, MOST_CHARACTERS, MOST_ENTRIES
from autograder.sandbox.wire import Arrays, Header

MAX_CHARACTERS = 2000
Request = SourceRequest | EntryRequest | CallsRequest
Call = tuple[CallRequest, Arrays]
Reply = tuple[Header, Arrays]
Outputs = tuple[Any, ...]
# For each output, what its gradient is multiplied by; None where it takes no part.
Cotangents = list[np.ndarray | None] | None


class Transport(Protocol):
    """Carries requests to the submission and brings replies: inside this process, or over the wire."""

    differentiates: bool

    def exchange_all(self, calls: Sequence[Call]) -> list[Reply]:
        """Return the replies to calls in their order. Behind the first that fails there may be none."""


class Tampering(Exception):
    """The worker answered something that no honest worker answers."""


@dataclass(frozen=True, eq=False)
class Variable:
    """An array that a variable holds from a line on."""

    name: str
    line: int
    array: np.ndarray


@dataclass(frozen=True)
class CallResult:
    """What one call gave: outputs in order (arrays, plain values or `Foreign`), or a failure.

    variables: what those of the answer held, where it was watched.
    memory: how many numbers the largest array had that it made, and at most all that lived together; None where that
    was not to be seen. cached: how many numbers lie in the cache afterwards; None where there is none.
    """

    outputs: Outputs = ()
    changed: tuple[str, ...] = ()
    gradients: dict[str, np.ndarray | None] | None = None
    contract_broken: Finding | None = None
    error: Failure | None = None
    warned: tuple[str, ...] = ()
    memory: tuple[int, int] | None = None
    cached: int | None = None
    variables: tuple[Variable, ...] = ()

    @property
    def failed(self) -> bool:
        """Return whether the call gave no outputs."""
        return self.error is not None or self.contract_broken is not None


@dataclass(frozen=True)
class Foreign:
    """A result that is neither an array of the framework nor a plain value."""

    kind: str


def call_request(
    exercise: Exercise,
    case: Case,
    train: bool,
    cotangents: Cotangents,
    framework: str,
    measure: bool = False,
    earlier: Case | None = None,
) -> tuple[CallRequest, Arrays]:
    """Return the request that calls a submission on one case, and its arrays.

    earlier: a case of the same sizes, on whose inputs the same object is called before.
    """
    arrays: Arrays = []

    def add_array(value: np.ndarray) -> int:
        arrays.append(value)
        return len(arrays) - 1

    def described(argument: Argument, case: Case) -> requests.ArgumentHeader:
        value = case.inputs[argument.name]
        header: requests.ArgumentHeader = {"name": argument.name}
        if isinstance(value, np.ndarray):
            return header | {
                "array": add_array(as_sent(value, case, framework)),
                "integers": argument.integers,
            }
        if argument.caches is not None and value is not None:
            caches = exercise.caches_of(argument, case)
            return header | {"parts": list(value), "caches": caches, "stored": argument.stored}
        if argument.stands_in:
            return header | {"plain": value, "stands_in": argument.stands_in}
        return header | {"plain": value, "list": isinstance(value, list), "per_call": argument.per_call}

    parameters: list[requests.ParameterHeader] = [
        {
            "path": exercise.parameters[name].path,
            "array": add_array(as_sent(value, case, framework)),
            "begins": exercise.parameters[name].begins,
        }
        for name, value in case.parameters.items()
    ]
    cotangent_indices = None
    if cotangents is not None:
        cotangent_indices = [None if c is None else add_array(c) for c in cotangents]
    request: CallRequest = {
        "do": "call",
        "is_class": exercise.is_class,
        "settings": dict(case.settings),
        # A property may leave out what has a default.
        "arguments": [described(a, case) for a in exercise.arguments if a.name in case.inputs],
        "parameters": parameters,
        "outputs": [{"name": o.name, "attribute": o.attribute} for o in exercise.returns],
        "cotangents": cotangent_indices,
        "train": train,
        "measure": measure,
        "earlier": [described(argument, earlier) for argument in exercise.arguments] if earlier else [],
        "forbidden": list(exercise.forbidden),
    }
    return request, arrays


def as_sent(value: np.ndarray, case: Case, framework: str) -> np.ndarray:
    """Return an array in the type in which it is handed in; plain NumPy gets the case's full precision."""
    if value.dtype.kind == "f":
        return value if framework == "numpy" else value.astype(case.dtype)
    return value.astype(bool) if value.dtype.kind == "b" else value.astype(np.int64)


def checked_result(reply: Header, arrays: Arrays, count: int) -> CallResult:
    """Return what a reply says of a call, once its form has been checked.

    count: how many results there must be. Raises Tampering for a form that no honest process sends.
    """
    if "error" in reply:
        return CallResult(error=_failure(reply["error"]))
    if "contract_broken" in reply:
        return CallResult(contract_broken=Finding(_kind(reply), _words(reply["contract_broken"])))
    try:
        outputs = tuple(_output(described, arrays) for described in reply["outputs"])
        changed = tuple(map(str, reply["changed"]))
        warned = tuple(_text(words) for words in reply.get("warned") or [])
        variables = tuple(_variables(reply, arrays))
        memory = tuple(map(int, reply.get("memory") or ()))
        cached = None if reply.get("cached") is None else int(reply["cached"])
        gradients = {
            str(g["name"]): None if g["array"] is None else _nth(arrays, g["array"])
            for g in reply.get("gradients") or []
        }
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise Tampering("the worker's reply has the wrong form") from error
    if len(outputs) != count:
        raise Tampering(f"the worker's reply holds {len(outputs)} results in place of {count}")
    measured = memory if len(memory) == 2 else None
    return CallResult(
        outputs, changed, gradients, warned=warned, memory=measured, cached=cached, variables=variables
    )


def _variables(reply: Header, arrays: Arrays) -> Iterator[Variable]:
    described = reply.get("variables") or []
    for one in described:
        name, line, array = _text(one["name"]), one["line"], _nth(arrays, one["array"])
        is_bounded = (
            max(len(described) / MOST_ARRAYS, array.size / MOST_ENTRIES, len(name) / MOST_CHARACTERS) <= 1
        )
        if not (is_bounded and name.isidentifier() and type(line) is int):
            raise Tampering("the worker's reply names a variable that cannot be one")
        yield Variable(name, line, array)


def _nth(arrays: Arrays, index: Any) -> np.ndarray:
    if type(index) is not int or index < 0:
        raise Tampering("the worker's reply names an array that is not there")
    return arrays[index]


def _output(described: Header, arrays: Arrays) -> Any:
    if "array" in described:
        return _nth(arrays, described["array"])
    if "plain" not in described:
        return Foreign(_text(described["foreign"]))
    plain = described["plain"]
    return tuple(plain) if described.get("tuple") is True and isinstance(plain, list) else plain


def _failure(described: Any) -> Failure:
    if not isinstance(described, dict):
        raise Tampering("the worker's reply has the wrong form")
    line = described.get("line")
    texts = {key: _text(described.get(key)) for key in ("type", "message", "where", "source", "function")}
    return cast(Failure, {**texts, "line": line if type(line) is int else None})


def _words(value: Any) -> str:
    if not _text(value).strip():
        raise Tampering("the worker's reply gives no reason")
    return _text(value)


def _kind(reply: Header) -> Kind:
    try:
        return Kind(reply.get("kind", Kind.CONTRACT))
    except ValueError as error:
        raise Tampering("the worker's reply names no kind that there is") from error


def _text(value: Any) -> str:
    return value[:MAX_CHARACTERS] if isinstance(value, str) else ""
