"""Moodle's offline grading worksheet, filled in and ready to be imported again."""

from pathlib import Path

from autograder.marks.exports.table import Export, csv_text, matching_learner, read_roster, unmatched
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import Learner, counted, learners, possible
from autograder.model.errors import ExportError
from autograder.model.text import clean

MOODLE_KEYS = ("Email address", "ID number", "Identifier", "Full name")
MOODLE_GRADE, MOODLE_MAXIMUM, MOODLE_WORDS = "Grade", "Maximum Grade", "Feedback comments"


def moodle(book: Gradebook, roster: Path) -> Export:
    """Moodle's offline grading worksheet with grades and feedback filled in; other rows stay as they are."""
    header, rows = read_roster(roster, MOODLE_KEYS)
    if MOODLE_GRADE not in header:
        raise ExportError(
            f"{roster} has no column {MOODLE_GRADE!r}. Moodle would wipe grades that are there: download the "
            "assignment's offline grading worksheet and give that."
        )
    everyone = learners(book)
    most = possible(counted(book, everyone))
    seen: set[str] = set()
    for row in rows:
        who = matching_learner(row, MOODLE_KEYS, everyone)
        if who is None:
            continue
        seen.add(who.name)
        scale = float(row[MOODLE_MAXIMUM]) / most if row.get(MOODLE_MAXIMUM) and most else 1.0
        row[MOODLE_GRADE] = f"{who.points * scale:.2f}"
        if MOODLE_WORDS in header:
            row[MOODLE_WORDS] = " ".join(_feedback(who))
    return Export(csv_text([header, *[[row[c] for c in header] for row in rows]]), unmatched(everyone, seen))


def _feedback(who: Learner) -> list[str]:
    said = [f"{v.exercise}: {v.outcome}. {v.message}" for v in who.best.values()]
    return [clean(words, 300) for words in [*who.problems, *said]]
