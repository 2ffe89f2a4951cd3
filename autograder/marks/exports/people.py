"""Whose row of a table is whose: learners of a gradebook, and the rows of Canvas or Moodle."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from autograder.marks.standing import Learner
from autograder.model.results import DOWNLOADED, identity

MAX_NEAR, ALIKE = 3, 0.6
ONE_OF_MANY = "this is not the only learner, or the only row, of that name"


@dataclass(frozen=True)
class Person:
    """A row of a table: what it calls somebody.

    names: those that a learner may have in the gradebook, the surest first. shown: for messages. download:
    the system and the number that its downloads give, such as "Canvas 101", or nothing.
    """

    names: tuple[str, ...]
    shown: str
    download: str = ""


# For each row its learner, and why some learners have no row.
Matched = tuple[list[Learner | None], tuple[str, ...]]


def match(people: Sequence[Person], everyone: Sequence[Learner]) -> Matched:
    """For each row its learner, and why some learners have no row, as sentences with the nearest rows.

    The first name that anybody has decides. Where two learners fit a row, or two rows a learner, nobody can
    say whose mark it is, and none is written.
    """
    known = _known(everyone)
    fitting = [_fitting(person, known) for person in people]
    times = Counter(found[0].name for found in fitting if len(found) == 1)
    matches = [found[0] if len(found) == 1 and times[found[0].name] == 1 else None for found in fitting]
    written = {who.name for who in matches if who is not None}
    unclear = {who.name for found in fitting for who in found} - written
    free = [person for person, who in zip(people, matches, strict=True) if who is None]
    near = {_letters(name): person.shown for person in free for name in person.names if not name.isdigit()}
    missing = [who.name for who in everyone if who.name not in written]
    return matches, tuple(
        f"{name}: {ONE_OF_MANY if name in unclear else _nearest(name, near)}" for name in missing
    )


def finished(matched: Matched) -> Matched:
    """Return the same, but no mark for whose files are not all graded, and for each of them a sentence."""
    matches, unmatched = matched
    is_open = [who for who in matches if who is not None and who.is_open]
    rows = [None if who is None or who.is_open else who for who in matches]
    return rows, (*unmatched, *(f"{who.name}: {who.not_graded}" for who in is_open))


def strangers(people: Sequence[Person], everyone: Sequence[Learner]) -> list[str]:
    """The rows that fit no learner, as they are shown."""
    known = _known(everyone)
    return [person.shown for person in people if not _fitting(person, known)]


def disagrees(person: Person, who: Learner) -> bool:
    """Whether a learner's download has another name than a row, which only its number fits."""
    found = DOWNLOADED.fullmatch(who.name)
    names = {_letters(name).replace(" ", "") for name in person.names}
    return found is not None and _letters(found["name"]).replace(" ", "") not in names


def _known(everyone: Sequence[Learner]) -> dict[str, list[Learner]]:
    """The learners by what a row may call them: their name, the number of a download, or the name that Moodle's gives."""
    known: dict[str, list[Learner]] = defaultdict(list)
    for who in everyone:
        known[identity(who.name)].append(who)
        if found := DOWNLOADED.fullmatch(who.name):
            known[f"{found['system']} {found['number']}"].append(who)
            known[found["system"] + identity(who.name).rpartition(" (")[0]].append(who)
    return known


def _fitting(person: Person, known: dict[str, list[Learner]]) -> list[Learner]:
    wanted = [person.download, *map(identity, person.names)]
    if not person.download:
        # A name alone does, where no number says otherwise.
        wanted += [f"Moodle{identity(name)}" for name in person.names]
    return next((known[name] for name in wanted if name and name in known), [])


def _nearest(name: str, near: Mapping[str, str]) -> str:
    """That no row has a name, and whose are like it. near: rows without a learner, by the letters of their names."""
    found = DOWNLOADED.fullmatch(name)
    alike = get_close_matches(_letters(found["name"] if found else name), near, MAX_NEAR, ALIKE)
    shown = list(dict.fromkeys(near[word] for word in alike))
    return "no row has this name or number" + (f"; the nearest: {' or '.join(shown)}" if shown else "")


def _letters(name: str) -> str:
    """A name without accents, case and punctuation."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    return " ".join(re.findall(r"[^\W_]+", "".join(c for c in letters if not unicodedata.combining(c))))
