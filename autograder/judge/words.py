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
