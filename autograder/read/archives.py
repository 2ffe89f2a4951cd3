"""What is in an archive, and in the archives in it. Members are read one by one, in memory; nothing is unpacked to disk."""

import io
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePath, PurePosixPath
from typing import BinaryIO

from autograder.model.errors import Unreadable
from autograder.model.learner_files import open_without_links
from autograder.read.course_files import course_files
from autograder.read.encodings import HEAD, OTHER, SUFFIXES, is_submission
from autograder.read.learners import ARCHIVES, is_whole_class

# Of files that are read, or that a learner may take for such: a course zipped with its copies has about 30 of its own.
MAX_MEMBERS = 400
MAX_RATIO = 200
# So many members that may be notebooks under another ending are looked into.
MAX_PEEKED = 40
# Of the list of members: far more than so many long names take.
MAX_LIST = 1 << 20
# What archives in an archive, and tar archives, may unpack to, all together.
MAX_UNPACKED = 32 << 20
SYSTEM_FOLDERS = ("__pycache__", ".ipynb_checkpoints", ".git", "__MACOSX")
# What `zipfile` and `tarfile` raise for archives that are damaged, encrypted or forged.
DAMAGED = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, struct.error, RuntimeError, NotImplementedError, EOFError,
    LookupError, ValueError, MemoryError,
)  # fmt: skip
# `zipfile` unpacks these a piece at a time; the others in one step, whatever their size.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# Files that a learner may take for a notebook.
UNREAD = (
    ".txt", ".ipynb.json", ".pdf", ".html", ".htm", ".doc", ".docx", ".odt", ".rtf", ".rar", ".7z", ".tar", ".xz", ".bz2",
)  # fmt: skip
TOO_MANY = f"holds more than {MAX_MEMBERS} members."
TOO_FAR = "holds a member that unpacks to far more than its size."
TOO_LARGE = f"unpacks to more than {MAX_UNPACKED >> 20} MB: hand in the notebooks themselves."
A_CLASS = "holds the submissions of a whole class: unpack it, and name the folder."


@dataclass(frozen=True)
class Member:
    """A file in an archive. size, packed: its bytes, and those that it takes of the archive that was handed in.

    path: where it lies, with the folder of the inner archive; name: as its archive has it; within: the name of the
    inner archive; wrong: why it is refused.
    """

    path: str
    name: str
    size: int
    crc: int
    packed: float
    wrong: str = ""
    within: str | None = None


@dataclass(frozen=True)
class Contents:
    """What is in an archive: submissions, the course's files, and files that a learner may take for notebooks."""

    submissions: list[Member]
    course_paths: list[str]
    not_read: list[str]


@dataclass
class _Allowance:
    """What an archive and those in it may still hold: members, and bytes that are unpacked to look into them."""

    members: int = MAX_MEMBERS
    size: int = MAX_UNPACKED


class _List(io.BufferedReader):
    """A file of which no more is read than a list of members may take.

    What an archive says of the length of its list, or of a name, stands in several places, and may differ.
    """

    remaining = MAX_LIST

    def read(self, size: int | None = -1, /) -> bytes:
        """Raise Unreadable for more."""
        at = self.tell()
        rest = self.seek(0, os.SEEK_END) - at
        self.seek(at)
        self.remaining -= rest if size is None or size < 0 else size
        if self.remaining < 0:
            raise Unreadable(TOO_MANY)
        return super().read(size)

    def close(self) -> None:
        """Leave the file open: its members are read too."""


def ending_of(name: str) -> str:
    """Return how the name of an archive ends; empty for any other file."""
    return next((name[-len(end) :] for end in ARCHIVES if name.lower().endswith(end)), "")


def is_system_file(path: PurePath) -> bool:
    """Return whether a path is one that operating systems and editors make, and no submission."""
    return any(part in SYSTEM_FOLDERS for part in path.parts) or path.name.startswith("._")


def contents(path: Path) -> Contents:
    """Return what is in an archive. Raises Unreadable, with the rest of a sentence."""
    kind = "zip" if path.suffix.lower() == ".zip" else "tar.gz"
    try:
        with open(path, "rb", opener=open_without_links) as file:
            return _contents(file, path.name, _Allowance(), 1.0, is_inner=False)
    except (OSError, *DAMAGED) as error:
        raise Unreadable(f"is not a readable {kind} archive.") from error


