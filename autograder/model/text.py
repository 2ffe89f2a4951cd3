"""Text that comes from a submission: shortened, and without control characters."""

import unicodedata

MAX_CHARACTERS = 2000
# Control characters, format characters (bidirectional overrides among them), surrogates.
UNPRINTABLE = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def clean(text: object, limit: int = MAX_CHARACTERS) -> str:
    """One line of printable text; everything else becomes a space or a replacement sign."""
    kept = []
    for character in str(text)[:limit]:
        if character in "\n\t\r":
            kept.append(" ")
        elif unicodedata.category(character) in UNPRINTABLE:
            kept.append("\N{REPLACEMENT CHARACTER}")
        else:
            kept.append(character)
    return "".join(kept)
