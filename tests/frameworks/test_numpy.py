"""Answers in NumPy: functions, and classes that are plain Python classes."""

import types

import numpy as np
import pytest

from autograder.book.answer_stub import NOT_WRITTEN, answer_stub
from autograder.checking.check import LocalTransport
from autograder.diagnose.diagnosis import diagnose
from autograder.frameworks.numpy import NumPyAdapter
from autograder.model.catalogue import all_exercises

EXERCISES = list(all_exercises().values())
CLASSES = [e for e in EXERCISES if e.is_class]


def defined(exercise, source):
    module = types.ModuleType("answer")
    exec(source, module.__dict__)
    return getattr(module, exercise.entry)


def judged(exercise, source):
    return diagnose(exercise, LocalTransport("numpy", defined(exercise, source)), "numpy")


def with_reference(exercise):
    """The stub, filled in with a call of the reference on its arguments, settings and learned arrays."""
    owner = "self." if exercise.is_class else ""
    words = [f"{a.name}={a.name}" for a in exercise.arguments]
    words += [f"{s.name}={owner}{s.name}" for s in exercise.settings]
    words += [f"{name}={owner}{name}" for name in exercise.parameters]
    attributes = [output.name for output in exercise.returns if output.attribute]
    owner = f"__import__('sys').modules[{exercise.reference.__module__!r}]"
    call = f"{owner}.{exercise.reference.__name__}({', '.join(words)})"
    body = f"return {call}"
    if attributes:
        body = f"result, {', '.join(f'self.{name}' for name in attributes)} = {call}\n        return result"
    head, _, tail = answer_stub(exercise).rpartition(NOT_WRITTEN)
    return f"{head}{body}{tail}"


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_each_stub_is_not_written_yet_and_passes_with_the_reference_in_it(exercise):
    assert judged(exercise, answer_stub(exercise)).outcome == "missing"
    verdict = judged(exercise, with_reference(exercise))
    assert verdict.outcome == "accepted", verdict


def test_a_class_may_have_forward_and_hold_its_arrays_in_layers():
    exercise = all_exercises()["relu_score"]
    verdict = judged(
        exercise,
        """
import numpy as np

class Layer:
    def __init__(self, *shape):
        self.weight = np.zeros(shape)

class ReluScore:
    def __init__(self, d, units):
        self.W, self.D = Layer(units, d), np.zeros(units)
        self._order = np.arange(3)
        self.count = np.arange(2)

    def forward(self, queries, keys):
        q, k = (np.maximum(X @ self.W.weight.T, 0) for X in (queries, keys))
        return (q * self.D) @ k.transpose(0, 2, 1)
""",
    )
    assert verdict.outcome == "accepted", verdict


def test_learned_arrays_with_other_names_or_shapes_are_named():
    exercise = all_exercises()["relu_score"]
    stub = answer_stub(exercise)
    renamed = judged(exercise, stub.replace("self.D", "self.E"))
    assert renamed.failed_stage == "contract" and "E (" in renamed.message
    turned = judged(exercise, stub.replace("(units, d)", "(d, units)"))
    assert turned.failed_stage == "contract" and "ts parameter W has shape" in turned.message


def test_work_in_place_on_a_learned_array_changes_no_case():
    class Holder:
        def __init__(self):
            self.W = np.zeros(2)

    of_the_case = np.ones(2)
    held = Holder()
    NumPyAdapter().set_parameter(held, "W", of_the_case)
    held.W *= 3
    assert of_the_case.tolist() == [1, 1]


@pytest.mark.parametrize("exercise", CLASSES, ids=lambda e: e.name)
def test_a_class_without_a_body_to_call_is_rejected_with_words(exercise):
    head = answer_stub(exercise).split("    def __call__")[0]
    verdict = judged(exercise, head)
    assert verdict.outcome == "rejected" and "cannot be called" in verdict.message
