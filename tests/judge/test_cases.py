"""The cases as they are handed in: their order, and the precision of their numbers."""

import numpy as np
import pytest

from autograder.judge.cases import (
    draw_cases,
    extremes,
    interleaved_by_form,
    other_inputs,
    rounded,
    shorter_inputs,
)
from autograder.model.exercise import Case, Exercise, Output

THIRD = 1 / 3


def exercise(cases):
    return Exercise("e", "", "", "e", (), (), lambda: None, cases)


def four(rng):
    return [Case(f"case {i}", {"X": rng.normal(size=2)}) for i in range(4)]


def notes(seed):
    return [case.note for case in draw_cases(exercise(four), seed)]


def test_a_learner_sees_the_plain_cases_first():
    assert notes(0) == [f"case {i}" for i in range(4)]


def test_a_seed_draws_the_order_and_draws_it_again():
    assert notes(1) == notes(1) and sorted(notes(1)) == notes(0)
    assert len({tuple(notes(seed)) for seed in range(1, 9)}) > 1


@pytest.mark.parametrize("seed", [0, 1])
def test_the_seed_draws_the_numbers(seed):
    numbers = [[case.inputs["X"].tolist() for case in draw_cases(exercise(four), s)] for s in (seed, seed, 2)]
    assert numbers[0] == numbers[1] != numbers[2]


def test_the_cases_are_rounded():
    (case,) = draw_cases(exercise(lambda rng: [Case("", {"X": np.array([THIRD])})]), 0)
    assert case.inputs["X"][0] == float(np.float32(THIRD)) != THIRD


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_floats_have_the_precision_in_which_they_are_handed_in_and_are_kept_in_double(dtype):
    case = rounded(Case("n", {"X": np.array([THIRD])}, parameters={"W": np.array([[THIRD]])}, dtype=dtype))
    for array in (case.inputs["X"], case.parameters["W"]):
        assert array.dtype == np.float64
        assert array.ravel()[0] == float(np.array(THIRD, dtype)) != THIRD


def test_what_is_no_float_array_stays_as_it_is():
    inputs = {"length": np.array([3]), "mask": np.array([True]), "p": THIRD, "text": "a", "none": None}
    case = rounded(Case("n", inputs, {"scale": THIRD}, gradient=True))
    assert all(case.inputs[name] is value for name, value in inputs.items())
    assert (case.note, case.settings, case.gradient) == ("n", {"scale": THIRD}, True)


USUAL = Case("usual", {"X": np.array([[1.0, -2.0], [0.5, 1.0]])}, gradient=True)


@pytest.mark.parametrize(
    ("X", "is_extreme"),
    [
        ([[1.0, 2.0], [0.5, 1.0]], False),
        ([[8.0, 2.0], [0.5, 1.0]], False),
        ([[9.0, 2.0], [0.5, 1.0]], True),  # more than four times the largest
        ([[-9.0, 2.0], [0.5, 1.0]], True),
        ([[0.28125, 0.28125], [0.28125, 0.28125]], False),
        ([[0.2, 0.2], [0.2, 0.2]], True),  # less than a quarter of the mean
        ([[0.5]], False),  # of fewer numbers, whose sum is less
        ([[0.0, 0.0], [2.0, 2.0]], True),  # a row of zeros
        ([[0.0, 2.0], [2.0, 0.0]], False),
    ],
)
def test_a_case_far_beyond_those_whose_gradients_are_judged_is_extreme(X, is_extreme):
    case = Case("other", {"X": np.array(X)})
    assert extremes([USUAL, case]) == ([case] if is_extreme else [])


def test_a_case_is_extreme_only_beside_one_whose_gradients_are_judged_and_is_not_itself():
    large = Case("large", {"X": np.array([[99.0]])})
    assert extremes([large]) == [] and extremes([large, Case("no array", {"X": 3.0}, gradient=True)]) == []
    assert (
        extremes(
            [
                Case("usual", {"X": np.ones((2, 2))}, gradient=True),
                Case("large", {"X": large.inputs["X"]}, gradient=True),
            ]
        )
        == []
    )


def test_where_rows_of_zeros_are_judged_they_are_usual():
    judged = Case("zeros", {"X": np.array([[0.0, 0.0], [1.0, 1.0]])}, gradient=True)
    assert extremes([judged, Case("zeros too", {"X": np.array([[0.0, 0.0], [1.0, 1.0]])})]) == []


def test_it_is_the_judged_numbers_that_are_gone_beyond_and_rows_lie_along_the_last_axis():
    judged, large, zeros = (
        Case("n", {"X": np.array(X)}, gradient=X[0] == 0.1)
        for X in ([0.1, 0.2], [0.9, 0.1], [[[0.0, 0.0], [0.2, 0.2]]])
    )
    assert extremes([judged, large, zeros]) == [large, zeros]


def test_whole_numbers_and_empty_arrays_are_never_extreme():
    whole = Case("whole", {"X": np.array([[99]])})
    empty = Case("empty", {"X": np.zeros((0, 2))})
    assert extremes([USUAL, whole, empty]) == []


