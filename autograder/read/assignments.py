"""An assignment's file, in TOML: reads it, and writes a new one in which each key is explained."""

import json
import os
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from autograder.frameworks import graded_frameworks
from autograder.model.assignment import BETTER, COUNTS, MEGABYTES, Assignment, LateRule, TimeLimits
from autograder.model.catalogue import all_exercises
from autograder.model.errors import UsageError
from autograder.model.exercise import Exercise
from autograder.model.teachers_exercises import folders
from autograder.model.text import did_you_mean, listed

KEYS = ("name", "total", "frameworks", "count", "own_exercises", "exercises", "partial", "late", "limits")
PARTIAL_KEYS = ("gradients", "one_framework", "ideas")
LATE_KEYS = ("due", "grace_minutes", "per_cent_a_day", "last")
# Each limit if the file does not say.
LIMITS = asdict(TimeLimits()) | {"megabytes": MEGABYTES}
# Far more than all exercises take. The reader's time grows with the square of a key's parts, a.b.c.
MAX_BYTES, MAX_PARTS = 64 << 10, 500
# When something may be due: the ends of the calendar have no time in other time zones, and no day after them.
FIRST_YEAR, LAST_YEAR = 1970, 9000
MAX_SHOWN = 60
# With places for what is chosen, in braces.
NEW = Path(__file__).with_name("new_assignment.toml")


def new_assignment(file: Path, exercises: Sequence[Exercise]) -> str:
    """Return the text of a new assignment's file. exercises: those it has; if none, all stand there as comments."""
    lines = [] if exercises else ["# Take the # away before those that you choose."]
    for e in exercises or all_exercises().values():
        worth = f"{e.name} = {e.points}"
        lines.append(f"{'' if exercises else '# '}{worth:<34}# {e.title}, {e.minutes} minutes")
    own = "".join(json.dumps(os.path.relpath(folder, file.parent)) for folder in folders()[:1])
    return NEW.read_text(encoding="utf-8").format(
        file=file.name,
        stem=file.stem,
        name=file.stem.replace("\\", "").replace('"', "").replace("_", " ").capitalize(),
        frameworks=", ".join(f'"{name}"' for name in graded_frameworks()),
        own_exercises=f"own_exercises = {own}" if own else '# own_exercises = "own"',
        exercises="\n".join(lines),
    )


def read_assignment(path: Path) -> Assignment:
    """Return the assignment that a file describes. Raises UsageError, with the key and what is possible there."""
    return _Reader(path).assignment()


def exercises_folder(path: Path) -> Path | None:
    """Return the folder of one's own exercises that an assignment's file names; None if it names none."""
    reader = _Reader(path)
    name = reader.table.get("own_exercises", "")
    is_text = isinstance(name, str)
    reader.must(
        is_text, f'must have a folder in quotes for own_exercises, such as "own", but has {_excerpt(name)}'
    )
    return path.parent / name if name else None


def changed_since(assignment: Assignment) -> str | None:
    """Return what the assignment's file says otherwise than when it was graded, as the end of a sentence; None if nothing.

    The megabytes of a file are left out, which a run may have been given besides.
    """
    if not assignment.file or not Path(assignment.file).is_file():
        return None
    try:
        now = read_assignment(Path(assignment.file))
    except UsageError as error:
        return f"it cannot be used: {error}"
    parts = {
        "the name": lambda a: a.name,
        "exercises or their points": lambda a: a.exercises,
        "frameworks": lambda a: (a.frameworks, a.count),
        "partial credit": lambda a: a.partial,
        "lateness": lambda a: a.late,
        "limits": lambda a: {k: v for k, v in a.limits.items() if k != "megabytes"},
    }
    return ", ".join(words for words, part in parts.items() if part(now) != part(assignment)) or None


