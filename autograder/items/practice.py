"""What a learner has practised, in one small file: the one that the book's page exports and imports."""

import json
import random
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any

FILE = "practice.json"
# What one practises on a day at most, and what an answer counts at most: who goes away does not answer.
SECONDS_A_DAY, SECONDS_AN_ANSWER = 300, 60


@dataclass
class Practice:
    """What a learner has practised.

    seed: from which the learner's items are drawn. cards: by an item's key when it comes back, as FSRS needs it.
    fell: the ideas of the learner's own rejected answers that no item has been answered on yet, as "exercise/idea",
    the newest last. day, seconds: how long was practised on the last day, in UTC.
    """

    seed: int = field(default_factory=lambda: random.SystemRandom().randrange(2**31))
    cards: dict[str, dict[str, Any]] = field(default_factory=dict)
    fell: list[str] = field(default_factory=list)
    day: str = ""
    seconds: float = 0.0

    def due(self, now: datetime) -> list[str]:
        """The items that are due on this day, the longest overdue first."""
        found = sorted((card["due"], key) for key, card in self.cards.items())
        return [key for due, key in found if due[:10] <= now.date().isoformat()]

    def seconds_on(self, now: datetime) -> float:
        """How long was practised on this day."""
        return self.seconds if self.day == now.date().isoformat() else 0.0

    def spent(self, now: datetime, seconds: float) -> None:
        """Count an answer's time."""
        self.seconds = self.seconds_on(now) + min(seconds, SECONDS_AN_ANSWER)
        self.day = now.date().isoformat()

    def fell_for(self, exercise: str, ideas: str) -> None:
        """Keep that a rejected answer had an idea, or two."""
        names = ideas_of(exercise, ideas)
        self.fell = [*(fallen for fallen in self.fell if fallen not in names), *names]

    def understood(self, exercise: str, ideas: str) -> None:
        """Keep that a fault was found: its ideas no longer come first."""
        self.fell = [fallen for fallen in self.fell if fallen not in ideas_of(exercise, ideas)]


def ideas_of(exercise: str, ideas: str) -> list[str]:
    """The ideas of an item or of a verdict, each with its exercise."""
    return [f"{exercise}/{idea}" for idea in ideas.split("+")]


def read(folder: Path | None) -> Practice:
    """What is kept in a folder; a new one where there is nothing, or nothing that can be used."""
    try:
        found = json.loads((folder / FILE).read_text(encoding="utf-8")) if folder else {}
        practice = Practice(**{f.name: found[f.name] for f in fields(Practice) if f.name in found})
        for key, card in practice.cards.items():
            datetime.fromisoformat(card["due"]), datetime.fromisoformat(card["last_review"])
            if key.count("/") != 2 or not card["stability"] > 0 or not 1 <= card["difficulty"] <= 10:
                raise ValueError(key)
        if not all(isinstance(value, str) for value in (*practice.fell, practice.day)):
            raise ValueError(FILE)
        practice.seed, practice.seconds = int(practice.seed), float(practice.seconds)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return Practice()
    return practice


def write(folder: Path, practice: Practice) -> None:
    """Keep it in a folder, whole or not at all."""
    temporary = folder / f"{FILE}.tmp"
    temporary.write_text(json.dumps(asdict(practice), indent=1) + "\n", encoding="utf-8")
    temporary.replace(folder / FILE)
