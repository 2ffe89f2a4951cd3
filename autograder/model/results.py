"""What came of a submission: all of it, and each exercise as it stands in the gradebook."""

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from autograder.model.verdict import Verdict

# A learner of a download, as `autograder/read/learners.py` names them; an `identity` has other letters.
DOWNLOADED = re.compile(r"(?P<name>.*) \((?P<system>Canvas|Moodle) (?P<number>\d+)\)", re.IGNORECASE)


@dataclass(frozen=True)
class SubmissionResult:
    """One file that was handed in, and its verdicts.

    digest: of its bytes. problem: why it could not be read or graded, as a sentence, or None. seconds: of the
    clock of time limits, and of the judge's processor. practice: whether the full lock was not required. is_settled:
    whether another run would find the same. again: whether it was graded twice, since the first time was not settled.
    """

    name: str
    digest: str
    problem: str | None
    verdicts: tuple[Verdict, ...] = ()
    seconds: float = 0.0
    practice: bool = False
    is_settled: bool = True
    again: bool = False


@dataclass(frozen=True)
class ExerciseResult:
    """One exercise of one submission, in one framework.

    version: of the check that gave it. graded_at: when, in words, in UTC; "" where a first gradebook did not keep it.
    """

    submission: str
    digest: str
    verdict: Verdict
    seconds: float
    practice: bool
    version: str = ""
    graded_at: str = ""


def learner_of(name: str) -> str:
    """Return the first folder of a submission's path, or its name without the ending."""
    first, slash, _ = name.partition("/")
    return first if slash else Path(first).stem


def identity(name: str) -> str:
    """Return what is the same for all ways to write a learner's name: composed or not, in any case.

    A letter that has no single small letter stays as it is: `ß` and `ss`, or `İ` and `i̇`, may be two people.
    """
    composed = unicodedata.normalize("NFC", name)
    small = "".join(c.lower() if len(c.lower()) == 1 else c for c in composed)
    return unicodedata.normalize("NFC", small).strip()
