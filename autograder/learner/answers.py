"""A learner's own file, checked in this process: what `check` is to a cell."""

from collections.abc import Sequence
from pathlib import Path

from autograder.frameworks import adapter_of, graded, title_of
from autograder.judge.trial import judge
from autograder.learner import progress
from autograder.learner.check import LocalTransport
from autograder.learner.verdict import ShownVerdict
from autograder.model.errors import Unreadable, UsageError
from autograder.model.exercise import Exercise
from autograder.model.verdict import Verdict
from autograder.read.files import Source
from autograder.read.submission import SUFFIXES, Submission, read_bytes
from autograder.sandbox.worker import run_cells

ANSWERS = "__answers__"


def check_file(
    path: Path, exercises: Sequence[Exercise], framework: str | None, named: bool
) -> list[Verdict]:
    """Judge every answer in a file, in each framework that it is written in.

    framework: the only one to try, or None. named: whether the exercises were asked for by name, so that one
    which is not there is said to be missing. Raises UsageError where there is nothing to check.
    """
    submission = _read(path)
    verdicts = []
    for name in [framework] if framework else graded():
        asked = [
            e
            for e in exercises
            if name in submission.frameworks(e.entry) or (framework and _has(submission, e))
        ]
        if asked:
            verdicts += _check(submission, asked, name)
    found = {v.exercise for v in verdicts}
    if named:
        verdicts += [_missing(e, framework, path) for e in exercises if e.name not in found]
    if not verdicts:
        raise UsageError(
            f"{path} defines nothing that an exercise asks for, or does not show in which framework: "
            "`python -m autograder exercises` lists the names, and --framework says which."
        )
    return verdicts


def _read(path: Path) -> Submission:
    if not path.is_file() or path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{path} is no notebook and no Python file: name one that ends in .ipynb or .py.")
    try:
        submission = read_bytes(Source(path.name, path).read(), path.name)
    except Unreadable as error:
        raise UsageError(f"{path} {error}") from error
    if submission.problem:
        raise UsageError(submission.problem)
    return submission


def _has(submission: Submission, exercise: Exercise) -> bool:
    return any(exercise.entry in cell.defines for cell in submission.cells)


def _check(submission: Submission, exercises: Sequence[Exercise], framework: str) -> list[Verdict]:
    """Run the file once for a framework, and judge what it defines."""
    try:
        adapter = adapter_of(framework)
    except ImportError:
        words = f"{title_of(framework)} is not installed on this machine."
        return [_failed(e, framework, "error", words) for e in exercises]
    entries = {e.entry for e in exercises}
    namespace, errors = run_cells(_cells(submission, framework, entries))
    answers = namespace.get(ANSWERS, {})
    verdicts: list[Verdict] = []
    for exercise in exercises:
        if exercise.entry not in answers:
            first = errors[0] if errors else {}
            why = f"{first.get('type')} in line {first.get('line')}: {first.get('message')}"
            words = f"{exercise.entry} is never defined: {why}"
            verdicts.append(_failed(exercise, framework, "error", words))
            continue
        transport = LocalTransport(adapter.name, answers[exercise.entry])
        found = judge(exercise, transport, framework)
        verdicts.append(ShownVerdict.of(found, progress.keep(found)))
    return verdicts


def _cells(submission: Submission, framework: str, entries: set[str]) -> dict[str, str]:
    """The sources to run. Each answer is kept when its cell has run: a chapter imports the reference later."""
    defines = {f"cell {cell.number}": cell.defines for cell in submission.cells}
    found = {}
    for name, source in submission.sources(framework):
        mine = sorted(entries & defines.get(name, submission.cells[0].defines))
        keep = [f"globals().setdefault({ANSWERS!r}, {{}})[{entry!r}] = {entry}" for entry in mine]
        found[f"<{name}>"] = "\n".join([source, *keep])
    return found


def _missing(exercise: Exercise, framework: str | None, path: Path) -> Verdict:
    kind = "class" if exercise.is_class else "function"
    if framework is None and exercise.entry in path.read_text(encoding="utf-8", errors="replace"):
        words = f"{path.name} does not show in which framework {exercise.entry} is written: say it with --framework."
    else:
        words = f"{path.name} defines no {kind} named {exercise.entry}."
    return _failed(exercise, framework or "?", "missing", words)


def _failed(exercise: Exercise, framework: str, outcome: str, message: str) -> Verdict:
    return Verdict(exercise.name, framework, outcome, message, max_points=exercise.points)
