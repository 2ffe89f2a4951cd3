"""Finds what was handed in: files, folders and archives. Nothing is unpacked."""

import io
import os
import struct
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from autograder.model.errors import Unreadable
from autograder.model.results import identity, learner_of
from autograder.read.course_files import course_files, course_sizes
from autograder.read.learners import Layout, Names, is_class, recognised
from autograder.read.submission import MEGABYTES, SUFFIXES, bytes_of

MAX_MEMBERS = 200
MAX_RATIO = 200
SYSTEM_FOLDERS = ("__pycache__", ".ipynb_checkpoints", ".git", "__MACOSX")
# What `zipfile` raises for archives that are damaged, encrypted or forged.
DAMAGED = (
    zipfile.BadZipFile, zlib.error, struct.error, RuntimeError, NotImplementedError, EOFError, LookupError,
    ValueError, MemoryError,
)  # fmt: skip
# `zipfile` unpacks these a piece at a time; the others in one step, whatever their size.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What a learner is told was left out, and how many names of it.
LEFT_OUT, MAX_SHOWN = "files of the course", 3
# Files that a learner may take for a notebook, and what is said of them.
UNREAD = (".ipynb.txt", ".ipynb.json", ".pdf", ".docx", ".rar", ".7z", ".tar.gz", ".tgz")
NOT_READ = "files that were not read"
TOO_MANY = f"holds more than {MAX_MEMBERS} members."
A_CLASS = "holds the submissions of a whole class: unpack it, and name the folder."
# Of the list of members: far more than 200 long names take.
MAX_LIST = 1 << 20


@dataclass(frozen=True)
class Source:
    """Where a submission's bytes come from: a file, or a member of a zip archive."""

    name: str
    path: Path
    member: str | None = None

    def read(self, megabytes: float = MEGABYTES) -> bytes:
        """The bytes, up to just above the size that is refused.

        Raises Unreadable, with a sentence, if they are gone or cannot be read.
        """
        most = bytes_of(megabytes) + 1
        try:
            if self.member is None:
                with self.path.open("rb") as file:
                    return file.read(most)
            with zipfile.ZipFile(self.path) as archive, archive.open(self.member) as file:
                return file.read(most)
        except OSError as error:
            raise Unreadable(f"cannot be read: {(error.strerror or 'unknown reason').lower()}.") from error
        except DAMAGED as error:
            raise Unreadable("cannot be read from its archive: it is damaged or encrypted.") from error


def find(path: Path, layout: Layout | None = None) -> tuple[list[Source], dict[str, str]]:
    """The submissions at a path, and why some files are refused or left out, by name.

    path: a notebook, a Python file, a zip archive, or a folder of these at any depth. layout: how learners are
    told apart; recognised if not given. The name of a source begins with its learner.
    """
    names = Names(path, layout or recognised(path))
    files, others = [path], []
    if path.is_dir():
        there = sorted(p for p in _everything_below(path) if not is_system_file(p.relative_to(path).parts))
        files = [p for p in there if p.suffix.lower() in (*SUFFIXES, ".zip")]
        others = [p.relative_to(path).as_posix() for p in there if p.name.lower().endswith(UNREAD)]
    found: list[Source] = []
    refused = _folders_without_submission(path, files, names)
    left_out: dict[str, list[str]] = defaultdict(list)
    unread: dict[str, list[str]] = defaultdict(list)
    for name in (name for below in others if _is_utf8(below) for name in names.of(below)):
        unread[_learners_folder(name)].append(name)
    for file in files:
        below = file.relative_to(path).as_posix() if file != path else file.name
        if not _is_utf8(below):
            name = _as_utf8(below)
            refused[name] = f"{name} has a name that is not UTF-8: rename it."
            continue
        for name in names.of(below) if file != path else [below]:
            if file.is_symlink() and file != path:
                refused[name] = f"{name} is a link; hand in the file itself."
            elif file.suffix.lower() == ".zip":
                try:
                    members, given, not_read = _members(file)
                except Unreadable as problem:
                    refused[name] = f"{name} {problem}"
                    continue
                inside = name[: -len(".zip")]
                found += [Source(f"{inside}/{place}", file, m) for place, m in members.items()]
                left_out[_learners_folder(inside + "/")] += given
                unread[_learners_folder(inside + "/")] += [f"{inside}/{m}" for m in not_read]
            elif _is_course_file(file) and file != path:
                left_out[_learners_folder(name)].append(name)
            else:
                found.append(Source(name, file))
    refused |= {f"{who}{LEFT_OUT}": _said_of(given) for who, given in left_out.items() if given}
    # Without a folder of their own they are nobody's; where nothing else was handed in, the folder is refused.
    readers = {_learners_folder(source.name) for source in found} - {""}
    refused |= {
        f"{who}{NOT_READ}": _said_of_unread(these)
        for who, these in unread.items()
        if these and who in readers
    }
    times = Counter(source.name for source in found)
    for source in found:
        if times[source.name] > 1 and source.member is not None:
            archive = source.path.name
            refused[f"{source.name} in {archive}"] = (
                f"{source.name} is handed in twice, once inside {archive}: hand in one of them."
            )
    return [s for s in found if times[s.name] == 1 or s.member is None], refused


