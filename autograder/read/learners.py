"""Whose a submission is: a class as folders, as files, or as Canvas, Moodle, GitHub or Gradescope hand it out.

`Names` gives each file a name that begins with its learner: `LEARNER/FILE`.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from enum import StrEnum
from functools import cached_property
from pathlib import Path, PurePosixPath

# `lib/content_zipper.rb` of Canvas, `add_submission`: NAME_[LATE_]USER_ATTACHMENT_FILE, all in one folder;
# where the assignment is anonymous, [LATE_]anon_ID_ATTACHMENT_FILE.
CANVAS = re.compile(r"(?P<name>[^/]+?)_(?P<late>LATE_)?(?P<number>\d+)_(?P<file>\d+_[^/]+)")
CANVAS_ANONYMOUS = re.compile(r"(?P<late>LATE_)?(?P<name>anon_[^_/]+)_(?P<file>\d+_[^/]+)")
# `mod/assign/locallib.php` of Moodle, `download_submissions`: NAME_NUMBER_assignsubmission_file_ is a folder,
# or what a file's name begins with; newer versions leave out the last underscore of a folder.
MOODLE = re.compile(r"(?P<name>[^/]+)_(?P<number>\d+)_assignsubmission_[a-z]+(?:_(?P<file>[^/]*))?")
# Of a file's name the learner chooses the end, and may write another's number there: what stands first is Moodle's.
MOODLE_FILE = re.compile(r"(?P<name>[^/]+?)_(?P<number>\d+)_assignsubmission_[a-z]+(?:_(?P<file>[^/]*))?")
# Gradescope's *Export Submissions*: submission_NUMBER/ for each, and who handed it in, in a file beside them.
METADATA = "submission_metadata.yml"
SUBMISSION = re.compile(r"^(submission_\d+):[ \t]*$", re.MULTILINE)
# What a program has printed stands in this file too, and is indented further than the first of these.
SUBMITTERS = re.compile(r"^  :submitters:[ \t]*\n((?:(?:  - |    ).*\n?)*)", re.MULTILINE)
PERSON = re.compile(r"^  - ", re.MULTILINE)
FIELD = re.compile(r"^(?:    )?:(name|sid|email):[ \t]*['\"]?(.*?)['\"]?[ \t]*$", re.MULTILINE)
MAX_METADATA = 4 << 20
ARCHIVES = (".zip", ".tar.gz", ".tgz")
# By these a copy of the course is known, in which a learner has worked.
COURSE_FILE, COURSE_FOLDERS = "_toc.yml", {"chapters", "solutions"}


class Layout(StrEnum):
    """What a learner is among the files that are graded."""

    folder = "folder"
    file = "file"
    canvas = "canvas"
    moodle = "moodle"
    github = "github"
    gradescope = "gradescope"


DESCRIPTIONS = {
    Layout.folder: "Each folder is a learner, and each file beside them.",
    Layout.file: "Each file is a learner.",
    Layout.canvas: "This is a download of Canvas: the name and number in each file's name are the learner.",
    Layout.moodle: "This is a download of Moodle: the name and number in front of `assignsubmission` are the learner.",
    Layout.github: "Each repository is a learner.",
    Layout.gradescope: "This is an export of Gradescope: its metadata say who handed in what.",
}


def recognised(path: Path) -> Layout:
    """Return how the learners of a folder are told apart, by what lies in it."""
    folders, files = _entries(path)
    if METADATA in files:
        return Layout.gradescope
    if _most_are(MOODLE, [*folders, *files]):
        return Layout.moodle
    work = [name for name in files if name.lower().endswith((".ipynb", ".py", *ARCHIVES))]
    if _most_are(CANVAS, work) or _most_are(CANVAS_ANONYMOUS, work):
        return Layout.canvas
    # A teacher may keep a class below version control too, with a folder for each learner.
    is_course = COURSE_FILE in files or set(folders) >= COURSE_FOLDERS
    if is_course or (".git" in folders and work) or any(_is_repository(path / name) for name in folders):
        return Layout.github
    return Layout.folder


def _entries(path: Path) -> tuple[list[str], list[str]]:
    """Return the names of the folders and of the files in a folder."""
    with suppress(OSError), os.scandir(path) as entries:
        kinds = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        return [n for n, folder in kinds if folder], [n for n, folder in kinds if not folder]
    return [], []


def _is_repository(folder: Path) -> bool:
    """Return whether a folder is a repository; one that may not be looked into is none."""
    try:
        return (folder / ".git").exists()
    except OSError:
        return False


def _most_are(pattern: re.Pattern[str], names: Iterable[str]) -> bool:
    matches = Counter(bool(pattern.fullmatch(name)) for name in names if not name.startswith("."))
    return matches[True] > matches[False]


def is_whole_class(members: Iterable[str]) -> bool:
    """Return whether an archive's members are the submissions of several learners, as these systems pack them."""
    members = list(members)
    if any(PurePosixPath(name).name == METADATA for name in members):
        return True
    moodle = {m[0] for name in members for part in name.split("/") if (m := MOODLE.fullmatch(part))}
    canvas = [m for name in members if (m := CANVAS.fullmatch(name) or CANVAS_ANONYMOUS.fullmatch(name))]
    several = len({(m["name"], m["file"]) for m in canvas}) > 1
    return bool(moodle) or (several and 2 * len(canvas) > len(members))


