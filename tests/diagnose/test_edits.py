"""Wrong values that no misconception explains are named by the edit of the reference that gives them."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from autograder.diagnose.diagnosis import diagnose
from autograder.diagnose.edits import PREFIX, edits, outputs_of
from autograder.diagnose.search import single
from autograder.grade import cluster
from autograder.judge.cases import prepare
from autograder.judge.functions import FunctionTransport
from autograder.marks.overview import summaries
from autograder.model.catalogue import all_exercises
from solutions.sparse.in_numpy import grouped_query
from solutions.transformer.in_numpy import layer_norm

NAMES = list(all_exercises())
# One edit in so many of each exercise, on every change and in the whole run.
FEW, MANY = 100, 20
SIGNS = {"<", "<=", ">", ">=", "!="}
# What stands in a sentence beside words: the names, a hyphen, an apostrophe, a comma, a number.
PROSE = re.compile(r"[\w \-'.,’]+")


def verdict_on(name, function):
    exercise = all_exercises()[name]
    return diagnose(exercise, FunctionTransport(exercise, function), "numpy")


def gain_squared(X, gain, bias):
    return layer_norm(X, gain**2, bias)


def scaled_by_the_width_of_values(queries, keys, values):
    return grouped_query(queries * np.sqrt(queries.shape[-1] / values.shape[-1]), keys, values)


def with_one_key_too_many(X, valid_length):
    longer = None if valid_length is None else np.minimum(valid_length + 1, X.shape[2])
    return all_exercises()["masked_softmax"].reference(X, longer)


@pytest.mark.parametrize(
    "name, function, said",
    [
        (
            "layer_norm",
            gain_squared,
            "when a square of `gain` is taken in the computation of `normalised`.",
        ),
        (
            "grouped_query",
            scaled_by_the_width_of_values,
            "when the size of the last axis of `values` is used in place of the size of the last axis of `queries` in "
            "the computation of the scores.",
        ),
    ],
)
def test_the_sentence_says_which_edit(name, function, said):
    verdict = verdict_on(name, function)
    if verdict.layer == "misconception":
        pytest.skip("this wrong idea is known by name now")
    assert verdict.layer == "values" and verdict.misconception.startswith(PREFIX)
    assert verdict.hint in verdict.message and verdict.hint.endswith(said)


def test_what_has_a_name_keeps_it():
    exercise = all_exercises()["nadaraya_watson"]
    for misconception in exercise.misconceptions:
        assert verdict_on("nadaraya_watson", misconception.function).misconception == misconception.name


def test_a_broken_rule_is_said_before_the_edit():
    verdict = verdict_on("causal_self_attention", edit_of("causal_self_attention", "the comparison with"))
    assert verdict.layer in ("properties", "misconception")
    if verdict.layer == "properties":
        assert re.search(
            r"must .*, but .*\. Your answer is what comes out when the comparison", verdict.message
        )


def edit_of(name, words):
    return next(edit.function for edit in edits(all_exercises()[name]) if edit.clause.startswith(words))


def test_an_answer_that_no_edit_gives_stays_without_a_name():
    verdict = verdict_on("layer_norm", lambda X, gain, bias: 0.7 * layer_norm(X, gain, bias) + 0.37 * X**3)
    assert (verdict.layer, verdict.misconception) == ("values", None)


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
    size = max(case.inputs["X"].size for case in prepare(exercise, 0))

    def in_the_largest(X, gain, bias):
        return (wrong.function if X.size == size else layer_norm)(X=X, gain=gain, bias=bias)

    verdict = verdict_on("layer_norm", in_the_largest)
    assert (verdict.outcome, verdict.misconception) == ("rejected", wrong.name)


def test_one_wrong_entry_in_one_case_proves_nothing():
    calls = []

    def once(X, gain, bias):
        calls.append(X)
        result = layer_norm(X, gain, bias)
        if len(calls) == 1:
            result[0, 0, 0] += 1
        return result

    verdict = verdict_on("layer_norm", once)
    assert (verdict.outcome, verdict.misconception) == ("rejected", None)


def test_a_number_too_large_for_its_type_is_near_no_answer():
    def thirds(steps, d_k, d_v):
        without, cached, held = all_exercises()["decoding_cost"].reference(steps, d_k, d_v)
        return 2 * without, cached, held

    assert "exponential" not in verdict_on("decoding_cost", thirds).message


@pytest.mark.parametrize("name", NAMES)
def test_sentences_are_understood_without_the_reference(name):
    """A number, or an operand that has no words, tells nothing to a learner who does not see the formula."""
    vague = r"\d stands in place|(first|second) (part|factor|term|matrix)|the (condition|bound|operation|two cases)( is| are|$)"
    assert [edit.clause for edit in edits(all_exercises()[name]) if re.search(vague, edit.clause)] == []


@pytest.mark.parametrize("name", NAMES)
def test_sentences_hold_no_code(name):
    exercise = all_exercises()[name]
    parts = (*exercise.arguments, *exercise.settings, *exercise.returns)
    known = (
        {part.name for part in parts}
        | {p.path for p in exercise.parameters.values()}
        | set(exercise.parameters)
    )
    for edit in edits(exercise):
        quoted = set(re.findall(r"`([^`]*)`", single(edit).words))
        assert {
            q for q in quoted - SIGNS if q not in known and not re.fullmatch(r"[WUvw](_\w)?", q)
        } == set(), single(edit).words
        assert PROSE.fullmatch(re.sub(r"`[^`]*`", "", single(edit).words)), single(edit).words
        assert len(single(edit).words.split()) <= 50 and single(edit).words.count(". ") == 0, single(
            edit
        ).words


@pytest.mark.parametrize("name", NAMES)
def test_some_edits_are_named(name):
    named_or_equal(name, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_more_edits_are_named(name):
    named_or_equal(name, MANY)


def named_or_equal(name, step):
    """Each edit as an answer: equal to the reference, a misconception, or named by an edit that gives the same."""
    exercise = all_exercises()[name]
    cases = prepare(exercise, 0)
    expected = [exercise.compute(exercise.reference, case) for case in cases]
    for edit in edits(exercise)[:: min(step, max(len(edits(exercise)) // 3, 1))]:
        outputs = [outputs_of(edit.function, exercise, case) for case in cases]
        if any(o is None or not sound(exercise, o, w) for o, w in zip(outputs, expected, strict=True)):
            continue
        verdict = verdict_on(name, edit.function)
        if verdict.outcome != "accepted" and few_differ(outputs, expected):
            continue
        assert verdict.outcome == "accepted" or verdict.misconception, f"{edit.name}: {verdict}"


def sound(exercise, outputs, expected):
    """Whether the results are finite and of the kind that is asked for."""
    for output, got, wanted in zip(exercise.returns, outputs, expected, strict=True):
        if output.plain:
            if kinds(got) != kinds(wanted):
                return False
        elif (
            np.shape(got) != np.shape(wanted)
            or np.asarray(got).dtype.kind not in ("iu" if output.integers else "fiub")
            or not np.isfinite(got).all()
        ):
            return False
    return True


def kinds(value):
    """The types of a plain value, through nested tuples."""
    return tuple(map(kinds, value)) if isinstance(value, tuple) else type(value)


def few_differ(outputs, expected):
    """Whether an edit shows itself in too little to be named."""

    def differs(got, wanted):
        return (
            not np.allclose(got, wanted, rtol=1e-4, atol=1e-5)
            if isinstance(wanted, np.ndarray)
            else got != wanted
        )

    return sum(any(map(differs, o, w)) for o, w in zip(outputs, expected, strict=True)) < 2


def test_the_class_page_counts_an_edit_like_an_idea():
    verdict = verdict_on("layer_norm", edit_of("layer_norm", "a square of `gain` is taken"))
    assert verdict.misconception.startswith(PREFIX)
    (found,) = summaries([SimpleNamespace(marks=[verdict])] * 2)
    (finding,) = found.mistakes
    assert (finding.idea, finding.hint, len(finding.answers)) == (verdict.misconception, verdict.hint, 2)


def test_a_cluster_may_send_the_name_of_an_edit():
    exercise = all_exercises()["layer_norm"]
    verdict = verdict_on("layer_norm", edit_of("layer_norm", "a square of `gain` is taken"))
    job = SimpleNamespace(exercises=(exercise.name,))
    plain = {**verdict.as_dict(), "framework": "torch"}
    assert cluster._verdict(plain, job).misconception == verdict.misconception
    with pytest.raises(ValueError):
        cluster._verdict({**plain, "misconception": f"{PREFIX}made_up"}, job)


def halved(X, valid_length):
    """A softmax whose largest score is halved until it is below 1."""
    X = np.array(X)
    while X.max() >= 1:
        X = X / 2
    return np.exp(X) / np.exp(X).sum(-1, keepdims=True)


def test_a_reference_with_a_loop_that_could_become_endless_has_no_edits():
    assert edits(replace(all_exercises()["masked_softmax"], reference=halved)) == ()
