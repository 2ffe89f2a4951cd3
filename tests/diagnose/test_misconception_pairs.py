"""Two wrong ideas together are named, both of them, and only where they give every answer."""

import gc
import importlib.util
import linecache
import sys
import tracemalloc
import weakref
from dataclasses import replace

import numpy as np
import pytest

from autograder.checking.check import LocalTransport
from autograder.diagnose import search
from autograder.diagnose.diagnosis import diagnose
from autograder.diagnose.general_misconceptions import is_general
from autograder.diagnose.matcher import is_known
from autograder.diagnose.misconception_pairs import JOINT, MAX_CACHED, misconception_pairs
from autograder.diagnose.search import WORK
from autograder.grade import cluster
from autograder.judge.cases import draw_cases
from autograder.judge.compare import same
from autograder.judge.functions import FunctionTransport
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise
from autograder.model.misconceptions import with_misconceptions
from solutions.attention.in_numpy import softmax
from solutions.language_model.in_numpy import draw_token
from solutions.sparse.in_numpy import grouped_query
from solutions.transformer.in_numpy import layer_norm

EXERCISE = """
import numpy as np
from autograder.model.exercise import Argument, Case, Exercise, Output


def mixed(scores, values):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ values


def cases(rng):
    return [Case(note, {"scores": rng.normal(size=(n, 4)), "values": rng.normal(size=(4, 3))})
            for note, n in (("three", 3), ("five", 5), ("one row", 1))]


EXERCISES = (Exercise(
    name="mixed", entry="mixed", title="t", statement="s", reference=mixed, cases=cases, hints=("h",),
    arguments=(Argument("scores", "(rows, keys)"), Argument("values", "(keys, d_v)")),
    returns=(Output("mixture", "(rows, d_v)"),),
),)
"""
IDEAS = """
[mixed.sum_over_the_rows]
hint = "The sum runs over the rows."
every = ["weights.sum(axis=-1", "weights.sum(axis=0"]

[mixed.keys_reversed]
hint = "The values are taken from the last on."
every = ["weights @ values", "weights @ values[::-1]"]

[mixed.root_of_the_weights]
hint = "A root is taken of the weights."
every = ["weights @ values", "weights**0.5 @ values"]

[mixed.doubled]
hint = "The result is doubled."
every = ["return weights", "values = 2 * values\\n    return weights"]

[mixed.one_added]
hint = "One is added to the values."
every = ["return weights", "values = values + 1\\n    return weights"]

[mixed.half_and_then_a_third]
hint = "The weights are halved, and then divided by three."
every = [["weights @ values", "weights / 2 @ values"], ["weights / 2 @", "weights / 6 @"]]

[mixed.asks_itself]
hint = "The answer is asked again."
every = ["return weights", "values = mixed(scores, values)[:1] + values\\n    return weights"]

[mixed.not_divided]
hint = "The weights are not divided by their sum."
every = ["weights / weights.sum(axis=-1, keepdims=True)", "weights"]
"""


@pytest.fixture
def mixed(tmp_path):
    (tmp_path / "own_mixed.py").write_text(EXERCISE)
    (tmp_path / "own_mixed.toml").write_text(IDEAS)
    spec = importlib.util.spec_from_file_location("own_mixed", tmp_path / "own_mixed.py")
    module = sys.modules["own_mixed"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield with_misconceptions(module.EXERCISES[0], module)
    del sys.modules["own_mixed"]


def verdict_of(exercise, function, seed=0):
    return diagnose(exercise, FunctionTransport(exercise, function), "numpy", seed)


def weights_of(scores, axis=-1):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=axis, keepdims=True)


def test_two_ideas_are_both_named_in_the_order_of_the_code(mixed):
    verdict = verdict_of(mixed, lambda scores, values: weights_of(scores, 0) @ values[::-1])
    assert verdict.misconception == f"sum_over_the_rows{JOINT}keys_reversed"
    assert verdict.hint == (
        "Two mistakes together. First: The sum runs over the rows. Second: The values are taken from the last on."
    )
    assert is_known(mixed, verdict.misconception)


def test_two_edits_of_one_line_are_made_together_where_they_touch_other_words(mixed):
    verdict = verdict_of(mixed, lambda scores, values: weights_of(scores) ** 0.5 @ values[::-1])
    assert verdict.misconception == f"root_of_the_weights{JOINT}keys_reversed"


@pytest.mark.parametrize("name", [e.name for e in all_exercises().values() if e.hints])
def test_any_two_ideas_of_an_exercise_can_be_put_together_or_not(name):
    """An edit may change what another of the same idea has written."""
    assert all(pair.source for pair in misconception_pairs(all_exercises()[name]))


