"""The autograder: exercises, the judge, the sandboxed worker, and the command line.

Importing this package loads nothing else, so that the process that runs a submission can
import `autograder.sandbox` without ever holding a reference.
"""

from typing import Any

__version__ = "1.0.0"


def __getattr__(name: str) -> Any:
    if name == "check":
        from autograder.learner.check import check

        return check
    if name == "solved":
        from autograder.learner.solved import solved

        return solved
    raise AttributeError(f"module 'autograder' has no attribute {name!r}")
