"""The autograder: exercises, the judge, the sandboxed worker, and the command line.

Importing this package loads nothing else, so that the process that runs a submission can
import `autograder.sandbox` without ever holding a reference.
"""

import importlib
import importlib.util
import sys
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

__version__ = "2.0.0"


# The packages beside this one, which a file of a learner's folder may hide.
BESIDE = ("course", "exercises", "solutions")


class HiddenPackage(ImportError):
    """A file or folder of a learner's hides a package of the course."""

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows of it: the sentence alone."""
        return [str(self)]


def _refuse_what_hides() -> None:
    """Raise HiddenPackage, with a sentence, where another file would be imported in the place of the course's own."""
    root = Path(__file__).resolve().parents[1]
    for name in BESIDE:
        spec = importlib.util.find_spec(name)
        path = Path(spec.origin) if spec and spec.origin else None
        if path is None:
            continue
        path = path.parent if path.stem == "__init__" else path  # compiled ones too: the page's are
        if path.resolve() != root / name:
            raise HiddenPackage(f"{path.name} in {path.parent} hides the course's own {name}: rename it.")


def _show_uncaught(kind: type[BaseException], error: BaseException, traceback: Any, before: Any) -> None:
    """Show what ends a script: of a hidden package the sentence alone."""
    if isinstance(error, HiddenPackage):
        sys.stderr.write(f"{error}\n")
    else:
        before(kind, error, traceback)


try:
    _refuse_what_hides()
except HiddenPackage:
    sys.excepthook = partial(_show_uncaught, before=sys.excepthook)
    raise


# What learners use, and the module of each.
FOR_LEARNERS = {
    "check": "autograder.checking.check",
    "hint": "autograder.checking.hint",
    "my_gpt": "course.gpt.my_gpt",
    "practise": "autograder.checking.practise",
    "solved": "autograder.checking.solved",
    "overview": "autograder.checking.progress",
}
# Copies of version 2.0.0 and before say `from autograder.learner.progress import overview`.
sys.modules["autograder.learner"] = _learner = ModuleType("autograder.learner")
_learner.__path__ = [f"{__path__[0]}/checking"]


def __getattr__(name: str) -> Any:
    """What learners use, loaded when it is first asked for."""
    if name in FOR_LEARNERS:
        return getattr(importlib.import_module(FOR_LEARNERS[name]), name)
    raise AttributeError(f"module 'autograder' has no attribute {name!r}")
