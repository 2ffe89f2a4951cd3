"""How equal is equal: tolerances by precision, exact zeros, infinities, plain values, and the place that is shown."""

import math

import numpy as np
import pytest

from autograder.judge import compare, trial
from autograder.judge.compare import difference, is_real, not_whole, right_entries, same, same_output
from autograder.judge.functions import FunctionTransport
from autograder.judge.trial import judge
from autograder.model.catalogue import all_exercises
from autograder.model.errors import CheckAtFault
from autograder.model.exercise import Case, Exercise, Output

SINGLE, HALF = Case("", {}), Case("", {}, dtype="float16")
ARRAY = Output("scores", "(keys,)")
WEIGHTS = Output("weights", "(keys,)", exact_zeros=True, map=True)
INDEX = Output("tokens", "(keys,)", integers=True)
PLAIN = Output("size", "int", plain=True)


def close(got, expected, output=ARRAY, case=SINGLE):
    """Whether the second entry counts as equal; the first one is right."""
    return same_output(output, case, np.array([1.0, got]), np.array([1.0, expected]))


@pytest.mark.parametrize(
    ("got", "expected", "equal"),
    [
        (np.inf, np.inf, True),
        (-np.inf, -np.inf, True),
        (-1e31, -np.inf, True),
        (1e31, 1e38, True),
        (0.9e30, 1.1e30, False),
        (np.inf, -np.inf, False),
        (-np.inf, np.inf, False),
        (1.0, np.inf, False),
        (1.0, -np.inf, False),
        (np.nan, np.inf, False),
        (np.nan, np.nan, True),
        (np.nan, 1.0, False),
        (1.0, np.nan, False),
        (1e30, 1e30, True),
        (1.01e30, 1e30, False),
    ],
)
def test_an_infinity_is_that_of_the_same_sign(got, expected, equal):
    assert close(got, expected) is equal


@pytest.mark.parametrize(
    ("got", "expected", "equal"), [(1e30, 1e30, True), (1e31, 1e30, False), (1e30, np.inf, False)]
)
def test_how_large_a_number_may_be_is_asked_beside_an_infinity_too(got, expected, equal):
    assert same_output(ARRAY, SINGLE, np.array([np.inf, got]), np.array([np.inf, expected])) is equal


def test_what_is_huge_is_right_in_the_first_entry_too():
    assert same_output(ARRAY, SINGLE, np.array([1e31, 0.0]), np.array([1e38, 0.0]))
    assert not same_output(ARRAY, SINGLE, np.array([1e31, 0.0]), np.array([-1e38, 0.0]))
    assert same_output(ARRAY, SINGLE, np.array([1e31]), np.array([1e38]))


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    ("case", "expected", "nearest", "too_far"),
    [
        (SINGLE, 0.0, 0.9e-5, 1.1e-5),
        (SINGLE, 100.0, 100.0099, 100.0102),
        (SINGLE, -100.0, -100.0099, -100.0102),
        (HALF, 0.0, 1.9e-3, 2.1e-3),
        (HALF, 100.0, 100.5, 100.51),
    ],
)
def test_the_tolerance_is_that_of_the_precision(case, expected, nearest, too_far, place):
    right = np.array([expected, expected])
    for got, equal in ((nearest, True), (too_far, False), (2 * expected - too_far, False)):
        answer = right.copy()
        answer[place] = got
        assert same_output(ARRAY, case, answer, right) is equal


@pytest.mark.parametrize("sign", [1, -1])
def test_where_exactly_zero_is_asked_the_tolerance_is_no_zero(sign):
    assert close(sign * 0.9e-9, 0.0, WEIGHTS) and close(sign * 1e-6, 0.0)
    assert not close(sign * 1.1e-9, 0.0, WEIGHTS)
    assert close(0.5 + sign * 1e-6, 0.5, WEIGHTS)


