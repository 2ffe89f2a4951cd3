"""What all exports share: rosters, matching names, and CSV that no spreadsheet calculates."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.marks.standing import Learner
from autograder.model.errors import ExportError
from autograder.model.text import clean

# A spreadsheet takes a cell that begins like this for a formula.
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
POSSIBLE = "    Points Possible"


@dataclass(frozen=True)
class Export:
    """The text of an export, and the learners for whom the roster has no row."""

    text: str
    unmatched: tuple[str, ...] = ()


def read_roster(path: Path, keys: Sequence[str]) -> tuple[list[str], list[dict[str, str]]]:
    """The header and the rows of a CSV that has one of these columns."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ExportError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ExportError(f"{path} is not a CSV file in UTF-8.") from error
    reader = csv.DictReader(io.StringIO(text))
    header = list(reader.fieldnames or [])
    if not any(key in header for key in keys):
        raise ExportError(f"{path} has none of the columns {', '.join(keys)}, so nobody can be found in it.")
    return header, [{c: row.get(c) or "" for c in header} for row in reader]


def matching_learner(row: dict[str, str], keys: Sequence[str], everyone: Sequence[Learner]) -> Learner | None:
    """The learner whose folder or file is named like one of the row's identifiers."""
    for key in keys:
        wanted = row.get(key, "").strip().casefold()
        found = [who for who in everyone if wanted and wanted in _known_as(who.name, key)]
        if len(found) == 1:
            return found[0]
    return None


def _known_as(name: str, key: str) -> set[str]:
    """What a learner may be called in a column: by name, or by the number in a downloaded name."""
    numbers = {"ID": CANVAS_FILE, "Identifier": MOODLE_FOLDER}
    number = numbers[key].match(name) if key in numbers else None
    prefix = "participant " if key == "Identifier" else ""
    return {name.casefold()} | ({f"{prefix}{number[1]}"} if number else set())


def unmatched(everyone: Sequence[Learner], seen: set[str]) -> tuple[str, ...]:
    """The names of those who have no row."""
    return tuple(who.name for who in everyone if who.name not in seen)


def csv_text(rows: Sequence[Sequence[Any]]) -> str:
    """Every field quoted, and none that a spreadsheet would calculate."""
    output = io.StringIO()
    writer = csv.writer(output, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return output.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    # Canvas writes its second row's name with leading spaces, which mean something to it.
    text = value if value == POSSIBLE else clean(value)
    # A lone dash, as Moodle writes it, calculates nothing.
    return f"'{text}" if text.lstrip().startswith(FORMULA) and text not in (POSSIBLE, "-") else text


# As these systems name what a teacher downloads: NAME_[LATE_]ID_SUBMISSION_FILE and NAME_ID_assignsubmission_….
CANVAS_FILE = re.compile(r"[^_]+_(?:LATE_)?(\d+)_\d+_")
MOODLE_FOLDER = re.compile(r".+_(\d+)_assignsubmission_")
