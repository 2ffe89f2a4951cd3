"""`export`: marks in the formats that other systems read.

Gradescope: results.json of one learner, as its autograder documentation describes.
Canvas and Moodle: the CSV that they export, filled in and ready to be imported again.
nbgrader: the columns of `nbgrader export`. Plain: one row for each learner, or everything as JSON.
"""

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .exercises import all_exercises
from .gradebook import Gradebook, Result
from .report import Learner, counted, learners, possible
from .words import clean

# A spreadsheet takes a cell that begins like this for a formula.
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
CANVAS_KEYS = ("SIS Login ID", "SIS User ID", "ID", "Student")
CANVAS_FIXED = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POSSIBLE = "    Points Possible"
# As these systems name what a teacher downloads: NAME_[LATE_]ID_SUBMISSION_FILE and NAME_ID_assignsubmission_….
CANVAS_FILE = re.compile(r"[^_]+_(?:LATE_)?(\d+)_\d+_")
MOODLE_FOLDER = re.compile(r".+_(\d+)_assignsubmission_")
MOODLE_KEYS = ("Email address", "ID number", "Identifier", "Full name")
MOODLE_GRADE, MOODLE_MAXIMUM, MOODLE_WORDS = "Grade", "Maximum Grade", "Feedback comments"
NBGRADER = [
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
]


class ExportError(Exception):
    """An export that cannot be made; the message is a sentence."""


@dataclass(frozen=True)
class Export:
    """The text of an export, and the learners for whom the roster has no row."""

    text: str
    unmatched: tuple[str, ...] = ()


def plain_csv(book: Gradebook) -> Export:
    """One row for each learner: points for each exercise, and in all."""
    everyone = learners(book)
    names = counted(book, everyone)
    rows: list[list[Any]] = [["learner", *names, "points", "possible", "practice"]]
    for who in everyone:
        marks = [who.best[n].verdict["points"] if n in who.best else "" for n in names]
        rows.append([who.name, *marks, who.points, possible(names), "practice" if who.practice else ""])
    return Export(_csv(rows))


def plain_json(book: Gradebook) -> Export:
    """Everything that the gradebook holds on the current submissions."""
    found = [
        {
            "learner": who.name,
            "points": who.points,
            "problems": who.problems,
            "results": [{"submission": r.name, "practice": r.practice, **r.verdict} for r in who.results],
        }
        for who in learners(book)
    ]
    return Export(json.dumps(found, indent=1) + "\n")


def gradescope(who: Learner | None, exercises: Sequence[str], problem: str = "") -> Export:
    """results.json for one learner; with a problem in place of results if there are none."""
    best = who.best if who is not None else {}
    tests = [_gradescope_test(i, name, best.get(name)) for i, name in enumerate(exercises, 1)]
    words = problem or " ".join(who.problems if who is not None else [])
    report = {
        "score": sum(test["score"] for test in tests),
        "output": clean(words) or "Each exercise says what was right, or what is wrong first.",
        "output_format": "text",
        "test_output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "execution_time": round(who.seconds, 3) if who is not None else 0,
        "tests": tests,
    }
    return Export(json.dumps(report, indent=1) + "\n")


def _gradescope_test(number: int, name: str, result: Result | None) -> dict[str, Any]:
    exercise = all_exercises()[name]
    verdict = result.verdict if result is not None else {}
    accepted = verdict.get("outcome") == "accepted"
    return {
        "name": exercise.title,
        "number": str(number),
        "score": float(verdict.get("points", 0)),
        "max_score": float(exercise.points),
        "status": "passed" if accepted else "failed",
        "output": clean(verdict.get("message", "Nothing that was handed in defines it.")),
        "output_format": "text",
        "visibility": "visible",
        "tags": [exercise.topic],
        "extra_data": {
            "outcome": verdict.get("outcome", "missing"),
            "misconception": verdict.get("misconception"),
        },
    }


def canvas(book: Gradebook, roster: Path, assignment: str) -> Export:
    """Canvas's own export with one column filled in; `assignment` is a column, or begins one."""
    header, rows = _roster(roster, CANVAS_KEYS)
    columns = [c for c in header if c == assignment or c.startswith(f"{assignment} (")]
    if len(columns) != 1:
        raise ExportError(
            f"{roster} has no single column for the assignment {assignment!r}, and a new name would make a new "
            "assignment in Canvas. Create it there, export the gradebook again, and give its full name."
        )
    column = columns[0]
    kept = [c for c in CANVAS_FIXED if c in header] + [column]
    everyone = learners(book)
    names = counted(book, everyone)
    table: list[list[Any]] = [kept]
    seen: set[str] = set()
    for row in rows:
        if row.get("Student", "").strip() == POSSIBLE.strip():
            table.append([*[POSSIBLE if c == "Student" else row[c] for c in kept[:-1]], possible(names)])
            continue
        who = _match(row, CANVAS_KEYS, everyone)
        seen |= {who.name} if who else set()
        table.append([*[row[c] for c in kept[:-1]], who.points if who else row[column]])
    return Export(_csv(table), _unmatched(everyone, seen))


def moodle(book: Gradebook, roster: Path) -> Export:
    """Moodle's offline grading worksheet with grades and feedback filled in; other rows stay as they are."""
    header, rows = _roster(roster, MOODLE_KEYS)
    if MOODLE_GRADE not in header:
        raise ExportError(
            f"{roster} has no column {MOODLE_GRADE!r}. Moodle would wipe grades that are there: download the "
            "assignment's offline grading worksheet and give that."
        )
    everyone = learners(book)
    most = possible(counted(book, everyone))
    seen: set[str] = set()
    for row in rows:
        who = _match(row, MOODLE_KEYS, everyone)
        if who is None:
            continue
        seen.add(who.name)
        scale = float(row[MOODLE_MAXIMUM]) / most if row.get(MOODLE_MAXIMUM) and most else 1.0
        row[MOODLE_GRADE] = f"{who.points * scale:.2f}"
        if MOODLE_WORDS in header:
            row[MOODLE_WORDS] = " ".join(_feedback(who))
    return Export(_csv([header, *[[row[c] for c in header] for row in rows]]), _unmatched(everyone, seen))


def nbgrader(book: Gradebook, assignment: str) -> Export:
    """The columns that `nbgrader export` writes."""
    everyone = learners(book)
    most = possible(counted(book, everyone))
    rows: list[list[Any]] = [list(NBGRADER)]
    for who in everyone:
        rows.append([assignment, "", "", who.name, "", "", "", who.points, 0.0, who.points, most])
    return Export(_csv(rows))


def _feedback(who: Learner) -> list[str]:
    said = [
        f"{r.verdict['exercise']}: {r.verdict['outcome']}. {r.verdict['message']}" for r in who.best.values()
    ]
    return [clean(words, 300) for words in [*who.problems, *said]]


def _roster(path: Path, keys: Sequence[str]) -> tuple[list[str], list[dict[str, str]]]:
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


def _match(row: dict[str, str], keys: Sequence[str], everyone: Sequence[Learner]) -> Learner | None:
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


def _unmatched(everyone: Sequence[Learner], seen: set[str]) -> tuple[str, ...]:
    return tuple(who.name for who in everyone if who.name not in seen)


def _csv(rows: Sequence[Sequence[Any]]) -> str:
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
