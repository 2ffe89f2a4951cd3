"""What a person keeps beside a gradebook, as CSV: corrections of marks, and when learners handed in.

`first.corrections.csv` and `first.times.csv` belong to `first.sqlite`, and so do further tables whose names go on,
such as `first.corrections.ann.csv`. They are read here and never written.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from autograder.marks.tables import read_table
from autograder.model.errors import UsageError
from autograder.model.results import DOWNLOADED, identity
from autograder.model.text import clean, either, near

CORRECTIONS, TIMES = ".corrections.csv", ".times.csv"
COLUMNS = ("learner", "exercise", "points", "late_days", "comment", "date")
# The columns of times: our own, and those of Moodle's grading worksheet in English.
WHO = ("learner", "Identifier", "Email address", "ID number", "Full name")
WHEN = ("time", "Last modified (submission)")
# As Moodle writes times in British and in American English, without the name of the day.
MOODLES = ("%d %B %Y, %I:%M %p", "%d %B %Y, %H:%M", "%B %d, %Y, %I:%M %p")
# As spreadsheets write them where a day comes first, with dots.
WITH_DOTS = ("%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%d.%m.%Y")
DAY_NAME = re.compile(r"[A-Za-z]+day, ")
NOT_HANDED_IN = ("", "-")
MAX_CHARACTERS = 4000
TOO_MANY_CELLS = "it has more cells than there are columns: put words with a comma into quotes."


@dataclass(frozen=True)
class Correction:
    """A person's word on one exercise of a learner; on the whole assignment if `exercise` is empty.

    points: in place of the grader's; None if they stay. late_days: in place of those that follow from the time.
    date: when it was made, as the person wrote it, or when the file was last changed. line: of the table.
    """

    learner: str
    exercise: str
    points: float | None
    late_days: float | None
    comment: str
    date: str
    line: int
    table: str = ""


class _WrongRow(UsageError):
    """A row that cannot be understood; the others of its table count."""


@dataclass(frozen=True)
class ByHand:
    """What the files beside a gradebook say.

    unread: rows that do not count, as sentences: they cannot be understood, or name nobody in the gradebook, or no
    exercise that counts.
    """

    corrections: Mapping[str, tuple[Correction, ...]]
    times: Mapping[str, datetime]
    unread: tuple[str, ...] = ()


def file_beside(gradebook: Path, ending: str) -> Path:
    """The file of this ending that belongs to a gradebook."""
    return gradebook.with_name(gradebook.stem + ending)


def tables_beside(gradebook: Path, ending: str) -> list[Path]:
    """All tables of this kind that belong to a gradebook, its own first: `first.corrections.csv`, `first.corrections.ann.csv`."""
    begin = file_beside(gradebook, ending).stem
    there = gradebook.parent.iterdir() if gradebook.parent.is_dir() else ()
    found = [p for p in there if p.suffix == ".csv" and (p.stem == begin or p.name.startswith(f"{begin}."))]
    return sorted(found, key=lambda path: (path.stem != begin, path.name))


def by_hand(gradebook: Path, learners: Sequence[str], worth: Mapping[str, float]) -> ByHand:
    """What is kept beside a gradebook, for each of these learners by `identity`.

    worth: the exercises that count, and what each is worth. Raises UsageError for columns that are not known.
    """
    people, unread = _People(learners), list[str]()
    corrections = _corrections(_rows(gradebook, CORRECTIONS, unread), people, worth, unread)
    return ByHand(corrections, _times(_rows(gradebook, TIMES, unread), people, unread), tuple(unread))


class _People:
    """Finds learners by what a table may call them."""

    def __init__(self, learners: Sequence[str]) -> None:
        self.learners = {identity(name): name for name in learners}
        self.other = [(word, key) for key in self.learners for word in _other_names(key)]
        times = Counter(word for word, _ in self.other)
        self.known = {word: key for word, key in self.other if times[word] == 1}
        self.known |= {key: key for key in self.learners}

    def find(self, name: str) -> str | None:
        """The identity of a learner; None if nobody, or more than one, is called so."""
        return self.known.get(identity(name))

    def why_not(self, name: str) -> str:
        """That nobody, or more than one, is called so, and who is, or who is nearest, as a sentence."""
        same = [self.learners[key] for word, key in self.other if word == identity(name)]
        if same:
            return f"{len(same)} learners are called {name!r}: {', '.join(same)}."
        return f"the gradebook has no learner {name!r}." + near(
            identity(name), {word: self.learners[key] for word, key in self.known.items()}
        )


def _other_names(key: str) -> tuple[str, ...]:
    """How else a learner of a download may be called: by the name alone, and by the system's number."""
    found = DOWNLOADED.fullmatch(key)
    if found is None:
        return ()
    return found["name"], f"{'participant ' if found['system'] == 'moodle' else ''}{found['number']}"


@dataclass(frozen=True)
class _Row:
    """A row of a table: where it stands, and its values by the names of the columns."""

    path: Path
    line: int
    values: Mapping[str, str]

    def wrong(self, words: str) -> _WrongRow:
        return _WrongRow(self.not_counting(f"it {words}."))

    def wrong_table(self, words: str) -> UsageError:
        """What is wrong with the columns, so that no row of the table can be understood."""
        return UsageError(f"{self.path} {words}.")

    def not_counting(self, why: str) -> str:
        """That the row changes no mark, as a sentence."""
        return f"{self.path.name}, line {self.line}, does not count: {why}"

    def number(self, column: str, most: float = math.inf) -> float | None:
        """A number of a column, with a point or a comma; None where it is empty."""
        text = self.values.get(column, "")
        if not text:
            return None
        try:
            value = float(text.replace(",", "."))
        except ValueError:
            value = math.nan
        if not (0 <= value <= most and math.isfinite(value)):
            limit = f" to {most:g}" if math.isfinite(most) else " on"
            raise self.wrong(f"must have a number from 0{limit} in the column {column}, but has {text!r}")
        return value


