"""Sizes in words: the axes of a case by their names, and what a length of an answer is like."""

import numpy as np
import pytest

from autograder.judge import axis_lengths
from autograder.model.exercise import Argument, Case, Exercise

ARGUMENTS = (
    Argument("queries", "(batch, num_queries, d)"),
    Argument("keys", "(batch, num_keys, d)"),
    Argument("valid_length", "None, (batch,) or (batch, num_queries)"),
    Argument("window", "int"),
)
EXERCISE = Exercise("e", "", "", "e", ARGUMENTS, (), lambda: None, lambda rng: [])


def case(batch=2, num_queries=3, num_keys=5, d=7, valid_length=None, **settings):
    inputs = {
        "queries": np.zeros((batch, num_queries, d)),
        "keys": np.zeros((batch, num_keys, d)),
        "valid_length": valid_length,
        "window": 2,
    }
    return Case("", inputs, settings)


def test_the_size_is_how_many_numbers_go_in():
    parameters = {"W": np.zeros((2, 2))}
    assert (
        axis_lengths.num_entries(Case("", {"X": np.zeros((2, 3)), "p": 0.5}, {"heads": 2}, parameters))
        == 6 + 1 + 4
    )


def test_each_axis_has_its_length_in_the_order_of_the_arguments():
    expected = {"batch": 2, "num_queries": 3, "d": 7, "num_keys": 5}
    assert list(axis_lengths.axis_lengths(EXERCISE, case()).items()) == list(expected.items())
    assert axis_lengths.lengths_text(EXERCISE, case()) == "batch 2, num_queries 3, d 7, num_keys 5"


def test_an_axis_that_two_arrays_name_has_the_length_of_the_first():
    odd = Case("", {"queries": np.zeros((2, 3, 7)), "keys": np.zeros((4, 5, 7))})
    assert axis_lengths.axis_lengths(EXERCISE, odd)["batch"] == 2


def test_axes_that_are_numbers_or_products_have_no_name():
    exercise = Exercise("e", "", "", "e", (Argument("X", "(2, batch * heads, d_v)"),), (), lambda: None, list)
    assert axis_lengths.axis_lengths(exercise, Case("", {"X": np.zeros((2, 6, 4))})) == {"d_v": 4}


def test_where_no_array_is_handed_in_there_is_nothing_to_say():
    nothing = Case("", {"window": 2})
    assert (
        axis_lengths.lengths_text(EXERCISE, nothing) == ""
        and axis_lengths.shapes_text(EXERCISE, nothing) == ""
    )


@pytest.mark.parametrize(
    ("words", "dimensions", "axes"),
    [
        ("(batch, num_keys)", 2, ["batch", "num_keys"]),
        ("(batch,)", 1, ["batch"]),
        ("None, (batch,) or (batch, num_queries)", 1, ["batch"]),
        ("None, (batch,) or (batch, num_queries)", 2, ["batch", "num_queries"]),
        ("(batch, num_keys)", 3, None),
        ("int", 0, None),
        ("()", 0, []),
        ("(a,), (b,)", 1, ["a"]),
    ],
)
def test_of_several_shapes_the_one_with_so_many_axes_counts(words, dimensions, axes):
    assert axis_lengths.axis_names(words, dimensions) == axes


def test_a_quotient_of_two_equal_lengths_explains_nothing():
    assert axis_lengths.length_text(EXERCISE, case(d=5), 1) == "1"


@pytest.mark.parametrize(
    ("length", "words"),
    [
        (3, "3 (like num_queries)"),
        (4, "4 (like num_heads)"),
        (10, "10 (like batch * num_keys)"),
        (42, "42 (like batch * num_queries * d)"),
        (11, "11"),
        (0, "0"),
        (1, "1"),
    ],
)
def test_a_length_is_like_the_axis_setting_or_product_that_is_as_long(length, words):
    assert axis_lengths.length_text(EXERCISE, case(num_heads=4), length) == words


def test_an_axis_of_length_one_has_its_name_and_an_empty_one_is_like_nothing():
    assert axis_lengths.length_text(EXERCISE, case(batch=1), 1) == "1 (like batch)"
    assert axis_lengths.length_text(EXERCISE, case(batch=0), 0) == "0"


def test_a_length_is_like_both_axes_that_are_as_long():
    assert axis_lengths.length_text(EXERCISE, case(num_keys=3), 3) == "3 (like num_queries or num_keys)"


def test_a_length_that_is_also_a_product_is_like_either():
    """As 12 features, where 3 batch elements have 4 heads: the axis may be the one or the other."""
    heads = case(batch=3, num_queries=5, num_keys=7, d=12, num_heads=4)
    assert axis_lengths.length_text(EXERCISE, heads, 12) == "12 (like d or batch * num_heads)"
    several = case(batch=3, num_queries=4, num_keys=7, d=12, num_heads=4)
    assert axis_lengths.length_text(EXERCISE, several, 12) == "12"


def test_a_length_is_like_a_quotient_only_where_it_comes_out_even():
    assert (
        axis_lengths.length_text(EXERCISE, case(d=12, num_heads=3), 4) == "4"
    )  # d / num_queries is as much: two may be meant
    assert axis_lengths.length_text(EXERCISE, case(d=24, num_keys=7), 8) == "8 (like d / num_queries)"
    assert axis_lengths.length_text(EXERCISE, case(d=23, num_keys=7), 7) == "7 (like num_keys)"
    assert axis_lengths.length_text(EXERCISE, case(d=23, num_keys=9), 7) == "7"
    assert axis_lengths.length_text(EXERCISE, case(d=14), 7) == "7 (like d / batch)"
    assert axis_lengths.length_text(EXERCISE, case(num_keys=3), 1) == "1"


def test_a_product_with_one_is_no_product():
    assert (
        axis_lengths.length_text(EXERCISE, case(batch=1, num_keys=11, d=13), 33)
        == "33 (like num_queries * num_keys)"
    )
    assert axis_lengths.length_text(EXERCISE, case(batch=1, d=5, num_keys=1), 3) == "3 (like num_queries)"


def test_where_two_products_are_as_long_neither_is_named():
    assert axis_lengths.length_text(EXERCISE, case(batch=2, num_queries=6, num_keys=4, d=3), 12) == "12"


@pytest.mark.parametrize("setting", [True, 4.0, "4", 0])
def test_a_setting_that_is_no_length_is_like_nothing(setting):
    assert axis_lengths.length_text(EXERCISE, case(bias=setting), 4) == "4"


@pytest.mark.parametrize(
    ("got", "words"),
    [
        ((2, 5), ": 5 is like num_keys"),
        ((2, 3), ""),
        ((2, 11), ""),
        ((3, 5), ""),
        ((2,), ""),
        ((2, 5, 1), ""),
        ((2, 6), ": 6 is like batch * num_queries"),
    ],
)
def test_one_axis_of_another_length_is_told_what_it_is_like(got, words):
    assert axis_lengths.likely_axis(EXERCISE, case(), got, (2, 3)) == words


def test_shapes_are_told_of_all_arrays():
    example = case(valid_length=np.array([1, 2]))
    assert (
        axis_lengths.shapes_text(EXERCISE, example)
        == "queries is (2, 3, 7), keys (2, 5, 7), valid_length (2,)"
    )
