"""Who did not hand in: the rows of a class's table that fit nobody in the gradebook."""

from collections.abc import Sequence
from pathlib import Path

from autograder.marks.exports.canvas import NAMES, learners
from autograder.marks.exports.moodle import columns, participants
from autograder.marks.exports.people import strangers
from autograder.marks.exports.roster import read_roster
from autograder.marks.standing import Learner
from autograder.model.errors import UsageError

# The column of a table of one's own.
OWN = "learner"


def absent_from(path: Path, everyone: Sequence[Learner]) -> list[str]:
    """Their names, by Canvas's table, Moodle's worksheet, or a table with a column `learner`.

    Raises UsageError for a file that is no such table, or in which nobody of the gradebook is.
    """
    roster = read_roster(path)
    if set(NAMES) & set(roster.header):
        people = learners(roster)[1]
    else:
        places, _ = columns(roster, {"name": OWN} if OWN in roster.header else {})
        people = participants(roster, places)
    found = strangers(people, everyone)
    if everyone and len(found) == len(people):
        raise UsageError(
            f"{path} names nobody of this gradebook: its names must be those of the class page, but are such as "
            f"{found[0] if found else 'none'}."
        )
    return found
