"""Finds what was handed in: files, folders and archives. Nothing is unpacked."""

import errno
import os
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

from autograder.model.assignment import MEGABYTES
from autograder.model.errors import Unreadable
from autograder.model.grouping import group_by
from autograder.model.learner_files import open_without_links
from autograder.model.results import identity, learner_of
from autograder.model.text import few
from autograder.read.archives import A_CLASS, DAMAGED, UNREAD, contents, ending_of, is_system_file, member_of
from autograder.read.course_files import course_files
from autograder.read.encodings import HEAD, OTHER, SUFFIXES, is_submission
from autograder.read.learners import ARCHIVES, Layout, Names, recognised
from autograder.read.submission import bytes_of

# What a learner is told was left out, and how many names of it.
LEFT_OUT, MAX_SHOWN = "files of the course", 3
NOT_READ = "files that were not read"
# What a learner of Moodle writes beside the files: a comment as a rule.
COMMENT = "onlinetext.html"
IS_LINK = "is a link; hand in the file itself."


@dataclass(frozen=True)
class SubmittedFile:
    """Where a submission's bytes come from: a file, or a member of an archive, or of one within that."""

    name: str
    path: Path
    member: str | None = None
    within: str | None = None

    def read(self, megabytes: float = MEGABYTES) -> bytes:
        """Read the bytes, up to just above the size that is refused.

        Raises Unreadable, with a sentence, if they are gone or cannot be read.
        """
        most = bytes_of(megabytes) + 1
        try:
            with open(self.path, "rb", opener=open_without_links) as file:
                if self.member is None:
                    return file.read(most)
                return member_of(file, self.path.name, self.within, self.member, most)
        except OSError as error:
            is_link = error.errno in (errno.ELOOP, errno.ENOTDIR)
            why = "it is a link, or below one" if is_link else _reason(error)
            raise Unreadable(f"cannot be read: {why}.") from error
        except DAMAGED as error:
            raise Unreadable("cannot be read from its archive: it is damaged or encrypted.") from error


@dataclass(frozen=True)
class _UnreadablePath:
    """A folder that the system does not list, or an entry of one of which it does not say what it is. why: the end of a sentence."""

    path: Path
    why: str
    is_folder: bool = False


def find(path: Path, layout: Layout | None = None) -> tuple[list[SubmittedFile], dict[str, str]]:
    """Return the submissions at a path, and why some files are refused or left out, by name.

    path: a notebook, a Python file, an archive, or a folder of these at any depth. layout: how learners are
    told apart; recognised if not given. The name of a source begins with its learner.
    """
    names = Names(path, layout or recognised(path))
    files, other_paths = [path], []
    unreadable: list[_UnreadablePath] = []
    if path.is_dir():
        path = path.resolve()  # no link is followed, and the folder itself may be one
        below = _everything_below(path, unreadable)
        everything = sorted(p for p in below if not is_system_file(p.relative_to(path)))
        files = [p for p in everything if p.name.lower().endswith(ARCHIVES) or _is_submission(p)]
        other_paths = [p.relative_to(path).as_posix() for p in sorted({*everything} - {*files})]
    collector = _Collector(path, names, [below for below in other_paths if below == _as_utf8(below)])
    for refused_path in unreadable:
        collector.refuse_unreadable(refused_path)
    unreadable_learners = {_learners_folder(name) for name in collector.refused}
    collector.refused |= _folders_without_submission(path, files, names, unreadable_learners)
    for file in files:
        collector.take(file)
    collector.say_what_was_left_out()
    return collector.without_second_copies(), collector.refused


