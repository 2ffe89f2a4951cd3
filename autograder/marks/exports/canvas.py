"""Canvas's own CSV, filled in and ready to be imported again."""

from pathlib import Path

from autograder.marks.exports.export import Export, double_lateness_note, matched, official_standing, scale_to
from autograder.marks.exports.people import Person
from autograder.marks.exports.roster import Filling, Overwriting, Roster, read_roster
from autograder.marks.gradebook import Gradebook
from autograder.marks.tables import number_in, quoted
from autograder.model.errors import UsageError

# What Canvas's importer takes for a learner's own columns (`lib/gradebook_importer.rb`); the last is Section.
NAMES, LOGIN, SIS, NUMBER = ("Student", "LastName", "FirstName"), "SIS Login ID", "SIS User ID", "ID"
POSSIBLE = "Points Possible"
LEARNER_COLUMNS = (*NAMES, NUMBER, SIS, LOGIN, "Integration ID", "Root Account", "Section")


def canvas(
    book: Gradebook,
    path: Path,
    assignment: str,
    practice: bool = False,
    overwriting: Overwriting = Overwriting.refused,
    scaled: bool = True,
) -> Export:
    """Return Canvas's own export with one column filled in; `assignment` is a column, or begins one.

    practice: whether to write marks that are not official. overwriting: what becomes of other marks that are
    there. scaled: to the points that Canvas has for the assignment, which are left as they are.
    """
    standing = official_standing(book, practice)
    roster = read_roster(path)
    if not {"Student", "LastName"} & set(roster.header):
        raise UsageError(
            f"{path} has no column Student, nor LastName and FirstName, without which Canvas takes no table: export it "
            "from Canvas, and leave the names of its columns as they are."
        )
    begin = f"{assignment} ("
    column_numbers = [i for i, c in enumerate(roster.header) if c == assignment or c.startswith(begin)]
    if len(column_numbers) != 1:
        raise UsageError(
            f"{path} has no single column for the assignment {assignment!r}, and a new name would make a new "
            "assignment in Canvas. Give its name there with --name, or create it there and export the gradebook again."
        )
    column = column_numbers[0]
    rows, people = learners(roster)
    matches, unmatched = matched(path, people, standing.learners)
    possible = next((number_in(row[column]) for row in roster.rows if row[0].strip() == POSSIBLE), None)
    scale, scaling = scale_to(possible if scaled else None, standing.possible, "Canvas")
    filling = Filling(roster, overwriting)
    for row, person, who in zip(rows, people, matches, strict=True):
        if who is not None:
            # As Canvas writes it: without zeros at the end.
            mark = roster.number(who.points * scale).rstrip("0").rstrip(".,")
            filling.put(row, column, mark, person.label)
    notes = (*roster.notes, *scaling, *double_lateness_note(standing, "Canvas"), *filling.notes())
    columns = [i for i, name in enumerate(roster.header) if name in LEARNER_COLUMNS] + [column]
    table = [[row[i] for i in columns] for row in (roster.header, *roster.rows)]
    return Export(quoted(table, roster.separator), unmatched, standing.set_aside, notes)


def learners(roster: Roster) -> tuple[list[list[str]], list[Person]]:
    """Return the rows of learners, and who they are."""
    rows = [row for row in roster.rows if row[0].strip() != POSSIBLE]
    return rows, [_person(roster, row) for row in rows]


def _person(roster: Roster, row: list[str]) -> Person:
    cells = {name: row[i] for i, name in enumerate(roster.header) if name in LEARNER_COLUMNS}
    last, _, first = (part.strip() for part in cells.get("Student", "").partition(","))
    last, first = cells.get("LastName", last), cells.get("FirstName", first)
    sorted_name, plain_name = f"{last}, {first}" if first else last, f"{first} {last}".strip()
    sure = (cells.get(LOGIN, ""), cells.get(SIS, ""), cells.get(NUMBER, ""))
    number = cells.get(NUMBER, "").strip()
    names = (*sure, sorted_name, plain_name)
    return Person(names, sorted_name or number, f"Canvas {number}" if number else "")
