"""Writes marks and comments into another system's table. What a person has written there stays, or is said."""

from enum import StrEnum

from autograder.marks.exports.export import MAX_SHOWN
from autograder.marks.exports.roster import Roster, is_empty, same
from autograder.marks.tables import cell_text
from autograder.model.errors import UsageError
from autograder.model.text import clean, few

MAX_CHARACTERS = 60


def _shown(old: str, new: str) -> tuple[str, str]:
    """Two texts, shortened to where they differ."""
    differ = (i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
    alike = next(differ, min(len(old), len(new)))
    start = alike - MAX_CHARACTERS // 3 if alike > MAX_CHARACTERS // 2 else 0
    was, now = (clean("…" * bool(start) + text[start:], MAX_CHARACTERS) for text in (old, new))
    return was, now


class Written(StrEnum):
    """What becomes of a mark or comment that is there already and says something else."""

    refused = "refused"
    kept = "kept"
    replaced = "replaced"


class Filling:
    """The cells of a table as they are filled in."""

    def __init__(self, roster: Roster, written: Written) -> None:
        self.roster, self.written = roster, written
        self.met: list[str] = []

    def put(self, row: list[str], column: int, text: str, person: str) -> None:
        """Write into a cell, unless somebody else's words are to stay there. person: whose row it is."""
        old, text = row[column], cell_text(text)
        if not is_empty(old) and not same(old, text):
            was, now = _shown(old, text)
            self.met.append(f"{person}: {was} (here {now})")
            if self.written is not Written.replaced:
                return
        row[column] = text

    def said(self) -> tuple[str, ...]:
        """What was there already and what became of it, in a sentence for each cell.

        Raises UsageError if it is to be refused.
        """
        if self.met and self.written is Written.refused:
            raise UsageError(
                f"{self.roster.path} holds marks or comments that are not these: {few(self.met, MAX_SHOWN, '; ')}. Say --keep to leave "
                "them, or --replace to write over them."
            )
        return tuple(f"{words} is {self.written}" for words in self.met)