def in_turns(sources: Iterable[Source]) -> list[Source]:
    """The same sources, each learner's first before anybody's second: hundreds of one learner hold up nobody else."""
    times: Counter[str] = Counter()
    turns: list[tuple[int, Source]] = []
    for source in sources:
        who = identity(learner_of(source.name))
        turns.append((times[who], source))
        times[who] += 1
    return [source for _, source in sorted(turns, key=lambda turn: turn[0])]


def is_archive_of_a_class(path: Path) -> bool:
    """Whether a path is, or holds nothing but, an archive with the submissions of a whole class."""
    below = (p for p in _everything_below(path) if not is_system_file(p.relative_to(path).parts))
    files = list(islice(below, 2)) if path.is_dir() else [path]
    if len(files) != 1 or files[0].suffix.lower() != ".zip":
        return False
    try:
        _members(files[0])
    except Unreadable as problem:
        return str(problem) == A_CLASS
    return False


def _learners_folder(name: str) -> str:
    """The learner's folder that a name begins with; empty for a file beside the folders."""
    first, slash, _ = name.partition("/")
    return first + slash


def _said_of_unread(these: list[str]) -> str:
    """That files are no notebooks, as a sentence with some of their names."""
    shown = ", ".join(these[:MAX_SHOWN]) + (" and others" if len(these) > MAX_SHOWN else "")
    many = "1 file was" if len(these) == 1 else f"{len(these)} files were"
    return f"{many} not read: {shown}. Hand in the notebook itself, whose name ends in .ipynb, or a Python file (.py)."


def _said_of(given: list[str]) -> str:
    """That files of the course do not count, as a sentence with some of their names."""
    shown = ", ".join(given[:MAX_SHOWN]) + (" and others" if len(given) > MAX_SHOWN else "")
    many = "1 file of the course does" if len(given) == 1 else f"{len(given)} files of the course do"
    return f"{many} not count as answers: {shown}."


def _is_course_file(path: Path) -> bool:
    """Whether a file is one of the course's, to the letter; an empty `__init__.py` is nobody's answer."""
    try:
        size = path.stat().st_size
        if size in course_sizes():
            return (size, zlib.crc32(path.read_bytes())) in course_files()
    except OSError:
        return False
    return size == 0 and path.name == "__init__.py"


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _as_utf8(name: str) -> str:
    return name.encode("utf-8", "replace").decode("utf-8")


def _everything_below(folder: Path) -> Iterator[Path]:
    """All files below a folder, however deep: `rglob` calls itself for each level. Links are not followed."""
    waiting = [folder]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                elif entry.is_file():
                    yield Path(entry.path)


def is_system_file(parts: tuple[str, ...]) -> bool:
    """Whether a path is one that operating systems and editors make, and no submission."""
    return any(part in SYSTEM_FOLDERS for part in parts) or parts[-1].startswith("._")


