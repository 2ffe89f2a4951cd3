"""An assignment's file, in TOML: reads it, and writes a new one in which each key is explained."""

import tomllib
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from autograder.frameworks import graded
from autograder.model.assignment import BETTER, COUNTS, Assignment, LateRule
from autograder.model.catalogue import all_exercises, use_faults
from autograder.model.errors import UsageError
from autograder.model.exercise import FAULTS, Exercise
from autograder.model.text import either, near

KEYS = ("name", "total", "frameworks", "count", "exercises", "practice", "partial", "late", "limits")
PRACTICE_KEYS = ("exercise", "items", "points")
MOST_ITEMS = 12
PARTIAL_KEYS = ("gradients", "one_framework", "ideas")
LATE_KEYS = ("due", "grace_minutes", "per_cent_a_day", "last")
# Each limit if the file does not say, as `grade` has them.
LIMITS = {
    "call_seconds": 2.0, "source_seconds": 10.0, "seconds": 60.0, "submission_seconds": 300.0,
    "learner_seconds": 600.0, "megabytes": 10.0,
}  # fmt: skip
MAX_BYTES = 1 << 20
# With places for what is chosen, in braces.
NEW = Path(__file__).with_name("new_assignment.toml")


def new_assignment(file: Path, exercises: Sequence[Exercise]) -> str:
    """The text of a new assignment's file. exercises: those it has; if none, all stand there as comments."""
    lines = [_line(e, taken=bool(exercises)) for e in exercises or all_exercises().values()]
    if not exercises:
        lines.insert(0, "# Take the # away before those that you choose.")
    return NEW.read_text(encoding="utf-8").format(
        file=file.name,
        stem=file.stem,
        name=file.stem.replace("\\", "").replace('"', "").replace("_", " ").capitalize(),
        frameworks=", ".join(f'"{name}"' for name in graded()),
        exercises="\n".join(lines),
    )


def _line(exercise: Exercise, taken: bool) -> str:
    said = f"{exercise.name} = {exercise.points}"
    return f"{'' if taken else '# '}{said:<34}# {exercise.title}, {exercise.minutes} minutes"


def read_assignment(path: Path) -> Assignment:
    """The assignment that a file describes. Raises UsageError, with the key and what is possible there."""
    return _Reader(path).assignment()


def changed_since(graded: Assignment) -> str | None:
    """What the assignment's file says otherwise than when it was graded, as the end of a sentence; None if nothing.

    The megabytes of a file are left out, which a run may have been given besides.
    """
    if not graded.file or not Path(graded.file).is_file():
        return None
    try:
        now = read_assignment(Path(graded.file))
    except UsageError as error:
        return f"it cannot be used: {error}"
    parts = {
        "the name": lambda rules: rules.name,
        "exercises or their points": lambda rules: rules.exercises,
        "frameworks": lambda rules: (rules.frameworks, rules.count),
        "partial credit": lambda rules: rules.partial,
        "lateness": lambda rules: rules.late,
        "limits": lambda rules: {k: v for k, v in rules.limits.items() if k != "megabytes"},
    }
    return ", ".join(words for words, part in parts.items() if part(now) != part(graded)) or None