class _Reader:
    """Reads one file; every complaint names it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
            self.must(len(data) <= MAX_BYTES, f"must hold at most {MAX_BYTES >> 10} kB, but is larger")
            text = data.decode("utf-8-sig")
            parts = max(line.count(".") for line in text.split("\n"))
            self.must(
                parts <= MAX_PARTS, f"must hold at most {MAX_PARTS} full stops in a line, but has {parts}"
            )
            self.table = tomllib.loads(text)
        except OSError as error:
            raise UsageError(f"The assignment {path} cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise self.wrong("is not a text in UTF-8: save it as UTF-8") from error
        except tomllib.TOMLDecodeError as error:
            raise self.wrong(f"is no valid TOML: {error}") from error
        # A number of thousands of digits, thousands of brackets.
        except (ValueError, RecursionError) as error:
            raise self.wrong(
                "is no valid TOML: a number in it is too long, or it is too deeply nested"
            ) from error

    def wrong(self, words: str) -> UsageError:
        """Return what is wrong with the file as an error whose sentence begins with its name."""
        return UsageError(f"{self.path} {words}{'' if words.endswith('?') else '.'}")

    def must(self, holds: object, words: str) -> None:
        """Raise UsageError, with what is wrong with the file, where something does not hold."""
        if not holds:
            raise self.wrong(words)

    def assignment(self) -> Assignment:
        """Return the assignment of the file."""
        words = "asks for faults in [[practice]], which are no longer graded: take these lines out"
        self.must("practice" not in self.table, words)
        self._only(self.table, KEYS, "the file")
        name, count = self.table.get("name", self.path.stem), self.table.get("count", BETTER)
        has_name = isinstance(name, str) and name.strip()
        self.must(has_name, f'must have a name in quotes, such as name = "First", but has {_excerpt(name)}')
        self.must(count in COUNTS, f"must have {listed(COUNTS, 'or')} for count, but has {_excerpt(count)}")
        return Assignment(
            self._exercises(),
            name=name.strip(),
            frameworks=self._frameworks(),
            count=count,
            late=self._late(),
            limits=self._limits(),
            partial=self._partial(),
            file=str(self.path.resolve()),
        )

    def _exercises(self) -> dict[str, float]:
        """Return what each exercise is worth, in the order of the course: weights, if the file says the total."""
        entries, location = self._table("exercises"), "under [exercises]"
        such = "such as masked_softmax = 2"
        self.must(entries, f"must name at least one exercise {location}, {such}, but names none")
        for name in [name for name in entries if name not in all_exercises()]:
            nearest = did_you_mean(name, [*all_exercises()], ": is it {}?")
            hint = nearest or "; `attention exercises` lists them"
            raise self.wrong(f"has no exercise of the course in {_excerpt(name)} {location}{hint}")
        weights = {n: self._number(entries, n, "[exercises]") for n in all_exercises() if n in entries}
        total = sum(weights.values())
        self.must(total, f"must give points to at least one exercise {location}, but all have 0")
        if "total" not in self.table:
            return weights
        points = self._number(self.table, "total", "the file")
        self.must(points, "must have more than 0 points as total, but has 0")
        factor = points / total
        return {name: weight * factor for name, weight in weights.items()}

    def _frameworks(self) -> tuple[str, ...]:
        value = self.table.get("frameworks", list(graded_frameworks()))
        names = value if isinstance(value, list) else [value]
        words = f'must have a list of {listed(graded_frameworks(), "or")} for frameworks, such as ["torch"], but has {_excerpt(value)}'
        self.must(names and all(name in graded_frameworks() for name in names), words)
        return tuple(name for name in graded_frameworks() if name in names)

    def _late(self) -> LateRule | None:
        table = self._table("late", LATE_KEYS)
        if not table:
            return None
        such = "such as due = 2030-01-31T23:59:00"
        self.must("due" in table, f"must say when it is due under [late], {such}")
        due = self._moment(table, "due")
        last = self._moment(table, "last") if "last" in table else None
        self.must(last is None or due <= last, "must not have a last moment before it is due under [late]")
        return LateRule(
            due,
            timedelta(minutes=self._number(table, "grace_minutes", "[late]")),
            self._number(table, "per_cent_a_day", "[late]", most=100),
            last,
        )

    def _partial(self) -> dict[str, Any]:
        """Return shares from 0 to 1 for what is nearly right; ideas must be those of the exercises."""
        table, location = self._table("partial", PARTIAL_KEYS), "[partial]"
        ideas = table.pop("ideas", {})
        are_table = isinstance(ideas, dict)
        self.must(are_table, f"must have ideas as a table under {location}, such as ideas = {{name = 0.5}}")
        misconceptions = {m.name for name in self._exercises() for m in all_exercises()[name].misconceptions}
        for idea in [idea for idea in ideas if idea not in misconceptions]:
            hint = did_you_mean(idea, misconceptions)
            raise self.wrong(
                f"has the idea {_excerpt(idea)} under {location}, which no exercise of it knows{hint and f'.{hint}'}"
            )
        shares: dict[str, Any] = {key: self._number(table, key, location, most=1) for key in table}
        by_idea = {idea: self._number(ideas, idea, location, most=1) for idea in ideas}
        return shares | {"ideas": by_idea} if self.table.get("partial") else {}

    def _limits(self) -> dict[str, float]:
        table = self._table("limits", tuple(LIMITS))
        limits = {name: self._number(table, name, "[limits]") for name in table}
        for name, limit in limits.items():
            self.must(limit, f"must have more than 0 for {name} under [limits]")
        return limits

    def _table(self, key: str, keys: Sequence[str] = ()) -> dict[str, Any]:
        """Return a copy of a table of the file; an empty one if it has none. keys: those that may be there; all if not given."""
        table = self.table.get(key, {})
        is_table = isinstance(table, dict)
        self.must(is_table, f"must have {key} as a table, with [{key}] on a line of its own")
        self._only(table, keys or table, f"[{key}]")
        return dict(table)

    def _only(self, table: Mapping[str, Any], keys: Collection[str], location: str) -> None:
        for key in table:
            self.must(
                key in keys, f"has {_excerpt(key)} in {location}, where only {', '.join(keys)} are known"
            )

    def _number(self, table: Mapping[str, Any], key: str, location: str, most: float = 1e6) -> float:
        value = table.get(key, 0)
        is_right = isinstance(value, int | float) and type(value) is not bool and 0 <= value <= most
        words = f"must have a number from 0 to {most:g} for {key} in {location}, but has {_excerpt(value)}"
        self.must(is_right, words)
        return float(value)

    def _moment(self, table: Mapping[str, Any], key: str) -> datetime:
        """Return a date and a time; of a date alone, its end. Without an offset it is the time of this computer."""
        value = table[key]
        if isinstance(value, date) and not isinstance(value, datetime):
            value = datetime.combine(value, time(23, 59, 59))
        if isinstance(value, datetime):
            years = f"must have a year from {FIRST_YEAR} to {LAST_YEAR} for {key} under [late], but has {value.year}"
            self.must(FIRST_YEAR <= value.year <= LAST_YEAR, years)
            return value if value.tzinfo else value.astimezone()
        such = "without quotes, such as 2030-01-31T23:59:00"
        raise self.wrong(f"must have a date for {key} under [late], {such}, but has {_excerpt(value)}")


def _excerpt(value: Any) -> str:
    """Return a value as the file may have it, cut: a number may have so many digits that Python does not write it."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return "a number that is too long"
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
