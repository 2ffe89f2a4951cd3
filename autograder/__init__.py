"""The autograder: exercises, the judge, the sandboxed worker, and the command line.

Importing this package loads nothing else, so that the process that runs a submission can
import `autograder.sandbox` without ever holding a reference.
"""

import importlib
import sys
from types import ModuleType
from typing import Any

__version__ = "2.0.0"


# What learners use, and the module of each in `autograder/checking/`.
FOR_LEARNERS = {
    "check": "check",
    "hint": "hint",
    "my_gpt": "my_gpt",
    "practise": "practise",
    "solved": "solved",
    "overview": "progress",
}
# Copies of version 2.0.0 and before say `from autograder.learner.progress import overview`.
sys.modules["autograder.learner"] = _learner = ModuleType("autograder.learner")
_learner.__path__ = [f"{__path__[0]}/checking"]


def __getattr__(name: str) -> Any:
    """What learners use, loaded when it is first asked for."""
    if name in FOR_LEARNERS:
        return getattr(importlib.import_module(f"autograder.checking.{FOR_LEARNERS[name]}"), name)
    raise AttributeError(f"module 'autograder' has no attribute {name!r}")
