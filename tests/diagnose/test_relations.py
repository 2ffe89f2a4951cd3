"""Wrong values without a name are said to relate to the right ones, and only as they do."""

import re
from dataclasses import replace

import numpy as np
import pytest

from autograder.diagnose import relations
from autograder.diagnose.diagnosis import diagnose
from autograder.diagnose.relations import Compared, relation_of_cases
from autograder.judge.axis_lengths import num_entries
from autograder.judge.cases import draw_cases
from autograder.judge.functions import FunctionTransport
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Argument, Case, Exercise, Output
from solutions.language_model.in_numpy import top_p
from solutions.score_functions.in_numpy import cosine_score
from solutions.transformer.in_numpy import layer_norm

RNG = np.random.default_rng(0)
RIGHT = [RNG.normal(size=(3, 4, 5)), RNG.normal(size=(2, 4, 5))]
CASES = [Case(f"case {i}", {"X": right, "valid_length": None}) for i, right in enumerate(RIGHT)]


def relation(compared):
    finding = relations.relation(compared) or relation_of_cases(compared)
    return finding and finding.words


def task(*outputs, plain=False):
    returns = tuple(Output(name, "(batch, n, d)", plain=plain) for name in outputs)
    arguments = (Argument("X", "(batch, n, d)"), Argument("valid_length", "None or (batch,)"))
    return Exercise("task", "", "", "task", arguments, returns, lambda X, **_: X, lambda rng: CASES)


def said_of(change, right=RIGHT, cases=CASES):
    """What is said of an answer that is `change` of the right one in each case."""
    answers = [(np.asarray(change(value)),) for value in right]
    expected = [(value,) for value in right]
    wrong = [i for i, (a, b) in enumerate(zip(answers, expected, strict=True)) if not np.allclose(a[0], b[0])]
    return relation(Compared(task("context"), cases, answers, expected, wrong))


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda x: 0.5 * x, "times 0.5, in each case"),
        (lambda x: x * len(x), "the right one multiplied by batch, in each case"),
        (np.exp, "the exponential of what is right"),
        (lambda x: x[:, ::-1], "stand at other places"),
        (lambda x: np.roll(x, 1, axis=2), "stand at other places"),
        (lambda x: x[:, [2, 0, 3, 1]], "stand at other places"),
        (lambda x: np.swapaxes(x, 1, 2).reshape(x.shape), "stand at other places"),
        (lambda x: x.mean(1, keepdims=True) + 0 * x, "is the plain mean of X along axis 1"),
        (lambda x: x[:, 1:2] ** 3 + 0 * x, "does not change along axis 1"),
    ],
)  # fmt: skip
def test_what_holds_is_said(change, words):
    assert words in said_of(change)


@pytest.mark.parametrize("seed", range(1, 10))
def test_nothing_is_said_of_other_numbers(seed):
    rng = np.random.default_rng(seed)
    assert said_of(lambda x: x + rng.normal(size=x.shape)) is None


def test_nothing_is_said_that_holds_in_one_case_alone():
    other = RIGHT[1] + RNG.normal(size=RIGHT[1].shape)
    answers, expected = [(2 * RIGHT[0],), (other,)], [(x,) for x in RIGHT]
    assert relation(Compared(task("context"), CASES, answers, expected, [0, 1])) is None


def test_a_factor_that_is_a_size_is_named():
    def over_the_width(queries, keys):
        return cosine_score(queries, keys) / np.sqrt(queries.shape[1] + keys.shape[1])

    verdict = verdict_on("cosine_score", over_the_width)
    assert "divided by the square root of num_queries + num_keys, in each case" in verdict.message, verdict


def test_what_is_nearly_right_is_said_to_be():
    noise = [x * (1 + 0.01 * RNG.uniform(-1, 1, size=x.shape)) for x in RIGHT]
    answers, expected = [(n,) for n in noise], [(x,) for x in RIGHT]
    sentence = relation(Compared(task("context"), CASES, answers, expected, [0, 1]))
    assert re.match(r"Your context is nearly right, within (0\.\d+|1) % everywhere", sentence)


def test_a_case_with_one_entry_does_not_hide_that_an_answer_is_the_same_along_an_axis():
    right = [*RIGHT, RNG.normal(size=(2, 4, 1))]
    cases = [Case(f"case {i}", {"X": 0 * x, "valid_length": None}) for i, x in enumerate(right)]
    sentence = said_of(lambda x: x[..., :1] ** 3 + 2 + 0 * x, right, cases)
    assert sentence == "Your context does not change along axis 2, and the right one does."


def test_which_results_are_right_is_said():
    noise = [x + RNG.normal(size=x.shape) for x in RIGHT]
    answers, expected = [(x, n) for x, n in zip(RIGHT, noise, strict=True)], [(x, x) for x in RIGHT]
    sentence = relation(Compared(task("weights", "context"), CASES, answers, expected, [0, 1]))
    assert sentence == "weights are right in all cases."