def test_learned_arrays_may_be_extreme_too():
    usual, large = (Case("n", {}, parameters={"W": np.array([[w]])}, gradient=w == 1.0) for w in (1.0, 9.0))
    assert extremes([usual, large]) == [large]


def others_of(reference, *cases, **output):
    exercise = Exercise("e", "", "", "e", (), (Output("Y", "(n,)", **output),), reference, list)
    return other_inputs(exercise, cases[0], cases, exercise.compute(reference, cases[0]))


def test_other_inputs_are_the_same_numbers_in_another_order_with_another_result():
    X = np.array([[1.0, 2.0], [3.0, 4.0]])
    other, result = others_of(lambda X: X[0], Case("n", {"X": X}))
    np.testing.assert_array_equal(other.inputs["X"], [[3.0, 4.0], [1.0, 2.0]])
    np.testing.assert_array_equal(result[0], [3.0, 4.0])
    assert other.note == "n"


def test_where_the_order_of_rows_does_not_count_that_of_columns_may():
    X = np.array([[1.0, 2.0], [1.0, 2.0]])
    other, _ = others_of(lambda X, lengths: X[0], Case("n", {"X": X, "lengths": np.array([1, 2])}))
    np.testing.assert_array_equal(other.inputs["X"], [[2.0, 1.0], [2.0, 1.0]])
    np.testing.assert_array_equal(other.inputs["lengths"], [1, 2])  # it has one axis


def test_where_no_order_gives_another_result_or_the_reference_stops_there_are_no_others():
    case = Case("n", {"X": np.arange(4.0).reshape(2, 2)})
    for integers in (False, True):  # a reference may give whole numbers as floats
        assert others_of(lambda X: np.full(1, X.sum()), case, integers=integers) is None

    def stops(X):
        if X[0, 0]:
            raise ValueError
        return X[0]

    assert others_of(stops, case) is None


def test_where_exactly_zero_is_right_nearly_zero_is_another_result():
    nearly = Case("n", {"X": np.array([[0.0, 1.0], [1e-6, 1.0]])})
    _, result = others_of(lambda X: X[0], nearly, exact_zeros=True)
    assert result[0].tolist() == [1e-6, 1.0]


def test_without_arrays_a_text_is_that_of_another_case():
    one, two = (Case("n", {"a": a, "b": b}) for a, b in (("x", "y"), ("x", "zz")))
    other, result = others_of(lambda a, b: np.full(1, float(len(a + b))), one, two)
    assert other.inputs == {"a": "x", "b": "zz"} and result[0] == [3.0]
    assert others_of(lambda a, b: np.full(1, float(len(a))), one, two) is None
    assert (
        others_of(lambda a: np.full(1, float(len(a))), Case("n", {"a": "x"}), Case("n", {"a": "xx"})) is None
    )


def test_the_smallest_case_of_each_form_of_inputs_comes_first_and_then_the_next_of_each():
    X, long, batch = np.ones(2), np.ones(9), np.ones((1, 3))
    inputs = [(long, 1), (batch, 1), (X, 2), (X, None), (long, None), (batch, 3)]
    cases = [Case(str(i), {"X": X, "n": n}) for i, (X, n) in enumerate(inputs)]
    assert interleaved_by_form(cases) == [2, 3, 1, 0, 4, 5]


def shorter(reference=lambda **inputs: 0, **inputs):
    exercise = Exercise("e", "", "", "e", (), (), reference, list)
    return shorter_inputs(exercise, Case("n", inputs))


def test_shorter_inputs_are_the_first_half_of_each_axis_1():
    X, keys, lengths = np.arange(10.0).reshape(2, 5), np.arange(12.0).reshape(2, 3, 2), np.array([3, 1])
    num_shorter, case = shorter(X=X, keys=keys, lengths=lengths, text="n", none=None)
    assert num_shorter == 2 and case.note == "n"
    np.testing.assert_array_equal(case.inputs["X"], X[:, :3])
    np.testing.assert_array_equal(case.inputs["keys"], keys[:, :2])
    # A length is above no axis: the shortest has 2 steps now.
    assert case.inputs["lengths"].tolist() == [2, 1]
    assert case.inputs["text"] == "n" and case.inputs["none"] is None


def test_whole_numbers_on_axis_1_are_halved_and_bounded_too():
    num_shorter, case = shorter(X=np.ones((1, 1)), lengths=np.array([[4, 3, 2]]))
    assert num_shorter == 1 and case.inputs["lengths"].tolist() == [[1, 1]]
    assert case.inputs["X"].shape == (1, 1)


def test_inputs_without_several_steps_or_that_the_reference_does_not_take_have_no_half():
    assert shorter(X=np.ones((3, 1)), lengths=np.ones(4, int), n=3) is None
    assert shorter(n=3) is None

    def for_three(X):
        if X.shape[1] != 3:
            raise ValueError
        return X

    assert shorter(for_three, X=np.ones((2, 3))) is None
    assert shorter(for_three, X=np.ones((2, 5))) is not None
    assert shorter(X=np.ones((1, 2))) is not None
