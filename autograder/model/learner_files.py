"""Files of a learner's folder: whatever opens, writes or removes one does it here.

The folder may come from somebody else, so a path stays below it, no link is followed, and nobody is waited for who
writes into a pipe. A file that is damaged is never written over: it is put aside under another name.
"""

import errno
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from autograder.model.errors import AutograderError, UsageError
from autograder.model.text import clean, few

# Where the system has them: no link is followed, nobody is waited for who writes into a pipe, and a folder is only
# passed through.
FILE_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
FOLDER_FLAGS = getattr(os, "O_PATH", 0) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
# More than any of these files holds, in bytes.
MAX_BYTES = 64 << 20
DAMAGED = ".damaged"
MAX_NAMED = 3
_notes: list[str] = []


def take_notes() -> list[str]:
    """Return what was done with damaged files, as sentences, and forget it."""
    sentences, _notes[:] = _notes[:], []
    return sentences


def note(sentence: str) -> None:
    """Let `take_notes` give a sentence."""
    _notes.append(sentence)


def open_without_links(path: str, flags: int) -> int:
    """Open a plain file as `open` does, and follow no link: what was listed may be exchanged before it is read.

    path: without links, as `Path.resolve` gives it. Raises OSError.
    """
    *folders, name = Path(path).parts
    above = None
    try:
        # Where a folder cannot be passed through by its name in the one above, links in its place are followed.
        for folder in folders if hasattr(os, "O_PATH") else ():
            here = os.open(folder, FOLDER_FLAGS, dir_fd=above)
            if above is not None:
                os.close(above)
            above = here
        opened = os.open(path if above is None else name, flags | FILE_FLAGS, dir_fd=above)
    finally:
        if above is not None:
            os.close(above)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise OSError(errno.EINVAL, "it is not a plain file")
    return opened


def path_below(path: Path, home: Path | None = None) -> Path:
    """Return a path below a folder, with the folder's own links resolved.

    home: the folder; that in which the file lies if not given. Raises UsageError where the path leads out of it, or
    over a link.
    """
    home = path.parent if home is None else home
    with as_usage_error(path, "used"):
        parts = path.relative_to(home).parts if path.is_relative_to(home) else ()
        if not parts or ".." in parts or any("\0" in part for part in parts):
            raise UsageError(f"{clean(path)} is not used: it does not lie below {home}.")
        below = home.resolve()
        for part in parts:
            below /= part
            if below.is_symlink():
                raise UsageError(f"{below} is a link, and is not followed: put the file itself there.")
    return below


@contextmanager
def as_usage_error(path: Path, done: str) -> Iterator[None]:
    """Raise UsageError, with a sentence, where the system refuses what is done with a file."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{path} cannot be {done}: {error.strerror or error}.") from error


@contextmanager
def opened(path: Path, home: Path | None = None) -> Iterator[BinaryIO]:
    """Open a file for reading. Raises UsageError for a link and a pipe, FileNotFoundError where there is none."""
    below = path_below(path, home)
    if not os.path.lexists(below):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    with as_usage_error(path, "read"), open(below, "rb", opener=open_without_links) as file:
        yield file


def read_bytes(path: Path, home: Path | None = None) -> bytes | None:
    """Return what a file holds, None where there is none. Raises UsageError where it cannot be read."""
    try:
        with opened(path, home) as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    if len(data) > MAX_BYTES:
        raise UsageError(f"{path} cannot be read: it holds more than {MAX_BYTES >> 20} MB.")
    return data


def write_bytes(path: Path, data: bytes, home: Path | None = None) -> None:
    """Write a file as a whole, or not at all, and the folders that it needs. Raises UsageError."""
    below = path_below(path, home)
    part = below.with_name(f"{below.name}.{os.getpid()}.tmp")
    with as_usage_error(path, "written"):
        below.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.unlink(missing_ok=True)  # what an earlier process left there, or a link
            with part.open("xb") as file:
                file.write(data)
            part.replace(below)
        except OSError:
            part.unlink(missing_ok=True)
            raise


def write_text(path: Path, text: str, home: Path | None = None) -> None:
    """Write a text as a whole, or not at all. Raises UsageError."""
    write_bytes(path, text.encode("utf-8", "replace"), home)


def remove(path: Path, home: Path | None = None) -> None:
    """Remove a file, if it is there. Raises UsageError where that cannot be done."""
    below = path_below(path, home)
    with as_usage_error(path, "removed"):
        below.unlink(missing_ok=True)


def read_json(
    path: Path, home: Path | None = None, usable: Callable[[Any], Any] = lambda value: value
) -> dict[str, Any]:
    """Return what a file holds by name; nothing where it is missing. What is damaged is put aside.

    usable: what can be used of a value; None if nothing. Raises UsageError where the file cannot be read.
    """
    data = read_bytes(path, home)
    if not data or not data.strip():
        return {}
    try:
        stored = json.loads(data)
    except (ValueError, RecursionError):
        stored = None
    if not isinstance(stored, dict):
        put_aside(path, "all of it", {}, home)
        return {}
    values = {name: value for name, content in stored.items() if (value := usable(content)) is not None}
    if odd := [name for name, value in stored.items() if value != values.get(name)]:
        put_aside(path, few(odd, MAX_NAMED), values, home)
    return values


def write_json(path: Path, values: Mapping[str, Any], home: Path | None = None) -> None:
    """Write what a file holds by name, as a whole or not at all. Raises UsageError."""
    write_text(path, json.dumps(values, indent=1, ensure_ascii=False) + "\n", home)


def put_aside(path: Path, odd: str, rest: Mapping[str, Any], home: Path | None = None) -> None:
    """Keep a damaged file under another name, and the rest of it in its place; `take_notes` says so.

    odd: what of it cannot be read. Raises UsageError where that cannot be done.
    """
    below = path_below(path, home)
    aside = below.with_name(f"{below.name}{DAMAGED}")
    number = 1
    while os.path.lexists(aside):
        number += 1
        aside = below.with_name(f"{below.name}{DAMAGED}-{number}")
    with as_usage_error(path, "put aside"):
        below.rename(aside)
    note(
        f"{path} is damaged: it cannot be read ({clean(odd, 200)}). It is kept as {aside.name}, and what can be read goes on."
    )
    write_json(path, rest, home)


def keep_or_explain(keep: Callable[..., str | None], *arguments: Any) -> str | None:
    """Call what keeps something; give what it says, or a sentence where it fails, since a verdict is shown all the same."""
    try:
        sentence = keep(*arguments)
    except (AutograderError, OSError) as error:
        sentence = f"This is not kept: {str(error).rstrip('.')}"
    return ". ".join([*filter(None, [sentence]), *(words.rstrip(".") for words in take_notes())]) or None