def test_two_lines_that_are_added_at_one_place_are_both_added(mixed):
    verdict = verdict_of(mixed, lambda scores, values: weights_of(scores) @ (2 * values + 1))
    assert verdict.misconception == f"doubled{JOINT}one_added"


def test_an_edit_of_what_another_edit_has_written_is_made_with_a_second_idea(mixed):
    verdict = verdict_of(mixed, lambda scores, values: weights_of(scores, 0) / 6 @ values)
    assert verdict.misconception == f"sum_over_the_rows{JOINT}half_and_then_a_third"


def test_a_loop_that_may_not_end_is_not_tried():
    """One idea may bring a loop, and another take away what ends it."""
    assert not [
        e.name for e in all_exercises().values() for p in misconception_pairs(e) if "while" in p.source
    ]


def test_two_ideas_that_call_themselves_without_end_are_no_explanation(mixed):
    verdict = verdict_of(mixed, lambda scores, values: 7 * values[: len(scores)].sum() + scores[:, :3])
    assert is_general(verdict.misconception)


def test_two_ideas_that_change_the_same_words_are_no_pair(mixed):
    names = [m.name for m in mixed.misconceptions]
    pairs = [{names[pair.first], names[pair.second]} for pair in misconception_pairs(mixed)]
    assert {"sum_over_the_rows", "not_divided"} not in pairs and len(pairs) == 27


def test_an_idea_that_shows_in_one_case_alone_is_not_made_up(mixed):
    def answer(scores, values):
        return weights_of(scores) @ values[::-1] + (len(scores) == 1)

    assert JOINT not in (verdict_of(mixed, answer).misconception or "")


def verdict_on(name, function, seed=0):
    exercise = all_exercises()[name]
    return diagnose(exercise, FunctionTransport(exercise, function), "numpy", seed)


def variance_and_no_bias(X, gain, bias):
    gaps = X - X.mean(-1, keepdims=True)
    return gain * gaps / ((gaps**2).mean(-1, keepdims=True) + 1e-5)


def no_gain_and_no_bias(X, gain, bias):
    return layer_norm(X, np.ones_like(gain), np.zeros_like(bias))


def zero_at_the_end(scores, valid_length):
    longer = np.concatenate([scores, np.zeros_like(scores[..., :1])], axis=-1)
    mask = np.arange(longer.shape[-1]) < (valid_length + 1)[:, None, None]
    return softmax(np.where(mask, longer, -1e6))[..., :-1]


def by_the_width_of_all_heads(queries, keys, values):
    return grouped_query(queries / np.sqrt(queries.shape[1]), keys, values)


def no_exponential(scores, features):
    weights = scores / scores.sum(axis=1, keepdims=True)
    return (weights[..., None] * features).sum(axis=1), weights


@pytest.mark.parametrize(
    "name, function",
    [
        ("softmax_with_zero", zero_at_the_end),
        ("grouped_query", by_the_width_of_all_heads),
        ("soft_context", no_exponential),
    ],
)
def test_two_mistakes_are_not_about_one_thing(name, function):
    """One of them would deny the other, as "before the keys" and "in the other order" do."""
    verdict = verdict_on(name, function)
    assert verdict.outcome == "rejected" and "Two mistakes" not in verdict.message, verdict


def mask_after_softmax(X, mask, features, score):
    """The mask comes after the softmax; where there is none, all weights are equal."""
    scores = (X @ score.T)[..., 0]
    weights = softmax(0 * scores) if mask is None else softmax(scores) * mask
    return np.einsum("bt,btf->bf", weights, X), weights


def test_a_second_mistake_that_one_case_alone_would_show_is_not_made_up():
    """There all weights are equal, so that any change that makes all scores equal would give the answer."""
    verdict = verdict_on("feed_forward_pooling", mask_after_softmax)
    assert verdict.misconception == "mask_after_softmax", verdict
    assert verdict.hint.endswith("This alone does not give what comes out in the case 'no mask'.")


def test_a_misconception_that_gives_all_but_nan_is_named_alone():
    """It divides by the sum itself; that the answer gives 0 / 0 somewhere is no second mistake of its own."""

    def positive_part_divided(scores):
        above = np.maximum(scores, 0)
        return above / above.sum(axis=-1, keepdims=True)

    verdict = verdict_on("sparsemax", positive_part_divided)
    assert verdict.misconception == "scores_above_zero_divided" and "is nan" in verdict.message


def test_a_plain_result_of_another_form_is_rejected():
    verdict = verdict_on("predict_shapes", lambda **sizes: ((1, 2, 3), (4, (5, 6)), 7))
    assert verdict.outcome == "rejected", verdict


def test_two_mistakes_on_the_same_step_are_told_apart_from_none():
    assert verdict_on("layer_norm", no_gain_and_no_bias).misconception