def _folders_without_submission(path: Path, files: list[Path], names: Names) -> dict[str, str]:
    """Where each learner has a folder: those that hold nothing to grade, and a sentence for each."""
    places = [file.relative_to(path).parts for file in files if file != path]
    full = {parts[0] for parts in places if len(parts) > 1}
    if not full or names.is_one_repository:
        return {}
    folders = sorted(p for p in path.iterdir() if p.is_dir() and not p.name.startswith(("_", ".")))
    empty = [(who, p) for p in folders if p.name not in full for who in names.of(f"{_as_utf8(p.name)}/")]
    return {who: _why_nothing(p) for who, p in empty}


def _why_nothing(folder: Path) -> str:
    """Why a learner's folder gives no submission, as a sentence."""
    name = _as_utf8(folder.name)
    try:
        next(folder.iterdir(), None)
    except OSError as error:
        return f"{name}/ cannot be read: {(error.strerror or 'unknown reason').lower()}."
    return f"{name}/ holds no notebook, no Python file and no zip archive."


class _ShortReads(io.FileIO):
    """A file of which no more is read at once than a list of members may take: `zipfile` reads that in one piece.

    What an archive says of the length of its list stands in several places, and may differ.
    """

    def read(self, size: int | None = -1, /) -> bytes:
        """Raises Unreadable for more."""
        rest = os.fstat(self.fileno()).st_size - self.tell()
        if (rest if size is None or size < 0 else size) > MAX_LIST:
            raise Unreadable(TOO_MANY)
        return super().read(size)


def _members(path: Path) -> tuple[dict[str, str], list[str], list[str]]:
    """What is in an archive, which is read in place and never unpacked.

    Its submissions, each place with the member's name; the names of the course's files; and those that a learner may
    take for notebooks.
    """
    try:
        with _ShortReads(path) as file, zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
    except (OSError, *DAMAGED) as error:
        raise Unreadable("is not a readable zip archive.") from error
    # Some programs of Windows write folders with a backslash, against the format.
    of_windows = not any("/" in entry.filename for entry in entries)
    placed = [(e.filename.replace("\\", "/") if of_windows else e.filename, e) for e in entries]
    if is_class(place for place, _ in placed):
        raise Unreadable(A_CLASS)
    given = [place for place, e in placed if (e.file_size, e.CRC) in course_files()]
    placed = [(place, e) for place, e in placed if place not in given and not _is_system_place(place)]
    if len(placed) > MAX_MEMBERS:
        raise Unreadable(TOO_MANY)
    for place, entry in placed:
        _refuse_unsafe(place, entry)
    found = [(place, entry.filename) for place, entry in placed if place.lower().endswith(SUFFIXES)]
    if len(dict(found)) != len(found):
        raise Unreadable("holds two members of the same name.")
    if not found and not given:
        raise Unreadable("holds no notebook and no Python file.")
    not_read = [place for place, _ in placed if place.lower().endswith((*UNREAD, ".zip"))]
    return dict(sorted(found)), sorted(given), sorted(not_read)


def _is_system_place(place: str) -> bool:
    parts = PurePosixPath(place).parts
    return bool(parts) and is_system_file(parts)


def _refuse_unsafe(name: str, entry: zipfile.ZipInfo) -> None:
    """Raises Unreadable for a member that leads out of the archive, is a link, or unpacks to too much."""
    place = PurePosixPath(name)
    if place.is_absolute() or ".." in place.parts:
        raise Unreadable("holds a member whose name leads out of the archive.")
    if "\\" in name:
        raise Unreadable("has names with slashes and with backslashes: make it again as a plain zip archive.")
    if (entry.external_attr >> 16) & 0o170000 == 0o120000:
        raise Unreadable("holds a link.")
    if entry.compress_type not in METHODS:
        raise Unreadable("is packed by an unusual method: make it again as a plain zip archive.")
    if entry.file_size > MAX_RATIO * max(entry.compress_size, 1024):
        raise Unreadable("holds a member that unpacks to far more than its size.")
