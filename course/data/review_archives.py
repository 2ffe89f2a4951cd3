"""Reviews by people, read from archives of an npm package and of a Python package.

- "uci": Sentiment Labelled Sentences (Kotzias et al., 2015), 3000 sentences about films, products and
  restaurants, from the tests of the npm package `sentiment`.
- "films": 10,605 snippets of film reviews, each rated by people (Hutto and Gilbert, 2014), from the source
  distribution of the Python package `vaderSentiment`.

The package clients fetch the archives, from wherever they are set up to fetch. Nothing is unpacked: a few
members are read in memory, after the archive's hash was checked.
"""

import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from course.data.download import Collection, DataError
from course.data.reviews import Review, Splits, splits

CLIENT_SECONDS = 300  # that a client may take
MOST_BYTES = 20_000_000  # of one member
CLEAR_RATING = 0.5  # people rate from -4 to 4; closer to 0 than this is neither praise nor blame
WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[!?.]")


@dataclass(frozen=True)
class Archive:
    """A file that a package client downloads.

    command: of the client, without the folder, which follows `into`
    """

    file: str
    sha256: str
    command: tuple[str, ...]
    into: str


PIP = (sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", ":all:", "--quiet")
ARCHIVES = {
    "films": Archive(
        "vaderSentiment-3.3.2.tar.gz",
        "5d7c06e027fc8b99238edb0d53d970cf97066ef97654009890b83703849632f9",
        (*PIP, "vaderSentiment==3.3.2"),
        "--dest",
    ),
    "uci": Archive(
        "sentiment-5.0.2.tgz",
        "89302eb03d2005d03b214fe65814bb48adb7d3c42c8ca80bdee6a3ecb7e4480f",
        ("npm", "pack", "--silent", "sentiment@5.0.2"),
        "--pack-destination",
    ),
}
SIZES = {"films": (1000, 2000), "uci": (400, 600)}  # for validation and for the test


COLLECTION = Collection("reviews", "sentiment", megabytes=3)


def at_hand(name: str) -> Path | None:
    """The path of an archive that is there and whole; None if it would have to be fetched."""
    return COLLECTION.find(ARCHIVES[name].file, ARCHIVES[name].sha256)


def fetch(name: str) -> Path:
    """The path of an archive; the package client downloads it if it is not there.

    Raises DataError when there is no client, when it fails, when the hash is another one, or when the file
    cannot be kept.
    """
    archive = ARCHIVES[name]

    def download(address: str, path: Any, _: Any) -> None:
        if shutil.which(archive.command[0]) is None:
            raise DataError(
                f"{archive.command[0]} is needed to fetch {archive.file}, and is not installed. {_by_hand(name)}"
            )
        with tempfile.TemporaryDirectory(dir=COLLECTION.cache()) as temporary:
            shutil.move(_run(name, Path(temporary)), path)

    return COLLECTION.fetch(archive.file, archive.sha256, _client(archive), _by_hand(name), download)


def _run(name: str, folder: Path) -> Path:
    """Call the client, which writes the archive into an empty folder."""
    archive = ARCHIVES[name]
    try:
        done = subprocess.run(
            [*archive.command, archive.into, str(folder)],
            capture_output=True,
            text=True,
            timeout=CLIENT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise DataError(
            f"{_client(archive)} gave no answer in {CLIENT_SECONDS} seconds. {_by_hand(name)}"
        ) from error
    if done.returncode or not (folder / archive.file).is_file():
        said = [line for line in done.stderr.splitlines() if line.strip()]
        reason = f": {said[-1].strip()}" if said else ""
        raise DataError(f"{_client(archive)} did not bring {archive.file}{reason}. {_by_hand(name)}")
    return folder / archive.file


def _client(archive: Archive) -> str:
    return "pip" if archive.command[0] == sys.executable else archive.command[0]


def _by_hand(name: str) -> str:
    archive = ARCHIVES[name]
    command = " ".join(["python" if word == sys.executable else word for word in archive.command])
    return f"If you can run `{command}` on another machine, put {archive.file} into {COLLECTION.cache()}."


def real_reviews(name: str) -> list[Review]:
    """The reviews of "uci" or "films", without evidence: nobody marked it.

    Raises DataError when their archive cannot be had or read, ValueError for another name.
    """
    if name not in ARCHIVES:
        raise ValueError(f"There are no reviews named {name!r}; there are: {', '.join(ARCHIVES)}.")
    path = fetch(name)
    try:
        with path.open("rb") as opened:
            found = _uci(opened) if name == "uci" else _films(opened)
    except (OSError, KeyError, ValueError, tarfile.TarError, EOFError) as error:
        raise DataError(f"{path} cannot be read ({error}); delete it and try again.") from error
    reviews = [Review(tuple(words(text)), label) for text, label in found]
    return [review for review in reviews if review.words]


def real_splits(name: str) -> Splits:
    """The same, split for training, validation and test; the same on every machine."""
    return splits(real_reviews(name), *SIZES[name])


def words(text: str) -> list[str]:
    """The words of a text in lower case, and the marks that end a sentence."""
    return WORD.findall(text.lower().replace("’", "'"))


def _member(opened: IO[bytes], *path: str) -> bytes:
    """The bytes of a file inside an archive, or inside archives inside an archive."""
    with tarfile.open(fileobj=opened) as archive:
        found = archive.extractfile(path[0])
        if found is None or archive.getmember(path[0]).size > MOST_BYTES:
            raise ValueError(f"{path[0]} is not a file, or too large")
        data = found.read()
    return _member(io.BytesIO(data), *path[1:]) if path[1:] else data


def _uci(opened: IO[bytes]) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for source in ("amazon", "imdb", "yelp"):
        opened.seek(0)
        entries = json.loads(_member(opened, f"package/test/fixtures/{source}.json"))
        found += [(entry["text"], entry["class"]) for entry in entries if entry["text"]]
    return found


def _films(opened: IO[bytes]) -> list[tuple[str, int]]:
    inside = "vaderSentiment-3.3.2/additional_resources/hutto_ICWSM_2014.tar.gz"
    data = _member(opened, inside, "hutto_ICWSM_2014/movieReviewSnippets_GroundTruth.txt")
    rows: Sequence[list[str]] = [line.split("\t") for line in data.decode("latin-1").splitlines()]
    rated = [(text, float(rating)) for _, rating, text in rows]
    return [(text, int(rating > 0)) for text, rating in rated if abs(rating) >= CLEAR_RATING]
