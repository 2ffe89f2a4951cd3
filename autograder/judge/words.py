"""The words of a verdict."""

import re
from collections.abc import Collection
from typing import Any

from autograder.model.exercise import Output

CHOICE = re.compile(r'"(\w+)"')


def sentence(text: str, names: Collection[str] = ()) -> str:
    """The text with a capital and a full stop; names, and words such as valid_length, keep their small letter."""
    text = text.strip()
    word = text.split(" ")[0]
    if word.isalpha() and word not in names:
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ")")) else text + "."


def plain_words(value: Any) -> str:
    """What a result is that is no array."""
    return "None" if value is None else f"the plain value {str(value)[:60]}"


def is_choice(output: Output) -> bool:
    """Whether a result is one of some answers that are offered, or several such."""
    return output.plain and bool(CHOICE.search(output.shape) or "True or False" in output.shape)


def wrong_values(names: str, got: tuple[Any, ...], wanted: tuple[Any, ...]) -> str:
    """That values are wrong; of several choices how many are right, and not which."""
    if len(got) == 1 and isinstance(got[0], list | tuple) and isinstance(wanted[0], list | tuple):
        pairs = list(zip(got[0], wanted[0], strict=False))
        if len(wanted[0]) > 1 and all(isinstance(value, str | bool) for value in wanted[0]):
            right = sum(type(mine) is type(theirs) and mine == theirs for mine, theirs in pairs)
            return f"{right} of {len(wanted[0])} {'is' if right == 1 else 'are'} right."
    return f"The values of {names} are not right."


def plain_problem(output: Output, got: Any, wanted: Any) -> str | None:
    """The first way in which a plain result is none of the answers that are offered; None if it is one."""
    choices = CHOICE.findall(output.shape)
    mine = got if isinstance(got, list | tuple) else [got]
    if got is None:
        return f"It returns None for {output.name}: does the function end with a return?"
    if isinstance(wanted, list | tuple) and len(mine) != len(wanted):
        return f"{output.name} holds {len(mine)}; it must hold {len(wanted)}: {output.shape}."
    other = next((value for value in mine if choices and value not in choices), None)
    return None if other is None else f"{output.name} holds {str(other)[:40]!r}; it must be {output.shape}."


def must_but(rule: str, where: str) -> str:
    """What must hold, and where it does not, in one sentence: "Each row must sum to 1, but row 0 sums to 0.8."."""
    where = where.strip()
    word = where.split(" ")[0]
    # "X" and "W_q" are names, "Row" is a word.
    if word.isalpha() and word[1:].islower():
        where = where[:1].lower() + where[1:]
    return sentence(f"{rule.strip().rstrip('.')}, but {where}")