class _Collector:
    """What lies at a path: submissions, and why other files are none, by name.

    other_paths: those of files of other kinds. course_files and unread: files of the course, and files that may have been
    taken for notebooks, by their learner's folder.
    """

    def __init__(self, path: Path, names: Names, other_paths: Sequence[str]) -> None:
        self.path, self.names, self.root = path, names, path.resolve()
        self.submissions: list[SubmittedFile] = []
        self.refused: dict[str, str] = {}
        self.renamed = [(below, name) for below in other_paths for name in names.of(below)]
        unread = (name for _, name in self.renamed if name.lower().endswith(UNREAD))
        self.unread = group_by((name for name in unread if not name.endswith(COMMENT)), _learners_folder)
        self.course_files: defaultdict[str, list[str]] = defaultdict(list)

    def take(self, file: Path) -> None:
        """Take one file, under each of the names that the layout gives it."""
        below = file.relative_to(self.path).as_posix() if file != self.path else file.name
        if (name := _as_utf8(below)) != below:
            self.refused[name] = f"{name} has a name that is not UTF-8: rename it."
            return
        for name in self.names.of(below) if file != self.path else [below]:
            try:
                self._take(file, name)
            except OSError as error:  # in a folder that may be listed, and not entered
                self.refused[name] = f"{name} cannot be read: {_reason(error)}."

    def refuse_unreadable(self, unreadable: _UnreadablePath) -> None:
        """Refuse a folder that cannot be listed, or an entry of which the system does not say what it is."""
        path, is_folder = unreadable.path, unreadable.is_folder
        if is_system_file(path.relative_to(self.path)):
            return
        below = path.relative_to(self.path if path != self.path else path.parent).as_posix()
        below = _as_utf8(below) + "/" * is_folder
        # Where each file is a learner, a folder is nobody's.
        is_plain = path == self.path or (is_folder and self.names.layout is Layout.file)
        for name in [below] if is_plain else self.names.of(below):
            self.refused[name] = f"{name} {unreadable.why}"

    def _take(self, file: Path, name: str) -> None:
        path = self.root / file.relative_to(self.path)
        if file.is_symlink() and file != self.path:
            self.refused[name] = f"{name} {IS_LINK}"
        elif file.exists() and not file.is_file():
            self.refused[name] = f"{name} is not a plain file: hand in a notebook or a Python file."
        elif ending := ending_of(name):
            self._take_archive(path, name, name[: -len(ending)])
        elif _is_course_file(path) and file != self.path:
            self.course_files[_learners_folder(name)].append(name)
        else:
            self.submissions.append(SubmittedFile(name, path))

    def _take_archive(self, path: Path, name: str, inside: str) -> None:
        try:
            inner = contents(path)
        except Unreadable as problem:
            self.refused[name] = f"{name} {problem}"
            return
        self.submissions += [
            SubmittedFile(f"{inside}/{m.path}", path, m.name, m.within) for m in inner.submissions
        ]
        self.course_files[_learners_folder(inside + "/")] += inner.course_paths
        self.unread[_learners_folder(inside + "/")] += [f"{inside}/{m}" for m in inner.not_read]

    def say_what_was_left_out(self) -> None:
        """Refuse, with a sentence for each learner, files of the course and files that are no notebooks.

        Where nothing else was handed in, the learner's folder is refused; in a download whose files all lie in one
        folder, the learner is told. Others are nobody's.
        """
        course_files = [(who, names) for who, names in self.course_files.items() if names]
        self.refused |= {f"{who}{LEFT_OUT}": _on_course_files(names) for who, names in course_files}
        readers = {_learners_folder(file.name) for file in self.submissions}
        unread = {f"{who}{NOT_READ}": these for who, these in self.unread.items() if these and who in readers}
        if self.names.layout in (Layout.canvas, Layout.moodle):
            # A name that stays as it is, is no learner's in a download.
            all_of_it = group_by((n for below, n in self.renamed if n != below), _learners_folder)
            # Under the file's own name, in which Canvas's number is: their page goes back by it.
            answered = readers | self.refused.keys()
            unread |= {these[0]: these for who, these in all_of_it.items() if who not in answered}
        self.refused |= {name: _on_unread(these, name) for name, these in unread.items()}

    def without_second_copies(self) -> list[SubmittedFile]:
        """Return the submissions; a member of an archive is refused where there is another of its name."""
        times = Counter(file.name for file in self.submissions)
        for file in self.submissions:
            if times[file.name] > 1 and file.member is not None:
                archive = file.path.name
                words = f"{file.name} is handed in twice, once inside {archive}: hand in one of them."
                self.refused[f"{file.name} in {archive}"] = words
        return [s for s in self.submissions if times[s.name] == 1 or s.member is None]


def in_turns(files: Iterable[SubmittedFile]) -> list[SubmittedFile]:
    """Return the same files, each learner's first before anybody's second: hundreds of one learner hold up nobody else."""
    turns: defaultdict[str, Iterator[int]] = defaultdict(count)
    return sorted(files, key=lambda file: next(turns[identity(learner_of(file.name))]))


def is_archive_of_a_class(path: Path) -> bool:
    """Return whether a path is, or holds nothing but, an archive with the submissions of a whole class."""
    path = path.resolve()
    below = (p for p in _everything_below(path) if not is_system_file(p.relative_to(path)))
    files = list(islice(below, 2)) if path.is_dir() else [path]
    if len(files) != 1 or not ending_of(files[0].name):
        return False
    try:
        contents(files[0])
    except Unreadable as problem:
        return str(problem) == A_CLASS
    return False


def _learners_folder(name: str) -> str:
    """Return the learner's folder that a name begins with; for a file beside the folders, what it would be called."""
    return f"{learner_of(name)}/"


def _on_unread(these: list[str], name: str = "") -> str:
    """Say that files are no notebooks, in a sentence with some of their names; with this name first, if it is one of them."""
    rest = few([other for other in these if other != name], MAX_SHOWN)
    if name in these:
        sentence = f"{name} was not read." + (f" Also not read: {rest}." if rest else "")
    else:
        sentence = f"{'1 file was' if len(these) == 1 else f'{len(these)} files were'} not read: {rest}."
    return f"{sentence} Hand in the notebook itself, whose name ends in .ipynb, or a Python file (.py)."


