"""Moodle's offline grading worksheet, filled in and ready to be imported again."""

from pathlib import Path

from autograder.marks.exports.table import Export, csv_text, match, read_roster, refuse_practice
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import PRACTICE, Learner, standing
from autograder.model.errors import ExportError
from autograder.model.text import clean
from autograder.model.verdict import Verdict

MOODLE_KEYS = ("Email address", "ID number", "Identifier", "Full name")
MOODLE_GRADE, MOODLE_MAXIMUM, MOODLE_WORDS = "Grade", "Maximum Grade", "Feedback comments"


def moodle(book: Gradebook, roster: Path, practice: bool = False) -> Export:
    """Moodle's offline grading worksheet with grades and feedback filled in; other rows stay as they are.

    practice: whether to write marks that are not official.
    """
    stands = standing(book)
    refuse_practice(stands, practice)
    header, rows = read_roster(roster, MOODLE_KEYS)
    if MOODLE_GRADE not in header:
        raise ExportError(
            f"{roster} has no column {MOODLE_GRADE!r}. Moodle would wipe grades that are there: download the "
            "assignment's offline grading worksheet and give that."
        )
    matches, unmatched = match(rows, MOODLE_KEYS, stands.learners)
    for row, who in zip(rows, matches, strict=True):
        if who is None:
            continue
        scale = float(row[MOODLE_MAXIMUM]) / who.possible if row.get(MOODLE_MAXIMUM) and who.possible else 1.0
        row[MOODLE_GRADE] = f"{who.points * scale:.2f}"
        if MOODLE_WORDS in header:
            row[MOODLE_WORDS] = " ".join([*[PRACTICE] * stands.practice, *_feedback(who)])
    table = [header, *[[row[c] for c in header] for row in rows]]
    return Export(csv_text(table), unmatched, stands.set_aside)


def _feedback(who: Learner) -> list[str]:
    said = [clean(f"{v.exercise}: {v.outcome}. {v.message}", 300) + _details(v) for v in who.marks]
    return [*(clean(words, 300) for words in who.problems), *said]


def _details(verdict: Verdict) -> str:
    return f" ({clean('; '.join(verdict.details), 300)})" if verdict.details else ""
