"""A table that Canvas or Moodle has exported: what its cells hold, and marks and comments written into them.

What a person has written there stays, or is said.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from autograder.marks.exports.export import MAX_SHOWN
from autograder.marks.tables import cell_text, number_in, read_table
from autograder.model.errors import UsageError
from autograder.model.text import clean, common_length, few

DECIMAL_COMMA = re.compile(r"-?\d+,\d{1,2}")
EMPTY = ("", "-", "–")
MAX_CHARACTERS = 60
# What becomes of a mark or comment that is there already and says something else.
Overwriting = StrEnum("Overwriting", ["refused", "kept", "replaced"])


@dataclass(frozen=True)
class Roster:
    """A table that another system exported.

    rows: as long as the header. separator: what stands between fields. comma: whether decimals follow a
    comma. encoding: of the file; what is written is UTF-8.
    """

    path: Path
    header: list[str]
    rows: list[list[str]]
    separator: str
    comma: bool
    encoding: str

    @property
    def notes(self) -> tuple[str, ...]:
        """Return that the file was in another encoding than what is written, as a sentence."""
        is_utf8 = self.encoding.startswith("utf-8")
        return () if is_utf8 else (f"{self.path} is in {self.encoding}; what is written is in UTF-8.",)

    def number(self, value: float) -> str:
        """Return a mark as this file writes numbers, with at most two decimals."""
        text = f"{value:.2f}"
        return text.replace(".", ",") if self.comma else text


def read_roster(path: Path) -> Roster:
    """Return the table in a file. Raises UsageError, with a sentence, if there is none."""
    (header, *rows), separator, encoding = read_table(path)
    padded = [(row + [""] * len(header))[: len(header)] for row in rows if row]
    comma = any(DECIMAL_COMMA.fullmatch(cell.strip()) for row in padded for cell in row)
    return Roster(path, header, padded, separator, comma, encoding)


def is_empty(cell: str) -> bool:
    """Return whether nobody has written a mark or a comment there."""
    return cell.strip() in EMPTY


def same(old: str, new: str) -> bool:
    """Return whether two cells say the same: the same words, or the same number to two decimals."""
    before, after = number_in(old), number_in(new)
    if before is not None and after is not None:
        return round(before, 2) == round(after, 2)
    return old.strip() == new.strip()


class Filling:
    """The cells of a table as they are filled in."""

    def __init__(self, roster: Roster, overwriting: Overwriting) -> None:
        self.roster, self.overwriting = roster, overwriting
        self.met: list[str] = []

    def put(self, row: list[str], column: int, text: str, person: str) -> None:
        """Write into a cell, unless somebody else's words are to stay there. person: whose row it is."""
        old, text = row[column], cell_text(text)
        if not is_empty(old) and not same(old, text):
            was, now = _excerpts(old, text)
            self.met.append(f"{person}: {was} (here {now})")
            if self.overwriting is not Overwriting.replaced:
                return
        row[column] = text

    def notes(self) -> tuple[str, ...]:
        """Return what was there already and what became of it, in a sentence for each cell.

        Raises UsageError if it is to be refused.
        """
        if self.met and self.overwriting is Overwriting.refused:
            raise UsageError(
                f"{self.roster.path} holds marks or comments that are not these: {few(self.met, MAX_SHOWN, '; ')}. Say --keep to leave "
                "them, or --replace to write over them."
            )
        return tuple(f"{words} is {self.overwriting}" for words in self.met)


def _excerpts(old: str, new: str) -> tuple[str, str]:
    """Return two texts, shortened to where they differ."""
    common = common_length(old, new)
    start = common - MAX_CHARACTERS // 3 if common > MAX_CHARACTERS // 2 else 0
    was, now = (clean("…" * bool(start) + text[start:], MAX_CHARACTERS) for text in (old, new))
    return was, now
