"""`solved`: what the cells below an exercise use, the learner's own answer once it is accepted.

Until then they use the course's reference. No cell has to bind the name that a learner defines, so a
check always judges what the learner wrote; and what the reference solutions build on an exercise (a
transformer on its blocks) is built on the learner's answer too. What is used is a copy that keeps the names
it was accepted with: the cell of the other framework may bind them anew.
"""

import importlib
import sys
from types import ModuleType
from typing import Any

from autograder.frameworks import graded, title_of
from autograder.learner import progress
from autograder.learner.handed_out import shell
from autograder.learner.own_names import with_own_names
from autograder.model.catalogue import by_entry, topics
from autograder.model.exercise import Exercise
from autograder.model.verdict import Verdict

# By exercise and framework: the accepted answer, and the reference whose place it takes.
_accepted: dict[tuple[str, str], tuple[Any, Any]] = {}


class Solved:
    """The answers in one framework, as attributes; says in a line whose it gives, where that is new."""

    def __init__(self, framework: str) -> None:
        self._framework = framework
        self._said: dict[str, bool] = {}

    def __getattr__(self, entry: str) -> Any:
        found = by_entry(entry)
        if len(found) != 1:
            raise AttributeError(f"no exercise asks for {entry!r}")
        own = (found[0].name, self._framework) in _accepted
        if self._said.get(entry) is not own and progress.is_kept():
            self._said[entry] = own
            whose = "yours" if own else "the course's, until yours is accepted"
            _say_behind_the_cell(f"{entry} in {title_of(self._framework)}: {whose}")
        return getattr(_module(found[0], self._framework), entry)


def solved(framework: str) -> Solved:
    """Each exercise's function or class in a framework: the learner's if accepted, else the reference.

    `solved("torch").masked_softmax(X, valid_length)` calls it.
    """
    return Solved(framework)


def _say_behind_the_cell(line: str) -> None:
    """Print a line: in a notebook when the cell is done, so that it stands in no table that the cell prints."""
    if (notebook := shell()) is None:
        sys.stdout.write(f"{line}\n")
        return

    def say(_: object) -> None:
        notebook.events.unregister("post_run_cell", say)
        sys.stdout.write(f"{line}\n")

    notebook.events.register("post_run_cell", say)


def is_reference(entry: Any) -> bool:
    """Whether this is the course's own solution and no answer of a learner's."""
    return str(getattr(entry, "__module__", "")).startswith("solutions.")


def remember(exercise: Exercise, verdict: Verdict, entry: Any) -> None:
    """From now on use the answer if it was accepted, and the reference if it was not.

    Only in a learner's folder: elsewhere, as in the book's own chapters, the references stay. On exercises of a
    teacher's own nothing of the course is built.
    """
    if verdict.framework in graded() and exercise.topic in topics():
        _restore(exercise, verdict.framework)
        if verdict.outcome == "accepted" and progress.is_kept():
            _adopt(exercise, verdict.framework, entry)


def _adopt(exercise: Exercise, framework: str, entry: Any) -> None:
    reference = getattr(_module(exercise, framework), exercise.entry, None)
    if reference is not None:
        own = with_own_names(entry)
        _accepted[exercise.name, framework] = own, reference
        _replace(framework, reference, own)


def _restore(exercise: Exercise, framework: str) -> None:
    if (kept := _accepted.pop((exercise.name, framework), None)) is not None:
        entry, reference = kept
        _replace(framework, entry, reference)


def _module(exercise: Exercise, framework: str) -> ModuleType:
    return importlib.import_module(f"solutions.{exercise.topic}.in_{framework}")


def _replace(framework: str, old: Any, new: Any) -> None:
    """In each of a framework's solutions, wherever it was imported to."""
    for name, module in list(sys.modules.items()):
        if name.startswith("solutions.") and name.endswith(f".in_{framework}"):
            for attribute, value in list(vars(module).items()):
                if value is old:
                    setattr(module, attribute, new)
