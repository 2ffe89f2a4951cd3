"""The words of a verdict."""

from typing import Any


def sentence(text: str) -> str:
    """The text with a capital and a full stop; a name such as valid_length keeps its small letter."""
    text = text.strip()
    if text.split(" ")[0].isalpha():
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ")")) else text + "."


def plain_words(value: Any) -> str:
    """What a result is that is no array."""
    return "None" if value is None else f"the plain value {str(value)[:60]}"


def must_but(rule: str, where: str) -> str:
    """What must hold, and where it does not, in one sentence: "Each row must sum to 1, but row 0 sums to 0.8."."""
    where = where.strip()
    word = where.split(" ")[0]
    # "X" and "W_q" are names, "Row" is a word.
    if word.isalpha() and word[1:].islower():
        where = where[:1].lower() + where[1:]
    return sentence(f"{rule.strip().rstrip('.')}, but {where}")
