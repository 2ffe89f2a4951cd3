"""What may go wrong for a user: every error is a sentence that says what to do, and has an exit status."""


class AutograderError(Exception):
    """An error to be told to the user in one sentence, and not as a traceback."""

    exit_status = 2


class Unreadable(AutograderError):
    """A submission that cannot be read."""


class ZygoteFailed(AutograderError):
    """The process that runs submissions could not be started, or is gone."""


class LockRefused(AutograderError):
    """An official mark was asked for where the lock does not hold."""


class GradebookError(AutograderError):
    """The gradebook cannot be used."""


class ClusterError(AutograderError):
    """The cluster cannot be used."""


class ExportError(AutograderError):
    """An export that cannot be made."""


class UsageError(AutograderError):
    """A command was asked for something that is not there or cannot be done."""


class CheckAtFault(AutograderError):
    """The judge contradicts itself, so that it can say nothing of an answer."""


class Interrupted(AutograderError):
    """The user stopped the command."""

    exit_status = 130