def test_a_pair_that_fails_on_a_right_case_is_not_named():
    exercise = all_exercises()["layer_norm"]
    calls = []

    def mixed(X, gain, bias):
        calls.append(X)
        right = len(calls) == 3
        return (layer_norm if right else variance_and_no_bias)(X, gain, bias)

    verdict = diagnose(exercise, FunctionTransport(exercise, mixed), "numpy")
    assert verdict.outcome == "rejected" and JOINT not in (verdict.misconception or ""), verdict


def test_two_ideas_that_write_the_same_text_in_one_place_are_found_together():
    exercise, ideas = all_exercises()["masked_softmax"], "softmax_over_queries+one_key_too_few"
    names = [m.name for m in exercise.misconceptions]
    (both,) = (
        p for p in misconception_pairs(exercise) if {names[p.first], names[p.second]} == {*ideas.split(JOINT)}
    )
    assert verdict_on(exercise.name, both.make_function()).misconception == ideas


def test_two_ideas_are_named_where_an_answer_without_lengths_is_right():
    """It is written apart, as `if valid_length is None`, and one idea or both may be missing there."""

    def over_the_queries(X, valid_length):
        if valid_length is None:
            return softmax(X)
        lengths = valid_length.reshape(len(X), -1, 1)
        return softmax(np.where(np.arange(X.shape[-1]) <= lengths, X, -1e6), axis=1)

    idea = verdict_on("masked_softmax", over_the_queries).misconception
    assert idea == f"softmax_over_queries{JOINT}one_key_too_many"


@pytest.mark.parametrize("name", ["layer_norm", "cosine_score", "decoder_step"])
def test_noise_is_no_idea_of_the_exercise(name):
    exercise = all_exercises()[name]
    rng = np.random.default_rng(1)

    def noisy(**inputs):
        outputs = exercise.reference(**inputs)
        parts = outputs if isinstance(outputs, tuple) else (outputs,)
        other = tuple(part + rng.normal(size=part.shape) for part in parts)
        return other if isinstance(outputs, tuple) else other[0]

    assert verdict_on(name, noisy).misconception == "general:random"


def test_a_constant_answer_gets_no_name_by_chance():
    verdict = verdict_on("query_weights", lambda y, state, outputs, **rest: np.ones(outputs.shape[:2]) * 0.25)
    assert verdict.misconception is None or JOINT not in verdict.misconception


def test_a_cluster_may_send_the_names_of_pairs_and_of_dropout_and_no_other():
    exercise = all_exercises()["dot_product_attention"]
    first = exercise.misconceptions[0].name
    assert is_known(exercise, "no_dropout")
    assert is_known(exercise, f"{first}{JOINT}{exercise.misconceptions[1].name}")
    for name in ("made_up", f"{first}{JOINT}made_up", JOINT.join([first] * 3), ""):
        assert not is_known(exercise, name)
    assert cluster.is_known is is_known


def test_a_sign_that_a_quotient_loses_is_no_mistake():
    """Scores over their sum are also those of the other sign over theirs: nobody turned a sign."""
    pytest.importorskip("torch", reason="PyTorch is not installed.")

    def soft_context(features, scores):
        weights = scores / scores.sum(1, keepdim=True)
        return (weights[..., None] * features).sum(1), weights

    verdict = diagnose(all_exercises()["soft_context"], LocalTransport("torch", soft_context), "torch")
    assert verdict.outcome == "rejected" and "Two mistakes" not in verdict.message, verdict


def causal_too(scores, table):
    """Relative biases, and keys ahead masked with a number too small to hide them, which nobody asks for."""
    biased = all_exercises()["relative_bias"].reference(scores, table)
    return np.where(np.tri(scores.shape[-1], dtype=bool), biased, -7)


def test_words_for_a_rejected_answer_cost_a_bounded_work_and_no_large_array(monkeypatch):
    """An exponential of the number of tokens asks for 22026 positions, and for a matrix of them."""
    computed = []
    compute = Exercise.compute
    monkeypatch.setattr(Exercise, "compute", lambda *arguments: computed.append(1) or compute(*arguments))
    tracemalloc.start()
    try:
        verdict = verdict_on("relative_bias", causal_too)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # The numbers for keys that come later are hidden with them.
    assert (verdict.outcome, verdict.misconception) == ("rejected", "general:argument_not_used")
    assert most < 16 * 2**20 and len(computed) < WORK


def test_a_search_ends_when_its_work_is_done(monkeypatch):
    """The same answer on any machine: what is computed is counted."""
    monkeypatch.setattr(search, "WORK", 100)
    assert verdict_on("layer_norm", variance_and_no_bias).misconception == "general:argument_not_used"


