"""What all exports share: their result, and what they refuse."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.marks.standing import Learner, Standing
from autograder.model.errors import ExportError
from autograder.model.text import few

MAX_SHOWN = 10


@dataclass(frozen=True)
class Export:
    """The text of an export, and what there is to say of it, as sentences.

    unmatched: why some learners got no mark in a roster. set_aside: what does not count. said: what else a
    teacher should know. of_all: whether it holds the marks of the class, with which `changes` compares later.
    """

    text: str
    unmatched: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    of_all: bool = True


def refuse_practice(standing: Standing, allowed: bool) -> None:
    """Raises ExportError where practice marks would go into a column of official ones without a word."""
    if standing.practice and not allowed:
        raise ExportError(
            "These are practice marks, and the column is for official ones: grade without --practice, or say "
            "--practice here too."
        )


def refuse_strangers(
    path: Path, standing: Standing, matches: Sequence[Learner | None], unmatched: Sequence[str]
) -> None:
    """Raises ExportError if nobody of the class has a row, so that no mark would be written."""
    if standing.learners and not any(matches):
        raise ExportError(f"{path} has a row for nobody in the gradebook. {few(unmatched, MAX_SHOWN, '; ')}.")


def scale_to(most: float | None, possible: float, system: str) -> tuple[float, tuple[str, ...]]:
    """By what marks are multiplied to fit another system's maximum, and that they are, as a sentence."""
    if not most or not possible or most == possible:
        return 1.0, ()
    return most / possible, (f"Marks are scaled from {possible:g} to {system}'s {most:g} points.",)