def _rows(gradebook: Path, ending: str, unread: list[str]) -> Iterator[_Row]:
    """The rows of all tables of a kind, without those that are empty. unread: gets a sentence for each that is wrong."""
    for path in tables_beside(gradebook, ending):
        (header, *table), _, _ = read_table(path)
        names = [cell.strip() for cell in header]
        for line, cells in enumerate(table, 2):
            row = _Row(path, line, dict(zip(names, map(str.strip, cells), strict=False)))
            if len(cells) > len(names):
                unread.append(row.not_counting(TOO_MANY_CELLS))
            elif any(row.values.values()):
                yield row


def _corrections(
    rows: Iterable[_Row], people: _People, worth: Mapping[str, float], unread: list[str]
) -> dict[str, tuple[Correction, ...]]:
    """The corrections of each learner. unread: gets a sentence for each row that does not count."""
    found: dict[str, tuple[Correction, ...]] = {}
    for row in rows:
        if strange := [name for name in row.values if name not in COLUMNS]:
            raise row.wrong_table(f"has the column {strange[0]!r}, where only {', '.join(COLUMNS)} are known")
        try:
            correction = _correction(row, worth)
            key = _whose(row, correction, people, worth)
            _refuse_second(row, correction, found.get(key, ()))
        except _WrongRow as wrong:
            unread.append(str(wrong))
            continue
        found[key] = (*found.get(key, ()), correction)
    return found


def _whose(row: _Row, correction: Correction, people: _People, worth: Mapping[str, float]) -> str:
    """The identity of the learner whose mark it corrects; raises where there is no such learner or exercise."""
    key = people.find(correction.learner)
    if key is None:
        name = clean(correction.learner)
        raise _WrongRow(row.not_counting(people.why_not(name)))
    if correction.exercise and correction.exercise not in worth:
        name = clean(correction.exercise)
        nearest = near(name, {known: known for known in worth})
        raise _WrongRow(row.not_counting(f"the assignment has no exercise {name!r}.{nearest}"))
    return key


def _correction(row: _Row, worth: Mapping[str, float]) -> Correction:
    values = row.values
    learner, exercise = values.get("learner", ""), values.get("exercise", "")
    if not learner:
        raise row.wrong("must name a learner in the column learner")
    points = row.number("points", worth.get(exercise, math.inf))
    late_days = row.number("late_days")
    if exercise and late_days is not None:
        raise row.wrong(
            "must leave exercise empty where it has late_days, which are those of the whole assignment"
        )
    comment = clean(values.get("comment", ""), MAX_CHARACTERS)
    if points is None and late_days is None and not comment:
        raise row.wrong("must have points, late_days or a comment")
    date = values.get("date", "") or f"{datetime.fromtimestamp(row.path.stat().st_mtime):%Y-%m-%d %H:%M}"
    if _moment(date) is None:
        raise row.wrong(f"has no date that is understood in {date!r}: write it as 2030-01-31 23:59")
    return Correction(learner, exercise, points, late_days, comment, date, row.line, row.path.name)


def _refuse_second(row: _Row, new: Correction, before: Sequence[Correction]) -> None:
    """Raises where an earlier row gives the same thing already."""
    for old in before:
        if old.exercise != new.exercise:
            continue
        for what, values in (
            ("points", (old.points, new.points)),
            ("late_days", (old.late_days, new.late_days)),
        ):
            if None not in values:
                raise row.wrong(
                    f"gives {what} that {old.table}, line {old.line}, gives already: keep one of them"
                )


def _times(rows: Iterable[_Row], people: _People, unread: list[str]) -> dict[str, datetime]:
    """When each learner handed in; the latest of several times. unread: gets a sentence for each that is not understood."""
    found: dict[str, list[datetime]] = defaultdict(list)
    for row in rows:
        names = [row.values[column] for column in WHO if row.values.get(column)]
        time = next((column for column in WHEN if column in row.values), None)
        if time is None or not any(column in row.values for column in WHO):
            raise row.wrong_table(
                f"must have a column {either(WHO)}, and a column {either(WHEN)}: download a worksheet with Moodle "
                "set to English, or make a table with the columns learner and time"
            )
        key = next((key for name in names if (key := people.find(name)) is not None), None)
        text = row.values[time]
        if key is None or text in NOT_HANDED_IN:
            continue
        when = _moment(text)
        if when is None:
            words = f"it has no time that is understood in {text!r}: write it as 2030-01-31 23:59."
            unread.append(row.not_counting(words))
        else:
            found[key].append(when)
    return {key: max(times) for key, times in found.items()}


def _moment(text: str) -> datetime | None:
    """A time as ISO 8601, with dots, or as Moodle writes it in English; without an offset, that of this computer."""
    for form in (None, *MOODLES, *WITH_DOTS):
        try:
            plain = DAY_NAME.sub("", text)
            found = datetime.strptime(plain, form) if form else datetime.fromisoformat(text)
        except ValueError:
            continue
        return found if found.tzinfo else found.astimezone()
    return None
