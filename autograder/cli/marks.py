"""Commands for teachers who have graded: `report`, `similar`, `export`, `changes` and `feedback`."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from autograder.cli.app import GradebookOptions, app, warn, write_text
from autograder.cli.output import console, new_table, safe
from autograder.marks import changes as changed
from autograder.marks import feedback as pages
from autograder.marks.answers import FEWEST, Answers
from autograder.marks.exports import BUILT_IN, exported
from autograder.marks.exports.roster import Overwriting
from autograder.marks.gradebook import Gradebook
from autograder.marks.overview import spelling_notes
from autograder.marks.report import write_pages
from autograder.marks.standing import standing_in
from autograder.model.errors import UsageError
from autograder.model.learner_files import as_usage_error
from autograder.model.text import clean, counted

Columns = Annotated[
    list[str] | None,
    "A column of Moodle's worksheet that is not recognised, such as grade=Note; may be repeated.",
]


def column_names(words: list[str] | None) -> dict[str, str]:
    """Return `--column WHAT=NAME` as a table. Raises UsageError for one without `=`."""
    for word in words or []:
        if "=" not in word:
            raise UsageError(f"--column {word} gives no name: write WHAT=NAME, as in --column grade=Note.")
    return {what: name for what, _, name in (word.partition("=") for word in words or [])}


@app.command()
def report(
    *,
    options: GradebookOptions,
    to: Annotated[Path, "The folder that the pages go to."] = Path("reports"),
    roster: Annotated[
        Path | None,
        "A table from Canvas or Moodle, or one with a column learner: the page names who handed in nothing.",
    ] = None,
    practised: Annotated[
        Path | None,
        "A folder of practice.json files that learners saved: the page says which faults they overlook; nothing counts.",
    ] = None,
) -> None:
    """Write a page for the class and one for each learner, static and readable offline."""
    with options.opened() as book, as_usage_error(to, "written"):
        page = write_pages(book, to, roster, practised)
        standing = standing_in(book)
        warn(*spelling_notes(standing.learners).values(), *standing.unread)
        console.print(f"Open {page}")


@app.command()
def similar(
    *,
    options: GradebookOptions,
    write: Annotated[Path | None, "Write each answer as a file into this folder, for JPlag or Dolos."] = None,
) -> None:
    """List answers that share more than is common in the class, the least likely first."""
    with options.opened() as book:
        standing = standing_in(book)
        answers = Answers(standing, book.folders())
        if answers.num_gone:
            many = counted(answers.num_gone, "answer")
            warn(f"{many} cannot be compared: the files are no longer as they were graded.")
        groups = answers.similar_answers()
        for group in groups:
            names = ", ".join(who.name for who in group.learners)
            bits = f" ({group.bits:.0f} bits)" if group.bits else ""
            console.print(clean(f"{group.exercise.name}, {group.what}{bits}: {names}"))
        many = counted(sum(map(len, answers.compared().values())), "answer")
        console.print(
            f"Compared: {many} of at least {FEWEST} statements. Groups that are alike: {len(groups)}."
        )
        if write is not None:
            with as_usage_error(write, "written"):
                write.mkdir(parents=True, exist_ok=True)
                number = answers.write_to(write)
            console.print(f"{counted(number, 'answer')} written to {write}.")


@dataclass(frozen=True)
class RosterOptions:
    """Options that say how a table of another system is filled in."""

    roster: Annotated[Path | None, "The CSV that Canvas or Moodle exported."] = None
    practice: Annotated[bool, "Write practice marks for Canvas, Moodle and nbgrader too."] = False
    keep: Annotated[bool, "Keep existing marks and comments that differ."] = False
    replace: Annotated[bool, "Replace them."] = False
    unscaled: Annotated[bool, "Write points as they are, whatever the maximum in Canvas or Moodle."] = False
    column: Columns = None

    def __post_init__(self) -> None:
        if self.keep and self.replace:
            raise UsageError("Say --keep or --replace, not both.")

    def arguments(self) -> dict[str, Any]:
        """Return what of it an export may ask for, by the names in `exports.PARAMETERS`."""
        unless_replaced = Overwriting.kept if self.keep else Overwriting.refused
        return {
            "path": self.roster,
            "practice": self.practice,
            "overwriting": Overwriting.replaced if self.replace else unless_replaced,
            "scaled": not self.unscaled,
            "column_names": column_names(self.column),
        }


@app.command()
def export(
    form: Annotated[str, f"The format: {', '.join(BUILT_IN)}, or one of an installed package."],
    *,
    options: GradebookOptions,
    to: Annotated[Path | None, "The file to write; standard output by default."] = None,
    name: Annotated[str | None, "The assignment's name in the other system; the same by default."] = None,
    table: RosterOptions,
) -> None:
    """Write marks for Canvas, Moodle or nbgrader, or as plain CSV or JSON.

    The exit status is 0 if the file holds every learner's mark and every correction, 1 if some are missing
    (each is named on standard error) or a run has not finished, and 2 if nothing was written.
    """
    with options.opened() as book:
        standing = standing_in(book)
        arguments = table.arguments() | {"assignment": name or standing.assignment.name or "attention"}
        result = exported(form, book, arguments)
        write_text(result.text, to)
        if to is not None and not standing.unfinished:
            book.note_export(changed.record(standing, form))
        warn(*result.notes, *result.unmatched, *result.set_aside, *spelling_notes(standing.learners).values())
        if result.unmatched:
            many = f"{len(result.unmatched)} of {len(standing.learners)} learners"
            warn(f"{many} are not in {to or 'what was written'}.")
        if result.unmatched or standing.unread:
            raise typer.Exit(1)


@app.command()
def changes(*, options: GradebookOptions) -> None:
    """List every mark that differs from what the last `export --to FILE` wrote: whose it is, both values, and why."""
    with options.opened() as book:
        _list_changes(book, options.gradebook)


def _list_changes(book: Gradebook, gradebook: Path) -> None:
    before, standing = book.last_export(), standing_in(book)
    warn(*standing.unread)
    if not before:
        raise UsageError(
            f"No marks of {gradebook} were written to a file yet: `attention export csv --to FILE` notes what it wrote."
        )
    marks = changed.changes(before, standing)
    since = f"since `export {before['form']}` of {before['time']}"
    if not marks:
        console.print(f"No mark has changed {since}.")
        return
    table = new_table("learner", "exercise", "before", "now", "why")
    for c in marks:
        was, now = ("" if points is None else f"{points:g}" for points in (c.before, c.now))
        why = ". ".join(filter(None, (safe(c.why), c.explanation)))
        table.add_row(safe(c.learner), c.exercise, was, now, why)
    console.print(table)
    people = len({c.learner for c in marks})
    console.print(f"{counted(people, 'learner')} changed {since}.")


Destination = StrEnum("Destination", ["moodle", "canvas", "web"])


@app.command()
def feedback(
    system: Annotated[Destination, "Where learners will find their pages."],
    *,
    options: GradebookOptions,
    to: Annotated[Path | None, "The archive for Moodle or Canvas, or the folder to publish."] = None,
    roster: Annotated[Path | None, "Moodle's grading worksheet, if file names contain no number."] = None,
    column: Columns = None,
) -> None:
    """Pack each learner's page for upload to Moodle or Canvas, or for the web under names that nobody can guess.

    The exit status is 0 if every learner's page is in it, with every correction, 1 if some are not (each is named on
    standard error) or a run has not finished, and 2 if nothing was packed.
    """
    to = to or Path("feedback" if system is Destination.web else f"feedback_{system.value}.zip")
    with options.opened() as book, as_usage_error(to, "written"):
        if system is Destination.moodle:
            number, unmatched = pages.for_moodle(book, to, roster, column_names(column))
        elif system is Destination.canvas:
            number, unmatched = pages.for_canvas(book, to)
        else:
            number, unmatched = pages.for_publishing(book, to)
        unread = standing_in(book).unread
        console.print(f"Pages of {number} learners are in {to}. {NEXT[system].format(to=to)}")
        warn(*unmatched, *unread)
        if unmatched or unread:
            raise typer.Exit(1)


NEXT = {
    Destination.moodle: "In Moodle's assignment: Upload multiple feedback files in a zip.",
    Destination.canvas: "In Canvas's assignment: Re-Upload Submissions, after Download Submissions (pages become comments).",
    Destination.web: "Publish the folder; {to}.csv says whose page is whose, and is for you alone.",
}
