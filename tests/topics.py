"""What the tests of all topics share: solutions, wrong versions of them, and runners."""

import importlib
import inspect
import linecache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from autograder.exercise import Exercise, Function
from autograder.exercises import all_exercises
from autograder.grading import Grader, Job
from autograder.remote import Deadlines
from autograder.sandbox.adapters import ADAPTERS
from autograder.sandbox.session import Session
from autograder.sandbox.wire import Arrays, Header
from autograder.submission import read_bytes
from course.frameworks import WITHOUT_MXNET, mx

# A wrong version: edits of the reference solution (old text, new text), or a whole new source.
Edit = tuple[str, str]
Wrong = dict[str, dict[str, dict[str, Edit | list[Edit] | str]]]
FRAMEWORKS = ("mxnet", "torch")
# Generous, since tests share the machine; an answer that never comes costs this long.
QUICK = Deadlines(source=20, call=10, whole=60)


def need(framework: str) -> None:
    """Skip, with the reason, where a framework cannot be installed."""
    if framework == "mxnet" and mx is None:
        pytest.skip(WITHOUT_MXNET)


def solution(topic: str, framework: str) -> ModuleType:
    """`solutions/<topic>/in_<framework>.py`."""
    need(framework)
    return importlib.import_module(f"solutions.{topic}.in_{framework}")


def wrong_versions() -> dict[tuple[str, str, str], Edit | list[Edit] | str]:
    """Every wrong version in the tests of all topics, by exercise, misconception and framework."""
    found = {}
    for topic in sorted({e.topic for e in all_exercises().values()}):
        if not (Path(__file__).parent / f"test_{topic}.py").exists():
            continue  # its misconceptions then fail one by one
        table: Wrong = importlib.import_module(f"tests.test_{topic}").WRONG
        for exercise, misconceptions in table.items():
            for misconception, versions in misconceptions.items():
                for framework, version in versions.items():
                    found[exercise, misconception, framework] = version
    return found


def wrong_source(exercise: Exercise, framework: str, version: Edit | list[Edit] | str) -> str:
    """The source of a wrong version: every edit must find its text exactly once."""
    if isinstance(version, str):
        return version
    source = inspect.getsource(getattr(solution(exercise.topic, framework), exercise.entry))
    for old, new in [version] if isinstance(version, tuple) else version:
        assert source.count(old) == 1, (
            f"{exercise.name}, {framework}: {old!r} stands {source.count(old)} times"
        )
        source = source.replace(old, new)
    return source


def define(exercise: Exercise, framework: str, source: str) -> Any:
    """Run a source in a copy of the solution's module; returns the exercise's entry."""
    namespace = dict(vars(solution(exercise.topic, framework)))
    name = f"<wrong {exercise.name} {framework} {abs(hash(source))}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), namespace)
    return namespace[exercise.entry]


def session(framework: str, entry: Any) -> Session:
    """A session in this process."""
    need(framework)
    return Session(ADAPTERS[framework](), entry, lambda filename: True)


class FunctionRunner:
    """Answers with a NumPy function of the case's inputs, settings and parameters."""

    differentiates = False

    def __init__(self, exercise: Exercise, function: Function) -> None:
        self.exercise, self.function = exercise, function
        self.names = {parameter.path: name for name, parameter in exercise.parameters.items()}

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
        return {"outputs": outputs, "inputs": []}, sent

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
