"""The autograder: exercises, the judge, the sandboxed worker, and the command line.

Importing this package loads nothing else, so that the process that runs a submission can
import `autograder.sandbox` without ever holding a reference.
"""

import importlib
from typing import Any

__version__ = "2.0.0"


def __getattr__(name: str) -> Any:
    """What learners use: each in a module of its own name, loaded when it is first asked for."""
    if name in ("check", "hint", "solved"):
        return getattr(importlib.import_module(f"autograder.learner.{name}"), name)
    raise AttributeError(f"module 'autograder' has no attribute {name!r}")