class Names:
    """Names of the files below a path, each beginning with its learner."""

    def __init__(self, path: Path, layout: Layout) -> None:
        self.path, self.layout = path, layout
        self.submitters = _submitters(path / METADATA) if layout is Layout.gradescope else {}

    def of(self, name: str) -> list[str]:
        """Return the names of a file, given its path below the folder: one for each learner whose it is."""
        first, slash, rest = name.partition("/")
        if self.layout is Layout.canvas:
            if match := CANVAS.fullmatch(name):
                return [f"{match['name']} (Canvas {match['number']})/{match['late'] or ''}{match['file']}"]
            if match := CANVAS_ANONYMOUS.fullmatch(name):
                return [f"{match['name']}/{match['late'] or ''}{match['file']}"]
        pattern = MOODLE if slash else MOODLE_FILE
        if self.layout is Layout.moodle and (match := pattern.fullmatch(first)):
            inside = "/".join(part for part in (match["file"], rest) if part)
            return [f"{match['name']} (Moodle {match['number']})/{inside}"]
        if self.layout is Layout.gradescope and slash:
            return [f"{who}/{rest}" for who in self.submitters.get(first, [first])]
        if self.layout is Layout.file and slash:
            return [f"{name.rpartition('.')[0].replace('/', ' ')}/{name.rpartition('/')[2]}"]
        if self.is_one_repository:
            return [f"{self.path.resolve().name}/{name}"]
        return [name]

    @cached_property
    def is_one_repository(self) -> bool:
        """Return whether the folder is one learner's, and not a folder of repositories."""
        folders, _ = _entries(self.path)
        inner = any(_is_repository(self.path / name) for name in folders)
        return self.layout is Layout.github and self.path.is_dir() and not inner


def _submitters(path: Path) -> dict[str, list[str]]:
    """Return who handed in each submission of an export of Gradescope: by e-mail, else number, else name."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            text = file.read(MAX_METADATA)
    except OSError:
        return {}
    submitters_of: dict[str, list[str]] = {}
    _, *parts = SUBMISSION.split(text)
    for submission, part in zip(parts[::2], parts[1::2], strict=True):
        submitters = SUBMITTERS.search(part)
        for person in PERSON.split(submitters[1])[1:] if submitters else ():
            fields = dict(FIELD.findall(person))
            who = fields.get("email") or fields.get("sid") or fields.get("name") or submission
            submitters_of.setdefault(submission, []).append(who.replace("/", "-"))
    return submitters_of
