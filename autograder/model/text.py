"""Text that comes from a submission, without control characters; and words for numbers and lists."""

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches

MAX_CHARACTERS = 2000
# A name so like a known one is that one misspelt; expand_dims and expand_as are less alike, and so are cat and cast.
MISSPELT = 0.88
# Control characters, format characters (bidirectional overrides among them), surrogates.
UNPRINTABLE = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def clean(text: object, limit: int = MAX_CHARACTERS) -> str:
    """Return one line of printable text; everything else becomes a space or a replacement sign."""
    return "".join(
        " " if c in "\n\t\r" else "\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in UNPRINTABLE else c
        for c in str(text)[:limit]
    )


def clean_lines(text: object) -> str:
    """Return lines of printable text; whatever else is in them becomes a replacement sign."""
    return "\n".join(clean(line, len(line)) for line in str(text).split("\n"))


def counted(number: float, word: str) -> str:
    """Return a number with its noun: "1 point", "2.5 points"."""
    return f"{number:g} {word}{'' if number == 1 else 's'}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Return words as a sentence lists them: "a, b and c". last: what stands before the last of them."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def few(words: Sequence[str], most: int, between: str = ", ") -> str:
    """Return the first of some words, and how many more there are."""
    more = len(words) - most
    return between.join(words[:most]) + (f"{between}and {more} more" if more > 0 else "")


def common_length(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many characters, or words, two texts begin with alike."""
    differing = (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differing, min(len(one), len(other)))


def did_you_mean(
    name: str, names: Collection[str], words: str = " Is it {}?", similarity: float = 0.6
) -> str:
    """Return a question that names what is nearest to a name, if one is near. names: a mapping says what each is called."""
    nearest = get_close_matches(name, names, 1, similarity)
    return "".join(words.format(names[word] if isinstance(names, Mapping) else word) for word in nearest)
