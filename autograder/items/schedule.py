"""When an item comes back, by FSRS (Free Spaced Repetition Scheduler).

`_static/in_page/schedule.mjs` computes the same in the book's pages.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from fsrs import Card, Rating, Scheduler, State

# No steps within a day, and no chance: who answers alike gets the same days.
SCHEDULER = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)


def after(card: Mapping[str, Any] | None, right: bool, now: datetime) -> dict[str, Any]:
    """An item's card after an answer; it is new where there was none.

    card: `due` and `last_review` in UTC, as ISO 8601, the `stability` in days, and the `difficulty` from 1 to 10.
    """
    found, _ = SCHEDULER.review_card(_card(card), Rating.Good if right else Rating.Again, now.astimezone(UTC))
    return {
        "due": _text(found.due),
        "last_review": _text(now),
        "stability": found.stability,
        "difficulty": found.difficulty,
    }


def _card(kept: Mapping[str, Any] | None) -> Card:
    if kept is None:
        return Card(card_id=1)
    due, last = (datetime.fromisoformat(kept[name]).astimezone(UTC) for name in ("due", "last_review"))
    return Card(1, State.Review, None, float(kept["stability"]), float(kept["difficulty"]), due, last)


def _text(moment: datetime) -> str:
    """A moment in UTC, as a page writes it too."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
