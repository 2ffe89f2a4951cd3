"""What the variables of a function hold while it runs."""

import sys

import numpy as np
import pytest

from autograder.sandbox import variables
from autograder.sandbox.variables import Variables


def as_numpy(value):
    return np.array(value) if isinstance(value, np.ndarray) else None


def noted(function, *arguments):
    """The names, lines after the function's first, and numbers of what it binds."""
    watch = Variables(function, as_numpy)
    with watch.noted():
        function(*arguments)
    first = function.__code__.co_firstlineno
    return [(name, line - first, array.tolist()) for name, line, array in watch.values]


def helper(X):
    inside = X + 100
    return inside


def steps(X):
    scores = helper(X)
    text = "no array"
    scores = scores * 2
    scores[0] = 0
    rows = [row + 1 for row in scores]
    return text, rows


def test_each_array_that_a_name_is_bound_to_is_noted_with_its_line_and_none_of_a_helper():
    assert noted(steps, np.array([1, 2])) == [
        ("X", 0, [1, 2]), ("scores", 1, [101, 102]), ("scores", 3, [202, 204]), ("scores", 6, [0, 204])
    ]  # fmt: skip


class Layer:
    def __call__(self, X):
        return self.twice(X)

    def twice(self, X):
        doubled = X * 2
        return doubled


def test_all_methods_of_a_class_or_of_an_object_are_looked_at():
    for entry in (Layer, Layer()):
        watch = Variables(entry, as_numpy)
        with watch.noted():
            Layer()(np.array([1]))
        assert [name for name, _, _ in watch.values] == ["X", "X", "doubled"]


def many(count):
    for i in range(count):
        array = np.full(2, i)
    return array


@pytest.mark.parametrize("bound", ["MOST_ARRAYS", "MOST_LINES"])
def test_no_more_is_noted_than_a_reply_may_hold(monkeypatch, bound):
    everything = len(noted(many, 40))
    monkeypatch.setattr(variables, bound, 10)
    assert len(noted(many, 40)) <= 10 < everything


def test_large_arrays_and_long_names_are_left_out(monkeypatch):
    monkeypatch.setattr(variables, "MOST_ENTRIES", 3)
    assert noted(many, 1) and noted(helper, np.zeros(4)) == []
    monkeypatch.setattr(variables, "MOST_CHARACTERS", 3)
    assert noted(many, 1) == []


def test_what_cannot_be_shown_does_not_stop_the_answer():
    def numpy(value):
        raise ValueError("a meta tensor")

    watch = Variables(many, numpy)
    with watch.noted():
        many(2)
    assert watch.values == []


def test_a_debugger_goes_on_afterwards():
    def debugger(frame, event, argument):
        return None

    before = sys.gettrace()
    sys.settrace(debugger)
    try:
        with pytest.raises(TypeError), Variables(many, as_numpy).noted():
            many("no number")
        assert sys.gettrace() is debugger
    finally:
        sys.settrace(before)
