"""Where a whole number is asked for, an int is right and nothing else, and exactly."""

import re

import numpy as np
import pytest

from autograder.checking.check import LocalTransport
from autograder.diagnose.diagnosis import diagnose
from autograder.judge.functions import FunctionTransport
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Argument, Case, Exercise, Output
from solutions.additive.in_numpy import score_bytes
from solutions.attention.in_numpy import predict_shapes
from solutions.efficient.in_numpy import decoding_cost
from solutions.language_model.in_numpy import merge_pair
from solutions.multi_head.in_numpy import head_sizes

DIVIDE = "it must be a whole number, an int: divide with // and not with /."
PLAIN = [e for e in all_exercises().values() if any(output.plain for output in e.returns)]


def verdict_on(name, answer):
    """What `check` says of a function of plain numbers."""
    return diagnose(all_exercises()[name], LocalTransport("numpy", answer), "numpy")


def float_head_size(num_steps, num_hiddens, num_heads):
    _, parameters, weights = head_sizes(num_steps, num_hiddens, num_heads)
    return num_hiddens / num_heads, parameters, weights


def one_float(*sizes):
    scores, context, count = predict_shapes(*sizes)
    return (float(scores[0]), *scores[1:]), context, count


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("head_sizes", float_head_size),
        ("score_bytes", lambda *sizes: tuple(map(float, score_bytes(*sizes)))),
        ("decoding_cost", lambda *sizes: tuple(np.float64(n) for n in decoding_cost(*sizes))),
        ("predict_shapes", one_float),
        ("merge_pair", lambda *arguments: list(map(float, merge_pair(*arguments)))),
    ],
)
def test_a_float_that_equals_the_whole_number_is_told_so(name, answer):
    verdict = verdict_on(name, answer)
    assert (verdict.outcome, verdict.failed_stage) == ("rejected", "contract"), verdict
    pattern = f"{all_exercises()[name].returns[0].name} holds \\d+\\.0; {re.escape(DIVIDE)}"
    assert re.fullmatch(pattern, verdict.message), verdict
    assert verdict.misconception == "general:float_for_an_int"


def test_whole_numbers_of_numpy_are_ints():
    verdict = verdict_on("decoding_cost", lambda *sizes: tuple(np.int64(n) for n in decoding_cost(*sizes)))
    assert verdict.outcome == "accepted", verdict


def test_a_number_of_numpy_is_no_array():
    def answer(num_steps, bound):
        ratio = np.exp(2 * bound)
        return ratio / (ratio + num_steps - 1)

    verdict = verdict_on("largest_pooling_weight", answer)
    assert verdict.outcome == "accepted", verdict
    verdict = verdict_on("largest_pooling_weight", lambda num_steps, bound: np.full(2, 0.5))
    assert "weight is an array; it must be a float." in verdict.message


def test_a_count_that_is_off_by_one_is_wrong_however_large_it_is():
    verdict = verdict_on("decoding_cost", lambda *sizes: tuple(n + 1 for n in decoding_cost(*sizes)))
    assert verdict.outcome == "rejected", verdict
    assert "Your first number is above the right one by 1, in every case." in verdict.message


def test_a_float_does_not_hide_a_wrong_idea():
    def biases_too(num_steps, num_hiddens, num_heads):
        return num_hiddens / num_heads, 4 * num_hiddens * (num_hiddens + 1), num_heads * num_steps**2

    assert verdict_on("head_sizes", biases_too).misconception == "biases_counted"


def test_a_wrong_float_is_a_wrong_value():
    verdict = verdict_on("head_sizes", lambda *sizes: (0.3, *head_sizes(*sizes)[1:]))
    assert (verdict.outcome, verdict.failed_stage) == ("rejected", "values"), verdict
    assert "whole number" not in verdict.message


def verdict_on_count(right, answer):
    """The verdict on an answer to an exercise whose right results are these."""
    cases = [Case(f"case {n}", {"n": n}) for n in range(len(right))]
    exercise = Exercise(
        "count", "", "", "count", (Argument("n", "int"),), (Output("count", "an int", plain=True),),
        lambda n: right[n], lambda rng: cases,
    )  # fmt: skip
    return diagnose(exercise, FunctionTransport(exercise, lambda n: answer[n]), "numpy")


@pytest.mark.parametrize(
    ("right", "answer", "expected"),
    [
        ((1, 2), (1, 2), "accepted"),
        ((np.int64(1), 2), (1, np.int32(2)), "accepted"),
        ((1, 2), (True, 2), "count holds True; it must be a whole number, an int."),
        ((1, 2), (1, 2.0), f"count holds 2.0; {DIVIDE}"),
        ((1, 100_000), (1, 100_001), "The values of count are not right."),
        ((1.0, 2.5), (1, 2.5), "accepted"),
        ((1.0, 2.5), (True, 2.5), "The values of count are not right."),
        ((True, False), (1, 0), "The values of count are not right."),
    ],
)
def test_of_numbers_the_type_counts_where_it_is_int_or_bool(right, answer, expected):
    verdict = verdict_on_count(right, answer)
    assert expected in (verdict.outcome, verdict.message[: len(expected)]), verdict


@pytest.mark.parametrize("exercise", PLAIN, ids=lambda e: e.name)
def test_the_reference_gives_ints_where_the_box_says_whole_numbers(exercise):
    description = exercise.returns[0].description
    asks = re.search(r"\bints?\b|whole numbers|shape of", description) is not None

    def kinds(value):
        return (
            {kind for part in value for kind in kinds(part)}
            if isinstance(value, list | tuple)
            else {type(value)}
        )

    types: set[type] = set()  # a list may be empty in one case
    for case in exercise.cases(np.random.default_rng(0)):
        types |= kinds(exercise.compute(exercise.reference, case)[0])
        assert (types <= {int}) == asks, (description, types)
    assert (types == {int}) == asks, description