@pytest.mark.parametrize(
    "answers, words",
    [
        ([(2, 0), (4, 0)], "Your second number is 0, in every case. 1 of the 2 numbers is right"),
        ([(2, 6), (4, 8)], "Your second number is the right one times 2, in every case. 1 of the 2 numbers is"),
        ([(3, 3), (5, 4)], "Your first number is above the right one by 1, in every case."),
        ([(9, 9), (1, 4)], None),
    ],
)  # fmt: skip
def test_plain_numbers_are_compared_one_by_one(answers, words):
    expected = [((2, 3),), ((4, 4),)]
    sentence = relation(Compared(task("shape", plain=True), CASES, [(a,) for a in answers], expected, [0, 1]))
    assert sentence is None if words is None else sentence.startswith(words)


def verdict_on(name, function):
    exercise = all_exercises()[name]
    return diagnose(exercise, FunctionTransport(exercise, function), "numpy")


def test_a_verdict_says_the_relation():
    verdict = verdict_on("layer_norm", lambda X, gain, bias: 0.37 * layer_norm(X, gain, bias))
    assert (verdict.failed_stage, verdict.misconception) == ("values", "general:factor")
    assert "the right one times 0.37, in each case" in verdict.message


def test_a_verdict_says_on_what_an_answer_does_not_depend():
    def of_places(queries, keys):
        places = np.arange(keys.shape[1])[:, None] * np.arange(keys.shape[2])
        return np.sin(7 * cosine_score(queries, 0 * keys + 1 + np.cos(places)))

    verdict = verdict_on("cosine_score", of_places)
    assert (
        verdict.failed_stage == "values" and "keys" in verdict.message and "stay the same" in verdict.message
    ), verdict


def test_a_zero_that_stays_by_chance_says_nothing_of_what_an_answer_depends_on():
    """Which tokens are kept depends on all of them, so that of some that are left out nothing can be said."""

    def in_other_columns(probabilities, p):
        order = np.argsort(-probabilities, axis=-1)
        shares = np.take_along_axis(-np.sort(-top_p(probabilities, p)), order, axis=-1) ** 1.5
        return shares / shares.sum(axis=-1, keepdims=True)

    verdict = verdict_on("top_p", in_other_columns)
    assert verdict.failed_stage == "values" and "stays the same" not in verdict.message, verdict


def test_a_verdict_says_which_batch_element_leaks_into_another():
    def mixed(queries, keys):
        scores = cosine_score(queries, keys)
        return 0.5 * scores + 0.4 * np.sin(5 * scores.mean(axis=(0, 2), keepdims=True)) * np.cos(9 * scores)

    verdict = verdict_on("cosine_score", mixed)
    assert "Other numbers in one batch element change your scores for another" in verdict.message, verdict


def test_what_an_answer_depends_on_is_said_of_the_case_that_is_shown():
    """The first wrong case is shown, and a smaller one, in which the last query is left out, is not duration_text of."""
    small = min(draw_cases(all_exercises()["cosine_score"], 0), key=num_entries)

    def forgetful(queries, keys):
        scores = np.sin(7 * cosine_score(queries, keys) + 1)
        if queries.shape == small.inputs["queries"].shape:
            scores = np.sin(3 * cosine_score(queries, 0 * keys + np.arange(keys.shape[2]) + 1))
        return scores

    verdict = verdict_on("cosine_score", forgetful)
    assert verdict.case != small.note and "keys, your" not in verdict.message, verdict


def test_a_step_without_its_axis_is_not_explained_by_the_size_of_the_batch():
    """Such an answer is right in every case with one batch element, which says nothing of why."""

    def shifted_by_all(queries, keys):
        return (queries - queries.mean()) @ np.swapaxes(keys, 1, 2) / np.sqrt(queries.shape[-1])

    verdict = verdict_on("scaled_scores", shifted_by_all)
    assert "one that takes the whole array since no axis is given" in verdict.message, verdict


def test_one_case_in_which_a_step_has_all_the_weight_says_nothing_of_others():
    """There each row has one number, which any is a multiple of, and no other score changes anything."""

    def total_minus_own_term(scores, votes, valid_length):
        valid = np.arange(scores.shape[1]) < valid_length[:, None]
        raised = np.exp(scores - np.where(valid, scores, -np.inf).max(axis=1, keepdims=True)) * valid
        voted, total = (a.sum(axis=1, keepdims=True) for a in (raised * votes, raised))
        without = (voted - raised * votes) / (total - raised + 1e-9)
        return np.where(valid, voted / total - without, 0)

    verdict = verdict_on("leave_one_out", total_minus_own_term)
    assert verdict.failed_stage == "values" and "stays the same" not in verdict.message, verdict


def test_arrays_of_several_calls_with_one_state_are_not_told_call_by_call():
    rows = np.arange(6.0).reshape(1, 6)
    exercise = replace(task("Y"), arguments=(Argument("state", "a dictionary", caches="", stored=True),))
    assert relation_of_cases(Compared(exercise, CASES[:1], [(rows + 1,)], [(rows,)], [0])) is None
