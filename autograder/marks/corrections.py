"""What a person keeps beside a gradebook, as CSV: corrections of marks, and when learners handed in.

`first.corrections.csv` and `first.times.csv` belong to `first.sqlite`, and so do further tables whose names go on,
such as `first.corrections.ann.csv`. They are read here and never written.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import product
from pathlib import Path

from autograder.marks.tables import number_in, read_table
from autograder.model.errors import UsageError
from autograder.model.results import DOWNLOADED, identity
from autograder.model.text import clean, did_you_mean, listed

CORRECTIONS, TIMES = ".corrections.csv", ".times.csv"
AUTHOR = re.compile(r"\.corrections\.(.+)\.csv$")
COLUMNS = ("learner", "exercise", "points", "late_days", "comment", "date")
# The columns of times: our own, and those of Moodle's grading worksheet in English.
WHO = ("learner", "Identifier", "Email address", "ID number", "Full name")
WHEN = ("time", "Last modified (submission)")
DUE = "due"
EVERYBODY = "*"
# As Moodle writes times in British and in American English, without the name of the day; and as spreadsheets do where a
# day comes first, with dots.
FORMS = (
    "%d %B %Y, %I:%M %p", "%d %B %Y, %H:%M", "%B %d, %Y, %I:%M %p", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%d.%m.%Y",
)  # fmt: skip
DAY_NAME = re.compile(r"[A-Za-z]+day, ")
NOT_HANDED_IN = ("", "-")
MAX_CHARACTERS = 4000
WRITE_TIMES = "write it as 2030-01-31 23:59."
TOO_MANY_CELLS = "it has more cells than there are columns: put words with a comma into quotes."


@dataclass(frozen=True)
class Correction:
    """A person's word on one exercise of a learner; on the whole assignment if `exercise` is empty.

    points: in place of the grader's; None if they stay. late_days: in place of those that follow from the time.
    date: when it was made, as the person wrote it, or when the file was last changed. row: of the table, as a spreadsheet
    counts it, which shows no `sep=` line and takes a cell of several lines as one.
    """

    learner: str
    exercise: str
    points: float | None
    late_days: float | None
    comment: str
    date: str
    row: int
    table: str = ""

    @property
    def author(self) -> str:
        """Return who made it: the last word in the name of an assistant's table, or a person."""
        name = AUTHOR.search(self.table)
        return clean(name[1]) if name else "a person"


class _WrongRow(Exception):
    """Why a row does not count, as a sentence; the others of its table do."""


@dataclass(frozen=True)
class Corrections:
    """What the files beside a gradebook say.

    times: of hand-ins. due: due dates of one learner's own. unread: rows that do not count, as sentences: they cannot
    be understood, or name nobody in the gradebook, or no exercise that counts.
    """

    of_marks: Mapping[str, tuple[Correction, ...]]
    times: Mapping[str, datetime]
    due: Mapping[str, datetime] = field(default_factory=dict)
    unread: tuple[str, ...] = ()


def file_beside(gradebook: Path, ending: str) -> Path:
    """Return the file of this ending that belongs to a gradebook."""
    return gradebook.with_name(gradebook.stem + ending)


def tables_beside(gradebook: Path, ending: str) -> list[Path]:
    """Return all tables of this kind that belong to a gradebook, its own first."""
    begin = file_beside(gradebook, ending).stem
    files = gradebook.parent.iterdir() if gradebook.parent.is_dir() else ()
    tables = [p for p in files if p.suffix == ".csv" and (p.stem == begin or p.name.startswith(f"{begin}."))]
    return sorted(tables, key=lambda path: (path.stem != begin, path.name))


def person_tables(gradebook: Path) -> list[Path]:
    """Return all tables that a person keeps beside a gradebook."""
    return [*tables_beside(gradebook, CORRECTIONS), *tables_beside(gradebook, TIMES)]


def read_corrections(gradebook: Path, learners: Sequence[str], worth: Mapping[str, float]) -> Corrections:
    """Return what is kept beside a gradebook, for each of these learners by `identity`.

    worth: the exercises that count, and what each is worth. Raises UsageError for columns that are not known.
    """
    people = _People(learners)
    corrections: dict[str, tuple[Correction, ...]] = {EVERYBODY: ()}
    times: dict[str, datetime] = {}
    due: dict[str, datetime] = {}

    def correct(row: _Row) -> None:
        correction = _correction(row, worth)
        key = EVERYBODY if correction.learner == EVERYBODY else people.find(correction.learner)
        if key is None:
            raise _WrongRow(people.why_not(clean(correction.learner)))
        if correction.exercise and correction.exercise not in worth:
            name = clean(correction.exercise)
            nearest = did_you_mean(name, [*worth])
            raise _WrongRow(f"the assignment has no exercise {name!r}.{nearest}")
        before = corrections.get(key, ())
        if clash := _clash(before, correction):
            old, what = clash
            earlier = f"{old.table}, row {old.row},"
            raise _WrongRow(f"it gives {what} that {earlier} gives already: keep one of them.")
        corrections[key] = (*before, correction)

    def note_time(row: _Row) -> None:
        if (key := _who(row, people)) is None:
            return
        if when := row.moment(next((column for column in WHEN if column in row.values), "")):
            times[key] = max(when, times.get(key, when))
        if until := row.moment(DUE):
            due[key] = until

    unread = [*_unread_rows(gradebook, CORRECTIONS, correct), *_unread_rows(gradebook, TIMES, note_time)]
    for_all = corrections.pop(EVERYBODY)
    for key in people.learners if for_all else ():
        mine = corrections.get(key, ())
        # What is said of one learner holds in the place of what is said of all.
        corrections[key] = (*mine, *(c for c in for_all if not _clash(mine, c)))
    return Corrections(corrections, times, due, tuple(unread))


