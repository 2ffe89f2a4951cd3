"""Canvas's own CSV, filled in and ready to be imported again."""

from pathlib import Path
from typing import Any

from autograder.marks.exports.table import (
    POSSIBLE,
    Export,
    csv_text,
    matching_learner,
    read_roster,
    unmatched,
)
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import counted, learners, possible
from autograder.model.errors import ExportError

CANVAS_KEYS = ("SIS Login ID", "SIS User ID", "ID", "Student")
CANVAS_FIXED = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


def canvas(book: Gradebook, roster: Path, assignment: str) -> Export:
    """Canvas's own export with one column filled in; `assignment` is a column, or begins one."""
    header, rows = read_roster(roster, CANVAS_KEYS)
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
        who = matching_learner(row, CANVAS_KEYS, everyone)
        seen |= {who.name} if who else set()
        table.append([*[row[c] for c in kept[:-1]], who.points if who else row[column]])
    return Export(csv_text(table), unmatched(everyone, seen))