def member_of(file: BinaryIO, archive: str, within: str | None, member: str, most: int) -> bytes:
    """Return the bytes of a member, at most so many. archive: its name; within: the archive in it that holds the member.

    Raises OSError, one of DAMAGED or Unreadable.
    """
    allowance = _Allowance()
    if within is not None:
        outer, _ = _unpacked(file, archive, allowance, 1.0)
        file, archive = io.BytesIO(_bytes_of(outer, archive, within, MAX_UNPACKED)), within
    return _bytes_of(_unpacked(file, archive, allowance, 1.0)[0], archive, member, most)


def _contents(
    file: BinaryIO, archive: str, allowance: _Allowance, share: float, *, is_inner: bool
) -> Contents:
    """Return what is in an archive. share: bytes of the archive that was handed in for each byte of this one."""
    file, share = _unpacked(file, archive, allowance, share)
    course_paths, members = _members(file, archive, allowance, share)
    renamed = _under_other_endings(file, archive, members)
    submissions = [m for m in members if m.path.lower().endswith(SUFFIXES) or m in renamed]
    unread = (*UNREAD, *(ARCHIVES if is_inner else ()))
    not_read = [m.path for m in members if m.path.lower().endswith(unread) and m not in renamed]
    why = "holds no notebook and no Python file."
    for member in [] if is_inner else [m for m in members if ending_of(m.path)]:
        try:
            inside = _inside(file, archive, member, allowance)
        except (Unreadable, OSError, *DAMAGED) as problem:
            not_read.append(member.path)
            reason = str(problem) if isinstance(problem, Unreadable) else "is damaged or encrypted."
            why = f"holds {member.path}, which {reason}"
            continue
        submissions += inside.submissions
        course_paths += inside.course_paths
        not_read += inside.not_read
    if len({m.path for m in submissions}) != len(submissions):
        raise Unreadable("holds two members of the same name.")
    if not submissions and not course_paths:
        raise Unreadable(why)
    return Contents(sorted(submissions, key=lambda m: m.path), sorted(course_paths), sorted(not_read))


def _members(
    file: BinaryIO, archive: str, allowance: _Allowance, share: float
) -> tuple[list[str], list[Member]]:
    """Return the places of an archive's members that are files of the course, and the members that may be a learner's."""
    members = (_in_zip if archive.lower().endswith(".zip") else _in_tar)(file, share)
    if is_whole_class(m.path for m in members):
        raise Unreadable(A_CLASS)
    course_paths = [m.path for m in members if (m.size, m.crc) in course_files()]
    read = (*SUFFIXES, *ARCHIVES, *UNREAD)
    of_json = [m for m in members if m.path.lower().endswith(".json") and not m.path.lower().endswith(read)]
    read_too = _under_other_endings(file, archive, of_json)
    members = [m for m in members if m.path.lower().endswith(read) or m in read_too]
    members = [m for m in members if m.path not in course_paths]
    members = [m for m in members if not is_system_file(PurePosixPath(m.path))]
    allowance.members -= len(members)
    if allowance.members < 0:
        raise Unreadable(TOO_MANY)
    for member in members:
        _refuse_unsafe(member)
    return course_paths, members


def _under_other_endings(file: BinaryIO, archive: str, members: list[Member]) -> list[Member]:
    """Return the members that are notebooks or Python, and do not end so; of the first that may be."""
    may_be = [m for m in members if m.path.lower().endswith(OTHER)][:MAX_PEEKED]
    return [m for m in may_be if is_submission(m.path, _head_of(file, archive, m.name))]


def _head_of(file: BinaryIO, archive: str, member: str) -> bytes:
    """Return what a member begins with; nothing if it cannot be read."""
    with suppress(OSError, *DAMAGED):
        return _bytes_of(file, archive, member, HEAD)
    return b""


