"""Judges a NumPy function as an answer: a reference, or a wrong idea."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autograder.model.exercise import Case, Exercise, Function
from autograder.sandbox.requests import CallRequest, failed
from autograder.sandbox.wire import Arrays, Header


class FunctionTransport:
    """Answers with a NumPy function of the case's inputs, settings and parameters."""

    differentiates = False

    def __init__(self, exercise: Exercise, function: Function) -> None:
        self.exercise, self.function = exercise, function
        self.names = {parameter.path: name for name, parameter in exercise.parameters.items()}

    def exchange_all(self, calls: Sequence[tuple[CallRequest, Arrays]]) -> list[tuple[Header, Arrays]]:
        replies: list[tuple[Header, Arrays]] = []
        for header, arrays in calls:
            replies.append(self.exchange(header, arrays))
            if failed(replies[-1][0]):
                break
        return replies

    def exchange(self, header: CallRequest, arrays: Arrays) -> tuple[Header, Arrays]:
        given: dict[str, Any] = dict(header["settings"])
        for argument in header["arguments"]:
            given[argument["name"]] = self._value(argument, arrays)
        for parameter in header["parameters"]:
            given[self.names[parameter["path"]]] = arrays[parameter["array"]].astype(np.float64)
        own = {name: given.pop(name) for name in self.names.values() if name in given}
        inputs = {argument.name: given.pop(argument.name) for argument in self.exercise.arguments}
        case = Case("", inputs, given, own)
        try:
            with np.errstate(all="ignore"):
                result = self.exercise.called(self.function, case)
        except (ArithmeticError, ValueError, IndexError) as error:
            return {"error": {"type": type(error).__name__, "message": str(error), "line": None}}, []
        results = result if isinstance(result, tuple) and len(self.exercise.returns) > 1 else (result,)
        outputs: list[Header] = []
        sent: Arrays = []
        for output, value in zip(self.exercise.returns, results, strict=True):
            if output.plain:
                outputs.append({"plain": value})
            else:
                outputs.append({"array": len(sent)})
                sent.append(np.asarray(value))
        return {"outputs": outputs, "changed": []}, sent

    @staticmethod
    def _value(argument: Mapping[str, Any], arrays: Arrays) -> Any:
        if "parts" in argument:
            return tuple(argument["parts"])
        if "plain" in argument:
            return argument["plain"]
        array = arrays[argument["array"]]
        return array.astype(np.float64) if array.dtype.kind == "f" else array
