"""What the tests of all topics share: solutions, sessions, and a transport for NumPy functions."""

import contextlib
import importlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest
from typer.testing import CliRunner

from autograder.cli.commands import app
from autograder.frameworks import adapter_of, checkable_frameworks
from autograder.frameworks.libraries import WITHOUT_MXNET, WITHOUT_TORCH, mx, torch
from autograder.grade import run
from autograder.grade.one_submission import Grader, Job
from autograder.grade.workers import Zygote
from autograder.marks.gradebook import Gradebook
from autograder.model.assignment import TimeLimits
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from autograder.model.verdict import Verdict
from autograder.read.submission import read_bytes
from autograder.sandbox import worker, zygote
from autograder.sandbox.board import Board, shared_memory
from autograder.sandbox.clock import Clock
from autograder.sandbox.layers import REQUIRED
from autograder.sandbox.session import Session
from tools.wrong_versions import define, wrong_source

FRAMEWORKS = ("mxnet", "torch")
# Generous, since tests share the machine; an answer that never comes costs this long.
QUICK = TimeLimits(source_seconds=20, call_seconds=10, seconds=60)
# Milliseconds that a page may take for anything; a test that passes never waits so long.
PATIENCE = 60_000
# A right answer to the exercise masked_softmax, and one that masks too late.
RIGHT = """
import torch
def masked_softmax(X, valid_length):
    if valid_length is None:
        return torch.softmax(X, dim=-1)
    if valid_length.ndim == 1:
        valid_length = valid_length[:, None]
    mask = torch.arange(X.shape[-1]) < valid_length[..., None]
    return torch.softmax(torch.where(mask, X, -1e6), dim=-1)
"""
LATE = RIGHT.replace("torch.softmax(torch.where(mask, X, -1e6), dim=-1)", "torch.softmax(X, dim=-1) * mask")


def need(framework: str) -> None:
    """Skip, with the reason, where a framework cannot be installed."""
    for name, module, why in (("mxnet", mx, WITHOUT_MXNET), ("torch", torch, WITHOUT_TORCH)):
        if framework == name and module is None:
            pytest.skip(why)


def slow_ones(names: Iterable[str], *parts: str) -> list[Any]:
    """Parameters of a test; those with one of these parts in their name wait by their nature, and are marked slow."""
    return [
        pytest.param(name, marks=pytest.mark.slow) if any(part in name for part in parts) else name
        for name in names
    ]


def solution(topic: str, framework: str) -> ModuleType:
    """`solutions/<topic>/in_<framework>.py`; skips where the framework cannot be installed."""
    need(framework)
    return importlib.import_module(f"solutions.{topic}.in_{framework}")


def handed_in(name: str, framework: str) -> Any:
    """A right answer as a learner defines it: the solution's text, and none of the course's own objects."""
    need(framework)
    exercise = all_exercises()[name]
    return define(exercise, framework, wrong_source(exercise, framework, []))


def session(framework: str, entry: Any) -> Session:
    """A session in this process."""
    need(framework)
    return Session(adapter_of(framework), entry, lambda filename: True)


class UnlockedZygote(Zygote):
    """Forks the process that it is in, without the lock: what a test changes here holds in its workers too."""

    def __init__(self) -> None:
        self.used, self.frameworks = 0.0, list(checkable_frameworks())
        self.board = Board(shared_memory())

    def close(self) -> None:
        """Leave the process as it is."""

    def is_alive(self) -> bool:
        return True

    def _command(self, command: dict[str, Any], fds: Sequence[int] = ()) -> dict[str, Any]:
        if command["do"] == "end":
            return zygote._end(command["pid"], command["patience"])
        if pid := os.fork():
            return {"pid": pid}
        try:
            connection = socket.socket(fileno=os.dup(fds[0]))
            worker.serve(connection, dict.fromkeys(REQUIRED, True), Clock(), self.board)
        finally:
            os._exit(0)


def graded(zygote, data, name, exercises, framework=None, time_limits=QUICK, key=b"tests"):
    """Grade the bytes or the text of one submission; gives its verdicts."""
    data = data.encode() if isinstance(data, str) else data
    job = Job(name, data, tuple(e.name for e in exercises), framework, time_limits, key, practice=False)
    return Grader(zygote, read_bytes(data, name), job).grade(exercises)


def verdict(exercise="masked_softmax", framework="torch", outcome="rejected", **more):
    """A verdict on an exercise of two points, for tests of what is made of verdicts."""
    base = {"exercise": exercise, "framework": framework, "outcome": outcome, "message": "A sentence."}
    return Verdict(**{**base, "points": 2 if outcome == "accepted" else 0, "max_points": 2, **more})


def finish(book: Gradebook) -> None:
    """End the run that has begun: it knows all files that it has found, as they were graded before."""
    book.connection.execute("delete from waiting")


def autograder(*words: Any, packages: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command line; gives what it said and its status.

    It runs in this process, which has imported all that it needs, and so has its zygote, in which `grade` runs what is
    handed in unless --processes is given; in one of its own with the packages of a folder, if that is given. Without
    --verbose: a log is written to where the first command wrote it.
    """
    arguments = list(map(str, words))
    if packages is not None:
        command = [sys.executable, "-m", "autograder", *arguments]
        return subprocess.run(command, cwd=packages, capture_output=True, text=True)
    with contextlib.chdir(ROOT), patch.object(run, "processes_here", lambda: 1):
        done = CliRunner().invoke(app, arguments, prog_name="attention", catch_exceptions=False)
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)
