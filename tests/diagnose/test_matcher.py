"""A misconception is named where it explains the wrong values, and nothing is where it does not."""

from dataclasses import replace

import numpy as np

from autograder.diagnose.diagnosis import diagnose
from autograder.judge.cases import draw_cases
from autograder.judge.functions import FunctionTransport
from autograder.model.catalogue import all_exercises
from solutions.transformer.in_numpy import layer_norm


def verdict_on(name, function):
    exercise = all_exercises()[name]
    return diagnose(exercise, FunctionTransport(exercise, function), "numpy")


def test_what_has_a_name_keeps_it():
    exercise = all_exercises()["nadaraya_watson"]
    for misconception in exercise.misconceptions:
        assert verdict_on("nadaraya_watson", misconception.function).misconception == misconception.name


def test_an_answer_that_no_idea_gives_stays_without_a_name():
    verdict = verdict_on("layer_norm", lambda X, gain, bias: 0.7 * layer_norm(X, gain, bias) + 0.37 * X**3)
    assert (verdict.failed_stage, verdict.misconception) == ("values", None)


def nan_at_the_first_tile(maximum, total, context, scores, values):
    """Right but for the state before the first tile, where it takes minus infinity from itself."""
    state = all_exercises()["online_softmax_step"].reference(maximum, total, context, scores, values)
    first = np.isneginf(maximum)
    return state[0], np.where(first, np.nan, state[1]), np.where(first, np.nan, state[2])


def test_an_idea_is_not_named_where_nothing_but_nan_speaks_for_it():
    """The wrong ideas that are NaN there too give other numbers in the cases that this answer gets right."""
    verdict = verdict_on("online_softmax_step", nan_at_the_first_tile)
    assert (verdict.outcome, verdict.misconception) == ("rejected", None)


def test_an_idea_that_gives_the_wrong_numbers_is_named_though_other_cases_are_right():
    exercise = all_exercises()["layer_norm"]
    wrong = exercise.misconceptions[0]
    size = max(case.inputs["X"].size for case in draw_cases(exercise, 0))

    def in_the_largest(X, gain, bias):
        return (wrong.function if X.size == size else layer_norm)(X=X, gain=gain, bias=bias)

    verdict = verdict_on("layer_norm", in_the_largest)
    assert (verdict.outcome, verdict.misconception) == ("rejected", wrong.name)


def in_one_case(exercise, wrong, note):
    """An answer that follows an idea in the case of this note alone."""
    case = next(case for case in draw_cases(exercise, 0) if case.note == note)

    def answer(**inputs):
        X, other = inputs["X"], case.inputs["X"]
        is_the_case = X.shape == other.shape and np.allclose(X, other, rtol=1e-3)
        return (wrong.function if is_the_case else exercise.reference)(**inputs)

    return answer


def test_an_idea_that_one_case_of_zeros_and_ones_shows_is_not_named_where_all_others_contradict_it():
    """Where valid scores lie near -800, to fill with 0 and with -400 is the same; elsewhere nothing is set to 0."""
    exercise = all_exercises()["masked_softmax"]
    zero = next(m for m in exercise.misconceptions if m.name == "masked_with_zero")
    without = replace(exercise, misconceptions=[zero])
    answer = in_one_case(exercise, zero, "scores near 800 and near -800")
    verdict = diagnose(without, FunctionTransport(without, answer), "numpy")
    assert (verdict.outcome, verdict.misconception) == ("rejected", None), verdict


def test_an_idea_is_named_where_an_answer_has_a_branch_of_its_own():
    """Without lengths it is right, with lengths it follows the idea, and so it is where they alone are."""
    exercise = all_exercises()["masked_softmax"]
    over_queries, left_out = (
        next(m for m in exercise.misconceptions if m.name == name)
        for name in ("softmax_over_queries", "softmax_left_out")
    )

    def with_lengths(X, valid_length):
        wrong = exercise.reference if valid_length is None else over_queries.function
        return wrong(X=X, valid_length=valid_length)

    def without_lengths(X, valid_length):
        wrong = left_out.function if valid_length is None else exercise.reference
        return wrong(X=X, valid_length=valid_length)

    assert verdict_on("masked_softmax", with_lengths).misconception == "softmax_over_queries"
    assert verdict_on("masked_softmax", without_lengths).misconception == "softmax_left_out"


def test_one_wrong_entry_in_one_case_proves_nothing():
    calls = []

    def once(X, gain, bias):
        calls.append(X)
        result = layer_norm(X, gain, bias)
        if len(calls) == 1:
            result[0, 0, 0] += 1
        return result

    verdict = verdict_on("layer_norm", once)
    assert (verdict.outcome, verdict.misconception) == ("rejected", "general:random")
