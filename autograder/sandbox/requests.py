"""What the judge asks of a submission's process: the headers of requests.

Arrays travel behind the header; an `array` is a place in their list. A reply comes from a process
that may have been taken over, so the judge checks it (`autograder.judge.protocol`) before it believes it.
"""

from typing import Any, Literal, NotRequired, TypedDict


class SourceRequest(TypedDict):
    """Run the source and turn to an entry. The array holds the texts (`wire.pack_texts`).

    override: whether helpers of the source give way to the reference's. seconds: after which statements that
    still run are stopped, one by one, so that what was defined can be judged. forbidden: what is refused meanwhile.
    """

    do: Literal["source"]
    framework: str
    entry: str
    override: bool
    seconds: float
    forbidden: list[str]


class EntryRequest(TypedDict):
    """Turn to another entry of the source that has been run."""

    do: Literal["entry"]
    entry: str


class ArgumentHeader(TypedDict):
    """An argument by its name: an array, or a plain value.

    integers: the array keeps an integer type. list: the plain value is handed in as a list, and not as a tuple.
    parts: it is a cache that several calls share, each of which gets so many steps of the first argument; caches: of
    how many dictionaries it is a list, None for a single one; stored: whether it must hold numbers and arrays.
    per_call: whether the plain value is a list with one for each of these calls.
    stands_in: what is made of the plain value.
    """

    name: str
    array: NotRequired[int]
    integers: NotRequired[bool]
    plain: NotRequired[Any]
    list: NotRequired[bool]
    parts: NotRequired[list[int]]
    caches: NotRequired[int | None]
    stored: NotRequired[bool]
    per_call: NotRequired[bool]
    stands_in: NotRequired[str]


class ParameterHeader(TypedDict):
    """A learned array by its path inside the module. begins: the number that it must be when the module is made."""

    path: str
    array: int
    begins: float | None


class OutputHeader(TypedDict):
    """A result by its name; an attribute is read from the module after the call."""

    name: str
    attribute: bool


class CallRequest(TypedDict):
    """Call the entry once.

    cotangents: for each output its array, or None where it takes no part; None asks for no gradients.
    measure: whether to say how many numbers the largest array has that the call makes, and all that live together.
    watch: whether to say which arrays the entry's own variables hold.
    earlier: arguments with which the same object is called before, in turn with calls that share a cache; a list
    without any asks for no earlier call.
    """

    do: Literal["call"]
    is_class: bool
    settings: dict[str, Any]
    arguments: list[ArgumentHeader]
    parameters: list[ParameterHeader]
    outputs: list[OutputHeader]
    cotangents: list[int | None] | None
    train: bool
    measure: bool
    watch: NotRequired[bool]
    earlier: list[ArgumentHeader]
    forbidden: list[str]


class CallsRequest(TypedDict):
    """Call the entry once for each of several requests, up to the first that fails; a reply to each.

    counts: how many of the arrays belong to each.
    """

    do: Literal["calls"]
    calls: list[CallRequest]
    counts: list[int]


class Failure(TypedDict):
    """An exception: its type, its message, and the innermost line of the learner's own source.

    where: what holds the line, as words: "your cell", "cell 3", "answers.py". function: the name of the learner's own
    function that raised it, if another one of theirs called that one.
    """

    type: str
    message: str
    line: int | None
    where: str | None
    source: str | None
    function: str | None


def failed(reply: dict[str, Any]) -> bool:
    """Return whether a reply to a call says that it gave no results."""
    return "outputs" not in reply
