"""What the tests of all topics share: solutions, sessions, and a transport for NumPy functions."""

import contextlib
import importlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from autograder.cli.commands import app
from autograder.frameworks import adapter_of
from autograder.grade.one_submission import Grader, Job
from autograder.grade.processes import Deadlines
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise, Function
from autograder.model.verdict import Verdict
from autograder.read.submission import read_bytes
from autograder.sandbox.requests import failed
from autograder.sandbox.session import Session
from autograder.sandbox.wire import Arrays, Header
from course.frameworks import WITHOUT_MXNET, mx
from course.paths import ROOT
from tools.wrong_versions import define, wrong_source

FRAMEWORKS = ("mxnet", "torch")
# Generous, since tests share the machine; an answer that never comes costs this long.
QUICK = Deadlines(source=20, call=10, whole=60)
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
    if framework == "mxnet" and mx is None:
        pytest.skip(WITHOUT_MXNET)


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


class FunctionTransport:
    """Answers with a NumPy function of the case's inputs, settings and parameters."""

    differentiates = False

    def __init__(self, exercise: Exercise, function: Function) -> None:
        self.exercise, self.function = exercise, function
        self.names = {parameter.path: name for name, parameter in exercise.parameters.items()}

    def exchange_all(self, calls: Sequence[tuple[Header, Arrays]]) -> list[tuple[Header, Arrays]]:
        replies: list[tuple[Header, Arrays]] = []
        for header, arrays in calls:
            replies.append(self.exchange(header, arrays))
            if failed(replies[-1][0]):
                break
        return replies

    def exchange(self, header: Header, arrays: Arrays) -> tuple[Header, Arrays]:
        given: dict[str, Any] = dict(header["settings"])
        for argument in header["arguments"]:
            given[argument["name"]] = self._value(argument, arrays)
        for parameter in header["parameters"]:
            given[self.names[parameter["path"]]] = arrays[parameter["array"]].astype(np.float64)
        try:
            with np.errstate(all="ignore"):
                result = self.function(**given)
        except (ValueError, IndexError) as error:
            return {"error": {"type": type(error).__name__, "message": str(error), "line": None}}, []
        results = result if isinstance(result, tuple) and len(self.exercise.returns) > 1 else (result,)
        outputs: list[Header] = []
        sent: Arrays = []
        for output, value in zip(self.exercise.returns, results, strict=True):
            if output.plain:
                outputs.append({"plain": list(value) if isinstance(value, tuple) else value})
            else:
                outputs.append({"array": len(sent)})
                sent.append(np.asarray(value))
        return {"outputs": outputs, "changed": []}, sent

    @staticmethod
    def _value(argument: Header, arrays: Arrays) -> Any:
        if "plain" in argument:
            return argument["plain"]
        array = arrays[argument["array"]]
        return array.astype(np.float64) if array.dtype.kind == "f" else array


def graded(zygote, data, name, exercises, framework=None, deadlines=QUICK, key=b"tests"):
    """Grade the bytes or the text of one submission; gives its verdicts."""
    data = data.encode() if isinstance(data, str) else data
    job = Job(name, data, tuple(e.name for e in exercises), framework, deadlines, key, practice=False)
    return Grader(zygote, read_bytes(data, name), job).grade(exercises)


def verdict(exercise="masked_softmax", framework="torch", outcome="rejected", **more):
    """A verdict on an exercise of two points, for tests of what is made of verdicts."""
    base = {"exercise": exercise, "framework": framework, "outcome": outcome, "message": "A sentence."}
    return Verdict(**{**base, "points": 2 if outcome == "accepted" else 0, "max_points": 2, **more})


def autograder(*words: Any, packages: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command line; gives what it said and its status.

    It runs in this process, which has imported all that it needs; in one of its own with the packages of a
    folder, if that is given. Without --verbose: a log is written to where the first command wrote it.
    """
    said = list(map(str, words))
    if packages is not None:
        command = [sys.executable, "-m", "autograder", *said]
        return subprocess.run(command, cwd=packages, capture_output=True, text=True)
    with contextlib.chdir(ROOT):
        done = CliRunner().invoke(app, said, prog_name="attention", catch_exceptions=False)
    return subprocess.CompletedProcess(said, done.exit_code, done.stdout, done.stderr)