@pytest.mark.parametrize(
    ("got", "expected", "equal"),
    [
        (np.zeros((2, 1)), np.zeros((1, 2)), False),  # another shape
        (np.zeros(2), np.zeros((1, 2)), False),
        (np.zeros(0), np.zeros(0), True),
        ([1.0, 2.0], np.array([1.0, 2.0]), False),  # no array
        (None, np.array(1.0), False),
        (1.0, np.array(1.0), True),
        (np.array([1, 2]), np.array([1.0, 2.0]), False),  # whole numbers for real ones
        (np.array([True]), np.array([True]), True),
        (np.array([1.0]), np.array([True]), True),  # a mask may come in any numeric type
        (np.array([1.0, 3.0]), np.array([1.0, 2.0]), False),
    ],
)
def test_an_array_must_have_the_shape_and_the_kind(got, expected, equal):
    assert same_output(ARRAY, SINGLE, got, expected) is equal


@pytest.mark.parametrize(
    ("dtype", "equal"), [("int32", True), ("uint8", True), ("float32", False), ("bool", False)]
)
def test_whole_numbers_must_come_in_an_integer_type(dtype, equal):
    got, expected = np.array([0, 1], dtype), np.array([0, 1])
    assert same_output(INDEX, SINGLE, got, expected) is equal
    assert same_output(INDEX, SINGLE, got, expected, by_value=True)


@pytest.mark.parametrize(
    ("got", "expected", "equal", "by_value"),
    [
        (3, 3, True, True),
        (4, 3, False, False),
        (3.0, 3, False, True),
        (np.int64(3), 3, True, True),
        (True, 1, False, False),
        (3.0001, 3.0, True, True),
        (3.0005, 3.0, False, False),
        (2.9995, 3.0, False, False),
        (9e-7, 0.0, True, True),
        (2e-6, 0.0, False, False),
        (3, 3.0, True, True),
        (True, 1.0, False, False),
        (math.inf, math.inf, True, True),
        (1.0, math.inf, False, False),
        (math.nan, math.nan, True, True),
        (1.0, math.nan, False, False),
        (math.nan, 1.0, False, False),
        ([1, 2], [1, 2], True, True),
        ((1, 2), (1, 2), True, True),
        ([1, 2], (1, 2), True, True),  # where a tuple is asked for, a list is one
        ((1, 2), [1, 2], False, True),
        ([1], [1, 2], False, False),
        ([1, 2, 3], [1, 2], False, False),
        ([1, 3], [1, 2], False, False),
        ([[1], 2], [[1], 2], True, True),
        ([(1,), 2], [[1], 2], False, True),
        (1, [1], False, False),
        ("a", "a", True, True),
        ("a", "b", False, False),
        ("1", 1, False, False),
        (None, None, True, True),
    ],
)
def test_a_plain_value_has_its_type_and_its_value(got, expected, equal, by_value):
    assert same_output(PLAIN, SINGLE, got, expected) is equal
    assert same_output(PLAIN, SINGLE, got, expected, by_value=True) is by_value


def test_all_results_must_be_equal_and_as_many_as_asked_for():
    two = Exercise("two", "", "", "two", (), (ARRAY, PLAIN), lambda: None, lambda rng: [])
    one = np.array([1.0])
    assert same(two, SINGLE, (one, 2), (one, 2))
    assert not same(two, SINGLE, (one, 3), (one, 2)) and not same(two, SINGLE, (one + 1, 2), (one, 2))
    assert same(two, SINGLE, (one, 2.0), (one, 2), by_value=True) and not same(
        two, SINGLE, (one, 2.0), (one, 2)
    )
    with pytest.raises(ValueError, match=r"zip\(\)"):
        same(two, SINGLE, (one,), (one, 2))


def test_each_entry_is_judged_for_itself():
    got, expected = np.array([[1.0, 2.0], [np.nan, 0.0]]), np.array([[1.0, 2.1], [np.nan, 1e-6]])
    assert right_entries(ARRAY, SINGLE, got, expected).tolist() == [[True, False], [True, True]]


@pytest.mark.parametrize(
    ("expected", "real"), [(np.array([1.0]), True), (np.array([1]), False), (True, False), (0.5, True)]
)
def test_real_numbers_are_asked_for_where_the_reference_gives_them(expected, real):
    assert is_real(expected) is real


