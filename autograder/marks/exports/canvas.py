"""Canvas's own CSV, filled in and ready to be imported again."""

from pathlib import Path
from typing import Any

from autograder.marks.exports.table import (
    POSSIBLE,
    Export,
    csv_text,
    match,
    read_roster,
    refuse_practice,
)
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import standing
from autograder.model.errors import ExportError

CANVAS_KEYS = ("SIS Login ID", "SIS User ID", "ID", "Student")
CANVAS_FIXED = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


def canvas(book: Gradebook, roster: Path, assignment: str, practice: bool = False) -> Export:
    """Canvas's own export with one column filled in; `assignment` is a column, or begins one.

    practice: whether to write marks that are not official.
    """
    stands = standing(book)
    refuse_practice(stands, practice)
    header, rows = read_roster(roster, CANVAS_KEYS)
    columns = [c for c in header if c == assignment or c.startswith(f"{assignment} (")]
    if len(columns) != 1:
        raise ExportError(
            f"{roster} has no single column for the assignment {assignment!r}, and a new name would make a new "
            "assignment in Canvas. Create it there, export the gradebook again, and give its full name."
        )
    column = columns[0]
    kept = [c for c in CANVAS_FIXED if c in header] + [column]
    people = [row for row in rows if row.get("Student", "").strip() != POSSIBLE.strip()]
    matches, unmatched = match(people, CANVAS_KEYS, stands.learners)
    found = {id(row): who for row, who in zip(people, matches, strict=True)}
    table: list[list[Any]] = [kept]
    for row in rows:
        if row.get("Student", "").strip() == POSSIBLE.strip():
            table.append([*[POSSIBLE if c == "Student" else row[c] for c in kept[:-1]], stands.possible])
            continue
        who = found[id(row)]
        table.append([*[row[c] for c in kept[:-1]], who.points if who else row[column]])
    return Export(csv_text(table), unmatched, stands.set_aside)
