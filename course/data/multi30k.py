"""Multi30k: 31,014 German and English captions of photographs (Elliott et al., 2016).

For research and education only, not to be redistributed: so it is downloaded, from one commit of the
dataset's own repository, checked against its hash, and kept in the user's cache. For the same reason the course
quotes no sentence of it: `python -m course.data.multi30k` downloads what is missing, and prints the sentences and the vocabulary sizes that the chapter on translation names.
"""

import gzip
import hashlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from course.data.download import Collection, DataError
from course.data.sentence_pairs import SPECIAL, Pair
from course.data.tokeniser import tokens
from course.display.progress_bar import progress
from course.display.terminal import fail

COMMIT = "a3d2e0d26b56f3846f66a952536ffed4e401d05a"
ADDRESS = f"https://raw.githubusercontent.com/multi30k/dataset/{COMMIT}/data/task1/raw"
FILES = {
    "train.de.gz": "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
    "train.en.gz": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
    "val.de.gz": "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
    "val.en.gz": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
    "test_2016_flickr.de.gz": "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8",
    "test_2016_flickr.en.gz": "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
}
PARTS = {"train": "train", "valid": "val", "test": "test_2016_flickr"}
LANGUAGES = ("de", "en")


COLLECTION = Collection("multi30k", "multi30k_raw", megabytes=2)


def missing() -> list[str]:
    """Return the files that would have to be downloaded."""
    return [name for name, sha256 in FILES.items() if COLLECTION.find(name, sha256) is None]


def fetch_all(address: str = ADDRESS) -> None:
    """Download what is missing, with a progress bar; raises DataError as `fetch` does."""
    names = missing()
    for name in progress(names, len(names), "Multi30k"):
        fetch(name, address)


def fetch(name: str, address: str = ADDRESS) -> Path:
    """Return the path of one of `FILES`; it is downloaded if it is not there.

    address: where the files lie, without a slash at the end.
    Raises DataError when it cannot be downloaded or kept, or when it is not the file it should be.
    """
    by_hand = f"If you have {name} already, put it into {COLLECTION.cache()}."
    return COLLECTION.fetch(name, FILES[name], address, by_hand)


def lines(part: str, language: str, address: str = ADDRESS) -> list[str]:
    """Return the sentences of a part ("train", "valid" or "test") in a language ("de" or "en")."""
    path = fetch(f"{PARTS[part]}.{language}.gz", address)
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as opened:
            return opened.read().removesuffix("\n").split("\n")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read ({error}); delete it and try again.") from error


def tokenised(part: str, language: str, lower: bool = True, address: str = ADDRESS) -> list[list[str]]:
    """Return the same as tokens.

    lower: in lower case, after they were split (abbreviations are recognised by their capitals).
    """
    sentences = [tokens(line, language) for line in lines(part, language, address)]
    return [[token.lower() for token in sentence] for sentence in sentences] if lower else sentences


# The samples that the Technion tutorial ("CS236781: Deep Learning, Tutorial 7: Attention") prints:
# the SHA-256 of the German and of the English tokens, joined by blanks.
PRINTED = {
    0: (
        "be7651b764f53b88600e8a18f8b123fc635905918dc5a1b5492ba7a0c85d77a0",
        "f51e9f020a36d71b176177b888443ab9caad1ba591608df21f9a864bfaef08f6",
    ),
    10: (
        "72d260155e3752fd3f36d2a9e574e1c10275434e311272a7cea79acb9dbbb22a",
        "ee422f69864bf355f77e7b7936873f9333442680adbd53a036c1a4eb60186343",
    ),
    100: (
        "2ef7d1f5266e52e3ce4303f2b5a4d5dae4845000ca9c103cbb2375c657ae0ce2",
        "2759936f3b066510e2e0ac2ce4889b9e7f9cee84c9bb04f83f5b09f25f9d33bf",
    ),
    1000: (
        "df840e1242c820a99ca975c00a220f9d76ef63ecdff5ffd586db2b9c4c0052dc",
        "169338f78cf27b190f504fb53e10e79d525382e0edd1547cc58377a876e16922",
    ),
}
# The sizes of its vocabularies, in its own output.
PRINTED_SIZES = {"de": 18_659, "en": 9_799}


def sample(number: int, language: str) -> list[str]:
    """Return the tokens of one training sentence, in lower case."""
    return [token.lower() for token in tokens(lines("train", language)[number], language)]


def is_printed(number: int, language: str) -> bool:
    """Return whether one of the samples in `PRINTED` is, exactly what the Technion tutorial prints."""
    text = " ".join(sample(number, language))
    return hashlib.sha256(text.encode()).hexdigest() == PRINTED[number][LANGUAGES.index(language)]


def vocabulary_size(language: str, lower: bool = True) -> int:
    """Return how many different tokens the training text has, and the four special ones."""
    return len({token for sentence in tokenised("train", language, lower) for token in sentence}) + len(
        SPECIAL
    )


def pairs(part: str, longest: int | None = None, address: str = ADDRESS) -> list[Pair]:
    """Return German and English sentences side by side.

    longest: keep only pairs with at most so many tokens on either side.
    """
    languages = (tokenised(part, language, address=address) for language in LANGUAGES)
    sentence_pairs = [Pair(tuple(german), tuple(english)) for german, english in zip(*languages, strict=True)]
    return [pair for pair in sentence_pairs if _short(pair, longest)]


def references(part: str, longest: int | None = None) -> list[str]:
    """Return the English sentences of the same pairs as they were written."""
    english = lines(part, "en")
    return [line for line, pair in zip(english, pairs(part), strict=True) if _short(pair, longest)]


def _short(pair: Pair, longest: int | None) -> bool:
    return longest is None or max(len(pair.source), len(pair.target)) <= longest


def joined(words: Sequence[str]) -> str:
    """Return English tokens as a sentence again, as far as BLEU's own tokeniser needs it."""
    text = " ".join(words)
    text = re.sub(r"(?<=\w) - (?=\w)", "-", text)
    return re.sub(r" (?=(?:'s|n't|'re|'ll)\b)", "", text)


def main() -> None:
    """Download what is missing; print the samples and the vocabulary sizes that the tutorial prints."""
    try:
        fetch_all()
        for number in PRINTED:
            for language in LANGUAGES:
                sys.stdout.write(f"{number:4} {language}: {' '.join(sample(number, language))}\n")
        for language in LANGUAGES:
            lower, cased = (vocabulary_size(language, lower) for lower in (True, False))
            sys.stdout.write(f"{language}: {lower:,} tokens in lower case, {cased:,} as written\n")
    except DataError as error:
        raise fail(str(error)) from None


if __name__ == "__main__":
    typer.run(main)
