"""The words of a verdict."""

import re
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from autograder.judge.compare import not_whole
from autograder.model.exercise import Output

CHOICE = re.compile(r'"(\w+)"')


def sentence(text: str, names: Collection[str] = ()) -> str:
    """The text with a capital and a full stop; names, and words such as valid_length, keep their small letter."""
    text = text.strip()
    word = text.split(" ")[0]
    if word.isalpha() and word not in names:
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ")")) else text + "."


# What a library warns of, and what it means when the values are wrong.
WARNINGS = (
    (
        "Implicit dimension choice for",
        "softmax is called without an axis, and PyTorch then takes the first of three axes: dim=-1 is the last.",
    ),
    ("The use of `x.T` on tensors of dimension other than 2", "`.T` turns all axes round, the batch too."),
)


def agreeing(name: str, one: str, several: str) -> str:
    """The form of a verb that agrees with a result's name: "weights change", "context changes"."""
    plural = name.endswith("s") and not name.endswith(("ss", "us", "is"))
    return several if plural else one


def note_on_warnings(warned: Iterable[str]) -> str:
    """What known warnings mean, as sentences to add; empty where none is known."""
    said = [words for begin, words in WARNINGS if any(text.startswith(begin) for text in warned)]
    return "".join(f" {words}" for words in said)


def plain_words(value: Any) -> str:
    """What a result is that is no array."""
    return "None" if value is None else f"the plain value {str(value)[:60]}"


def is_choice(output: Output) -> bool:
    """Whether a result is one of some answers that are offered, or several such."""
    return output.plain and bool(CHOICE.search(output.shape) or "True or False" in output.shape)


def wrong_values(names: str, got: tuple[Any, ...], wanted: tuple[Any, ...]) -> str:
    """That values are wrong; of several choices how many are right, and not which."""
    if len(got) == 1 and isinstance(got[0], list | tuple) and isinstance(wanted[0], list | tuple):
        if len(got[0]) != len(wanted[0]):
            return f"{names} has {_entries(len(got[0]))}; {len(wanted[0])} {'is' if len(wanted[0]) == 1 else 'are'} right."
        pairs = list(zip(got[0], wanted[0], strict=False))
        if len(wanted[0]) > 1 and all(isinstance(value, str | bool) for value in wanted[0]):
            right = sum(type(mine) is type(theirs) and mine == theirs for mine, theirs in pairs)
            return f"{right} of {len(wanted[0])} {'is' if right == 1 else 'are'} right."
    if len(got) == 1 and isinstance(got[0], str) and got != wanted:
        return f'Your {names} for this case, "{got[0]}", is not right.'
    return f"The values of {names} are not right."


def _entries(count: int) -> str:
    return f"{count} entr{'y' if count == 1 else 'ies'}"


def plain_problem(output: Output, got: Any, wanted: Any) -> str | None:
    """The first way in which a plain result is no answer of the form that is asked for; None if it is one."""
    choices = CHOICE.findall(output.shape)
    mine = got if isinstance(got, list | tuple) else [got]
    if got is None:
        return f"It returns None for {output.name}: does the function end with a return?"
    if isinstance(wanted, list) and not isinstance(got, list):
        return f"{output.name} is {'a tuple' if isinstance(got, tuple) else plain_words(got)}; it must be {output.shape}."
    # How long a list is may depend on the values; then it is one of them.
    if isinstance(wanted, tuple) and len(mine) != len(wanted):
        return f"{output.name} holds {len(mine)}; it must hold {len(wanted)}: {output.shape}."
    other = next((value for value in mine if choices and value not in choices), None)
    if other is not None:
        return f"{output.name} holds {str(other)[:40]!r}; it must be {output.shape}."
    number = next(not_whole(got, wanted), None)
    if number is None:
        return None
    divide = ": divide with // and not with /" if isinstance(number, float) else ""
    return f"{output.name} holds {number}; it must be a whole number, an int{divide}."


FINITE = "every entry must be finite."


def not_finite(name: str, got: np.ndarray) -> str:
    """Which entry of an array is nan or infinite, and what gives such an entry, as far as the array shows it.

    got: any shape, with at least one entry that is not finite.
    """
    place = tuple(map(int, np.argwhere(~np.isfinite(got))[0]))
    entry = f"{name}[{', '.join(map(str, place))}]" if place else name
    nan = np.isnan(got)
    if not nan[place]:
        cause = (
            "A maximum over nothing but masked entries is -inf, and so is the logarithm of 0."
            if got[place] < 0
            else "A division by 0 gives inf, and a number too large for its type, such as exp(1000), becomes inf."
        )
    elif got.ndim and got.shape[-1] > 1 and nan[place[:-1]].all() and not nan.all():
        cause = (
            "All of its row is nan, as where a row is divided by a sum of 0, or where a softmax gets nothing but "
            "minus infinity."
        )
    else:
        cause = (
            "0 / 0 gives nan, as where a row is divided by a sum of 0; so do inf / inf, inf - inf, 0 * inf, and the "
            "root or the logarithm of a negative number."
        )
    return f"{entry} is {got[place]}; {FINITE} {cause}"


def without_guess(message: str) -> str:
    """A message on an entry that is not finite without what may have caused it; any other as it is."""
    before, found, _ = message.partition(FINITE)
    return before + found


def must_but(rule: str, where: str) -> str:
    """What must hold, and where it does not, in one sentence: "Each row must sum to 1, but row 0 sums to 0.8."."""
    where = where.strip()
    word = where.split(" ")[0]
    # "X" and "W_q" are names, "Row" is a word.
    if word.isalpha() and word[1:].islower():
        where = where[:1].lower() + where[1:]
    return sentence(f"{rule.strip().rstrip('.')}, but {where}")


def unwritten_helper(raised_in: str | None, entry: str) -> str:
    """That an answer calls a function or class of its learner's that is a stub; empty if the answer itself is.

    raised_in: the learner's function that raised NotImplementedError, as a qualified name.
    """
    name = (raised_in or "").split(".<locals>")[0]
    for method in (".__init__", ".forward"):
        name = name.removesuffix(method)
    is_answer = not name or name.startswith("<") or name.split(".")[0] == entry
    return "" if is_answer else f"It calls {name}, which is not written yet"
