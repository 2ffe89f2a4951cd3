"""Reviews by people, read from archives of an npm package and of a Python package.

- "uci": Sentiment Labelled Sentences (Kotzias et al., 2015), 3000 sentences about films, products and
  restaurants, from the tests of the npm package `sentiment`.
- "films": 10,605 snippets of film reviews, each rated by people (Hutto and Gilbert, 2014), from the source
  distribution of the Python package `vaderSentiment`.

Nothing is unpacked: a few members are read in memory, after the archive's hash was checked.
"""

import io
import json
import re
import tarfile
from collections.abc import Sequence
from typing import IO

from course.data.archives import NPM, PIP, Archive
from course.data.download import Collection, DataError
from course.data.reviews import Review, Splits, splits

MOST_BYTES = 20_000_000  # of one member
CLEAR_RATING = 0.5  # people rate from -4 to 4; closer to 0 than this is neither praise nor blame
WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[!?.]")


COLLECTION = Collection("reviews", "sentiment", megabytes=3)
ARCHIVES = {
    "films": Archive(
        "vaderSentiment-3.3.2.tar.gz",
        "5d7c06e027fc8b99238edb0d53d970cf97066ef97654009890b83703849632f9",
        (*PIP, "vaderSentiment==3.3.2"),
        "--dest",
        COLLECTION,
    ),
    "uci": Archive(
        "sentiment-5.0.2.tgz",
        "89302eb03d2005d03b214fe65814bb48adb7d3c42c8ca80bdee6a3ecb7e4480f",
        (*NPM, "sentiment@5.0.2"),
        "--pack-destination",
        COLLECTION,
    ),
}
SIZES = {"films": (1000, 2000), "uci": (400, 600)}  # for validation and for the test


def real_reviews(name: str) -> list[Review]:
    """Return the reviews of "uci" or "films", without evidence: nobody marked it.

    Raises DataError when their archive cannot be had or read, ValueError for another name.
    """
    if name not in ARCHIVES:
        raise ValueError(f"There are no reviews named {name!r}; there are: {', '.join(ARCHIVES)}.")
    path = ARCHIVES[name].fetch()
    try:
        with path.open("rb") as opened:
            rows = _uci(opened) if name == "uci" else _films(opened)
    except (OSError, KeyError, ValueError, tarfile.TarError, EOFError) as error:
        raise DataError(f"{path} cannot be read ({error}); delete it and try again.") from error
    reviews = [Review(tuple(words(text)), label) for text, label in rows]
    return [review for review in reviews if review.words]


def real_splits(name: str) -> Splits:
    """Return the same, split for training, validation and test; the same on every machine."""
    return splits(real_reviews(name), *SIZES[name])


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, and the marks that end a sentence."""
    return WORD.findall(text.lower().replace("’", "'"))


def _member(opened: IO[bytes], *path: str) -> bytes:
    """Return the bytes of a file inside an archive, or inside archives inside an archive."""
    with tarfile.open(fileobj=opened) as archive:
        member = archive.extractfile(path[0])
        if member is None or archive.getmember(path[0]).size > MOST_BYTES:
            raise ValueError(f"{path[0]} is not a file, or too large")
        data = member.read()
    return _member(io.BytesIO(data), *path[1:]) if path[1:] else data


def _uci(opened: IO[bytes]) -> list[tuple[str, int]]:
    rows: list[tuple[str, int]] = []
    for source in ("amazon", "imdb", "yelp"):
        opened.seek(0)
        entries = json.loads(_member(opened, f"package/test/fixtures/{source}.json"))
        rows += [(entry["text"], entry["class"]) for entry in entries if entry["text"]]
    return rows


def _films(opened: IO[bytes]) -> list[tuple[str, int]]:
    inside = "vaderSentiment-3.3.2/additional_resources/hutto_ICWSM_2014.tar.gz"
    data = _member(opened, inside, "hutto_ICWSM_2014/movieReviewSnippets_GroundTruth.txt")
    rows: Sequence[list[str]] = [line.split("\t") for line in data.decode("latin-1").splitlines()]
    rated = [(text, float(rating)) for _, rating, text in rows]
    return [(text, int(rating > 0)) for text, rating in rated if abs(rating) >= CLEAR_RATING]
