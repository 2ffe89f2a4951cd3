"""`push`: marks into an assignment of another system, one learner after the other, and never over a person's.

What was written is kept in the gradebook, so that a mark that is there and was not written here is a person's. It is
noted before it is sent: a run that is interrupted in between knows the mark again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.marks.exports.export import MAX_SHOWN, late_twice, official, scale_to
from autograder.marks.exports.people import finished, match, strangers
from autograder.marks.gradebook import Gradebook
from autograder.marks.remote.connection import Participant, RemoteAssignment
from autograder.marks.standing import Learner, Standing
from autograder.model.errors import UsageError
from autograder.model.text import counted, few


@dataclass(frozen=True)
class Change:
    """A mark that is not what is there. kept: why it stays as it is, as words; empty if it is to be written."""

    who: Learner
    place: Participant
    mark: float
    kept: str = ""

    def __str__(self) -> str:
        before = "nothing" if self.place.mark is None else f"{self.place.mark:g}"
        words = f"{self.who.name}: {before} → {self.mark:g}"
        return f"{words}, kept as it is: {self.kept}" if self.kept else words


@dataclass(frozen=True)
class Plan:
    """What a push does. same: how many marks are there already. said: what a teacher should know besides."""

    changes: tuple[Change, ...]
    same: int
    unmatched: tuple[str, ...]
    said: tuple[str, ...]


def plan(book: Gradebook, target: RemoteAssignment, practice: bool, scaled: bool, replace: bool) -> Plan:
    """What would change there. practice, scaled: as for an export. replace: whether to write over a person's mark."""
    standing = official(book, practice)
    places = target.places()
    matches, unmatched = finished(match([place.person for place in places], standing.learners))
    scale, scaling = scale_to(target.most if scaled else None, standing.possible, target.title)
    ours = book.sent(target.where)
    changes, same = [], 0
    for place, who in zip(places, matches, strict=True):
        if who is None:
            continue
        mark = round(who.points * scale, 2)
        if _equal(place.mark, mark):
            same += 1
            continue
        is_ours = place.mark is None or place.mark in ours.get(place.number, ())
        kept = place.held or ("" if is_ours or replace else "a person has set it (--replace writes over it)")
        changes.append(Change(who, place, mark, kept))
    said = (
        *scaling,
        *late_twice(standing, target.title),
        *_absent(places, standing, target),
        *standing.set_aside,
    )
    return Plan(tuple(changes), same, unmatched, said)


def _absent(places: Sequence[Participant], standing: Standing, target: RemoteAssignment) -> Iterator[str]:
    """Who is there and has handed in nothing that was graded, as a sentence."""
    if absent := strangers([place.person for place in places], standing.learners):
        many = f"{len(absent)} of {counted(len(places), 'learner')} in {target.title}"
        yield f"{many} handed in nothing that was graded, and no mark is sent: {few(absent, MAX_SHOWN, '; ')}."


def send(book: Gradebook, target: RemoteAssignment, changes: tuple[Change, ...]) -> Iterator[Change]:
    """Write each mark that is to be written, unless another has come there since; gives each as it is done.

    Raises UsageError if a mark is not there afterwards.
    """
    for change in changes:
        place, mark = change.place, change.mark
        if change.kept:
            yield change
            continue
        there = target.mark_now(place)
        if not _equal(there, place.mark) and not _equal(there, mark):
            yield Change(change.who, place, mark, f"it was set to {there} just now")
            continue
        before = () if place.mark is None else (place.mark,)
        book.note_sent(target.where, place.number, (*before, mark))
        if not _equal(found := target.put(place, mark), mark):
            raise UsageError(
                f"{target.title} has {found} for {place.person.shown} after {mark:g} was sent to it: is it locked there?"
            )
        book.note_sent(target.where, place.number, (mark,))
        yield change


def _equal(one: float | None, other: float | None) -> bool:
    """Whether two marks are the same to two decimals, which is what systems keep."""
    if one is None or other is None:
        return one is other
    return round(one, 2) == round(other, 2)
