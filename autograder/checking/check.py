"""`check`: judges a learner's answer in the learner's own process, without a sandbox."""

import functools
import io
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from autograder.checking.answer_code import (
    call_without_axis,
    other_frameworks_answer,
    other_frameworks_helper,
    outer_names,
    outer_setting,
    refused_import,
)
from autograder.checking.notebook_folder import LISTED, exercise_named, load_exercises_beside
from autograder.checking.output_limit import first_lines
from autograder.checking.shown_verdict import ShownVerdict, note
from autograder.checking.solved import is_reference, note_progress
from autograder.diagnose.counterexample import Example, smallest_example
from autograder.diagnose.diagnosis import diagnose
from autograder.frameworks import adapter_of, checkable_frameworks, frameworks, graded_frameworks, warm
from autograder.judge.trial import Trial
from autograder.judge.words import article, quoted_line, sentence
from autograder.model.catalogue import by_entry
from autograder.model.exercise import Exercise
from autograder.model.paths import PACKAGES, ROOT
from autograder.model.verdict import Verdict, is_wrong, most_telling, unjudged, with_wrong_helpers
from autograder.sandbox.requests import CallRequest
from autograder.sandbox.session import Session, describe_error
from autograder.sandbox.wire import Arrays, Header

REFERENCE = (
    "{entry} is the course's own solution here, and not your answer: run the cell in which you write "
    "{entry} again, and then this one."
)
A_RESULT = (
    "{what} is handed over: hand over the function itself, not its result, as in check(masked_softmax)."
)
NO_NAME = "A lambda has no name that says which exercise it answers: name it, check(..., exercise='masked_softmax')."
STOPPED = "You stopped {entry} before it ended: is there a loop that never ends"
# By their frameworks and names: what was judged in this process and is wrong.
_wrong: dict[tuple[str, str], Any] = {}
COURSE = tuple(f"{ROOT / folder}{os.sep}" for folder in PACKAGES)
# MXNet generates functions as text, which Python calls <string>.
LIBRARIES = (str(Path(sys.prefix) / "lib"), sys.base_prefix, "<string>", "<frozen ", "<__")
# The frameworks in use, here, so that the first answer comes as fast as the others.
warm(name for name, f in checkable_frameworks().items() if sys.modules.keys() >= {*f.packages})


def check(entry: Any, framework: str | None = None, exercise: str | None = None) -> ShownVerdict:
    """Judge a function or class, and say what is right or what is wrong first.

    entry: the function or class; its name finds the exercise.
    framework: "mxnet", "torch" or "numpy" (values only); found from the code if not
    given; where the code names none, each is tried.
    exercise: the exercise's name, where the entry has another one.
    Returns a verdict that shows itself in a notebook; in a script it is printed too.
    Raises LookupError, with a sentence, for an unknown name or framework.
    """
    if exercise is None:
        load_exercises_beside()
    name = _name(entry)
    entry_name = name if by_entry(name) else _bound_name(entry, sys._getframe(1)) or name
    if exercise is None and (words := _no_answer(entry, entry_name)):
        verdict = Verdict("?", framework or "?", "missing", words)
        note(verdict)
        return _print_in_script(ShownVerdict.of(verdict))
    matched_exercise = _exercise(entry_name, exercise)
    if framework is not None and framework not in checkable_frameworks():
        raise LookupError(
            f"There is no framework {framework!r}: use one of {', '.join(checkable_frameworks())}."
        )
    verdict = _verdict_on(matched_exercise, entry, framework)
    note(verdict)
    _wrong.pop((verdict.framework, name), None)
    if is_wrong(verdict):
        _wrong[verdict.framework, name] = entry
    words = note_progress(matched_exercise, verdict, entry)
    return _print_in_script(ShownVerdict.of(verdict, words, example(matched_exercise, verdict, entry)))


def _verdict_on(exercise: Exercise, answer: Any, framework: str | None) -> Verdict:
    """Judge an answer, if it is one. framework: of the answer, if it was given."""
    answer_framework = framework or _framework(answer)
    refused = functools.partial(unjudged, exercise, answer_framework or "?")
    if is_reference(answer):
        return refused("missing", REFERENCE.format(entry=exercise.entry))
    if words := other_frameworks_answer(answer, framework):
        return refused("missing", words)
    if words := refused_import(exercise, answer, answer_framework):
        return refused("rejected", words, failed_stage="contract")
    candidates = [answer_framework] if answer_framework else warm(graded_frameworks())
    try:
        with first_lines():
            verdict = _judged(exercise, answer, candidates)
    except KeyboardInterrupt as stop:
        where = quoted_line(describe_error(stop, _is_learners_file))
        verdict = refused("timeout", sentence(f"{STOPPED.format(entry=exercise.entry)}{where}?"))
    if verdict.outcome == "error" and (words := other_frameworks_helper(answer, answer_framework)):
        return unjudged(exercise, verdict.framework, "missing", words)
    return _with_causes_in_the_code(exercise, verdict, answer)


