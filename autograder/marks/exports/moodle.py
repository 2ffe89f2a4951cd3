"""Moodle's offline grading worksheet, filled in and ready to be imported again."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from autograder.marks.exports.export import Export, double_lateness_note, matched, official_standing, scale_to
from autograder.marks.exports.people import Person, has_another_name
from autograder.marks.exports.roster import Filling, Overwriting, Roster, is_empty, read_roster
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import PRACTICE, Learner
from autograder.marks.tables import number_in, quoted
from autograder.model.errors import UsageError
from autograder.model.text import clean

# What a column is, and its names in English and in German; in other languages it is known by what it holds.
COLUMNS = {
    "email": ("Email address", "E-Mail-Adresse"),
    "number": ("ID number", "ID-Nummer"),
    "identifier": ("Identifier", "ID"),
    "name": ("Full name", "Vollständiger Name"),
    "grade": ("Grade", "Bewertung"),
    "maximum": ("Maximum Grade", "Bestwertung"),
    "comments": ("Feedback comments", "Feedback als Kommentar"),
}
# Characters of what is said of one exercise, or of one file.
MAX_WORDS = 300
PEOPLE = ("email", "number", "identifier", "name")
# `Participant 12`, in any language, with a space or without.
PARTICIPANT = re.compile(r"\D*(\d+)")


def moodle(
    book: Gradebook,
    path: Path,
    practice: bool = False,
    overwriting: Overwriting = Overwriting.refused,
    scaled: bool = True,
    column_names: Mapping[str, str] | None = None,
) -> Export:
    """Return Moodle's offline grading worksheet with grades and feedback filled in; other rows stay as they are.

    practice: whether to write marks that are not official. overwriting: what becomes of other marks and comments
    that are there. scaled: to the maximum that the worksheet says. column_names: columns by what they are, as in
    COLUMNS, where they are not recognised.
    """
    standing = official_standing(book, practice)
    roster = read_roster(path)
    indices, notes = columns(roster, column_names or {})
    if "grade" not in indices:
        raise UsageError(
            f"{path} has no column that is known for the grades, and Moodle would wipe grades that are there: "
            "download the assignment's offline grading worksheet, or say --column grade=NAME."
        )
    people = participants(roster, indices)
    matches, unmatched = matched(path, people, standing.learners)
    filling = Filling(roster, overwriting)
    scaling: tuple[str, ...] = ()
    for row, person, who in zip(roster.rows, people, matches, strict=True):
        if who is None:
            continue
        most = number_in(row[indices["maximum"]]) if scaled and "maximum" in indices else None
        scale, scaling = scale_to(most, who.possible, "Moodle")
        if "name" in indices and has_another_name(person, who):
            notes = (
                *notes,
                f"{person.label} gets the mark of {who.name}, by the number: is it the assignment's own worksheet?",
            )
        filling.put(row, indices["grade"], roster.number(who.points * scale), person.label)
        if "comments" in indices:
            words = " ".join([*[PRACTICE] * standing.practice, *_feedback(who)])
            filling.put(row, indices["comments"], words, person.label)
    text = quoted([roster.header, *roster.rows], roster.separator)
    notes = (*roster.notes, *notes, *scaling, *double_lateness_note(standing, "Moodle"), *filling.notes())
    return Export(text, unmatched, standing.set_aside, notes)


def columns(roster: Roster, column_names: Mapping[str, str]) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return the places of the columns that are known, and what was guessed, as a sentence.

    column_names: columns that were named by hand. Raises UsageError for one that is not there, and if nobody can be
    found in the table.
    """
    for what, name in column_names.items():
        if what not in COLUMNS or name not in roster.header:
            raise UsageError(
                f"--column {what}={name} names no column of {roster.path}: say one of {', '.join(COLUMNS)}, and "
                f"one of the columns {', '.join(roster.header)}."
            )
    sure = {what: roster.header.index(name) for what, name in column_names.items()}
    for what, names in COLUMNS.items():
        index = next((roster.header.index(name) for name in names if name in roster.header), None)
        if index is not None and index not in sure.values():
            sure.setdefault(what, index)
    by_content = _by_content(roster).items()
    guessed = {what: i for what, i in by_content if what not in sure and i not in sure.values()}
    indices = sure | guessed
    if not indices.keys() & set(PEOPLE):
        raise UsageError(
            f"{roster.path} has no column that is known for {', '.join(PEOPLE)}, so nobody can be found in it: "
            "say one of them, as in --column name=NAME."
        )
    guesses = ", ".join(f"{what} is {roster.header[index]!r}" for what, index in guessed.items())
    note = f"Taken by what they hold: {guesses}. --column says it otherwise."
    return indices, (note,) if guessed else ()


def _by_content(roster: Roster) -> dict[str, int]:
    """Return columns of Moodle's worksheet by what they hold and by their order, which is the same in all languages."""
    indices: dict[str, int] = {}
    cells = [[row[i].strip() for row in roster.rows] for i in range(len(roster.header))]
    if cells and roster.rows and all(PARTICIPANT.fullmatch(cell) for cell in cells[0]):
        indices |= {"identifier": 0, "name": 1}
    for i, column in enumerate(cells):
        if any("@" in cell for cell in column) and all("@" in cell or not cell for cell in column):
            indices.setdefault("email", i)
    maxima = (i for i, pair in enumerate(pairwise(cells), 1) if _are_marks_and_maximum(*pair))
    if maximum := next(maxima, None):
        indices |= {"grade": maximum - 1, "maximum": maximum}
    # The dates of changes are never empty: Moodle writes a dash.
    if "maximum" in indices and "" in cells[-1]:
        indices["comments"] = len(cells) - 1
    return indices


def _are_marks_and_maximum(marks: Sequence[str], column: Sequence[str]) -> bool:
    """Return whether one column holds numbers, or nothing yet, and the next a single number in all its cells."""
    maxima = {number_in(cell) for cell in column}
    is_maximum = len(maxima) == 1 and maxima != {None}
    return is_maximum and all(is_empty(cell) or number_in(cell) is not None for cell in marks)


def participants(roster: Roster, indices: Mapping[str, int]) -> list[Person]:
    """Return who is in the worksheet, row by row."""
    people = []
    for row in roster.rows:
        names = {what: row[indices[what]] for what in PEOPLE if what in indices}
        number = PARTICIPANT.fullmatch(names.get("identifier", "").strip())
        label = names.get("name") or next((name for name in names.values() if name.strip()), "")
        people.append(Person(tuple(names.values()), label, f"Moodle {number[1]}" if number else ""))
    return people


def _feedback(who: Learner) -> list[str]:
    sentences = [clean(problem, MAX_WORDS) for problem in who.problems]
    sentences += map(clean, who.remarks)
    for v in who.judged:
        details = clean("; ".join(v.details), MAX_WORDS)
        words = clean(f"{v.exercise}: {v.outcome}. {v.message}", MAX_WORDS)
        sentences += [f"{words} ({details})" if details else words, *map(clean, who.words_on(v.exercise))]
    when = [f"Graded {who.graded_at} by the checks {who.checks}."] if who.graded_at else []
    return [*sentences, *when]
