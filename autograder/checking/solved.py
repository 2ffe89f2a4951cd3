"""`solved`: what the cells below an exercise use, the learner's own answer once it is accepted.

Until then they use the course's reference. No cell has to bind the name that a learner defines, so a
check always judges what the learner wrote; and what the reference solutions build on an exercise (a
transformer on its blocks) is built on the learner's answer too. What is used is the text that is kept in the
learner's folder (`accepted_answers`) for later notebooks and new kernels, with the names it was accepted with: the cell
of the other framework may bind them anew. A later answer takes its place once it is accepted.
"""

import importlib
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from autograder.checking import accepted_answers, progress
from autograder.checking.notebook_folder import shell
from autograder.frameworks import graded_frameworks, title_of
from autograder.model.catalogue import all_exercises, by_entry, topics
from autograder.model.errors import UsageError
from autograder.model.exercise import Exercise
from autograder.model.learner_files import keep_or_explain, take_notes
from autograder.model.text import clean
from autograder.model.verdict import Verdict

# By exercise and framework: the accepted answer, and the reference whose place it takes.
_accepted: dict[tuple[str, str], tuple[Any, Any]] = {}
# The folders and frameworks whose kept answers are in use.
_loaded: set[tuple[Path, str]] = set()
# By folder, framework and entry: whether it was last said to be the learner's.
_last_announcements: dict[tuple[Path, str, str], bool] = {}


class Solved:
    """The answers in one framework, as attributes; says in a line whose it gives, where that is new."""

    def __init__(self, framework: str) -> None:
        self._framework = framework

    def __getattr__(self, entry: str) -> Any:
        exercises = by_entry(entry)
        if len(exercises) != 1:
            raise AttributeError(f"no exercise asks for {entry!r}")
        _load(self._framework)
        is_learners = (exercises[0].name, self._framework) in _accepted
        folder = progress.folder_at_hand()
        if folder and _last_announcements.get((folder, self._framework, entry)) is not is_learners:
            _last_announcements[folder, self._framework, entry] = is_learners
            whose = "yours" if is_learners else "the course's, until yours is accepted"
            _say_behind_the_cell(f"{entry} in {title_of(self._framework)}: {whose}")
        return getattr(_module(exercises[0], self._framework), entry)


def solved(framework: str) -> Solved:
    """Return each exercise's function or class in a framework: the learner's if accepted, else the reference.

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


def is_reference(answer: Any) -> bool:
    """Return whether this is the course's own solution and no answer of a learner's."""
    return str(getattr(answer, "__module__", "")).startswith("solutions.")


def note_progress(exercise: Exercise, verdict: Verdict, entry: Any) -> str | None:
    """Record a verdict in the learner's folder, and use an accepted answer from now on; return what to say of both."""
    sentences = [keep_or_explain(progress.keep, verdict), keep_or_explain(remember, exercise, verdict, entry)]
    return ". ".join(filter(None, sentences)) or None


def remember(exercise: Exercise, verdict: Verdict, entry: Any) -> str | None:
    """Use an answer from now on if it was accepted, here and in later notebooks; a sentence if only here.

    Only in a learner's folder: elsewhere, as in the book's own chapters, the references stay. On exercises of a
    teacher's own nothing of the course is built.
    """
    folder = progress.folder_at_hand()
    if folder is None or verdict.framework not in graded_frameworks() or exercise.topic not in topics():
        return None
    _load(verdict.framework)
    if verdict.outcome != "accepted":
        return None
    origins = {
        id(answer): (f"solutions.{all_exercises()[name].topic}.in_{framework}", all_exercises()[name].entry)
        for (name, framework), (answer, _) in _accepted.items()
    }
    try:
        source = accepted_answers.source_of(entry, origins)
        answer = accepted_answers.entry_of(source, exercise.name, verdict.framework, exercise.entry)
    except Exception as error:  # whatever the code of other cells raises when it runs again
        _adopt(exercise, verdict.framework, _with_its_names(entry))
        return f"Later notebooks use the course's {exercise.entry}: yours cannot be kept, since {error}."
    _adopt(exercise, verdict.framework, answer)
    accepted_answers.keep(folder, exercise.name, verdict.framework, source)
    return None


def _load(framework: str) -> None:
    """Use the answers that are kept in the learner's folder, those of earlier chapters first."""
    folder = progress.folder_at_hand()
    if folder is None or (folder, framework) in _loaded:
        return
    _loaded.add((folder, framework))
    try:
        sources = accepted_answers.read(folder)
    except UsageError as error:
        return _say_behind_the_cell(f"Your kept answers cannot be used: {error}")
    for note in take_notes():
        _say_behind_the_cell(note)
    for name, exercise in all_exercises().items():
        source = sources.get(name, {}).get(framework)
        if source is None or (name, framework) in _accepted or exercise.topic not in topics():
            continue
        try:
            _adopt(exercise, framework, accepted_answers.entry_of(source, name, framework, exercise.entry))
        except Exception as error:  # the learner's own code may raise whatever it likes
            reason = clean(f"{type(error).__name__}: {error}")
            _say_behind_the_cell(f"Your kept {exercise.entry} cannot be used ({reason}): check it again.")


def _with_its_names(answer: Any) -> Any:
    """Return a function, or a class's methods, for which names stay what they are now; anything else as it is."""
    if isinstance(answer, type):
        methods = {
            name: _with_its_names(m) for name, m in vars(answer).items() if isinstance(m, FunctionType)
        }
        # A class of its own would be no class to which the methods' super() fits.
        return type(answer)(answer.__name__, (answer,), {**methods, "__module__": answer.__module__})
    if not isinstance(answer, FunctionType):
        return answer
    names, closed = dict(answer.__globals__), answer.__closure__
    function = FunctionType(answer.__code__, names, answer.__name__, answer.__defaults__, closed)
    for attribute in ("__kwdefaults__", "__doc__", "__module__"):
        setattr(function, attribute, getattr(answer, attribute))
    return function


def _adopt(exercise: Exercise, framework: str, answer: Any) -> None:
    key = exercise.name, framework
    now = getattr(_module(exercise, framework), exercise.entry, None)
    if now is not None:
        reference = _accepted[key][1] if key in _accepted else now
        _accepted[key] = answer, reference
        _replace(framework, now, answer)


def _module(exercise: Exercise, framework: str) -> ModuleType:
    return importlib.import_module(f"solutions.{exercise.topic}.in_{framework}")


def _replace(framework: str, old: Any, new: Any) -> None:
    """Replace a value in each of a framework's solutions, wherever it was imported to."""
    for name, module in list(sys.modules.items()):
        if name.startswith("solutions.") and name.endswith(f".in_{framework}"):
            for attribute in [a for a, value in vars(module).items() if value is old]:
                setattr(module, attribute, new)


if shell() is not None:
    # In a notebook a cell that imports from `solutions` what an earlier chapter asked for gets the learner's answer too.
    for _framework in graded_frameworks():
        _load(_framework)