def _print_in_script(verdict: ShownVerdict) -> ShownVerdict:
    """Return the verdict, which a notebook shows by itself; in a script print it."""
    if not hasattr(sys, "ps1") and "IPython" not in sys.modules:
        sys.stdout.write(f"{verdict}\n")
    return verdict


def _with_causes_in_the_code(exercise: Exercise, verdict: Verdict, answer: Any) -> Verdict:
    """Return the verdict on a wrong answer, with what its own lines say of the cause: wrong helpers, and more without a name."""
    if verdict.outcome in ("rejected", "error") and verdict.failed_stage != "misconception":
        causes = [outer_setting(exercise, answer), call_without_axis(answer, verdict.framework)]
        verdict = replace(verdict, message=" ".join([verdict.message, *filter(None, causes)]))
    wrong = {id(other) for other in _wrong.values()} - {id(answer)}
    return with_wrong_helpers(verdict, {name for name, value, _ in outer_names(answer) if id(value) in wrong})


def _judged(exercise: Exercise, answer: Any, candidates: list[str]) -> Verdict:
    """Return the verdict; of several frameworks the most telling, since a shape or a count names none."""
    verdicts: list[Verdict] = []
    for framework in candidates:
        verdicts.append(diagnose(exercise, LocalTransport(framework, answer), framework))
        if verdicts[-1].outcome == "accepted":
            break
    return most_telling(verdicts)


def example(
    exercise: Exercise, verdict: Verdict, answer: Any, least: Mapping[str, int] | None = None
) -> Example | None:
    """Return the smallest input on which values are wrong that no misconception explains. least: of axes, as drawn."""
    # A choice has no smaller input, and what is right would be its answer.
    if exercise.has_choices or verdict.failed_stage not in ("values", "properties"):
        return None
    trial = Trial(exercise, LocalTransport(verdict.framework, answer), verdict.framework, seed=0)
    case = next((case for case in trial.cases if case.note == verdict.case), None)
    with redirect_stdout(io.StringIO()):  # of the answer's calls, those of the cases may print
        return None if case is None else smallest_example(exercise, case, trial.ask, least)


class LocalTransport:
    """Runs the entry in this process: nothing limits what it does."""

    def __init__(self, framework: str, answer: Any) -> None:
        self.differentiates = frameworks()[framework].differentiates
        self.while_it_runs = frameworks()[framework].while_answers_run or nullcontext
        self.session = Session(adapter_of(framework), answer, _is_learners_file)

    def exchange_all(self, calls: Sequence[tuple[CallRequest, Arrays]]) -> list[tuple[Header, Arrays]]:
        with self.while_it_runs():
            return list(self.session.exchange_all(calls))


def _is_learners_file(filename: str) -> bool:
    return not filename.startswith((*COURSE, *LIBRARIES))


def _exercise(entry_name: str, name: str | None) -> Exercise:
    if name is not None:
        return exercise_named(name)
    exercises = by_entry(entry_name)
    if len(exercises) != 1:
        other = "Name the one you mean: check(..., exercise='...')."
        raise LookupError(f"No exercise asks for {entry_name!r}. {other} {LISTED}")
    return exercises[0]


def _name(answer: Any) -> str:
    """Return the name of a function, a class or an object's class; what `torch.jit.script` makes keeps it elsewhere."""
    answer = _unwrapped(answer)
    names = (getattr(answer, name, None) for name in ("qualified_name", "original_name", "__name__"))
    full_name = next((name for name in names if isinstance(name, str)), type(answer).__name__)
    return full_name.rsplit(".", 1)[-1]


def _bound_name(answer: Any, frame: FrameType) -> str | None:
    """Return the name of an exercise's entry to which whoever calls has bound this object, as `grade` finds it."""
    names = [*frame.f_locals.items(), *frame.f_globals.items()]
    return next((name for name, value in names if value is answer and by_entry(name)), None)


def _no_answer(answer: Any, name: str) -> str | None:
    """Return why what is handed over cannot be an answer: it is what a call gave, or a function without a name."""
    if not callable(answer):
        what = "None" if answer is None else article(type(answer).__name__)
        return A_RESULT.format(what=what[:1].upper() + what[1:])
    return NO_NAME if name == "<lambda>" else None


def _unwrapped(answer: Any) -> Any:
    return _unwrapped(answer.func) if isinstance(answer, functools.partial) else answer


def _framework(answer: Any) -> str | None:
    """Return the framework whose class it is, or whose modules the code uses by name; None if that is none, or several."""
    answer = _unwrapped(answer)
    kind = answer if isinstance(answer, type) else type(answer)
    candidates = _of_modules((base.__module__ for base in kind.__mro__), checkable_frameworks())
    if not candidates:
        names = outer_names(answer if hasattr(answer, "__code__") else kind)
        candidates = _of_modules((module for _, _, module in names), graded_frameworks())
    return candidates[0] if len(candidates) == 1 else None


def _of_modules(modules: Iterable[str], among: Iterable[str]) -> list[str]:
    packages = {module.split(".")[0] for module in modules}
    return [name for name in among if packages & {*frameworks()[name].packages}]
