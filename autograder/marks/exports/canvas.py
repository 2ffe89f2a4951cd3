"""Canvas's own CSV, filled in and ready to be imported again."""

from pathlib import Path

from autograder.marks.exports.export import Export, late_twice, matched, official, scale_to
from autograder.marks.exports.people import Person
from autograder.marks.exports.roster import Filling, Roster, Written, read_roster
from autograder.marks.gradebook import Gradebook
from autograder.marks.tables import number_in, quoted
from autograder.model.errors import UsageError

# What Canvas's importer takes for a learner's own columns (`lib/gradebook_importer.rb`); the last is Section.
NAMES, LOGIN, SIS, NUMBER = ("Student", "LastName", "FirstName"), "SIS Login ID", "SIS User ID", "ID"
POSSIBLE = "Points Possible"
OWN = (*NAMES, NUMBER, SIS, LOGIN, "Integration ID", "Root Account", "Section")


def canvas(
    book: Gradebook,
    path: Path,
    assignment: str,
    practice: bool = False,
    written: Written = Written.refused,
    scaled: bool = True,
) -> Export:
    """Canvas's own export with one column filled in; `assignment` is a column, or begins one.

    practice: whether to write marks that are not official. written: what becomes of other marks that are
    there. scaled: to the points that Canvas has for the assignment, which are left as they are.
    """
    standing = official(book, practice)
    roster = read_roster(path)
    if not {"Student", "LastName"} & set(roster.header):
        raise UsageError(
            f"{path} has no column Student, nor LastName and FirstName, without which Canvas takes no table: export it "
            "from Canvas, and leave the names of its columns as they are."
        )
    found = [i for i, c in enumerate(roster.header) if c == assignment or c.startswith(f"{assignment} (")]
    if len(found) != 1:
        raise UsageError(
            f"{path} has no single column for the assignment {assignment!r}, and a new name would make a new "
            "assignment in Canvas. Create it there, export the gradebook again, and give its full name."
        )
    column = found[0]
    rows, people = learners(roster)
    matches, unmatched = matched(path, people, standing.learners)
    possible = next((number_in(row[column]) for row in roster.rows if row[0].strip() == POSSIBLE), None)
    scale, scaling = scale_to(possible if scaled else None, standing.possible, "Canvas")
    filling = Filling(roster, written)
    for row, person, who in zip(rows, people, matches, strict=True):
        if who is not None:
            # As Canvas writes it: without zeros at the end.
            mark = roster.number(who.points * scale).rstrip("0").rstrip(".,")
            filling.put(row, column, mark, person.shown)
    said = (*roster.said, *scaling, *late_twice(standing, "Canvas"), *filling.said())
    kept = [i for i, name in enumerate(roster.header) if name in OWN] + [column]
    table = [[row[i] for i in kept] for row in (roster.header, *roster.rows)]
    return Export(quoted(table, roster.separator), unmatched, standing.set_aside, said)


def learners(roster: Roster) -> tuple[list[list[str]], list[Person]]:
    """The rows of learners, and who they are."""
    rows = [row for row in roster.rows if row[0].strip() != POSSIBLE]
    return rows, [_person(roster, row) for row in rows]


def _person(roster: Roster, row: list[str]) -> Person:
    cells = {name: row[i] for i, name in enumerate(roster.header) if name in OWN}
    last, _, first = (part.strip() for part in cells.get("Student", "").partition(","))
    last, first = cells.get("LastName", last), cells.get("FirstName", first)
    sorted_name, plain_name = f"{last}, {first}" if first else last, f"{first} {last}".strip()
    sure = (cells.get(LOGIN, ""), cells.get(SIS, ""), cells.get(NUMBER, ""))
    number = cells.get(NUMBER, "").strip()
    names = (*sure, sorted_name, plain_name)
    return Person(names, sorted_name or number, f"Canvas {number}" if number else "")
