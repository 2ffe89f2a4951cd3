"""Whose row of a table is whose: learners of a gradebook, and the rows of Canvas or Moodle."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from autograder.marks.standing import Learner
from autograder.model.results import DOWNLOADED, identity

MAX_NEAR, CUTOFF = 3, 0.6
ONE_OF_MANY = "this is not the only learner, or the only row, of that name"


@dataclass(frozen=True)
class Person:
    """A row of a table: what it calls somebody.

    names: those that a learner may have in the gradebook, the surest first. label: for messages. download:
    the system and the number that its downloads give, such as "Canvas 101", or nothing.
    """

    names: tuple[str, ...]
    label: str
    download: str = ""


# For each row its learner, and why some learners have no row.
Matches = tuple[list[Learner | None], tuple[str, ...]]


def match(people: Sequence[Person], everyone: Sequence[Learner]) -> Matches:
    """Return for each row its learner, and why some learners have no row, as sentences with the nearest rows.

    The first name that anybody has decides. Where two learners fit a row, or two rows a learner, nobody can
    say whose mark it is, and none is written.
    """
    learners = _learners_by_name(everyone)
    fitting = [_fitting(person, learners) for person in people]
    times = Counter(fits[0].name for fits in fitting if len(fits) == 1)
    matches = [fits[0] if len(fits) == 1 and times[fits[0].name] == 1 else None for fits in fitting]
    matched_names = {who.name for who in matches if who is not None}
    unclear = {who.name for fits in fitting for who in fits} - matched_names
    free = [person for person, who in zip(people, matches, strict=True) if who is None]
    near = {_letters(name): person.label for person in free for name in person.names if not name.isdigit()}
    missing = [who.name for who in everyone if who.name not in matched_names]
    return matches, tuple(
        f"{name}: {ONE_OF_MANY if name in unclear else _nearest(name, near)}" for name in missing
    )


def rows_without_learner(people: Sequence[Person], everyone: Sequence[Learner]) -> list[str]:
    """Return the rows that fit no learner, as they are shown."""
    learners = _learners_by_name(everyone)
    return [person.label for person in people if not _fitting(person, learners)]


def has_another_name(person: Person, who: Learner) -> bool:
    """Return whether a learner's download has another name than a row, which only its number fits."""
    download = DOWNLOADED.fullmatch(who.name)
    names = {_letters(name).replace(" ", "") for name in person.names}
    return download is not None and _letters(download["name"]).replace(" ", "") not in names


def _learners_by_name(everyone: Sequence[Learner]) -> dict[str, list[Learner]]:
    """Return the learners by what a row may call them: their name, the number of a download, or the name that Moodle's gives."""
    learners: dict[str, list[Learner]] = defaultdict(list)
    for who in everyone:
        learners[identity(who.name)].append(who)
        if download := DOWNLOADED.fullmatch(who.name):
            learners[f"{download['system']} {download['number']}"].append(who)
            learners[download["system"] + identity(who.name).rpartition(" (")[0]].append(who)
    return learners


def _fitting(person: Person, learners: dict[str, list[Learner]]) -> list[Learner]:
    names = [person.download, *map(identity, person.names)]
    if not person.download:
        # A name alone does, where no number says otherwise.
        names += [f"Moodle{identity(name)}" for name in person.names]
    return next((learners[name] for name in names if name and name in learners), [])


def _nearest(name: str, near: Mapping[str, str]) -> str:
    """Return that no row has a name, and whose are like it. near: rows without a learner, by the letters of their names."""
    download = DOWNLOADED.fullmatch(name)
    matches = get_close_matches(_letters(download["name"] if download else name), near, MAX_NEAR, CUTOFF)
    labels = list(dict.fromkeys(near[word] for word in matches))
    return "no row has this name or number" + (f"; the nearest: {' or '.join(labels)}" if labels else "")


def _letters(name: str) -> str:
    """Return a name without accents, case and punctuation."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    return " ".join(re.findall(r"[^\W_]+", "".join(c for c in letters if not unicodedata.combining(c))))
