"""`report`: pages for a teacher and for each learner, made from a gradebook."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from autograder.html.render import render_template, verdict_html
from autograder.marks.answers import Answers
from autograder.marks.exports import canvas, moodle
from autograder.marks.exports.people import rows_without_learner
from autograder.marks.exports.roster import read_roster
from autograder.marks.gradebook import Gradebook
from autograder.marks.overview import class_summary, histogram, spelling_notes, summaries
from autograder.marks.practised import Practised, read_practised
from autograder.marks.standing import PRACTICE, UNGRADED, Learner, Standing, standing_in, verdicts_to_show
from autograder.model.catalogue import all_exercises
from autograder.model.errors import UsageError
from autograder.model.exercise import Exercise
from autograder.model.verdict import OUTCOMES, Verdict

# The class's page is to open at once for a class of 300: of so many mistakes in an exercise it has a slide, and the code of so many answers.
MOST_SLIDES, MOST_CODES = 10, 5


def write_pages(
    book: Gradebook, folder: Path, roster: Path | None = None, practised: Path | None = None
) -> Path:
    """Write all pages; gives the class's page.

    roster: a table that names everybody who may hand in. practised: a folder of files that learners have saved.
    """
    practice = read_practised(practised) if practised else None
    folder.mkdir(parents=True, exist_ok=True)
    standing = standing_in(book)
    for who in standing.learners:
        _write_page(folder / who.page, page_of(who, standing))
    page = folder / "index.html"
    answers = Answers(standing, book.folders())
    absent = absent_from(roster, standing.learners) if roster else None
    _write_page(page, _class_page(standing, answers, absent, practice))
    return page


def absent_from(path: Path, everyone: Sequence[Learner]) -> list[str]:
    """Return the rows that fit nobody, of Canvas's table, Moodle's worksheet, or a table with a column `learner`.

    Raises UsageError for a file that is no such table, or in which nobody of the gradebook is.
    """
    roster = read_roster(path)
    if {*canvas.NAMES} & {*roster.header}:
        people = canvas.learners(roster)[1]
    else:
        indices, _ = moodle.columns(roster, {"name": "learner"} if "learner" in roster.header else {})
        people = moodle.participants(roster, indices)
    absent = rows_without_learner(people, everyone)
    if everyone and len(absent) == len(people):
        raise UsageError(
            f"{path} names nobody of this gradebook: its names must be those of the class page, but are such as "
            f"{absent[0] if absent else 'none'}."
        )
    return absent


def page_of(who: Learner, standing: Standing) -> str:
    """Return a learner's page: one file that needs no other, and leads to none."""
    practice = PRACTICE if standing.practice else ""
    return render_template("learner.html", who=who, sections=_sections(who), practice=practice)


def _class_page(
    standing: Standing, answers: Answers, absent: Sequence[str] | None, practised: Practised | None
) -> str:
    everyone = standing.learners
    return render_template(
        "class.html",
        standing=standing,
        class_summary=class_summary(standing),
        marks=histogram(standing),
        absent=absent,
        practised=practised,
        verdict_html=verdict_html,
        spelling_notes=spelling_notes(everyone),
        exercises=[(all_exercises()[name], points) for name, points in standing.exercises.items()],
        summaries=summaries(everyone),
        answers=answers,
        similar=answers.similar_answers(),
        most_codes=MOST_CODES,
        most_slides=MOST_SLIDES,
        practice=PRACTICE if standing.practice else "",
        outcomes=(*OUTCOMES, UNGRADED),
        flags=_flags(everyone),
    )


def _flags(everyone: Sequence[Learner]) -> list[tuple[Learner, list[Verdict]]]:
    """Return the answers to look at of each learner and file, those that are accepted first; what is missing is no answer."""
    answers: dict[tuple[str, str], tuple[Learner, list[Verdict]]] = {}
    for who in everyone:
        for r in who.results:
            if r.verdict.flag and r.verdict.outcome != "missing":
                answers.setdefault((who.name, r.submission), (who, []))[1].append(r.verdict)
    for _, verdicts in answers.values():
        verdicts.sort(key=lambda v: v.outcome != "accepted")
    return sorted(answers.values(), key=lambda flagged: flagged[1][0].outcome != "accepted")


def _sections(who: Learner) -> list[tuple[Exercise, list[tuple[str, str]]]]:
    """Return for each exercise of the assignment, the file and the verdict as HTML; none for what is not handed in."""
    ids = {id(verdict) for verdict in verdicts_to_show(r.verdict for r in who.results)}
    grouped: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for result in who.results:
        if id(result.verdict) in ids:
            grouped[result.verdict.exercise].append((result.submission, verdict_html(result.verdict)))
    return [(all_exercises()[name], grouped[name]) for name in who.exercises]


def _write_page(path: Path, text: str) -> None:
    temporary = path.with_suffix(".tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