def _clash(before: Sequence[Correction], correction: Correction) -> tuple[Correction, str] | None:
    """Return the earlier correction that gives the same, and what both give; None if there is none."""
    for old, what in product(before, ("points", "late_days")):
        is_same = old.exercise == correction.exercise
        if is_same and None not in (getattr(old, what), getattr(correction, what)):
            return old, what
    return None


def _unread_rows(gradebook: Path, ending: str, take: Callable[["_Row"], None]) -> Iterator[str]:
    """Give `take` each row of all tables of a kind that is not empty; gives a sentence for each that does not count."""
    for path in tables_beside(gradebook, ending):
        (header, *table), _, _ = read_table(path)
        names = [cell.strip() for cell in header]
        for number, cells in enumerate(table, 2):
            row = _Row(path, number, dict(zip(names, map(str.strip, cells), strict=False)))
            try:
                if len(cells) > len(names):
                    raise _WrongRow(TOO_MANY_CELLS)
                if any(row.values.values()):
                    take(row)
            except _WrongRow as why:
                yield f"{path.name}, row {number}, does not count: {why}"


class _People:
    """Finds learners by what a table may call them."""

    def __init__(self, learners: Sequence[str]) -> None:
        self.learners = {identity(name): name for name in learners}
        self.identities: dict[str, list[str]] = defaultdict(list)
        for key in self.learners:
            # Of a download also by the name alone, and by the system's number.
            if download := DOWNLOADED.fullmatch(key):
                number = f"{'participant ' if download['system'] == 'moodle' else ''}{download['number']}"
                self.identities[download["name"]].append(key)
                self.identities[number].append(key)
        self.identities |= {key: [key] for key in self.learners}

    def find(self, name: str) -> str | None:
        """Return the identity of a learner; None if nobody, or more than one, is called so."""
        keys = self.identities.get(identity(name), [])
        return keys[0] if len(keys) == 1 else None

    def why_not(self, name: str) -> str:
        """Return that nobody, or more than one, is called so, and who is, or who is nearest, as a sentence."""
        if same := [self.learners[key] for key in self.identities.get(identity(name), [])]:
            return f"{len(same)} learners are called {name!r}: {', '.join(same)}."
        unique = {word: self.learners[keys[0]] for word, keys in self.identities.items() if len(keys) == 1}
        return f"the gradebook has no learner {name!r}.{did_you_mean(identity(name), unique)}"


@dataclass(frozen=True)
class _Row:
    """A row of a table: where it stands, and its values by the names of the columns."""

    path: Path
    position: int
    values: Mapping[str, str]

    def number(self, column: str, most: float = math.inf) -> float | None:
        """Return a number of a column, with a point or a comma; None where it is empty."""
        text = self.values.get(column, "")
        if not text:
            return None
        value = number_in(text)
        if value is None or math.isinf(value) or not 0 <= value <= most:
            limit = f" to {most:g}" if math.isfinite(most) else " on"
            raise _WrongRow(f"it must have a number from 0{limit} in the column {column}, but has {text!r}.")
        return value

    def moment(self, column: str) -> datetime | None:
        """Return a time of a column; None where it is empty."""
        text = self.values.get(column, "")
        if text in NOT_HANDED_IN:
            return None
        if (when := _moment(text)) is None:
            raise _WrongRow(f"it has no time that is understood in {text!r}: {WRITE_TIMES}")
        return when


def _correction(row: _Row, worth: Mapping[str, float]) -> Correction:
    values = row.values
    if strange := [name for name in values if name not in COLUMNS]:
        columns = ", ".join(COLUMNS)
        raise UsageError(f"{row.path} has the column {strange[0]!r}, where only {columns} are known.")
    learner, exercise = values.get("learner", ""), values.get("exercise", "")
    if not learner:
        raise _WrongRow("it must name a learner in the column learner.")
    points = row.number("points", worth.get(exercise, math.inf))
    late_days = row.number("late_days")
    if exercise and late_days is not None:
        raise _WrongRow(
            "it must leave exercise empty where it has late_days, which are those of the whole assignment."
        )
    comment = clean(values.get("comment", ""), MAX_CHARACTERS)
    if points is None and late_days is None and not comment:
        raise _WrongRow("it must have points, late_days or a comment.")
    date = values.get("date", "") or f"{datetime.fromtimestamp(row.path.stat().st_mtime):%Y-%m-%d %H:%M}"
    if _moment(date) is None:
        raise _WrongRow(f"it has no date that is understood in {date!r}: {WRITE_TIMES}")
    return Correction(learner, exercise, points, late_days, comment, date, row.position, row.path.name)


def _who(row: _Row, people: _People) -> str | None:
    """Return whose time a row gives; None for a row that names no learner."""
    names = [row.values[column] for column in WHO if row.values.get(column)]
    if row.values.keys().isdisjoint((*WHEN, DUE)) or row.values.keys().isdisjoint(WHO):
        raise UsageError(
            f"{row.path} must have a column {listed(WHO, 'or')}, and a column {listed(WHEN, 'or')}: download a worksheet with "
            "Moodle set to English, or make a table with the columns learner and time."
        )
    return next((key for name in names if (key := people.find(name)) is not None), None)


def _moment(text: str) -> datetime | None:
    """Return a time as ISO 8601, with dots, or as Moodle writes it in English; without an offset, that of this computer."""
    for form in (None, *FORMS):
        try:
            without_day = DAY_NAME.sub("", text)
            moment = datetime.strptime(without_day, form) if form else datetime.fromisoformat(text)
        except ValueError:
            continue
        return moment if moment.tzinfo else moment.astimezone()
    return None
