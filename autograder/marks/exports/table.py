"""What all exports share: their result, what they refuse, and CSV that no spreadsheet calculates."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.marks.standing import Learner, Standing
from autograder.model.errors import ExportError
from autograder.model.text import clean

# A spreadsheet takes a cell that begins like this for a formula.
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
# Excel cuts off what is longer.
MAX_CELL = 32_000
MAX_SHOWN = 10


@dataclass(frozen=True)
class Export:
    """The text of an export, and what there is to say of it, as sentences.

    unmatched: why some learners got no mark in a roster. set_aside: what does not count. said: what else a
    teacher should know.
    """

    text: str
    unmatched: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


def refuse_practice(stands: Standing, allowed: bool) -> None:
    """Raises ExportError where practice marks would go into a column of official ones without a word."""
    if stands.practice and not allowed:
        raise ExportError(
            "These are practice marks, and the column is for official ones: grade without --practice, or say "
            "--practice here too."
        )


def refuse_strangers(
    path: Path, stands: Standing, matches: Sequence[Learner | None], unmatched: Sequence[str]
) -> None:
    """Raises ExportError if nobody of the class has a row, so that no mark would be written."""
    if stands.learners and not any(matches):
        raise ExportError(f"{path} has a row for nobody in the gradebook. {listed(unmatched)}.")


def scale_to(most: float | None, possible: float, system: str) -> tuple[float, tuple[str, ...]]:
    """By what marks are multiplied to fit another system's maximum, and that they are, as a sentence."""
    if not most or not possible or most == possible:
        return 1.0, ()
    return most / possible, (f"Marks are scaled from {possible:g} to {system}'s {most:g} points.",)


def listed(words: Sequence[str]) -> str:
    """The first few of a list, and how many more there are."""
    more = len(words) - MAX_SHOWN
    return "; ".join(words[:MAX_SHOWN]) + (f"; and {more} more" if more > 0 else "")


def csv_text(rows: Sequence[Sequence[Any]]) -> str:
    """Our own rows: every field quoted, and none that a spreadsheet would calculate."""
    return quoted([[cell_text(value) for value in row] for row in rows])


def quoted(rows: Sequence[Sequence[str]], separator: str = ",") -> str:
    """Rows as they are, every field quoted: another system gets back what it wrote, line breaks and all."""
    output = io.StringIO()
    writer = csv.writer(output, quoting=csv.QUOTE_ALL, lineterminator="\r\n", delimiter=separator)
    writer.writerows(rows)
    return output.getvalue()


def cell_text(value: Any) -> str:
    """A value for a cell: one line, and no formula."""
    if isinstance(value, float):
        return f"{value:g}"
    text = clean(value, MAX_CELL)
    return f"'{text}" if text.lstrip().startswith(FORMULA) else text
