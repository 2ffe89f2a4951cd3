"""Judges a NumPy function as an answer: a reference, or a wrong idea."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.model.exercise import IDEA_ERRORS, Case, Exercise, Function
from autograder.sandbox.requests import ArgumentHeader, CallRequest
from autograder.sandbox.wire import Arrays, Header


class FunctionTransport:
    """Answers with a NumPy function of the case's inputs, settings and parameters."""

    differentiates = False

    def __init__(self, exercise: Exercise, function: Function) -> None:
        self.exercise, self.function = exercise, function
        self.names = {parameter.path: name for name, parameter in exercise.parameters.items()}

    def exchange_all(self, calls: Sequence[tuple[CallRequest, Arrays]]) -> list[tuple[Header, Arrays]]:
        return [self.exchange(header, arrays) for header, arrays in calls]

    def exchange(self, header: CallRequest, arrays: Arrays) -> tuple[Header, Arrays]:
        inputs = {argument["name"]: _value(argument, arrays) for argument in header["arguments"]}
        learned = {self.names[p["path"]]: arrays[p["array"]] for p in header["parameters"]}
        parameters = {name: array.astype(np.float64) for name, array in learned.items()}
        try:
            case = Case("", inputs, header["settings"], parameters)
            results = self.exercise.compute(self.function, case)
        except IDEA_ERRORS as error:
            return {"error": {"type": type(error).__name__, "message": str(error), "line": None}}, []
        outputs: list[Header] = []
        sent: Arrays = []
        for output, value in zip(self.exercise.returns, results, strict=True):
            outputs.append({"plain": value} if output.plain else {"array": len(sent)})
            sent += [] if output.plain else [np.asarray(value)]
        return {"outputs": outputs, "changed": []}, sent


def _value(argument: ArgumentHeader, arrays: Arrays) -> Any:
    if "parts" in argument:
        return tuple(argument["parts"])
    if "plain" in argument:
        return argument["plain"]
    array = arrays[argument["array"]]
    return array.astype(np.float64) if array.dtype.kind == "f" else array
