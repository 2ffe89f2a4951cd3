"""A learner's own file, checked in this process: what `check` is to a cell."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from autograder.checking.answer_code import refused_import
from autograder.checking.check import LocalTransport
from autograder.checking.output_limit import first_lines
from autograder.checking.shown_verdict import ShownVerdict
from autograder.checking.solved import note_progress
from autograder.diagnose.diagnosis import diagnose
from autograder.frameworks import adapter_of, frameworks, graded_frameworks, title_of, warm
from autograder.model.errors import Unreadable, UsageError
from autograder.model.exercise import Exercise
from autograder.model.verdict import Verdict, most_telling, not_written, unjudged
from autograder.read.encodings import is_submission
from autograder.read.files import SubmittedFile
from autograder.read.problems import STOPPED, SourceRun, in_no_framework, naming_prose, naming_wrong_helpers
from autograder.read.submission import Submission, read_bytes
from autograder.sandbox.worker import run_cells

ANSWERS = "__answers__"
# More than `grade` allows by default, since nobody else waits.
SOURCE_SECONDS = 15.0


def check_file(
    path: Path, exercises: Sequence[Exercise], framework: str | None, by_name: bool
) -> list[Verdict]:
    """Judge every answer in a file, in each framework that it is written in.

    framework: the only one to try, or None. by_name: whether the exercises were asked for by name, so that one
    which is not there is said to be missing. Raises UsageError where there is nothing to check.
    """
    submission = _read(path)
    tried: dict[str, list[Verdict]] = {e.name: [] for e in exercises}
    for name in [framework] if framework else graded_frameworks():
        to_judge = [e for e in exercises if name in _candidates(submission, e, framework)]
        for verdict in _check(submission, to_judge, name) if to_judge else []:
            tried[verdict.exercise].append(verdict)
    verdicts = []
    for exercise in exercises:
        exercise_verdicts = tried[exercise.name]
        if exercise_verdicts and framework is None and submission.is_unclear(exercise.entry):
            packages = submission.packages_of(exercise.entry)
            exercise_verdicts = [in_no_framework(most_telling(exercise_verdicts), exercise.entry, packages)]
        elif not exercise_verdicts and (by_name or submission.in_prose(exercise.entry)):
            words = submission.not_defined(exercise)
            exercise_verdicts = [unjudged(exercise, framework or "?", "missing", words)]
        verdicts += exercise_verdicts
    if not verdicts:
        listed = "`attention exercises` lists the names"
        raise UsageError(f"{path} defines nothing that an exercise asks for: {listed}.")
    return naming_wrong_helpers(naming_prose(verdicts, submission), submission)


def _read(path: Path) -> Submission:
    try:
        data = SubmittedFile(path.name, path.resolve()).read() if path.is_file() else b""
    except Unreadable as error:
        raise UsageError(f"{path} {error}") from error
    if not path.is_file() or not is_submission(path.name, data):
        raise UsageError(
            f"{path} is neither a notebook nor a Python file: name one that ends in .ipynb or .py."
        )
    submission = read_bytes(data, path.name)
    if submission.problem:
        raise UsageError(submission.problem)
    return submission


def _candidates(submission: Submission, exercise: Exercise, framework: str | None) -> list[str]:
    """Return the frameworks to judge an answer in; where nothing names one, all that are installed."""
    if framework is not None or submission.is_unclear(exercise.entry):
        frameworks_to_try = [framework] if framework else warm(graded_frameworks())
        return frameworks_to_try if submission.definitions.of(exercise.entry) else []
    return submission.frameworks(exercise.entry)


def _check(submission: Submission, exercises: Sequence[Exercise], framework: str) -> list[Verdict]:
    """Run the file once for a framework, and judge what it defines."""
    try:
        adapter = adapter_of(framework)
    except ImportError:
        stubs = {e.name for e in exercises if submission.definitions.is_not_written(e.entry, framework)}
        words = f"{title_of(framework)} is not installed on this machine."
        return [
            not_written(e, framework) if e.name in stubs else unjudged(e, framework, "error", words)
            for e in exercises
        ]
    with (frameworks()[framework].while_answers_run or nullcontext)():
        return _judged(submission, exercises, adapter.name)


def _judged(submission: Submission, exercises: Sequence[Exercise], framework: str) -> list[Verdict]:
    entries = {e.entry for e in exercises}
    namespace, errors = run_cells(_cells(submission, framework, entries), SOURCE_SECONDS)
    run, answers = SourceRun(submission, errors), namespace.get(ANSWERS, {})
    verdicts: list[Verdict] = []
    for exercise in exercises:
        if exercise.entry not in answers:
            verdicts.append(unjudged(exercise, framework, *run.why_not_defined(exercise)))
            continue
        if refused := refused_import(exercise, answers[exercise.entry], framework):
            verdicts.append(unjudged(exercise, framework, "rejected", refused, failed_stage="contract"))
            continue
        transport = LocalTransport(framework, answers[exercise.entry])
        with first_lines():
            verdict = diagnose(exercise, transport, framework)
        notes = run.notes(verdict, dict.fromkeys(run.stopped, STOPPED))
        verdict = replace(verdict, message=verdict.message + notes)
        verdicts.append(ShownVerdict.of(verdict, note_progress(exercise, verdict, answers[exercise.entry])))
    return verdicts


def _cells(submission: Submission, framework: str, entries: set[str]) -> dict[str, str]:
    """Return the sources to run. Each answer is kept when its cell has run: a chapter imports the reference later."""
    defines = {f"cell {cell.number}": cell.defines for cell in submission.cells}
    texts = {}
    for name, source in submission.sources(framework):
        keep = [
            f"if {entry!r} in globals(): globals().setdefault({ANSWERS!r}, {{}})[{entry!r}] = {entry}"
            for entry in sorted(entries & defines.get(name, submission.cells[0].defines))
        ]
        texts[f"<{name}>"] = "\n".join([source, *keep])
    return texts
