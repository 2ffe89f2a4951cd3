"""The form of results: their kinds, shapes and types, finite numbers; the first that is wrong is told."""

import re

import numpy as np
import pytest

from autograder.judge.contract import broken_contract, is_index
from autograder.judge.protocol import Foreign
from autograder.model.exercise import Argument, Case, Exercise, Output
from autograder.model.finding import Kind

WEIGHTS = Output("weights", "(batch, num_keys)")
STORED = Output("attention_weights", "(batch, num_keys)", attribute=True)
TOKENS = Output("tokens", "(batch,)", integers=True)
PLACES = Output("places", "(batch,)", indices=True)
COUNT = Output("count", "int", plain=True)
PAIR = Output("pair", "(int, int)", plain=True)
CASE = Case("", {"X": np.zeros((2, 3))})
RIGHT = np.full((2, 3), 1.0)


def breach(output, got, expected=RIGHT, framework="torch"):
    """The kind and the words of what is wrong with one result; None if nothing is."""
    exercise = Exercise(
        "e", "", "", "e", (Argument("X", "(batch, num_keys)"),), (output,), lambda: None, list
    )
    finding = broken_contract(exercise, framework, CASE, (got,), (expected,))
    return finding and (finding.kind, finding.words)


@pytest.mark.parametrize(
    ("output", "got", "expected"),
    [
        (WEIGHTS, RIGHT + 5, RIGHT),
        (WEIGHTS, RIGHT.astype("float32"), RIGHT),
        (WEIGHTS, np.array([True]), np.array([True])),
        (WEIGHTS, np.array([1.0]), np.array([True])),
        (WEIGHTS, np.full((2, 3), np.inf), np.full((2, 3), -np.inf)),
        (TOKENS, np.array([1, 2]), np.array([3, 4])),
        (TOKENS, np.array([1, 2], "uint8"), np.array([3, 4])),
        (PLACES, np.array([1, 2]), np.array([3, 4])),
        (COUNT, 3, 4),
        (PAIR, (3, 4), (5, 6)),
    ],
)
def test_a_result_of_the_right_form_breaks_nothing_whatever_its_values(output, got, expected):
    assert breach(output, got, expected) is None


@pytest.mark.parametrize(
    ("output", "got", "kind", "words"),
    [
        (
            WEIGHTS,
            None,
            Kind.NOTHING_RETURNED,
            "It returns None for weights: does the function end with a return?",
        ),
        (WEIGHTS, 3, Kind.TYPE, "weights is the plain value 3; it must be an array (batch, num_keys)."),
        (STORED, None, Kind.TYPE, "attention_weights is None; it must be an array (batch, num_keys)."),
        (WEIGHTS, RIGHT.astype(int), Kind.TYPE, "weights has type int64; it must be float32."),
        (WEIGHTS, RIGHT.T, Kind.SHAPE, "weights has shape (3, 2); it must have (2, 3), (batch, num_keys)."),
        (
            WEIGHTS,
            np.ones((2, 2)),
            Kind.SHAPE,
            "weights has shape (2, 2); it must have (2, 3), (batch, num_keys): 2 is like batch.",
        ),
        (
            Output("weights", "(2, 3)"),
            RIGHT[:1],
            Kind.SHAPE,
            "weights has shape (1, 3); it must have (2, 3).",
        ),
        (
            WEIGHTS,
            Foreign("a list"),
            Kind.LIST_FOR_AN_ARRAY,
            "weights is a list; it must be a PyTorch tensor (batch, num_keys).",
        ),
        (
            WEIGHTS,
            Foreign("a tuple"),
            Kind.SEVERAL_RESULTS,
            "weights is a tuple; it must be a PyTorch tensor (batch, num_keys).",
        ),
        (
            WEIGHTS,
            Foreign("a set"),
            Kind.TYPE,
            "weights is a set; it must be a PyTorch tensor (batch, num_keys).",
        ),
        (COUNT, Foreign("a list"), Kind.TYPE, "count is a list; it must be int."),
        (COUNT, np.array(3), Kind.TYPE, "count is an array; it must be int."),
        (PAIR, (3, 4, 5), Kind.SHAPE, "pair holds 3; it must hold 2: (int, int)."),
    ],
)
def test_the_first_that_is_wrong_with_a_form_is_told(output, got, kind, words):
    assert breach(output, got, (1, 2) if output is PAIR else 1 if output is COUNT else RIGHT) == (kind, words)


@pytest.mark.parametrize(
    ("dtype", "kind"), [("float32", Kind.REAL_NUMBERS_FOR_WHOLE_ONES), ("bool", Kind.TYPE)]
)
def test_whole_numbers_must_come_in_an_integer_type(dtype, kind):
    words = f"The type of `tokens` is {dtype}; it must be an integer type."
    assert breach(TOKENS, np.zeros(2, dtype), np.zeros(2, int)) == (kind, words)


def test_indices_must_be_integers_but_in_a_framework_that_computes_them_as_floats():
    expected = np.zeros(2, int)
    kind, words = breach(PLACES, np.zeros(2), expected)
    assert kind == Kind.REAL_NUMBERS_FOR_WHOLE_ONES
    assert words == "The type of `places` is float64; it must be an integer type, since these are indices."
    assert breach(PLACES, np.zeros(2), expected, "mxnet") is None
    assert [is_index(PLACES, name) for name in ("torch", "numpy", "mxnet")] == [True, True, False]
    assert not is_index(TOKENS, "torch")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_entries_must_be_finite_where_those_of_the_reference_are(bad):
    got = RIGHT.copy()
    got[1, 2] = bad
    kind, words = breach(WEIGHTS, got)
    assert kind == Kind.NOT_FINITE and words == f"weights[1, 2] is {bad}; every entry must be finite."
    assert breach(WEIGHTS, got, np.full((2, 3), np.nan)) is None


def test_of_several_results_the_first_that_is_wrong_is_told():
    exercise = Exercise("e", "", "", "e", (), (WEIGHTS, COUNT, STORED), lambda: None, list)
    expected = (RIGHT, 1, RIGHT)

    def name_of(*got):
        finding = broken_contract(exercise, "torch", CASE, got, expected)
        return finding and re.findall(r"weights|count|attention_weights", finding.words)[0]

    assert name_of(RIGHT, 1, RIGHT) is None
    assert name_of(RIGHT, np.array(1), RIGHT[:1]) == "count"
    assert name_of(RIGHT[:1], np.array(1), RIGHT) == "weights"
    with pytest.raises(ValueError, match=r"zip\(\)"):
        broken_contract(exercise, "torch", CASE, (RIGHT, 1), expected)
