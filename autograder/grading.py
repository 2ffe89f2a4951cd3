"""`grade`: every exercise of every submission, each in a process of its own."""

import hashlib
import hmac
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from .exercise import Exercise
from .judge import Tampering, judge
from .remote import ROOT, Closed, Deadlines, TooLate, Worker, Zygote, ZygoteFailed
from .sandbox.wire import Header, as_array
from .submission import SUFFIXES, Submission, read
from .verdict import Verdict

KEY = b"attention, side by side"


def find(path: Path) -> list[Path]:
    """The submissions at a path: the file itself, or every notebook and Python file below a folder."""
    if not path.is_dir():
        return [path]
    hidden = ("__pycache__", ".ipynb_checkpoints")
    return sorted(
        p for p in path.rglob("*")
        if p.suffix in SUFFIXES and p.is_file() and not any(part in hidden for part in p.parts)
    )  # fmt: skip


def tasks(
    submission: Submission, exercises: Sequence[Exercise], framework: str | None
) -> list[tuple[Exercise, str]]:
    """What to grade: each exercise in each framework in which the submission defines it."""
    return [
        (exercise, found)
        for exercise in exercises
        for found in ([framework] if framework else submission.frameworks(exercise.entry))
    ]


def grade(
    paths: Sequence[Path],
    root: Path,
    exercises: Sequence[Exercise],
    framework: str | None,
    deadlines: Deadlines,
) -> Iterator[tuple[Submission, list[Verdict], float]]:
    """Grade submissions one after the other; gives each with its verdicts and the seconds it took.

    With a single exercise named, a submission that lacks it gets the verdict `missing`.
    """
    with Zygote() as zygote:
        for path in paths:
            name = str(path.relative_to(root)) if path != root else path.name
            submission = read(path, name)
            begun = time.perf_counter()
            verdicts = grade_one(zygote, submission, exercises, framework, deadlines)
            yield submission, verdicts, time.perf_counter() - begun


def grade_one(
    zygote: Zygote,
    submission: Submission,
    exercises: Sequence[Exercise],
    framework: str | None,
    deadlines: Deadlines,
) -> list[Verdict]:
    """All verdicts on one submission."""
    found = tasks(submission, exercises, framework)
    asked = [(e, framework or "torch") for e in exercises] if len(exercises) == 1 else []
    if submission.problem:
        return [_failed(e, f, "error", submission.problem) for e, f in found or asked]
    if not found and asked:
        exercise, _ = asked[0]
        return [_failed(exercise, framework or "?", "missing", _nowhere(submission, exercise))]
    return [grade_exercise(zygote, submission, e, f, deadlines) for e, f in found]


def grade_exercise(
    zygote: Zygote, submission: Submission, exercise: Exercise, framework: str, deadlines: Deadlines
) -> Verdict:
    """One verdict. A wrong helper is not charged twice: the reference stands in for it if need be."""
    if framework not in zygote.frameworks:
        return _failed(exercise, framework, "error", f"{framework} is not installed on this machine.")
    verdict = _attempt(zygote, submission, exercise, framework, deadlines, override=False)
    if verdict.outcome in ("rejected", "error") and exercise.builds_on:
        second = _attempt(zygote, submission, exercise, framework, deadlines, override=True)
        if second.outcome == "accepted":
            helpers = ", ".join(exercise.builds_on)
            return replace(second, message=f"{second.message} (The reference stood in for {helpers}.)")
    return verdict


def seed(submission: Submission, exercise: Exercise, key: bytes = KEY) -> int:
    """Inputs of its own for each submission: a regrade repeats them, a learner cannot foresee them."""
    message = f"{submission.digest} {exercise.name}".encode()
    return int.from_bytes(hmac.digest(key, message, hashlib.sha256)[:6], "big")


def _attempt(
    zygote: Zygote,
    submission: Submission,
    exercise: Exercise,
    framework: str,
    deadlines: Deadlines,
    override: bool,
) -> Verdict:
    try:
        worker = zygote.fork(deadlines)
    except (TooLate, Closed) as error:
        raise ZygoteFailed("a worker did not start") from error
    with worker:
        try:
            problem = _load(worker, submission, exercise, framework, override)
            if problem is not None:
                return _failed(exercise, framework, *problem)
            return judge(exercise, worker, framework, seed(submission, exercise))
        except TooLate:
            return _failed(
                exercise, framework, "timeout", "It did not answer in time: is there a loop that never ends?"
            )
        except Closed:
            return _failed(exercise, framework, *_death(worker.end()))
        except Tampering as tampering:
            message = f"Its process did not answer as an honest one does: {tampering}."
            return _failed(exercise, framework, "tampering", message)


def _load(
    worker: Worker, submission: Submission, exercise: Exercise, framework: str, override: bool
) -> tuple[str, str] | None:
    """Send the source; gives outcome and message if the entry is not there afterwards."""
    cells = submission.sources(framework)
    provided = {t: (ROOT / "solutions" / t / f"in_{framework}.py").read_text() for t in exercise.builds_on}
    header: Header = {
        "do": "source",
        "framework": framework,
        "entry": exercise.entry,
        "cells": [{"name": name} for name, _ in cells],
        "provided": list(provided),
        "override": override,
    }
    texts = [source for _, source in cells] + list(provided.values())
    reply, _ = worker.exchange(header, [as_array(text) for text in texts])
    if reply.get("found") is True:
        return None
    errors = reply.get("errors")
    blocking = _blocking(errors if isinstance(errors, list) else [], submission, exercise)
    if blocking is not None:
        return "error", blocking
    return "missing", _nowhere(submission, exercise)


def _blocking(errors: list[Header], submission: Submission, exercise: Exercise) -> str | None:
    """The error that kept the entry from being defined, as a sentence."""
    attempted = any(exercise.entry in cell.source for cell in submission.cells)
    if not attempted:
        return None
    for error in errors:
        if isinstance(error, dict) and (
            error.get("type") == "SyntaxError" or exercise.entry in str(error.get("source"))
        ):
            return f"{exercise.entry} is never defined: {error.get('type')} in line {error.get('line')}: {error.get('message')}"
    first = errors[0] if errors else None
    return (
        f"{exercise.entry} is never defined: {first.get('type')}: {first.get('message')}"
        if isinstance(first, dict)
        else None
    )


def _death(status: int) -> tuple[str, str]:
    if status == -24:
        return "timeout", "It used up its time on the processor: is there a loop that never ends?"
    how = f"was ended by signal {-status}" if status < 0 else f"ended itself with status {status}"
    return "error", f"Its process {how} before it had answered."


def _nowhere(submission: Submission, exercise: Exercise) -> str:
    defined = any(exercise.entry in cell.defines for cell in submission.cells)
    if defined:
        return f"It cannot be told which framework {exercise.entry} is written in: say it with --framework."
    kind = "class" if exercise.is_class else "function"
    return f"{submission.name} defines no {kind} named {exercise.entry}."


def _failed(exercise: Exercise, framework: str, outcome: str, message: str) -> Verdict:
    return Verdict(exercise.name, framework, outcome, message, max_points=exercise.points)
