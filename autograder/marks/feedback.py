"""`feedback`: each learner's page on its way back, for Moodle, for Canvas, or to be published under secret names."""

import re
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from autograder.marks.exports.moodle import columns, participants
from autograder.marks.exports.people import match
from autograder.marks.exports.roster import read_roster
from autograder.marks.gradebook import Gradebook
from autograder.marks.report import page_of
from autograder.marks.standing import Learner, Standing, standing_in
from autograder.marks.tables import csv_text
from autograder.model.errors import UsageError
from autograder.model.results import DOWNLOADED, identity, learner_of

# In a download of Canvas, a file's name below its learner begins with the attachment's number.
ATTACHMENT = re.compile(r"(?:LATE_)?(\d+)_[^/]*")
# What a name in a folder of Moodle's may not hold: underscores, and what leads elsewhere.
NOT_IN_FOLDERS = re.compile(r"[_/\\\x00-\x1f]+")
# How many pages were written, and why some learners have none, as sentences.
Returned = tuple[int, list[str]]
CLOSED = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Nothing here</title>'
    "<p>Each page has an address of its own.</p></html>\n"
)


def for_moodle(
    book: Gradebook, archive: Path, worksheet: Path | None, column_names: Mapping[str, str]
) -> Returned:
    """Write the archive for *Upload multiple feedback files in a zip*: one page in each participant's folder.

    worksheet: Moodle's offline grading worksheet, for learners whose names tell no participant's number.
    column_names: its columns that are not recognised.
    """
    standing = standing_in(book)
    numbers = _downloaded(standing.learners, "Moodle")
    if worksheet is not None:
        roster = read_roster(worksheet)
        people = participants(roster, columns(roster, column_names)[0])
        for person, who in zip(people, match(people, standing.learners)[0], strict=True):
            if who is not None and person.download:
                numbers[who.name] = (person.label, person.download.split()[1])
    paths = {
        # Moodle splits the name at its underscores (`mod/assign/feedback/file/importziplib.php`).
        who: f"{NOT_IN_FOLDERS.sub(' ', name)}_{number}_assignsubmission_file_/feedback.html"
        for who, (name, number) in numbers.items()
    }
    return _packed(standing, paths, archive, "Moodle, which --roster WORKSHEET tells")


def for_canvas(book: Gradebook, archive: Path) -> Returned:
    """Write the archive for *Re-Upload Submissions*: one page for each learner, named like the file that it answers.

    Canvas knows a file by the numbers of its learner and of an attachment that the learner has handed in.
    """
    standing = standing_in(book)
    numbers = _downloaded(standing.learners, "Canvas")
    attachments: dict[str, str] = {}
    for file in book.files():
        below = file.partition("/")[2]
        if name_match := ATTACHMENT.match(below):
            attachments.setdefault(identity(learner_of(file)), name_match[1])
    paths = {}
    for who in standing.learners:
        name, number = numbers.get(who.name, (who.name, ""))
        attachment = attachments.get(identity(who.name))
        if attachment and (number or name.startswith("anon_")):
            paths[who.name] = "_".join(filter(None, (name, number, attachment, "feedback.html")))
    return _packed(standing, paths, archive, "Canvas: grade the folder as Canvas packs it")


def for_publishing(book: Gradebook, folder: Path) -> Returned:
    """Write a folder of pages under names that nobody can guess, and beside it a list of them, as CSV.

    Its index.html leads nowhere, so that a server that lists folders shows nothing.
    """
    standing, folder = standing_in(book), folder.resolve()
    index = folder.with_name(f"{folder.name}.csv")
    names = {who.page for who in standing.learners} | {"index.html"}
    folder.mkdir(parents=True, exist_ok=True)
    strange = sorted(path.name for path in folder.iterdir() if path.name not in names)
    if strange:
        raise UsageError(
            f"{folder} holds {strange[0]}, which would be published too: name a new folder, or take it away."
        )
    for who in standing.learners:
        (folder / who.page).write_text(page_of(who, standing), encoding="utf-8")
    (folder / "index.html").write_text(CLOSED, encoding="utf-8")
    rows = [["learner", "page"], *[[who.name, who.page] for who in standing.learners]]
    index.write_text(csv_text(rows), encoding="utf-8", newline="")
    return len(standing.learners), []


def _downloaded(everyone: Iterable[Learner], system: str) -> dict[str, tuple[str, str]]:
    """Return the name and the number that a system's download gives each learner, by the name in the gradebook."""
    return {
        who.name: (download["name"], download["number"])
        for who in everyone
        if (download := DOWNLOADED.fullmatch(who.name)) and download["system"] == system
    }


def _packed(standing: Standing, paths: Mapping[str, str], archive: Path, missing: str) -> Returned:
    if not paths:
        raise UsageError(f"No learner in the gradebook has a number of {missing}.")
    temporary = archive.with_name(f"{archive.name}.tmp")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as packed:
        for who in standing.learners:
            if who.name in paths:
                packed.writestr(paths[who.name], page_of(who, standing))
    temporary.replace(archive)
    without = [who.name for who in standing.learners if who.name not in paths]
    return len(paths), [f"{name}: it has no number of {missing}" for name in without]