class _Reader:
    """Reads one file; every complaint names it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self.table = tomllib.loads(file.read(MAX_BYTES).decode("utf-8-sig"))
        except OSError as error:
            raise UsageError(f"The assignment {path} cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise self.wrong("is no text in UTF-8: save it as UTF-8") from error
        except tomllib.TOMLDecodeError as error:
            raise self.wrong(f"is no valid TOML: {error}") from error

    def wrong(self, words: str) -> UsageError:
        """What is wrong with the file, as an error whose sentence begins with its name."""
        return UsageError(f"{self.path} {words}.")

    def assignment(self) -> Assignment:
        """The whole of it."""
        self._only(self.table, KEYS, "the file")
        name = self.table.get("name", self.path.stem)
        if not isinstance(name, str) or not name.strip():
            raise self.wrong(f'must have a name in quotes, such as name = "First", but has {name!r}')
        count = self.table.get("count", BETTER)
        if count not in COUNTS:
            raise self.wrong(f"must have {either(COUNTS)} for count, but has {count!r}")
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
        """What each exercise is worth, in the order of the course: weights, if the file says the total."""
        found = self._table("exercises") | self._practice()
        if not found:
            raise self.wrong(
                "must name at least one exercise under [exercises], such as masked_softmax = 2, but names none"
            )
        for name in found:
            if name not in all_exercises():
                raise self.wrong(f"has no exercise of the course in {name!r} under [exercises]{_near(name)}")
        weights = {
            name: self._number(found, name, "[exercises]") for name in all_exercises() if name in found
        }
        if not sum(weights.values()):
            raise self.wrong("must give points to at least one exercise under [exercises], but all have 0")
        if "total" not in self.table:
            return weights
        factor = self._number(self.table, "total", "the file") / sum(weights.values())
        return {name: weight * factor for name, weight in weights.items()}

    def _practice(self) -> dict[str, float]:
        """What it is worth to find faults in code of some exercises, by the names of the exercises that ask for it."""
        tables = self.table.get("practice", [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise self.wrong("must have each practice as a table, with [[practice]] on a line of its own")
        found = {}
        for table in tables:
            self._only(table, PRACTICE_KEYS, "[[practice]]")
            name, items = table.get("exercise"), table.get("items")
            if name not in all_exercises() or not all_exercises()[name].hints:
                raise self.wrong(
                    f"must have an exercise that asks for code under [[practice]], but has {name!r}"
                )
            if type(items) is not int or not 1 <= items <= MOST_ITEMS:
                raise self.wrong(
                    f"must have a whole number from 1 to {MOST_ITEMS} for items in [[practice]], but has {items!r}"
                )
            asked = f"{name}{FAULTS}{items}"
            found[asked] = self._number(table, "points", "[[practice]]", items)
        use_faults(found)
        return found

    def _frameworks(self) -> tuple[str, ...]:
        given = self.table.get("frameworks", list(graded()))
        names = given if isinstance(given, list) else [given]
        if not names or any(name not in graded() for name in names):
            raise self.wrong(
                f'must have a list of {either(graded())} for frameworks, such as ["torch"], but has {given!r}'
            )
        return tuple(name for name in graded() if name in names)

    def _late(self) -> LateRule | None:
        found = self._table("late")
        self._only(found, LATE_KEYS, "[late]")
        if not found:
            return None
        if "due" not in found:
            raise self.wrong("must say when it is due under [late], such as due = 2030-01-31T23:59:00")
        due = self._moment(found, "due")
        last = self._moment(found, "last") if "last" in found else None
        if last is not None and last < due:
            raise self.wrong("must not have a last moment before it is due under [late]")
        return LateRule(
            due,
            timedelta(minutes=self._number(found, "grace_minutes", "[late]", 0)),
            self._number(found, "per_cent_a_day", "[late]", 0, most=100),
            last,
        )

    def _partial(self) -> dict[str, Any]:
        """Shares from 0 to 1 for what is nearly right; ideas must be those of the exercises."""
        found = self._table("partial")
        self._only(found, PARTIAL_KEYS, "[partial]")
        shares: dict[str, Any] = {
            key: self._number(found, key, "[partial]", most=1) for key in found if key != "ideas"
        }
        ideas = found.get("ideas", {})
        if not isinstance(ideas, dict):
            raise self.wrong("must have ideas as a table under [partial], such as ideas = {name = 0.5}")
        known = {m.name for name in self._exercises() for m in all_exercises()[name].misconceptions}
        for idea in ideas:
            if idea not in known:
                nearest = near(idea, {name: name for name in known})
                raise self.wrong(
                    f"has the idea {idea!r} under [partial], which no exercise of it knows.{nearest}"
                )
        return (
            shares | {"ideas": {i: self._number(ideas, i, "[partial]", most=1) for i in ideas}}
            if found
            else {}
        )

    def _limits(self) -> dict[str, float]:
        found = self._table("limits")
        self._only(found, tuple(LIMITS), "[limits]")
        limits = {name: self._number(found, name, "[limits]") for name in found}
        if zero := next((name for name, limit in limits.items() if not limit), None):
            raise self.wrong(f"must have more than 0 for {zero} under [limits]")
        return limits

    def _table(self, key: str) -> dict[str, Any]:
        found = self.table.get(key, {})
        if not isinstance(found, dict):
            raise self.wrong(f"must have {key} as a table, with [{key}] on a line of its own")
        return found

    def _only(self, table: Mapping[str, Any], keys: Sequence[str], place: str) -> None:
        known = ", ".join(keys)
        for key in table:
            if key not in keys:
                raise self.wrong(f"has {key!r} in {place}, where only {known} are known")

    def _number(
        self, table: Mapping[str, Any], key: str, place: str, default: float = 0, most: float = 1e6
    ) -> float:
        value = table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
            raise self.wrong(f"must have a number from 0 to {most:g} for {key} in {place}, but has {value!r}")
        return float(value)

    def _moment(self, table: Mapping[str, Any], key: str) -> datetime:
        """A date and a time; of a date alone, its end. Without an offset it is the time of this computer."""
        value = table[key]
        if isinstance(value, date) and not isinstance(value, datetime):
            value = datetime.combine(value, time(23, 59, 59))
        if not isinstance(value, datetime):
            raise self.wrong(
                f"must have a date for {key} under [late], without quotes, such as 2030-01-31T23:59:00, but has {value!r}"
            )
        return value if value.tzinfo else value.astimezone()


def _near(name: str) -> str:
    near = get_close_matches(name, all_exercises(), n=1)
    return f": is it {near[0]}?" if near else "; `attention exercises` lists them"
