"""`pull`: what was handed in at another system, as `grade` reads it. What is there already is not fetched again."""

import os
import re
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path, PurePosixPath

from autograder.marks.remote.connection import RemoteAssignment, reached
from autograder.marks.tables import csv_text
from autograder.model.results import learner_of
from autograder.model.text import clean
from autograder.read.learners import Names, recognised

# What no file system, or no shell, takes in a name; the first stands for what cannot be printed.
STRANGE = re.compile(r"[\ufffd\"*:<>?|`$]+")
# Bytes of a name, and letters of its ending: file systems take 255 bytes, and systems put numbers around the name.
MAX_NAME, MAX_ENDING, CHUNK = 100, 10, 1 << 20


def safe_name(name: str) -> str:
    """A name that a stranger has chosen, as one of a plain file: no folder, nothing hidden, not too long."""
    plain = STRANGE.sub("_", clean(PurePosixPath(name.replace("\\", "/")).name)).lstrip(". ")
    stem, dot, ending = plain.rpartition(".")
    if not (dot and ending.isascii() and len(ending) <= MAX_ENDING):
        stem, dot, ending = plain, "", ""
    return f"{shortened(stem)}{dot}{ending}" or "file"


def shortened(name: str) -> str:
    """A name in at most MAX_NAME bytes. What is cut off is told by a number, so that two long names stay two."""
    data = name.encode()
    if len(data) <= MAX_NAME:
        return name
    return f"{data[: MAX_NAME - 9].decode(errors='ignore')}-{zlib.crc32(data):08x}"


def pull(origin: RemoteAssignment, folder: Path, times: Path | None = None) -> Iterator[str]:
    """Bring the folder to what is handed in now; gives a sentence for each file that has changed.

    times: a table to write, of when each learner handed in, as `grade` reads it.
    Beside the folder stand a list of what was fetched, FOLDER.pulled, and what was handed in before and no longer
    counts, in FOLDER.replaced.
    """
    listed = folder.with_name(f"{folder.name}.pulled")
    known = set(listed.read_text(encoding="utf-8").splitlines()) if listed.is_file() else set()
    wanted = {file.name: file for file in origin.handed_in()}
    for name in sorted(known - wanted.keys()):
        if (folder / name).is_file():
            _set_aside(folder, name)
            yield f"{name} is no longer handed in, and lies in {folder.name}.replaced now."
    for name, file in wanted.items():
        path = folder / name
        is_there = path.is_file()
        if is_there and (path.stat().st_size, path.stat().st_mtime) == (file.size, file.when.timestamp()):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        part = listed.with_name(f"{listed.name}.part")
        with reached(origin.title), closing(origin.fetched(file)) as answer, part.open("wb") as to:
            for chunk in answer.iter_content(CHUNK):
                to.write(chunk)
        os.utime(part, (file.when.timestamp(),) * 2)
        if is_there:
            _set_aside(folder, name)
        part.replace(path)
        if name not in known:
            with listed.open("a", encoding="utf-8") as lines:
                lines.write(f"{name}\n")
        yield f"{name}: {'another version' if is_there else 'new'}, of {file.when:%Y-%m-%d %H:%M %Z}."
    if times:
        names = Names(folder, recognised(folder))
        rows = [[learner_of(names.of(file.name)[0]), file.when.isoformat()] for file in wanted.values()]
        times.write_text(csv_text([["learner", "time"], *rows]), encoding="utf-8", newline="")


def _set_aside(folder: Path, name: str) -> None:
    """Move a file that counts no more to where nothing is graded, under a name that is free."""
    old, place = folder / name, folder.with_name(f"{folder.name}.replaced") / name
    place = place.with_name(f"{old.stat().st_mtime:.0f}_{place.name}")
    place.parent.mkdir(parents=True, exist_ok=True)
    old.replace(place)
