"""What a learner has practised, in one small file: the one that the book's page exports and imports.

When an item comes back is computed by FSRS (Free Spaced Repetition Scheduler), in the page by
`_static/in_page/practice.js`.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fsrs import Card, Rating, Scheduler, State

from autograder.model.learner_files import MAX_NAMED, put_aside, read_json, write_json
from autograder.model.text import counted, few

FILE = "practice.json"
# What one practises on a day at most, and what an answer counts at most: who goes away does not answer.
SECONDS_A_DAY, SECONDS_AN_ANSWER = 300, 60
# No steps within a day, and no chance: who answers alike gets the same days.
SCHEDULER = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)


@dataclass
class Repetition:
    """What a learner has practised, and when each item comes back.

    seed: from which the learner's items are drawn. cards: by an item's key when it comes back, as FSRS needs it.
    fell: the misconceptions of the learner's own rejected answers that no item has been answered on yet, as "exercise/idea",
    the newest last. day, seconds: how long was practised on the last day, in UTC.
    """

    seed: int = field(default_factory=lambda: random.SystemRandom().randrange(2**31))
    cards: dict[str, dict[str, Any]] = field(default_factory=dict)
    fell: list[str] = field(default_factory=list)
    day: str = ""
    seconds: float = 0.0

    def due(self, now: datetime) -> list[str]:
        """Return the items that are due on this day, the longest overdue first."""
        cards = sorted((card["due"], key) for key, card in self.cards.items())
        return [key for due, key in cards if due[:10] <= now.date().isoformat()]

    def seconds_on(self, now: datetime) -> float:
        """Return the seconds of practice on this day."""
        return self.seconds if self.day == now.date().isoformat() else 0.0

    def answered(self, key: str, right: bool, now: datetime, seconds: float) -> None:
        """Keep the answer to an item, and its time. A fault that was found no longer comes first."""
        self.cards[key] = next_card(self.cards.get(key), right, now)
        self.seconds = self.seconds_on(now) + min(seconds, SECONDS_AN_ANSWER)
        self.day = now.date().isoformat()
        self.fell = [name for name in self.fell if not right or name not in misconceptions_of(key)]

    def fell_for(self, misconceptions: str) -> None:
        """Keep that a rejected answer had a misconception, "exercise/idea", or two, "exercise/idea+idea"."""
        names = misconceptions_of(misconceptions)
        self.fell = [*(name for name in self.fell if name not in names), *names]


def next_card(card: Mapping[str, Any] | None, right: bool, now: datetime) -> dict[str, Any]:
    """Return an item's card after an answer; it is new where there was none.

    card: `due` and `last_review`, as ISO 8601, the `stability` in days, and the `difficulty` from 1 to 10.
    """
    fields: Any = {"card_id": 1, "state": State.Review, "step": None, **(card or {})}
    previous = Card.from_dict(fields) if card else Card(card_id=1)
    moment = now.astimezone(UTC).replace(microsecond=0)
    reviewed = SCHEDULER.review_card(previous, Rating.Good if right else Rating.Again, moment)[0].to_dict()
    return {name: value for name, value in reviewed.items() if name not in ("card_id", "state", "step")}


def misconceptions_of(key: str) -> list[str]:
    """Return the misconceptions of an item, or of "exercise/ideas", each with its exercise."""
    exercise, *_, misconceptions = key.split("/")
    return [f"{exercise}/{misconception}" for misconception in misconceptions.split("+")]


def read(folder: Path | None) -> Repetition:
    """Return what is kept in a folder, a new repetition where there is nothing.

    What cannot be read is put aside, and the rest goes on. Raises UsageError where the file cannot be read.
    """
    stored = read_json(folder / FILE) if folder else {}
    readable = {name: value for name, value in stored.items() if name in FIELDS and FIELDS[name](value)}
    odd = [name for name in stored if name not in readable]
    if "cards" in readable:
        cards = {key: card for key, card in readable["cards"].items() if _is_card(key, card)}
        if lost := len(readable["cards"]) - len(cards):
            odd.append(f"{lost} of {counted(len(readable['cards']), 'card')}")
        readable["cards"] = cards
    repetition = Repetition(**readable)
    if odd and folder:
        put_aside(folder / FILE, few(odd, MAX_NAMED), asdict(repetition))
    return repetition


# What each field of a repetition may hold.
FIELDS: dict[str, Callable[[Any], bool]] = {
    "seed": lambda value: type(value) is int and 0 <= value < 2**32,
    "cards": lambda value: isinstance(value, dict),
    "fell": lambda value: isinstance(value, list) and all(isinstance(n, str) and "/" in n for n in value),
    "day": lambda value: isinstance(value, str),
    "seconds": lambda value: type(value) in (int, float) and 0 <= value <= 2**32,
}


def _is_card(key: str, card: Any) -> bool:
    """Return whether this is an item's card, with moments that have an offset, of which FSRS can make the next one."""
    try:
        moments = [datetime.fromisoformat(card[name]) for name in ("due", "last_review")]
        next_card(card, True, moments[0])
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, AssertionError):
        return False
    return "/" in key and all(moment.tzinfo for moment in moments)


def write(folder: Path, repetition: Repetition) -> None:
    """Keep it in a folder, whole or not at all. Raises UsageError."""
    write_json(folder / FILE, asdict(repetition))
