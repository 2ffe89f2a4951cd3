"""Words that come from a submission: capped, and without what a reader's screen would obey."""

import unicodedata

MAX_WORDS = 2000
# Control characters, format characters (bidirectional overrides among them), surrogates.
OBEYED = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def clean(text: object, limit: int = MAX_WORDS) -> str:
    """One line of printable text; everything else becomes a space or a replacement sign."""
    kept = []
    for character in str(text)[:limit]:
        if character in "\n\t\r":
            kept.append(" ")
        elif unicodedata.category(character) in OBEYED:
            kept.append("\N{REPLACEMENT CHARACTER}")
        else:
            kept.append(character)
    return "".join(kept)
