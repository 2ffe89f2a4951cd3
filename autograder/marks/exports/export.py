"""What all exports share: their result, and what they refuse."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.marks.exports.people import Matches, Person, match
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import Learner, Standing, standing_in
from autograder.model.errors import UsageError
from autograder.model.text import counted, few

MAX_SHOWN = 10
# What takes points off for lateness in another system, if it is set there.
PENALTIES = {"Canvas": "a late policy of the course", "Moodle": "a grade penalty of the assignment"}


@dataclass(frozen=True)
class Export:
    """The text of an export, and what there is to say of it, as sentences.

    unmatched: why some learners got no mark in a roster. set_aside: what does not count. notes: what else a
    teacher should know.
    """

    text: str
    unmatched: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def official_standing(book: Gradebook, practice: bool) -> Standing:
    """Return the class's standing for a column of official marks. practice: whether others may go there too.

    Raises UsageError where they may not, and are no official ones.
    """
    standing = standing_in(book)
    if standing.practice and not practice:
        raise UsageError(
            "These are practice marks, and the column is for official ones: grade without --practice, or say "
            "--practice here too."
        )
    return standing


def matched(path: Path, people: Sequence[Person], everyone: Sequence[Learner]) -> Matches:
    """Return for each row whose mark goes there, and why some have none: also those whose files are not all graded.

    Raises UsageError if nobody has a row.
    """
    matches, unmatched = match(people, everyone)
    if everyone and not any(matches):
        raise UsageError(f"{path} has a row for nobody in the gradebook. {few(unmatched, MAX_SHOWN, '; ')}.")
    waiting = [who for who in matches if who is not None and who.is_waiting]
    rows = [None if who is None or who.is_waiting else who for who in matches]
    return rows, (*unmatched, *(f"{who.name}: {who.not_graded}" for who in waiting))


def scale_to(most: float | None, possible: float, system: str) -> tuple[float, tuple[str, ...]]:
    """Return the factor that fits marks to another system's maximum, and a sentence that says so."""
    if not most or not possible or most == possible:
        return 1.0, ()
    return most / possible, (f"Marks are scaled from {possible:g} to {system}'s {most:g} points.",)


def double_lateness_note(standing: Standing, system: str) -> tuple[str, ...]:
    """Return that lateness may cost points twice, as a sentence."""
    late = sum(who.after_lateness < who.earned for who in standing.learners)
    words = (
        f"[late] of the assignment's file has taken points off {counted(late, 'mark')}: if {PENALTIES[system]} in {system} "
        "takes some off too, lateness costs twice."
    )
    return (words,) if late else ()
