"""What may go wrong for a user: every error is a sentence that says what to do, and has an exit status."""

import traceback
from pathlib import Path


class AutograderError(Exception):
    """An error to be told to the user in one sentence, and not as a traceback."""

    exit_status = 2


class Unreadable(AutograderError):
    """A submission that cannot be read."""


class ZygoteFailed(AutograderError):
    """The process that runs submissions could not be started, or is gone."""


class LockRefused(AutograderError):
    """An official mark was asked for where the lock does not hold."""


class UsageError(AutograderError):
    """A command was asked for something that is not there or cannot be done."""


class CheckAtFault(AutograderError):
    """The judge contradicts itself, so that it can say nothing of an answer."""


class Interrupted(AutograderError):
    """The user stopped the command."""

    exit_status = 130


class ToolError(AutograderError):
    """A maintainer's tool, or the build of the book, lacks what it needs."""


def location_of(error: Exception) -> str:
    """Return the end of a sentence on an error of somebody else's code: the line that raised it, its kind, its words."""
    frames = traceback.extract_tb(error.__traceback__)
    at = f", line {frames[-1].lineno} of {Path(frames[-1].filename).name}" if frames else ""
    return f"{at}: {type(error).__name__}: {error}"
