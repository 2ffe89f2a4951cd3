"""What `--verbose` writes to standard error about a run of `grade`.

Only the grader's own processes write here. The process that runs a submission has no log, and a
submission's words are cleaned before they are written.
"""

import logging
from functools import cache

from autograder.model.text import clean

FORMAT = "%(asctime)s %(process)d %(name)s: %(message)s"
log = logging.getLogger(__name__)
_ALL = logging.getLogger("autograder")
# Without --verbose nothing is written, warnings neither.
_ALL.addHandler(logging.NullHandler())


class _Lines(logging.Formatter):
    """One line for a message; the lines of a traceback are indented, so that none passes for a message."""

    def format(self, record: logging.LogRecord) -> str:
        first, *more = super().format(record).split("\n")
        return "\n".join([clean(first), *(f"    {clean(line)}" for line in more)])


def to_standard_error(level: int) -> None:
    """Write what the grader logs from a level on; once for each process. 0 leaves everything as it is."""
    if level and _ALL.level == logging.NOTSET:
        handler = logging.StreamHandler()
        handler.setFormatter(_Lines(FORMAT))
        _ALL.addHandler(handler)
        _ALL.setLevel(level)


def level() -> int:
    """Return the level that is in force here, for the processes that this one starts; 0 without --verbose."""
    return _ALL.level


@cache
def note_layers(held: tuple[str, ...]) -> None:
    """Log, once for each process, which layers of the lock hold."""
    log.info("layers of the lock: %s", ", ".join(held) or "none")
