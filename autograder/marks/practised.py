"""Which faults a class overlooks most, from the `practice.json` files that learners hand in of their own will.

Nothing of it counts. The files are untrusted data: only keys of the course's own faults are taken from them, and numbers.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from autograder.diagnose.misconception_pairs import JOINT
from autograder.model.catalogue import all_exercises
from autograder.model.errors import UsageError
from autograder.model.exercise import Exercise, Misconception
from autograder.model.learner_files import opened

# An item's difficulty as FSRS computes it, from 1 to 10: always less if each answer was right, and more after a wrong one.
OVERLOOKED = 3
MOST_ROWS = 20
# What one file may hold, and the key of one item, in characters.
LARGEST, LONGEST = 1 << 20, 300
Faults = dict[str, tuple[Exercise, Misconception]]


@dataclass(frozen=True)
class PractisedFault:
    """One fault of an exercise: in how many files it was answered, and in how many overlooked at least once."""

    exercise: Exercise
    misconception: Misconception
    answers: int
    overlooked: int


@dataclass(frozen=True)
class Practised:
    """What a folder of files says. unread: how many of them are no `practice.json`."""

    files: int
    unread: int
    faults: list[PractisedFault]


def read_practised(folder: Path) -> Practised:
    """Return which faults were overlooked most. Raises UsageError for a folder that is not there."""
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder} with files that learners have saved.")
    answers: Counter[str] = Counter()
    overlooked: Counter[str] = Counter()
    known_faults = {f"{e.name}/{m.name}": (e, m) for e in all_exercises().values() for m in e.misconceptions}
    stored = [_difficulties(path, known_faults) for path in sorted(folder.rglob("*practice*.json"))]
    for difficulties in (one for one in stored if one):
        answers.update([*difficulties])
        overlooked.update(name for name, number in difficulties.items() if number > OVERLOOKED)
    faults = [PractisedFault(e, m, answers[name], overlooked[name]) for name, (e, m) in known_faults.items()]
    faults = sorted((f for f in faults if f.overlooked), key=lambda f: (-f.overlooked, f.answers))
    unread = stored.count(None)
    return Practised(len(stored) - unread, unread, faults[:MOST_ROWS])


def _difficulties(path: Path, known_faults: Faults) -> dict[str, float] | None:
    """Return the greatest difficulty of each fault, "exercise/idea"; None for a file that is no `practice.json`."""
    try:
        with opened(path) as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            return None
        cards = json.loads(data, parse_constant=_refuse)["cards"].items()
    except (UsageError, OSError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return None
    difficulties: dict[str, float] = {}
    for name, number in (pair for key, card in cards for pair in _of_card(key, card)):
        if name in known_faults:
            difficulties[name] = max(number, difficulties.get(name, 0))
    return difficulties


def _of_card(key: str, card: Any) -> Iterator[tuple[str, float]]:
    number: Any = card.get("difficulty") if isinstance(card, dict) else None
    if type(number) in (int, float) and 1 <= number <= 10 and "/" in key and len(key) <= LONGEST:
        exercise, *_, names = key.split("/")
        yield from ((f"{exercise}/{name}", number) for name in names.split(JOINT))


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")