@pytest.mark.parametrize(
    ("got", "expected", "odd"),
    [
        (4.0, 4, [4.0]),
        (True, 1, [True]),
        (4, 4, []),
        (5.0, 4, []),
        (np.float64(4), 4, [4.0]),
        ((1.0, [2, 3.0]), (1, [2, 3]), [1.0, 3.0]),
        ((4.0,), (4, 5), [4.0]),
        (4.0, 4.0, []),
        ("4", 4, []),
    ],
)
def test_what_stands_for_a_whole_number_and_is_none_is_listed(got, expected, odd):
    assert [*not_whole(got, expected)] == odd
    assert [*map(type, not_whole(got, expected))] == [*map(type, odd)]


def test_the_place_that_is_shown_is_where_they_differ_most():
    got, expected = np.zeros((2, 2, 3)), np.zeros((2, 2, 3))
    got[1, 0, 2], got[0, 1, 1], expected[1, 0, 0] = 0.5, 0.25, 0.1
    result = difference(WEIGHTS, HALF, got, expected)
    assert (result.output, result.where, result.got, result.expected) == ("weights", (1, 0, 2), 0.5, 0.0)
    np.testing.assert_array_equal(result.got_map, got[1])
    np.testing.assert_array_equal(result.expected_map, expected[1])
    assert result.dtype == "float16"


def test_a_single_matrix_of_weights_is_drawn_whole():
    got, expected = np.full((2, 3), 0.5), np.full((2, 3), 0.5)
    got[1, 1], got[0, 0] = 0.25, -0.5
    result = difference(WEIGHTS, SINGLE, got, expected)
    assert (result.where, result.got, result.expected) == ((0, 0), -0.5, 0.5)
    np.testing.assert_array_equal(result.got_map, got)
    np.testing.assert_array_equal(result.expected_map, expected)


@pytest.mark.parametrize(("output", "shape"), [(ARRAY, (2, 3)), (WEIGHTS, (3,))])
def test_only_a_matrix_of_weights_is_drawn(output, shape):
    result = difference(output, SINGLE, np.ones(shape), np.zeros(shape))
    assert result.got_map is None and result.expected_map is None


def test_nan_differs_most_and_equal_infinities_do_not():
    got, expected = np.array([5.0, np.nan, np.inf, -np.inf]), np.array([1.0, 2.0, np.inf, -np.inf])
    assert difference(ARRAY, SINGLE, got, expected).where == (1,)
    assert difference(ARRAY, SINGLE, np.array([np.nan, 5.0]), np.array([np.nan, 1.0])).where == (1,)


def test_a_zero_that_is_nearly_one_is_shown_and_accuses_no_check():
    """Its distance is far below the tolerance, which does not hold for zeros."""
    result = difference(WEIGHTS, SINGLE, np.array([1.0, 1e-8]), np.array([1.0, 0.0]))
    assert result.where == (1,)


@pytest.mark.parametrize("apart", [0.0, 0.95e-6])
def test_equal_numbers_that_a_check_calls_wrong_are_its_own_fault(apart):
    with pytest.raises(CheckAtFault, match=r"wrong in the case .long."):
        difference(ARRAY, Case("long", {}), np.array([apart]), np.array([0.0]))
    assert difference(ARRAY, SINGLE, np.array([1.05e-6]), np.array([0.0])).where == (0,)
    whole = difference(INDEX, SINGLE, np.array([1.0]), np.array([1]))  # the type is wrong, and not the number
    assert whole.where == (0,)
    assert difference(ARRAY, SINGLE, np.array([1]), np.array([1.0])).where == (0,)


def test_a_check_that_finds_equal_numbers_wrong_accuses_nobody(monkeypatch):
    """A planted bug: nothing is equal to anything."""
    exercise = all_exercises()["layer_norm"]
    for module in (compare, trial):
        monkeypatch.setattr(module, "same_output", lambda *arguments: False)
    with pytest.raises(CheckAtFault, match="the check of the course is at fault, and not the answer"):
        judge(exercise, FunctionTransport(exercise, exercise.reference), "numpy")


@pytest.mark.parametrize("got", [np.ones(3), np.ones((2, 2)), np.ones(0)], ids=lambda a: str(a.shape))
def test_an_array_is_compared_where_a_plain_value_is_asked_for(got):
    """As an answer in two precisions is with itself."""
    output, case = Output("loss", "a number", plain=True), Case("", {})
    assert same_output(output, case, got, got.copy())
    assert not same_output(output, case, got, got + 1) or not got.size
    assert not same_output(output, case, got, 1.0)