def _inside(file: BinaryIO, archive: str, member: Member, allowance: _Allowance) -> Contents:
    """Return what is in an archive that is a member of another, as members of that."""
    if member.size > allowance.size:
        raise Unreadable(TOO_LARGE)
    allowance.size -= member.size
    inner = _bytes_of(file, archive, member.name, member.size)
    share = member.packed / max(len(inner), 1)
    inside = _contents(io.BytesIO(inner), member.name, allowance, share, is_inner=True)
    folder = member.path[: -len(ending_of(member.path))]
    submissions = [replace(m, path=f"{folder}/{m.path}", within=member.name) for m in inside.submissions]
    course_paths = [f"{folder}/{path}" for path in inside.course_paths]
    return Contents(submissions, course_paths, [f"{folder}/{path}" for path in inside.not_read])


def _unpacked(file: BinaryIO, archive: str, allowance: _Allowance, share: float) -> tuple[BinaryIO, float]:
    """Return a zip archive as it is; a tar archive without its gzip, of which no more is unpacked than there is room for."""
    if archive.lower().endswith(".zip"):
        return file, share
    packed = file.read(MAX_UNPACKED)
    by_ratio = int(MAX_RATIO * max(len(packed) * share, 1024))
    most = min(allowance.size, by_ratio)
    unpacking = zlib.decompressobj(wbits=31)
    data = unpacking.decompress(packed, most + 1)
    if len(data) > most:
        raise Unreadable(TOO_FAR if most == by_ratio else TOO_LARGE)
    if not unpacking.eof:
        raise EOFError
    allowance.size -= len(data)
    return io.BytesIO(data), share * len(packed) / max(len(data), 1)


def _in_zip(file: BinaryIO, share: float) -> list[Member]:
    """Return the members of a zip archive. Some programs of Windows write folders with a backslash, against the format."""
    with zipfile.ZipFile(_List(file)) as archive:  # type: ignore[arg-type]  # as good as a raw file
        entries = archive.infolist()
    of_windows = not any("/" in entry.filename for entry in entries)
    members = []
    for e in entries:
        path = e.filename.replace("\\", "/") if of_windows else e.filename
        wrong = "holds a link." if stat.S_ISLNK(e.external_attr >> 16) else ""
        if not wrong and e.compress_type not in METHODS:
            wrong = "is packed by an unusual method: make it again as a plain zip archive."
        members.append(Member(path, e.filename, e.file_size, e.CRC, e.compress_size * share, wrong))
    return members


def _in_tar(file: BinaryIO, share: float) -> list[Member]:
    """Return the members of a tar archive other than folders."""
    members = []
    for info in _tar_list(file):
        wrong = "holds a link." if info.issym() or info.islnk() else ""
        if not wrong and not _is_plain(info):
            wrong = "holds a member that is not a plain file."
        file.seek(info.offset_data)
        crc = 0 if wrong else zlib.crc32(file.read(info.size))
        path = str(PurePosixPath(info.name))
        members.append(Member(path, info.name, info.size, crc, info.size * share, wrong))
    return members


def _tar_list(file: BinaryIO) -> list[tarfile.TarInfo]:
    file.seek(0)
    listed = _List(file)  # type: ignore[arg-type]  # as good as a raw file
    with tarfile.open(fileobj=listed, mode="r:", encoding="utf-8", errors="replace") as archive:
        return [info for info in archive.getmembers() if not info.isdir()]


def _is_plain(info: tarfile.TarInfo) -> bool:
    return info.isreg() and not info.issparse() and info.size >= 0


def _bytes_of(file: BinaryIO, archive: str, member: str, most: int) -> bytes:
    """Return the bytes of a member of an archive as `_unpacked` gives it, at most so many."""
    if archive.lower().endswith(".zip"):
        with zipfile.ZipFile(file) as opened, opened.open(member) as stream:
            return stream.read(most)
    (*_, info) = (i for i in _tar_list(file) if i.name == member and _is_plain(i))
    file.seek(info.offset_data)
    return file.read(min(info.size, most))


def _refuse_unsafe(member: Member) -> None:
    """Raise Unreadable for a member that leads out of the archive, is a link, or unpacks to too much."""
    path = PurePosixPath(member.path)
    if path.is_absolute() or ".." in path.parts:
        raise Unreadable("holds a member whose name leads out of the archive.")
    if "\\" in member.path:
        raise Unreadable("has names with slashes and with backslashes: make it again as a plain zip archive.")
    if member.wrong:
        raise Unreadable(member.wrong)
    if member.size > MAX_RATIO * max(member.packed, 1024):
        raise Unreadable(TOO_FAR)
