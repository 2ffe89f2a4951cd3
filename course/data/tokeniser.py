"""Words and marks, split as spaCy 2.2 splits the sentences of Multi30k, German and English.

The Technion tutorial ("CS236781: Deep Learning, Tutorial 7: Attention") counted its vocabularies with
spaCy 2.2, which current versions of Python cannot install. These are the rules of spaCy that apply to
Multi30k, written anew: without them the tutorial's vocabulary sizes cannot be reproduced. On other texts
the result may differ.
"""

import re
from collections.abc import Iterator

LETTER = r"[^\W\d_]"
LOWER, UPPER = r"[a-zäöüßàâçèéêëíîïñóôúûæœ]", r"[A-ZÄÖÜÀÂÇÈÉÊËÍÎÑÓÔÚÛÆŒ]"
QUOTES = "'\"”“`‘´’‚,„»«"
MARK = rf"\.\.+|…|[;:!?¡¿()\[\]{{}}<>_#*&{QUOTES}]"
BEFORE = re.compile(rf"{MARK}|[$£€%=§—–]|\+(?!\d)")
# A full stop is split from a lower-case word, a number and a closing mark, but not a single capital.
AFTER = re.compile(
    rf"(?:['’][sS]|{MARK}|[—–]|(?<=\d)(?:\+|[$£€%]|km|cm|mm|kg|mg|m|g|t|l|K|M|G|T)"
    rf"|(?<=(?:\d|[)\]!?%²+\-{QUOTES}]|{LOWER}))\.|(?<={UPPER}{UPPER})\.)$"
)
INSIDE = {
    # German keeps hyphens: a T-Shirt is one word.
    "de": re.compile(
        rf"\.\.+|…|(?<={LOWER})\.(?={UPPER})|(?<={LETTER})[,!?:<>=](?={LETTER})"
        rf"|(?<={LETTER})[()\[\]\"”“`‘´’‚„»«](?={LETTER})|(?<={LETTER})--(?={LETTER})|(?<=\d)-(?=\d)"
    ),
    "en": re.compile(
        rf"\.\.+|…|(?<=\d)[+\-*^](?=[\d-])|(?<=[a-z{QUOTES}])\.(?=[A-Z{QUOTES}])|(?<={LETTER}),(?={LETTER})"
        rf"|(?<={LETTER})(?:--+|[-–—~])(?={LETTER})|(?<=(?:{LETTER}|\d))[:<>=/](?={LETTER})"
    ),
}
WHOLE = {
    "de": {"bzw.", "ca.", "evtl.", "usw.", "Mr.", "N.Y.", "Nr.", "St.", "U.S."},
    "en": {"Dr.", "Mr.", "Mrs.", "St.", "cause", "em", "'em", "'ll", "'re"},
}
NOT = {"ca", "do", "does", "did", "is", "are", "was", "has", "could", "should", "wo", "would"}
ENGLISH = {
    "cannot": ("can", "not"),
    "let's": ("let", "'s"),
    "id": ("i", "d"),  # meant as I'd, and so split wherever an identity card is shown
    "whats": ("what", "s"),
    "Shes": ("She", "s"),
}
SINGLE = re.compile(r"[a-zäöü]\.")


def tokens(sentence: str, language: str) -> list[str]:
    """Return the tokens of a sentence; `language` is "de" or "en".

    A second blank counts as a token of its own, as it does for spaCy.
    """
    result: list[str] = []
    for piece in re.findall(r"\S+|\s+", sentence.rstrip()):
        if piece.isspace():
            blank = piece[1:] if result and piece[0] == " " else piece
            result += [blank] if blank else []
        else:
            result += _pieces(piece, language)
    return result


def _pieces(word: str, language: str) -> Iterator[str]:
    """Split punctuation from both ends, one mark at a time, until the rest is a known word or has none."""
    after: list[str] = []
    while word and _by_rule(word, language) is None:
        before, behind = BEFORE.match(word), AFTER.search(word)
        if before:
            yield before.group()
            word = word[before.end() :]
            if not behind or _by_rule(word, language) is not None:
                continue
            behind = AFTER.search(word)
        if behind:
            after.append(behind.group())
            word = word[: behind.start()]
        if not before and not behind:
            break
    parts = _by_rule(word, language)
    yield from parts if parts is not None else _split_inside(word, INSIDE[language])
    yield from reversed(after)


def _by_rule(word: str, language: str) -> tuple[str, ...] | None:
    """Return a word with a rule of its own: an abbreviation stays whole, a contraction is taken apart."""
    if word in WHOLE[language] or SINGLE.fullmatch(word):
        return (word,)
    if language == "en":
        if word.endswith("n't") and word[:-3].lower() in NOT:
            return (word[:-3], "n't")
        return ENGLISH.get(word)
    return None


def _split_inside(word: str, pattern: re.Pattern[str]) -> Iterator[str]:
    start = 0
    for match in pattern.finditer(word):
        if match.start():
            yield word[start : match.start()]
            yield match.group()
            start = match.end()
    if word[start:]:
        yield word[start:]
