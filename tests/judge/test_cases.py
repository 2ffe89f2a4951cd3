"""The cases as they are handed in: their order, and the precision of their numbers."""

import numpy as np
import pytest

from autograder.judge.cases import prepare, rounded
from autograder.model.exercise import Case, Exercise

THIRD = 1 / 3


def exercise(cases):
    return Exercise("e", "", "", "e", (), (), lambda: None, cases)


def four(rng):
    return [Case(f"case {i}", {"X": rng.normal(size=2)}) for i in range(4)]


def notes(seed):
    return [case.note for case in prepare(exercise(four), seed)]


def test_a_learner_sees_the_plain_cases_first():
    assert notes(0) == [f"case {i}" for i in range(4)]


def test_a_seed_draws_the_order_and_draws_it_again():
    assert notes(1) == notes(1) and sorted(notes(1)) == notes(0)
    assert len({tuple(notes(seed)) for seed in range(1, 9)}) > 1


@pytest.mark.parametrize("seed", [0, 1])
def test_the_seed_draws_the_numbers(seed):
    numbers = [[case.inputs["X"].tolist() for case in prepare(exercise(four), s)] for s in (seed, seed, 2)]
    assert numbers[0] == numbers[1] != numbers[2]


def test_the_cases_are_rounded():
    (case,) = prepare(exercise(lambda rng: [Case("", {"X": np.array([THIRD])})]), 0)
    assert case.inputs["X"][0] == float(np.float32(THIRD)) != THIRD


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_floats_have_the_precision_in_which_they_are_handed_in_and_are_kept_in_double(dtype):
    case = rounded(Case("n", {"X": np.array([THIRD])}, parameters={"W": np.array([[THIRD]])}, dtype=dtype))
    for array in (case.inputs["X"], case.parameters["W"]):
        assert array.dtype == np.float64
        assert array.ravel()[0] == float(np.array(THIRD, dtype)) != THIRD


def test_what_is_no_float_array_stays_as_it_is():
    given = {"length": np.array([3]), "mask": np.array([True]), "p": THIRD, "text": "a", "none": None}
    case = rounded(Case("n", given, {"scale": THIRD}, gradient=True))
    assert all(case.inputs[name] is value for name, value in given.items())
    assert (case.note, case.settings, case.gradient) == ("n", {"scale": THIRD}, True)
