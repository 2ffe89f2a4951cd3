"""What all exports share: rosters, matching names, and CSV that no spreadsheet calculates."""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.marks.standing import Learner, Standing
from autograder.model.errors import ExportError
from autograder.model.results import identity
from autograder.model.text import clean

# A spreadsheet takes a cell that begins like this for a formula.
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
POSSIBLE = "    Points Possible"
# A learner of a download, as `autograder/read/learners.py` writes it, and the columns with these numbers.
DOWNLOADED = re.compile(r".*\((?P<system>Canvas|Moodle) (?P<number>\d+)\)")
NUMBERED = {"ID": "Canvas", "Identifier": "Moodle"}


@dataclass(frozen=True)
class Export:
    """The text of an export; why some learners got no mark in a roster; what does not count, as sentences."""

    text: str
    unmatched: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()


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


def refuse_practice(stands: Standing, allowed: bool) -> None:
    """Raises ExportError where practice marks would go into a column of official ones without a word."""
    if stands.practice and not allowed:
        raise ExportError(
            "These are practice marks, and the column is for official ones: grade without --practice, or say "
            "--practice here too."
        )


def match(
    rows: Sequence[dict[str, str]], keys: Sequence[str], everyone: Sequence[Learner]
) -> tuple[list[Learner | None], tuple[str, ...]]:
    """For each row of a roster its learner, and why some learners have no row, as sentences.

    The first column that names anybody decides. Where two learners fit a row, or two rows a learner, nobody
    can say whose mark it is, and none is written.
    """
    known = {key: [(who, _known_as(who.name, key)) for who in everyone] for key in keys}
    fitting = [_fitting(row, known) for row in rows]
    times = Counter(found[0].name for found in fitting if len(found) == 1)
    matches = [found[0] if len(found) == 1 and times[found[0].name] == 1 else None for found in fitting]
    written = {who.name for who in matches if who is not None}
    unclear = {who.name for found in fitting for who in found} - written
    said = []
    for who in everyone:
        if who.name in unclear:
            said.append(f"{who.name}: this is not the only learner, or the only row, of that name")
        elif who.name not in written:
            said.append(f"{who.name}: no row has this name or number")
    return matches, tuple(said)


def _fitting(row: dict[str, str], known: dict[str, list[tuple[Learner, set[str]]]]) -> list[Learner]:
    for key, everyone in known.items():
        wanted = identity(row.get(key, ""))
        if found := [who for who, names in everyone if wanted and wanted in names]:
            return found
    return []


def _known_as(name: str, key: str) -> set[str]:
    """What a learner may be called in a column: by name, or by the number that a download gives."""
    system = NUMBERED.get(key)
    number = DOWNLOADED.fullmatch(name) if system else None
    prefix = "participant " if key == "Identifier" else ""
    mine = number is not None and number["system"] == system
    return {identity(name)} | ({f"{prefix}{number['number']}"} if mine and number else set())


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