def _on_course_files(names: list[str]) -> str:
    """Say that files of the course do not count, in a sentence with some of their names."""
    many = "1 file of the course does" if len(names) == 1 else f"{len(names)} files of the course do"
    return f"{many} not count as answers: {few(names, MAX_SHOWN)}."


def _is_submission(path: Path) -> bool:
    """Return whether a file is a notebook or Python; under another ending, where it begins as a notebook does."""
    if not path.name.lower().endswith(OTHER):
        return path.name.lower().endswith(SUFFIXES)
    with suppress(OSError), open(path, "rb", opener=open_without_links) as file:
        return is_submission(path.name, file.read(HEAD))
    return False


def _is_course_file(path: Path) -> bool:
    """Return whether a file is one of the course's, to the letter; an empty `__init__.py` is nobody's answer."""
    try:
        with open(path, "rb", opener=open_without_links) as file:
            size = os.fstat(file.fileno()).st_size
            if any(size == course_size for course_size, _ in course_files()):
                return (size, zlib.crc32(file.read(size))) in course_files()
    except OSError:
        return False
    return size == 0 and path.name == "__init__.py"


def _as_utf8(name: str) -> str:
    """Return the name, with a question mark for each byte that is not UTF-8."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _everything_below(folder: Path, unreadable: list[_UnreadablePath] | None = None) -> Iterator[Path]:
    """Yield all files below a folder, however deep: `rglob` calls itself for each level. Links are not followed.

    What is not a plain file is among them where its name is that of a submission. unreadable: gets the folders and
    the entries that the system refuses; they cost nothing beside them.
    """
    unreadable = [] if unreadable is None else unreadable
    waiting = [folder]
    while waiting:
        for entry in _entries_in(waiting.pop(), unreadable):
            path = Path(entry.path)
            try:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                elif entry.name.lower().endswith((*SUFFIXES, *ARCHIVES)) or entry.is_file():
                    yield path
            except OSError as error:  # a link that leads to itself, say
                unreadable.append(_UnreadablePath(path, _why_unreadable(entry, error)))


def _entries_in(folder: Path, unreadable: list[_UnreadablePath]) -> list[os.DirEntry[str]]:
    """Return the entries of a folder, as many as the system gives before it refuses."""
    entries: list[os.DirEntry[str]] = []
    try:
        with os.scandir(folder) as scanned:
            entries.extend(scanned)
    except OSError as error:
        unreadable.append(_UnreadablePath(folder, f"cannot be read: {_reason(error)}.", is_folder=True))
    return entries


def _why_unreadable(entry: os.DirEntry[str], error: OSError) -> str:
    """Return the end of a sentence on an entry of which the system does not say what it is."""
    with suppress(OSError):  # not every file system tells a link when it lists a folder
        if entry.is_symlink():
            return IS_LINK
    return f"cannot be read: {_reason(error)}."


def _reason(error: OSError) -> str:
    return (error.strerror or "unknown reason").lower()


def _folders_without_submission(
    path: Path, files: list[Path], names: Names, unreadable_learners: Set[str]
) -> dict[str, str]:
    """Return folders that hold nothing to grade, where each learner has one, and a sentence for each.

    unreadable_learners: learners' folders of which a part cannot be read, and is named.
    """
    parts_of_paths = [file.relative_to(path).parts for file in files if file != path]
    full = {parts[0] for parts in parts_of_paths if len(parts) > 1}
    if not full or names.is_one_repository:
        return {}
    folders = sorted(p for p in path.iterdir() if p.is_dir() and not p.name.startswith(("_", ".")))
    readers = unreadable_learners | {who for name in full for who in names.of(f"{_as_utf8(name)}/")}
    # In a download of Moodle a learner has a folder for files, and one for a text.
    empty: defaultdict[str, list[Path]] = defaultdict(list)
    for folder, who in ((p, who) for p in folders for who in names.of(f"{_as_utf8(p.name)}/")):
        if who not in readers:
            empty[who].append(folder)
    return {who: _why_nothing(their_folders, who.rstrip("/")) for who, their_folders in empty.items()}


def _why_nothing(folders: list[Path], name: str) -> str:
    """Say why a learner's folders give no submission, in a sentence. name: the learner's."""
    paths: list[Path] = []
    for folder in folders:
        try:
            next(folder.iterdir(), None)
        except OSError as error:
            return f"{name}/ cannot be read: {_reason(error)}."
        paths += sorted(p.relative_to(folder) for p in _everything_below(folder))
    names = [f"{name}/{_as_utf8(p.as_posix())}" for p in paths if not is_system_file(p)]
    sentence = f"{name}/ holds no notebook, no Python file and no zip archive."
    return f"{sentence} {_on_unread(names)}" if names else sentence