def test_what_two_ideas_compute_is_kept_for_some_exercises_and_not_for_all():
    """A process that judges all exercises held 140 MB of it."""
    first, *rest = [e for e in all_exercises().values() if misconception_pairs(e)][: MAX_CACHED + 1]
    lines = len(linecache.cache)
    pair = weakref.ref(misconception_pairs(first)[0])
    assert pair().make_function()
    for exercise in rest:
        misconception_pairs(exercise)[0].make_function()
    gc.collect()
    assert pair() is None and len(linecache.cache) == lines


def scores_of_a_step_short(steps, d_k, d_v):
    without = sum(t * t * d_k for t in range(1, steps))
    return without, sum(t * d_k for t in range(1, steps)), steps * (d_k + d_v)


def bits_with_padding(logits, tokens, valid_length):
    shifted = logits[:, :-1] - logits[:, :-1].max(-1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    of_tokens = np.take_along_axis(logs, tokens[:, 1:, None].astype(int), axis=2)
    return -of_tokens.mean().reshape(1) / np.log(2)


def in_any_order_and_the_second_stays(tokens, pair, new):
    merged = []
    for token in tokens:
        if merged and sorted((merged[-1], token)) == sorted(pair):
            merged[-1] = new
        merged.append(token)
    return merged


def multiplied_and_one_too_far(logits, temperature, p, numbers):
    return draw_token(logits * temperature**2, temperature, p, numbers) + 1


@pytest.mark.parametrize(
    "name, answer, ideas",
    [
        ("decoding_cost", scores_of_a_step_short, {"scores_only", "own_key_not_counted"}),
        ("next_token_loss", bits_with_padding, {"padding_counted", "in_bits"}),
        ("merge_pair", in_any_order_and_the_second_stays, {"either_order", "second_token_kept"}),
        ("draw_token", multiplied_and_one_too_far, {"temperature_multiplies", "one_too_far"}),
    ],
)
def test_two_mistakes_in_whole_numbers_lists_and_losses_are_named(name, answer, ideas):
    verdict = verdict_on(name, answer)
    assert set((verdict.misconception or "").split(JOINT)) == ideas, verdict


@pytest.mark.parametrize("name", ["decoding_cost", "merge_pair", "next_token_loss", "score_bytes"])
def test_whole_numbers_and_losses_are_those_of_two_ideas_by_more_than_chance(name):
    """Where one of two ideas is unknown, another pair is named only if it is the same function, on other draws too."""
    exercise = all_exercises()[name]
    for pair in misconception_pairs(exercise)[::7]:
        unknown, function = exercise.misconceptions[pair.first], pair.make_function()
        rest = replace(exercise, misconceptions=[m for m in exercise.misconceptions if m is not unknown])
        verdict = diagnose(rest, FunctionTransport(rest, function), "numpy")
        ideas = set((verdict.misconception or "").split(JOINT))
        named = [
            p
            for p in misconception_pairs(rest)
            if ideas == {rest.misconceptions[i].name for i in (p.first, p.second)}
        ]
        for case in draw_cases(exercise, 7) if named else ():
            results = [exercise.compute(one, case) for one in (function, named[0].make_function())]
            assert same(exercise, case, *results), (ideas, unknown.name, case)


def test_an_answer_without_entries_is_no_pair():
    """Many two mistakes leave nothing."""
    assert JOINT not in (verdict_on("merge_pair", lambda tokens, pair, new: []).misconception or "")


def test_choices_have_no_two_mistakes():
    """Few answers are offered, so that any two ideas may choose the same."""
    exercise = all_exercises()["weights_after"]
    for pair in misconception_pairs(exercise):
        assert JOINT not in (verdict_on(exercise.name, pair.make_function()).misconception or "")


def test_two_ideas_that_give_no_array_together_stop_no_search():
    """An edit of each leaves rows of two lengths."""
    exercise = all_exercises()["shift_right"]
    assert "Two mistakes" not in verdict_on(exercise.name, lambda tokens, start: 3 * tokens + start).message


@pytest.mark.parametrize(
    "name, answer",
    [
        ("predict_shapes", lambda batch, num_queries, num_keys, d_k, d_v: (
            (batch, num_queries, num_keys), (batch, num_queries, d_v), batch * num_queries
        )),
        ("shift_right", lambda tokens, start: np.pad(tokens[:, :-2], ((0, 0), (1, 1)), constant_values=start)),
    ],
)  # fmt: skip
def test_a_number_of_its_own_is_no_edit_that_completes_another(name, answer):
    """`batch * num_queries * num_keys` is one idea and `1` for `num_keys` another, and this answer is neither."""
    assert JOINT not in (verdict_on(name, answer).misconception or "")
