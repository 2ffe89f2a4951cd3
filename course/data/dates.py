"""Dates as people write them in sixteen places, and the same dates in ISO 8601.

A translation whose answer and whose alignment are known: the digits of the year come from the characters
of the year, those of the month from the month, those of the day from the day. Words and
formats are those of Unicode's CLDR, through Babel.
"""

from datetime import date, timedelta
from typing import Literal

import numpy as np
from babel import Locale
from babel.dates import DateTimeFormat, get_date_format, tokenize_pattern

from course.data.sentence_pairs import Pair

LOCALES = (
    "cs", "da", "de", "el", "en_GB", "en_US", "es", "fi", "fr", "it", "nl", "pl", "pt", "ru", "sv", "tr",
)  # fmt: skip
Style = Literal["medium", "long", "full"]
FORMATS: tuple[Style, ...] = ("medium", "long", "full")
FIRST, DAYS = date(1950, 1, 1), 36525  # a hundred years
FIELDS = {"y": "year", "M": "month", "L": "month", "d": "day"}
# Which field each character of YYYY-MM-DD comes from.
ISO = ["year"] * 4 + [None] + ["month"] * 2 + [None] + ["day"] * 2


def format_date(day: date, locale: str, style: Style) -> tuple[str, dict[str, set[int]]]:
    """Return a date as a locale writes it, and the positions of its year, month and day."""
    values = DateTimeFormat(day, Locale.parse(locale))
    text, places = "", {field: set[int]() for field in ("year", "month", "day")}
    for kind, content in tokenize_pattern(get_date_format(style, locale=locale).pattern):
        if kind == "chars":
            text += str(content)
            continue
        # A field is a letter and how often it stands there.
        letter, width = str(content[0]), int(content[1])
        number = values[letter * width]
        if letter in FIELDS:
            places[FIELDS[letter]] |= set(range(len(text), len(text) + len(number)))
        text += number
    return text, places


def pair(day: date, locale: str, style: Style) -> Pair:
    """Return a date as a pair of sentences whose words are characters."""
    text, places = format_date(day, locale, style)
    gold = tuple(frozenset(places[field]) if field else frozenset[int]() for field in ISO)
    return Pair(tuple(text), tuple(day.isoformat()), gold, tuple(field is not None for field in ISO))


def pairs(count: int, seed: int) -> list[Pair]:
    """Return random dates in random locales and formats; the same seed gives the same ones."""
    rng = np.random.default_rng(seed)
    draws = zip(
        rng.integers(DAYS, size=count),
        rng.integers(len(LOCALES), size=count),
        rng.integers(len(FORMATS), size=count),
        strict=True,
    )
    return [
        pair(FIRST + timedelta(days=int(days)), LOCALES[locale], FORMATS[style])
        for days, locale, style in draws
    ]
