"""The words of a verdict."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.judge.compare import not_whole
from autograder.model.exercise import Output
from autograder.model.finding import Finding, Kind
from autograder.sandbox.requests import Failure

MAX_RAISED = 160


def sentence(text: str, names: Collection[str] = ()) -> str:
    """Return the text with a capital and a full stop; names, letters and words such as valid_length keep their small letter."""
    text = text.strip()
    word = text.split(" ")[0]
    if word.isalpha() and word not in names and (len(word) > 1 or word == "a"):
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ")")) else text + "."


def article(kind: str) -> str:
    """Return a kind with its article: "a list", "an NDArray"."""
    return f"a{'n' if kind[:1].lower() in 'aeiou' or kind[:2] == 'ND' else ''} {kind[:30]}"


def exception_text(error: Failure) -> str:
    """Return the original exception, short."""
    kind = error["type"]
    words = " ".join(f"{kind}: {error['message'].removeprefix(f'{kind}: ')}".split()).rstrip(".")
    return words if len(words) <= MAX_RAISED else words[: MAX_RAISED - 1] + "…"


def quoted_line(error: Failure) -> str:
    """Return the learner's own line, in brackets; empty where none is known."""
    if not error["line"]:
        return ""
    where = f" of {error['where']}" if error.get("where") else ""
    line = (error["source"] or "").strip()
    # As code where a page shows it; a line that holds a backtick stays as it is.
    code = line if "`" in line else f"`{line}`"
    return f" (line {error['line']}{where}: {code})" if line else f" (line {error['line']}{where})"


def stop_finding(finding: Finding, error: Failure) -> Finding:
    """Say that an answer stopped, with the learner's own line. finding: in words without a full stop."""
    words = f"{finding.words}{quoted_line(error)}"
    cause = finding.cause or finding.words
    return replace(finding, words=words if words.endswith(")") else f"{words}.", cause=cause)


def plain_words(value: Any) -> str:
    """Return what a result is that is no array."""
    return "None" if value is None else f"the plain value {str(value)[:60]}"


def wrong_values(names: str, got: tuple[Any, ...], expected: tuple[Any, ...]) -> Finding:
    """Say that values are wrong; of several choices how many are right, and not which."""
    if len(got) == 1 and isinstance(got[0], list | tuple) and isinstance(expected[0], list | tuple):
        mine, right = got[0], expected[0]
        if len(mine) != len(right):
            entries, are = "entry" if len(mine) == 1 else "entries", "is" if len(right) == 1 else "are"
            return Finding(Kind.SHAPE, f"{names} has {len(mine)} {entries}; {len(right)} {are} right.")
        if len(right) > 1 and all(isinstance(value, str | bool) for value in right):
            count = sum(type(a) is type(b) and a == b for a, b in zip(mine, right, strict=True))
            return Finding(Kind.CHOICES, f"{count} of {len(right)} {'is' if count == 1 else 'are'} right.")
    if len(got) == 1 and isinstance(got[0], str) and got != expected:
        return Finding(Kind.CHOICES, f'Your answer for this case, "{got[0]}", is not right.')
    return Finding(Kind.VALUES, f"The values of {names} are not right.")


def nothing_returned(name: str) -> Finding:
    """Say that a result is None."""
    return Finding(Kind.NOTHING_RETURNED, f"It returns None for {name}: does the function end with a return?")


def plain_problem(output: Output, got: Any, expected: Any) -> Finding | None:
    """Return the first way in which a plain result is no answer of the form that is asked for; None if it is one."""
    name, shape, choices = output.name, output.description, output.choices
    mine = got if isinstance(got, list | tuple) else [got]
    if got is None:
        return nothing_returned(name)
    if isinstance(expected, list) and not isinstance(got, list):
        kind = "a tuple" if isinstance(got, tuple) else plain_words(got)
        return Finding(Kind.TYPE, f"{name} is {kind}; it must be {shape}.")
    # How long a list is may depend on the values; then it is one of them.
    if isinstance(expected, tuple) and len(mine) != len(expected):
        return Finding(Kind.SHAPE, f"{name} holds {len(mine)}; it must hold {len(expected)}: {shape}.")
    other = next((value for value in mine if choices and value not in choices), None)
    if other is not None:
        return Finding(Kind.TYPE, f"{name} holds {str(other)[:40]!r}; it must be {shape}.")
    if (number := next(not_whole(got, expected), None)) is None:
        return None
    words = f"{name} holds {number}; it must be a whole number, an int"
    if isinstance(number, float):
        return Finding(Kind.FLOAT_FOR_AN_INT, f"{words}: divide with // and not with /.")
    return Finding(Kind.TYPE, f"{words}.")


def not_finite(name: str, got: np.ndarray) -> Finding:
    """Say which entry of an array is nan or infinite, and what gives such an entry, as far as the array shows it.

    got: any shape, with at least one entry that is not finite.
    """
    index = tuple(map(int, np.argwhere(~np.isfinite(got))[0]))
    entry = f"{name}[{', '.join(map(str, index))}]" if index else name
    nan = np.isnan(got)
    if not nan[index]:
        cause = (
            "The maximum of masked entries alone is -inf, and so are the logarithm of 0 and inf, such as exp(1000), "
            "times a negative number."
            if got[index] < 0
            else "A division by 0 gives inf, and a number too large for its type, such as exp(1000), becomes inf."
        )
    elif got.ndim and got.shape[-1] > 1 and nan[index[:-1]].all() and not nan.all():
        cause = (
            "All of its row is nan, as where a row is divided by a sum of 0, or where a softmax gets nothing but "
            "minus infinity."
        )
    else:
        cause = (
            "0 / 0 gives nan, as where a row is divided by a sum of 0; so do inf / inf, inf - inf, 0 * inf, and the "
            "root or the logarithm of a negative number."
        )
    return Finding(Kind.NOT_FINITE, f"{entry} is {got[index]}; every entry must be finite.", cause)


def must_but(rule: str, where: str) -> str:
    """Say what must hold, and where it does not, in one sentence: "Each row must sum to 1, but row 0 sums to 0.8."."""
    where = where.strip()
    word = where.split(" ")[0]
    # "X" and "W_q" are names, "Row" is a word.
    if word.isalpha() and word[1:].islower():
        where = where[:1].lower() + where[1:]
    return sentence(f"{rule.strip().rstrip('.')}, but {where}")


def unwritten_helper(raised_in: str | None, entry: str) -> str:
    """Say that an answer calls a function or class of its learner's that is a stub; empty if the answer itself is.

    raised_in: the learner's function that raised NotImplementedError, as a qualified name.
    """
    name = (raised_in or "").split(".<locals>")[0]
    for method in (".__init__", ".forward"):
        name = name.removesuffix(method)
    is_answer = not name or name.startswith("<") or name.split(".")[0] == entry
    return "" if is_answer else f"It calls {name}, which is not written yet"
